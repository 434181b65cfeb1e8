import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, crop } from '../../atlas/bitmap.ts'
import type { ArchiveEntry } from '../../atlas/delivery/archive.ts'
import { DeliveryBudget } from '../../atlas/delivery/budget.ts'
import { readDelivery, readFrames } from '../../atlas/delivery/delivery.ts'
import { briefName, briefNames } from '../../atlas/delivery/entry-name.ts'
import { framesByName } from '../../atlas/delivery/parts.ts'
import { encodePng } from '../../atlas/png/write.ts'
import { picture } from './numbered-picture.ts'
import { refusal } from './refusal.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const entry = (name: string, content: string | Bitmap): ArchiveEntry => ({
  name,
  bytes: typeof content === 'string' ? bytesOf(content) : encodePng(content),
})

/** The number of steps that a use of a budget takes, if it is the expected one. */
function expectSteps(steps: number, use: (budget: DeliveryBudget) => unknown): void {
  const budget = new DeliveryBudget(1)
  use(budget)
  budget.work(2 ** 24 - steps, 'rest')
  expect(refusal(() => budget.work(1, 'last')).facts).toEqual({ rule: 'too-much-work', maxSteps: 2 ** 24, entry: 'last' })
}

describe('the work of reading a delivery', () => {
  test('is counted by the length of names, by the bytes and the depth of JSON, and by the chunks of a picture', () => {
    expectSteps(0, () => {})
    expectSteps(2 * 256 + 4 * 5, (budget) => budget.names([{ name: 'ab' }, { name: 'abc' }]))
    const text = '{"a":[1,{"[":"}\\"]"}],"b":2}'
    const depths = [1, 1, 2, 2, 3, 3, 3, 3, 2, 1, 1, 1]
    expectSteps(4 * text.length + 64 * depths.reduce((sum, depth) => sum + depth), (budget) =>
      expect(budget.json(bytesOf(text), 'a')).toBe(text),
    )
    const chunk = (type: string, length: number): number[] => [0, 0, 0, length, ...bytesOf(type), ...new Uint8Array(length + 4)]
    const png = Uint8Array.from([...new Uint8Array(8), ...chunk('IHDR', 13), ...chunk('iCCP', 9), ...chunk('IEND', 0)])
    expectSteps(2 * 32 + 2 ** 16, (budget) => budget.chunks(png, 'a'))
    const within = new Uint8Array(png.length + 8)
    within.set(png, 8)
    expectSteps(32 + 2 ** 16, (budget) => budget.chunks(within.subarray(8, -1), 'a'))
  })

  test('pixels are counted over all pictures; a refused list is not', () => {
    const budget = new DeliveryBudget(100)
    const of = (name: string, width: number, height: number) => ({ name, width, height })
    budget.take([of('a', 5, 8), of('b', 5, 8)])
    const { code, facts } = refusal(() => budget.take([of('c', 1, 20), of('d', 1, 1), of('e', 9, 9)]))
    expect([code, facts]).toEqual(['SW_DELIVERY_LAYOUT', { rule: 'too-many-pixels', pixels: 101, maxPixels: 100, entry: 'd' }])
    budget.take([of('f', 4, 5)])
    expect(refusal(() => budget.take([of('g', 1, 1)])).facts.entry).toBe('g')
  })

  test('the names, the JSON and the chunks of a delivery are all counted', () => {
    const rule = (entries: readonly ArchiveEntry[]): unknown => refusal(() => readFrames(entries)).facts.rule
    expect(rule([{ name: 'x'.repeat(2 ** 22), bytes: new Uint8Array() }])).toBe('too-much-work')
    expect(rule([entry('a.json', `{${' '.repeat(2 ** 22)}}`)])).toBe('too-much-work')
    expect(rule([entry('a.json', `{"a":${'['.repeat(800)}`)])).toBe('too-much-work')
  })
})

