import { describe, expect, test } from 'vitest'
import type { Atlas } from '../../../atlas/atlas.ts'
import { createBitmap } from '../../../atlas/bitmap.ts'
import { formatNames, isFormatName } from '../../../atlas/format-abilities.ts'
import type { EncodedAtlas } from '../../../atlas/formats/format.ts'
import { formats } from '../../../atlas/formats/registry.ts'
import { createGodotFormat, createPhaserFormat, createPhaserPctFormat } from '../../../atlas/index.ts'

const frame = (name: string, page: number, more: Partial<Atlas['frames'][number]> = {}): Atlas['frames'][number] => ({
  name,
  page,
  x: 2,
  y: 3,
  width: 32,
  height: 49,
  offsetX: 4,
  offsetY: 8,
  sourceWidth: 48,
  sourceHeight: 64,
  ...more,
})

const atlas: Atlas = {
  name: 'sprites',
  scale: 1,
  pixelArt: false,
  pages: [{ index: 0, bitmap: createBitmap(1, 1) }],
  frames: [
    frame('hero/walk/0000', 0, { anchor: { x: 0.5, y: 1 } }),
    frame('hero/walk/0001', 0, { x: 50, width: 48, height: 64, offsetX: 0, offsetY: 0 }),
  ],
  animations: [
    {
      name: 'hero/walk',
      sprite: 'hero',
      frames: [
        { name: 'hero/walk/0000', durationMs: 80 },
        { name: 'hero/walk/0001', durationMs: 120 },
      ],
      fps: 12,
      loop: true,
      yoyo: false,
    },
  ],
}
const onePage: EncodedAtlas = { atlas, pages: [{ file: 'sprites-0.png', bytes: new Uint8Array(), width: 256, height: 151 }] }
const twoPages: EncodedAtlas = {
  atlas: {
    ...atlas,
    pages: [...atlas.pages, { index: 1, bitmap: createBitmap(1, 1) }],
    frames: [...atlas.frames, ...['0000', '0001', '0002'].map((index) => frame(`orc/hit/${index}`, 1))],
    animations: [
      ...atlas.animations,
      {
        name: 'orc/hit',
        sprite: 'orc',
        frames: ['0000', '0001', '0002'].map((index) => ({ name: `orc/hit/${index}`, durationMs: 50 })),
        fps: 20,
        loop: false,
        yoyo: true,
      },
    ],
  },
  pages: [...onePage.pages, { file: 'sprites-1.png', bytes: new Uint8Array(), width: 64, height: 64 }],
}
const halved: EncodedAtlas = {
  atlas: { ...atlas, scale: 0.5 },
  pages: [{ file: 'sprites-0@0.5x.png', bytes: new Uint8Array(), width: 128, height: 76 }],
}

function written(name: 'phaser' | 'pixi', atlases: readonly EncodedAtlas[]): Record<string, unknown> {
  return Object.fromEntries(formats[name].write(atlases).map(({ file, bytes }) => [file, JSON.parse(new TextDecoder().decode(bytes))]))
}

const walk0 = {
  frame: { x: 2, y: 3, w: 32, h: 49 },
  rotated: false,
  trimmed: true,
  spriteSourceSize: { x: 4, y: 8, w: 32, h: 49 },
  sourceSize: { w: 48, h: 64 },
  anchor: { x: 0.5, y: 1 },
}
const walk1 = {
  frame: { x: 50, y: 3, w: 48, h: 64 },
  rotated: false,
  trimmed: false,
  spriteSourceSize: { x: 0, y: 0, w: 48, h: 64 },
  sourceSize: { w: 48, h: 64 },
}
const meta = { app: 'spritewright', version: '1.0', image: 'sprites-0.png', format: 'RGBA8888', size: { w: 256, h: 151 }, scale: '1' }

