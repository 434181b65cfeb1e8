import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, encodePng } from '../../atlas/index.ts'
import { cutAnimation, openFrames, type PlayedFrames, readDelivered, readPlayed } from '../../src/sheets/frames.ts'
import type { Overrides } from '../../src/sheets/overrides/overrides.ts'
import type { ResultSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { makeZip } from '../atlas/made-zip.ts'

const review = { frameCount: 7, background: 'remove', keptBackgroundFrames: [0], inspectionFrames: [0, 2, 1], sourceShiftedFrames: [2, 0] }

/** A frame of 12 by 10 pixels with a figure of this side, one pixel from the left and two from the top. */
function drawn(side: number, width = 12): Bitmap {
  const [frame, figure] = [createBitmap(width, 10), createBitmap(side, side)]
  figure.data.fill(200 + side)
  blit(frame, figure, 1, 2)
  return frame
}

function inputOf(fields: object = {}, walk: object = { use: [2, 0, 2, 1] }, more: Partial<SheetInput> = {}): SheetInput {
  const text = JSON.stringify({ reference: './hero.png', prompt: 'x', animations: { walk: { frames: 7, ...walk } }, ...fields })
  const spec = parseSpec(text, '/game/hero.sprite.json')
  const source: ResultSource = { kind: 'result', sha256: 'a', read: async () => new Uint8Array(), review }
  return { spec, animation: spec.animations[0]!, source, ...more }
}

describe('the frames that are played', () => {
  const frames = [2, 3, 4, 8].map((side) => drawn(side))
  const resized = [0, 2, 3].map((index) => ({ index, width: 20 + index, height: 30 }))
  const opened = { frames, resized, touched: new Set([0]), warnings: ['w'] }
  const room = { x: 0, y: 0, width: 12, height: 10 }
  const played = { frames: [frames[2], frames[0], frames[1]], indices: [2, 0, 1], room, touched: opened.touched, warnings: ['w'] }

  test('are those of "use", each once, with the remarks on them, but none on what was touched up', async () => {
    const { quality, ...rest } = await readPlayed(inputOf({ size: { figure: 96 } }), { opened })
    // The figure is measured in all frames, not in the played ones alone.
    expect(rest).toEqual({ ...played, figureSide: 8 })
    expect(quality?.id).toBe('hero.walk')
    const remarks = quality?.flags.filter(({ from, fault }) => from === 'service' || fault === 'frame-size')
    expect(remarks?.map(({ fault, frames: of }) => [fault, of])).toEqual([
      ['frame-size', [2]],
      ['inspect', [1, 2]],
      ['shifted', [2]],
    ])
  })

  const own = { kind: 'own', sha256: 'b', read: async () => frames } as const
  const drawnBy = (isChecked: boolean): SheetInput => {
    const input = inputOf({}, undefined, { source: own })
    return { ...input, spec: { ...input.spec, reference: { kind: 'own', path: './art', isChecked, playback: [] } } }
  }
  test.each<[string, SheetInput, boolean | undefined, readonly unknown[] | undefined]>([
    ['a result', inputOf(), undefined, ['frame-size', 'inspect', 'shifted']],
    ['a result that nobody looks at now', inputOf(), false, undefined],
    ['own art that is to be checked', drawnBy(true), true, ['frame-size']],
    ['own art', drawnBy(false), true, undefined],
  ])('have a quality if they are %s: %#', async (_what, input, isJudged, faults) => {
    const { quality, ...rest } = await readPlayed(input, { opened, ...(isJudged === undefined ? {} : { isJudged }) })
    expect(rest).toEqual(played)
    const found = quality?.flags.filter(({ from, fault }) => from === 'service' || fault === 'frame-size').map(({ fault }) => fault)
    expect(found).toEqual(faults)
  })

  test('of a result are its own with the touched-up ones laid over, and the warnings of both', async () => {
    const delivered = Array.from({ length: 8 }, (_, index) => drawn(1 + (index % 7), index === 5 ? 11 : 12))
    const zip = makeZip(delivered.map((frame, index) => ({ name: `frames/frame_${index}.png`, packed: encodePng(frame) })))
    const bitmap = drawn(7)
    const overrides: Overrides = { key: [], read: async () => ({ found: [{ frame: 1, file: '/f.png', bitmap }], warnings: ['of a file'] }) }
    const source: ResultSource = { kind: 'result', sha256: 'a', read: async () => zip }
    const bare = await openFrames(inputOf({}, {}, { source }), undefined)
    expect([bare.frames.length, bare.resized, bare.warnings]).toEqual([
      8,
      [{ index: 5, width: 11, height: 10 }],
      [expect.stringMatching(/^hero\.walk: .*8/)],
    ])
    const laid = await openFrames(inputOf({}, {}, { source, overrides }), undefined)
    expect(laid).toEqual({
      ...bare,
      frames: bare.frames.map((frame, index) => (index === 1 ? bitmap : frame)),
      touched: new Set([1]),
      warnings: [...bare.warnings, 'hero.walk: of a file'],
    })
    expect(await readDelivered({ ...inputOf(), source }, undefined)).toEqual(bare.frames)
  })
})

describe('the cut of an animation', () => {
  /** Its frames, with the sizes of their canvases and of what is left of them, and all that goes with them. */
  const cut = async (input: SheetInput, played: Partial<PlayedFrames>, base?: Parameters<typeof cutAnimation>[2]) => {
    const frames = [4, 2, 3].map((side) => drawn(side))
    const quality = { id: 'hero.walk' } as NonNullable<PlayedFrames['quality']>
    const room = { x: 1, y: 2, width: 10, height: 6 }
    const whole = { frames, indices: [6, 0, 3], room, touched: new Set<number>(), quality, warnings: ['w'], ...played }
    const made = await cutAnimation(input, whole, base)
    expect(made).toEqual({ ...made, room, quality, warnings: ['w'], figureSide: played.figureSide })
    return made.frames.map(({ index, bitmap, canvas }) => [index, bitmap.width, bitmap.height, ...(canvas ? Object.values(canvas) : [])])
  }

  test('has the frames by their numbers, trimmed unless the spec forbids it, and at the size of the spec', async () => {
    const canvas = [0, 1, 12, 10]
    expect(await cut(inputOf(), {})).toEqual([0, 3, 6].map((index, at) => [index, 4 + at, 4 + at, ...canvas]))
    // The size is that of the delivered frame, without what it has grown by.
    expect(await cut(inputOf({ trim: false, size: 20, pixelArt: true }), {})).toEqual([0, 3, 6].map((index) => [index, 24, 20]))
  })

  test('scales the figure by the measure of its base, or else by its own', async () => {
    const room = { x: 0, y: 0, width: 12, height: 10 }
    const figured = inputOf({ size: { figure: 24 }, pixelArt: true, trim: false })
    const sizes: unknown[] = []
    for (const base of [undefined, { figureSide: 4, room }, { room }]) sizes.push((await cut(figured, { figureSide: 8 }, base))[0])
    sizes.push((await cut({ ...figured, spec: { ...figured.spec, size: { kind: 'figure', px: 2 } } }, {}))[0])
    expect(sizes).toEqual([
      [0, 36, 30],
      [0, 72, 60],
      [0, 36, 30],
      [0, 24, 20],
    ])
  })
})
