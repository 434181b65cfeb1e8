import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packSheet } from '../../plugin/build/pack-sheet.ts'
import { toAtlasData, toSpriteData } from '../../plugin/module.ts'
import { openSheet, spritesByName } from '../../plugin/runtime/shared/sheet.ts'
import type { BuiltAtlas, BuiltSheets } from '../../src/index.ts'

const side = fc.integer({ min: 0, max: 5000 })
const part = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0)
/** Near one another, so that some are neighbours, or far. */
const number = fc.oneof(fc.nat(12), fc.nat(12_000))
/** Places that come again; and numbers that are not to be counted by. */
const known = [
  [0, 1979, 1980, 44, 43, 2, 3, 128, 128],
  [0, 1979, 87_164, 87_163, 43, 2, 3, 128, 128],
  [0, 1979, 1980, 44, 43, -1, 3.5, 128, 1e21],
]
const duration = fc.oneof(fc.constant(1000 / 12), fc.integer({ min: 1, max: 2000 }))

interface Play {
  readonly name: string
  readonly frames: readonly { readonly row: readonly number[]; readonly durationMs: number; readonly number: number }[]
  readonly anchor?: { readonly x: number; readonly y: number }
  readonly fps: number
  readonly loop: boolean
  readonly yoyo: boolean
  readonly isReversed: boolean
}
const play = (name: string): fc.Arbitrary<Play> =>
  fc.record({
    name: fc.constant(name),
    frames: fc.uniqueArray(
      fc.record({ row: fc.oneof(fc.array(side, { minLength: 9, maxLength: 9 }), fc.constantFrom(...known)), durationMs: duration, number }),
      { minLength: 1, maxLength: 9, selector: ({ number }) => number },
    ),
    anchor: fc.option(fc.record({ x: part, y: part }), { nil: undefined as never }),
    fps: fc.integer({ min: 1, max: 60 }),
    loop: fc.boolean(),
    yoyo: fc.boolean(),
    isReversed: fc.boolean(),
  })

const names = ['ant', 'ant2', 'bee-hive', 'Zed', 'ünder', '1']
const project = fc
  .subarray(names, { minLength: 1 })
  .chain((sprites) =>
    fc.tuple(...sprites.map((sprite) => fc.tuple(fc.constant(sprite), fc.tuple(play(`${sprite}/walk`), play(`${sprite}/2`))))),
  )

/** Sheets of one group, frames sorted by name as packing sorts them. */
function toSheets(plays: readonly (readonly [sprite: string, plays: readonly Play[]])[], scales: readonly number[]): BuiltSheets {
  const all = plays.flatMap(([, own]) => own)
  const frames = all
    .flatMap(({ name, frames: own, anchor }) =>
      own.map(({ row, number }) => {
        const [page = 0, x = 0, y = 0, width = 0, height = 0, offsetX = 0, offsetY = 0, sourceWidth = 0, sourceHeight = 0] = row
        const place = { page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight }
        const borders = name.startsWith('ant/') ? { borders: { left: 1, top: 2, right: 3, bottom: 4 } } : {}
        return { name: `${name}/${String(number).padStart(4, '0')}`, ...place, ...borders, ...(anchor ? { anchor } : {}) }
      }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const animations = all.map(({ name, frames: own, fps, loop, yoyo, isReversed }) => {
    const played = own.map(({ number, durationMs }) => ({ name: `${name}/${String(number).padStart(4, '0')}`, durationMs }))
    return { name, frames: isReversed ? played.reverse() : played, fps, loop, yoyo }
  })
  const page = { sha256: 'a'.repeat(64), bytes: new Uint8Array(), width: 8, height: 8, contentType: 'image/png', extension: 'png' }
  const atlas = { name: "it's <a>", pixelArt: false, pages: [page], frames, animations }
  return {
    sprites: plays
      .map(([name]) => ({
        name,
        file: `/${name}.sprite.json`,
        atlas: atlas.name,
        width: 4,
        height: 5,
        pixelArt: false,
        isPlaceholder: name === 'Zed',
        animations: ['walk', '2'],
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    atlases: scales.map((scale) => ({ ...atlas, scale })) as unknown as readonly BuiltAtlas[],
  }
}

describe('a packed sheet', () => {
  test('opened in a browser, tells of every sprite what the dev server tells, in the same order', () => {
    fc.assert(
      fc.property(project, fc.subarray([2, 1, 0.5], { minLength: 1 }), (plays, scales) => {
        const sheets = toSheets(plays, scales)
        const pages = sheets.atlases.map(() => [{ url: '/page.png', width: 8, height: 8, format: 'png' }])
        const sheet = openSheet(JSON.stringify(packSheet(sheets.atlases, sheets.sprites)), pages)
        const atlases = sheets.atlases.map((atlas) => toAtlasData(atlas, ['/page.png']))
        for (const [index, sprite] of sheets.sprites.entries()) {
          const expected = { ...toSpriteData(sprite, sheets), atlases }
          // As texts, which show the order of fields.
          expect(JSON.stringify(sheet.sprite(index))).toBe(JSON.stringify(expected))
        }
      }),
    )
  })

  test('gives a sprite once, whoever asks', () => {
    const sheets = toSheets([['ant', []]], [1])
    const sheet = openSheet(JSON.stringify(packSheet(sheets.atlases, sheets.sprites)), [[]])
    expect(sheet.sprite(0)).toBe(spritesByName([sheet]).ant)
    expect(sheet.all()[0]).toBe(sheet.sprite(0))
  })

  test('takes a tenth of the room of its data, at a thousand frames', () => {
    const frame = (number: number): Play['frames'][number] => ({
      row: [0, number, 7, 31, 42, 4, 6, 128, 128],
      durationMs: 1000 / 12,
      number,
    })
    const own = (name: string): Play => ({
      name,
      frames: Array.from({ length: 12 }, (_, at) => frame(at)),
      fps: 12,
      loop: true,
      yoyo: false,
      isReversed: false,
    })
    const sprites = Array.from({ length: 50 }, (_, at) => `sprite${at}`)
    const sheets = toSheets(
      sprites.map((name) => [name, [own(`${name}/walk`), own(`${name}/2`)]] as const),
      [1],
    )
    const packed = JSON.stringify(packSheet(sheets.atlases, sheets.sprites)).length
    const whole = JSON.stringify([
      sheets.atlases.map((atlas) => toAtlasData(atlas, [])),
      sheets.sprites.map((sprite) => toSpriteData(sprite, sheets)),
    ]).length
    expect(packed * 10).toBeLessThan(whole)
  })
})
