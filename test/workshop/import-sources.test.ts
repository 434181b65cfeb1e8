import { describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { importAssetPack } from '../../src/workshop/import/asset-pack.ts'
import { importFreeTexPacker } from '../../src/workshop/import/free-tex-packer.ts'
import { importProjects } from '../../src/workshop/import/import.ts'
import { findSources, type Imported } from '../../src/workshop/import/imported.ts'
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
  ])('are found for a list %s', async (_, named, there, sources) => {
    expect(await found(named, ...there)).toEqual(sources)
  })
})

describe('a folder of AssetPack', () => {
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
    await expect(run(disk, '/game/1.ftpp', '/game/2.ftpp')).rejects.toMatchObject({
      code: 'SW_USAGE',
      message: expect.stringContaining('a.sprite.json'),
    })
    await expect(run(disk, '/other/3.ftpp')).rejects.toMatchObject({
      code: 'SW_USAGE',
      message: expect.stringContaining('found one outside'),
    })
  })

  test('names a picture of an animation that a build will refuse, although it begins like one', async () => {
    const disk = diskOf('a/walk_1.png', 'a/walk_2.png')
    disk.files.set('/game/a/walk_2.png', picture.slice(0, 45))
    disk.files.set('/game/1.ftpp', packer({}, 'a'))
    expect((await run(disk, '/game/1.ftpp')).left).toEqual([expect.stringContaining('walk_2.png')])
  })
})
