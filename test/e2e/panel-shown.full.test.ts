import { expect, test } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { isExecute } from '../kill/posts.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { hostOf, key } from '../plugin/world.ts'
import { findBarriers } from './panel-access.ts'
import { type Desk, heroSpec } from './panel-desk.ts'
import { agree, button, heroFile, panelRoom, showsState, spent } from './panel-room.ts'

const room = panelRoom({ query: '?show=hero.walk', service: { makers: quickMakers() } })

/** A desk at which an unanswered submission may be replayed for five seconds of the faster clock. */
function start(service: EmbeddedOptions = {}): Promise<Desk> {
  const files = { 'spritewright.config.mjs': 'export default {"replayWindow":"5s","limits":{"windowMs":1}}', [heroFile]: heroSpec('walks') }
  return room.start({ files, service })
}

/** The same project in another terminal. */
async function terminal({ game, service }: Desk): Promise<Workshop> {
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }
  return room.keep(await createWorkshop({ root: game.root, host: hostOf(game, env) }))
}

test('words that change while an approval is asked about are shown, and asked about anew; nothing is approved for the old look', async () => {
  const desk = await start()
  const { page, game } = desk
  await button(page, /^Approve 1\.6 credits…$/).click()
  const dialog = page.getByRole('dialog', { name: 'Approve 1 purchase' })
  await dialog.getByText('walks', { exact: false }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await game.write(heroFile, heroSpec('dances'))
  await page.locator('.detail-head .prompt', { hasText: 'dances' }).waitFor({ state: 'attached' })
  await dialog.getByRole('button', { name: /^Approve 1\.6 credits$/ }).click()
  await dialog.getByText('The requests have changed: hero.walk.', { exact: false }).waitFor()
  await dialog.locator('.offer-prompt', { hasText: 'dances' }).waitFor()
  expect([spent(desk), await game.list()]).toEqual([[], expect.not.arrayContaining(['sprites.lock.json'])])
  await dialog.getByRole('button', { name: /^Approve 1\.6 credits$/ }).click()
  await showsState(page, 'bought')
  expect(spent(desk)).toEqual(['16000'])
  // The browser logs a refusal as an error.
  expect(desk.complaints.filter((words) => !words.includes('409'))).toEqual([])
})

test('what was sent for earlier words has a line of its own, and is decided about there', async () => {
  let isDeaf = true
  const desk = await start({
    after: async (request, response) => (isDeaf && isExecute(request) ? { ...response, cutAfter: 0 } : response),
  })
  const { page, game } = desk
  await button(page, /^Approve 1\.6 credits…$/).click()
  await agree(page, /^Approve 1\.6 credits$/)
  await showsState(page, 'outcome unknown')
  expect(await page.getByRole('region', { name: 'Earlier requests' }).count()).toBe(0)
  await game.write(heroFile, heroSpec('dances'))
  await showsState(page, 'not bought')
  await page
    .getByRole('region', { name: 'Earlier requests' })
    .getByRole('link', { name: /^hero\.walk.*outcome unknown/ })
    .click()
  await page.getByText('An earlier version of its spec requested it. Sent and never answered', { exact: false }).waitFor()
  expect(
    await page
      .locator('.detail')
      .getByRole('button', { name: /^Approve/ })
      .count(),
  ).toBe(0)
  expect(await findBarriers(page)).toEqual([])
  isDeaf = false
  await button(page, 'Send it again…').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send it again' }).click()
  await page.getByRole('region', { name: 'Earlier requests' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /^walk.*not bought/ }).waitFor()
  expect(spent(desk)).toEqual(['16000'])
  expect(desk.complaints).toEqual([])
})

test('a dialog whose question is decided elsewhere goes, and does not come back with the next one', async () => {
  const desk = await start({ after: async (request, response) => (isExecute(request) ? { ...response, cutAfter: 0 } : response) })
  const { page } = desk
  const other = await terminal(desk)
  await other.approve({ names: ['hero'], confirm: async () => true })
  await showsState(page, 'outcome unknown')
  await button(page, 'Give it up…').click()
  await page.getByRole('dialog', { name: 'Give hero.walk up?' }).waitFor()
  await other.recover({ name: 'hero', decision: 'abandon' })
  await other.approve({ names: ['hero'], confirm: async () => true })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await showsState(page, 'outcome unknown')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await button(page, 'Give it up…').waitFor()
  expect(desk.complaints).toEqual([])
})
