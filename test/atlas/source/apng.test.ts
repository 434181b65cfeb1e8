import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AtlasError, apngInfo, readApng } from '../../../atlas/index.ts'
import { createChance, damage, oddValue } from '../../fuzz/chance.ts'
import { pngChunk } from '../png-chunk.ts'
import { animatedPng, type BuiltApngFrame, big, control, header, packed, signature } from './apng-file.ts'

const [red, green, blue, clear] = [0xff0000ff, 0x00ff00ff, 0x0000ffff, 0]

function shown(bytes: Uint8Array): readonly (readonly number[])[] {
  return readApng(bytes).frames.map(({ bitmap: { data } }) => {
    const view = new DataView(data.buffer, data.byteOffset)
    return Array.from({ length: data.length / 4 }, (_, at) => view.getUint32(4 * at))
  })
}

function rule(bytes: Uint8Array, maxPixels?: number): unknown {
  try {
    readApng(bytes, maxPixels === undefined ? {} : { maxPixels })
    return 'read'
  } catch (error) {
    if (error instanceof AtlasError && error.code === 'SW_PNG') return error.facts.rule
    throw error
  }
}

const whole: BuiltApngFrame = { colours: [red, green] }

describe('frames of an animated PNG', () => {
  test('replace what is there, or are blended over it', () => {
    expect(shown(animatedPng(2, [whole, { colours: [clear, blue] }, { x: 1, colours: [red] }]))).toEqual([
      [red, green],
      [clear, blue],
      [clear, red],
    ])
    expect(shown(animatedPng(2, [whole, { colours: [clear, blue], blend: 1 }, { colours: [0x0000ff80], blend: 1 }]))).toEqual([
      [red, green],
      [red, blue],
      [0x7f0080ff, blue],
    ])
    expect(shown(animatedPng(1, [{ colours: [0xff000080] }, { colours: [0x0000ff80], blend: 1 }]))[1]).toEqual([0x5500aac0])
  })

  test('stay, are cleared or give way to what was before', () => {
    const next: BuiltApngFrame = { x: 0, colours: [clear], blend: 1 }
    const after = (dispose: number): unknown => shown(animatedPng(2, [whole, { x: 1, colours: [blue], dispose }, next]))[2]
    expect(after(0)).toEqual([red, blue])
    expect(after(1)).toEqual([red, clear])
    expect(after(2)).toEqual([red, green])
    expect(shown(animatedPng(2, [{ ...whole, dispose: 2 }, next]))[1]).toEqual([clear, clear])
  })

  test('have their own times, in hundredths if nothing is said, and the picture says how often it plays', () => {
    const times = readApng(animatedPng(2, [whole, { ...whole, delay: [1, 60] }, { ...whole, delay: [7, 0] }, { ...whole, delay: [0, 9] }]))
    expect(times.frames.map(({ durationMs }) => durationMs)).toEqual([100, 1000 / 60, 70, 0])
    expect(times.plays).toBe(3)
  })

  test('do not have the still picture among them if it is none', () => {
    expect(shown(animatedPng(2, [{ x: 1, colours: [blue] }], [red, red]))).toEqual([[clear, blue]])
  })
})

describe('an animated PNG of several rows', () => {
  /** fcTL of a frame of some width and height at x and y. */
  const at = (sequence: number, ...place: readonly number[]): Uint8Array =>
    pngChunk('fcTL', [...big(sequence, ...place), 0, 1, 0, 10, 0, 0])
  const rows = (...colours: readonly (readonly number[])[]): Buffer => deflateSync(Uint8Array.from(colours.flatMap((row) => [0, ...row])))
  /** 2 × 3 pixels with a palette of red, green and blue, of which green is clear and blue half clear. */
  const file = (...parts: readonly Uint8Array[]): Uint8Array => {
    const palette = [pngChunk('PLTE', [255, 0, 0, 0, 255, 0, 0, 0, 255]), pngChunk('tRNS', [255, 0, 128])]
    const start = [signature, pngChunk('IHDR', [...big(2, 3), 8, 3, 0, 0, 0]), pngChunk('acTL', big(2, 0)), ...palette]
    const whole = [at(0, 2, 3, 0, 0), pngChunk('IDAT', rows([0, 1], [2, 0], [1, 2]))]
    return new Uint8Array(Buffer.concat([...start, ...whole, ...parts, pngChunk('IEND', [])]))
  }
  const second = (...colours: readonly (readonly number[])[]): Uint8Array => pngChunk('fdAT', [...big(2), ...rows(...colours)])

  test('has the colours and the clearness of its palette in every frame, at its place', () => {
    const bytes = file(at(1, 1, 2, 1, 1), second([2], [0]))
    const half = 0x0000ff80
    expect(shown(bytes)).toEqual([
      [red, 0x00ff0000, half, red, 0x00ff0000, half],
      [red, 0x00ff0000, half, half, 0x00ff0000, red],
    ])
    const { frames, ...size } = readApng(bytes)
    expect(frames.map(({ bitmap: { width, height }, durationMs }) => [width, height, durationMs])).toEqual([
      [2, 3, 100],
      [2, 3, 100],
    ])
    expect(size).toEqual({ width: 2, height: 3, plays: 0 })
    expect(apngInfo(bytes)).toEqual({ ...size, durations: [100, 100] })
  })

  test.each([
    [1, 2, 1, 1, 'read'],
    [2, 3, 0, 0, 'read'],
    [0, 2, 1, 1, 'apng-control'],
    [1, 0, 1, 1, 'apng-control'],
    [1, 2, 2, 1, 'apng-control'],
    [1, 2, 1, 2, 'apng-control'],
  ])('with a frame of %i × %i pixels at %i, %i is: %s', (width, height, x, y, expected) => {
    expect(rule(file(at(1, width, height, x, y), second(...Array.from({ length: height }, () => Array(width).fill(0)))))).toBe(expected)
  })

  test('counts the pixels of all frames on the canvas, and of their pictures, in a limit that it tells', () => {
    const bytes = file(at(1, 1, 2, 1, 1), second([2], [0]))
    expect(rule(bytes, 2 * 6 + 6 + 2)).toBe('read')
    const facts = { rule: 'too-many-pixels', maxPixels: 19 }
    for (const read of [readApng, apngInfo]) expect(() => read(bytes, { maxPixels: 19 })).toThrow(expect.objectContaining({ facts }))
  })
})

