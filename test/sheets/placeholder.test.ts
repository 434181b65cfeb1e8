import { expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { drawPlaceholder, type PlaceholderSource } from '../../src/sheets/placeholder.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { figurePng } from '../kit/project.ts'

const text = JSON.stringify({ reference: './hero.png', prompt: 'a knight', animations: { walk: { frames: 9 }, jump: { frames: 7 } } })
const spec = parseSpec(text, '/game/hero.sprite.json')

/** The size and the digest of each frame. */
async function drawn(readLike: PlaceholderSource['readLike'], read = async (): Promise<Uint8Array | undefined> => figurePng()) {
  const source: PlaceholderSource = { kind: 'placeholder', sha256: 'a', prompt: 'a knight', isMarked: true, read, readLike }
  const frames = await drawPlaceholder(spec, spec.animations[1]!, source)
  return frames.map(({ width, height, data }) => [width, height, sha256(data)] as const)
}

test('a placeholder has the size of bought frames of its sprite', async () => {
  const frames = await drawn(async () => [createBitmap(90, 40), createBitmap(10, 10)])
  expect(frames.map(([width, height]) => [width, height])).toEqual(Array(7).fill([90, 40]))
})

test('a bought result that cannot be read, or has no frame, costs its sprite no placeholder: it has the shape of the reference', async () => {
  const plain = await drawn(undefined)
  expect(plain).toHaveLength(7)
  expect(await drawn(async () => [])).toEqual(plain)
  expect(await drawn(() => Promise.reject(Object.assign(new Error('cut short'), { code: 'SW_ARCHIVE' })))).toEqual(plain)
})

test('a reference that has not been made yet is no error, one that cannot be read is', async () => {
  expect(await drawn(undefined, async () => undefined)).toHaveLength(7)
  await expect(drawn(undefined, () => Promise.reject(new Error('the disk is away')))).rejects.toThrow('the disk is away')
  await expect(drawn(undefined, async () => new Uint8Array([1, 2, 3]))).rejects.toMatchObject({ code: 'SW_IMAGE' })
})
