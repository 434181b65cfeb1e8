import { describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { importAssetPack } from '../../src/workshop/import/asset-pack.ts'
import { importFreeTexPacker } from '../../src/workshop/import/free-tex-packer.ts'
import { importProjects } from '../../src/workshop/import/import.ts'
import { findSources, type Imported, toSpriteName } from '../../src/workshop/import/imported.ts'
import { readPlist } from '../../src/workshop/import/plist.ts'
import { importTexturePacker } from '../../src/workshop/import/texture-packer.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const picture = encodePng(createBitmap(2, 2))

function diskOf(...names: readonly string[]): MemoryDisk {
  const disk = new MemoryDisk()
  for (const name of names) disk.files.set(`/game/${name}`, picture)
  return disk
}

describe('the sources of a project', () => {
  const found = async (named: readonly string[], ...there: readonly string[]): Promise<readonly string[]> =>
    (await findSources(diskOf(...there), '/game', named, [])).map(({ path, isFolder }) => (isFolder ? `${path}/` : path))

  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['written on Windows', ['ui\\a.png'], ['ui/a.png', 'ui/b.png'], ['/game/ui/a.png']],
    ['with absolute paths', ['/game/ui/a.png'], ['ui/a.png', 'ui/b.png'], ['/game/ui/a.png']],
    ['all of a folder, beside a hidden file', ['ui/a.png', 'ui/b.png'], ['ui/a.png', 'ui/b.png', 'ui/.DS_Store'], ['/game/ui/']],
    ['of one picture alone in its folder', ['ui/a.png'], ['ui/a.png'], ['/game/ui/a.png']],
    ['all beside the project', ['a.png', 'b.png'], ['a.png', 'b.png'], ['/game/a.png', '/game/b.png']],
    ['of some of a folder', ['ui/a.png', 'ui/b.png'], ['ui/a.png', 'ui/b.png', 'ui/c.png'], ['/game/ui/a.png', '/game/ui/b.png']],
    ['that leads out of its folder', ['../art'], ['../art/a.png'], ['/art/']],
  ])('are found for a list %s', async (_, named, there, sources) => {
    expect(await found(named, ...there)).toEqual(sources)
  })
})

test.each([
  ['/game/walk.PNG', 'walk'],
  ['/game/ui.v2', 'ui-v2'],
  ['/game/ui{tps}{fix}', 'ui'],
  ['/game/big ui{m} two.jpeg', 'big-ui-two'],
])('the sprite of %s has the name %s', (path, name) => {
  expect(toSpriteName(path)).toBe(name)
})

describe('a folder of AssetPack', () => {
  test('has one sheet where folders with the tag are in each other, and none in a file with the tag', async () => {
    const disk = diskOf('ui{tps}/part{tps}{mip}/a{nomip}.png', 'b{tps}{nc}.png', 'plain{nc}/c.txt')
    expect(await importAssetPack(disk, '/game')).toEqual({
      folder: '/game',
      sprites: [{ path: '/game/ui{tps}', isFolder: true, fields: { atlas: 'ui' } }],
      atlas: {},
      left: [
        'b{tps}{nc}.png: is in no {tps} folder. Load it as before, or name it as "source" of a spec.',
        'ui{tps}/part{tps}{mip}: {mip} has no equal here.',
        'ui{tps}/part{tps}{mip}: its tags become part of the names. Rename it.',
        'ui{tps}/part{tps}{mip}/a{nomip}.png: {nomip} has no equal here.',
        'ui{tps}/part{tps}{mip}/a{nomip}.png: its tags become part of the names. Rename it.',
        expect.stringContaining('[1, 0.5]'),
      ],
    })
  })

  test('is searched for sheets but in hidden, installed and built folders, and only for pictures beside them', async () => {
    const others = ['node_modules/c{tps}/c.png', 'dist/d{tps}/d.png', '.git/e{tps}/e.png', 'music.mp3']
    const { sprites, left } = await importAssetPack(diskOf('a{tps}{fix}{jpg=true}/a.png', ...others), '/game')
    expect(sprites.map(({ path }) => path)).toEqual(['/game/a{tps}{fix}{jpg=true}'])
    expect(left).toEqual(['a{tps}{fix}{jpg=true}: {jpg} has no equal here.'])
  })
})

