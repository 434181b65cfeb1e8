import type { TextureSource as PixiSource, Texture as PixiTexture } from 'pixi.js'
import { expect, test, vi } from 'vitest'
import type { PlacedFrame } from '../../atlas/index.ts'
import { toSheetData } from '../../plugin/module.ts'
import { toAnimation, toTextures } from '../../plugin/runtime/phaser/data.ts'
import { replaceSources } from '../../plugin/runtime/phaser/frames.ts'
import { createAnimations, createSprites, preloadSprites } from '../../plugin/runtime/phaser.ts'
import { type AtlasData, mainAtlas, type SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { isHot, onUpdate } from '../../plugin/runtime/shared/hot.ts'
import { readSheet } from '../../plugin/runtime/shared/sheet.ts'

// PixiJS asks for the browser's name when it is loaded. Node 20 has none.
vi.stubGlobal('navigator', { userAgent: '', platform: '' })
const { NineSliceSprite, Spritesheet, Texture, TextureSource } = await import('pixi.js')
const { cutPages } = await import('../../plugin/runtime/pixi/data.ts')
const { createAtlas, unloadAtlas } = await import('../../plugin/runtime/pixi/atlas.ts')
const { swapAtlas } = await import('../../plugin/runtime/pixi/swap.ts')
vi.unstubAllGlobals()

/**
 * Two pages; one frame trimmed and with an anchor, one whole, one with two different durations in one
 * animation.
 */
const atlas: AtlasData = {
  key: 'sprites',
  scale: 0.5,
  pixelArt: true,
  version: 'a.b',
  pages: [
    { url: 'a.png', width: 64, height: 32 },
    { url: 'b.png', width: 16, height: 16 },
  ],
  frames: {
    'hero/walk/0000': [0, 2, 3, 10, 20, 4, 5, 32, 32, 0.5, 1],
    'hero/walk/0001': [1, 0, 0, 16, 16, 0, 0, 16, 16],
  },
  animations: {
    'hero/walk': {
      frames: [
        ['hero/walk/0000', 80],
        ['hero/walk/0001', 120],
        ['hero/walk/0000', 40],
      ],
      fps: 12,
      loop: true,
      yoyo: false,
    },
    'hero/die': { frames: [['hero/walk/0001', 100]], fps: 10, loop: false, yoyo: true },
  },
}

const trimmed = {
  frame: { x: 2, y: 3, w: 10, h: 20 },
  rotated: false,
  trimmed: true,
  spriteSourceSize: { x: 4, y: 5, w: 10, h: 20 },
  sourceSize: { w: 32, h: 32 },
  anchor: { x: 0.5, y: 1 },
}
const whole = {
  frame: { x: 0, y: 0, w: 16, h: 16 },
  rotated: false,
  trimmed: false,
  spriteSourceSize: { x: 0, y: 0, w: 16, h: 16 },
  sourceSize: { w: 16, h: 16 },
}

test('Phaser gets one texture entry a page, its frames as an array', () => {
  expect(toTextures(atlas)).toStrictEqual([
    { image: '0', frames: [{ filename: 'hero/walk/0000', ...trimmed }] },
    { image: '1', frames: [{ filename: 'hero/walk/0001', ...whole }] },
  ])
})

test('Phaser gets the boxes and the outline of a frame, and knows one that is trimmed in one direction', () => {
  const boxes = { body: [[1, 2, 3, 4]] } as const
  const outline = [
    [0, 0],
    [8, 0],
    [4, 8],
  ] as const
  const more = { outlines: { 'a/b': outline }, boxes: { a: boxes } }
  const [page] = toTextures({ ...atlas, ...more, frames: { a: [0, 1, 2, 8, 9, 0, 3, 8, 16], 'a/b': [0, 1, 2, 8, 9, 3, 0, 16, 9] } })
  const common = { frame: { x: 1, y: 2, w: 8, h: 9 }, rotated: false, trimmed: true }
  expect(page?.frames).toStrictEqual([
    { filename: 'a', ...common, spriteSourceSize: { x: 0, y: 3, w: 8, h: 9 }, sourceSize: { w: 8, h: 16 }, boxes },
    { filename: 'a/b', ...common, spriteSourceSize: { x: 3, y: 0, w: 8, h: 9 }, sourceSize: { w: 16, h: 9 }, hull: outline },
  ])
})

test('Phaser gets the time of every played frame, and loops by repeat', () => {
  const common = { skipMissedFrames: true }
  expect(toAnimation('hero/walk', atlas.animations['hero/walk'] as never, 'sprites')).toStrictEqual({
    key: 'hero/walk',
    frames: [
      { key: 'sprites', frame: 'hero/walk/0000', duration: 80 },
      { key: 'sprites', frame: 'hero/walk/0001', duration: 120 },
      { key: 'sprites', frame: 'hero/walk/0000', duration: 40 },
    ],
    frameRate: 12,
    repeat: -1,
    yoyo: false,
    ...common,
  })
  expect(toAnimation('hero/die', atlas.animations['hero/die'] as never, 'k')).toMatchObject({ frameRate: 10, repeat: 0, yoyo: true })
})

/** Pages of an atlas for PixiJS, without pictures. */
function sourcesOf({ pages, scale }: AtlasData): PixiSource[] {
  return pages.map(({ width, height }) => new TextureSource({ width, height, resolution: scale }))
}

test.each([[['walk', '2', '1']], [['10', '9', 'idle']]])(
  'Phaser makes animations in the order of the spec, and plays the first one, although names are numbers: %j',
  (order) => {
    const walk = { frames: [], fps: 8, loop: true, yoyo: false }
    const animations = Object.fromEntries(order.map((short) => [`hero/${short}`, walk]))
    const shown = Object.fromEntries(order.map((short) => [short, { name: `hero/${short}`, frames: [`hero/${short}/0000`] }]))
    const hero = { name: 'hero', order, animations: shown, atlases: [{ ...atlas, animations }] } as unknown as SpriteModule
    const object = { play: vi.fn() }
    const scene = {
      sys: { game: { events: { once: vi.fn() } } },
      textures: { exists: () => true },
      anims: { exists: () => false, create: vi.fn() },
      add: { sprite: vi.fn(() => object) },
    }
    expect(createAnimations(scene as never, [hero])).toEqual(order.map((short) => `hero/${short}`))
    createSprites(scene as never, [hero])
    expect(scene.add.sprite).toHaveBeenCalledWith(0, 0, 'sprites', `hero/${order[0]}/0000`)
    expect(object.play).toHaveBeenCalledWith(`hero/${order[0]}`)
  },
)

test('PixiJS gets the textures that its own Spritesheet makes; a frame of a missing page has none', () => {
  const sources = sourcesOf(atlas)
  for (const turned of [[], ['hero/walk/0000']]) {
    const made = cutPages({ ...atlas, turned }, sources)
    expect(Object.keys(made)).toEqual(['hero/walk/0000', 'hero/walk/0001'])
    const pages: Record<string, typeof whole>[] = [
      { 'hero/walk/0000': { ...trimmed, rotated: turned.length > 0 } },
      { 'hero/walk/0001': whole },
    ]
    const sheets = pages.map((frames, page) =>
      new Spritesheet(new Texture({ source: sources[page]! }), { frames, meta: { scale: '0.5' } }).parseSync(),
    )
    for (const [name, theirs] of Object.entries({ ...sheets[0], ...sheets[1] })) {
      const ours = made[name]!
      const fields = ({ source, label, frame, orig, trim, rotate, defaultAnchor, uvs }: PixiTexture): unknown => [
        source.uid,
        label,
        ...[frame, orig, trim ?? frame].map(({ x, y, width, height }) => [x, y, width, height]),
        rotate,
        defaultAnchor,
        uvs,
      ]
      expect(fields(ours)).toEqual(fields(theirs))
    }
  }
  expect(Object.keys(cutPages(atlas, sources.slice(0, 1)))).toEqual(['hero/walk/0000'])
})

test('nine-slices: Phaser gets the middle in page pixels, PixiJS the borders of an unscaled frame; other sprites get none, whatever they are called', () => {
  const row = atlas.frames['hero/walk/0001']!
  const frames = { 'panel/idle/0000': row, 'constructor/idle/0000': row }
  const sliced: AtlasData = { ...atlas, frames, borders: { panel: [1, 2, 3, 4] } }
  expect(toTextures(sliced)[1]!.frames).toStrictEqual([
    { filename: 'panel/idle/0000', ...whole, scale9Borders: { x: 1, y: 2, w: 12, h: 10 } },
    { filename: 'constructor/idle/0000', ...whole },
  ])
  const textures = cutPages(sliced, sourcesOf(sliced))
  expect(textures['panel/idle/0000']!.defaultBorders).toEqual({ left: 2, top: 4, right: 6, bottom: 8 })
  expect(textures['constructor/idle/0000']!.defaultBorders).toBeUndefined()
})

test('a swap gives a nine-slice of PixiJS its new borders, and one whose borders the game has set keeps them', async () => {
  const bordered = (borders: AtlasData['borders']): AtlasData => ({
    ...{ ...atlas, scale: 1, animations: {}, frames: { 'panel/idle/0000': atlas.frames['hero/walk/0001']! } },
    ...(borders ? { borders } : {}),
  })
  const loaded = createAtlas(bordered({ panel: [1, 2, 3, 4] }))
  loaded.sources.push(...sourcesOf(loaded.data))
  Object.assign(loaded.textures, cutPages(loaded.data, loaded.sources))
  const texture = loaded.textures['panel/idle/0000']!
  loaded.views.watch(texture)
  const [follows, own] = [new NineSliceSprite(texture), new NineSliceSprite({ texture, leftWidth: 7 })]
  const slices = () =>
    [follows, own].map(({ leftWidth, topHeight, rightWidth, bottomHeight }) => [leftWidth, topHeight, rightWidth, bottomHeight])
  await swapAtlas(loaded, bordered({ panel: [5, 6, 7, 8] }), () => false)
  expect(texture.defaultBorders).toEqual({ left: 5, top: 6, right: 7, bottom: 8 })
  expect(slices()).toEqual([
    [5, 6, 7, 8],
    [7, 2, 3, 4],
  ])
  await swapAtlas(loaded, bordered(undefined), () => false)
  expect(texture.defaultBorders).toBeUndefined()
  await unloadAtlas({ ...loaded, sources: [] })
})

test.each([
  ['pixel art begins', false, true, true, 0, 1],
  ['pixel art ends in a smooth game', true, false, true, 1, 0],
  ['pixel art ends in a game of pixel art', true, false, false, 1, 1],
  ['nothing changes', true, true, true, 1, 1],
  ['nothing changes, and the game has set its own filter', false, false, true, 1, 1],
])('a swap in Phaser filters all pages as the spec and the game want it: %s', (_, was, now, antialias, before, after) => {
  class Source {
    scaleMode = antialias ? 0 : 1
    setFilter(mode: number): void {
      this.scaleMode = mode
    }
  }
  const shown = Object.assign(new Source(), { scaleMode: before })
  const texture = { source: [shown], dataSource: [] } as unknown as Parameters<typeof replaceSources>[1]
  const atlasOf = (pixelArt: boolean, ...urls: readonly string[]): AtlasData => ({
    ...{ ...atlas, pixelArt },
    pages: urls.map((url) => ({ url, width: 1, height: 1 })),
  })
  const game = { config: { antialias } } as unknown as Parameters<typeof replaceSources>[0]
  replaceSources(game, texture, atlasOf(was, 'a.png'), atlasOf(now, 'a.png', 'b.png'), new Map())
  expect(texture.source[0]).toBe(shown)
  expect(texture.source.map(({ scaleMode }) => scaleMode)).toEqual([after, after])
})

test('the main atlas is the one at scale 1, else the first, else an error with the name', () => {
  const sprite = (...scales: readonly number[]): SpriteModule =>
    ({ name: 'hero', atlases: scales.map((scale) => ({ ...atlas, scale })) }) as unknown as SpriteModule
  expect(mainAtlas(sprite(2, 1, 0.5)).scale).toBe(1)
  expect(mainAtlas(sprite(2, 0.5)).scale).toBe(2)
  expect(() => mainAtlas(sprite())).toThrow('"hero"')
})

test('a listener hears updates until it stops; a page is cold until the dev server says otherwise', () => {
  // Like a page that was just loaded, regardless of earlier tests.
  Reflect.deleteProperty(globalThis, Symbol.for('spritewright.updates'))
  expect(isHot()).toBe(false)
  const heard: unknown[] = []
  const stop = onUpdate((update) => void heard.push(update))
  const made = (globalThis as unknown as Record<symbol, { listeners: Set<(update: unknown) => void> }>)[Symbol.for('spritewright.updates')]
  for (const listener of made?.listeners ?? []) listener({ sprites: [] })
  stop()
  expect(heard).toEqual([{ sprites: [] }])
  expect(made?.listeners.size).toBe(0)
})

test('outlines and turns come through to the engines, where an atlas has them', () => {
  const place = { page: 0, x: 2, y: 3, width: 10, height: 20, offsetX: 4, offsetY: 5, sourceWidth: 32, sourceHeight: 32 }
  const hull = [
    { x: 4, y: 5 },
    { x: 14, y: 5 },
    { x: 9.5, y: 25 },
  ]
  const page = {
    sha256: 'a'.repeat(64),
    bytes: new Uint8Array(),
    width: 64,
    height: 32,
    contentType: 'image/png',
    extension: 'png',
  } as const
  const built = { name: 'sprites', scale: 1, pixelArt: false, pages: [page], animations: [] }
  const hero = { name: 'hero', file: '', atlas: 'sprites', width: 1, height: 1, pixelArt: false, isPlaceholder: false, animations: [] }
  const read = (some: readonly PlacedFrame[]): AtlasData => {
    const [sprite] = readSheet(toSheetData([{ ...built, frames: some }], [hero], () => 'a.png'))
    return mainAtlas(sprite!)
  }
  const outline = [
    [4, 5],
    [14, 5],
    [9.5, 25],
  ]
  const frames = [
    { ...place, name: 'a/b/0000', hull, isTurned: true },
    { ...place, name: 'a/b/0001', x: 40 },
  ]
  const data = read(frames)
  expect(data).toMatchObject({ turned: ['a/b/0000'], outlines: { 'a/b/0000': outline } })
  expect(toTextures(data)[0]!.frames.map(({ hull }) => hull)).toEqual([outline, undefined])
  const plain = read(frames.slice(1))
  expect(plain).not.toHaveProperty('outlines')
  expect(plain).not.toHaveProperty('turned')
})

test('a game of Phaser listens once, whatever its scenes ask for, and no longer than it lives', () => {
  const key = Symbol.for('spritewright.updates')
  Reflect.deleteProperty(globalThis, key)
  const once = vi.fn()
  const hero = { name: 'hero', order: ['walk'], animations: {}, frames: ['hero/walk/0000'], atlases: [atlas] } as unknown as SpriteModule
  const scene = {
    sys: { game: { events: { once }, renderer: null } },
    textures: { exists: () => true },
    anims: { exists: (name: string) => name === 'hero/walk', create: vi.fn() },
    add: { sprite: vi.fn(() => ({ play: vi.fn() })) },
    load: { addFile: vi.fn() },
  }
  preloadSprites(scene as never, [hero])
  expect(createAnimations(scene as never, [hero])).toEqual(['hero/walk'])
  createSprites(scene as never, [hero], { x: 3, y: 4 })
  expect([scene.load.addFile.mock.calls, scene.anims.create.mock.calls]).toEqual([[], []])
  expect(scene.add.sprite).toHaveBeenCalledWith(3, 4, 'sprites', 'hero/walk/0000')
  const { listeners } = Reflect.get(globalThis, key) as { readonly listeners: ReadonlySet<unknown> }
  expect([listeners.size, once.mock.calls.map(([event]) => event)]).toEqual([1, ['destroy']])
  once.mock.calls[0]?.[1]()
  Reflect.deleteProperty(globalThis, key)
  expect(listeners.size).toBe(0)
})
