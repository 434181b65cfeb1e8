import { describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { compareWithAsset } from '../../src/job/delivery/inspect.ts'

const picture = encodePng(createBitmap(6, 4))
const archive = new Uint8Array([0x50, 0x4b, 0x03, 0x04])
const asked = { id: 'hero#2', operation: 'upscale' } as const

describe('a delivered file beside what its asset says', () => {
  test.each([
    ['all of it', { contentType: 'image/png', width: 6, height: 4 }, picture],
    ['nothing', { contentType: null, width: null, height: null }, picture],
    ['its type with a parameter', { contentType: 'Image/PNG; x=1' }, picture],
    ['just bytes', { contentType: 'application/octet-stream' }, picture],
    ['a size of an archive, which may be that of its sheet', { contentType: 'application/zip', width: 600, height: 40 }, archive],
  ])('C37: where it says %s there is nothing to tell', (_, said, bytes) => {
    expect(compareWithAsset(asked, said, bytes)).toEqual([])
  })

  test.each([
    ['another size', { contentType: 'image/png', width: 12, height: 8 }, picture, /size is 12 × 8, it is 6 × 4 pixels/],
    ['another width', { contentType: null, width: 7 }, picture, /size is 7 × \?, it is 6 × 4/],
    ['another height', { contentType: null, height: 5 }, picture, /size is \? × 5, it is 6 × 4/],
    ['another type', { contentType: 'image/webp' }, picture, /type is image\/webp, it is image\/png/],
    ['a picture where there is an archive', { contentType: 'image/png' }, archive, /type is image\/png, it is application\/zip/],
    ['a picture where there is neither', { contentType: 'image/png' }, new Uint8Array([1, 2]), /it is unknown/],
  ])('C37: %s is told with both', (_, said, bytes, words) => {
    expect(compareWithAsset(asked, said, bytes)).toEqual([expect.stringMatching(words)])
  })
})
