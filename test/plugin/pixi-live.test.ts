import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AnimationData, AtlasData, FrameRow, SpriteModule } from '../../plugin/runtime/shared/data.ts'

// PixiJS asks for the browser's name when it is loaded. Node 20 has none.
vi.stubGlobal('navigator', { userAgent: '', platform: '' })
const { AnimatedSprite, Assets, Cache, DOMAdapter, NineSliceSprite, Sprite, Texture, TextureSource } = await import('pixi.js')
const { createAtlas, normalsOf, putNormals, toFrameObjects, toRound } = await import('../../plugin/runtime/pixi/atlas.ts')
const { boxesOf } = await import('../../plugin/runtime/pixi/boxes.ts')
const { cutPages } = await import('../../plugin/runtime/pixi/data.ts')
const { notePlayed } = await import('../../plugin/runtime/pixi/playback.ts')
const { swapAtlas } = await import('../../plugin/runtime/pixi/swap.ts')
const { loadSprites, unloadSprites } = await import('../../plugin/runtime/pixi.ts')
vi.unstubAllGlobals()

const animation = (names: string, fields: Partial<AnimationData> = {}): AnimationData => ({
  ...{ frames: [...names].map((name) => [`hero/${name}`, 100] as const), fps: 10, loop: true, yoyo: false },
  ...fields,
})

function atlasOf(walk: AnimationData, fields: Partial<AtlasData> = {}): AtlasData {
  const row: FrameRow = [0, 0, 0, 8, 8, 0, 0, 8, 8]
  const frames = { 'hero/a': row, 'hero/b': row, 'hero/c': row, 'hero/d': row }
  const pages = [{ url: 'a.png', width: 16, height: 16 }]
  return { key: 'hero', scale: 1, pixelArt: false, version: 'a', pages, frames, animations: { 'hero/walk': walk }, ...fields }
}

/** An atlas as a page has loaded it, without pictures. */
function load(data: AtlasData) {
  const loaded = createAtlas(data)
  loaded.sources.push(...data.pages.map(({ width, height }) => new TextureSource({ width, height })))
  Object.assign(loaded.textures, cutPages(data, loaded.sources))
  for (const texture of Object.values(loaded.textures)) loaded.views.watch(texture)
  return loaded
}

test.each([
  ['ab', {}, 'ab'],
  ['abc', { yoyo: true }, 'abcb'],
  ['abc', { yoyo: true, loop: false }, 'abcba'],
  ['ab', { yoyo: true }, 'ab'],
  ['a', { yoyo: true, loop: false }, 'a'],
])('a round of %s with %j is %s', (names, fields, round) => {
  const atlas = atlasOf(animation(names, fields))
  expect(toRound(atlas, 'hero/walk').map(([name]) => name.slice(-1))).toEqual([...round])
  expect(() => toRound(atlas, 'hero/fly')).toThrow(/"hero\/fly".*"hero".*hero\/walk/)
})

test('boxes are in pixels of the sprite, from its anchor, whatever the scale of the atlas; a swap changes them', async () => {
  const data = atlasOf(animation('ab'), { scale: 2, boxes: { 'hero/a': { body: [[2, 4, 6, 8]] } } })
  const loaded = load(data)
  const sprite = new Sprite({ texture: loaded.textures['hero/a']!, anchor: { x: 0.5, y: 1 } })
  const read = (name: string): unknown => boxesOf(sprite, name).map(({ x, y, width, height }) => [x, y, width, height])
  expect(read('body')).toEqual([[-1, -2, 3, 4]])
  expect(['none', 'constructor'].map(read)).toEqual([[], []])
  await swapAtlas(loaded, { ...data, boxes: { 'hero/a': { body: [[0, 0, 2, 2]] } } }, () => false)
  expect(read('body')).toEqual([[-2, -4, 1, 1]])
})

