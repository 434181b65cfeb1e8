// Takes docs/panel*.png: every page of the panel, light and dark, of a dev server over the sprites of the
// examples, half of them bought. Run `npm run build` first, then this.
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
  await page.goto(address.replace('#', '?show=hero.walk#'))
  await page.getByRole('img', { name: 'Take 2 of hero.walk' }).waitFor()
  await page.getByText('credits in all', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Frame 4,' }).click()
  await settle(page)
  await save('panel.png', await page.screenshot())
  await takePages('')
  await page.getByRole('button', { name: 'Use the dark theme' }).click()
  await takePages('-dark')
  await page.getByRole('link', { name: 'Sprites', exact: true }).click()
  await page.getByRole('link', { name: 'glow' }).click()
  for (const name of ['crystal.glow', 'crystal.shake']) await page.getByRole('checkbox', { name: `Choose ${name} for approval` }).check()
  await page.getByRole('button', { name: 'Approve 2…' }).click()
  await page.getByText('will be held for', { exact: false }).waitFor()
  await settle(page)
  await save('panel-dark.png', await page.screenshot())
} finally {
  await browser?.close()
  await server?.close()
  await service.close()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}

/** Takes every page but the sprites in the theme of now. */
async function takePages(suffix) {
  await page.setViewportSize({ width: 1280, height: 720 })
  for (const view of ['Wall', 'Atlases', 'Ledger', 'Problems']) {
    await page.getByRole('link', { name: view }).click()
    await page.getByRole('heading', { level: 1, name: view }).waitFor()
    if (view === 'Atlases') await page.locator('.atlas-page img').first().waitFor()
    if (view === 'Problems') await breakSpec()
    await page.waitForLoadState('networkidle')
    await settle(page)
    await save(`panel-${view.toLowerCase()}${suffix}.png`, await page.screenshot())
  }
  rmSync(broken)
  await page.getByText('Nothing is wrong').waitFor()
  await page.setViewportSize(tall)
}

/** Writes a spec with a misspelt field. */
async function breakSpec() {
  const wizard = { reference: './ghost.png', prompt: 'a wizard', animations: { cast: { frame: 12 } } }
  writeFileSync(broken, JSON.stringify(wizard, null, 2))
  await page.getByText('SW_SPEC').waitFor()
}

/**
 * The sprites of two examples. The hero has two takes; the crystal and a ghost's spell are not bought yet.
 */
async function makeProject() {
  mkdirSync(join(project, 'sprites'), { recursive: true })
  for (const example of ['phaser', 'pixi'])
    cpSync(join(root, 'examples', example, 'sprites'), join(project, 'sprites'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"name":"meadow","private":true,"type":"module"}')
  const hero = join(project, 'sprites/hero.sprite.json')
  const spec = readFileSync(hero, 'utf8')
  const workshop = await createWorkshop({ root: project, options: { approval: { perSprite: '100' } } })
  try {
    await workshop.acceptStanding({ confirm: async () => true })
    await workshop.build({ names: ['coin', 'fox', 'hero', 'slime', 'ghost.float'], buyOnly: true })
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
  const [address] = /https?:\S+__spritewright\/#token=\S+/.exec(told) ?? []
  if (!address) throw new Error(`Expected the address of the panel, found:\n${told}`)
  return address
}

/** Waits until all pictures are drawn: two frames of the screen after the last request. */
async function settle(page) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.film canvas, .stage canvas, .wall canvas')].every((canvas) => canvas.width > 1),
  )
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}

async function save(name, picture) {
  const { size } = await sharp(picture)
    .png({ palette: true, quality: 95, effort: 10, compressionLevel: 9 })
    .toFile(join(root, 'docs', name))
  console.log(`docs/${name}: ${Math.round(size / 1000)} kB`)
}
