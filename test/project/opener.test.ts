import { expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { faultOfResult } from '../../src/project/opener.ts'

const picture = encodePng(createBitmap(4, 4, new Uint8Array(64).fill(99)))
const frames = Array.from({ length: 7 }, (_, index) => createBitmap(4, 4, new Uint8Array(64).fill(index + 1)))
const { zip: sheet } = await packDelivery(frames, defaultShapes.names)
const context = { options: { service: undefined } } as unknown as Parameters<typeof faultOfResult>[0]

test('a sheet is read as an archive of frames, and a picture as a picture', () => {
  expect(faultOfResult(context, { operation: 'sprite_sheet', frames: 7 }, sheet)).toBeUndefined()
  expect(faultOfResult(context, { operation: 'edit_image' } as never, picture)).toBeUndefined()
  for (const [operation, bytes] of [
    ['sprite_sheet', picture],
    ['sprite_sheet', sheet.subarray(0, -1)],
    ['edit_image', sheet],
    ['edit_image', picture.subarray(0, -1)],
  ] as const)
    expect(faultOfResult(context, { operation } as never, bytes), operation).toMatch(/\w/)
})
