// Takes docs/panel*.png: every page of the panel, light and dark, of a dev server over the sprites of the
// examples, half of them bought. `npm run maintain -- pictures` runs it.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { createServer } from 'vite'
import { findBrowser } from './find-browser.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { createWorkshop } = await import(join(root, 'dist/src/index.js'))
const { startEmbeddedService } = await import(join(root, 'dist/src/service.js'))
const { default: spritewright } = await import(join(root, 'dist/plugin/index.js'))

const tall = { width: 1280, height: 1120 }
const wide = { width: 1280, height: 720 }
const scratch = mkdtempSync(join(tmpdir(), 'spritewright-panel-'))
const project = join(scratch, 'meadow')
const broken = join(project, 'sprites/wizard.sprite.json')
const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 } })
Object.assign(process.env, {
  SPRITEWRIGHT_BASE_URL: service.url,
  SPRITEWRIGHT_API_KEY: service.key,
  XDG_STATE_HOME: join(scratch, 'state'),
})
let server
let browser
let page
try {
  await makeProject()
  const address = await serve()
  browser = await chromium.launch({ executablePath: findBrowser()?.path, args: ['--no-sandbox'] })
  page = await browser.newPage({ viewport: tall, reducedMotion: 'reduce' })
  await page.goto(address)
  await page.getByText('credits in all', { exact: false }).waitFor()
  for (const theme of ['light', 'dark']) {
    if (theme === 'dark') await page.getByRole('button', { name: 'Use the dark theme' }).click()
    await takeSprite(theme)
    await takeNewSprite(theme)
    await takeApproval(theme)
    await takePages(theme)
  }
} finally {
  await browser?.close()
  await server?.close()
  await service.close()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}

/** The page of a sprite with two takes, and the comparison of the two. */
async function takeSprite(theme) {
  await page.setViewportSize(tall)
  await page.getByRole('link', { name: 'Sprites', exact: true }).click()
  await page.getByRole('region', { name: 'hero', exact: true }).getByRole('link', { name: /^walk/ }).click()
  await page.getByRole('img', { name: 'Take 2 of hero.walk' }).waitFor()
  await page.getByRole('button', { name: 'Frame 4,' }).click()
  await take('sprites', theme)
  await page.getByText('Compare two takes').click()
  await page.getByRole('checkbox', { name: /Onion skin/ }).check()
  for (const side of ['A', 'B']) await page.getByRole('img', { name: new RegExp(`^${side}: take`) }).waitFor()
  for (let frame = 0; frame < 4; frame++) await page.locator('.compare').getByRole('button', { name: 'One frame on' }).click()
  await take('compare', theme, page.getByRole('region', { name: 'Takes' }))
  await page.getByText('Compare two takes').click()
}

/** The dialog that makes a sprite, filled in. */
async function takeNewSprite(theme) {
  await page.setViewportSize(wide)
  await page.getByRole('button', { name: 'New sprite…' }).click()
  await page.getByLabel('Its picture').setInputFiles(join(root, 'examples/prebuild/sprites/robot.png'))
  await page.getByText('robot.png is chosen.').waitFor()
  await page.getByRole('textbox', { name: 'What it is, in words' }).fill('a friendly robot with one wheel, side view')
  await take('new', theme)
  await page.keyboard.press('Escape')
}

/** The question before an approval. */
async function takeApproval(theme) {
  const boxes = ['crystal.glow', 'crystal.shake'].map((name) => page.getByRole('checkbox', { name: `Choose ${name} for approval` }))
  for (const box of boxes) await box.check()
  await page.getByRole('button', { name: 'Approve 2…' }).click()
  await page.getByText('will be held for', { exact: false }).waitFor()
  await take('approve', theme)
  await page.keyboard.press('Escape')
  for (const box of boxes) await box.uncheck()
}

