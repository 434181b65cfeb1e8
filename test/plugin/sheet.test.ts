import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sheetModule, toSheetData, withoutAlternates } from '../../plugin/module.ts'
import { type AtlasData, bordersOf, type SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { frameColumns, readSheet, type SheetData, spritesByName } from '../../plugin/runtime/shared/sheet.ts'
import type { BuiltAtlas, BuiltSheets } from '../../src/index.ts'

const side = fc.integer({ min: 0, max: 5000 })
const part = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0)
/** Close together, so that some are neighbours, or far apart. */
const number = fc.oneof(fc.nat(12), fc.nat(12_000))
/** Places that occur again, and numbers that must not be encoded as differences. */
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

const still: Omit<Play, 'name'> = {
  frames: [{ row: [0, 0, 0, 4, 4, 0, 0, 4, 4], durationMs: 125, number: 0 }],
  fps: 8,
  loop: true,
  yoyo: false,
  isReversed: false,
}

const names = ['ant', 'ant2', 'bee-hive', 'Zed', 'ünder', '1']
const project = fc
  .subarray(names, { minLength: 1 })
  .chain((sprites) =>
    fc.tuple(...sprites.map((sprite) => fc.tuple(fc.constant(sprite), fc.tuple(play(`${sprite}/walk`), play(`${sprite}/2`))))),
  )

/** Sheets of one group, with frames sorted by name as packing sorts them. */
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

/** The expected data of an atlas on a page. */
function expectedAtlas({ name, scale, pixelArt, frames, animations }: BuiltAtlas): AtlasData {
  const borders = frames.flatMap((frame) => (frame.borders ? [[frame.name.split('/')[0], [1, 2, 3, 4]]] : []))
  return {
    key: name,
    scale,
    pixelArt,
    version: 'a'.repeat(16),
    ...(borders.length > 0 ? { borders: Object.fromEntries(borders) } : {}),
    pages: [{ url: '/page.png', width: 8, height: 8, format: 'png' }],
    frames: Object.fromEntries(
      frames.map(({ name: frame, page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight, anchor }) => {
        const row = [page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight] as const
        return [frame, anchor ? [...row, anchor.x, anchor.y] : row]
      }),
    ),
    animations: Object.fromEntries(
      animations.map(({ name: animation, frames: played, fps, loop, yoyo }) => [
        animation,
        { frames: played.map((frame) => [frame.name, frame.durationMs] as const), fps, loop, yoyo },
      ]),
    ),
  }
}

/** The expected data of a sprite on a page. */
function expectedSprite(name: string, { sprites, atlases }: BuiltSheets): SpriteModule {
  const { file: _, atlas, ...head } = sprites.find((sprite) => sprite.name === name)!
  const animations = head.animations.map((short) => {
    const { frames = [], fps = 12, loop = true, yoyo = false } = atlases[0]!.animations.find((one) => one.name === `${name}/${short}`) ?? {}
    const played = { frames: frames.map((frame) => frame.name), durations: frames.map(({ durationMs }) => durationMs) }
    return [short, { name: `${name}/${short}`, ...played, fps, loop, yoyo }] as const
  })
  return {
    ...head,
    texture: atlas,
    animations: Object.fromEntries(animations),
    order: head.animations,
    pictures: {},
    frames: atlases[0]!.frames.flatMap((frame) => (frame.name.startsWith(`${name}/`) ? [frame.name] : [])),
    atlases: atlases.map(expectedAtlas),
    variants: {},
  }
}

const urlOf = (): string => '/page.png'

/** The sprites of the code of a module. */
function runModule(code: string): readonly SpriteModule[] {
  return new Function('readSheet', code.replace(/^import .*$/m, '').replace('export const sprites =', 'return'))(readSheet)
}

