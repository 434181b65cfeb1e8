import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { heroSpec } from './panel-desk.ts'
import { button, heroFile, panelRoom, showsState } from './panel-room.ts'

const { start } = panelRoom()

describe('money', () => {
  test('an approval says what is held, starts the purchase, and the real art is shown when it is there', async () => {
    const desk = await start({ files: { [heroFile]: heroSpec('walks') }, query: '?show=hero.walk', jobMs: 800 })
    const { page } = desk
    await button(page, /^Approve 1\.6 credits…$/).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1.6 credits will be held for hero.walk; at most 1.6 are charged.').waitFor()
    expect(desk.service.charges()).toEqual([])
    await dialog.getByRole('button', { name: 'Approve 1.6 credits' }).click()
    await page.getByRole('progressbar').first().waitFor()
    await showsState(page, 'bought')
    await page.getByText('a placeholder', { exact: false }).waitFor({ state: 'detached' })
    expect(desk.service.charges().map((charge) => charge.credits)).toEqual([16_000n])
    // The game has the result a moment before the lock file does.
    const lock = await desk.written('sprites.lock.json', (text) => text.includes('"result"'))
    expect(Object.values(JSON.parse(lock).animations['hero.walk'])).toMatchObject([{ approval: { ceiling: '1.6' } }])
    expect(desk.complaints).toEqual([])
  })

  test('an approval that is being given can be closed but not cancelled, and is given before its picture is uploaded', async () => {
    const held = new Map<string, { readonly opened: Promise<void>; open(): void }>()
    const hold = (path: string): void => {
      let open = (): void => {}
      const opened = new Promise<void>((resolve) => {
        open = resolve
      })
      held.set(path, { opened, open })
    }
    const desk = await start({
      files: { [heroFile]: heroSpec('walks') },
      query: '?show=hero.walk',
      service: {
        before: async ({ path }) => {
          await held.get(path)?.opened
          return undefined
        },
      },
    })
    const { page } = desk
    await button(page, /^Approve 1\.6 credits…$/).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
    await dialog.getByRole('button', { name: 'Approve 1.6 credits' }).waitFor()
    for (const path of ['/v1/balance', '/v1/reference-assets']) hold(path)
    await dialog.getByRole('button', { name: 'Approve 1.6 credits' }).click()
    await dialog.getByRole('button', { name: 'Close' }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
    held.get('/v1/balance')?.open()
    await dialog.waitFor({ state: 'detached' })
    expect(await desk.game.list()).toContain('sprites.lock.json')
    expect(desk.service.charges()).toEqual([])
    held.get('/v1/reference-assets')?.open()
    await showsState(page, 'bought')
    expect(desk.complaints).toEqual([])
  })

  test('good sprites can be approved beside broken specs, of which the page says how many', async () => {
    const broken = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`sprites/broken${at}.sprite.json`, '{ "prompt": 3 }'] as const),
    )
    const { page, complaints } = await start({ files: { [heroFile]: heroSpec('walks'), ...broken }, query: '?show=hero.walk' })
    await page.getByText('30 specs are broken, see Problems. All others can be approved.').waitFor()
    await button(page, /^Approve 1\.6 credits…$/).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve 1.6 credits' }).click()
    await showsState(page, 'bought')
    await page.getByRole('link', { name: /^Problems/ }).click()
    await page.locator('.problems .notice').nth(29).waitFor()
    expect(complaints).toEqual([])
  })

  test('several are approved at once, and a page that is not to spend cannot', async () => {
    const coin = '{ "reference": "./figure.png", "prompt": "a coin", "animations": { "spin": { "frames": 7 } } }'
    const desk = await start({ files: { [heroFile]: heroSpec('walks'), 'sprites/coin.sprite.json': coin } })
    const { page } = desk
    await page.getByRole('checkbox', { name: /^All 2/ }).check()
    await page.getByText('3.2 credits', { exact: true }).waitFor()
    await button(page, 'Approve 2…').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('3.2 credits will be held for coin.spin and hero.walk; at most 3.2 are charged.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(desk.service.charges()).toEqual([])
    expect(await desk.game.list()).not.toContain('sprites.lock.json')
    expect(desk.complaints).toEqual([])
  })

  test('without the token the page shows everything, says why it does nothing, and has nothing to press', async () => {
    const desk = await start({ files: { [heroFile]: heroSpec('walks') }, hasToken: false, query: '?show=hero.walk' })
    const { page } = desk
    await page.getByText('#token=', { exact: false }).waitFor()
    expect(await button(page, /^Approve/).evaluateAll((all) => all.map((one) => (one as HTMLButtonElement).disabled))).not.toContain(false)
    expect(await page.getByRole('spinbutton', { name: 'Frames a second' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: /^Anchor of hero/ }).focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('button', { name: /^Anchor of hero/ }).getAttribute('aria-label')).toContain(
      '0.5 across, 0.5 down, not set',
    )
    expect(desk.complaints).toEqual([])
  })

  test('a reload keeps the token and the theme, and the address does not show the token', async () => {
    const desk = await start({ files: { [heroFile]: heroSpec('walks') }, query: '?show=hero.walk' })
    const { page } = desk
    expect(page.url()).not.toContain('token')
    await button(page, 'Use the dark theme').click()
    await page.reload()
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
    await page.waitForFunction(() =>
      [...document.querySelectorAll('button')].some((one) => /^Approve 1/.test(one.textContent ?? '') && !one.disabled),
    )
    expect(
      await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML]),
      ),
    ).not.toContain(await page.evaluate(() => (history.state as { token: string }).token))
  })

  test('a server that is gone is said to be', async () => {
    const desk = await start({ files: { [heroFile]: heroSpec('walks') }, query: '?show=hero.walk' })
    await button(desk.page, /^Approve 1\.6/).waitFor()
    await desk.dev.server.close()
    await desk.page.getByText('no connection').waitFor()
  })

  test('a purchase that fails is told with what to do, and can be approved again', async () => {
    const desk = await start({ files: { [heroFile]: heroSpec('walks [fail generation_failed]') }, query: '?show=hero.walk' })
    const { page } = desk
    await button(page, /^Approve 1\.6/).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve 1\.6/ })
      .click()
    await showsState(page, 'failed')
    await page.getByRole('alert').getByText('hero.walk', { exact: false }).first().waitFor()
    await button(page, /^Approve 1\.6 credits…$/).waitFor()
    expect(desk.service.charges()).toEqual([])
  })
})