describe('a sprite that plays while its animation changes', () => {
  const was = animation('abc')
  const slow = (names: string, ms: number): AnimationData['frames'] => [...names].map((name) => [`hero/${name}`, ms] as const)

  async function swapped(next: AnimationData, prepare: (sprite: InstanceType<typeof AnimatedSprite>) => void = () => {}) {
    const loaded = load(atlasOf(was))
    const sprite = new AnimatedSprite({ textures: toFrameObjects(loaded, 'hero/walk'), autoUpdate: false })
    const heard: number[] = []
    sprite.onFrameChange = (at) => void heard.push(at)
    sprite.loop = true
    sprite.currentFrame = 1
    prepare(sprite)
    heard.length = 0
    await swapAtlas(loaded, { ...atlasOf(next), version: 'b' }, () => false)
    const live = sprite as unknown as { readonly _durations: readonly number[] | null; readonly _currentTime: number }
    const frames = sprite.textures.map((texture) => (texture as InstanceType<typeof Texture>).label?.slice(-1)).join('')
    return { sprite, live, frames, heard }
  }

  test('goes on at the frame that it shows, as far as that had passed, and the game hears nothing', async () => {
    const { sprite, live, frames, heard } = await swapped(animation('bdca', { loop: false, frames: slow('bdca', 50) }), (shown) => {
      shown.play()
      Object.assign(shown, { _currentTime: 1.25 })
    })
    expect([frames, sprite.currentFrame, live._currentTime, heard]).toEqual(['bdca', 0, 0.25, []])
    expect([sprite.playing, sprite.loop, live._durations]).toEqual([true, false, [50, 50, 50, 50]])
    expect(sprite.onFrameChange).toBeTypeOf('function')
  })

  test('keeps what the game has set: that it stands, its loop, and times of frames', async () => {
    const { sprite, live } = await swapped(animation('cab', { loop: true, frames: slow('cab', 50) }), (shown) => {
      shown.stop()
      shown.loop = false
      shown.textures = shown.textures.map((texture, at) => ({ texture, time: at === 1 ? 70 : 100 })) as never
    })
    expect([sprite.playing, sprite.loop, live._durations]).toEqual([false, false, [50, 50, 70]])
  })

  test('of which two animations have the same frames follows the one that it was made to play', async () => {
    const twins = (run: AnimationData): AtlasData => ({ ...atlasOf(was), animations: { 'hero/walk': was, 'hero/run': run } })
    const loaded = load(twins(was))
    const sprite = new AnimatedSprite({ textures: toFrameObjects(loaded, 'hero/run'), autoUpdate: false })
    notePlayed(sprite, 'hero/run')
    await swapAtlas(loaded, twins(animation('ab')), () => false)
    expect(sprite.totalFrames).toBe(2)
  })
})

test('a page has its newest normal map alone', () => {
  const [page, first, second] = [new TextureSource({}), new TextureSource({}), new TextureSource({})]
  for (const map of [first, first, second]) putNormals(page, map)
  expect([normalsOf(page), first.destroyed, second.destroyed]).toEqual([second, true, false])
  putNormals(page, undefined)
  expect([normalsOf(page), second.destroyed]).toEqual([undefined, true])
})