describe('a project of Free Texture Packer', () => {
  const read = (packOptions: object): Promise<Imported> =>
    importFreeTexPacker(diskOf('ui/a.png'), '/game/my pack.ftpp', JSON.stringify({ folders: ['ui'], packOptions }))

  test('has the larger side as the size of its pages, and turns frames only if it says so', async () => {
    expect((await read({ width: 512, height: 1024 })).atlas).toEqual({ maxSize: 1024 })
    expect((await read({ width: 1024, height: 512, allowRotation: true })).atlas).toEqual({ maxSize: 1024, rotate: true })
  })

  test('tells of a picture that cannot be read, and shows no more than the beginning of a long fault', async () => {
    const text = JSON.stringify({ images: [{ path: 'ui/a.psd' }, { path: 'ui/a.png' }], packOptions: {} })
    const { sprites, left } = await importFreeTexPacker(diskOf('ui/a.png', 'ui/a.psd'), '/game/p.ftpp', text)
    expect(sprites).toMatchObject([{ path: '/game/ui/a.png', isFolder: false }])
    expect(left).toEqual([expect.stringContaining('ui/a.psd')])
    const long = importFreeTexPacker(diskOf(), '/game/p.ftpp', JSON.stringify({ folders: 'Z'.repeat(500), packOptions: {} }))
    await expect(long).rejects.toMatchObject({
      facts: { file: '/game/p.ftpp' },
      message: expect.stringMatching(/^[^Z]*Z{1,99}[^Z]*$/),
    })
  })

  test('that leaves its settings out has the usual ones, and the name of its file', async () => {
    const [sprite] = (await read({ textureName: '' })).sprites
    expect(sprite?.fields).toEqual({ trim: true, padding: 0, extrude: 0, scales: [1], atlas: 'my-pack' })
  })
})