/** Every page but the sprites. */
async function takePages(theme) {
  for (const view of ['Wall', 'Atlases', 'Ledger', 'Problems']) {
    await page.getByRole('link', { name: view }).click()
    await page.getByRole('heading', { level: 1, name: view }).waitFor()
    await page.setViewportSize(view === 'Atlases' ? tall : wide)
    if (view === 'Atlases') await page.locator('.atlas-page img').first().waitFor()
    if (view === 'Problems') await breakSpec()
    await page.waitForLoadState('networkidle')
    await take(view.toLowerCase(), theme)
  }
  rmSync(broken)
  await page.getByText('Nothing is wrong').waitFor()
}

/** Writes a spec with a misspelt field. */
async function breakSpec() {
  const wizard = { reference: './ghost.png', prompt: 'a wizard', animations: { cast: { frame: 12 } } }
  writeFileSync(broken, JSON.stringify(wizard, null, 2))
  await page.getByText('SW_SPEC').waitFor()
}

/**
 * The sprites of two examples and a button with borders, in atlases with outlines. The hero has two takes; the
 * crystal and a ghost's spell are not bought yet.
 */
async function makeProject() {
  mkdirSync(join(project, 'sprites'), { recursive: true })
  for (const example of ['phaser', 'pixi'])
    cpSync(join(root, 'examples', example, 'sprites'), join(project, 'sprites'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"name":"meadow","private":true,"type":"module"}')
  writeFileSync(join(project, 'spritewright.config.json'), '{ "engine": "pixi", "atlas": { "hull": 8 } }')
  const frame = '<rect x="3" y="3" width="106" height="42" rx="12" fill="#2c64c8" stroke="#2b1b3d" stroke-width="5"/>'
  await sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="112" height="48">${frame}</svg>`))
    .png()
    .toFile(join(project, 'sprites/button.png'))
  const button = { reference: './button.png', prompt: 'a blue button', animations: { idle: { frames: 7 } }, borders: 16, atlas: 'buttons' }
  writeFileSync(join(project, 'sprites/button.sprite.json'), JSON.stringify(button, null, 2))
  const hero = join(project, 'sprites/hero.sprite.json')
  const spec = readFileSync(hero, 'utf8')
  const workshop = await createWorkshop({ root: project, options: { approval: { perSprite: '100' } } })
  try {
    await workshop.acceptStanding({ confirm: async () => true })
    await workshop.build({ names: ['button', 'coin', 'fox', 'hero', 'slime', 'ghost.float'], buyOnly: true })
    writeFileSync(hero, spec.replace('"fps": 14', '"fps": 14, "take": 2'))
    await workshop.build({ names: ['hero.walk'], buyOnly: true })
  } finally {
    await workshop.close()
  }
  writeFileSync(hero, spec)
}

/** @returns The address that the terminal would show. */
async function serve() {
  let told = ''
  const keep = (line) => {
    told += `${line}\n`
  }
  server = await createServer({
    root: project,
    configFile: false,
    plugins: [spritewright()],
    server: { host: '127.0.0.1', port: 0 },
    customLogger: { info: keep, warn: keep, warnOnce: keep, error: keep, clearScreen() {}, hasErrorLogged: () => false, hasWarned: false },
  })
  await server.listen()
  server.printUrls()
  const [address] = /https?:\S+#token=\S+/.exec(told) ?? []
  if (!address) throw new Error(`Expected the address of the panel, found:\n${told}`)
  return address
}

/** Takes a picture when everything is drawn: two frames of the screen after the last request. */
async function take(name, theme, part = page) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.film canvas, .stage canvas, .wall canvas')].every((canvas) => canvas.width > 1),
  )
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  const file = `docs/panel-${name}${theme === 'dark' ? '-dark' : ''}.png`
  const { size } = await sharp(await part.screenshot())
    .png({ palette: true, quality: 90, effort: 10, compressionLevel: 9 })
    .toFile(join(root, file))
  console.log(`${file}: ${Math.round(size / 1000)} kB`)
}
