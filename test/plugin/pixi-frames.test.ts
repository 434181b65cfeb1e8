import { describe, expect, test, vi } from 'vitest'
import type { AtlasData } from '../../plugin/runtime/shared/data.ts'

// PixiJS asks for the browser's name when it is loaded. Node 20 has none.
vi.stubGlobal('navigator', { userAgent: '', platform: '' })
const { Cache, NineSliceSprite, Sprite, TextureSource } = await import('pixi.js')
const { createAtlas } = await import('../../plugin/runtime/pixi/atlas.ts')
const { cutPages } = await import('../../plugin/runtime/pixi/data.ts')
const { swapAtlas } = await import('../../plugin/runtime/pixi/swap.ts')
vi.unstubAllGlobals()

type Texture = ReturnType<typeof cutPages>[string]

function atlasOf(frames: AtlasData['frames'], more: Partial<AtlasData> = {}): AtlasData {
  const pages = ['a.png', 'b.png'].map((url) => ({ url, width: 64, height: 64 }))
  return { key: 'hero', scale: 2, pixelArt: false, version: 'a', pages, frames, animations: {}, ...more }
}

const sourcesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => new TextureSource({ width: 64, height: 64, label: `page ${at}` }))

/** All that PixiJS draws a texture by. */
function drawn({ label, source, frame, orig, trim, rotate, defaultAnchor, defaultBorders }: Texture): object {
  const box = ({ x, y, width, height }: Texture['frame']) => [x, y, width, height]
  return {
    label,
    page: source.label,
    frame: box(frame),
    orig: box(orig),
    trim: trim ? box(trim) : null,
    rotate,
    defaultAnchor,
    defaultBorders,
  }
}

describe('a swap in PixiJS', () => {
  /** An atlas in use, and textures of it as a game holds them. */
  function load(data: AtlasData) {
    const loaded = createAtlas(data)
    loaded.sources.push(...sourcesOf(2))
    Object.assign(loaded.textures, cutPages(data, loaded.sources))
    for (const texture of Object.values(loaded.textures)) loaded.views.watch(texture)
    return { loaded, held: { ...loaded.textures } }
  }
  const one = (row: AtlasData['frames'][string], more: Partial<AtlasData> = {}): AtlasData => atlasOf({ 'hero/a': row }, more)
  const plain = [0, 0, 0, 8, 8, 0, 0, 8, 8] as const

  test('gives each texture in use its new place, and new frames to the cache', async () => {
    const { loaded, held } = load(one(plain))
    const next = { 'hero/a': [1, 16, 18, 4, 6, 2, 2, 12, 10, 0.25, 0.75], 'hero/b': plain } as const
    await swapAtlas(loaded, atlasOf(next, { turned: ['hero/a'], pixelArt: true, scale: 1 }), () => false)
    expect(loaded.textures['hero/a']).toBe(held['hero/a'])
    expect(Object.values(loaded.textures).map(drawn)).toMatchInlineSnapshot(`
      [
        {
          "defaultAnchor": {
            "x": 0.25,
            "y": 0.75,
          },
          "defaultBorders": undefined,
          "frame": [
            16,
            18,
            6,
            4,
          ],
          "label": "hero/a",
          "orig": [
            0,
            0,
            12,
            10,
          ],
          "page": "page 1",
          "rotate": 2,
          "trim": [
            2,
            2,
            4,
            6,
          ],
        },
        {
          "defaultAnchor": undefined,
          "defaultBorders": undefined,
          "frame": [
            0,
            0,
            8,
            8,
          ],
          "label": "hero/b",
          "orig": [
            0,
            0,
            8,
            8,
          ],
          "page": "page 0",
          "rotate": 0,
          "trim": null,
        },
      ]
    `)
    expect([Cache.get('hero/b') === loaded.textures['hero/b'], loaded.data.frames]).toEqual([true, next])
    expect(loaded.sources.map(({ scaleMode, resolution }) => [scaleMode, resolution])).toEqual([
      ['nearest', 1],
      ['nearest', 1],
    ])
    Cache.remove('hero/b')
  })

  test('that is overtaken changes nothing', async () => {
    const { loaded } = load(one(plain))
    await swapAtlas(loaded, one([0, 4, 4, 8, 8, 0, 0, 8, 8]), () => true)
    expect([loaded.data.frames, drawn(loaded.textures['hero/a']!)]).toMatchObject([{ 'hero/a': plain }, { frame: [0, 0, 4, 4] }])
  })

  test('moves the anchor and the borders of what is shown, unless the game has set its own', async () => {
    const { loaded, held } = load(one([...plain, 0.5, 1], { borders: { hero: [2, 2, 2, 2] } }))
    const texture = held['hero/a']!
    const [follows, own] = [new Sprite(texture), new Sprite({ texture, anchor: 0.1 })]
    const [sliced, cut] = [new NineSliceSprite({ texture }), new NineSliceSprite({ texture, leftWidth: 3 })]
    const wide = new Sprite(texture)
    wide.width = 20
    await swapAtlas(loaded, one([0, 0, 0, 16, 8, 0, 0, 16, 8, 0.25, 0.75], { borders: { hero: [4, 6, 8, 10] } }), () => false)
    const slices = ({ leftWidth, topHeight, rightWidth, bottomHeight }: InstanceType<typeof NineSliceSprite>) => [
      ...[leftWidth, topHeight, rightWidth, bottomHeight],
    ]
    expect({
      follows: [follows.anchor.x, follows.anchor.y, follows.width, follows.height],
      own: [own.anchor.x, own.anchor.y],
      wide: [wide.width, wide.height],
      sliced: slices(sliced),
      cut: slices(cut),
    }).toEqual({
      follows: [0.25, 0.75, 8, 4],
      own: [0.1, 0.1],
      wide: [20, 4],
      sliced: [2, 3, 4, 5],
      cut: [3, 1, 1, 1],
    })
  })
})

