import { expect, test } from 'vitest'
import { findBarriers, tabTo } from './panel-access.ts'
import { heroSpec } from './panel-desk.ts'
import { heroFile, panelRoom } from './panel-room.ts'

const { start } = panelRoom()
const files = {
  [heroFile]: heroSpec('walks', ',\n    "idle": { "prompt": "waits [ask asset]", "frames": 7 }'),
  'sprites/coin.sprite.yaml': 'reference: ./figure.png\nprompt: a coin\nanimations:\n  spin:\n    frames: 7\n',
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
  await page.getByRole('button', { name: 'Another take' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  for (const view of ['Wall', 'Atlases', 'Ledger', 'Problems']) {
    await page.getByRole('link', { name: view }).click()
    expect(await findBarriers(page)).toEqual([])
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
  // Screen readers were notified without reading the page again.
  expect(await page.getByRole('status').textContent()).toMatch(/coin\.spin|Approved/)
  expect(desk.complaints).toEqual([])
})
