import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { figurePng } from '../kit/project.ts'
import { findBarriers, pressAt, tabTo } from './panel-access.ts'
import { heroSpec } from './panel-desk.ts'
import { heroFile, panelRoom, showsState } from './panel-room.ts'

// No test here uses a pointer, or gives the focus to anything but by the keyboard.
const { start } = panelRoom()
const files = { [heroFile]: heroSpec('walks') }

/** Approves what is open or chosen. */
async function approve(page: Page, opener: RegExp): Promise<void> {
  await pressAt(page, opener)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Approve [\d.]+ credits$/ }).waitFor()
  await pressAt(page, /^Approve [\d.]+ credits$/)
  await dialog.waitFor({ state: 'detached' })
}

test('a sprite is made from a chosen picture and words, approved and bought', async () => {
  const { page, service, written, complaints } = await start({ files })
  await pressAt(page, 'New sprite…')
  await page.getByRole('heading', { name: 'A new sprite' }).waitFor()
  await tabTo(page, 'Its picture')
  // Space opens a dialog of the browser itself here, which answers as slowly as the machine is busy.
  await page
    .locator('input[type="file"]:focus')
    .setInputFiles({ name: 'red fox.png', mimeType: 'image/png', buffer: Buffer.from(figurePng(30)) })
  await page.getByText('red fox.png is chosen.').waitFor()
  await tabTo(page, 'What it is, in words')
  await page.keyboard.type('a red fox, side view')
  await pressAt(page, 'Make it')
  await page.getByRole('heading', { name: 'red-fox.idle', level: 1 }).waitFor()
  expect(JSON.parse(await written('sprites/red-fox.sprite.json', () => true))).toMatchObject({ prompt: 'a red fox, side view' })
  await page.getByRole('button', { name: /^Approve [\d.]+ credits…$/ }).waitFor()
  await approve(page, /^Approve [\d.]+ credits…$/)
  await showsState(page, 'bought')
  expect(service.charges()).toHaveLength(1)
  expect(complaints).toEqual([])
})

test('the name of a sprite opens it, an animation is added to it, and taken back', async () => {
  const slime = 'sprites/slime.sprite.json'
  const { page, written, complaints } = await start({ files: { ...files, [slime]: heroSpec('hops') }, query: '?show=hero.walk' })
  const original = await written(slime, () => true)
  await page.getByRole('heading', { name: 'hero.walk', level: 1 }).waitFor()
  await pressAt(page, 'slime')
  await page.getByRole('heading', { name: 'slime.walk', level: 1 }).waitFor()
  await pressAt(page, 'Add an animation…')
  await page.getByRole('heading', { name: 'Another animation of slime' }).waitFor()
  await page
    .getByRole('dialog')
    .getByText(/It would cost [\d.]+ credits\./)
    .waitFor()
  await tabTo(page, 'Name')
  await page.keyboard.type('walk')
  await tabTo(page, 'What it does, in words')
  await page.keyboard.type('jumps up')
  await pressAt(page, 'Add it')
  await page.getByRole('dialog').getByText('found "walk", which "slime" has').waitFor()
  await tabTo(page, 'Name')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('jump')
  await pressAt(page, 'Add it')
  await page.getByRole('heading', { name: 'slime.jump', level: 1 }).waitFor()
  await written(slime, (text) => text.includes('jumps up'))
  await pressAt(page, 'Undo')
  expect(await written(slime, (text) => !text.includes('jumps up'))).toBe(original)
  // The browser tells of the refused name.
  expect(complaints).toEqual([expect.stringContaining('400')])
})

test('a prompt is edited beside its price, and the edit is undone', async () => {
  const { page, written, complaints } = await start({ files, bought: ['hero'], query: '?show=hero.walk' })
  const original = await written(heroFile, () => true)
  await tabTo(page, 'Prompt of walk')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('limps')
  await page.keyboard.press('Tab')
  await written(heroFile, (text) => text.includes('limps'))
  await page.getByText(/^would cost [\d.]+ credits$/).waitFor()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await pressAt(page, 'Undo')
  expect(await written(heroFile, (text) => !text.includes('limps'))).toBe(original)
  expect(complaints).toEqual([])
})

test('forty sprites are one stop of Tab: a link skips them, arrow keys go along them, and a key shows all keys', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`sprites/s${at + 10}.sprite.json`, heroSpec(`walks ${at}`)] as const),
  )
  const { page, complaints } = await start({ files: many })
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const { activeElement: one } = document
      return `${one?.localName} ${one?.getAttribute('aria-label') ?? one?.closest('.group')?.getAttribute('aria-label') ?? one?.textContent}`
    })
  const press = async (...keys: readonly string[]): Promise<string> => {
    for (const key of keys) await page.keyboard.press(key)
    return focused()
  }
  await page.getByText(/credits in all$/).waitFor()
  expect(await press('Tab')).toBe('a Skip to the content')
  expect(await press('Enter')).toBe('h1 s10.walk')

  await page.reload()
  await page.getByText(/credits in all$/).waitFor()
  let stops = 0
  for (; stops < 100 && !(await focused()).includes('Preview of'); stops++) await page.keyboard.press('Tab')
  expect(stops).toBeLessThan(20)

  await page.reload()
  await page.getByText(/credits in all$/).waitFor()
  await tabTo(page, /^walk/)
  expect(await focused()).toBe('a s10')
  expect(await press('ArrowDown', 'ArrowDown')).toBe('a s12')
  expect(await press('ArrowLeft')).toBe('input Choose s12.walk for approval')
  expect(await press('Space', 'ArrowDown', 'Space')).toBe('input Choose s13.walk for approval')
  expect(await press('End', 'Space')).toBe('input Choose s49.walk for approval')
  await page.getByRole('button', { name: 'Approve 3…' }).waitFor()
  expect(await press('ArrowRight', 'Home', 'ArrowUp')).toBe('a s10')
  await page.keyboard.press('Enter')
  // Tab leaves the list, and comes back to the same line.
  expect(await press('End', 'Enter', 'Tab', 'Shift+Tab')).toBe('a s49')
  await page.getByRole('heading', { name: 's49.walk', level: 1 }).waitFor()

  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keys' })
  await dialog.getByText('go from line to line').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.closest('.group')?.getAttribute('aria-label') === 's49')
  await tabTo(page, 'Find a sprite')
  await page.keyboard.press('?')
  expect(await dialog.count()).toBe(0)
  expect(await page.getByRole('searchbox').inputValue()).toBe('?')
  expect(complaints).toEqual([])
})
