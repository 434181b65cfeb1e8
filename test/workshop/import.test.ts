import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, cutSheetFrame, decodePng, encodePng, parseSheetAtlas, readPicture } from '../../atlas/index.ts'
import { toOutput } from '../../src/sheets/output/output.ts'
import { type ImportReport, importProjects } from '../../src/workshop/import/import.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { packerCorpus } from '../atlas/corpus.ts'
import { type Game, hostOf, noNet, openGame } from '../plugin/world.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const png = (width: number, height: number): Uint8Array => encodePng(createBitmap(width, height))

interface Project {
  readonly game: Game
  readonly run: (path: string, isDryRun?: boolean) => Promise<ImportReport>
  /** The written specs by name, without the schema. */
  readonly specs: (report: ImportReport) => Record<string, unknown>
}

async function project(files: Readonly<Record<string, string | Uint8Array>>): Promise<Project> {
  const game = await openGame()
  open.push({ close: () => game.remove() })
  for (const [name, content] of Object.entries(files)) await game.write(name, content)
  const host = hostOf(game, {}, { net: noNet() })
  return {
    game,
    run: (path, isDryRun = false) => importProjects(host, { root: game.root, paths: [join(game.root, path)], isDryRun }),
    specs: (report) => Object.fromEntries(report.specs.map(({ file, text }) => [file.slice(game.root.length + 1), JSON.parse(text)])),
  }
}

/** The pictures on the pages of a build, at scale 1, by name. */
async function built(game: Game): Promise<ReadonlyMap<string, Bitmap>> {
  const workshop = await createWorkshop({ root: game.root, host: hostOf(game, {}, { net: noNet() }) })
  open.push(workshop)
  const { sheets } = await workshop.build()
  const output = await toOutput(sheets, ['pixi'], [])
  const pictures = new Map<string, Bitmap>()
  for (const { bytes } of output.filter(({ file }) => file.endsWith('.json') && !file.includes('@'))) {
    const atlas = parseSheetAtlas(new TextDecoder().decode(bytes))
    const page = output.find((one) => one.file === atlas?.image)
    if (atlas && page) for (const frame of atlas.frames) pictures.set(frame.name, cutSheetFrame(decodePng(page.bytes), frame))
  }
  return pictures
}

/** Colours of clear pixels do not count. */
function visible({ width, height, data }: Bitmap): object {
  const pixels = new Uint32Array(data.slice().buffer)
  return {
    width,
    height,
    hash: createHash('sha1')
      .update(pixels.map((pixel, at) => (data[at * 4 + 3] === 0 ? 0 : pixel)))
      .digest('hex'),
  }
}

interface Tps {
  readonly version?: number
  readonly variants?: string
  readonly sprites?: string
  readonly all?: string
  readonly files?: readonly string[]
  readonly more?: string
}

const tps = ({
  version = 6,
  variants = '1',
  sprites = '',
  all = '',
  files = ['ui'],
  more = '',
}: Tps = {}): string => `<?xml version="1.0" encoding="UTF-8"?>
<data version="1.0">
    <struct type="Settings">
        <key>fileFormatVersion</key><int>${version}</int>
        <key>autoSDSettings</key>
        <array>${variants
          .split(' ')
          .map(
            (scale) =>
              `<struct type="AutoSDSettings"><key>scale</key><double>${scale}</double><key>extension</key><string></string></struct>`,
          )
          .join('')}</array>
        <key>allowRotation</key><true/>
        <key>dataFormat</key><string>phaser</string>
        <key>textureFormat</key><enum type="SettingsBase::TextureFormat">webp</enum>
        <key>shapePadding</key><uint>4</uint>
        <key>borderPadding</key><uint>3</uint>
        <key>maxTextureSize</key><QSize><key>width</key><int>1024</int><key>height</key><int>512</int></QSize>
        <key>globalSpriteSettings</key>
        <struct type="SpriteSettings">
            <key>scale</key><double>1</double>
            <key>extrude</key><uint>2</uint>
            <key>trimMode</key><enum type="SpriteSettings::TrimMode">None</enum>
            ${all}
        </struct>
        <key>individualSpriteSettings</key>
        <map type="IndividualSpriteSettingsMap">${sprites}</map>
        <key>fileList</key><array>${files.map((name) => `<filename>${name}</filename>`).join('')}</array>
        ${more}
    </struct>
</data>
`

const individual = (names: readonly string[], parts: string): string =>
  `${names.map((name) => `<key type="filename">${name}</key>`).join('')}<struct type="IndividualSpriteSettings">${parts}</struct>`

