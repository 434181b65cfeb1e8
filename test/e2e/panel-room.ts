import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openBrowser } from './browser.ts'
import { type Desk, type DeskSetup, openPanelServer } from './panel-desk.ts'

interface Closable {
  close(): Promise<unknown>
}

/** Where the tests of a file open panels. */
export interface PanelRoom {
  start(setup: DeskSetup): Promise<Desk>
  /** Has something else closed behind the test. */
  keep<T extends Closable>(one: T): T
}

/** One browser for the tests of a file; what a test opens is closed behind it, the last first. @param usual What each panel is opened with, unless its test says otherwise. */
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
    keep(await openPanelServer(browser, { ...usual, ...setup, service: { ...usual.service, ...setup.service } }))
  return { start, keep }
}

export const heroFile = 'sprites/hero.sprite.json'

export const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name })

/** Waits until the sprite that is shown stands so. */
export const standing = (page: Page, word: string): Promise<void> =>
  page.locator('.detail-head .state', { hasText: new RegExp(`^${word}$`) }).waitFor()

/** What was charged, one after the other. */
export const spent = ({ service }: Desk): readonly string[] => service.charges().map(({ credits }) => String(credits))

/** Agrees to what a dialog offers. */
export async function agree(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name }).click()
}
