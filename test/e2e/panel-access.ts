import axe from 'axe-core'
import type { Page } from 'playwright-core'

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

/** Presses Tab until an element of this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let times = 0; times < 120; times++) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => {
      const { activeElement } = document
      const label = activeElement?.getAttribute('aria-label') ?? (activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent
      return (label ?? activeElement?.textContent ?? '').replace(/\s+/g, ' ').trim()
    })
    if (typeof name === 'string' ? found === name : name.test(found)) return
  }
  throw new Error(`Expected to reach "${name}" by Tab.`)
}

/** Presses Tab until an element of this name has the focus, and then a key. */
export async function pressAt(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}