describe('a project of TexturePacker', () => {
  test('becomes a spec for each folder, with what a spec has, and a list of the rest', async () => {
    const { run, specs } = await project({ 'art/all.tps': tps({ variants: '1 0.5' }), 'art/ui/a.png': png(4, 4) })
    const report = await run('art/all.tps')
    expect(specs(report)).toEqual({
      'art/ui.sprite.json': { source: './ui/', trim: false, padding: 4, extrude: 2, scales: [1, 0.5], atlas: 'all' },
    })
    expect(report.atlas).toEqual({ maxSize: 1024, rotate: true, format: 'webp' })
    expect(report.left).toEqual(['borderPadding 3: has no equal here.'])
  })

  test('carries a pivot and nine-slice borders that all pictures of a source have', async () => {
    const parts = '<key>pivotPoint</key><point_f>0.5,1</point_f><key>scale9Enabled</key><true/><key>scale9Borders</key><rect>3,2,5,4</rect>'
    const text = tps({
      sprites: individual(['ui/a.png', 'ui/b.png'], parts) + individual(['logo.png'], '<key>pivotPoint</key><point_f>0,0</point_f>'),
      all: '<key>writePivotPoints</key><true/>',
      files: ['ui', 'logo.png'],
    })
    const { run, specs } = await project({ 'all.tps': text, 'ui/a.png': png(10, 7), 'ui/b.png': png(10, 7), 'logo.png': png(2, 2) })
    expect(specs(await run('all.tps'))).toMatchObject({
      'ui.sprite.json': { source: './ui/', anchor: [0.5, 1], borders: [3, 2, 2, 1] },
      'logo.sprite.json': { source: './logo.png', anchor: [0, 0] },
    })
  })

  test('carries borders of each picture, and says which animation has some of its own', async () => {
    const nine = (rect: string): string => `<key>scale9Enabled</key><true/><key>scale9Borders</key><rect>${rect}</rect>`
    const text = tps({
      sprites:
        individual(['ui/panel big.png'], nine('1,1,2,2')) +
        individual(['ui/icons/a.png'], nine('1,0,2,4')) +
        individual(['ui/b.png'], '') +
        individual(['ui/walk_1.png', 'ui/walk_2.png'], nine('1,1,2,2')),
      files: ['ui'],
    })
    const names = ['panel big', 'icons/a', 'b', 'walk_1', 'walk_2']
    const { run, specs } = await project({ 'all.tps': text, ...Object.fromEntries(names.map((name) => [`ui/${name}.png`, png(4, 4)])) })
    const report = await run('all.tps')
    expect(specs(report)).toMatchObject({ 'ui.sprite.json': { borders: { 'panel-big': [1, 1, 1, 1], 'icons-a': [1, 0, 1, 0] } } })
    expect(report.left).toContain('ui/walk_1.png: "borders" of the animation "walk" alone. Make it a source of its own.')
  })

  test('names pivots, scales and files that it could not carry', async () => {
    const nine = '<key>scale9Enabled</key><true/><key>scale9Borders</key><rect>1,1,2,2</rect><key>spriteScale</key><double>0.5</double>'
    const text = tps({
      sprites: individual(['ui/a.png'], `<key>pivotPoint</key><point_f>0,0</point_f>${nine}`) + individual(['ui/b.png'], ''),
      all: '<key>writePivotPoints</key><true/>',
      files: ['ui', 'old.psd', 'C:/art/x.png', 'lost'],
      variants: '8',
    })
    const { run, specs } = await project({ 'all.tps': text, 'ui/a.png': png(4, 4), 'ui/b.png': png(4, 4) })
    const report = await run('all.tps')
    expect(Object.keys(specs(report))).toEqual(['ui.sprite.json', 'lost.sprite.json'])
    const told = report.left.join('\n')
    for (const words of [
      'ui/a.png: spriteScale 0.5. Scale',
      'ui: "anchor" [0,0] of ui/a.png, [0.5,0.5] of ui/b.png. A spec has one',
      'old.psd: only PNG',
      'C:/art/x.png: is on another machine',
      '"scales": [8]: a spec takes',
      'lost: expected a file or folder, found nothing',
    ])
      expect(told).toContain(words)
  })

  test('takes files that are all of a folder as that folder, and others one by one', async () => {
    const files = { 'walk/1.png': png(2, 2), 'walk/2.png': png(2, 2), 'ui/a.png': png(1, 1), 'ui/b.png': png(1, 1) }
    const { run, specs } = await project({ 'p.tps': tps({ files: ['walk/1.png', 'walk/2.png', 'ui/b.png'] }), ...files })
    expect(Object.values(specs(await run('p.tps')))).toMatchObject([{ source: './walk/' }, { source: './ui/b.png' }])
  })

  test.each([
    ['another version', tps({ version: 3 }), /^.*p\.tps: expected fileFormatVersion as TexturePacker 4 to 7 writes it, found 3\. Save/],
    ['no setting that is needed', tps().replace('<key>allowRotation</key><true/>', ''), /expected allowRotation as .* found none/],
    ['a broken end', tps().replace('</data>', ''), /p\.tps:\d+: expected <\/data>, found the end of the file\./],
    ['another tag', tps().replace('</struct>', '</array>'), /p\.tps:6: expected <\/struct>, found <\/array>\./],
    ['no number', tps().replace('<int>6</int>', '<int>six</int>'), /p\.tps:4: expected a value in <int>/],
    ['another text', 'hello', /expected an element as TexturePacker writes it, found the end/],
  ])('is refused with %s', async (_, text, words) => {
    const { run, game } = await project({ 'p.tps': text, 'ui/a.png': png(1, 1) })
    await expect(run('p.tps')).rejects.toMatchObject({ code: 'SW_SPEC', message: expect.stringMatching(words) })
    expect(await game.list()).toEqual(['p.tps', 'ui/a.png'])
  })

  test('of colibri becomes two specs in one group', async () => {
    const corpus = packerCorpus()
    if (corpus === undefined) return
    const text = readFileSync(join(corpus, 'colibri@2x.tps'), 'utf8')
    const names = [...text.matchAll(/<key type="filename">(.*)<\/key>/g)].map(([, name = '']) => name)
    const { run, specs, game } = await project({ 'colibri@2x.tps': text, ...Object.fromEntries(names.map((name) => [name, png(32, 32)])) })
    const report = await run('colibri@2x.tps')
    expect(specs(report)).toEqual({
      'dark.sprite.json': { source: './x2/dark/', padding: 0, atlas: 'colibri-2x' },
      'light.sprite.json': { source: './x2/light/', padding: 0, atlas: 'colibri-2x' },
    })
    expect(report).toMatchObject({ left: [], atlas: { maxSize: 256 } })
    const pictures = await built(game)
    expect(pictures.size).toBe(names.length)
    expect([...pictures.keys()]).toContain('dark/section-collapse-left-2x')
  })
})