describe('the rows of a sheet', () => {
  test('tell a page all of every sprite, in a hot message and in a module', () => {
    fc.assert(
      fc.property(project, fc.subarray([2, 1, 0.5], { minLength: 1 }), (plays, scales) => {
        const sheets = toSheets(plays, scales)
        const sheet = toSheetData(sheets.atlases, sheets.sprites, urlOf)
        const sent = readSheet(JSON.parse(JSON.stringify(sheet)) as SheetData)
        const bundled = runModule(sheetModule(sheet))
        const expected = sheets.sprites.map(({ name }) => expectedSprite(name, sheets))
        expect(sent).toEqual(expected)
        // Compared as texts, which show the order of keys.
        expect(JSON.stringify(bundled)).toBe(JSON.stringify(sent))
        expect(Object.keys(sent[0]!.atlases[0]!.frames)).toEqual(sheets.atlases[0]!.frames.map(({ name }) => name))
        // Sorted by name, and the same objects.
        const named = spritesByName([[...bundled].reverse()])
        expect(Object.keys(named).sort()).toEqual(sheets.sprites.map(({ name }) => name))
        for (const sprite of bundled) expect(named[sprite.name]).toBe(sprite)
      }),
    )
  })

  test.each([[['walk', '2', '10', '1']], [['9', 'idle', '8']], [['0', '-1', '01', '00']], [['1', '2', 'walk']]])(
    'give the order of the spec, although names are numbers, and are plain data that another thread can get: %j',
    (names) => {
      const [atlases, sprites] = sheetOf([['ant', names.map((name): Play => ({ ...still, name: `ant/${name}` }))]])
      const sheet = toSheetData(
        atlases,
        sprites.map((sprite) => ({ ...sprite, animations: names })),
        urlOf,
      )
      const [sprite] = readSheet(sheet) as readonly [SpriteModule]
      const { animations, order } = sprite
      expect(structuredClone(sprite)).toEqual(sprite)
      expect(order).toEqual(names)
      expect(order.map((name) => animations[name]?.name)).toEqual(names.map((name) => `ant/${name}`))
      expect(names.map((name) => animations[name]?.frames)).toEqual(names.map((name) => [`ant/${name}/0000`]))
      expect([Object.hasOwn(animations, 'constructor'), '7' in animations]).toEqual([false, false])
    },
  )

  test('end no script in which a page inlines their module, whatever an atlas or a sprite is named', () => {
    const name = '</script><!--\u2028\u2029'
    const [atlases, sprites] = sheetOf([[name, []]])
    const sheet = toSheetData(
      atlases.map((atlas) => ({ ...atlas, name })),
      sprites,
      () => `/${name}.png`,
    )
    const code = sheetModule(sheet, { [name]: name })
    expect(code).not.toMatch(/[<\u2028\u2029]/)
    expect(runModule(sheetModule(sheet))).toEqual(readSheet(sheet))
  })

  test('can be read by a person: their columns are named, one row a frame', () => {
    const frames = [3, 7].map((number) => ({ row: [0, 10, 20, 30, 40, 1, 2, 64, 65], durationMs: 125, number }))
    const walk: Play = { name: 'ant/walk', frames, anchor: { x: 0.5, y: 1 }, fps: 8, loop: true, yoyo: false, isReversed: false }
    const sheet = toSheetData(...sheetOf([['ant', [walk]]]), urlOf)
    const row = [0, 10, 20, 30, 40, 1, 2, 64, 65, 0.5, 1]
    expect(sheet.columns).toBe(frameColumns)
    expect(sheet.columns.split(' ')).toHaveLength(row.length)
    expect(sheet.atlases[0]!.animations).toEqual({
      'ant/walk': { fps: 8, loop: true, yoyo: false, play: [3, 7], numbers: [3, 7], rows: [row, row] },
    })
  })

  test('take no more than half the room of what a page makes of them, at a thousand frames', () => {
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
    const sheet = toSheetData(...sheetOf(sprites.map((name) => [name, [own(`${name}/walk`), own(`${name}/2`)]] as const)), urlOf)
    const made = readSheet(sheet)
    const whole = JSON.stringify([made[0]!.atlases, made.map(({ atlases: _, ...sprite }) => sprite)])
    expect(2 * JSON.stringify(sheet).length).toBeLessThan(whole.length)
  })
})

