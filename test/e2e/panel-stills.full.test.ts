import { expect, test } from 'vitest'
import { findBarriers } from './panel-access.ts'
import { agree, button, panelRoom, showsState, spent } from './panel-room.ts'

const { start } = panelRoom()
const file = 'sprites/icons.sprite.json'
const icons = `{
  // one style
  "reference": { "steps": [{ "text": "a slime icon on white" }] },
  "pictures": {
    "crown": [{ "edit": "with a crown" }],
    "hat": [{ "edit": "with a hat" }]
  },
  "size": 48
}
`

test('a set of pictures is seen before it is bought, approved once, and another take is bought beside one of them', async () => {
  const desk = await start({ files: { [file]: icons }, query: '?show=icons.crown' })
  const { page, written, complaints } = desk
  await page.getByRole('heading', { name: 'icons.crown', level: 1 }).waitFor()
  await showsState(page, 'not bought')
  expect(await page.getByText('A placeholder, with the frames and the size of the real one.').count()).toBe(1)
  // A picture has no playback and no prompt of an animation to edit.
  for (const words of ['Prompt of crown', 'Frames a second']) expect(await page.getByLabel(words).count()).toBe(0)
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('checkbox', { name: /^All 2/ }).check()
  await button(page, /^Approve 2…/).click()
  await agree(page, /^Approve 3 credits/)
  await showsState(page, 'bought')
  await page.getByRole('link', { name: 'hat' }).click()
  await showsState(page, 'bought')
  expect(spent(desk)).toEqual(['10000', '10000', '10000'])
  await button(page, 'Another take').click()
  await written(file, (text) => text.includes('{ "edit": "with a hat", "take": 2 }') && text.includes('// one style'))
  await showsState(page, 'not bought')
  await button(page, /^Approve 1 credit…$/).click()
  await agree(page, /^Approve 1 credit/)
  await showsState(page, 'bought')
  expect(spent(desk)).toEqual(['10000', '10000', '10000', '10000'])
  await button(page, 'Code for the game').or(page.getByText('Code for the game')).first().click()
  expect(await page.locator('.detail').textContent()).toContain("icons.pictures['hat']")
  expect(await findBarriers(page)).toEqual([])
  expect(complaints).toEqual([])
})
