import { createHash } from 'node:crypto'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { patienceMs } from '../kit/patience.ts'
import { openBrowser } from './browser.ts'
import { type Desk, heroSpec, openDesk } from './panel-desk.ts'

const heroFile = 'sprites/hero.sprite.json'
const original = heroSpec('walks')
const digest = createHash('sha256').update(original).digest('hex')

let browser: Browser
let desk: Desk
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  desk = await openDesk(browser, { files: { [heroFile]: original }, bought: ['hero'], query: '?show=hero.walk' })
  page = desk.page
})
/** Restores the spec, and opens the panel anew. */
beforeEach(async () => {
  await desk.game.write(heroFile, original)
  const isRestored = (): Promise<boolean> =>
    page.evaluate(async (wanted) => {
      const state = await (await fetch('api/state')).json()
      return state.errors.length === 0 && state.sprites[0]?.digest === wanted
    }, digest)
  await vi.waitUntil(isRestored, { timeout: patienceMs })
  await page.reload()
  await page.getByRole('button', { name: 'Drop', exact: true }).waitFor()
  desk.complaints.length = 0
})
afterAll(async () => {
  await desk.close()
  await browser.close()
})

const frame = (index: number): Locator => page.getByRole('button', { name: new RegExp(`^Frame ${index},`) })
const anchor = (): Locator => page.getByRole('button', { name: /^Anchor of hero/ })
const useOf = (text: string): string | undefined => /"use": \[([^\]]*)\]/.exec(text)?.[1]?.replaceAll(/\s/g, '')

const anchorOf = (text: string): string | undefined => /"anchor": \[([^\]]*)\]/.exec(text)?.[1]?.replaceAll(/\s/g, '')
const share = (px: number, length: number): number => Math.round((px / length) * 10_000) / 10_000

describe('frames', () => {
  test('are dropped and moved by keys, and put back: each is in the spec at once, comments and all', async () => {
    await frame(2).click()
    await page.keyboard.press('Delete')
    expect(await desk.written(heroFile, (text) => useOf(text) === '0,1,3,4,5,6')).toContain('// brisk')
    // The next frame in its place has the focus now.
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Frame 3,'))
    await page.keyboard.press('Alt+ArrowLeft')
    await desk.written(heroFile, (text) => useOf(text) === '0,3,1,4,5,6')
    await page.getByRole('button', { name: 'Put frame 2 back' }).click()
    await desk.written(heroFile, (text) => useOf(text) === '0,2,3,1,4,5,6')
    await page.getByRole('button', { name: 'Play all as delivered' }).click()
    expect(await desk.written(heroFile, (text) => useOf(text) === undefined)).toContain('// The one that the player moves.')
    expect(desk.service.charges()).toHaveLength(1)
    expect(desk.complaints).toEqual([])
  })

  test('cannot be changed by a button while they play, since the frame under a click would be a matter of luck', async () => {
    const changes = ['Drop', 'Earlier', 'Later'].map((name) => page.getByRole('button', { name, exact: true }))
    const areOpen = async (): Promise<boolean[]> => Promise.all(changes.map((button) => button.isEnabled()))
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await page.getByText('Pause to change a frame').waitFor()
    expect(await areOpen()).toEqual([false, false, false])
    await frame(3).click()
    await page.getByText('Frame 3', { exact: true }).waitFor()
    expect(await areOpen()).toEqual([true, true, true])
    await page.getByRole('button', { name: 'Drop', exact: true }).click()
    await desk.written(heroFile, (text) => useOf(text) === '0,1,2,4,5,6')
    expect(desk.complaints).toEqual([])
  })

  test('are dragged to another place', async () => {
    await frame(5).dragTo(frame(1))
    await desk.written(heroFile, (text) => useOf(text) === '0,5,1,2,3,4,6')
    expect(desk.complaints).toEqual([])
  })
})

