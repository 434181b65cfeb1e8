import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { type Bitmap, createBitmap, openArchive, pictureDigest, readFrames } from '../../atlas/index.ts'
import { makeSheets } from '../../src/build/sheet.ts'
import type { SheetOptions } from '../../src/build/sheet-model.ts'
import type { SheetInput } from '../../src/build/sources.ts'
import { packDelivery } from '../../src/embedded/delivery.ts'
import { defaultShapes } from '../../src/embedded/shapes.ts'
import { type Decoder, openNodeDecoder } from '../../src/host/decoding.ts'
import { parseSpec } from '../../src/spec/parser.ts'
import { sha256 } from '../../src/vault/objects.ts'

const library = pathToFileURL(join(import.meta.dirname, '../../dist/atlas/index.js')).href
const options: SheetOptions = { maxSize: 2048, encodings: ['png'], level: 1, ktx2: 'uastc' }

async function deliver(seed: number, frames = 2): Promise<Uint8Array> {
  const pictures = Array.from({ length: frames }, (_, index): Bitmap => {
    const picture = createBitmap(6 + (seed % 5), 7)
    for (let at = 0; at < picture.data.length; at += 4) picture.data.set([seed & 255, index, at & 255, 255], at)
    return picture
  })
  return (await packDelivery(pictures, defaultShapes.names)).zip
}

async function inputOf(at: number, read: () => Promise<Uint8Array>): Promise<SheetInput> {
  const spec = parseSpec(
    JSON.stringify({ reference: './x.png', prompt: 'x', animations: { walk: { frames: 7 } } }),
    `/game/s${String(at).padStart(3, '0')}.sprite.json`,
  )
  return { spec, animation: spec.animations[0]!, source: { kind: 'result', sha256: sha256(await read()), read } }
}

const ports = (warnings: string[], openDecoder?: () => Decoder) => ({
  cache: { read: async () => undefined, has: async () => false, write: async () => {}, finish: async () => {} },
  openDecoder,
  warn: (words: string) => void warnings.push(words),
})

test('another thread reads a delivery to the same frames and warnings, and answers nothing for what cannot be read', async () => {
  const decoder = openNodeDecoder(library)
  try {
    const zip = await deliver(7, 4)
    const here = readFrames(openArchive(zip), { frames: 5 })
    const [there, broken] = await Promise.all([decoder.decode(zip.slice(), 5), decoder.decode(zip.slice(0, 300), 5)])
    expect(there).toEqual({ frames: here.frames, warnings: here.warnings })
    const cut = readFrames(openArchive(zip), { frames: 5 }, true)
    expect(await decoder.decode(zip.slice(), 5, true)).toEqual({ ...cut, names: undefined, digests: cut.frames.map(pictureDigest) })
    expect(here.warnings).toHaveLength(1)
    expect(broken).toBeUndefined()
  } finally {
    await decoder.close()
  }
  expect(await decoder.decode(await deliver(1), 2)).toBeUndefined()
})

test('what is asked of a thread that ends meanwhile is answered, and nothing more is asked of it', async () => {
  const decoder = openNodeDecoder(library)
  const asked = Array.from({ length: 20 }, async () => decoder.decode(await deliver(3, 30), 30))
  await decoder.close()
  expect(decoder.isAlive).toBe(false)
  // Each with its frames, or with nothing: none is left waiting.
  expect((await Promise.all(asked)).every((answer) => answer === undefined || answer.frames.length === 30)).toBe(true)
})

test('the library knows where it lies as one module', async () => {
  const { libraryUrl } = (await import(library)) as { libraryUrl: string }
  expect(libraryUrl).toBe(library)
})

test('a thread that cannot start answers nothing', async () => {
  const decoder = openNodeDecoder('file:///nowhere/index.js')
  expect(await decoder.decode(await deliver(1), 2)).toBeUndefined()
  await decoder.close()
})

test('many results are read by one decoder, which is closed; the atlas and the warnings are those without it', async () => {
  const inputs = await Promise.all(Array.from({ length: 151 }, (_, at) => inputOf(at, () => deliver(at))))
  let opened = 0
  let closed = 0
  let asked = 0
  const open = (): Decoder => {
    opened++
    const decoder = openNodeDecoder(library)
    return {
      isAlive: true,
      decode: (...what) => {
        asked++
        return decoder.decode(...what)
      },
      close: async () => {
        closed++
        await decoder.close()
      },
    }
  }
  const beside: string[] = []
  const here: string[] = []
  const made = await makeSheets(inputs, 'group', options, ports(beside, open))
  expect(made).toEqual(await makeSheets(inputs, 'group', options, ports(here)))
  expect([opened, closed, asked]).toEqual([1, 1, 151])
  expect(beside).toEqual(here)
  expect(here).toHaveLength(151)
  await makeSheets(inputs.slice(0, 149), 'group', options, ports([], open))
  expect(opened).toBe(1)
})

test('what the decoder cannot read is refused as it always is, and the decoder is closed', async () => {
  const inputs = await Promise.all(
    Array.from({ length: 151 }, (_, at) => inputOf(at, async () => (at === 90 ? (await deliver(at)).slice(0, -30) : deliver(at)))),
  )
  let closed = 0
  const open = (): Decoder => {
    const decoder = openNodeDecoder(library)
    return { ...decoder, close: () => decoder.close().then(() => void closed++) }
  }
  let reads = 0
  for (const [at, { source }] of inputs.entries()) {
    const { read } = source as { read: () => Promise<Uint8Array> }
    inputs[at] = {
      ...inputs[at]!,
      source: { ...(source as Extract<SheetInput['source'], { kind: 'result' }>), read: () => read().finally(() => reads++) },
    }
  }
  const refused = { code: 'SW_DELIVERY', facts: { id: 's090.walk' } }
  await expect(makeSheets(inputs, 'group', options, ports([], open))).rejects.toMatchObject(refused)
  expect(closed).toBe(1)
  // The others are left alone, now and later.
  expect(reads).toBeLessThan(110)
  await new Promise((resolve) => setImmediate(resolve))
  expect(reads).toBeLessThan(110)
})