describe('a project of TexturePacker', () => {
  interface Parts {
    readonly format?: string
    readonly all?: string
    readonly sprites?: string
    readonly files?: readonly string[]
  }
  const tps = ({ format = 'png', all = '', sprites = '', files = ['ui'] }: Parts): string =>
    `<?xml version="1.0"?><data version="1.0"><struct type="Settings"><key>fileFormatVersion</key><int>6</int><key>autoSDSettings</key><array><struct type="A"><key>scale</key><double>0.5</double></struct></array><key>allowRotation</key><false/><key>shapePadding</key><uint>2</uint><key>textureFormat</key><enum type="T">${format}</enum><key>maxTextureSize</key><QSize><key>width</key><int>256</int><key>height</key><int>512</int></QSize><key>globalSpriteSettings</key><struct type="S"><key>extrude</key><uint>1</uint><key>trimMode</key><enum type="M">Trim</enum>${all}</struct><key>individualSpriteSettings</key><map type="I">${sprites}</map><key>fileList</key><array>${files.map((name) => `<filename>${name}</filename>`).join('')}</array></struct></data>`
  const read = (parts: Parts): Promise<Imported> => importTexturePacker(diskOf('ui/a.png', 'ui2/b.png'), '/game/p.tps', tps(parts))
  const pivots = '<key>writePivotPoints</key><true/><key>defaultPivotPoint</key><point_f>0.5,1</point_f>'
  const own = (parts: string, name: string): string => `<key type="filename">${name}</key><struct type="O">${parts}</struct>`

  test('has the larger side as the size of its pages, and a palette for its format of few colours', async () => {
    expect((await read({})).atlas).toEqual({ maxSize: 512 })
    expect((await read({ format: 'png8' })).atlas).toEqual({ maxSize: 512, palette: 'close' })
  })

  test('has the scale of all pictures times the scale of a variant', async () => {
    expect((await read({ all: '<key>scale</key><double>0.5</double>' })).sprites[0]?.fields).toMatchObject({ scales: [0.25] })
  })

  test.each([
    ['pictures without settings', ''],
    ['a picture without a pivot of its own', own('', 'ui/a.png')],
    ['pictures of a folder whose name begins alike', own('<key>pivotPoint</key><point_f>0,0</point_f>', 'ui2/b.png')],
  ])('has its common pivot for %s', async (_, sprites) => {
    expect((await read({ all: pivots, sprites })).sprites[0]?.fields).toMatchObject({ anchor: [0.5, 1] })
  })

  test('has no pivot where its pictures have several, and tells which picture has which', async () => {
    const pivot = (at: string, name: string): string => own(`<key>pivotPoint</key><point_f>${at}</point_f>`, name)
    const { sprites, left } = await read({
      all: pivots,
      sprites: pivot('0,1', 'ui/a.png') + pivot('1,0', 'ui/b.png') + pivot('0,1', 'ui/c.png'),
    })
    expect(sprites.map(({ fields }) => fields)).toEqual([{ trim: true, padding: 2, extrude: 1, scales: [0.5], atlas: 'p' }])
    expect(left).toEqual([expect.stringMatching(/^ui: .*\[0,1\] of ui\/c\.png.*\[1,0\] of ui\/b\.png/)])
    expect((await read({ all: '<key>scale</key><double>0.66666666666</double>' })).sprites[0]?.fields).toMatchObject({ scales: [0.333333] })
  })

  test('has borders of the pictures that can be read, and names the first animation that has some', async () => {
    const nine = (name: string): string => own('<key>scale9Enabled</key><true/><key>scale9Borders</key><rect>1,0,1,1</rect>', name)
    const names = ['run_1', 'run_2', 'walk_1', 'fly_1', 'fly_2']
    const disk = diskOf('ui/box.png', 'ui/walk_2.png', ...names.map((name) => `ui/${name}.png`))
    disk.files.set('/game/ui/text.png', new TextEncoder().encode('no picture'))
    const plain = ['run_1', 'run_2', 'walk_1'].map((name) => own('', `ui/${name}.png`))
    const framed = ['walk_2', 'fly_1', 'fly_2', 'box', 'lost', 'text'].map((name) => nine(`ui/${name}.png`))
    const { sprites, left } = await importTexturePacker(disk, '/game/p.tps', tps({ sprites: [...plain, ...framed].join('') }))
    expect(sprites[0]?.fields.borders).toEqual({ box: [1, 0, 0, 1] })
    expect(left).toEqual([expect.stringMatching(/^ui\/walk_1\.png: .*"walk"/)])
  })

  test('is read with keys in a row, empty parts, and blanks around numbers', () => {
    const text = `<data version="1.0">
      <struct type="S">
        <key>a</key><key>b</key><int> 7 </int>
        <key>none</key><string/><key>list</key><array/><key>map</key><map type="M"></map>
        <key>deep</key><array><array><double>-0.5</double><false/></array></array>
      </struct>
    </data>`
    expect(readPlist(text, 'p')).toEqual({ a: 7, b: 7, none: '', list: [], map: {}, deep: [[-0.5, false]] })
    expect(readPlist(`<data>${'<array>'.repeat(32)}${'</array>'.repeat(32)}</data>`, 'p')).toHaveLength(1)
  })

  test.each([
    ['an element that is too deep', `<data>${'<array>'.repeat(33)}${'</array>'.repeat(33)}</data>`],
    ['text beside elements', '<data><array>x<int>1</int></array></data>'],
    ['text after an element', '<data><array><int>1</int>x</array></data>'],
    ['two values', '<data><int>1</int><int>2</int></data>'],
    ['no value', '<data></data>'],
    ['another root', '<array><int>1</int></array>'],
    ['something after its end', '<data><int>1</int></data>x<data>'],
    ['an empty number', '<data><int> </int></data>'],
    ['a key without a value', '<data><map><key>a</key></map></data>'],
    ['a value without a key', '<data><map><int>1</int></map></data>'],
  ])('is refused with %s', (_, text) => {
    expect(() => readPlist(text, 'p')).toThrow(expect.objectContaining({ code: 'SW_SPEC', facts: { file: 'p:1' } }))
  })

  test('has names with signs of XML as they are', () => {
    expect(readPlist('<data><string>a &amp; &lt;b&gt; &quot;c&apos; &other;</string></data>', 'p')).toBe(`a & <b> "c' &other;`)
  })
})

