import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createWorkshop } from '../../src/workshop.ts'
import { figurePng } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { hostOf, key, openGame } from '../plugin/world.ts'
import { findBarriers, tabTo } from './panel-access.ts'
import { heroSpec } from './panel-desk.ts'
import { agree, button, heroFile, panelRoom, showsState, spent } from './panel-room.ts'

const { start, keep } = panelRoom({ query: '?show=hero.walk', service: { makers: quickMakers() } })
const files = { [heroFile]: heroSpec('walks') }
const focused = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, text)

test('what nobody knows a person decides, by keyboard and at 320 pixels: sent again it is paid once, given up it stays paid', async () => {
  let isDeaf = true
  const desk = await start({
    files: {
      // Half a minute of the faster clock. On a busy machine, a first answer may come after a request's time limit.
      'spritewright.config.mjs': 'export default {"replayWindow":"30s","limits":{"windowMs":1}}',
      [heroFile]: heroSpec('walks', ',\n    "idle": { "prompt": "waits", "frames": 7 }'),
    },
    look: { viewport: { width: 320, height: 700 }, colorScheme: 'dark' },
    service: {
      after: async ({ method, path }, response) =>
        isDeaf && method === 'POST' && path === '/v1/execute' ? { ...response, cutAfter: 0 } : response,
    },
  })
  const { page } = desk
  await page.getByRole('link', { name: '‹ All sprites' }).click()
  await page.getByRole('checkbox', { name: /^All 2/ }).check()
  await button(page, 'Approve 2…').click()
  await agree(page, /^Approve 3\.2 credits/)
  await page.getByRole('link', { name: /^walk/ }).click()
  await showsState(page, 'outcome unknown')
  await page.getByRole('region', { name: 'It is unknown whether this was bought' }).waitFor()
  isDeaf = false

  await tabTo(page, 'Send it again…')
  await page.keyboard.press('Enter')
  await page
    .getByRole('dialog', { name: 'Send hero.walk again?' })
    .getByText('you pay a second time, at most 1.6 credits', { exact: false })
    .waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await focused(page, 'Send it again…')
  const sent = desk.service.requests().length
  await page.keyboard.press('Enter')
  await tabTo(page, 'Send it again')
  await page.keyboard.press('Enter')
  await showsState(page, 'bought')
  expect(desk.service.requests().length).toBeGreaterThan(sent)
  await focused(page, 'hero.walk')
  // The decided problem is gone; the other one remains.
  await page.getByRole('alert').getByText('hero.idle', { exact: false }).first().waitFor()
  expect(await page.getByText('Whether "hero.walk" was bought is unknown', { exact: false }).count()).toBe(0)

  await page.getByRole('link', { name: '‹ All sprites' }).click()
  await page.getByRole('link', { name: /^idle/ }).click()
  await showsState(page, 'outcome unknown')
  await button(page, 'Give it up…').click()
  await page
    .getByRole('dialog', { name: 'Give hero.idle up?' })
    .getByText('1.6 credits go on counting as spent', { exact: false })
    .waitFor()
  await agree(page, /^Give it up$/)
  await showsState(page, 'failed')
  await page.getByText('given up', { exact: false }).first().waitFor()
  await button(page, /^Approve 1\.6 credits…$/).waitFor()
  await page.getByText('Whether "hero.idle" was bought', { exact: false }).first().waitFor({ state: 'detached' })
  // Both submissions had arrived, once each. A decision itself costs nothing.
  expect(spent(desk)).toEqual(['16000', '16000'])
  expect(desk.complaints).toEqual([])
})

test('a picture that is being made is cancelled by a button, costs nothing, and can be approved anew', async () => {
  const chain = '"reference": { "steps": [{ "text": "a small knight" }] }'
  const desk = await start({
    files: { [heroFile]: heroSpec('walks').replace('"reference": "./figure.png"', chain) },
    jobMs: 600_000,
  })
  const { page } = desk
  // The picture comes with its animation.
  await page.getByRole('checkbox', { name: /^All 1/ }).check()
  await page.getByText('2.6 credits', { exact: true }).waitFor()
  await button(page, 'Approve 1…').click()
  await agree(page, /^Approve 2\.6 credits$/)
  await page.getByRole('link', { name: /^hero#1/ }).click()
  await page.locator('.detail-head .state', { hasText: 'being drawn' }).waitFor()
  await button(page, 'Cancel').click()
  await showsState(page, 'failed')
  await focused(page, 'hero#1')
  await button(page, 'Approve what hero needs…').click()
  await page.getByRole('dialog').getByText('1 credit will be charged on delivery of hero#1; at most 1.').waitFor()
  await page.keyboard.press('Escape')
  expect(spent(desk)).toEqual([])
  // A sheet cannot be cancelled, and has no such button.
  await page.getByRole('link', { name: /^walk/ }).click()
  await page.getByRole('heading', { level: 1, name: 'hero.walk' }).waitFor()
  expect(await button(page, 'Cancel').count()).toBe(0)
  expect(desk.complaints).toEqual([])
})

test('what another checkout approved is bought here only once a person has taken it over, and then once', async () => {
  const desk = await start({ files })
  const { page, service } = desk
  const colleague = await openGame()
  keep({ close: () => colleague.remove() })
  for (const [name, content] of Object.entries({ ...files, 'sprites/figure.png': figurePng() })) await colleague.write(name, content)
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }
  const theirs = await createWorkshop({ root: colleague.root, host: hostOf(colleague, env) })
  await theirs.approve({ names: ['hero'], confirm: async () => true })
  await theirs.close()
  await desk.game.write('sprites.lock.json', await colleague.read('sprites.lock.json'))

  await showsState(page, 'approved elsewhere')
  await button(page, /^Approve 1\.6 credits…$/).click()
  const dialog = page.getByRole('dialog', { name: 'Take over a purchase' })
  await dialog.getByText('Another checkout approved this, and is expected to buy it.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('checkbox', { name: /I have checked that it was not bought there/ }).check()
  await page.getByRole('dialog', { name: 'Approve 1 purchase' }).waitFor()
  expect(spent(desk)).toEqual([])
  await agree(page, /^Approve 1\.6 credits$/)
  await showsState(page, 'bought')
  expect(spent(desk)).toEqual(['16000'])
  expect(desk.complaints).toEqual([])
})
