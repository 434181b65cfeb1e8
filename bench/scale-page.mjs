// Opens the panel of the project in the working folder in a browser, after the game's page, and writes a line of JSON
// for each point that it reaches: server CPU and time since the panel was opened, nodes and heap of its page.
import { chromium } from 'playwright-core'
import { findBrowser } from '../scripts/find-browser.mjs'
import { openGame } from './scale-game.mjs'

const { server, panel } = await openGame()
const browser = await chromium.launch({ executablePath: findBrowser()?.path, args: ['--no-sandbox', '--enable-precise-memory-info'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
const devtools = await page.context().newCDPSession(page)
const cpuNow = () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  return (userCPUTime + systemCPUTime) / 1e6
}
let since = { cpuS: cpuNow(), at: performance.now() }
const reached = async (point, figures = { cpuS: cpuNow() - since.cpuS, wallS: (performance.now() - since.at) / 1000 }) => {
  await devtools.send('HeapProfiler.collectGarbage')
  const facts = await page.evaluate(() => ({
    nodes: document.querySelectorAll('*').length,
    mb: performance.memory.usedJSHeapSize / 1e6,
  }))
  console.log(JSON.stringify({ point, ...figures, ...facts }))
}

await page.goto(panel)
await page.locator('.group-head').first().waitFor({ timeout: 0 })
await reached('first names')
await page.locator('.paid').first().waitFor({ timeout: 0 })
await reached('first states')
// Measured in the page: this process serves it too.
const wallS = await page.evaluate(async () => {
  const field = document.querySelector('[type="search"]')
  const at = performance.now()
  field.value = 'sprite00042'
  field.dispatchEvent(new Event('input', { bubbles: true }))
  while (document.querySelectorAll('.group').length !== 1) await new Promise(requestAnimationFrame)
  return (performance.now() - at) / 1000
})
await reached('search', { cpuS: 0, wallS })
await page.getByRole('searchbox').fill('')
for (const view of ['Wall', 'Ledger']) {
  since = { cpuS: cpuNow(), at: performance.now() }
  await page.getByRole('link', { name: view, exact: true }).click()
  await page
    .locator(view === 'Wall' ? '.wall li' : '.entries tbody th')
    .first()
    .waitFor({ timeout: 0 })
  await reached(view.toLowerCase())
}
await browser.close()
await server.close()
