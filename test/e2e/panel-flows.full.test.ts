import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { patienceMs } from '../kit/patience.ts'
import { figurePng } from '../kit/project.ts'
import { openBrowser } from './browser.ts'
import { approveByKeyboard, findBarriers, pressAt } from './panel-access.ts'
import { type Desk, type DeskSetup, heroSpec, openDesk } from './panel-desk.ts'

let browser: Browser
let desk: Desk | undefined
beforeAll(async () => {
  browser = await openBrowser()
})
afterEach(async () => {
  await desk?.close()
  desk = undefined
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await browser.close()
})

const heroFile = 'sprites/hero.sprite.json'
async function open(setup: Partial<DeskSetup> = {}): Promise<Desk> {
  desk = await openDesk(browser, { files: { [heroFile]: heroSpec('walks') }, query: '?show=hero.walk', ...setup })
  return desk
}

/** Whether some pixel of a canvas is visible. */
async function isDrawn(page: Page, name: string | RegExp): Promise<boolean> {
  return page.getByRole('img', { name }).evaluate((canvas) => {
    const { width, height } = canvas as HTMLCanvasElement
    return (canvas as HTMLCanvasElement)
      .getContext('2d')!
      .getImageData(0, 0, width, height)
      .data.some((value) => value > 0)
  })
}

describe('takes', () => {
  test('two are compared in step, with onion skin, and one is chosen, by keyboard alone', async () => {
    const { page, written, complaints } = await open({ bought: ['hero'] })
    await page.getByRole('button', { name: 'Another take' }).waitFor()
    const viewport = page.viewportSize()!
    for (const [colorScheme, width] of [
      ['dark', 320],
      ['light', viewport.width],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ ...viewport, width })
      expect(await findBarriers(page)).toEqual([])
    }
    await pressAt(page, 'Another take')
    await written(heroFile, (text) => text.includes('"take": 2'))
    expect(await page.getByText('Compare two takes').count()).toBe(0)
    await page.getByRole('button', { name: /^Approve [\d.]+ credits…$/ }).waitFor()
    await approveByKeyboard(page, /^Approve [\d.]+ credits…$/)
    await page.getByText('Compare two takes').waitFor()
    await pressAt(page, 'Compare two takes')
    const compare = page.locator('.compare')
    const names = ['A: take 1 of hero.walk', 'B: take 2 of hero.walk']
    for (const name of names) await vi.waitUntil(() => isDrawn(page, name), { timeout: patienceMs })
    const bytes = (name: string): Promise<string> =>
      page.getByRole('img', { name }).evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
    await pressAt(page, 'One frame on')
    await compare.getByText('2 / 7').waitFor()
    const [a, b] = [await bytes(names[0]!), await bytes(names[1]!)]
    expect(a).not.toBe(b)
    await pressAt(page, /^Onion skin/, 'Space')
    await vi.waitUntil(async () => (await bytes(names[0]!)) !== a, { timeout: patienceMs })
    expect(await bytes(names[1]!)).toBe(b)
    expect(await findBarriers(page)).toEqual([])
    await pressAt(page, 'Choose A')
    await written(heroFile, (text) => text.includes('"take": 1') || !text.includes('"take"'))
    await page.locator('.takes').getByText('in the game', { exact: true }).waitFor()
    // A sprite that stands on its feet is not seen at the canvas's corner.
    await page.getByText('Code for the game').click()
    for (const [engine, place] of [
      ['Phaser', 'add.sprite(200, 260,'],
      ['PixiJS', 'position.set(200, 260)'],
    ] as const)
      await page
        .getByRole('region', { name: `Code for ${engine}` })
        .getByText(place, { exact: false })
        .waitFor()
    expect(complaints).toEqual([])
  })
})

