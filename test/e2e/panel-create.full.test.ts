import AxeBuilder from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { figurePng } from '../kit/project.ts'
import { openBrowser } from './browser.ts'
import { type Desk, type DeskSetup, heroSpec, openDesk } from './panel-desk.ts'
import { dropPicture } from './panel-room.ts'

let browser: Browser
let desk: Desk | undefined
beforeAll(async () => {
  browser = await openBrowser()
})
afterEach(async () => {
  await desk?.close()
  desk = undefined
})
afterAll(async () => {
  await browser.close()
})

const heroFile = 'sprites/hero.sprite.json'
async function open(setup: Partial<DeskSetup> = {}): Promise<Desk & { page: Page }> {
  desk = await openDesk(browser, { files: { [heroFile]: heroSpec('walks') }, query: '?show=hero.walk', ...setup })
  return desk
}

/** Findings of axe that are serious. */
async function faults(page: Page): Promise<readonly string[]> {
  await page.evaluate(AxeBuilder.source)
  const { violations } = await page.evaluate(async () => (globalThis as unknown as { axe: typeof AxeBuilder }).axe.run(document))
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

describe('a new sprite', () => {
  test('is made from a dropped picture and words, priced, approved and bought', async () => {
    const { page, game, service, complaints, written } = await open()
    await page.getByRole('button', { name: 'New sprite…' }).click()
    await page.getByRole('heading', { name: 'A new sprite' }).waitFor()
    await dropPicture(page, 'red fox.png', figurePng(30))
    await page.getByText('red fox.png is chosen.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('red-fox')
    expect(await faults(page)).toEqual([])
    const told = page.getByRole('dialog').getByText(/one animation, which would cost [\d.]+ credits\./)
    const [, price = ''] = /cost ([\d.]+) credits/.exec((await told.textContent()) ?? '') ?? []
    await page.getByRole('textbox', { name: 'What it is, in words' }).fill('a red fox, side view')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'red-fox.idle', level: 1 }).waitFor()
    expect(JSON.parse(await written('sprites/red-fox.sprite.json', () => true))).toMatchObject({ prompt: 'a red fox, side view' })
    expect(await game.list()).toContain('sprites/red-fox.png')
    expect(service.charges()).toEqual([])
    await page.getByRole('button', { name: `Approve ${price} credits…` }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve/ })
      .click()
    await page.locator('.detail-head .state', { hasText: /^\s*bought\s*$/ }).waitFor()
    expect(service.charges()).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  test('is refused in words where its name is taken, and nothing is written', async () => {
    const { page, game } = await open()
    await page.getByRole('button', { name: 'New sprite…' }).click()
    await dropPicture(page, 'hero.png', figurePng(30))
    await page.getByRole('textbox', { name: 'What it is, in words' }).fill('another hero')
    await page.getByRole('button', { name: 'Make it' }).click()
    const refusal = page.getByText('which sprites/hero.sprite.json has')
    await page.getByRole('dialog').locator(refusal).waitFor()
    expect(await refusal.count()).toBe(1)
    expect(await game.list()).not.toContain('sprites/hero.png')
    await page.getByRole('textbox', { name: 'Name' }).fill('knight')
    await refusal.waitFor({ state: 'detached' })
  })

  test('a file that only has the name of a picture is refused at once', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'New sprite…' }).click()
    await dropPicture(page, 'hero.png', Buffer.from('no picture'))
    await page.getByRole('dialog').getByText('hero.png is no PNG, JPEG or WebP picture. Choose another.').waitFor()
    await dropPicture(page, 'hero.png', figurePng(30))
    await page.getByText('hero.png is chosen.').waitFor()
  })
})

describe('what is paid for', () => {
  test('is edited with the price beside it, and undone byte for byte; what is bought plays on', async () => {
    const { page, service, written, complaints } = await open({ bought: ['hero'] })
    const original = await written(heroFile, () => true)
    await page.getByRole('spinbutton', { name: 'Frames', exact: true }).fill('12')
    await page.keyboard.press('Tab')
    await written(heroFile, (text) => text.includes('"frames": 12'))
    await page.getByText(/^would cost 2\.4 credits$/).waitFor()
    await page.getByText('Superseded: bought before the spec was changed.').waitFor()
    await page.getByRole('region', { name: 'Last edit' }).getByText('hero.walk: 12 frames.', { exact: false }).waitFor()
    await page.getByRole('textbox', { name: 'Prompt of walk' }).fill('walks "briskly"\nand waves')
    await page.keyboard.press('Tab')
    expect(await written(heroFile, (text) => text.includes('briskly'))).toContain('// brisk')
    expect(await faults(page)).toEqual([])
    await page.getByRole('region', { name: 'Last edit' }).getByRole('button', { name: 'Undo' }).focus()
    await page.keyboard.press('Enter')
    await written(heroFile, (text) => !text.includes('briskly') && text.includes('"frames": 12'))
    await page.getByRole('button', { name: 'Approve 2.4 credits…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve 2.4 credits', exact: true }).click()
    const message = page.getByRole('region', { name: 'Message' })
    await message.getByText('Approved: 2.4 credits will be held', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.locator('.detail-head .state', { hasText: /^\s*bought\s*$/ }).waitFor()
    expect(service.charges()).toHaveLength(2)
    expect(complaints).toEqual([])
    expect(original).not.toContain('"frames": 12')
  })

  test('a free edit is undone too, and the tab tells how many wait', async () => {
    const { page, written } = await open()
    const original = await written(heroFile, () => true)
    await page.waitForFunction(() => document.title.startsWith('(1) '))
    await page.getByRole('spinbutton', { name: 'Frames a second' }).fill('30')
    await page.keyboard.press('Tab')
    await written(heroFile, (text) => text.includes('"fps": 30'))
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await written(heroFile, (text) => !text.includes('"fps": 30'))).toBe(original)
    await page.getByRole('region', { name: 'Last edit' }).waitFor({ state: 'detached' })
  })
})