/** Two sprites on two pages in two encodings, with normal maps, a variant of one sprite and one of both. */
function looks(): [atlases: BuiltSheets['atlases'], sprites: BuiltSheets['sprites']] {
  const page = (id: string, extension = 'png') => ({
    sha256: id.repeat(64),
    bytes: new Uint8Array(),
    width: 8,
    height: 8,
    contentType: '',
    extension,
  })
  const frame = (name: string, at: number) => ({
    name,
    page: at,
    x: 0,
    y: 0,
    width: 4,
    height: 4,
    offsetX: 0,
    offsetY: 0,
    sourceWidth: 4,
    sourceHeight: 4,
  })
  const walk = (sprite: string) => ({
    name: `${sprite}/walk`,
    sprite,
    frames: [{ name: `${sprite}/walk/0000`, durationMs: 100 }],
    fps: 10,
    loop: true,
    yoyo: false,
  })
  const atlas = {
    ...{ name: 'all', scale: 1, pixelArt: false, pages: [page('a'), page('b')], alternates: [[page('c', 'webp'), page('d', 'webp')]] },
    frames: [frame('ant/walk/0000', 0), frame('bee/walk/0000', 1), { ...frame('bee/sign', 1), isStill: true }],
    animations: [walk('ant'), walk('bee')],
    layers: [
      {
        kind: 'normals',
        name: 'normals',
        sprites: ['ant', 'bee'],
        of: [0, 1],
        pages: [page('e'), page('f')],
        alternates: [[page('0', 'webp'), page('9', 'webp')]],
      },
      { kind: 'variant', name: 'red', sprites: ['bee'], of: [1], pages: [page('1')], alternates: [[page('2', 'webp')]] },
      {
        kind: 'variant',
        name: 'blue',
        sprites: ['ant', 'bee'],
        of: [0, 1],
        pages: [page('3'), page('4')],
        alternates: [[page('5', 'webp'), page('6', 'webp')]],
      },
    ],
  }
  const head = { file: '', atlas: 'all', width: 4, height: 4, pixelArt: false, isPlaceholder: false, animations: ['walk'] }
  return [
    [atlas as unknown as BuiltAtlas],
    [
      { ...head, name: 'ant' },
      { ...head, name: 'bee', pictures: ['sign'] },
    ],
  ]
}

