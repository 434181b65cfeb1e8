import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AsepriteFile, AtlasError, readAseprite, writeAseprite } from '../../../atlas/index.ts'
import { type Chance, createChance, damage, oddValue } from '../../fuzz/chance.ts'
import { byLevel } from '../../level.ts'
import { asepriteCorpus, corpusBytes } from '../corpus.ts'
import { file, image, layer, link, palette, pixels, tiles, tileset } from './ase.ts'
import { asepriteFiles } from './aseprite-cases.ts'

const count = byLevel({ quick: 400, full: 100_000, long: 100_000 })
const limits = { maxBytes: 2 ** 16, maxPixels: 2 ** 17, maxSteps: 2 ** 20 }

/** Small files: those of the corpus, if it is there, and our own. */
function originals(): readonly Uint8Array[] {
  const set = tileset(0, 2, 2, 2, pixels(0, 0, 0, 0, 1, 2, 3, 4))
  const mapped = [set, layer({ type: 2, tileset: 0 }), layer({ type: 1 }), layer({ level: 1, blend: 12 }), tiles(1, 1, [1])]
  const cel = image(2, 2, pixels(1, 2, 3, 255), { layer: 2, z: -1 })
  const built = file({ flags: 3, frames: [{ chunks: [...mapped, cel] }, { chunks: [link(0), link(0, { layer: 2 })] }] })
  const indexed = file({ depth: 8, frames: [{ chunks: [palette([1, 2]), layer({ flags: 9 }), image(2, 1, Uint8Array.of(0, 1))] }] })
  const written = fc.sample(asepriteFiles, { seed: 1, numRuns: 20 }).map(writeAseprite)
  const known = asepriteCorpus().filter((name) => name.endsWith('.aseprite'))
  const small = known.map((name) => corpusBytes('aseprite', name)).filter((bytes) => bytes.length < 3_000 && readsWithin(bytes))
  return [built, indexed, ...written, ...small]
}

function readsWithin(bytes: Uint8Array): boolean {
  return 'file' in outcome(bytes)
}

function outcome(bytes: Uint8Array): { file: AsepriteFile } | { rule: string } {
  try {
    return { file: readAseprite(bytes, limits) }
  } catch (error) {
    if (error instanceof AtlasError && error.code === 'SW_ASEPRITE' && typeof error.facts.rule === 'string')
      return { rule: error.facts.rule }
    throw error
  }
}

/** Places of the fields that say how long a part is: the file, its frames and their chunks. */
function sizes(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = [0]
  for (let frame = 128; frame + 16 <= bytes.length; frame += Math.max(16, view.getUint32(frame, true))) {
    found.push(frame)
    const end = Math.min(bytes.length, frame + view.getUint32(frame, true))
    for (let at = frame + 16; at + 6 <= end; at += Math.max(6, view.getUint32(at, true))) found.push(at)
  }
  return found
}

function mutant(chance: Chance, original: Uint8Array): Uint8Array {
  let bytes = original.slice()
  for (let times = 1 + chance.under(3); times > 0 && bytes.length > 200; times--) {
    const view = new DataView(bytes.buffer)
    const kind = chance.under(4)
    if (kind === 0) bytes = damage(chance, bytes).slice()
    else if (kind === 1) bytes[chance.under(bytes.length)]! ^= 1 << chance.under(8)
    else {
      // Of a chunk, the first bytes say what the others mean.
      const start = chance.pick(sizes(bytes))
      const at = kind === 2 ? start : Math.min(bytes.length - 4, start + 4 + chance.under(24))
      const bits = kind === 2 ? 32 : chance.pick([8, 16, 32] as const)
      if (bits === 8) bytes[at] = oddValue(chance, 8, bytes[at]!)
      else if (bits === 16) view.setUint16(at, oddValue(chance, 16, view.getUint16(at, true)), true)
      else view.setUint32(at, oddValue(chance, 32, view.getUint32(at, true)), true)
    }
  }
  if (chance.is(0.7) && bytes.length > 4) new DataView(bytes.buffer).setUint32(0, bytes.length, true)
  return bytes
}

test('whatever is changed in a file, it is read within the limits, or refused by a rule', () => {
  const known = originals()
  const rules = new Set<string>()
  let accepted = 0
  for (let seed = 1; seed <= count; seed++) {
    const chance = createChance(seed)
    const result = outcome(mutant(chance, chance.pick(known)))
    if ('rule' in result) {
      rules.add(result.rule)
      continue
    }
    accepted++
    const { width, height, frames, tags } = result.file
    expect(frames.length * width * height).toBeLessThanOrEqual(limits.maxPixels)
    for (const { bitmap, durationMs } of frames)
      expect([bitmap.width, bitmap.height, bitmap.data.length, durationMs > 0]).toEqual([width, height, 4 * width * height, true])
    for (const { from, to } of tags) expect(from <= to && to < frames.length).toBe(true)
  }
  console.log(
    `aseprite: ${count} cases of ${known.length} files, ${accepted} read, ${rules.size} rules met: ${[...rules].sort().join(' ')}`,
  )
  expect(accepted).toBeGreaterThan(count / 20)
  expect(rules.size).toBeGreaterThan(20)
})