describe('loading sprites', () => {
  const adapter = DOMAdapter.get()
  afterEach(() => {
    DOMAdapter.set(adapter)
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })

  /** Two sprites of one atlas at three scales: one with animations and a picture, one with a bordered picture. */
  function modules(format: string): readonly [SpriteModule, SpriteModule] {
    const pages = (scale: number) => [
      { url: `a@${scale}.${format}`, width: 16, height: 16, format, also: [{ url: `a@${scale}.png`, format: 'png' }] },
    ]
    const extra = { 'hero/sword': [0, 0, 0, 8, 8, 0, 0, 8, 8], 'ui/box': [0, 0, 0, 8, 8, 0, 0, 8, 8] } as const
    const fields = (scale: number): Partial<AtlasData> => ({
      ...{ key: `all-${format}`, scale, pages: pages(scale), borders: { 'ui/box': [1, 2, 3, 4] } },
      outlines: { 'hero/a': [[0, 4]], 'ui/box': [[1, 1]] },
    })
    const atlases = [3, 2, 1].map((scale) => {
      const atlas = atlasOf(animation('ab', { loop: false }), fields(scale))
      return { ...atlas, frames: { ...atlas.frames, ...extra } }
    })
    const common = { texture: `all-${format}`, atlases, variants: {} }
    const hero = {
      name: 'hero',
      order: ['walk'],
      animations: { walk: { name: 'hero/walk', loop: false } },
      pictures: { sword: 'hero/sword' },
    }
    const ui = { name: 'ui', order: [], animations: {}, pictures: { box: 'ui/box' } }
    return [
      { ...common, ...hero },
      { ...common, ...ui },
    ] as unknown as [SpriteModule, SpriteModule]
  }

  function onScreen(ratio: number) {
    vi.stubGlobal('devicePixelRatio', ratio)
    DOMAdapter.set({ ...adapter, getBaseUrl: () => 'http://game.test/play/' })
    const source = new TextureSource({ width: 16, height: 16, label: 'page' })
    const fetched = vi.spyOn(Assets, 'load').mockResolvedValue(new Texture({ source }) as never)
    return { fetched, source, unload: vi.spyOn(Assets, 'unload').mockResolvedValue() }
  }

  test.each([
    [1, 1],
    [1.5, 2],
    [3, 3],
    [4, 3],
  ])(
    'of a screen of ratio %s takes the pages at scale %s, once for all sprites, with every encoding and its name',
    async (ratio, scale) => {
      const { fetched, unload } = onScreen(ratio)
      const [hero, ui] = modules('webp')
      await loadSprites([hero, ui])
      const choice = [`webp`, 'png'].map((format) =>
        expect.objectContaining({
          ...{ src: `http://game.test/play/a@${scale}.${format}`, format },
          data: { resolution: scale, scaleMode: 'linear' },
        }),
      )
      expect(fetched.mock.calls).toEqual([[{ src: choice }]])
      await unloadSprites([hero])
      expect([Cache.has('hero/a'), unload.mock.calls.length]).toEqual([true, 0])
      await unloadSprites([ui])
      expect([Cache.has('hero/a'), unload.mock.calls]).toEqual([false, [['page']]])
    },
  )

  test('gives each sprite its own frames, outlines in unscaled pixels, and objects of the right kind', async () => {
    onScreen(2)
    vi.stubGlobal('requestAnimationFrame', () => 0)
    vi.stubGlobal('cancelAnimationFrame', () => {})
    const sprites = modules('png')
    const [hero, ui] = await loadSprites(sprites)
    expect(Object.keys(hero.textures)).toEqual(['hero/a', 'hero/b', 'hero/c', 'hero/d', 'hero/sword'])
    expect([hero.outlines, ui.outlines]).toEqual([{ 'hero/a': [[0, 2]] }, { 'ui/box': [[0.5, 0.5]] }])
    expect(hero.animations.walk?.map(({ time }) => time)).toEqual([100, 100])
    const walk = hero.create()
    expect([walk instanceof AnimatedSprite, walk.loop, walk.playing]).toEqual([true, false, true])
    walk.stop()
    expect(hero.create('sword').texture.label).toBe('hero/sword')
    expect(ui.create()).toBeInstanceOf(NineSliceSprite)
    await unloadSprites(sprites)
  })

  test('of KTX2 without its loader fails with the atlas, and can be tried again', async () => {
    const { fetched } = onScreen(1)
    const sprites = modules('ktx2')
    await expect(loadSprites(sprites)).rejects.toThrow(/pixi\.js\/ktx2.*"all-ktx2"/)
    expect(fetched).not.toHaveBeenCalled()
    await expect(loadSprites(sprites)).rejects.toThrow('"all-ktx2"')
  })
})