describe('an animated PNG', () => {
  const assemble = (...parts: readonly Uint8Array[]): Uint8Array =>
    new Uint8Array(Buffer.concat([signature, header(2), ...parts, pngChunk('IEND', [])]))
  const count = (frames: number): Uint8Array => pngChunk('acTL', big(frames, 0))
  const data = pngChunk('IDAT', packed(whole.colours))
  const more = (sequence: number): Uint8Array => pngChunk('fdAT', [...big(sequence), ...packed(whole.colours)])

  test('that breaks a rule is refused by its name', () => {
    expect(rule(assemble(count(1), control(0, whole), data))).toBe('read')
    expect(rule(assemble(data))).toBe('apng-none')
    expect(rule(assemble(count(0), data))).toBe('apng-frames')
    expect(rule(assemble(count(2), control(0, whole), data))).toBe('apng-frames')
    expect(rule(assemble(count(1), control(0, whole), data, control(1, whole), more(2)))).toBe('apng-frames')
    expect(rule(assemble(control(0, whole), count(1), data))).toBe('apng-frames')
    expect(rule(assemble(count(1), count(1), data))).toBe('apng-order')
    expect(rule(assemble(data, count(1)))).toBe('apng-order')
    expect(rule(assemble(pngChunk('acTL', big(1, 0, 0)), control(0, whole), data))).toBe('apng-order')
    expect(rule(assemble(count(1), pngChunk('fcTL', [...control(0, whole).subarray(8, -4), 0]), data))).toBe('apng-frames')
    expect(rule(assemble(count(1), pngChunk('fcTL', []), data))).toBe('apng-sequence')
    expect(rule(assemble(count(1), control(0, whole), more(1), data))).toBe('apng-order')
    expect(rule(assemble(count(2), control(0, whole), control(1, whole), data))).toBe('apng-order')
    expect(rule(assemble(count(1), data, more(0)))).toBe('apng-order')
    expect(rule(assemble(count(1), control(1, whole), data))).toBe('apng-sequence')
    expect(rule(assemble(count(1), data, control(0, whole), more(2)))).toBe('apng-sequence')
    expect(rule(assemble(count(1), data, control(0, { ...whole, x: 1 }), more(1)))).toBe('apng-control')
    expect(rule(assemble(count(1), control(0, { colours: [red] }), data))).toBe('apng-control')
    expect(rule(assemble(count(1), control(0, { ...whole, dispose: 3 }), data))).toBe('apng-control')
    expect(rule(assemble(count(1), control(0, { ...whole, blend: 2 }), data))).toBe('apng-control')
    expect(rule(assemble(count(2), control(0, whole), data, control(1, whole)))).toBe('zlib-unfinished')
    expect(rule(assemble(count(1), control(0, whole), data, more(1)))).toBe('idat-leftover')
    expect(rule(animatedPng(2, [whole]).subarray(1))).toBe('signature')
  })

  test('gives its size and times without its pixels, by the same rules', () => {
    const broken = assemble(count(1), control(0, { ...whole, delay: [3, 10] }), pngChunk('IDAT', [1, 2, 3]))
    expect(rule(broken)).not.toBe('read')
    expect(apngInfo(broken)).toEqual({ width: 2, height: 1, plays: 0, durations: [300] })
    expect(() => apngInfo(assemble(count(2), control(0, whole), data))).toThrow(expect.objectContaining({ facts: { rule: 'apng-frames' } }))
  })

  test('above the limit is refused before a frame is unpacked', () => {
    const three = animatedPng(2, [whole, whole, { colours: [red] }])
    expect(rule(three, 11)).toBe('read')
    expect(rule(three, 10)).toBe('too-many-pixels')
    expect(rule(assemble(count(2 ** 32 - 1), data))).toBe('too-many-pixels')
  })

  test('is read or refused by a rule, whatever is changed in it', () => {
    const original = animatedPng(4, [
      { colours: [red, green, blue, red] },
      { x: 1, colours: [clear, blue], blend: 1, dispose: 2 },
      { x: 3, colours: [red] },
    ])
    const mutants = fc.property(fc.nat(), (seed) => {
      const chance = createChance(seed)
      const bytes = chance.is(0.5) ? damage(chance, original) : original.slice()
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
        const end = at + 8 + view.getUint32(at)
        if (end + 4 > bytes.length) break
        if (chance.is(0.2)) bytes[at + 8 + chance.under(Math.max(1, end - at - 8))] = oddValue(chance, 8, 1)
        // With a sound CRC, the change itself is met.
        bytes.set(pngChunk(Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1'), bytes.subarray(at + 8, end)).subarray(-4), end)
      }
      expect(typeof rule(bytes, 1000)).toBe('string')
    })
    fc.assert(mutants, { numRuns: 1000 })
  })
})
