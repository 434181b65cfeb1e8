import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser } from './browser.ts'
import { type Desk, type DeskSetup, heroSpec, openDesk } from './panel-desk.ts'

vi.setConfig({ testTimeout: 120_000 })

let browser: Browser
const open: Desk[] = []
beforeAll(async () => {
  browser = await openBrowser()
})
afterEach(async () => {
  for (const desk of open.splice(0)) await desk.close()
})
afterAll(() => browser.close())

async function start(setup: DeskSetup): Promise<Desk> {
  const desk = await openDesk(browser, setup)
  open.push(desk)
  return desk
}

const heroFile = 'sprites/hero.sprite.json'
const files = {
  [heroFile]: heroSpec('walks', ',\n    "idle": { "prompt": "waits [ask asset]", "frames": 7 }'),
  'sprites/coin.sprite.yaml': 'reference: ./figure.png\nprompt: a coin\nanimations:\n  spin:\n    frames: 7\n',
}

/** What axe finds on a page that is serious or critical: rule, and where. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  // Not as a script element: the policy of the page refuses those.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({ resultTypes: ['violations'] }),
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly target: string[] }[] }[]
}

test.each([
  ['light', 1280],
  ['dark', 320],
] as const)('nothing bars the way of anyone, %s at %i pixels', async (colorScheme, width) => {
  const desk = await start({
    files,
    bought: ['hero.walk'],
    query: '?show=hero.walk',
    look: { colorScheme, viewport: { width, height: 800 } },
  })
  const { page } = desk
  const barriers = async (): Promise<readonly string[]> => {
    // What is wider than the window is read sideways, by nobody with pleasure.
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    return [...(await findBarriers(page)), ...(excess > 0 ? [`wider by ${excess}`] : [])]
  }
  await page.getByRole('button', { name: 'Another take' }).waitFor()
  expect(await barriers()).toEqual([])
  for (const view of ['Ledger', 'Problems']) {
    await page.getByRole('link', { name: view }).click()
    expect(await barriers()).toEqual([])
  }
  expect(desk.complaints).toEqual([])
})

test('an approval is given by keyboard alone, and the focus comes back', async () => {
  const desk = await start({ files })
  const { page } = desk
  await page.getByText('credits in all', { exact: false }).waitFor()
  await page.getByRole('link', { name: /^spin/ }).focus()
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^walk/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'hero.walk' }).waitFor()
  await page.getByRole('searchbox').focus()
  await tabTo(page, 'Choose coin.spin for approval')
  await page.keyboard.press('Space')
  await tabTo(page, 'Approve 1…')
  await page.keyboard.press('Enter')
  await page.getByText('1.6 credits will be held for coin.spin', { exact: false }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.textContent === 'Approve 1…')
  await page.keyboard.press('Enter')
  await page.getByText('1.6 credits will be held for coin.spin', { exact: false }).waitFor()
  await tabTo(page, 'Approve 1.6 credits')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
  await page.locator('.paid', { hasText: 'spin' }).getByText('bought', { exact: true }).waitFor()
  expect(desk.service.charges()).toHaveLength(1)
  // Screen readers were told without the page being read again.
  expect(await page.getByRole('status').textContent()).toMatch(/coin\.spin|Approved/)
  expect(desk.complaints).toEqual([])
})

/** Goes on with Tab until something of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let times = 0; times < 80; times++) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => {
      const { activeElement } = document
      return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent
    })
    if (found?.trim() === name) return
  }
  throw new Error(`Expected to reach "${name}" by Tab.`)
}
