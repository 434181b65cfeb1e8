import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { findPackage } from '../../../src/host/modules/installed-package.ts'
import { findTexturePackage, readCodecVersion } from '../../../src/project/packages.ts'
import { MemoryDisk } from '../../kit/memory-disk.ts'

/** Folder of the module that searches, which is one of this package's own. */
const own = fileURLToPath(new URL('../../../src/host/modules/', import.meta.url))

/** Plays Yarn's PnP: the packages by the folder that uses them, and their folders. */
function playPnp(packages: Readonly<Record<string, Readonly<Record<string, string>>>>): void {
  const findPnpApi = (folder: string): unknown => {
    const known = packages[folder]
    const resolveToUnqualified = (name: string): string => {
      const found = known?.[name]
      if (found === undefined) throw new Error(`Your application tried to access ${name}, but it isn't declared`)
      return found
    }
    return known ? { resolveToUnqualified } : null
  }
  Object.assign(nodeModule, { findPnpApi })
}

function diskWith(versions: Readonly<Record<string, string>>): MemoryDisk {
  const disk = new MemoryDisk()
  for (const [folder, version] of Object.entries(versions))
    disk.files.set(`${folder}/package.json`, new TextEncoder().encode(JSON.stringify({ version })))
  return disk
}

test.each([
  [{ '.': { node: { import: './node.js' }, import: './any.js' } }, 'node.js'],
  [{ '.': { import: './any.js' } }, 'any.js'],
  [{ '.': { import: { types: './any.d.ts', default: './any.js' } } }, 'own.js'],
  [{}, 'own.js'],
  [undefined, 'own.js'],
])('the module of a package with the exports %j is %s', async (exports, entry) => {
  const disk = new MemoryDisk()
  disk.files.set('/games/node_modules/pg/package.json', new TextEncoder().encode(JSON.stringify({ version: '8.0.0', exports })))
  expect(await findPackage(disk, 'pg', ['/games/one'], 'own.js')).toEqual({
    version: '8.0.0',
    entry: `file:///games/node_modules/pg/${entry}`,
  })
})

describe('a package of a project that has no node_modules (kind: other installers)', () => {
  afterEach(() => Reflect.deleteProperty(nodeModule, 'findPnpApi'))

  test.each([
    ['pg', 'lib/index.js', '/game/'],
    ['bullmq', 'dist/cjs/index.js', '/game/'],
    ['pixi.js', '', '/game/'],
    ['sharp', '', own],
  ])("%s is found where Yarn's PnP has it, not in a folder above", async (name, entry, user) => {
    playPnp({ '/game/': {}, [own]: {}, [user]: { [name]: '/cache/one.zip/package/' } })
    const disk = diskWith({ '/cache/one.zip/package': '1.2.3', [`/node_modules/${name}`]: '0.0.1' })
    expect(await findPackage(disk, name, ['/game'], entry)).toEqual({ version: '1.2.3', entry: `file:///cache/one.zip/package/${entry}` })
  })

  test('one that is no dependency is not found, although it lies above', async () => {
    playPnp({ '/game/': {}, [own]: {} })
    await expect(findTexturePackage({ disk: diskWith({ '/node_modules/ktx2-encoder': '1.0.0' }) }, '/game')).rejects.toMatchObject({
      code: 'SW_CONFIG',
    })
  })

  test('the version of sharp counts, so that an upgrade makes pages again', async () => {
    playPnp({ [own]: { sharp: '/cache/sharp.zip/sharp' } })
    expect(await readCodecVersion({ disk: diskWith({ '/cache/sharp.zip/sharp': '0.35.1' }) })).toMatch(/^0\.35\.1 /)
  })

  test('a folder that PnP does not manage has node_modules', async () => {
    playPnp({ [own]: {} })
    expect(await findPackage(diskWith({ '/node_modules/pg': '8.0.0' }), 'pg', ['/game'], 'lib/index.js')).toMatchObject({
      version: '8.0.0',
    })
  })
})
