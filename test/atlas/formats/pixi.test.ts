import { describe, expect, test } from 'vitest'
import { readPicture } from '../../../atlas/encode/codec.ts'
import type { EncodedAtlas } from '../../../atlas/formats/format.ts'
import { pixi } from '../../../atlas/formats/pixi.ts'
import { encodePages } from '../../../atlas/formats/shared/pages.ts'
import { carries } from './carries.ts'
import { makeProject, type Project, painting } from './project.ts'
import { type Folder, formatSuite, type ReadAnimation, type ReadFrame, type ReadSheets, restored, toFolder } from './suite.ts'

// PixiJS' index needs a browser; these of its modules do not.
const own = <T>(path: string): Promise<T> =>
  import(new URL(`../../../node_modules/pixi.js/lib/${path}`, import.meta.url).href) as Promise<T>
const { Spritesheet } = await own<typeof import('pixi.js')>('spritesheet/Spritesheet.mjs')
const { Texture } = await own<typeof import('pixi.js')>('rendering/renderers/shared/texture/Texture.mjs')
const { TextureSource } = await own<typeof import('pixi.js')>('rendering/renderers/shared/texture/sources/TextureSource.mjs')
const { Resolver } = await own<typeof import('pixi.js')>('assets/resolver/Resolver.mjs')

type SheetData = ConstructorParameters<typeof Spritesheet>[1] & { readonly durations: Readonly<Record<string, readonly number[]>> }

type Sides = NonNullable<ReadFrame['borders']>

function mapSides({ left = 0, top = 0, right = 0, bottom = 0 }: Partial<Sides>, change: (side: number) => number): Sides {
  return { left: change(left), top: change(top), right: change(right), bottom: change(bottom) }
}

/** Parses a page and its related pages, as `Assets` does, with PixiJS' own `Spritesheet`. */
function readSheet(folder: Folder, file: string): ReadSheets {
  const frames = new Map<string, ReadFrame>()
  const animations = new Map<string, ReadAnimation>()
  const first = folder.json(file) as SheetData
  for (const name of [file, ...((first.meta as { related_multi_packs?: string[] }).related_multi_packs ?? [])]) {
    const data = folder.json(name) as SheetData
    const page = folder.picture(data.meta.image!)
    const source = new TextureSource({ width: page.width, height: page.height })
    const sheet = new Spritesheet({ texture: new Texture({ source }), data })
    sheet.parseSync()
    for (const [name, texture] of Object.entries(sheet.textures)) {
      const px = (value: number): number => Math.round(value * source.resolution)
      const { frame, trim, orig } = texture
      frames.set(name, {
        picture: restored(
          page,
          { x: px(frame.x), y: px(frame.y), width: px(frame.width), height: px(frame.height) },
          { x: px(trim?.x ?? 0), y: px(trim?.y ?? 0) },
          { width: px(orig.width), height: px(orig.height) },
        ),
        anchor: texture.defaultAnchor as ReadFrame['anchor'],
        // PixiJS has divided the sides by the resolution, and slices in these units.
        borders: texture.defaultBorders && mapSides(texture.defaultBorders, px),
        hull: (data.frames[name] as { hull?: ReadFrame['hull'] }).hull,
      })
    }
    for (const [name, textures] of Object.entries(sheet.animations)) {
      animations.set(name, { frames: textures.map(({ label }) => label!), durationsMs: data.durations[name]! })
    }
  }
  return { frames, animations }
}

/** The file that PixiJS' own resolver chooses for a screen. */
function choose(folder: Folder, alias: string, resolution: number, format: readonly string[] = ['png']): string {
  const resolver = new Resolver()
  resolver.prefer({ params: { format: [...format], resolution: [resolution] } })
  resolver.addManifest(folder.json('manifest.json') as Parameters<typeof resolver.addManifest>[0])
  const bundle = resolver.resolveBundle(alias) as Record<string, { src?: string }>
  return bundle[alias]!.src!
}

formatSuite({
  format: pixi,
  carries: carries.pixi,
  reader: "PixiJS' own Spritesheet and Resolver",
  read: (folder, groups, scale) => {
    const sheets = groups.map((group) => readSheet(folder, choose(folder, group, scale)))
    return {
      frames: new Map(sheets.flatMap(({ frames }) => [...frames])),
      animations: new Map(sheets.flatMap(({ animations }) => [...animations])),
    }
  },
})

