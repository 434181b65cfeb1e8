import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatNames } from '../../../atlas/format-abilities.ts'
import type { EncodedAtlas } from '../../../atlas/formats/format.ts'
import { toLibgdxAtlas } from '../../../atlas/formats/libgdx.ts'
import { createPhaserFormat } from '../../../atlas/formats/phaser.ts'
import { toPct } from '../../../atlas/formats/phaser-pct.ts'
import { toPixiManifest, toPixiSheet } from '../../../atlas/formats/pixi.ts'
import { formats } from '../../../atlas/formats/registry.ts'
import { encodePages } from '../../../atlas/formats/shared/pages.ts'
import { readAseprite } from '../../../atlas/source/aseprite/read.ts'
import { rich } from './rich.ts'

/** The files that each format writes for the rich atlas, by format and name; of a picture its length. */
const expected = new Map(
  readFileSync(new URL('../../fixtures/atlas/rich.txt', import.meta.url), 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)] as const),
)

/** The rich atlas, changed. */
const changed = (change: Partial<EncodedAtlas['atlas']>, more: Partial<EncodedAtlas> = {}): EncodedAtlas => ({
  ...rich,
  atlas: { ...rich.atlas, ...change },
  ...more,
})

test.each(formatNames)('the text that %s writes for an atlas with everything is the one on file', (name) => {
  const own = [...expected].filter(([title]) => title.startsWith(`${name} `))
  const isText = ([title]: readonly [string, string]): boolean => !/\.(png|aseprite)$/.test(title)
  const written = formats[name].write([rich]).map(({ file, bytes }) => [`${name} ${file}`, `${new TextDecoder().decode(bytes)}\n`] as const)
  expect(written.map(([title]) => title)).toEqual(own.map(([title]) => title))
  expect(written.filter(isText)).toEqual(own.filter(isText))
  expect(formats[name].name).toBe(name)
})

test('an Aseprite file of an atlas with everything has its times, tags and slices', () => {
  const [hero, ui] = formats['aseprite-file'].write([rich]).map(({ bytes }) => readAseprite(bytes))
  expect([hero, ui].map((file) => file && { ...file, frames: file.frames.map(({ durationMs }) => durationMs) })).toEqual([
    {
      ...{ width: 9, height: 11, frames: [40, 60, 51] },
      tags: [{ name: 'idle', from: 0, to: 2, direction: 'pingpong', repeat: 2 }],
      slices: [{ name: 'hero', keys: [{ frame: 0, x: 0, y: 0, width: 9, height: 11, pivot: { x: 5, y: 11 } }] }],
    },
    {
      ...{ width: 8, height: 6, frames: [1000] },
      tags: [{ name: 'button', from: 0, to: 0, direction: 'forward', repeat: 1 }],
      slices: [{ name: 'ui', keys: [{ frame: 0, x: 0, y: 0, width: 8, height: 6, center: { x: 1, y: 2, width: 4, height: 3 } }] }],
    },
  ])
})

test('an Aseprite file of one animation that has the name of its sprite, and of a frame that stands for minutes', () => {
  const [animation] = rich.atlas.animations
  const alone = { ...animation!, name: 'hero', frames: [{ name: 'hero/idle/0000', durationMs: 100_000 }] }
  const files = formats['aseprite-file'].write([changed({ animations: [alone], frames: rich.atlas.frames.slice(0, 1) })])
  const { tags, frames } = readAseprite(files[0]!.bytes)
  expect([files.length, tags[0]?.name, frames.map(({ durationMs }) => durationMs)]).toEqual([1, 'hero', [65_535]])
})

describe('several atlases', () => {
  const other = changed({ name: 'group', scale: 1, pixelArt: true })
  const empty = changed({ name: 'empty', pages: [], frames: [], animations: [] }, { pages: [] })
  const json = (bytes: Uint8Array | undefined): unknown => JSON.parse(new TextDecoder().decode(bytes))

  test.each([
    ['phaser', ['group@0.5x.json', 'group.json', 'group.anims.json', 'pack@0.5x.json', 'pack.json']],
    ['phaser-pct', ['group@0.5x.pct', 'group.pct', 'group.anims.json', 'pack@0.5x.json', 'pack.json']],
    ['pixi', ['group-0@0.5x.json', 'group-1@0.5x.json', 'group-0.json', 'group-1.json', 'manifest.json']],
    ['texturepacker', ['group-0@0.5x.json', 'group-1@0.5x.json', 'group-0.json', 'group-1.json']],
    ['aseprite', ['group-0@0.5x.json', 'group-1@0.5x.json', 'group-0.json', 'group-1.json']],
    ['godot', ['group@0.5x.tres', 'group.tres']],
    ['libgdx', ['group@0.5x.atlas', 'group.atlas']],
    ['css', ['group@0.5x.css', 'group.css']],
    ['boxes', ['boxes@0.5x.json', 'boxes.json']],
  ] as const)('%s writes a file for each scale, and none for an empty group', (name, files) => {
    expect(formats[name].write([rich, empty, other]).map(({ file }) => file)).toEqual(files)
  })

  test('boxes are those of the frames of their scale', () => {
    const [half, whole] = formats.boxes
      .write([rich, changed({ scale: 1, frames: rich.atlas.frames.slice(3) })])
      .map(({ bytes }) => json(bytes))
    expect([half, whole]).toEqual([
      { scale: 0.5, frames: Object.fromEntries(rich.atlas.frames.map(({ name }) => [name, expect.anything()])) },
      { scale: 1, frames: { 'ui/button': { width: 8, height: 6, boxes: {} } } },
    ])
  })

  test('PixiJS is told of every encoding that there is at all scales, of pixel art only if all of it is, and of basis', () => {
    const pages = (extension: string) => rich.pages.map((page) => ({ ...page, file: page.file.replace('png', extension) }))
    const withAll = { alternates: [pages('webp'), pages('ktx2')] }
    const told = (...atlases: readonly EncodedAtlas[]): unknown =>
      (toPixiManifest(atlases) as { bundles: { assets: object[] }[] }).bundles[0]?.assets[0]
    const src = (name: string, format: string, resolution: number) => ({ src: name, format, resolution })
    expect(told(changed({}, withAll), changed({ scale: 1 }, { alternates: [pages('webp')] }))).toEqual({
      alias: 'group',
      src: [
        src('group-0@0.5x.json', 'png', 0.5),
        src('group-0@0.5x.webp.json', 'webp', 0.5),
        src('group-0.json', 'png', 1),
        src('group-0.webp.json', 'webp', 1),
      ],
    })
    expect(told(changed({ pixelArt: true }, withAll))).toMatchObject({
      src: [{}, {}, src('group-0@0.5x.ktx2.json', 'basis', 0.5)],
      data: { textureOptions: { scaleMode: 'nearest' } },
    })
    expect(told(rich, other)).not.toHaveProperty('data')
    // Without an encoding that all scales have, each scale gets its first.
    expect(told(rich, changed({ scale: 1 }, { pages: pages('webp'), alternates: [pages('ktx2')] }))).toMatchObject({
      src: [src('group-0@0.5x.json', 'png', 0.5), src('group-0.json', 'webp', 1)],
    })
    expect(toPixiSheet(rich, 0)).toEqual(json(formats.pixi.write([rich])[0]?.bytes))
  })
})

