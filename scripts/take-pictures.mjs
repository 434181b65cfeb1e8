// Takes the pictures of the README from the results of the demo: run `npm run demo` first, then this. Only
// the frame around them is drawn by hand.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { preview } from 'vite'
import { findBrowser } from './find-browser.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [width, height] = [960, 540]

const browser = await chromium.launch({
  executablePath: findBrowser()?.path,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
})
try {
  const meadow = await playPhaser()
  const moonlight = await playPixi()
  await save('example-phaser.png', meadow)
  await save('example-pixi.png', moonlight)
  await save('example-village.png', await playVillage())
  await save('example-squad.png', await playSquad())
  await save('hero.png', await compose(meadow))
} finally {
  await browser.close()
}

/**
 * The knight walks up to a slime and strikes. The script moves time, so that the picture is the same on a
 * slow machine.
 */
async function playPhaser() {
  return withExample('phaser', 'window.game?.scene.isActive("level")', async (page) => {
    await page.evaluate(() => {
      window.game.loop.stop()
      let now = performance.now()
      window.tick = () => {
        now += 16
        window.game.step(now, 16)
      }
    })
    const steps = (count) =>
      page.evaluate((steps) => {
        for (let step = 0; step < steps; step++) window.tick()
      }, count)
    await page.keyboard.down('ArrowRight')
    await steps(90)
    await page.keyboard.up('ArrowRight')
    await page.keyboard.down('Space')
    await steps(20)
    return shoot(page, () => window.tick())
  })
}

/** The fox runs, a ghost conjures. */
async function playPixi() {
  return withExample('pixi', 'window.app?.stage.children.length === 4', async (page) => {
    await page.evaluate(() => window.app.ticker.stop())
    const steps = (count) =>
      page.evaluate((steps) => {
        for (let step = 0; step < steps; step++) window.app.ticker.update(window.app.ticker.lastTime + 16)
      }, count)
    await steps(40)
    await page.mouse.click(560, 430)
    await steps(36)
    return shoot(page, () => window.app.ticker.update(window.app.ticker.lastTime + 16))
  })
}

