import sharp from 'sharp'
import { expect, test, vi } from 'vitest'
import { bleedColours } from '../../../atlas/index.ts'
import { nodeDisk } from '../../../src/host/disk.ts'
import { nodeTextures } from '../../../src/host/modules/textures.ts'
import { findTexturePackage, readCodecVersion } from '../../../src/project/packages.ts'
import { painted } from '../../atlas/formats/project.ts'
import { MemoryDisk } from '../../kit/memory-disk.ts'
import { level } from '../../level.ts'

const entry = import.meta.resolve('ktx2-encoder')
const uastc = { mode: 'uastc', quality: 50 } as const
/** Every KTX2 file begins with it. */
const signature = '«KTX 20»\r\n\x1a\n'

test('pictures come back as KTX2 of their size, the same bytes each time, and what the encoder prints goes nowhere', async () => {
  const printed = vi.spyOn(process.stdout, 'write')
  const encode = nodeTextures()
  const picture = bleedColours(painted(32, 24, 5))
  const [first, again, small] = await Promise.all([
    encode(entry, picture, uastc),
    encode(entry, picture, uastc),
    encode(entry, picture, { mode: 'etc1s', quality: 1 }),
  ])
  expect(printed).not.toHaveBeenCalled()
  printed.mockRestore()
  expect(again).toEqual(first)
  const [view, other] = [first!, small!].map((bytes) => new DataView(bytes.buffer, bytes.byteOffset))
  expect(Buffer.from(first!.subarray(0, 12)).toString('latin1')).toBe(signature)
  // Width, height, levels; then the supercompression: Zstandard for UASTC, BasisLZ for ETC1S.
  expect([20, 24, 40, 44].map((at) => view!.getUint32(at, true))).toEqual([32, 24, 1, 2])
  expect([20, 24, 40, 44].map((at) => other!.getUint32(at, true))).toEqual([32, 24, 1, 1])
  // New threads replace those that have ended.
  expect(await encode(entry, picture, uastc)).toEqual(first)
}, 60_000)

if (level !== 'quick')
  test('a picture that cannot be encoded fails alone, with the words of the encoder', async () => {
    const encode = nodeTextures()
    const picture = painted(8, 8, 1)
    const results = await Promise.allSettled([
      encode('file:///nowhere/encoder.js', picture, uastc),
      encode(entry, { ...picture, data: new Uint8Array(0) }, uastc),
      encode(entry, picture, uastc),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    expect((results[0] as PromiseRejectedResult).reason.message).toContain('/nowhere/encoder.js')
  }, 60_000)

test('a thread that ends takes only its own picture with it, with the reason, and every later one has another thread', async () => {
  const encoder = `
    export async function encodeToKTX2(data) {
      if (data[0] === 1) await new Promise(() => setTimeout(() => { throw new Error('no memory is left') }))
      if (data[0] === 2) process.exit(3)
      return data
    }`
  const encode = nodeTextures()
  const encoded = (first: number): Promise<Uint8Array> =>
    encode(`data:text/javascript,${encodeURIComponent(encoder)}`, { width: 1, height: 1, data: new Uint8Array([first, 0, 0, 0]) }, uastc)
  const ends = await Promise.allSettled([1, 2, 9, 9].map(encoded))
  const words = ends.map((end) => (end.status === 'fulfilled' ? end.value[0] : (end.reason as Error).message))
  expect(words).toEqual(['no memory is left', 'its thread ended with code 3', 9, 9])
})

test('the package is found in the project or above it, and else the command is told that installs it', async () => {
  const disk = new MemoryDisk()
  const manifest = { version: '0.6.7', exports: { '.': { node: { import: './lib/node.js' } } } }
  disk.files.set('/games/node_modules/ktx2-encoder/package.json', new TextEncoder().encode(JSON.stringify(manifest)))
  expect(await findTexturePackage({ disk }, '/games/one')).toEqual({
    version: '0.6.7',
    entry: 'file:///games/node_modules/ktx2-encoder/lib/node.js',
  })
  await expect(findTexturePackage({ disk }, '/elsewhere')).rejects.toMatchObject({
    code: 'SW_CONFIG',
    message: expect.stringContaining('npm install --save-dev ktx2-encoder@^0.6'),
  })
})

test('the version of what draws pages is that of the installed package and of the zlib at hand, which counts alone where there is no package', async () => {
  const zlib = `${process.versions.zlib} ${process.arch}`
  expect(await readCodecVersion({ disk: nodeDisk() })).toBe(`${sharp.versions.sharp} ${zlib}`)
  expect(await readCodecVersion({ disk: new MemoryDisk() })).toBe(`- ${zlib}`)
})
