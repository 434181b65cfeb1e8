// node maxrects-packer.mjs <corpus folder> <output>: the packer packs only rectangles, so this script trims,
// compares and draws the frames
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MaxRectsPacker } from 'maxrects-packer/dist/maxrects-packer.mjs'
import sharp from 'sharp'
import { boxOf } from '../corpus.mjs'

const [corpus, output] = process.argv.slice(2)
const { sprites, sizes } = JSON.parse(readFileSync(join(corpus, 'corpus.json'), 'utf8'))
const pictures = sizes.map(() => undefined)
for (const { name, canvas, pictures: shown } of sprites)
  for (const [at, number] of shown.entries())
    pictures[number] ??= await cut(join(corpus, 'frames', name, `frame_${String(at).padStart(3, '0')}.png`), canvas)
const packer = new MaxRectsPacker(2048, 2048, 2, { smart: true, pot: false, square: false, allowRotation: false, border: 0 })
packer.addArray(pictures.map(({ width, height }, data) => ({ width, height, data })))
mkdirSync(output, { recursive: true })
for (const [index, { width, height, rects }] of packer.bins.entries()) {
  const page = new Uint32Array(width * height)
  for (const { x, y, data } of rects) {
    const { width: wide, height: high, pixels } = pictures[data]
    for (let row = 0; row < high; row++) page.set(pixels.subarray(row * wide, (row + 1) * wide), (y + row) * width + x)
  }
  await sharp(new Uint8Array(page.buffer), { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 6, adaptiveFiltering: false })
    .toFile(join(output, `page-${index}.png`))
}

/** The visible part of a frame. */
async function cut(file, canvas) {
  const { data } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const whole = new Uint32Array(new Uint8Array(data).buffer)
  const [left, top, right, bottom] = boxOf(whole, canvas)
  const [width, height] = [right - left, bottom - top]
  const pixels = new Uint32Array(width * height)
  for (let row = 0; row < height; row++) pixels.set(whole.subarray((top + row) * canvas + left, (top + row) * canvas + right), row * width)
  return { width, height, pixels }
}
