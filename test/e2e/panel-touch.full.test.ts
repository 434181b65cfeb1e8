import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { expectCount } from '../kit/expect-count.ts'
import { patienceMs } from '../kit/patience.ts'
import { startHere } from '../kit/program.ts'
import type { CliRun, TestProject } from '../kit/project.ts'
import { openBrowser } from './browser.ts'
import { findBarriers } from './panel-access.ts'
import { type Desk, heroSpec, openDesk } from './panel-desk.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const files = {
  'spritewright.config.json': '{"approval":{"accept":["touched"]}}',
  'sprites/coin.sprite.json': heroSpec('spins'),
  'sprites/hero.sprite.json': heroSpec('walks'),
}

/** Runs the CLI in the game of a desk, with the user's state folder of its dev server. */
function run({ game, service }: Desk, argv: readonly string[], typed?: string): Promise<CliRun> {
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: 'sw_test_key' }
  const ports = { stateFolder: `${game.root}/.state`, net: nodeHost().net }
  return startHere({ root: game.root } as TestProject, argv, env, ports, typed).ended
}

/** Chromium's authenticator in software: a fingerprint reader that is always touched by its owner. */
async function plugIn(page: Page, isUserVerified = true): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasUserVerification: true, isUserVerified } as const
  return { cdp, ...(await cdp.send('WebAuthn.addVirtualAuthenticator', { options })) }
}

async function openApproval(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /^All 2 to buy/ }).check()
  await page.getByRole('button', { name: 'Approve 2…' }).click()
  await page.getByRole('dialog').getByText('coin.walk').first().waitFor()
}

test('a person enrols an authenticator and approves two purchases by one touch; without it nothing is bought', {
  timeout: 3 * patienceMs,
}, async () => {
  const desk = await openDesk(browser, { files, query: '' })
  const { page, service } = desk
  await openApproval(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Only a touch approves here').waitFor()
  expect(await dialog.getByRole('button', { name: /^Open at localhost/ }).isDisabled()).toBe(true)
  expect(await findBarriers(page)).toEqual([])
  for (const argv of [
    ['approve', '--yes'],
    ['build', '--buy'],
  ])
    expect((await run(desk, argv)).code).not.toBe(0)
  expectCount(service.charges(), 0)

  // The page at `localhost` has the token, and no hold of the page that opened it.
  const opened = page.context().waitForEvent('page')
  await dialog.getByRole('button', { name: /^Use a security key/ }).click()
  const named = await opened
  await named.locator('main').waitFor()
  expect([new URL(named.url()).hostname, named.url().includes('token'), await named.evaluate(() => window.opener)]).toEqual([
    'localhost',
    false,
    null,
  ])
  await plugIn(named)
  await openApproval(named)
  await named.getByRole('button', { name: /^Use a security key/ }).click()
  const command = (await named.locator('dialog code').textContent()) ?? ''
  const word = (await named.locator('dialog .notice strong').textContent()) ?? ''
  const key = command.split(' ').at(-1) ?? ''
  expect(await findBarriers(named)).toEqual([])

  expect((await run(desk, ['trust', '--touch', key])).code).toBe(2)
  expect((await run(desk, ['trust', '--touch', key], 'y')).code).toBe(3)
  expect((await run(desk, ['trust', '--touch', key], word)).code).toBe(0)
  expect((await run(desk, ['doctor'])).stdout).toContain(`${word} enrolled`)

  await named.keyboard.press('Escape')
  await openApproval(named)
  await named.getByRole('button', { name: /^Approve .* with a touch$/ }).click()
  await named.getByRole('dialog').waitFor({ state: 'detached' })
  await desk.written('sprites.lock.json', (text) => text.split('"result"').length === 3)
  expectCount(service.charges(), 2)
  expect(JSON.stringify((await run(desk, ['ledger', '--json'])).stdout)).toContain('touched')
  await desk.close()
})

test('a page whose authenticator does not verify its user approves nothing', { timeout: 3 * patienceMs }, async () => {
  const desk = await openDesk(browser, { files, query: '' })
  const named = await desk.page.context().newPage()
  const token = await desk.page.evaluate(() => (history.state as { token: string }).token)
  await named.goto(`${desk.page.url().replace('127.0.0.1', 'localhost')}#token=${token}`)
  await named.locator('main').waitFor()
  const { cdp, authenticatorId } = await plugIn(named)
  await openApproval(named)
  await named.getByRole('button', { name: /^Use a security key/ }).click()
  const key = ((await named.locator('dialog code').textContent()) ?? '').split(' ').at(-1) ?? ''
  const word = (await named.locator('dialog .notice strong').textContent()) ?? ''
  expect((await run(desk, ['trust', '--touch', key], word)).code).toBe(0)
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await named.keyboard.press('Escape')
  await openApproval(named)
  await named.getByRole('button', { name: /^Approve .* with a touch$/ }).click()
  await named.getByRole('alert').getByText(/./).waitFor()
  expect(await named.getByRole('dialog').isVisible()).toBe(true)
  expectCount(desk.service.charges(), 0)
  await desk.close()
})
