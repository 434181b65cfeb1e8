import { expect, test } from 'vitest'
import { quickMakers } from '../kit/quick-makers.ts'
import { findBarriers } from './panel-access.ts'
import { heroSpec } from './panel-desk.ts'
import { agree, button, heroFile, panelRoom, showsState, spent } from './panel-room.ts'

const { start } = panelRoom({ query: '?show=hero.walk', service: { makers: quickMakers() } })
const files = { [heroFile]: heroSpec('walks') }

test('a ceiling of its own holds: under it the price may rise, above it nothing is sent before a person has seen the new one', async () => {
  const desk = await start({ files })
  const { page, service } = desk
  const dialog = page.getByRole('dialog')
  const ceiling = dialog.getByRole('textbox', { name: /^Ceiling for each/ })
  const approve = dialog.getByRole('button', { name: /^Approve/ })
  await button(page, /^Approve 1\.6 credits…$/).click()
  // The dialog grows when its prices arrive.
  await dialog.getByText('1.6 credits will be held for hero.walk', { exact: false }).waitFor()
  await dialog.getByText('Another ceiling').click()
  await ceiling.fill('2,5')
  expect(await approve.isDisabled()).toBe(true)
  await ceiling.press('Enter')
  await dialog.getByText('Credits like 2.4', { exact: false }).waitFor()
  expect(await approve.isDisabled()).toBe(true)
  await ceiling.fill('1')
  await ceiling.press('Enter')
  await dialog.getByRole('alert').getByText('ceiling is under the price', { exact: false }).waitFor()
  expect(await approve.isDisabled()).toBe(true)
  await ceiling.fill('2.5')
  await ceiling.press('Enter')
  await dialog.getByText('1.6 credits will be held for hero.walk; at most 2.5 are charged.').waitFor()

  // The price rises above the ceiling while the dialog is open, so the shown offer is no longer available.
  service.setPricing({ first_tier_cents: 80 })
  await approve.click()
  await dialog.getByRole('alert').getByText('hero.walk costs 3.2', { exact: false }).waitFor()
  expect(await approve.isDisabled()).toBe(true)
  await ceiling.fill('')
  await ceiling.press('Enter')
  await dialog.getByText('3.2 credits will be held for hero.walk; at most 3.2 are charged.').waitFor()

  // The price rises again: the approval is refused, and the dialog asks again with the current price.
  service.setPricing({ first_tier_cents: 90 })
  await approve.click()
  await dialog.getByRole('alert').getByText('Nothing was approved', { exact: false }).waitFor()
  await dialog.getByText('3.6 credits will be held for hero.walk; at most 3.6 are charged.').waitFor()
  expect(await findBarriers(page)).toEqual([])
  expect(await desk.game.list()).not.toContain('sprites.lock.json')
  expect(spent(desk)).toEqual([])
  await approve.click()
  await showsState(page, 'bought')
  expect(spent(desk)).toEqual(['36000'])
  expect(desk.complaints.filter((complaint) => !complaint.includes('status of 409'))).toEqual([])
})

test('a price that rose after the approval is not paid: it is asked about again, and paid when that is approved', async () => {
  let isRising = true
  const desk = await start({
    files,
    service: {
      // Between the agreement and the purchase, whose first request is the price.
      before: async ({ path }) => {
        const isApproved = isRising && path.startsWith('/v1/sprite-pricing') && (await desk.game.list()).includes('sprites.lock.json')
        if (isApproved) {
          isRising = false
          desk.service.setPricing({ first_tier_cents: 50 })
        }
        return undefined
      },
    },
  })
  const { page } = desk
  await button(page, /^Approve 1\.6 credits…$/).click()
  await agree(page, /^Approve 1\.6 credits$/)
  await showsState(page, 'price changed')
  await page.getByRole('alert').getByText('would cost 2 credits, its ceiling is 1.6', { exact: false }).first().waitFor()
  expect(desk.service.requests().filter(({ path }) => path === '/v1/execute')).toEqual([])
  await button(page, /^Approve 2 credits…$/).click()
  await agree(page, /^Approve 2 credits$/)
  await showsState(page, 'bought')
  expect(spent(desk)).toEqual(['20000'])
  expect(desk.complaints).toEqual([])
})
