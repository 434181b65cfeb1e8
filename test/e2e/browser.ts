import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../scripts/find-browser.mjs'
import { patienceMs } from '../kit/patience.ts'

const flags = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // WebGL without a graphics card.
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  // Composites the page itself without WebGL, which is quicker if the processor draws every pixel.
  '--disable-gpu-compositing',
]

/** Small, because every pixel takes time. */
const small = { width: 320, height: 240 }

/** Starts a Chromium; `npm test` has made sure that there is one. */
export async function openBrowser(): Promise<Browser> {
  const found = findBrowser()
  if (!found) throw new Error('Expected a Chromium for the end-to-end tests, found none. "npm test" installs one, or says how.')
  const browser = await chromium.launch({ executablePath: found.path, headless: true, args: flags })
  // On a busy machine, pages take several times as long. Only the timeout of a test says that it hangs.
  browser.on('context', (context) => context.setDefaultTimeout(patienceMs))
  return browser
}

/** A page, and all its errors. */
export interface Visit {
  readonly page: Page
  /** Errors of the console, uncaught errors, and answers of 400 and above. */
  readonly complaints: string[]
}

/**
 * Opens an address.
 *
 * @param viewport In pixels.
 * @param script Runs in the page before its own scripts.
 */
export async function visit(browser: Browser, url: string, viewport = small, script?: () => void): Promise<Visit> {
  const page = await browser.newPage({ viewport })
  if (script) await page.addInitScript(script)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.text().includes('[spritewright]')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => void complaints.push(error.stack ?? error.message))
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(url)
  return { page, complaints }
}