describe('a project of Free Texture Packer', () => {
  const ftpp = (packOptions: object, more: object = {}): string =>
    JSON.stringify({ meta: { version: '0.6.7' }, savePath: '/out', images: [], folders: ['ui'], ...more, packOptions })

  test('becomes specs, with a list of the rest', async () => {
    const options = {
      textureName: 'main',
      width: '4096',
      height: 2048,
      padding: '1',
      extrude: 0,
      allowTrim: false,
      scale: 0.5,
      filter: 'mask',
    }
    const { run, specs } = await project({
      'art/p.ftpp': ftpp(options, { images: [{ name: 'logo.png', path: 'logo.png', folder: '' }] }),
      'art/ui/a.png': png(4, 4),
      'art/logo.png': png(4, 4),
    })
    const report = await run('art/p.ftpp')
    const fields = { trim: false, padding: 1, extrude: 0, scales: [0.5], atlas: 'main' }
    expect(specs(report)).toEqual({
      'art/ui.sprite.json': { source: './ui/', ...fields },
      'art/logo.sprite.json': { source: './logo.png', ...fields },
    })
    expect(report).toMatchObject({ atlas: { maxSize: 4096 }, left: ['packOptions.filter mask: has no equal here.'] })
  })

  test.each([
    ['no JSON', '{', /p\.ftpp: expected a project as Free Texture Packer writes it, found none\./],
    ['another JSON', '{"folders": "ui"}', /p\.ftpp: expected folders as Free Texture Packer writes it, found "ui"\./],
  ])('is refused with %s', async (_, text, words) => {
    const { run } = await project({ 'p.ftpp': text })
    await expect(run('p.ftpp')).rejects.toMatchObject({ code: 'SW_SPEC', message: expect.stringMatching(words) })
  })
})