describe('an import', () => {
  const packer = (packOptions: object, ...folders: readonly string[]): Uint8Array =>
    new TextEncoder().encode(JSON.stringify({ folders, packOptions }))
  const run = (disk: MemoryDisk, ...paths: readonly string[]) =>
    importProjects(
      { disk, random: countingRandom(), loadModule: () => Promise.reject(new Error('no module')) },
      { root: '/game', paths, isDryRun: true },
    )

  test('of several projects has the settings of all, a larger page but no usual one, and takes any case of an ending', async () => {
    const disk = diskOf('a/a.png', 'b/b.png')
    disk.files.set('/game/1.FTPP', packer({ allowRotation: true, width: 4096 }, 'a'))
    disk.files.set('/game/2.ftpp', packer({}, 'b'))
    const report = await run(disk, '/game/1.FTPP', '/game/2.ftpp')
    expect(report.atlas).toEqual({ rotate: true })
    expect(report.specs.map(({ file }) => file)).toEqual(['/game/a.sprite.json', '/game/b.sprite.json'])
  })

  test('of two projects that name one spec is refused, as is one outside the project', async () => {
    const disk = diskOf('a/a.png')
    for (const name of ['/game/1.ftpp', '/game/2.ftpp', '/other/3.ftpp']) disk.files.set(name, packer({}, 'a'))
    disk.files.set('/other/a/a.png', picture)
    const refusal = (file: string, words: string): object => ({
      code: 'SW_USAGE',
      facts: { file },
      message: expect.stringContaining(words),
    })
    await expect(run(disk, '/game/1.ftpp', '/game/2.ftpp')).rejects.toMatchObject(refusal('/game/a.sprite.json', 'a.sprite.json'))
    await expect(run(disk, '/other/3.ftpp')).rejects.toMatchObject(refusal('/other/3.ftpp', 'found one outside'))
    await expect(run(disk, '/game/4.ftpp')).rejects.toMatchObject(refusal('/game/4.ftpp', 'found nothing'))
  })

  test('of two folders with sprites of one name writes a spec into each', async () => {
    const disk = diskOf('x/a/a.png', 'x/b/b.png', 'x/c/c.png', 'y/a/a.png')
    disk.files.set('/game/x/1.ftpp', packer({}, 'a', 'b', 'c'))
    disk.files.set('/game/y/2.ftpp', packer({}, 'a'))
    const { specs } = await run(disk, '/game/x/1.ftpp', '/game/y/2.ftpp')
    expect(specs.map(({ file }) => file)).toEqual(['x/a', 'x/b', 'x/c', 'y/a'].map((name) => `/game/${name}.sprite.json`))
  })

  test('writes the whole text of a spec: its schema, the way to its source, and fields that are not the usual ones', async () => {
    const disk = diskOf('art/a/a.png')
    disk.files.set('/game/packs/1.ftpp', packer({ padding: 4, extrude: 1, textureName: 'sprites' }, '../art/a'))
    disk.files.set('/game/node_modules/spritewright/schemas/sprite.schema.json', new Uint8Array(1))
    const [spec] = (await run(disk, '/game/packs/1.ftpp')).specs
    const fields = { $schema: '../node_modules/spritewright/schemas/sprite.schema.json', source: '../art/a/', padding: 4 }
    expect(spec).toEqual({ file: '/game/packs/a.sprite.json', text: `${JSON.stringify(fields, null, 2)}\n` })
  })

  test('names a sprite whose folder has no plain name by its place', async () => {
    const disk = diskOf('{tps}/a.png')
    disk.files.set('/game/1.ftpp', packer({}, '{tps}'))
    expect((await run(disk, '/game/1.ftpp')).specs.map(({ file }) => file)).toEqual(['/game/sprites-1.sprite.json'])
  })

  test('names a picture of an animation that a build will refuse, although it begins like one', async () => {
    const disk = diskOf('a/walk_1.png', 'a/walk_2.png')
    disk.files.set('/game/a/walk_2.png', picture.slice(0, 45))
    disk.files.set('/game/1.ftpp', packer({}, 'a'))
    expect((await run(disk, '/game/1.ftpp')).left).toEqual([expect.stringContaining('walk_2.png')])
  })
})
