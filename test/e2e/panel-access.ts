import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Barriers on a page: serious and critical findings of axe, as rule and place, and a page or dialog that is
 * wider than its visible part, because sideways scrolling is hard to read.
 */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // Not as a script element, because the page's policy refuses those.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({ resultTypes: ['violations'] }),
  )
  const excess = await page.evaluate(() =>
    Math.max(...[...document.querySelectorAll('html, dialog[open]')].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)),
  )
  const found = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
  return [...found, ...(excess > 0 ? [`wider by ${excess}`] : [])]
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly target: string[] }[] }[]
}

/** Presses Tab until an element of this name has the focus. In the list, which is one stop, presses arrow keys. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const { words } = await readFocus(page)
    return typeof name === 'string' ? words === name : name.test(words)
  }
  for (let times = 0; times < 120; times++) {
    await page.keyboard.press('Tab')
    if (await isThere()) return
    if (!(await readFocus(page)).isInList) continue
    // The name of the first sprite is before its first line.
    for (const key of ['Home', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key)
    for (let before = -1, now = await readFocus(page); now.place !== before; now = await readFocus(page)) {
      if (await isThere()) return
      before = now.place
      await page.keyboard.press('ArrowRight')
    }
  }
  throw new Error(`Expected to reach "${name}" by Tab.`)
}

/** The focused element: its name, whether it is in the list, and its place among all elements. */
function readFocus(page: Page): Promise<{ readonly words: string; readonly isInList: boolean; readonly place: number }> {
  return page.evaluate(() => {
    const { activeElement } = document
    const label = activeElement?.getAttribute('aria-label') ?? (activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent
    return {
      words: (label ?? activeElement?.textContent ?? '').replace(/\s+/g, ' ').trim(),
      isInList: activeElement?.closest('.list') != null,
      place: [...document.querySelectorAll('*')].indexOf(activeElement as Element),
    }
  })
}

/** Presses Tab until an element of this name has the focus, and then a key. */
export async function pressAt(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

/** Opens the dialog of an approval, thinks again, and approves, by keyboard alone. */
export async function approveByKeyboard(page: Page, opener: RegExp): Promise<void> {
  await pressAt(page, opener)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Approve [\d.]+ credits$/ }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  // A person who has second thoughts is where he was before.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.waitForFunction((pattern) => new RegExp(pattern).test(document.activeElement?.textContent ?? ''), opener.source)
  await page.keyboard.press('Enter')
  await pressAt(page, /^Approve [\d.]+ credits$/)
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
}