describe('the parts of a delivery', () => {
  const place = { a: { frame: { x: 0, y: 0, w: 4, h: 3 } } }
  const two = (a: string, b: string): readonly ArchiveEntry[] => [entry(a, picture(1)), entry(b, picture(2))]

  test.each<[readonly string[], readonly string[]]>([
    [
      ['f10.png', 'f9.png', 'f1.png'],
      ['f1.png', 'f9.png', 'f10.png'],
    ],
    [
      ['f2b10.png', 'f2b9.png', 'f1b11.png'],
      ['f1b11.png', 'f2b9.png', 'f2b10.png'],
    ],
    [
      ['f01.png', 'f1.png', 'f001.png'],
      ['f001.png', 'f01.png', 'f1.png'],
    ],
    [
      ['b.png', 'a2.png', 'a1.png'],
      ['a1.png', 'a2.png', 'b.png'],
    ],
    [
      ['9.png', '10.png', 'x.png'],
      ['9.png', '10.png', 'x.png'],
    ],
    [
      ['f99999999999999999998.png', 'f99999999999999999999.png', 'f3.png'],
      ['f3.png', 'f99999999999999999998.png', 'f99999999999999999999.png'],
    ],
    [
      ['a1b.png', 'a1.png', 'a1'],
      ['a1.png', 'a1b.png'],
    ],
  ])('%j are in the order %j', (names, sorted) => {
    const order = (given: readonly string[]): readonly string[] =>
      framesByName(given.map((name) => entry(`frames/${name}`, ''))).frames.map(({ name }) => name.slice('frames/'.length))
    expect(order(names)).toEqual(sorted)
    expect(order([...names].reverse())).toEqual(sorted)
  })

  test('only pictures of the folder are frames by their names', () => {
    const names = [
      'frames/a1.PNG',
      'Frames/a2.png',
      'frames/in/a3.png',
      'x/frames/a4.png',
      'frames/preview.png',
      'frames/a5.jpg',
      'frames/._a6.png',
    ]
    expect(framesByName(names.map((name) => entry(name, ''))).frames.map(({ name }) => name)).toEqual(['Frames/a2.png', 'frames/a1.PNG'])
  })

  test.each<[readonly string[], readonly string[]]>([
    [['frames/3.png', 'frames/4.png'], []],
    [['frames/a.png', 'frames/4.png'], ['names']],
    [['frames/0.png', 'frames/2.png', 'frames/5.png'], ['expected 1, found "frames/2.png"']],
    [['frames/a1.png', 'frames/b2.png'], ['frames/a, frames/b']],
    [['x/frame/a1.png', 'x/frames/a2.png'], ['x/frame/a, x/frames/a']],
    [['frames/a.png', 'frames/a2.png'], []],
    [['frames/a.png', 'frames/4.png', 'frames/9.png'], ['names']],
    [['b', 'c', 'd', 'e', 'f'].map((head) => `frames/${head}1.png`), ['b, frames/c, frames/d, frames/e and 1 more', 'expected 2']],
  ])('the frames %j give warnings of %j', (names, warnings) => {
    const told = readFrames(names.map((name, number) => entry(name, picture(number)))).warnings
    expect(told).toEqual(warnings.map((each) => expect.stringContaining(each)))
  })

  test.each<[readonly string[], readonly string[]]>([
    [['frames/x.png', 'y1.png', 'y2.png'], ['frames/x.png']],
    [['Frame_x.png', 'y1.png', 'y2.png'], ['Frame_x.png']],
    [['frames/x.png', 'frame_y.png'], ['frames/x.png']],
    [
      ['y.png', 'y1.png', 'y2.png', 'z1.png', 'z2.png'],
      ['y1.png', 'y2.png'],
    ],
    [
      ['only.frames/x.png', 'y1.png', 'y2.png'],
      ['y1.png', 'y2.png'],
    ],
  ])('of %j the frames are %j, without a sheet', (names, frames) => {
    const found = readDelivery(names.map((name, number) => entry(name, picture(number))))
    expect([found.names, found.sheet]).toEqual([frames, undefined])
  })

  test('of two sheets by name, and of two with the name in the atlas, the first is the sheet', () => {
    const sheetOf = (image?: string): string | undefined =>
      readDelivery([
        ...two('frames/1.png', 'frames/2.png'),
        ...['a/sheet.png', 'b/atlas.png', 'c/hero.PNG', 'd/hero.png'].map((name) => entry(name, picture(3))),
        entry('a.json', JSON.stringify({ frames: place, meta: { image } })),
      ]).sheet?.name
    expect([sheetOf(), sheetOf('x\\Hero.png'), sheetOf('e/none.png')]).toEqual(['a/sheet.png', 'c/hero.PNG', 'a/sheet.png'])
  })

  test.each([
    'sheet.png',
    'Sprite_Sheet.png',
    'spritesheet.png',
    'atlas.png',
    'texture.png',
    'hero-sheet.png',
    'hero spritesheet.png',
    'hero_atlas.png',
  ])('%s is a sheet by its name, and no frame', (name) => {
    const { sheet, names } = readDelivery([...two('frames/1.png', 'frames/2.png'), entry(name, picture(3))])
    expect([sheet?.name, names]).toEqual([name, ['frames/1.png', 'frames/2.png']])
  })

  test.each(['sheets.png', 'mysheet.png', 'textures.png'])('%s is no sheet', (name) => {
    expect(readDelivery([...two('frames/1.png', 'frames/2.png'), entry(name, picture(3))]).sheet).toBeUndefined()
  })

  test.each<[string, string]>([
    ['film.gif', 'anything'],
    ['film.APNG', 'anything'],
    ['film.webm', 'anything'],
    ['film.bin', 'GIF89a'],
    ['my-preview.txt', 'anything'],
    ['Thumbnail.txt', 'anything'],
  ])('%s with the content %j is for display', (name, content) => {
    const { preview } = readDelivery([...two('frames/1.png', 'frames/2.png'), entry(name, content), entry('preview.mp4', '')])
    expect(preview?.name).toBe(name)
    expect(readDelivery([...two('frames/1.png', 'frames/2.png'), entry('overview.txt', 'GIF7')]).preview).toBeUndefined()
  })

  test.each(['\uFEFF', ' \n\t', '\uFEFF  '])(
    'an atlas is found behind %j, whatever its name, and the only picture is its sheet',
    (before) => {
      const found = readDelivery([
        entry('notes.bin', '{'),
        entry('hero.png', picture(1)),
        entry('x.bin', `${before}${JSON.stringify({ frames: place })}`),
      ])
      expect(found).toEqual({
        ...{ frames: [picture(1)], names: ['a'], resized: [], warnings: [], preview: undefined },
        ...{ sheet: entry('hero.png', picture(1)), atlas: { name: 'x.bin', bytes: expect.anything() } },
      })
    },
  )

  test('of two pictures that no atlas names none is the sheet', () => {
    const atlas = entry('a.json', JSON.stringify({ frames: place }))
    expect(refusal(() => readDelivery([...two('hero.png', 'villain.png'), atlas])).facts).toEqual({
      ...{ rule: 'no-frames', entries: ['hero.png', 'villain.png', 'a.json'], count: 3 },
    })
    expect(refusal(() => readDelivery([])).facts).toEqual({ rule: 'no-frames', entries: [], count: 0 })
  })
})

