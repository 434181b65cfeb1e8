import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EngineFormat, formatNames, type OutputFile } from '../../atlas/index.ts'
import { decodePng } from '../../atlas/png/read.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeHost } from '../../src/host/host.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { type WrittenFiles, writeFolder } from '../../src/sheets/output/folder.ts'
import { toOutput } from '../../src/sheets/output/output.ts'
import { toSpriteDeclarations } from '../../src/sheets/output/typings.ts'
import type { BuiltSheets } from '../../src/sheets/sheet.ts'
import { makeProject, painted, painting } from '../atlas/formats/project.ts'
import { type MemoryCache, memoryCache } from './memory-cache.ts'

const { atlases } = makeProject(
  { sequences: [painting('hero/walk')] },
  { scale: 0.5, sequences: [painting('hero/walk', { width: 12, height: 16 })] },
)
const sheets: BuiltSheets = {
  sprites: [],
  atlases: atlases.map(({ atlas, pages }) => ({
    ...atlas,
    layers: undefined,
    pages: pages.map((page) => ({ ...page, sha256: '', contentType: 'image/png', extension: 'png' })),
  })),
}
const pages = ['sprites-0.png', 'sprites-0@0.5x.png']

function namesOf(files: readonly OutputFile[], folder: string): string[] {
  return files
    .map(({ file }) => file)
    .filter((file) => file.startsWith(`${folder}/`))
    .map((file) => file.slice(folder.length + 1))
}

/** A custom format with this `write`. */
function own(write: (...args: never[]) => unknown, more: Partial<EngineFormat> = {}): EngineFormat {
  return { name: 'mine', write: write as EngineFormat['write'], ...more }
}

async function refusal(format: EngineFormat): Promise<SpritewrightError> {
  const error = await toOutput(sheets, ['phaser'], [format]).catch((error: unknown) => error)
  if (error instanceof SpritewrightError) return error
  throw new Error(`Expected a refusal, found ${error}`)
}

describe('the output folder', () => {
  test("has the engines' data beside the pages, and nothing else unless it is asked for", async () => {
    expect((await toOutput(sheets, ['phaser', 'pixi'], [])).map(({ file }) => file)).toEqual([
      'manifest.json',
      'pack.json',
      'pack@0.5x.json',
      'sprites-0.json',
      'sprites-0.png',
      'sprites-0@0.5x.json',
      'sprites-0@0.5x.png',
      'sprites.anims.json',
      'sprites.d.ts',
      'sprites.json',
      'sprites@0.5x.json',
    ])
  })

  test('has a whole folder for each further format: its data, and the pages that it names', async () => {
    const files = await toOutput(sheets, ['phaser'], ['godot', 'phaser', 'pixi'])
    expect(namesOf(files, 'godot')).toEqual([...pages, 'sprites.tres', 'sprites@0.5x.tres'].sort())
    expect(namesOf(files, 'pixi')).toEqual(['manifest.json', ...pages, 'sprites-0.json', 'sprites-0@0.5x.json'].sort())
    // The engine's own files are already beside the pages.
    expect(namesOf(files, 'phaser')).toEqual([])
    const bytesOf = (file: string): Uint8Array => files.find((one) => one.file === file)!.bytes
    expect(bytesOf('godot/sprites-0.png')).toBe(bytesOf('sprites-0.png'))
  })

  test('has pictures of formats that make their own, read from the pages again', async () => {
    const files = await toOutput(sheets, ['phaser'], ['frames'])
    const walk = painting('hero/walk').frames[1]!.bitmap
    expect(decodePng(files.find(({ file }) => file === 'frames/hero/walk/0001.png')!.bytes)).toEqual(walk)
    expect(namesOf(files, 'frames').filter((file) => /sprites/.test(file))).toEqual([])
    expect(walk).not.toEqual(painted(24, 32, 0))
  })

  test('can be written in every format at once, and comes out the same again', async () => {
    const files = await toOutput(sheets, ['phaser', 'pixi'], formatNames)
    expect(new Set(files.map(({ file }) => file.toLowerCase())).size).toBe(files.length)
    expect(await toOutput(sheets, ['phaser', 'pixi'], formatNames)).toEqual(files)
  })
})

