import { expect, test } from 'vitest'
import { createBitmap, encodePages } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { SheetOptions } from '../../src/sheets/model.ts'
import { makeSheets } from '../../src/sheets/sheet.ts'
import type { SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { memoryCache } from './memory-cache.ts'

const options: SheetOptions = { maxSize: 2048, encodings: ['png'], level: 1, ktx2: 'uastc' }
const reason = new Error('Interrupted.')

/** An animation that reports when its result is read. */
async function inputOf(at: number, onRead: () => void): Promise<SheetInput> {
  const picture = createBitmap(9, 7, new Uint8Array(9 * 7 * 4).fill(255 - at))
  const { zip } = await packDelivery([picture], defaultShapes.names)
  const text = JSON.stringify({ reference: './x.png', prompt: 'x', animations: { walk: { frames: 7 } } })
  const spec = parseSpec(text, `/game/s${String(at).padStart(3, '0')}.sprite.json`)
  const read = async (): Promise<Uint8Array> => {
    onRead()
    return zip
  }
  return { spec, animation: spec.animations[0]!, source: { kind: 'result', sha256: sha256(zip), read } }
}

test('sheets that are given up end with the reason at the next animation; what was opened by then is not opened again', async () => {
  const cache = memoryCache()
  const given = new AbortController()
  let reads = 0
  const inputs = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      inputOf(at, () => {
        reads++
        if (reads === 10) given.abort(reason)
      }),
    ),
  )
  const ports = { cache, warn: () => {} }
  await expect(makeSheets(inputs, 'group', options, { ...ports, signal: given.signal })).rejects.toBe(reason)
  expect(reads).toBe(10)
  const made = await makeSheets(inputs, 'group', options, ports)
  expect(reads).toBe(30)
  expect(made).toEqual(await makeSheets(inputs, 'group', options, { ...ports, cache: { ...cache, read: async () => undefined } }))
})

test('a group that nobody waits for any more is not begun', async () => {
  let reads = 0
  const input = await inputOf(0, () => reads++)
  const cache = { read: async () => undefined, write: async () => {}, finish: async () => {} }
  await expect(makeSheets([input], 'group', options, { cache, warn: () => {}, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(reads).toBe(0)
})

test('pages that are given up end with the reason at the next page', async () => {
  const given = new AbortController()
  const drawn = new Set<number>()
  const pages = Array.from({ length: 20 }, (_, index) => ({
    index,
    get bitmap() {
      drawn.add(index)
      return createBitmap(10, 10)
    },
  }))
  const atlas = { name: 'sprites', scale: 1, pixelArt: false, frames: [], animations: [], pages }
  const file = (): string => {
    given.abort(reason)
    return 'page.png'
  }
  await expect(encodePages(atlas, { format: 'png', file, signal: given.signal })).rejects.toBe(reason)
  // Four are encoded at a time.
  expect(drawn.size).toBe(4)
})
