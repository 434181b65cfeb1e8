// `npm run maintain -- templates`: the official templates of Phaser and PixiJS, made as the README says, with the lowest and
// the newest engines and Vites: lint, types, placeholder, approval, live art, build, built game. Needs npm's
// registry and a Chromium; takes some minutes. `-- --only NAME` runs one template. Pictures go to test-results/templates/.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createPort } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { findBrowser } from './find-browser.mjs'
import { templates } from './templates/changes.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const shots = join(root, 'test-results/templates')
const { values } = parseArgs({ options: { only: { type: 'string' } } })
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

const browserPath = findBrowser()?.path
if (browserPath === undefined) throw new Error('Expected a Chromium, found none. Install one, or name it in SPRITEWRIGHT_BROWSER.')
const work = mkdtempSync(join(tmpdir(), 'spritewright-templates-'))
mkdirSync(shots, { recursive: true })
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
})
let failed = 0
let passed = 0
try {
  await run('npm', ['run', 'build'], root)
  const packed = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', work], root))
  const archive = join(work, packed[0].filename)
  for (const template of templates) {
    if (values.only !== undefined && values.only !== template.name) continue
    for (const engine of template.engines) {
      const name = `${template.name} with ${engine}`
      try {
        await check(template, engine, archive)
        passed++
        console.log(`ok      ${name}`)
      } catch (error) {
        failed++
        console.log(`failed  ${name}\n${error instanceof Error ? error.message : error}\n`)
      }
    }
  }
} finally {
  await browser.close()
  rmSync(work, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed; pictures in test-results/templates`)
process.exitCode = failed === 0 ? 0 : 1

/** One template with one engine, from an empty folder to the built game. */
async function check(template, engine, archive) {
  const id = `${template.name}-${engine.replace(/[^a-z0-9.]+/g, '-')}`
  const folder = join(work, id)
  cpSync(join(root, 'test/fixtures/templates', template.name), folder, { recursive: true })
  await drawPictures(folder, template.pictures)
  await run(npm, ['install', '--no-audit', '--no-fund', ...engine.split(' ')], folder)
  await run(npm, ['install', '--no-audit', '--no-fund', '-D', archive], folder)
  const cli = join(folder, 'node_modules/spritewright/dist/src/cli/bin.js')
  const spritewright = (...args) => run(process.execPath, [cli, ...args], folder)

  await spritewright('init')
  for (const [file, pairs] of Object.entries(template.changes)) change(join(folder, file), pairs)
  await spritewright('plan')
  // Before Vite has ever run.
  for (const args of template.checks) await run(npm, args, folder)

  const port = await freePort()
  const dev = start(npm, ['run', template.dev, '--', '--port', String(port), '--strictPort'], folder)
  let live
  try {
    const url = `http://localhost:${port}/`
    await dev.until(() => fetch(url).then((response) => response.ok))
    const { page, complaints, pictures } = await open(url)
    await page.evaluate(() => {
      window.neverReloaded = true
    })
    await look(page, `${id}-1-placeholder`)
    const before = new Set(pictures)
    await spritewright('approve', '--yes')
    for (const animation of ['idle', 'walk']) await dev.until(async () => dev.output().includes(`hero.${animation}: bought for`))
    // The page gets the pictures of the bought frames.
    await dev.until(async () => pictures.some((url) => !before.has(url)))
    await dev.until(async () => page.evaluate(() => globalThis.knight !== undefined))
    live = await look(page, `${id}-2-live`)
    const isReloaded = await page.evaluate(() => window.neverReloaded !== true)
    const mayReload = template.reloads?.includes(engine) ?? false
    expect(isReloaded === mayReload, mayReload ? 'a reload, found none' : 'the page to stay as it was, found it reloaded')
    expect(complaints.length === 0, `no complaints in dev, found:\n${complaints.join('\n')}`)
    await page.close()
  } catch (error) {
    throw new Error(`${error.message}\n${dev.output().slice(-2000)}`, { cause: error })
  } finally {
    await dev.stop()
  }

  for (const args of template.build) await run(npm, args, folder)
  const site = await serve(join(folder, 'dist'))
  try {
    const { page, complaints } = await open(site.url)
    const built = await look(page, `${id}-3-built`)
    expect(complaints.length === 0, `no complaints in the built game, found:\n${complaints.join('\n')}`)
    expect(distance(built, live) < 12, `the built game to look like the live one (mean colour ${live}), found ${built}`)
    await page.close()
  } finally {
    site.close()
  }
}