describe('questions', () => {
  test('are shown with a place for the answer, and the purchase goes on', async () => {
    const desk = await start({ files: { [heroFile]: heroSpec('walks [ask]') }, query: '?show=hero.walk' })
    const { page } = desk
    await button(page, /^Approve 1\.6/).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve 1\.6/ })
      .click()
    await page.getByRole('textbox', { name: 'Your answer' }).fill('to the right')
    await button(page, 'Send the answer').click()
    await showsState(page, 'bought')
    expect(desk.service.charges()).toHaveLength(1)
    expect(desk.complaints).toEqual([])
  })

  test('that ask for a picture take one that is dropped, and no other file', async () => {
    const desk = await start({ files: { [heroFile]: heroSpec('walks [ask asset]') }, query: '?show=hero.walk' })
    const { page } = desk
    await button(page, /^Approve 1\.6/).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve 1\.6/ })
      .click()
    await page.getByRole('textbox', { name: 'Your answer' }).fill('like this')
    expect(await button(page, 'Send the answer').isDisabled()).toBe(true)
    await drop(page, { name: 'words.txt', type: 'text/plain', bytes: [65] })
    await page.getByText('words.txt is no PNG', { exact: false }).waitFor()
    const picture = [...(await import('../kit/project.ts')).figurePng(900)]
    await drop(page, { name: 'sketch.png', type: 'image/png', bytes: picture })
    await page.getByText('sketch.png is chosen.').waitFor()
    await button(page, 'Send the answer').click()
    await showsState(page, 'bought')
  })
})

/** Drops a file on the area for a picture, as a browser does. */
async function drop(page: Page, file: { readonly name: string; readonly type: string; readonly bytes: readonly number[] }): Promise<void> {
  const data = await page.evaluateHandle(({ name, type, bytes }) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([new Uint8Array(bytes)], name, { type }))
    return transfer
  }, file)
  await page.dispatchEvent('.picture-drop', 'drop', { dataTransfer: data })
}

describe('takes', () => {
  test('another one is bought beside the first; each can be chosen', async () => {
    const desk = await start({ files: { [heroFile]: heroSpec('walks') }, bought: ['hero'], query: '?show=hero.walk' })
    const { page } = desk
    await button(page, 'Another take').click()
    await desk.written(heroFile, (text) => /"take": 2/.test(text))
    await button(page, /^Approve 1\.6/).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve 1\.6/ })
      .click()
    await showsState(page, 'bought')
    await page.getByRole('img', { name: 'Take 1 of hero.walk' }).waitFor()
    await page.getByRole('img', { name: 'Take 2 of hero.walk' }).waitFor()
    await button(page, 'Choose take 1').click()
    const text = await desk.written(heroFile, (now) => !/"take": 2/.test(now))
    expect(text).toContain('// brisk')
    await button(page, 'Choose take 2').waitFor()
    expect(desk.service.charges()).toHaveLength(2)
    expect(desk.complaints).toEqual([])
  })
})