describe('a folder of AssetPack', () => {
  test('becomes a spec for each {tps} folder', async () => {
    const { run, specs } = await project({
      'raw/game{m}/ui{tps}/icons/a.png': png(2, 2),
      'raw/menu/ui{tps}{fix}{nc}/b{nomip}.png': png(2, 2),
      'raw/logo.png': png(2, 2),
    })
    const report = await run('raw')
    expect(specs(report)).toEqual({
      'raw/game-ui.sprite.json': { source: './game{m}/ui{tps}/', atlas: 'ui' },
      'raw/menu-ui.sprite.json': { source: './menu/ui{tps}{fix}{nc}/', atlas: 'ui' },
    })
    expect(report.left).toEqual([
      'logo.png: is in no {tps} folder. Load it as before, or name it as "source" of a spec.',
      'menu/ui{tps}{fix}{nc}: {nc} has no equal here.',
      'menu/ui{tps}{fix}{nc}/b{nomip}.png: {nomip} has no equal here.',
      'menu/ui{tps}{fix}{nc}/b{nomip}.png: its tags become part of the names. Rename it.',
      expect.stringContaining('add "scales": [1, 0.5]'),
    ])
  })

  test('of bubbo-bubbo is built with every picture, pixel by pixel', async () => {
    const corpus = packerCorpus()
    if (corpus === undefined) return
    const { run, game } = await project({})
    const raw = join(corpus, 'bubbo-bubbo/raw-assets')
    cpSync(raw, join(game.root, 'raw-assets'), { recursive: true })
    const report = await run('raw-assets/images')
    expect(report.specs).toHaveLength(4)
    expect(report.left.map((words) => words.split(':')[0])).toEqual([
      'favicon.png',
      'pause-overlay{m}/pause-panel.png',
      expect.stringContaining('AssetPack makes'),
    ])
    const pictures = await built(game)
    const files = readdirSync(join(raw, 'images'), { recursive: true, encoding: 'utf8' }).filter((name) => /\{tps\}\/.*\.png$/.test(name))
    expect(pictures.size).toBe(files.length)
    for (const name of files) {
      const picture = pictures.get(name.replace(/(?:\{\w+\})+/, '').replace('.png', ''))
      expect(picture && visible(picture), name).toEqual(visible(await readPicture(readFileSync(join(raw, 'images', name)))))
    }
  })

  test('without a tag, or with one itself, is refused', async () => {
    const { run } = await project({ 'raw/ui{tps}/a.png': png(1, 1), 'art/a.png': png(1, 1) })
    await expect(run('raw/ui{tps}')).rejects.toMatchObject({
      code: 'SW_SPEC',
      message: expect.stringContaining('found none'),
    })
    await expect(run('art')).rejects.toMatchObject({ code: 'SW_SPEC', message: expect.stringContaining('found none') })
  })
})

test('a dry run writes nothing, and an import writes what is not there yet and over nothing', async () => {
  const files = { 'raw/a{tps}/a.png': png(1, 1), 'raw/b{tps}/b.png': png(1, 1), 'raw/node_modules/c{tps}/c.png': png(1, 1) }
  const { run, game } = await project({ ...files, 'raw/b.sprite.json': 'mine' })
  const { specs, left } = await run('raw')
  expect(specs.map(({ file }) => file)).toEqual([game.path('raw/a.sprite.json')])
  expect(left).toContain('raw/b.sprite.json: existed already, unchanged.')
  expect(await game.read('raw/b.sprite.json')).toBe('mine')
  expect((await game.list()).sort()).toEqual([...Object.keys(files), 'raw/a.sprite.json', 'raw/b.sprite.json'].sort())
  const clean = await project(files)
  expect((await clean.run('raw', true)).specs).toHaveLength(2)
  expect((await clean.game.list()).sort()).toEqual(Object.keys(files).sort())
})

test.each(['a.sprite.yaml', 'a.sprite.yml', 'A.sprite.json'])('no second spec is written where %s has the name already', async (name) => {
  const { run } = await project({ 'raw/a{tps}/a.png': png(1, 1), [`raw/${name}`]: 'mine' })
  expect(await run('raw')).toMatchObject({ specs: [], left: expect.arrayContaining([`raw/${name}: existed already, unchanged.`]) })
})

test('pictures whose names differ only in upper and lower case become two specs', async () => {
  const text = tps({ files: ['big/Hero', 'small/hero'] })
  const { run, specs } = await project({ 'p.tps': text, 'big/Hero/a.png': png(4, 4), 'small/hero/a.png': png(2, 2) })
  expect(Object.keys(specs(await run('p.tps', true)))).toEqual(['big-Hero.sprite.json', 'small-hero.sprite.json'])
})

test('another file, and none, are refused', async () => {
  const { run } = await project({ 'a.txt': 'x' })
  await expect(run('a.txt')).rejects.toMatchObject({ code: 'SW_USAGE', message: expect.stringContaining('found another file') })
  await expect(run('b.tps')).rejects.toMatchObject({ code: 'SW_USAGE', message: expect.stringContaining('found nothing') })
})