test('one page without a normal map, with a path, is a plain atlas for Phaser', () => {
  const { normals: _, ...flat } = changed(
    { frames: rich.atlas.frames.slice(0, 1), pages: rich.atlas.pages.slice(0, 1) },
    { pages: rich.pages.slice(0, 1) },
  )
  const write = (encoded: EncodedAtlas, path?: string): readonly unknown[] =>
    createPhaserFormat(path === undefined ? {} : { path })
      .write([encoded])
      .map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)))
  const [sheet, , pack] = write(flat, 'art/')
  expect(sheet).toMatchObject({
    frames: { 'hero/idle/0000': { anchor: { x: 0.52, y: 0.96 } } },
    meta: { image: 'group-0@0.5x.png', scale: '0.5' },
  })
  const atlas = { type: 'atlas', key: 'group', textureURL: 'group-0@0.5x.png', atlasURL: 'group@0.5x.json' }
  const animation = { type: 'animation', key: 'group.anims', url: 'group.anims.json' }
  const meta = { app: 'spritewright', version: '1.0' }
  expect(pack).toEqual({ sprites: { path: 'art/', files: [atlas, animation] }, meta })
  expect(write({ ...flat, normals: rich.normals!.slice(0, 1) })[2]).toEqual({
    sprites: { files: [{ ...atlas, normalMap: 'group-0@0.5x.n.png' }, animation] },
    meta,
  })
})

test('names that PCT and libGDX cannot spell are refused by those names; a frame without a folder is spelled without one', () => {
  const named = (name: string): EncodedAtlas =>
    changed({ frames: [{ ...rich.atlas.frames[3]!, name, page: 0 }], animations: [] }, { pages: rich.pages.slice(0, 1) })
  for (const name of ['', 'a|b', 'P:a'])
    expect(() => toPct(named(name))).toThrow(expect.objectContaining({ code: 'SW_ATLAS_OPTION', facts: { name } }))
  for (const name of ['', 'a:b', ' a'])
    expect(() => toLibgdxAtlas(named(name))).toThrow(expect.objectContaining({ code: 'SW_ATLAS_OPTION', facts: { name } }))
  expect(toPct(named('sword'))).toBe('PCT:1.0\nP:group-0@0.5x.png,RGBA8888,32,16,0\nsword|0|1,1,8,6\n')
  expect(toLibgdxAtlas(changed({ pixelArt: true }))).toContain('filter: Nearest, Nearest')
})

test('a frame on a page without pixels is refused by atlas and page', () => {
  expect(() => formats.frames.write([changed({ pages: [] })])).toThrow(
    expect.objectContaining({ code: 'SW_ATLAS_OPTION', facts: { atlas: 'group', page: 0 } }),
  )
})

test('pages are encoded in their order, each encoding in a list of its own, and warnings name the page', async () => {
  const names: string[] = []
  const file = (_: unknown, page: number, extension: string): string => `${page}.${extension}`
  const png = { format: 'png', file, warn: (why: string) => void names.push(why) } as const
  const plain = await encodePages(rich.atlas, png)
  expect({ ...plain, pages: plain.pages.map(({ bytes: _, ...page }) => page) }).toEqual({
    atlas: rich.atlas,
    pages: [
      { file: '0.png', width: 32, height: 16 },
      { file: '1.png', width: 16, height: 8 },
    ],
  })
  const twice = await encodePages(rich.atlas, { ...png, also: [{ format: 'png' }] })
  expect([twice.pages, twice.alternates]).toEqual([plain.pages, [plain.pages]])
  await expect(encodePages(rich.atlas, { ...png, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
})