test('a frame is drawn as it was delivered, however its page holds it: turned, mirrored, both or neither', () => {
  const names = ['plain', 'turned', 'mirrored', 'both'].map((name) => `hero/${name}`)
  const row = [0, 2, 3, 4, 6, 0, 0, 4, 6] as const
  const held = { turned: ['hero/turned', 'hero/both'], mirrored: ['hero/mirrored', 'hero/both'] }
  const data = atlasOf(Object.fromEntries(names.map((name) => [name, row])), { scale: 1, ...held })
  const cut = cutPages(data, sourcesOf(1))
  expect(names.map((name) => [cut[name]!.rotate, cut[name]!.frame.width, cut[name]!.frame.height])).toEqual([
    [0, 4, 6],
    [2, 6, 4],
    [12, 4, 6],
    [14, 6, 4],
  ])
})

test('a texture tells its listeners of the game, and keeps views of its own without listening to them', () => {
  const loaded = createAtlas(atlasOf({ 'hero/a': [0, 0, 0, 8, 8, 0, 0, 8, 8] }))
  const texture = cutPages(loaded.data, sourcesOf(1))['hero/a']!
  loaded.views.watch(texture)
  const told: string[] = []
  const game = { name: 'game' }
  const tell = function (this: unknown): void {
    told.push((this as typeof game).name)
  }
  texture.on('update', tell, game)
  texture.on('destroy', tell, game)
  const sprite = new Sprite(texture)
  const others = [new Sprite(texture), new Sprite(texture)]
  texture.emit('update', texture)
  expect([texture.dynamic, told, texture.listenerCount('update')]).toEqual([true, ['game'], 1])
  expect(loaded.views.all()).toEqual([sprite, ...others])
  texture.off('update', tell, game)
  sprite.texture = texture
  others[0]!.destroy()
  texture.emit('update', texture)
  expect([told, loaded.views.all()]).toEqual([['game'], [sprite, others[1]]])
})
