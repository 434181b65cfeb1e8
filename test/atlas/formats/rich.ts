import type { Atlas } from '../../../atlas/atlas.ts'
import { createBitmap } from '../../../atlas/bitmap.ts'
import type { EncodedAtlas, EncodedPage } from '../../../atlas/formats/format.ts'

const page = (file: string, width: number, height: number): EncodedPage => ({ file, bytes: new Uint8Array(), width, height })

/** A page whose every pixel is of its own. */
function pixels(width: number, height: number): Atlas['pages'][number]['bitmap'] {
  return createBitmap(
    width,
    height,
    new Uint8Array(width * height * 4).map((_, at) => (at % 4 === 3 ? 255 : (at * 7) % 256)),
  )
}

const hero = { page: 0, sourceWidth: 9, sourceHeight: 11, anchor: { x: 0.52, y: 0.96 } }

/** An atlas at half its size with everything that a format may carry: two pages, a still, borders, boxes, outlines. */
export const rich: EncodedAtlas = {
  atlas: {
    name: 'group',
    scale: 0.5,
    pages: [
      { index: 0, bitmap: pixels(32, 16) },
      { index: 1, bitmap: pixels(16, 8) },
    ],
    frames: [
      {
        ...{ name: 'hero/idle/0000', x: 2, y: 3, width: 6, height: 7, offsetX: 1, offsetY: 2, ...hero },
        hull: [
          { x: 1, y: 2 },
          { x: 7, y: 2 },
          { x: 4, y: 9 },
        ],
        boxes: { hit: [[1, 2, 3, 4]], hurt: [] },
      },
      { name: 'hero/idle/0001', x: 10, y: 1, width: 9, height: 11, offsetX: 0, offsetY: 0, ...hero },
      { name: 'hero/idle/0002', x: 20, y: 1, width: 5, height: 11, offsetX: 4, offsetY: 0, ...hero },
      {
        ...{ name: 'ui/button', isStill: true, page: 1, x: 1, y: 1, width: 8, height: 6, offsetX: 0, offsetY: 0 },
        ...{ sourceWidth: 8, sourceHeight: 6, borders: { left: 1, top: 2, right: 3, bottom: 1 } },
      },
    ],
    animations: [
      {
        ...{ name: 'hero/idle', sprite: 'hero', fps: 12, loop: false, yoyo: true },
        frames: [
          { name: 'hero/idle/0000', durationMs: 40 },
          { name: 'hero/idle/0001', durationMs: 60.4 },
          { name: 'hero/idle/0000', durationMs: 50.4 },
        ],
      },
    ],
    pixelArt: false,
  },
  pages: [page('group-0@0.5x.png', 32, 16), page('group-1@0.5x.png', 16, 8)],
  normals: [page('group-0@0.5x.n.png', 32, 16), page('group-1@0.5x.n.png', 16, 8)],
}
