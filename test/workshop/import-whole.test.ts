import { describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { importFreeTexPacker } from '../../src/workshop/import/free-tex-packer.ts'
import { importProjects } from '../../src/workshop/import/import.ts'
import { importTexturePacker } from '../../src/workshop/import/texture-packer.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const png = (width: number, height: number): Uint8Array => encodePng(createBitmap(width, height))

/** A disk with pictures of 8 × 6 pixels. */
function diskOf(...names: readonly string[]): MemoryDisk {
  const disk = new MemoryDisk()
  for (const name of names) disk.files.set(`/game/${name}`, png(8, 6))
  return disk
}

type Plist = string | number | boolean | readonly Plist[] | { readonly [key: string]: Plist }

/** A value as TexturePacker writes it. */
function toXml(value: Plist): string {
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>'
  if (typeof value === 'number') return `<double>${value}</double>`
  if (typeof value === 'string') return `<string>${value}</string>`
  if (Array.isArray(value)) return `<array>${value.map(toXml).join('')}</array>`
  const entries = Object.entries(value as Readonly<Record<string, Plist>>)
  return `<struct type="S">${entries.map(([key, one]) => `<key>${key}</key>${toXml(one)}`).join('')}</struct>`
}

const usual = {
  fileFormatVersion: 4,
  autoSDSettings: [{ scale: 1, extension: '', spriteFilter: '' }],
  allowRotation: false,
  shapePadding: 2,
  textureFormat: 'png',
  maxTextureSize: { width: 2048, height: 1024 },
  globalSpriteSettings: {
    ...{ scale: 1, scaleMode: 'Smooth', extrude: 1, trimThreshold: 1, trimMargin: 1, trimMode: 'Trim', heuristicMask: false },
    ...{ defaultPivotPoint: '0.5,0.5', writePivotPoints: false },
  },
  ...{ borderPadding: 0, outputFormat: 'RGBA8888', alphaHandling: 'ClearTransparentPixels', backgroundColor: 0, packNormalMaps: false },
  ...{ algorithmSettings: { sizeConstraints: 'AnySize', forceSquared: false }, fixedTextureSize: { width: -1, height: -1 } },
  ...{ contentProtection: { key: '' }, ignoreFileList: [], replaceList: [], dataFormat: 'phaser' },
  individualSpriteSettings: {},
  fileList: ['ui'],
} satisfies Plist
const readTps = (settings: Plist, disk: MemoryDisk = diskOf('ui/a.png', 'ui/b.png')) =>
  importTexturePacker(disk, '/game/My Sheet.tps', `<?xml version="1.0"?><data version="1.0">${toXml(settings)}</data>`)

describe('a project of TexturePacker', () => {
  const sprite = (fields: object, path = '/game/ui', isFolder = true): object => ({
    ...{ path, isFolder },
    fields: { trim: true, padding: 2, extrude: 1, scales: [1], atlas: 'My-Sheet', ...fields },
  })

  test('with the usual settings leaves nothing, in each form of them', async () => {
    const whole = { folder: '/game', sprites: [sprite({})], atlas: { maxSize: 2048 }, left: [] }
    expect(await readTps(usual)).toEqual(whole)
    const { scaleMode: _, trimThreshold: __, ...fewer } = usual.globalSpriteSettings
    for (const more of [
      { alphaHandling: 'KeepTransparentPixels', globalSpriteSettings: { ...fewer, trimMode: 'CropKeepPos', trimMargin: 0 } },
      { dataFormat: 'json-array', fileFormatVersion: 6 },
      { dataFormat: 'pixijs4', fileFormatVersion: 5 },
    ])
      expect(await readTps({ ...usual, ...more })).toEqual(whole)
    const trimMode = 'None'
    expect(await readTps({ ...usual, globalSpriteSettings: { ...fewer, trimMode } })).toEqual({
      ...whole,
      sprites: [sprite({ trim: false })],
    })
  })

  test('with other settings has those that a spec has, and a sentence for each other one', async () => {
    const other = {
      ...usual,
      autoSDSettings: [
        { scale: 2, extension: '@2x', spriteFilter: '' },
        { scale: 1, extension: '', spriteFilter: 'x' },
      ],
      ...{ allowRotation: true, shapePadding: 3, textureFormat: 'jpg', maxTextureSize: { width: 256, height: 512 }, borderPadding: 4 },
      globalSpriteSettings: {
        ...{ scale: 0.25, scaleMode: 'Fast', extrude: 0, trimThreshold: 9, trimMargin: 5, trimMode: 'Polygon', heuristicMask: true },
        ...{ defaultPivotPoint: '0.25,1', writePivotPoints: true },
      },
      ...{ outputFormat: 'RGBA4444', alphaHandling: 'PremultiplyAlpha', backgroundColor: 7, packNormalMaps: true },
      ...{ algorithmSettings: { sizeConstraints: 'POT', forceSquared: true }, fixedTextureSize: { width: 64, height: 64 } },
      ...{ contentProtection: { key: 'k' }, ignoreFileList: ['*.bak'], replaceList: ['a=b'], dataFormat: 'cocos2d' },
      individualSpriteSettings: { 'ui/a.png': { spriteScale: 2 }, 'uix/a.png': { pivotPoint: '0,0' } },
    }
    const { left, ...rest } = await readTps(other)
    expect(rest).toEqual({
      folder: '/game',
      sprites: [sprite({ padding: 3, extrude: 0, scales: [0.5, 0.25], anchor: [0.25, 1] })],
      atlas: { maxSize: 512, rotate: true },
    })
    expect(left.join('\n')).toMatchInlineSnapshot(`
      "globalSpriteSettings.trimMode Polygon: frames keep their canvas here; "atlas.hull" gives outlines.
      globalSpriteSettings.trimThreshold 9: has no equal here.
      globalSpriteSettings.trimMargin 5: use "padding" and "extrude".
      globalSpriteSettings.scaleMode Fast: see "pixelArt".
      globalSpriteSettings.heuristicMask true: has no equal here.
      borderPadding 4: has no equal here.
      autoSDSettings [{"scale":2,"extension":"@2x","spriteFilter":""},{"scale":1,"extension":"","spriteFilter":"x"}]: every variant has all pictures here, and is named by its scale.
      textureFormat jpg: see "atlas.format".
      outputFormat RGBA4444: see "atlas.palette".
      alphaHandling PremultiplyAlpha: has no equal here.
      algorithmSettings.sizeConstraints POT: has no equal here.
      algorithmSettings.forceSquared true: has no equal here.
      fixedTextureSize.width 64: has no equal here.
      backgroundColor 7: has no equal here.
      contentProtection.key k: has no equal here.
      packNormalMaps true: give normal maps a spec of their own.
      ignoreFileList ["*.bak"]: move these files out of the folder, or begin their names with a dot.
      replaceList ["a=b"]: rename the files instead.
      dataFormat cocos2d: see "formats".
      ui/a.png: spriteScale 2. Scale the picture itself."
    `)
  })

  test('has its format and palette, and its sources in their order with their own anchors and borders', async () => {
    const framed = { scale9Enabled: true, scale9Borders: '1,2,3,1' }
    const settings = {
      ...usual,
      fileList: ['ui', 'walk', 'icons', 'logo.png'],
      globalSpriteSettings: { ...usual.globalSpriteSettings, writePivotPoints: true },
      individualSpriteSettings: {
        ...{ 'ui/a.png': { ...framed, pivotPoint: '0,1' }, 'ui/b.png': { ...framed, pivotPoint: '0,1' } },
        ...{ 'walk/walk_1.png': framed, 'walk/walk_2.png': {}, 'walk/box.png': { ...framed, pivotPoint: '1,1' } },
        ...{ 'icons/c.png': { scale9Enabled: false, scale9Borders: '1,1,1,1' } },
        'logo.png': { pivotPoint: '1,0' },
      },
    }
    const disk = diskOf('ui/a.png', 'ui/b.png', 'walk/walk_1.png', 'walk/walk_2.png', 'walk/box.png', 'icons/c.png', 'logo.png')
    const whole = {
      folder: '/game',
      sprites: [
        sprite({ anchor: [0, 1], borders: [1, 2, 4, 3] }),
        sprite({ borders: { box: [1, 2, 4, 3] } }, '/game/walk'),
        sprite({ anchor: [0.5, 0.5] }, '/game/icons'),
        sprite({ anchor: [1, 0] }, '/game/logo.png', false),
      ],
      atlas: { maxSize: 2048, format: 'webp' },
      left: [
        'walk: "anchor" [0.5,0.5] of walk/walk_2.png, [1,1] of walk/box.png. A spec has one for all its pictures: split the folder.',
        'walk/walk_1.png: "borders" of the animation "walk" alone. Make it a source of its own.',
      ],
    }
    expect(await readTps({ ...settings, textureFormat: 'webp' }, disk)).toEqual(whole)
    const palette = { ...whole, atlas: { maxSize: 2048, palette: 'close' } }
    expect(await readTps({ ...settings, textureFormat: 'png8' }, disk)).toEqual(palette)
  })

  test.each<[string, Plist, string]>([
    ['version 3', { ...usual, fileFormatVersion: 3 }, 'fileFormatVersion as TexturePacker 4 to 7 writes it, found 3'],
    ['version 7', { ...usual, fileFormatVersion: 7 }, 'fileFormatVersion as TexturePacker 4 to 7 writes it, found 7'],
    ['no variant', { ...usual, autoSDSettings: [] }, 'autoSDSettings as TexturePacker 4 to 7 writes it, found []'],
    ['a list', [usual], `a project as TexturePacker 4 to 7 writes it, found ${JSON.stringify([usual]).slice(0, 80)}`],
  ])('is refused with %s in these words', async (_what, settings, words) => {
    const message = `/game/My Sheet.tps: expected ${words}. Save the project again with TexturePacker 4 to 7.`
    await expect(readTps(settings)).rejects.toThrow(
      expect.objectContaining({ code: 'SW_SPEC', message, facts: { file: '/game/My Sheet.tps' } }),
    )
  })
})

test('a project of Free Texture Packer has what a spec has, and a sentence for each setting that has no equal', async () => {
  const usualOptions = {
    ...{ trimMode: 'trim', alphaThreshold: '0', fixedSize: false, powerOfTwo: false, filter: 'none', textureFormat: 'png' },
    ...{ base64Export: false, tinify: false, exporter: 'JsonHash' },
  }
  const otherOptions = {
    ...{ textureName: 'a b', width: 128, height: '64', padding: 3, extrude: '2', scale: '0.5', allowRotation: true, allowTrim: false },
    ...{ trimMode: 'crop', alphaThreshold: 5, fixedSize: true, powerOfTwo: true, filter: 'mask', textureFormat: 'jpg' },
    ...{ base64Export: true, tinify: true, exporter: 'Cocos2d' },
  }
  const read = (packOptions: object) =>
    importFreeTexPacker(
      diskOf('ui/a.png', 'logo.png'),
      '/game/My Pack.ftpp',
      JSON.stringify({ folders: ['ui'], images: [{ path: 'logo.png' }], packOptions }),
    )
  const sprites = (fields: object): object => [
    { path: '/game/ui', isFolder: true, fields },
    { path: '/game/logo.png', isFolder: false, fields },
  ]
  const fields = { trim: true, padding: 0, extrude: 0, scales: [1], atlas: 'My-Pack' }
  expect(await read(usualOptions)).toEqual({ folder: '/game', sprites: sprites(fields), atlas: { maxSize: 2048 }, left: [] })
  const { left, ...rest } = await read(otherOptions)
  expect(rest).toEqual({
    folder: '/game',
    sprites: sprites({ trim: false, padding: 3, extrude: 2, scales: [0.5], atlas: 'a-b' }),
    atlas: { maxSize: 128, rotate: true },
  })
  expect(left.join('\n')).toMatchInlineSnapshot(`
    "packOptions.trimMode crop: has no equal here.
    packOptions.alphaThreshold 5: has no equal here.
    packOptions.fixedSize true: has no equal here.
    packOptions.powerOfTwo true: has no equal here.
    packOptions.filter mask: has no equal here.
    packOptions.textureFormat jpg: see "atlas.format".
    packOptions.base64Export true: has no equal here.
    packOptions.tinify true: see "atlas.palette".
    packOptions.exporter Cocos2d: see "formats"."
  `)
})

describe('an import', () => {
  const run = (disk: MemoryDisk, paths: readonly string[], isDryRun = false) =>
    importProjects(
      { disk, random: countingRandom(), loadModule: () => Promise.reject(new Error('no module')) },
      { root: '/game', paths, isDryRun },
    )
  const packed = (packOptions: object, ...folders: readonly string[]): Uint8Array => encode(JSON.stringify({ folders, packOptions }))
  const writtenIn = (disk: MemoryDisk): readonly string[] => [...disk.files.keys()].filter((path) => path.includes('.sprite.')).sort()

  test('writes each spec that is not there, tells of all that it left in order, and of what a build will refuse', async () => {
    const disk = diskOf('a/a.png', 'b/b.png', 'c/c.png', 'd/walk_1.png', 'd/walk_2.png')
    disk.files.set('/game/d/walk_2.png', encode('no picture'))
    disk.files.set('/game/B.sprite.yaml', encode('prompt: x'))
    disk.files.set('/game/1.ftpp', packed({ filter: 'mask', scale: 7, padding: 999, extrude: 3 }, 'a', 'b'))
    disk.files.set('/game/2.ftpp', packed({ tinify: true, width: 512, height: 512, padding: 2, extrude: 1, allowTrim: true }, 'c', 'd'))
    const report = await run(disk, ['/game/1.ftpp', '/game/2.ftpp'])
    expect({ ...report, specs: report.specs.map(({ file, text }) => [file, JSON.parse(text)]) }).toMatchInlineSnapshot(`
      {
        "atlas": {
          "maxSize": 512,
        },
        "left": [
          "packOptions.filter mask: has no equal here.",
          ""padding": 999: a spec takes a whole number from 0 to 64.",
          ""scales": [7]: a spec takes a number above 0, at most 4.",
          "B.sprite.yaml: existed already, unchanged.",
          "packOptions.tinify true: see "atlas.palette".",
          "/game/d/walk_2.png: Expected a PNG, JPEG or WebP picture, found bytes that begin with 6e6f207069637475. Save it in one of these formats.",
        ],
        "specs": [
          [
            "/game/a.sprite.json",
            {
              "atlas": "1",
              "extrude": 3,
              "source": "./a/",
            },
          ],
          [
            "/game/c.sprite.json",
            {
              "atlas": "2",
              "source": "./c/",
            },
          ],
          [
            "/game/d.sprite.json",
            {
              "atlas": "2",
              "source": "./d/",
            },
          ],
        ],
      }
    `)
    expect(writtenIn(disk)).toEqual(['a', 'B', 'c', 'd'].map((name) => `/game/${name}.sprite.${name === 'B' ? 'yaml' : 'json'}`).sort())
    for (const { file, text } of report.specs) expect(new TextDecoder().decode(disk.files.get(file))).toBe(text)
  })

  test('without writing has the same answer, and leaves no file', async () => {
    const disk = diskOf('a/a.png')
    disk.files.set('/game/1.ftpp', packed({}, 'a'))
    const dry = await run(disk, ['/game/1.ftpp'], true)
    expect(writtenIn(disk)).toEqual([])
    expect([await run(disk, ['/game/1.ftpp']), writtenIn(disk)]).toEqual([dry, ['/game/a.sprite.json']])
    const left = ['a.sprite.json: existed already, unchanged.']
    expect(await run(disk, ['/game/1.ftpp'])).toEqual({ specs: [], left, atlas: {} })
  })

  test.each<[path: string, words: string]>([
    ['/game/none.tps', 'a .tps of TexturePacker, a .ftpp of Free Texture Packer or a folder of AssetPack, found nothing.'],
    ['/game/a/a.png', 'a .tps of TexturePacker, a .ftpp of Free Texture Packer or a folder of AssetPack, found another file.'],
    ['/other/1.ftpp', 'a path in the project /game, found one outside. Copy it there.'],
  ])('of %s is refused: expected %s', async (path, words) => {
    const disk = diskOf('a/a.png')
    disk.files.set('/other/1.ftpp', packed({}, 'a'))
    const error = await run(disk, [path]).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(SpritewrightError)
    expect(error).toMatchObject({ code: 'SW_USAGE', message: `${path}: expected ${words}`, facts: { file: path } })
  })

  test('writes nothing after a spec that another process has written meanwhile', async () => {
    const disk = diskOf('a/a.png', 'b/b.png')
    disk.files.set('/game/1.ftpp', packed({}, 'a', 'b'))
    const list = disk.list.bind(disk)
    let looks = 0
    const late = Object.assign(disk, {
      list: async (path: string) => {
        const names = await list(path)
        if (path === '/game' && ++looks === 2) disk.files.set('/game/a.sprite.json', encode('theirs'))
        return names
      },
    })
    await expect(run(late, ['/game/1.ftpp'])).rejects.toMatchObject({
      code: 'SW_USAGE',
      message: '/game/a.sprite.json: expected no file, found one. Move it away.',
      facts: { file: '/game/a.sprite.json' },
    })
    expect([writtenIn(disk), new TextDecoder().decode(disk.files.get('/game/a.sprite.json'))]).toEqual([['/game/a.sprite.json'], 'theirs'])
  })
})