describe('pages in several encodings', () => {
  // The bytes of the first encoding do not matter, because nothing may read them.
  const several: BuiltSheets = {
    sprites: [],
    atlases: sheets.atlases.map((atlas) => ({
      ...atlas,
      pages: atlas.pages.map((page) => ({ ...page, bytes: new Uint8Array(3), contentType: 'image/webp', extension: 'webp' })),
      alternates: [atlas.pages],
    })),
  }
  const textOf = (files: readonly OutputFile[], file: string): string =>
    new TextDecoder().decode(files.find((one) => one.file === file)!.bytes)

  test('are all written for PixiJS, each with its data', async () => {
    const files = await toOutput(several, ['pixi'], [])
    expect(files.map(({ file }) => file)).toEqual([
      'manifest.json',
      'sprites-0.json',
      'sprites-0.png',
      'sprites-0.png.json',
      'sprites-0.webp',
      'sprites-0@0.5x.json',
      'sprites-0@0.5x.png',
      'sprites-0@0.5x.png.json',
      'sprites-0@0.5x.webp',
      'sprites.d.ts',
    ])
    const { frames } = JSON.parse(textOf(files, 'sprites-0.json'))
    expect(JSON.parse(textOf(files, 'sprites-0.png.json'))).toMatchObject({ frames, meta: { image: 'sprites-0.png' } })
    expect(JSON.parse(textOf(files, 'manifest.json')).bundles[0].assets[0].src).toEqual([
      { src: 'sprites-0.json', format: 'webp', resolution: 1 },
      { src: 'sprites-0.png.json', format: 'png', resolution: 1 },
      { src: 'sprites-0@0.5x.json', format: 'webp', resolution: 0.5 },
      { src: 'sprites-0@0.5x.png.json', format: 'png', resolution: 0.5 },
    ])
  })

  test('are written as the first that can be drawn where nothing chooses, and cut from the one that lost nothing', async () => {
    const files = await toOutput(several, ['phaser'], ['libgdx', 'frames'])
    const pictures = files.map(({ file }) => file).filter((file) => /^(libgdx\/)?[^/]*\.(png|webp)$/.test(file))
    expect(pictures).toEqual(['libgdx/sprites-0.png', 'libgdx/sprites-0@0.5x.png', 'sprites-0.webp', 'sprites-0@0.5x.webp'])
    expect(textOf(files, 'sprites.json')).toContain('"image":"sprites-0.webp"')
    expect(textOf(files, 'libgdx/sprites.atlas')).toMatch(/^sprites-0\.png/)
    expect(decodePng(files.find(({ file }) => file === 'frames/hero/walk/0001.png')!.bytes)).toEqual(
      painting('hero/walk').frames[1]!.bitmap,
    )
  })
})

describe("a format of the project's own", () => {
  const bytes = new TextEncoder().encode('x')

  test('is handed every atlas and writes into a folder of its name', async () => {
    const seen: unknown[] = []
    const format = own((given: readonly { atlas: { scale: number; pages: unknown[] }; pages: { file: string }[] }[]) => {
      seen.push(...given.map(({ atlas, pages }) => [atlas.scale, atlas.pages.length, pages.map(({ file }) => file)]))
      return [{ file: 'deep/list.txt', bytes }]
    })
    expect(namesOf(await toOutput(sheets, ['phaser'], [format]), 'mine')).toEqual(['deep/list.txt', ...pages])
    expect(seen).toEqual([
      [1, 0, ['sprites-0.png']],
      [0.5, 0, ['sprites-0@0.5x.png']],
    ])
  })

  test('that wants pixels gets them, and no pages are written for it', async () => {
    const format = own(
      (given: readonly { atlas: { pages: { bitmap: { width: number } }[] } }[]) =>
        given.map(({ atlas }, index) => ({ file: `${index}-${atlas.pages[0]!.bitmap.width}.txt`, bytes })),
      { pages: 'pixels' },
    )
    expect(namesOf(await toOutput(sheets, ['phaser'], [format]), 'mine')).toEqual(
      atlases.map(({ pages }, index) => `${index}-${pages[0]!.width}.txt`),
    )
  })

  test('that throws is told with what it threw', async () => {
    const cause = new TypeError('frames is not a function')
    const error = await refusal(
      own(() => {
        throw cause
      }),
    )
    expect(error).toMatchObject({ code: 'SW_CONFIG', exitCode: 2, facts: { format: 'mine' }, cause })
    expect(error.message).toBe(
      'Expected the format "mine" to write its files, found that it throws TypeError: frames is not a function. Check "formats" in the configuration.',
    )
  })

  test.each([
    ['a promise', async () => Promise.reject(new Error('late')), 'found a promise: write() must not be async'],
    ['nothing', () => undefined, 'to answer a list of files, found undefined'],
    ['an object', () => ({ file: 'a', bytes }), 'to answer a list of files, found object'],
    [
      'text for bytes',
      () => [{ file: 'a.txt', bytes: 'x' }],
      'the bytes of "a.txt" as a Uint8Array, found string. For text: new TextEncoder',
    ],
    [
      'a file twice',
      () => [
        { file: 'a', bytes },
        { file: 'A', bytes },
      ],
      'to write each file once, found "A", which is written already',
    ],
    [
      'a file twice, the second time in lower case',
      () => [
        { file: 'A', bytes },
        { file: 'a', bytes },
      ],
      'to write each file once, found "a", which is written already',
    ],
    ['a page', () => [{ file: 'sprites-0.png', bytes }], 'found "sprites-0.png", which is a page already'],
    ['null for a file', () => [null], 'found the name undefined'],
  ])('that answers %s is refused in words', async (_, write, words) => {
    expect((await refusal(own(write))).message).toContain(words)
  })

  test.each(['../up.txt', '/top.txt', 'a/../../up.txt', '..\\up.txt', 'C:up.txt', '', '.', 'a//b', 'a/', 'a\0b', './a'])(
    'that names %j is refused: it would leave its folder',
    async (file) => {
      const error = await refusal(own(() => [{ file, bytes }]))
      expect(error).toMatchObject({ code: 'SW_CONFIG', facts: { format: 'mine', file } })
      expect(error.message).toContain(`inside of its folder, with forward slashes, found the name ${JSON.stringify(file)}`)
    },
  )
})