describe('the other pages', () => {
  test('the wall plays everything, and leads to each sprite', async () => {
    const files = { [heroFile]: heroSpec('walks'), 'sprites/fox.sprite.json': heroSpec('trots') }
    const { page, complaints } = await open({ files, bought: ['hero'], query: '' })
    await page.getByRole('link', { name: 'Wall' }).click()
    for (const id of ['hero.walk', 'fox.walk']) await vi.waitUntil(() => isDrawn(page, `${id} plays`), { timeout: patienceMs })
    const look = (): Promise<string> =>
      page.getByRole('img', { name: 'hero.walk plays' }).evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
    const still = await look()
    await page.getByRole('button', { name: 'Play all' }).click()
    await vi.waitUntil(async () => (await look()) !== still, { timeout: patienceMs })
    await page.getByRole('button', { name: 'Pause all' }).click()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('link', { name: /hero\.walk/ }).click()
    await page.getByRole('heading', { name: 'hero.walk', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })

  test('atlases are shown as a build packs them: frames, outlines, nine-slices, sizes', async () => {
    const button = `{ "reference": "./figure.png", "prompt": "a button", "borders": 6,
      "animations": { "idle": { "frames": 7 } } }`
    const { page, complaints } = await open({
      files: {
        [heroFile]: heroSpec('walks'),
        'sprites/button.sprite.json': button,
        'spritewright.config.json': '{ "atlas": { "hull": 8, "rotate": true }, "engine": "pixi" }',
      },
      bought: ['hero'],
      query: '?view=atlases',
    })
    await page.getByRole('region', { name: 'sprites' }).getByText('14 frames on 1 page').waitFor()
    await page
      .getByText(/\d+ × \d+ px · [\d.]+ KiB · \d+ % filled/)
      .first()
      .waitFor()
    expect(await page.locator('.frame-line').count()).toBe(14)
    expect(await page.locator('.hull-line').count()).toBeGreaterThan(6)
    expect(await page.locator('.slice-line').count()).toBe(7)
    const outside = await page.evaluate(
      () =>
        [...document.querySelectorAll('g')].flatMap((group) => {
          const box = group.querySelector('rect')!.getBBox()
          return [...group.querySelectorAll<SVGGraphicsElement>('polygon, path')].filter((mark) => {
            const inner = mark.getBBox()
            return (
              inner.x < box.x || inner.y < box.y || inner.x + inner.width > box.x + box.width || inner.y + inner.height > box.y + box.height
            )
          })
        }).length,
    )
    expect(outside).toBe(0)
    await page.getByRole('checkbox', { name: 'Outlines' }).uncheck()
    expect(await page.locator('.hull-line').count()).toBe(0)
    expect(await findBarriers(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('turned frames', () => {
  test('are shown upright, pixel for pixel', async () => {
    const seen: string[][] = []
    for (const rotate of [false, true]) {
      const { page } = await open({
        files: { [heroFile]: heroSpec('walks'), 'spritewright.config.json': JSON.stringify({ atlas: { rotate }, engine: 'pixi' }) },
        bought: ['hero'],
      })
      const played = await page.evaluate(async () => (await (await fetch('api/sprite?name=hero')).json()).animations[0].played)
      expect(played.some((frame: { isTurned?: boolean }) => frame.isTurned === true)).toBe(rotate)
      await vi.waitUntil(() => isDrawn(page, /^hero\.walk$/), { timeout: patienceMs })
      const frames: string[] = []
      for (let index = 0; index < 7; index++) {
        frames.push(await page.locator('.stage canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL()))
        await page.getByRole('button', { name: 'One frame on' }).click()
      }
      seen.push(frames)
      await desk?.close()
      desk = undefined
    }
    expect(new Set(seen[0]).size).toBeGreaterThan(3)
    expect(seen[1]).toEqual(seen[0])
  })
})

describe('the list', () => {
  test('is filtered by state and sorted by price', async () => {
    const files = {
      [heroFile]: heroSpec('walks'),
      'sprites/ant.sprite.json': heroSpec('crawls'),
      'sprites/bear.sprite.json': heroSpec('strolls').replace('"frames": 7', '"frames": 30'),
    }
    const { page } = await open({ files, bought: ['hero'], query: '' })
    const names = (): Promise<string[]> => page.locator('.list h2').allTextContents()
    expect(await names()).toEqual(['ant', 'bear', 'hero'])
    await page.getByText('credits in all').waitFor()
    await page.getByRole('combobox', { name: 'Order' }).selectOption('By price')
    expect(await names()).toEqual(['bear', 'ant', 'hero'])
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Bought (1)')
    expect(await names()).toEqual(['hero'])
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Placeholders')
    expect(await names()).toEqual(['bear', 'ant'])
  })
})

describe('a sprite', () => {
  test('its code is copied, and its spec opens in the editor', async () => {
    const { page, game, dev, complaints } = await open({ look: { permissions: ['clipboard-read', 'clipboard-write'] } })
    await page.getByText('Code for the game').click()
    await page.getByRole('button', { name: 'Copy the code for Phaser' }).click()
    await page.getByRole('region', { name: 'Message' }).getByText('The code for Phaser is copied.').waitFor()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    expect(code).toContain("import hero from '../sprites/hero.sprite.json'")
    expect(code).toContain("play('hero/walk')")
    expect(await findBarriers(page)).toEqual([])
    await game.write('editor.sh', `#!/bin/sh\necho "$@" > ${join(game.root, 'opened.txt')}\n`)
    await chmod(join(game.root, 'editor.sh'), 0o755)
    vi.stubEnv('LAUNCH_EDITOR', join(game.root, 'editor.sh'))
    await page.getByRole('button', { name: 'Open in editor' }).click()
    await page.getByRole('region', { name: 'Message' }).getByText(`${heroFile} opens in your editor.`).waitFor()
    const opened = await vi.waitUntil(() => readFile(join(game.root, 'opened.txt'), 'utf8').catch(() => ''), { timeout: patienceMs })
    expect(opened).toContain(join(game.root, heroFile))
    expect(dev.log.all.join('\n')).not.toContain('Could not open')
    expect(complaints).toEqual([])
  })

  test('another picture makes another price; the picture before stays, and undo brings it back', async () => {
    const { page, game, written, complaints } = await open({ bought: ['hero'] })
    const original = await written(heroFile, () => true)
    await page.locator('.picture-drop').waitFor()
    await page.evaluate(
      (base64) => {
        const data = new DataTransfer()
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
        data.items.add(new File([bytes], 'new.png', { type: 'image/png' }))
        document
          .querySelector('.picture-drop')
          ?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
      },
      Buffer.from(figurePng(77)).toString('base64'),
    )
    await written(heroFile, (text) => text.includes('"reference": "./hero.png"'))
    await page.getByText(/^would cost/).waitFor()
    await page.getByText('Superseded: bought before the spec was changed.').waitFor()
    expect(await game.list()).toContain('sprites/figure.png')
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await written(heroFile, (text) => text.includes('./figure.png'))).toBe(original)
    expect(complaints).toEqual([])
  })
})
