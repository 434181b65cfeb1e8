import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { type Desk, type DeskSetup, heroSpec, openDesk } from './panel-desk.ts'

let browser: Browser
const open: Desk[] = []
beforeAll(async () => {
  browser = await openBrowser()
})
afterEach(async () => {
  for (const desk of open.splice(0)) await desk.close()
})
afterAll(() => browser.close())

const heroFile = 'sprites/hero.sprite.json'

/** The panel of a bought hero. */
async function start(setup: Partial<DeskSetup> = {}): Promise<Desk> {
  const desk = await openDesk(browser, { files: { [heroFile]: heroSpec('walks') }, bought: ['hero'], query: '?show=hero.walk', ...setup })
  open.push(desk)
  return desk
}

const frame = (page: Page, index: number): Locator => page.getByRole('button', { name: new RegExp(`^Frame ${index},`) })
const anchor = (page: Page): Locator => page.getByRole('button', { name: /^Anchor of hero/ })
const useOf = (text: string): string | undefined => /"use": \[([^\]]*)\]/.exec(text)?.[1]?.replaceAll(/\s/g, '')

describe('frames', () => {
  test('are dropped and moved by keys, and put back: each is in the spec at once, comments and all', async () => {
    const desk = await start()
    const { page } = desk
    await frame(page, 2).click()
    await page.keyboard.press('Delete')
    expect(await desk.written(heroFile, (text) => useOf(text) === '0,1,3,4,5,6')).toContain('// brisk')
    // The one in its place has the focus now.
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

  test('are dragged to another place', async () => {
    const desk = await start()
    await frame(desk.page, 5).dragTo(frame(desk.page, 1))
    await desk.written(heroFile, (text) => useOf(text) === '0,5,1,2,3,4,6')
    expect(desk.complaints).toEqual([])
  })
})

describe('the preview', () => {
  test('shows a frame pixel for pixel as it lies on the page of the game, steps, and zooms', async () => {
    const desk = await start()
    const { page } = desk
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
    const desk = await start()
    const { page } = desk
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

/** What the stage shows, and what the page of the game has for that frame, as colours. */
async function readStage(): Promise<[string[], string[]]> {
  const state = await (await fetch('api/state')).json()
  const { pages, animations } = state.sprites[0]
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
    const desk = await start()
    const { page } = desk
    await page.getByRole('spinbutton', { name: 'Frames a second' }).fill('15')
    await page.keyboard.press('Enter')
    expect(await desk.written(heroFile, (text) => /"fps": 15/.test(text))).toContain('// brisk')
    await page.getByRole('checkbox', { name: 'Loop' }).uncheck()
    await desk.written(heroFile, (text) => /"loop": false/.test(text))
    await page.getByRole('combobox', { name: 'Size' }).selectOption('Longest side')
    await page.getByRole('spinbutton', { name: 'Longest side, pixels' }).fill('128')
    await page.keyboard.press('Enter')
    await desk.written(heroFile, (text) => /"size": 128/.test(text))
    await page.getByText('now 128 × 128 pixels').waitFor()
    expect(desk.service.charges()).toHaveLength(1)
    expect(desk.complaints).toEqual([])
  })

  test('a number that cannot be is said so beside the field, and not written', async () => {
    const desk = await start()
    const { page } = desk
    await page.getByRole('spinbutton', { name: 'Frames a second' }).fill('999')
    await page.keyboard.press('Enter')
    await page.getByText('0.1 to 240').waitFor()
    expect(await desk.game.read(heroFile)).toBe(heroSpec('walks'))
  })

  test('the anchor is dragged on the preview, and moved by keys, a pixel a press', async () => {
    const desk = await start()
    const { page } = desk
    const canvas = await page.locator('.stage canvas').boundingBox()
    const { width, height } = await page.evaluate(async () => (await (await fetch('api/state')).json()).sprites[0].frame)
    if (!canvas) throw new Error('Expected a stage.')
    await anchor(page).hover()
    await page.mouse.down()
    await page.mouse.move(canvas.x + canvas.width / 4, canvas.y + canvas.height)
    await page.mouse.up()
    await desk.written(heroFile, (text) => /"anchor": \[\s*0\.25,\s*1\s*\]/.test(text))
    await page.waitForFunction(() => [...document.querySelectorAll('input')].some((input) => input.value === '0.25'))
    await anchor(page).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowUp')
    const share = (px: number, length: number): string => String(Math.round((px / length) * 10_000) / 10_000)
    const wanted = [share(Math.round(0.25 * width) + 2, width), share(height - 10, height)]
    const text = await desk.written(heroFile, (now) => new RegExp(`"anchor": \\[\\s*${wanted[0]},\\s*${wanted[1]}\\s*\\]`).test(now))
    expect(text).toContain('// brisk')
    expect(desk.complaints).toEqual([])
  })

  test('an edit of a spec that was changed elsewhere is not lost: it is made upon the new text', async () => {
    const desk = await start()
    const { page } = desk
    await desk.game.write(heroFile, heroSpec('walks', '\n    // and a note'))
    await page.getByRole('spinbutton', { name: 'Frames a second' }).fill('20')
    await page.keyboard.press('Enter')
    // Either the panel had seen the note, or it is refused, says so, and the second try is upon what is there.
    const isWritten = desk.written(heroFile, (text) => /"fps": 20/.test(text))
    const isRefused = page.getByRole('button', { name: 'Dismiss' }).waitFor()
    await Promise.race([isWritten, isRefused])
    expect(await desk.game.read(heroFile)).toContain('// and a note')
  })
})

describe('errors', () => {
  test('are shown with file and line, and gone when they are mended', async () => {
    const desk = await start()
    const { page } = desk
    await desk.game.write(heroFile, heroSpec('walks').replace('"fps": 8', '"fps": "fast"'))
    await page.getByRole('alert').getByText('sprites/hero.sprite.json:6', { exact: false }).waitFor()
    await page.getByRole('link', { name: /^Problems/ }).click()
    await page.getByRole('heading', { name: /sprites\/hero\.sprite\.json:6:\d+/ }).waitFor()
    await desk.game.write(heroFile, heroSpec('walks'))
    await page.getByText('Nothing is wrong.').waitFor()
    expect(desk.complaints).toEqual([])
  })
})