describe('the preview', () => {
  test('shows a frame pixel for pixel as it lies on the page of the game, steps, and zooms', async () => {
    await page.getByRole('combobox', { name: 'Zoom' }).selectOption('1')
    await page.getByRole('button', { name: 'One frame on' }).click()
    await page.waitForFunction(() => document.querySelector('.frame-number')?.textContent === '2 / 7')
    const [shown, expected] = await page.evaluate(readStage)
    expect(shown).toEqual(expected)
    expect(new Set(shown).size).toBeGreaterThan(3)
    const width = async (): Promise<number> => (await page.locator('.stage canvas').boundingBox())?.width ?? 0
    const one = await width()
    await page.locator('.stage').focus()
    for (let times = 0; times < 7; times++) await page.keyboard.press('+')
    expect(await width()).toBe(8 * one)
    expect(await page.locator('.stage canvas').evaluate((canvas) => getComputedStyle(canvas).imageRendering)).toBe('pixelated')
  })

  test('plays, pauses, shows neighbours and grounds by keys alone, and holds still for those who want less motion', async () => {
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await page.locator('.stage').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.waitForFunction(() => document.querySelector('.frame-number')?.textContent !== '1 / 7')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    const before = await page.locator('.stage canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
    await page.keyboard.press('o')
    await page.waitForFunction((old) => (document.querySelector('.stage canvas') as HTMLCanvasElement).toDataURL() !== old, before)
    await page.getByRole('radio', { name: 'Checker' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.locator('.stage').getAttribute('data-ground')).toBe('light')
  })
})

/** The colours of the stage, and those of the same frame in the game's page. */
async function readStage(): Promise<[string[], string[]]> {
  const { pages, animations } = await (await fetch('api/sprite?name=hero')).json()
  const [, frame] = animations[0].played
  const image = new Image()
  image.src = pages[frame.page].url
  await image.decode()
  const read = (source: CanvasImageSource, width: number, height: number, draw: (context: CanvasRenderingContext2D) => void): string[] => {
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    if (source) draw(context)
    const { data } = context.getImageData(0, 0, width, height)
    return Array.from({ length: data.length / 4 }, (_, index) => data.slice(4 * index, 4 * index + 4).join())
  }
  const { x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight } = frame
  const stage = document.querySelector('.stage canvas') as HTMLCanvasElement
  return [
    read(stage, stage.width, stage.height, (context) => context.drawImage(stage, 0, 0)),
    read(image, sourceWidth, sourceHeight, (context) => context.drawImage(image, x, y, width, height, offsetX, offsetY, width, height)),
  ]
}

describe('free fields', () => {
  test('fps, loop and size are written where they stand, and shown', async () => {
    await page.getByRole('spinbutton', { name: 'Frames a second' }).fill('15')
    await page.keyboard.press('Enter')
    expect(await desk.written(heroFile, (text) => /"fps": 15/.test(text))).toContain('// brisk')
    await page.getByRole('checkbox', { name: 'Loop' }).uncheck()
    await desk.written(heroFile, (text) => /"loop": false/.test(text))
    await page.getByRole('combobox', { name: 'Size' }).selectOption('Longest side')
    await page.getByRole('spinbutton', { name: 'Longest side, pixels' }).fill('128')
    await page.keyboard.press('Enter')
    await desk.written(heroFile, (text) => /"size": 128/.test(text))
    await page.getByText(/^now (128 × \d+|\d+ × 128) pixels$/).waitFor()
    expect(desk.service.charges()).toHaveLength(1)
    expect(desk.complaints).toEqual([])
  })

  test('a number that cannot be is said so beside the field, and not written', async () => {
    await page.getByRole('spinbutton', { name: 'Frames a second' }).fill('999')
    await page.keyboard.press('Enter')
    await page.getByText('above 0, at most 240').waitFor()
    expect(await desk.game.read(heroFile)).toBe(original)
  })

  test('the anchor is dragged on the preview, and moved by keys, a pixel a press', async () => {
    const canvas = await page.locator('.stage canvas').boundingBox()
    const { width, height } = await page.evaluate(async () => (await (await fetch('api/sprite?name=hero')).json()).frame)
    if (!canvas) throw new Error('Expected a stage.')
    await anchor().hover()
    await page.mouse.down()
    await page.mouse.move(canvas.x + canvas.width / 4, canvas.y + canvas.height)
    await page.mouse.up()
    const across = Math.round(width / 4)
    const isAnchor = (x: number, y: number) => (text: string) => anchorOf(text) === [share(x, width), share(y, height)].join()
    await desk.written(heroFile, isAnchor(across, height))
    await anchor().focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowUp')
    expect(await desk.written(heroFile, isAnchor(across + 2, height - 10))).toContain('// brisk')
    expect(desk.complaints).toEqual([])
  })

  test('an edit of a spec that was changed elsewhere is not lost: it is made upon the new text', async () => {
    await desk.game.write(heroFile, heroSpec('walks', '\n    // and a note'))
    await page.getByRole('spinbutton', { name: 'Frames a second' }).fill('20')
    await page.keyboard.press('Enter')
    // The panel either had seen the note, or its edit is refused with a message, and the second try uses the
    // new text.
    const isWritten = desk.written(heroFile, (text) => /"fps": 20/.test(text))
    const isRefused = page.getByRole('button', { name: 'Dismiss' }).waitFor()
    await Promise.race([isWritten, isRefused])
    expect(await desk.game.read(heroFile)).toContain('// and a note')
  })
})

describe('errors', () => {
  test('are shown with file and line, and gone when they are mended', async () => {
    await desk.game.write(heroFile, original.replace('"fps": 8', '"fps": "fast"'))
    await page.getByRole('alert').getByText('sprites/hero.sprite.json:6', { exact: false }).first().waitFor()
    await page.getByRole('link', { name: /^Problems/ }).click()
    await page.getByRole('heading', { name: /sprites\/hero\.sprite\.json:6:\d+/ }).waitFor()
    await desk.game.write(heroFile, original)
    await page.getByText('Nothing is wrong.').waitFor()
    // The frames of a broken spec may have been requested at that moment.
    expect(desk.complaints.filter((complaint) => !complaint.includes('status of 400'))).toEqual([])
  })
})
