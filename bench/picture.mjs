// node bench/picture.mjs: packs the same frames with every tool and draws the pages beside each other into
// docs/packed.png. This run measures every number in it.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { findBrowser } from '../scripts/find-browser.mjs'
import { installInto } from './install.mjs'

const here = import.meta.dirname
const cache = join(here, '.cache')
const peers = join(here, 'peers')
/** Pixels of a page for one pixel of the picture. */
const reduction = 3

installInto(peers, console.log)
if (!existsSync(join(here, '../dist/src/cli/bin.js')))
  execFileSync(process.execPath, [join(here, '../scripts/build.mjs')], { stdio: 'inherit' })
mkdirSync(cache, { recursive: true })
const { provideCorpus, readCorpus } = await import('./corpus.mjs')
const { readPages, toolsFor } = await import('./tools.mjs')

/** Tools by their names in `toolsFor`, with notes that a comparison needs. */
const compared = [
  { tool: 'spritewright', note: 'each animation on one page; round each frame a clear margin and a ring of repeated pixels' },
  {
    tool: 'maxrects-packer',
    folder: 'maxrects-packer',
    note: 'packs rectangles: trimmed, compared and drawn for it, without margin and ring',
  },
  { tool: 'AssetPack', folder: '@assetpack/core', note: 'trims; equal frames lie there several times' },
  { tool: 'spritesmith', folder: 'spritesmith', note: 'neither trims nor finds equal frames' },
  { tool: 'free-tex-packer', folder: 'free-tex-packer-core', note: 'trims and finds equal frames' },
]
const few = await packAll('S')
const many = await packAll('M')
const picture = await draw(toHtml(few, many))
const { size } = await sharp(picture)
  .png({ palette: true, quality: 90, effort: 10, compressionLevel: 9 })
  .toFile(join(here, '../docs/packed.png'))
console.log(`docs/packed.png: ${Math.round(size / 1000)} kB`)

async function packAll(corpusSize) {
  const corpus = await provideCorpus(corpusSize, cache, console.log)
  const { sprites, sizes } = readCorpus(corpus)
  const tools = toolsFor(corpusSize, corpus, cache)
  const results = []
  for (const { tool, folder, note } of compared) {
    const { prepare, cold, out } = tools[tool]
    prepare?.()
    await cold()
    const { name, version } = JSON.parse(
      readFileSync(join(folder ? join(peers, 'node_modules', folder) : join(here, '..'), 'package.json'), 'utf8'),
    )
    results.push({ name, version: folder ? version : '', note, files: pagesIn(out), ...readPages(out) })
  }
  const canvases = [...new Set(sprites.map(({ canvas }) => `${canvas} × ${canvas}`))].join(', ')
  const frames = sprites.reduce((sum, sprite) => sum + sprite.frames, 0)
  const title = `The same ${frames} frames of ${canvases} pixels (${sprites.length} sprites, ${sizes.length} different frames), 2 pixels apart`
  console.log(title)
  for (const one of results) console.log(`${one.name} ${one.version}: ${tell(one, results[0]).join(', ')}`)
  return { title, frames, results }
}

function pagesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.png'))
    .sort()
    .map((file) => join(folder, file))
}

/** Sides, area and bytes, the last two also as multiples of spritewright's. */
function tell({ files, mpx, kb }, own) {
  const times = (value, of) => (value === of ? '' : ` (${(value / of).toFixed(2)} ×)`)
  const sides = files.map((file) => {
    const png = readFileSync(file)
    return `${png.readUInt32BE(16)} × ${png.readUInt32BE(20)}`
  })
  return [sides.join(' + '), `${mpx.toFixed(2)} megapixels${times(mpx, own.mpx)}`, `${Math.round(kb)} kB of PNG${times(kb, own.kb)}`]
}

async function draw(html) {
  const browser = await chromium.launch({ executablePath: findBrowser()?.path, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 900 } })
    await page.setContent(await html)
    await page.waitForFunction(() => [...document.images].every((image) => image.complete))
    return await page.locator('main').screenshot()
  } finally {
    await browser.close()
  }
}

async function toImage(file) {
  const { width } = await sharp(file).metadata()
  const small = await sharp(file)
    .resize(Math.round(width / reduction))
    .png()
    .toBuffer()
  return `<img src="data:image/png;base64,${small.toString('base64')}">`
}

async function toHtml(few, many) {
  const card = async (one) => `<section><h2>${one.name} <small>${one.version}</small></h2>
    <div class="pages">${(await Promise.all(one.files.map(toImage))).join('')}</div>${tell(one, few.results[0])
      .map((line) => `<p>${line}</p>`)
      .join('')}<p class="note">${one.note}</p></section>`
  const row = (one) =>
    `<tr><th>${one.name}</th>${tell(one, many.results[0])
      .map((cell) => `<td>${cell}</td>`)
      .join('')}</tr>`
  const cards = await Promise.all(few.results.map(card))
  return `<!doctype html><style>
    * { margin: 0; box-sizing: border-box; }
    main { width: 1600px; padding: 32px 36px; background: linear-gradient(160deg, #2a2350, #15122b 70%); color: #fff6e0; font: 16px/1.45 "Inter", "Segoe UI", "DejaVu Sans", sans-serif; }
    h1 { font-size: 25px; margin-bottom: 20px; } h2 { font-size: 20px; color: #ffd98a; } small { color: #c9bfe8; font-weight: normal; }
    .cards { display: grid; grid-template: auto auto auto / repeat(3, 316px) auto; gap: 30px 19px; align-items: start; }
    .cards > :nth-child(4) { grid-area: 1 / 4 / 3; } .cards > :nth-child(5) { grid-area: 2 / 1 / 2 / 4; } .many { grid-column: 1 / -1; }
    .pages { display: flex; gap: 8px; margin: 10px 0 8px; } .note { color: #c9bfe8; font-size: 14px; line-height: 1.35; margin-top: 3px; }
    img { display: block; border: 1px solid #6a5fa8; background: #2b2552; background-size: 16px 16px;
      background-image: conic-gradient(#342d62 25%, transparent 0 50%, #342d62 0 75%, transparent 0); }
    .many h2 { margin: 0 0 10px; } table { border-collapse: collapse; width: 100%; }
    th { text-align: left; font-weight: normal; color: #ffd98a; } th, td { padding: 7px 20px 7px 0; border-top: 1px solid #423a72; vertical-align: top; }
  </style><main><h1>${few.title}</h1><div class="cards">${cards.join('')}
    <div class="many"><h2>${many.title.replace('The same', 'And')}</h2><table>${many.results.map(row).join('')}</table></div></div></main>`
}