describe('the Phaser format', () => {
  test('one page gives a hash, an animation file with absolute durations, and a pack that loads both', () => {
    expect(written('phaser', [onePage])).toEqual({
      'sprites.json': {
        frames: { 'hero/walk/0000': walk0, 'hero/walk/0001': walk1 },
        animations: { 'hero/walk': ['hero/walk/0000', 'hero/walk/0001'] },
        meta,
      },
      'sprites.anims.json': {
        anims: [
          {
            key: 'hero/walk',
            type: 'frame',
            frames: [
              { key: 'sprites', frame: 'hero/walk/0000', duration: 80 },
              { key: 'sprites', frame: 'hero/walk/0001', duration: 120 },
            ],
            frameRate: 12,
            repeat: -1,
            yoyo: false,
          },
        ],
      },
      'pack.json': {
        sprites: {
          files: [
            { type: 'atlas', key: 'sprites', textureURL: 'sprites-0.png', atlasURL: 'sprites.json' },
            { type: 'animation', key: 'sprites.anims', url: 'sprites.anims.json' },
          ],
        },
        meta: { app: 'spritewright', version: '1.0' },
      },
    })
  })

  test('several pages give one multiatlas of arrays, each frame on its page', () => {
    const files = written('phaser', [twoPages]) as Record<string, { textures: { image: string; frames: { filename: string }[] }[] }>
    expect(files['sprites.json']!.textures.map(({ image, frames }) => [image, frames.map(({ filename }) => filename)])).toEqual([
      ['sprites-0.png', ['hero/walk/0000', 'hero/walk/0001']],
      ['sprites-1.png', ['orc/hit/0000', 'orc/hit/0001', 'orc/hit/0002']],
    ])
    expect(files['sprites.json']!.textures[0]!.frames[0]).toEqual({ filename: 'hero/walk/0000', ...walk0 })
    expect(files['pack.json']).toMatchObject({ sprites: { files: [{ type: 'multiatlas', key: 'sprites', url: 'sprites.json' }, {}] } })
    expect(files['sprites.anims.json']).toMatchObject({ anims: [{}, { key: 'orc/hit', repeat: 0, yoyo: true, frames: [{}, {}, {}] }] })
  })

  test('each scale has a pack with the same keys, and a path is said where one is given', () => {
    const files = written('phaser', [onePage, halved])
    expect(Object.keys(files).sort()).toEqual(['pack.json', 'pack@0.5x.json', 'sprites.anims.json', 'sprites.json', 'sprites@0.5x.json'])
    expect(files['pack@0.5x.json']).toMatchObject({
      sprites: { files: [{ key: 'sprites', textureURL: 'sprites-0@0.5x.png', atlasURL: 'sprites@0.5x.json' }, {}] },
    })
    const pack = createPhaserFormat({ path: 'assets/' })
      .write([onePage])
      .find(({ file }) => file === 'pack.json')!
    expect(JSON.parse(new TextDecoder().decode(pack.bytes))).toMatchObject({ sprites: { path: 'assets/' } })
  })
})

describe('the PixiJS format', () => {
  test('one page gives a hash with durations, and a manifest with a bundle', () => {
    expect(written('pixi', [onePage])).toEqual({
      'sprites-0.json': {
        frames: { 'hero/walk/0000': { ...walk0, duration: 80 }, 'hero/walk/0001': { ...walk1, duration: 120 } },
        animations: { 'hero/walk': ['hero/walk/0000', 'hero/walk/0001'] },
        durations: { 'hero/walk': [80, 120] },
        meta,
      },
      'manifest.json': {
        bundles: [{ name: 'sprites', assets: [{ alias: 'sprites', src: [{ src: 'sprites-0.json', format: 'png', resolution: 1 }] }] }],
      },
    })
  })

  test('of several pages the first names the others, and each holds whole animations, the way back written out', () => {
    const files = written('pixi', [twoPages]) as Record<string, { meta: object; animations: object }>
    expect(files['sprites-0.json']!.meta).toEqual({ ...meta, related_multi_packs: ['sprites-1.json'] })
    expect(files['sprites-1.json']!.meta).not.toHaveProperty('related_multi_packs')
    expect(files['sprites-1.json']!.animations).toEqual({
      'orc/hit': ['0000', '0001', '0002', '0001', '0000'].map((index) => `orc/hit/${index}`),
    })
  })

  test('scales are sources of one alias, and pixel art is scaled by nearest neighbour', () => {
    const pixelArt = [onePage, halved].map((each) => ({ ...each, atlas: { ...each.atlas, pixelArt: true } }))
    expect(written('pixi', pixelArt)['manifest.json']).toEqual({
      bundles: [
        {
          name: 'sprites',
          assets: [
            {
              alias: 'sprites',
              src: [
                { src: 'sprites-0.json', format: 'png', resolution: 1 },
                { src: 'sprites-0@0.5x.json', format: 'png', resolution: 0.5 },
              ],
              data: { textureOptions: { scaleMode: 'nearest' } },
            },
          ],
        },
      ],
    })
    expect(written('pixi', [halved])['sprites-0@0.5x.json']).toMatchObject({ meta: { scale: '0.5', image: 'sprites-0@0.5x.png' } })
  })
})

test('the formats of both engines lie in one folder beside their pages', () => {
  const files = [formats.phaser, formats.pixi].flatMap((format) => format.write([twoPages, halved]).map(({ file }) => file))
  const pages = [twoPages, halved].flatMap((encoded) => encoded.pages.map(({ file }) => file))
  expect(new Set([...files, ...pages]).size).toBe(files.length + pages.length)
})

test('every name has its format, and no other', () => {
  expect(Object.entries(formats).map(([name, format]) => [name, format.name])).toEqual(Object.keys(formats).map((name) => [name, name]))
  expect(Object.keys(formats).sort()).toEqual([...formatNames].sort())
  for (const name of formatNames) expect(isFormatName(name)).toBe(true)
  for (const name of ['constructor', 'unity', '']) expect(isFormatName(name)).toBe(false)
})

test('each function of the library makes the format of its name', () => {
  const made = [createPhaserFormat(), createPhaserPctFormat(), createGodotFormat()]
  expect(made.map(({ name }) => name)).toEqual(['phaser', 'phaser-pct', 'godot'])
})
