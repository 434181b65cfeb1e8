import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findBarriers } from './panel-access.ts'
import { heroSpec } from './panel-desk.ts'
import { agree, button, heroFile, panelRoom, showsState } from './panel-room.ts'

const { start } = panelRoom()
/** A folder for pictures: `SPRITEWRIGHT_PICTURES=folder npx vitest run test/e2e/panel-widths.full.test.ts`. */
const pictures = process.env.SPRITEWRIGHT_PICTURES

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

/** The parts of the page that reach beyond its right edge. */
function cutParts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.top, .top > *, .notices, .notice, .detail-pane, .columns > *')]
      .filter((part) => part.getBoundingClientRect().right > window.innerWidth + 0.5)
      .map(({ className }) => className),
  )
}

test.each(['light', 'dark'] as const)(
  '%s, with an error, a question and a long notice nothing is cut at any width, and nothing bars the way of anyone',
  async (colorScheme) => {
    const long = 'x'.repeat(200)
    const desk = await start({
      files: {
        [heroFile]: heroSpec('walks', ',\n    "idle": { "prompt": "waits [ask asset]", "frames": 7 }'),
      },
      bought: ['hero.walk'],
      query: '?show=hero.idle',
      look: { colorScheme },
    })
    const { page } = desk
    await button(page, /^Approve 1\.6 credits…/).click()
    await agree(page, /^Approve 1\.6 credits/)
    await showsState(page, 'question')
    const broken = `reference: ./figure.png\nprompt: a coin\nfieldThatNobodyKnows${long}: 1\nanimations:\n  spin: {}\n`
    await desk.game.write('sprites/coin.sprite.yaml', broken)
    await desk.game.write('sprites/slime.sprite.json', `{ "reference": "./${long}.png", "prompt": "a slime", "animations": { "hop": {} } }`)
    await page.locator('.notices .notice').first().waitFor()
    for (const width of [320, 768, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      await page.getByRole('link', { name: 'Sprites', exact: true }).click()
      await page.getByRole('link', { name: /^idle/ }).click()
      await page.getByRole('heading', { level: 1, name: 'hero.idle' }).waitFor()
      const views: Record<string, unknown> = { sprite: [await findBarriers(page), await cutParts(page)] }
      await picture(page, `${colorScheme}-${width}-sprite`)
      for (const view of ['Wall', 'Atlases', 'Ledger', 'Problems']) {
        await page.getByRole('link', { name: view }).click()
        views[view] = [await findBarriers(page), await cutParts(page)]
        await picture(page, `${colorScheme}-${width}-${view}`)
      }
      expect({ colorScheme, width, views }).toEqual({
        colorScheme,
        width,
        views: { sprite: [[], []], Wall: [[], []], Atlases: [[], []], Ledger: [[], []], Problems: [[], []] },
      })
    }
    expect(desk.complaints).toEqual([])
  },
)

test.each([
  [1280, 800],
  [375, 667],
] as const)('of an offer of 14 rows, total, ceiling and buttons are in view at %i × %i', async (width, height) => {
  const animations = Array.from(
    { length: 14 },
    (_, at) => `"move${at}": { "prompt": "moves in way number ${at}, at some length", "frames": 7 }`,
  )
  const desk = await start({
    files: { [heroFile]: `{ "reference": "./figure.png", "prompt": "a small figure", "animations": { ${animations.join(', ')} } }` },
    look: { viewport: { width, height } },
  })
  const { page } = desk
  await page.getByRole('checkbox', { name: /^All 14/ }).check()
  await button(page, 'Approve 14…').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('22.4 credits will be held', { exact: false }).waitFor()
  await picture(page, `offer-${width}`)
  for (const part of [
    dialog.getByRole('button', { name: 'Approve 22.4 credits' }),
    dialog.getByText('Total'),
    dialog.getByLabel(/ceiling/i).first(),
  ]) {
    const box = await part.boundingBox()
    expect(box && box.y >= 0 && box.y + box.height <= height).toBe(true)
  }
  expect(await findBarriers(page)).toEqual([])
  // The last row can be reached, and is not covered by the total.
  await dialog.getByRole('row', { name: /move13/ }).scrollIntoViewIfNeeded()
  expect(desk.complaints).toEqual([])
})