test('nine-slices are cut at the same places at every scale, as NineSliceSprite measures them', () => {
  const borders = { left: 3, top: 4, right: 5, bottom: 6 }
  const panel = { name: 'panel', sequences: [painting('panel/glow', { borders, width: 24, height: 24 })] }
  const twice = { left: 6, top: 8, right: 10, bottom: 12 }
  const large = { ...panel, scale: 2, sequences: [painting('panel/glow', { borders, width: 48, height: 48 })] }
  const folder = toFolder(pixi, makeProject(panel, large))
  for (const [scale, inPagePixels] of [
    [1, borders],
    [2, twice],
  ] as const) {
    const [frame] = readSheet(folder, choose(folder, 'panel', scale)).frames.values()
    expect(frame?.borders).toEqual(inPagePixels)
  }
})

describe('several encodings of the pages', () => {
  /** The project with further encodings, whose bytes do not matter here. */
  function alsoAs(project: Project, encodings: (atlas: EncodedAtlas) => readonly string[]): Project {
    const atlases = project.atlases.map((encoded) => ({
      ...encoded,
      alternates: encodings(encoded).map((encoding) =>
        encoded.pages.map((page) => ({ ...page, file: page.file.replace(/png$/, encoding) })),
      ),
    }))
    return { ...project, atlases }
  }
  const scales = makeProject({ scale: 1, sequences: [painting('hero/walk')] }, { scale: 0.5, sequences: [painting('hero/walk')] })

  test('give a full grid, in which every screen gets its scale in the best encoding it can read', () => {
    const folder = toFolder(
      pixi,
      alsoAs(scales, () => ['webp', 'avif']),
    )
    expect(choose(folder, 'sprites', 1, ['avif', 'webp', 'png'])).toBe('sprites-0.avif.json')
    expect(choose(folder, 'sprites', 0.5, ['avif', 'webp', 'png'])).toBe('sprites-0@0.5x.avif.json')
    expect(choose(folder, 'sprites', 0.5, ['webp', 'png'])).toBe('sprites-0@0.5x.webp.json')
    expect(choose(folder, 'sprites', 1, ['png'])).toBe('sprites-0.json')
    for (const [file, image] of [
      ['sprites-0.json', 'sprites-0.png'],
      ['sprites-0.webp.json', 'sprites-0.webp'],
      ['sprites-0@0.5x.avif.json', 'sprites-0@0.5x.avif'],
    ] as const)
      expect(folder.json(file)).toMatchObject({ meta: { image } })
  })

  test('are made in one go, each page under the name of its encoding', async () => {
    const encoded = await encodePages(scales.atlases[1]!.atlas, { format: 'png', also: [{ format: 'webp' }] })
    expect(encoded.pages.map(({ file }) => file)).toEqual(['sprites-0@0.5x.png'])
    expect(encoded.alternates!.map((pages) => pages.map(({ file }) => file))).toEqual([['sprites-0@0.5x.webp']])
    expect(await readPicture(encoded.alternates![0]![0]!.bytes)).toMatchObject({
      width: encoded.pages[0]!.width,
      height: encoded.pages[0]!.height,
    })
    expect(choose(toFolder(pixi, { atlases: [encoded], pictures: new Map() }), 'sprites', 0.5, ['webp'])).toBe('sprites-0@0.5x.webp.json')
  })

  test('that one scale lacks are left out of the manifest: PixiJS would take the wrong scale for their sake', () => {
    const folder = toFolder(
      pixi,
      alsoAs(scales, ({ atlas }) => (atlas.scale === 1 ? ['webp'] : [])),
    )
    expect(choose(folder, 'sprites', 0.5, ['webp', 'png'])).toBe('sprites-0@0.5x.json')
  })

  test('each name their own further pages', () => {
    const many = makeProject({
      maxSize: 96,
      sequences: ['a/walk', 'b/walk', 'c/walk'].map((name) => painting(name, { width: 40, height: 40 })),
    })
    const folder = toFolder(
      pixi,
      alsoAs(many, () => ['webp']),
    )
    expect(many.atlases[0]!.pages.length).toBeGreaterThan(1)
    expect(folder.json('sprites-0.webp.json')).toMatchObject({
      meta: { related_multi_packs: many.atlases[0]!.pages.slice(1).map((_, index) => `sprites-${index + 1}.webp.json`) },
    })
  })
})