/** Opens a game and waits until its figure is there. */
async function open(url) {
  const page = await browser.newPage({ viewport: { width: 1024, height: 900 } })
  const complaints = []
  const pictures = []
  page.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('image/')) pictures.push(response.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message))
  await page.goto(url)
  await page
    .waitForFunction(() => globalThis.knight !== undefined, undefined, { timeout: 60_000 })
    .catch(async (error) => {
      await page.screenshot({ path: join(shots, 'stuck.png') })
      throw new Error(`${error.message}\n${complaints.join('\n')}`)
    })
  return { page, complaints, pictures }
}

/** The mean colour of the figure's surroundings, over some moments. */
async function look(page, name) {
  const { x, y } = await page.evaluate(() => {
    const { left, top } = document.querySelector('canvas').getBoundingClientRect()
    return { x: left, y: top }
  })
  const clip = { x: x + 140, y: y + 90, width: 120, height: 110 }
  const sums = [0, 0, 0]
  for (let shot = 0; shot < 5; shot++) {
    const { channels } = await sharp(await page.screenshot({ clip })).stats()
    for (const [at, { mean }] of channels.slice(0, 3).entries()) sums[at] += mean / 5
  }
  await page.screenshot({ path: join(shots, `${name}.png`) })
  return sums.map((sum) => Math.round(sum))
}

function distance(a, b) {
  return a.reduce((sum, value, at) => sum + Math.abs(value - b[at]), 0)
}

function expect(holds, what) {
  if (!holds) throw new Error(`Expected ${what}.`)
}

/** Replaces texts in a file; each must be there. With `undefined` the whole file is written. */
function change(file, pairs) {
  let text = readFileSync(file, 'utf8')
  for (const [before, after] of pairs) {
    if (before === undefined) text = after
    else if (text.includes(before)) text = text.replace(before, () => after)
    else throw new Error(`Expected ${JSON.stringify(before)} in ${file}, found none.`)
  }
  writeFileSync(file, text)
}

/** The templates' own pictures are not copied; plain ones take their places. */
async function drawPictures(folder, pictures) {
  for (const [file, { width, height }] of Object.entries(pictures)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    await sharp({ create: { width, height, channels: 4, background: '#22446688' } })
      .png()
      .toFile(join(folder, file))
  }
}

/** @throws With all its output if the program failed. */
function run(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, CI: '', FORCE_COLOR: '0' }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let stdout = ''
    child.stdout.on('data', (part) => {
      output += part
      stdout += part
    })
    child.stderr.on('data', (part) => {
      output += part
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(stdout)
      else reject(new Error(`Expected "${[program, ...args].join(' ')}" to succeed, found exit code ${code}:\n${output.slice(-4000)}`))
    })
  })
}

/** Starts a program that stays. */
function start(program, args, cwd) {
  // A process group of its own, because npm does not hand signals on to what it starts.
  const child = spawn(program, args, {
    cwd,
    detached: true,
    env: { ...process.env, BROWSER: 'none', CI: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      output += part
    })
  const ended = new Promise((resolve) => child.on('close', resolve))
  return {
    output: () => output,
    /** Asks until there is an answer. */
    until: async (ask) => {
      for (let tries = 0; tries < 240; tries++) {
        const found = await ask().catch(() => undefined)
        if (found) return found
        if (child.exitCode !== null) throw new Error('The dev server has ended.')
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
      throw new Error('Expected an answer within a minute, found none.')
    },
    stop: async () => {
      if (child.exitCode === null) process.kill(-child.pid, 'SIGINT')
      await ended
    },
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createPort().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Serves a folder as any web server does. */
async function serve(folder) {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png', '.webp': 'image/webp' }
  const files = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/')))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1) || 'index.html'
    if (!files.has(path)) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(readFileSync(join(folder, path)))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }
}
