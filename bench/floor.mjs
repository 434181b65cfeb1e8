// The floor: the least that the same deliveries cost on one thread. It checks nothing but CRCs, knows one
// kind of PNG and one kind of ZIP, and packs in one order with nine widths.
//
// node floor.mjs <corpus folder> <output folder>
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, inflateRawSync, inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { packFloor } from './floor-packer.mjs'

const [corpus, out] = process.argv.slice(2)
const PADDING = 2
const MAX = 2048
sharp.cache(false)
sharp.concurrency(1)

const pictures = []
const known = new Map()
const frames = []
for (const file of readdirSync(join(corpus, 'zips')).sort()) {
  for (const [name, png] of unzipFrames(readFileSync(join(corpus, 'zips', file)))) {
    const { width, height, pixels } = decode(png)
    const [left, top, right, bottom] = boxOf(pixels, width, height)
    const cut = crop(pixels, width, left, top, right, bottom)
    const key = `${right - left} ${createHash('sha1').update(cut).digest('base64')}`
    const picture = known.get(key) ?? pictures.push({ width: right - left, height: bottom - top, pixels: cut }) - 1
    known.set(key, picture)
    frames.push({ name: `${file}/${name}`, picture, left, top, width, height })
  }
}
const pages = packFloor(pictures, PADDING, MAX)
mkdirSync(out, { recursive: true })
for (const [at, page] of pages.entries()) {
  const data = new Uint32Array(page.width * page.height)
  for (const { index, x, y } of page.places) {
    const { width, height, pixels } = pictures[index]
    for (let row = 0; row < height; row++) data.set(pixels.subarray(row * width, (row + 1) * width), (y + row) * page.width + x)
  }
  const raw = { width: page.width, height: page.height, channels: 4 }
  writeFileSync(
    join(out, `page-${at}.png`),
    await sharp(Buffer.from(data.buffer), { raw }).png({ compressionLevel: 6, adaptiveFiltering: false }).toBuffer(),
  )
}
const places = new Map(pages.flatMap((page, at) => page.places.map(({ index, x, y }) => [index, { page: at, x, y }])))
writeFileSync(join(out, 'atlas.json'), JSON.stringify(frames.map((frame) => ({ ...frame, ...places.get(frame.picture) }))))

/** Entries under `frames/`, by the directory. */
function* unzipFrames(zip) {
  let at = zip.readUInt32LE(zip.length - 6)
  for (let left = zip.readUInt16LE(zip.length - 12); left > 0; left--) {
    const labels = zip.readUInt16LE(at + 28)
    const name = zip.toString('latin1', at + 46, at + 46 + labels)
    if (name.startsWith('frames/')) {
      const local = zip.readUInt32LE(at + 42)
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
      const bytes = inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(at + 20)))
      if (crc32(bytes) !== zip.readUInt32LE(at + 16)) throw new Error(`${name} is damaged.`)
      yield [name, bytes]
    }
    at += 46 + labels + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
}

/** RGBA of 8 bits, not interlaced. */
function decode(png) {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  if (png.readUInt16BE(24) !== 0x0806 || png[28] !== 0) throw new Error('Expected RGBA of 8 bits.')
  const parts = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.readUInt32BE(at + 4) === 0x49444154) parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const rows = inflateSync(parts.length === 1 ? parts[0] : Buffer.concat(parts))
  const stride = width * 4
  const data = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) unfilter(rows, y * (stride + 1), data, y * stride, stride)
  return { width, height, pixels: new Uint32Array(data.buffer) }
}

function unfilter(rows, from, data, to, stride) {
  const up = to - stride
  const filter = rows[from++]
  if (filter === 0) return void data.set(rows.subarray(from, from + stride), to)
  for (let i = 0; i < stride; i++) {
    const a = i < 4 ? 0 : data[to + i - 4]
    const b = up < 0 ? 0 : data[up + i]
    let guess = 0
    if (filter === 1) guess = a
    else if (filter === 2) guess = b
    else if (filter === 3) guess = (a + b) >> 1
    else {
      const c = i < 4 || up < 0 ? 0 : data[up + i - 4]
      const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
      guess = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
    }
    data[to + i] = rows[from + i] + guess
  }
}

function boxOf(pixels, width, height) {
  const isClear = (from, to, step) => {
    for (let at = from; at < to; at += step) if (pixels[at] >>> 24) return false
    return true
  }
  let [left, top, right, bottom] = [0, 0, width, height]
  while (top < height - 1 && isClear(top * width, (top + 1) * width, 1)) top++
  while (bottom > top + 1 && isClear((bottom - 1) * width, bottom * width, 1)) bottom--
  while (left < width - 1 && isClear(top * width + left, bottom * width, width)) left++
  while (right > left + 1 && isClear(top * width + right - 1, bottom * width, width)) right--
  return [left, top, right, bottom]
}

function crop(pixels, width, left, top, right, bottom) {
  const cut = new Uint32Array((right - left) * (bottom - top))
  for (let y = top; y < bottom; y++) cut.set(pixels.subarray(y * width + left, y * width + right), (y - top) * (right - left))
  return cut
}
