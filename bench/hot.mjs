// `node bench/hot.mjs`: the time from a saved spec to the changed pixels on the screen, beside Vite's own
// update of a JSON module in the same page, with more and more other sprites in the project.
// - `--others 10,100,1000`: how many other sprites
// - `--rounds 15`: rounds of all edits, in turn
// - `--saves 100`: saves of an Aseprite file, which replaces the earlier one, in turn with a JSON module
// - `--per-folder 50`: other sprites in folders of this many (default: all beside the edited one; Vite's
//   watcher reads the whole folder of a saved file)
// - `--json FILE`: all measurements, as JSON
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { createServer } from 'vite'
import { findBrowser } from '../scripts/find-browser.mjs'
import { provideCorpus, readCorpus } from './corpus.mjs'
import { median } from './measure.mjs'
import { buyAll, projectEnv } from './project.mjs'
import { check, printChecks, printTable } from './report.mjs'
import { targets } from './targets.mjs'

const here = import.meta.dirname
const { values } = parseArgs({
  options: {
    others: { type: 'string', default: '10,100,1000' },
    rounds: { type: 'string', default: '15' },
    saves: { type: 'string', default: '100' },
    'per-folder': { type: 'string' },
    json: { type: 'string' },
  },
})
const rounds = Number.parseInt(values.rounds, 10)
const saves = Number.parseInt(values.saves, 10)
const perFolder = values['per-folder'] === undefined ? undefined : Number.parseInt(values['per-folder'], 10)
if (!existsSync(join(here, '../dist/plugin/index.js'))) throw new Error('Expected a built package. Run "npm run build" first.')
Object.assign(process.env, projectEnv)
const { createBitmap, writeAseprite } = await import('../dist/atlas/index.js')
const jsonEdit = {
  name: 'JSON module',
  what: 'json',
  file: 'sprites/state.json',
  text: (round) => JSON.stringify({ colour: round % 2 ? 0xff0000 : 0x00ff00 }),
}
/** The saved files, and the change that each causes on the page. */
const edits = [
  jsonEdit,
  spec('anchor', 'sprite', (round) => ({ anchor: [0.5, round % 2 ? 0.5 : 0.9] })),
  spec('fps', 'fps', (round) => ({ fps: 10 + (round % 2) })),
  spec('size', 'sprite', (round) => ({ size: round % 2 ? 64 : 96 })),
]
const asepriteEdit = {
  name: 'Aseprite file',
  what: 'sprite',
  file: 'sprites/hero.aseprite',
  text: (round) => drawn(round + 1),
  isReplaced: true,
}
let fields = {}