/** The same moment in both engines: the left half is drawn by Phaser, the right one by PixiJS. */
async function playVillage() {
  const nowMs = 61_000
  const left = await withExample('village', 'window.game?.scene.isActive("village")', async (page) => {
    await page.evaluate(() => window.game.loop.stop())
    return shoot(page, `() => window.game.step(${nowMs}, 16)`)
  })
  const isReady = 'window.app?.stage.children.length === 1'
  const right = await withExample(
    'village',
    isReady,
    async (page) => {
      await page.evaluate((time) => {
        window.app.ticker.stop()
        window.app.ticker.update(time)
      }, nowMs)
      return shoot(page, `() => window.app.ticker.update(${nowMs + 1})`)
    },
    'pixi.html',
  )
  const half = { left: width / 2, top: 0, width: width / 2, height }
  const sign = (name, x, anchor) => `<text x="${x}" y="524" text-anchor="${anchor}">${name}</text>`
  const signs = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="Inter, DejaVu Sans, sans-serif" font-size="20" font-weight="bold" fill="#fff6e0">
    <path d="M${width / 2} 0V${height}" stroke="#fff6e0" stroke-width="2" stroke-dasharray="9 9"/>${sign('Phaser', width / 2 - 14, 'end')}${sign('PixiJS', width / 2 + 14, 'start')}</svg>`
  return sharp(left)
    .composite([{ input: await sharp(right).extract(half).toBuffer(), left: half.left, top: 0 }, { input: Buffer.from(signs) }])
    .png()
    .toBuffer()
}

/** The lamp is at the second column. */
async function playSquad() {
  return withExample('squad', 'window.game?.scene.isActive("squad")', async (page) => {
    await page.evaluate(() => window.game.loop.stop())
    return shoot(page, `() => window.game.step(61_000, 16)`)
  })
}

/**
 * Serves a built example and plays it.
 *
 * @returns The PNG that `play` returns.
 */
async function withExample(name, isReady, play, file = '') {
  const server = await preview({
    root: join(root, 'examples', name),
    configFile: false,
    logLevel: 'error',
    preview: { host: '127.0.0.1', port: 0 },
  })
  const page = await browser.newPage({ viewport: { width, height } })
  await page.goto(`${server.resolvedUrls.local[0]}${file}`)
  await page.waitForFunction(isReady)
  const picture = await play(page)
  await page.close()
  await server.close()
  return picture
}

/** Draws once more and reads the canvas before the browser clears it. */
async function shoot(page, draw) {
  const url = await page.evaluate(`(${draw})(); document.querySelector('canvas').toDataURL('image/png')`)
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

/** The exact output of `spritewright plan` before anything is bought. */
function planWords() {
  const folder = mkdtempSync(join(tmpdir(), 'spritewright-pictures-'))
  try {
    cpSync(join(root, 'examples/phaser/sprites'), join(folder, 'sprites'), { recursive: true })
    writeFileSync(join(folder, 'spritewright.config.json'), '{ "service": "embedded" }')
    return execFileSync(process.execPath, [join(root, 'dist/src/cli/bin.js'), 'plan', '--no-color'], { cwd: folder, encoding: 'utf8' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** From the drawing to the game, in one picture. */
async function compose(game) {
  const spec = readFileSync(join(root, 'examples/phaser/sprites/hero.sprite.json'), 'utf8')
  const drawing = readFileSync(join(root, 'examples/phaser/sprites/hero.png'))
  const assets = join(root, 'examples/phaser/dist/assets')
  const atlas = readFileSync(
    join(
      assets,
      readdirSync(assets).find((name) => name.endsWith('.png')),
    ),
  )
  const page = await browser.newPage({ viewport: { width: 1600, height: 800 } })
  await page.setContent(toHtml({ spec, plan: planWords(), drawing, atlas, game }))
  await page.waitForFunction(() => [...document.images].every((image) => image.complete))
  const picture = await page.screenshot()
  await page.close()
  return picture
}

function toHtml({ spec, plan, drawing, atlas, game }) {
  return `<!doctype html><style>
    * { margin: 0; box-sizing: border-box; }
    body { width: 1600px; height: 800px; padding: 36px 40px; background: linear-gradient(160deg, #2a2350, #15122b 70%); color: #fff6e0;
      font: 17px/1.4 "Inter", "Segoe UI", "DejaVu Sans", sans-serif; display: grid; grid-template-columns: 548px 1fr; gap: 0 40px; grid-template-rows: auto 1fr; }
    h1 { font-size: 46px; letter-spacing: -1px; line-height: 1; } h1 + p { color: #c9bfe8; font-size: 19px; margin-top: 12px; }
    .steps { grid-row: 1 / 3; display: grid; grid-template-rows: 276px 240px 1fr; gap: 20px; }
    .step { position: relative; background: #1b1738; border: 1px solid #423a72; border-radius: 14px; padding: 16px 18px; overflow: hidden; }
    .step > b, .game > b { display: block; font-size: 18px; color: #ffd98a; margin-bottom: 8px; }
    b i { display: inline-grid; place-items: center; width: 27px; height: 27px; margin-right: 10px; border-radius: 50%; background: #ffb84d; color: #1b1738; font-style: normal; font-size: 16px; }
    pre { font: 12.5px/1.42 "JetBrains Mono", "DejaVu Sans Mono", monospace; color: #d8d2f4; white-space: pre; }
    .spec { display: flex; gap: 14px; align-items: center; } .spec img { width: 148px; margin-left: -8px; } .spec pre { font-size: 11.5px; line-height: 1.36; }
    .atlas { position: absolute; left: 18px; right: 18px; top: 56px; bottom: 16px; border-radius: 8px; background: #2b2552; background-size: 20px 20px;
      background-image: conic-gradient(#322b5e 25%, transparent 0 50%, #322b5e 0 75%, transparent 0); overflow: hidden; }
    .atlas img { width: 100%; }
    .game { align-self: end; } .game img { display: block; width: 100%; border-radius: 14px; border: 1px solid #423a72; box-shadow: 0 18px 50px #0008; }
  </style>
  <div class="steps">
    <div class="step"><b><i>1</i>One drawing, one small file</b><div class="spec"><img src="${toUrl(drawing)}"><pre>${escapeHtml(shorten(spec))}</pre></div></div>
    <div class="step"><b><i>2</i>A price, and a person who approves it</b><pre>${escapeHtml(plan.slice(0, plan.indexOf('Next:')).trimEnd())}</pre></div>
    <div class="step"><b><i>3</i>Bought once, packed into an atlas</b><div class="atlas"><img src="${toUrl(atlas)}"></div></div>
  </div>
  <div><h1>spritewright</h1><p>Sprite animations for Phaser and PixiJS: bought once, never above the price you approved.</p></div>
  <div class="game"><b><i>4</i>In the game</b><img src="${toUrl(game)}"></div>`
}

/** Breaks long lines of the spec for the card. */
function shorten(spec) {
  return spec
    .trim()
    .replace(/"prompt": "([^"]{24,34}) [^"]*"/g, '"prompt": "$1 …"')
    .replaceAll(/: \{ ("prompt"[^}]*?), ("frames"[^}]*) \}/g, ': {\n      $1,\n      $2 }')
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function toUrl(png) {
  return `data:image/png;base64,${png.toString('base64')}`
}

/** Few colours are enough for flat art, and keep the pictures small. */
async function save(name, picture) {
  const { size } = await sharp(picture)
    .png({ palette: true, quality: 95, effort: 10, compressionLevel: 9 })
    .toFile(join(root, 'docs', name))
  console.log(`docs/${name}: ${Math.round(size / 1000)} kB`)
}
