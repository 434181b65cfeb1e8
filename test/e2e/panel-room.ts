import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openBrowser } from './browser.ts'
import { type Desk, type DeskSetup, openDesk } from './panel-desk.ts'

interface Closable {
  close(): Promise<unknown>
}

/** Opens panels for the tests of a file. */
export interface PanelRoom {
  start(setup: DeskSetup): Promise<Desk>
  /** Closes the object after the test too. */
  keep<T extends Closable>(one: T): T
}

/**
 * One browser for the tests of a file. Everything that a test opens is closed after it, the last first.
 *
 * @param usual Settings of each panel, unless its test has others.
 */
export function panelRoom(usual: Omit<DeskSetup, 'files'> = {}): PanelRoom {
  let browser: Browser
  const open: Closable[] = []
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close()
  })
  afterAll(() => browser.close())
  const keep: PanelRoom['keep'] = (one) => {
    open.push(one)
    return one
  }
  const start: PanelRoom['start'] = async (setup) =>
    keep(await openDesk(browser, { ...usual, ...setup, service: { ...usual.service, ...setup.service } }))
  return { start, keep }
}

export const heroFile = 'sprites/hero.sprite.json'

export const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name })

/** Waits until the shown sprite has this state. */
export const showsState = (page: Page, word: string): Promise<void> =>
  page.locator('.detail-head .state', { hasText: new RegExp(`^${word}$`) }).waitFor()

/** The amounts that were charged, in order. */
export const spent = ({ service }: Desk): readonly string[] => service.charges().map(({ credits }) => String(credits))

/** Confirms a dialog. */
export async function agree(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name }).click()
}

/** Drops a file on the field of the open dialog, as from a file manager. */
export async function dropPicture(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  await page.locator('.picture-drop').first().waitFor()
  await page.evaluate(
    ({ name, base64 }) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type: 'image/png' }))
      document.querySelector('.picture-drop')?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    },
    { name, base64: Buffer.from(bytes).toString('base64') },
  )
}