describe('the looks of an atlas', () => {
  const urlOf = (page: { readonly sha256: string; readonly extension: string }, { name }: { readonly name: string }, at: number): string =>
    `${name}-${at}.${page.sha256.charAt(0)}.${page.extension}`

  test('give each page its own normal map and encodings, and a version by all pages', () => {
    const { atlases } = toSheetData(...looks(), urlOf)
    const common = { width: 8, height: 8, format: 'png' }
    expect(atlases[0]!.pages).toEqual([
      { url: 'all-0.a.png', normals: 'all.normals-0.e.png', ...common, also: [{ url: 'all-0.c.webp', format: 'webp' }] },
      { url: 'all-1.b.png', normals: 'all.normals-1.f.png', ...common, also: [{ url: 'all-1.d.webp', format: 'webp' }] },
    ])
    expect(atlases[0]!.version).toBe(`${'a'.repeat(16)}.${'b'.repeat(16)}`)
    const [all, sprites] = looks()
    expect(JSON.stringify(toSheetData(all.map(withoutAlternates), sprites, urlOf))).not.toContain('webp')
  })

  test('give each sprite the variants that it has, as sprites with a texture of their own', () => {
    const sheet = toSheetData(...looks(), urlOf)
    for (const [ant, bee] of [readSheet(sheet), runModule(sheetModule(sheet))]) {
      const names = [ant!, bee!].map(({ variants }) => Object.entries(variants).map(([key, { name, texture }]) => [key, name, texture]))
      expect(names).toEqual([
        [['blue', 'ant.blue', 'all.blue']],
        [
          ['red', 'bee.red', 'all.red'],
          ['blue', 'bee.blue', 'all.blue'],
        ],
      ])
      const red = bee!.variants.red!
      expect(red).toMatchObject({ order: ['walk'], pictures: { sign: 'bee.red/sign' }, animations: { walk: { name: 'bee.red/walk' } } })
      expect(red.atlases[0]).toMatchObject({ key: 'all.red', pages: [{ url: 'all.red-0.1.png', normals: 'all.red.normals-0.f.png' }] })
      expect(red.atlases[0]!.frames['bee.red/walk/0000']?.[0]).toBe(0)
    }
  })

  test('leave a picture that has the name of its sprite the name of its variant', () => {
    const head = { texture: 'x', width: 1, height: 1, pixelArt: false, isPlaceholder: false, animations: [], pictures: ['badge'] }
    const sheetFor = (name: string) => {
      const atlas = { key: 'x', scale: 1, pixelArt: false, version: '1', pages: [], animations: {}, pictures: { [name]: row } }
      return { columns: frameColumns, sprites: [{ ...head, name }], atlases: [atlas] }
    }
    const row = [0, 0, 0, 4, 4, 0, 0, 4, 4] as const
    const [badge] = readSheet({ ...sheetFor('badge'), variants: { red: sheetFor('badge.red') } })
    expect([badge!.pictures, badge!.variants.red!.pictures]).toEqual([{ badge: 'badge' }, { badge: 'badge.red' }])
  })

  test('mirror what is known of each frame: its place, turn, outline and boxes', () => {
    const row = [0, 0, 0, 4, 4, 1, 0, 10, 8] as const
    const play = { fps: 10, loop: true, yoyo: false, play: [0, 1], numbers: [0, 1], rows: [row, row] }
    const [atlas] = toSheetData(...sheetOf([['ant', []]]), () => '/page.png').atlases
    const sprites = [
      { name: 'ant', texture: 'x', width: 1, height: 1, pixelArt: false, isPlaceholder: false, animations: ['walk', 'back'] },
    ]
    const data = { 'ant/walk/0000': { body: [[1, 2, 3, 4]] as const } }
    const looked = {
      ...atlas!,
      turned: ['ant/walk/0000'],
      boxes: data,
      outlines: {
        'ant/walk/0001': [
          [1, 0],
          [9, 0],
          [1, 8],
        ] as const,
      },
    }
    const mirrors = { 'ant/back': 'ant/walk', 'ant/none': 'ant/gone' }
    const [sprite] = readSheet({ columns: '', sprites, atlases: [{ ...looked, animations: { 'ant/walk': play }, mirrors }] })
    const { turned, mirrored, boxes, outlines, frames } = sprite!.atlases[0]!
    expect([turned, mirrored]).toEqual([
      ['ant/walk/0000', 'ant/back/0000'],
      ['ant/back/0000', 'ant/back/0001'],
    ])
    expect(boxes).toEqual({ ...data, 'ant/back/0000': { body: [[6, 2, 3, 4]] } })
    expect(outlines?.['ant/back/0001']).toEqual([
      [9, 8],
      [1, 0],
      [9, 0],
    ])
    expect(frames['ant/back/0000']).toEqual([0, 0, 0, 4, 4, 5, 0, 10, 8])
  })

  test('have the borders of a frame before those of its sprite', () => {
    const atlas = { borders: { ui: [1, 1, 1, 1], 'ui/box': [2, 2, 2, 2] } } as unknown as AtlasData
    expect(['ui/box', 'ui/other', 'box'].map((frame) => bordersOf(atlas, frame)?.[0])).toEqual([2, 1, undefined])
  })
})

/** One group at scale 1. */
function sheetOf(plays: Parameters<typeof toSheets>[0]): [atlases: BuiltSheets['atlases'], sprites: BuiltSheets['sprites']] {
  const { atlases, sprites } = toSheets(plays, [1])
  return [atlases, sprites]
}