const corpus = await provideCorpus('S', join(here, '.cache'), console.log)
const browser = await chromium.launch({
  executablePath: findBrowser()?.path,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
})
const rows = []
const own = []
try {
  if (rounds > 0)
    for (const others of values.others.split(',').map(Number))
      for (const row of await measure(makeGame(others), edits, rounds)) rows.push({ others, ...row })
  if (saves > 0) own.push(...(await measure(makeDrawnGame(), [jsonEdit, asepriteEdit], saves)))
} finally {
  await browser.close()
}
if (rows.length > 0) printTable('from a saved file to the changed pixels, milliseconds, medians', rows)
if (own.length > 0) printTable(`the same with own art, ${saves} saves`, own)
const checks = [
  ...rows
    .filter(({ edit }) => edit !== 'JSON module')
    .map(({ others, edit, ratio }) => check(`${edit}, ${others} other sprites, ÷ JSON module`, ratio, 'at most', targets.hot.ofJson)),
  ...own
    .filter(({ edit }) => edit !== 'JSON module')
    .flatMap(({ edit, ratio, 'p95 ratio': late }) => [
      check(`${edit}, median, ÷ JSON module`, ratio, 'at most', targets.hot.ofJson),
      check(`${edit}, 95th percentile, ÷ JSON module`, late, 'at most', targets.hot.ofJson),
    ]),
]
printChecks(checks)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ node: process.version, rows, own, checks }, null, 2)}\n`)

async function measure(root, edits, rounds) {
  fields = {}
  const server = await createServer({
    root,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0 },
    optimizeDeps: { include: ['pixi.js'] },
  })
  try {
    await server.listen()
    const page = await browser.newPage()
    page.on('console', (message) => message.type() === 'error' && console.error(message.text()))
    page.on('pageerror', (error) => console.error(error))
    const since = performance.now()
    await page.goto(server.resolvedUrls.local[0], { timeout: 600_000 })
    await page.waitForFunction('window.isReady === true', undefined, { timeout: 600_000 })
    console.log(`the first page has drawn after ${((performance.now() - since) / 1000).toFixed(1)} s`)
    const times = new Map(edits.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds + 2; round++)
      for (const edit of edits) {
        const ms = await saveAndSee(page, root, edit, round)
        // The first rounds load everything that is loaded only once.
        if (round >= 2) times.get(edit.name).push(ms)
      }
    await page.close()
    const json = times.get('JSON module')
    return [...times].map(([edit, all]) => ({
      edit,
      ms: median(all),
      least: Math.min(...all),
      p95: late(all),
      most: Math.max(...all),
      ratio: median(all) / median(json),
      'p95 ratio': late(all) / late(json),
    }))
  } finally {
    await server.close()
    rmSync(root, { recursive: true, force: true })
  }
}

function spec(name, what, free) {
  return {
    name,
    what,
    file: 'sprites/hero.sprite.json',
    text: (round, before) => {
      fields = { ...fields, ...free(round) }
      const { fps = 12, ...rest } = fields
      const { reference, prompt, animations } = JSON.parse(before)
      return JSON.stringify({ reference, prompt, ...rest, animations: { walk: { frames: animations.walk.frames, fps } } })
    },
  }
}

/** The 95th percentile. */
function late(values) {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]
}

/** @returns Milliseconds from before the file is written until the frame that shows the change is drawn. */
async function saveAndSee(page, root, { what, file, text, isReplaced = false }, round) {
  const path = join(root, file)
  const next = text(round, readFileSync(path, 'utf8'))
  const count = await page.evaluate(() => window.changes.length)
  const since = performance.timeOrigin + performance.now()
  // Editors write a new file and give it the name of the old one.
  writeFileSync(isReplaced ? `${path}.tmp` : path, next)
  if (isReplaced) renameSync(`${path}.tmp`, path)
  await page.waitForFunction(([wanted, before]) => window.changes.slice(before).some((one) => one.what === wanted), [what, count], {
    timeout: 30_000,
    polling: 20,
  })
  const at = await page.evaluate(([wanted, before]) => window.changes.slice(before).find((one) => one.what === wanted).at, [what, count])
  // Watchers report a file at most about every 50 ms. An earlier write would have to wait.
  await new Promise((resolve) => setTimeout(resolve, 150))
  return at - since
}

/** An Aseprite file with one animation, whose first frame differs from round to round. */
function drawn(round) {
  const side = 128
  const frames = Array.from({ length: 8 }, (_, frame) => {
    const bitmap = createBitmap(side, side)
    for (let at = 0; at < side * side; at++) bitmap.data.set([(round * 37) % 256, at % 251, frame * 30, 255], at * 4)
    return { bitmap, durationMs: 80 }
  })
  const tags = [{ name: 'walk', from: 0, to: 7, direction: 'forward', repeat: 0 }]
  return writeAseprite({ width: side, height: side, frames, tags, slices: [] })
}

/** A game of one sprite of own art. */
function makeDrawnGame() {
  const root = makeFolder()
  mkdirSync(join(root, 'sprites'))
  writeFileSync(join(root, 'sprites/hero.sprite.json'), '{ "source": "./hero.aseprite" }')
  writeFileSync(join(root, 'sprites/hero.aseprite'), drawn(0))
  return addPage(root)
}

function makeFolder() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-hot-')))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'game', private: true, type: 'module' }))
  return root
}

/** A game of one sprite on the stage, with this many others in the project, all bought. */
function makeGame(others) {
  const root = makeFolder()
  const { sprites } = readCorpus(corpus)
  const reference = readFileSync(join(corpus, 'frames', sprites[0].name, 'frame_000.png'))
  const zipOf = (index) => join(corpus, 'zips', `${sprites[index % sprites.length].name}.zip`)
  const all = [{ name: 'hero', frames: 12, zip: zipOf(0) }]
  for (let index = 0; index < others; index++) {
    const folder = perFolder === undefined ? {} : { folder: `group${Math.floor(index / perFolder)}` }
    all.push({ name: `other${String(index).padStart(4, '0')}`, frames: 12, zip: zipOf(index + 1), ...folder })
  }
  buyAll(root, all, reference)
  return addPage(root)
}

function addPage(root) {
  mkdirSync(join(root, 'node_modules'))
  for (const name of ['pixi.js', 'vite'])
    symlinkSync(realpathSync(join(here, '../node_modules', name)), join(root, 'node_modules', name), 'junction')
  symlinkSync(join(here, '..'), join(root, 'node_modules/spritewright'), 'junction')
  writeFileSync(
    join(root, 'vite.config.js'),
    "import spritewright from 'spritewright/vite'\nexport default { plugins: [spritewright()] }\n",
  )
  writeFileSync(join(root, 'index.html'), '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>')
  writeFileSync(join(root, 'sprites/state.json'), '{"colour":255}')
  cpSync(join(here, 'hot-page.mjs'), join(root, 'main.js'))
  return root
}
