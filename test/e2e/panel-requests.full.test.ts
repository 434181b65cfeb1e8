import { expect, test } from 'vitest'
import { createWorkshop } from '../../src/workshop.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { hostOf } from '../plugin/world.ts'
import { findBarriers } from './panel-access.ts'
import { heroSpec } from './panel-desk.ts'
import { agree, heroFile, panelRoom, showsState } from './panel-room.ts'

const { start } = panelRoom({ query: '?show=hero.walk', service: { makers: quickMakers() } })

test('a request of a program is shown as text, opens the offer for its names, and ends with the approval', async () => {
  const { page, game, service } = await start({ files: { [heroFile]: heroSpec('walks') } })
  const agent = await createWorkshop({ root: game.root, options: { service: 'embedded' }, host: hostOf(game, {}) })
  const ask = { names: ['hero.walk'], credits: '1.6', from: 'mcp' } as const
  await agent.requests.add({ ...ask, verb: 'approve', why: '<b>The level</b> needs a hero. '.repeat(15) })
  await agent.requests.add({ ...ask, verb: 'recover', why: 'The build stopped.' })
  await agent.close()
  // The person comes back to the tab.
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.getByText('approve hero.walk', { exact: false }).waitFor()
  expect(await page.getByText('<b>The level</b> needs a hero.', { exact: false }).count()).toBe(1)
  expect(await findBarriers(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 700 })
  expect(await findBarriers(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('region', { name: 'Request to you' }).getByRole('button', { name: 'Approve…' }).click()
  await agree(page, /^Approve 1\.6 credits$/)
  await showsState(page, 'bought')
  expect(service.charges()).toHaveLength(1)
  await page.getByRole('region', { name: 'Request to you' }).getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('region', { name: 'Request to you' }).waitFor({ state: 'detached' })
})
