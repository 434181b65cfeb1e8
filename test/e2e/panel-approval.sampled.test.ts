import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectCount } from '../kit/expect-count.ts'
import { patienceMs } from '../kit/patience.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { byLevel, level } from '../level.ts'
import { openBrowser } from './browser.ts'
import { approveByKeyboard, findBarriers, pressAt } from './panel-access.ts'
import { heroSpec, openDesk } from './panel-desk.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** Each event of a purchase reads all sprites again, so twice as many take four times as long. */
const many = byLevel({ quick: 4, full: 12, long: 40 })

test('many sprites are approved in one go and by keyboard, with progress, credits and the time that is left', {
  timeout: 3 * patienceMs,
}, async () => {
  const files = Object.fromEntries(
    Array.from({ length: many }, (_, index) => [`sprites/s${index}.sprite.json`, heroSpec(`walks ${index}`)] as const),
  )
  // The last ones are drawn when the page has told how long they may take.
  let release = (): void => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  let drawn = 0
  const makers = quickMakers({ until: async () => (++drawn > many / 2 ? gate : undefined) })
  const { page, service, complaints, close } = await openDesk(browser, { files, query: '', speed: 60, service: { makers } })
  await page.evaluate(() => {
    const told: string[] = []
    Object.assign(globalThis, { told })
    new MutationObserver(() => {
      const words = document.querySelector('.batch p')?.textContent
      if (words && told.at(-1) !== words) told.push(words)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  const sum = (await page.getByText(/^[\d.]+ credits in all$/).textContent())!.split(' ')[0]
  const first = page.getByRole('link', { name: /^walk/ }).first()
  await first.focus()
  await page.keyboard.press('ArrowDown')
  expect(await first.evaluate((link) => document.activeElement !== link && document.activeElement?.textContent)).toMatch(/^walk/)
  await pressAt(page, 'Choose s3.walk for approval', 'Space')
  await page.getByRole('button', { name: 'Approve 1…' }).waitFor()
  await pressAt(page, `All ${many} to buy`, 'Space')
  await approveByKeyboard(page, new RegExp(`^Approve ${many}…$`))
  const batch = page.getByRole('region', { name: 'Purchases in work' })
  await batch.getByRole('progressbar', { name: 'All purchases in work' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  // Screen readers are notified without reading the page again.
  expect(await page.getByRole('status').textContent()).toMatch(/walk|Approved/)
  const isEstimate = new RegExp(`^(?!${many} )[1-9]\\d* of ${many} · [\\d.]+ of [\\d.]+ credits · about \\d+ (?:s|min) left$`)
  await batch.getByText(isEstimate).waitFor()
  release()
  await batch.waitFor({ state: 'detached' })
  const told = await page.evaluate(() => (globalThis as unknown as { told: string[] }).told)
  expect(told[0]).toMatch(new RegExp(`^\\d+ of ${many} · [\\d.]+ of ${sum} credits`))
  expectCount(service.charges(), many)
  expect(complaints).toEqual([])
  await close()
})

// One flow of the panel is enough for the quick level.
test.runIf(level !== 'quick')(
  'an approval that waits is taken back by keyboard, and given again: bought once',
  { timeout: 3 * patienceMs },
  async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const { page, service, complaints, close } = await openDesk(browser, {
      files: {
        'spritewright.config.json': '{"limits":{"activeJobs":1}}',
        'sprites/coin.sprite.json': heroSpec('spins'),
        'sprites/hero.sprite.json': heroSpec('walks'),
      },
      query: '?show=coin.walk',
      service: { makers: quickMakers({ until: () => gate }) },
    })
    const shows = (word: string): Promise<void> => page.locator('.detail-head .state', { hasText: new RegExp(`^${word}$`) }).waitFor()
    await approveByKeyboard(page, /^Approve [\d.]+ credits…$/)
    await shows('being drawn.*')
    await page.getByRole('link', { name: /^walk/ }).last().click()
    await page.getByRole('heading', { name: 'hero.walk', level: 1 }).waitFor()
    await approveByKeyboard(page, /^Approve [\d.]+ credits…$/)
    await shows('approved')
    await pressAt(page, 'Take back…')
    const dialog = page.getByRole('dialog', { name: 'Take the approval of hero.walk back?' })
    await dialog.waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    // The focus returns before the page hears of the end.
    await dialog.waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.textContent === 'Take back…')
    await page.keyboard.press('Enter')
    await pressAt(page, 'Take back')
    await page
      .getByRole('region', { name: 'Message' })
      .getByText('Taken back: hero.walk. Nothing is bought on what was approved before.')
      .waitFor()
    await shows('not bought')
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
    expect(service.charges()).toEqual([])
    await approveByKeyboard(page, /^Approve [\d.]+ credits…$/)
    release()
    await shows('bought')
    expectCount(service.charges(), 2)
    expect(complaints).toEqual([])
    await close()
  },
)