describe('a folder that is written again', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'spritewright-output-'))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const place = (): { root: string; folder: string } => ({ root, folder: join(root, 'out') })
  const write = (cache: MemoryCache, ...files: readonly string[]): Promise<WrittenFiles> =>
    writeFolder(
      { disk: nodeDisk(), random: nodeHost().random, cache },
      place(),
      files.map((file) => ({ file, bytes: new TextEncoder().encode(file) })),
    )
  const list = (): string[] => readdirSync(join(root, 'out'), { recursive: true }).map(String).sort()

  test('loses what its last build wrote and this one did not, and the folders that are empty then', async () => {
    const cache = memoryCache()
    await write(cache, 'a.json', 'b@2x.json', 'godot/a.tres', 'godot/deep/b.tres')
    expect(await write(cache, 'a.json')).toEqual({ files: ['a.json'], removed: ['b@2x.json', 'godot/a.tres', 'godot/deep/b.tres'] })
    expect(list()).toEqual(['a.json'])
    expect((await write(cache, 'a.json')).removed).toEqual([])
  })

  test("keeps a person's files, changed files, and all of them without the list", async () => {
    const cache = memoryCache()
    await write(cache, 'a.json', 'b.json', 'css/c.css')
    writeFileSync(join(root, 'out/css/mine.txt'), 'mine')
    writeFileSync(join(root, 'out/b.json'), 'edited')
    expect((await write(cache, 'a.json')).removed).toEqual(['css/c.css'])
    expect(list()).toEqual(['a.json', 'b.json', 'css', 'css/mine.txt'])
    expect((await write(memoryCache(), 'z.json')).removed).toEqual([])
  })

  test('follows no path out of it, whatever the list says', async () => {
    const cache = memoryCache()
    writeFileSync(join(root, 'precious'), 'precious')
    await write(cache, 'a.json')
    mkdirSync(join(root, 'elsewhere'))
    symlinkSync(join(root, 'elsewhere'), join(root, 'out/link'))
    writeFileSync(join(root, 'elsewhere/page.png'), 'link/page.png')
    const [key = ''] = cache.kept.keys()
    const planted = [
      ['../precious', sha256(new TextEncoder().encode('precious'))],
      ['link/page.png', sha256(new TextEncoder().encode('link/page.png'))],
    ]
    await cache.write(key, new TextEncoder().encode(JSON.stringify(planted)))
    expect((await write(cache, 'a.json')).removed).toEqual([])
    await cache.write(key, new TextEncoder().encode('{'))
    expect((await write(cache, 'a.json')).removed).toEqual([])
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['page.png'])
    expect(readdirSync(root)).toContain('precious')
  })
})

test('the declarations name an atlas once, however many scales it has', () => {
  expect(sheets.atlases.map(({ name, scale }) => [name, scale])).toEqual([
    ['sprites', 1],
    ['sprites', 0.5],
  ])
  expect(toSpriteDeclarations(sheets)).toMatch(/^ *export type AtlasName = ['"]sprites['"]$/m)
})
