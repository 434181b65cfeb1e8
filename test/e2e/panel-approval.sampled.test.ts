import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectCount } from '../kit/expect-count.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { byLevel } from '../level.ts'
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
  timeout: 300_000,
}, async () => {
  const files = Object.fromEntries(
    Array.from({ length: many }, (_, index) => [`sprites/s${index}.sprite.json`, heroSpec(`walks ${index}`)] as const),
  )
  const { page, service, complaints, close } = await openDesk(browser, { files, query: '', speed: 60, service: { makers: quickMakers() } })
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
  await page.getByRole('region', { name: 'Purchases in work' }).waitFor({ state: 'detached' })
  const told = await page.evaluate(() => (globalThis as unknown as { told: string[] }).told)
  expect(told[0]).toMatch(new RegExp(`^\\d+ of ${many} · [\\d.]+ of ${sum} credits`))
  const isEstimate = new RegExp(`^(?!${many} )[1-9]\\d* of ${many} · [\\d.]+ of [\\d.]+ credits · about \\d+ (?:s|min) left$`)
  expect(told.some((words) => isEstimate.test(words))).toBe(true)
  expectCount(service.charges(), many)
  expect(complaints).toEqual([])
  await close()
})