describe('frames beside their sheet', () => {
  const places = (count: number): string =>
    JSON.stringify({ frames: Array.from({ length: count }, (_, at) => ({ filename: `${at}`, frame: { x: 4 * at, y: 0, w: 4, h: 3 } })) })
  const warned = (sheet: ArchiveEntry, count = 2): readonly string[] =>
    readDelivery([
      entry('frames/0.png', crop(side, 0, 0, 4, 3)),
      entry('frames/1.png', crop(side, 4, 0, 4, 3)),
      sheet,
      entry('a.json', places(count)),
    ]).warnings
  const side = picture(1, 8, 3)
  side.data.set([1, 2, 3, 0], 4)
  const changed = (at: number): ArchiveEntry => {
    const data = side.data.slice()
    data[at]! ^= 64
    return entry('sheet.png', createBitmap(8, 3, data))
  }

  test('differ in a colour or an alpha, and not in the colour of a clear pixel', () => {
    expect([warned(entry('sheet.png', side)), warned(changed(4)), warned(changed(6))]).toEqual([[], [], []])
    const told = ['1 of 2 frames differ from the sheet, first "frames/1.png"; the frames are used.']
    for (const at of [16, 17, 18, 19, 8 * 4 * 3 - 2]) expect(warned(changed(at))).toEqual(told)
    expect(warned(entry('sheet.png', side), 1)).toEqual(['The sheet has 1 frames, the archive has 2. The frames of the archive are used.'])
  })

  test('are used without a sheet that can be read', () => {
    const half = { name: 'sheet.png', bytes: encodePng(side).slice(0, 50) }
    expect(warned(half)).toEqual([expect.stringContaining('sheet.png')])
    expect(warned(entry('sheet.png', crop(side, 0, 0, 7, 3)))).toEqual([expect.stringContaining('"1"')])
  })

  test('are refused with every fact of the one that is wrong', () => {
    const facts = (...pictures: readonly ArchiveEntry[]): unknown => {
      const error = refusal(() => readFrames(pictures))
      return { code: error.code, ...error.facts }
    }
    const [a, b] = [entry('frames/a.png', picture(1, 4, 3)), entry('frames/b.png', picture(2, 4, 5))]
    expect(facts(a, b)).toEqual({ code: 'SW_FRAME_SIZE', rule: 'one-size', entry: 'frames/b.png', width: 4, height: 5 })
    expect(facts(a, entry('frames/b.png', picture(1, 5, 3)), entry('frames/c.png', picture(1, 6, 3)))).toMatchObject({
      entry: 'frames/b.png',
    })
    expect(facts(a, entry('frames/b.png', 'none'))).toEqual({ code: 'SW_IMAGE', rule: 'no-png', entry: 'frames/b.png', format: undefined })
    expect(facts(a, { name: 'frames/b.png', bytes: Uint8Array.of(0xff, 0xd8, 0xff, 0xe0) })).toMatchObject({
      code: 'SW_IMAGE',
      rule: 'no-png',
      format: 'jpeg',
    })
  })
})

test.each([
  [10, 'a, a, a, a, a, a, a, a, a, a'],
  [11, 'a, a, a, a, a, a, a, a, a, a and 1 more'],
  [0, ''],
])('%i names are listed as "%s"', (count, text) => {
  expect(briefNames(Array.from({ length: count }, () => 'a'))).toBe(text)
  expect([briefName('x'.repeat(80)), briefName('x'.repeat(81))]).toEqual(['x'.repeat(80), `${'x'.repeat(79)}…`])
})
