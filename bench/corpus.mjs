import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { createFigure, drawFrame } from './corpus-art.mjs'
import { corpora, planCorpus } from './corpus-plan.mjs'
import { writeZip } from './zip-writer.mjs'

/** Raised whenever the same plan gives other files. */
const VERSION = 1
const FRAME_MS = 80

/**
 * Makes the files of a corpus once; they are always the same. `zips/<sprite>.zip` are deliveries as a service
 * sends them, `frames/<sprite>/*.png` are for packers that read folders, and `corpus.json` has the trimmed
 * sizes.
 *
 * @param {string} cache Folder of the corpora.
 */
export async function provideCorpus(size, cache, print) {
  const folder = join(cache, `corpus-${size}`)
  const index = join(folder, 'corpus.json')
  const plan = JSON.stringify([VERSION, corpora[size]])
  if (existsSync(index) && JSON.parse(readFileSync(index, 'utf8')).plan === plan) return folder
  const since = performance.now()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'zips'), { recursive: true })
  const pictures = new Pictures()
  const sprites = []
  for (const sprite of planCorpus(size)) sprites.push(await drawSprite(sprite, folder, pictures))
  writeFileSync(
    index,
    JSON.stringify({ plan, size, sprites, sizes: pictures.sizes, duplicates: 1 - pictures.sizes.length / pictures.seen }),
  )
  print(
    `Drew corpus ${size}: ${pictures.seen} frames, ${pictures.sizes.length} different, in ${((performance.now() - since) / 1000).toFixed(0)} s.`,
  )
  return folder
}

/** The content of `corpus.json`. */
export function readCorpus(folder) {
  return JSON.parse(readFileSync(join(folder, 'corpus.json'), 'utf8'))
}

async function drawSprite({ name, seed, canvas, poses }, folder, pictures) {
  const figure = createFigure(seed, canvas)
  const drawn = new Map()
  for (const pose of poses) {
    if (drawn.has(pose)) continue
    const data = drawFrame(figure, canvas, pose)
    drawn.set(pose, { data, png: await encode(data, canvas, canvas, figure.isPainted) })
  }
  const frames = poses.map((pose) => drawn.get(pose))
  mkdirSync(join(folder, 'frames', name), { recursive: true })
  for (const [at, { png }] of frames.entries()) writeFileSync(join(folder, 'frames', name, `${fileName(at)}`), png)
  const files = [...frames.map(({ png }, at) => [`frames/${fileName(at)}`, png]), ...(await sheetOf(frames, canvas, figure.isPainted))]
  writeFileSync(join(folder, 'zips', `${name}.zip`), writeZip(files))
  return { name, canvas, frames: poses.length, pictures: frames.map(({ data }) => pictures.add(data, canvas)) }
}

function fileName(at) {
  return `frame_${String(at).padStart(3, '0')}.png`
}

/** The rest of a delivery: sheet, its JSON, an animated preview. */
async function sheetOf(frames, canvas, isPainted) {
  const columns = Math.ceil(Math.sqrt(frames.length))
  const rows = Math.ceil(frames.length / columns)
  const sheet = new Uint8Array(columns * rows * canvas * canvas * 4)
  const entries = {}
  for (const [at, { data }] of frames.entries()) {
    const [x, y] = [(at % columns) * canvas, Math.floor(at / columns) * canvas]
    for (let row = 0; row < canvas; row++) {
      sheet.set(data.subarray(row * canvas * 4, (row + 1) * canvas * 4), ((y + row) * columns * canvas + x) * 4)
    }
    const whole = { w: canvas, h: canvas }
    const inner = { x: 0, y: 0, ...whole }
    entries[fileName(at)] = {
      frame: { x, y, ...whole },
      rotated: false,
      trimmed: false,
      spriteSourceSize: inner,
      sourceSize: whole,
      duration: FRAME_MS,
    }
  }
  const strip = Buffer.concat(frames.map(({ data }) => data))
  const raw = { width: canvas, height: canvas * frames.length, channels: 4, pageHeight: canvas }
  const preview = await sharp(strip, { raw })
    .gif({ effort: 1, colours: 64, dither: 0, delay: frames.map(() => FRAME_MS) })
    .toBuffer()
  return [
    ['sheet.png', await encode(sheet, columns * canvas, rows * canvas, isPainted)],
    [
      'atlas.json',
      Buffer.from(
        JSON.stringify({ frames: entries, meta: { image: 'sheet.png', size: { w: columns * canvas, h: rows * canvas }, scale: '1' } }),
      ),
    ],
    ['preview.gif', preview],
  ]
}

function encode(data, width, height, isPainted) {
  return sharp(data, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 6, adaptiveFiltering: isPainted })
    .toBuffer()
}

/** Numbers frames by their visible part, so that equal ones have one number. */
class Pictures {
  sizes = []
  seen = 0
  #known = new Map()

  add(data, canvas) {
    this.seen++
    const pixels = new Uint32Array(data.buffer, data.byteOffset, data.length / 4)
    const [left, top, right, bottom] = boxOf(pixels, canvas)
    const hash = createHash('sha1').update(`${right - left} ${bottom - top}`)
    for (let y = top; y < bottom; y++) hash.update(pixels.subarray(y * canvas + left, y * canvas + right))
    const key = hash.digest('hex')
    const number = this.#known.get(key) ?? this.sizes.push([right - left, bottom - top]) - 1
    this.#known.set(key, number)
    return number
  }
}

/** Left, top, right, bottom of the pixels that are not clear; the last two exclusive. */
export function boxOf(pixels, canvas) {
  let [left, top, right, bottom] = [canvas, canvas, 0, 0]
  for (let y = 0; y < canvas; y++) {
    for (let x = 0; x < canvas; x++) {
      if (pixels[y * canvas + x] >>> 24 === 0) continue
      left = Math.min(left, x)
      right = Math.max(right, x + 1)
      top = Math.min(top, y)
      bottom = y + 1
    }
  }
  return [left, top, right, bottom]
}
