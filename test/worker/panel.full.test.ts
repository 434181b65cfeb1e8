import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPlugins } from '../../plugin/index.ts'
import { nodeHost } from '../../src/host/host.ts'
import { openBrowser } from '../e2e/browser.ts'
import { expectCount } from '../kit/expect-count.ts'
import { listenAnywhere } from '../kit/listen.ts'
import { describeWith } from '../kit/needs.ts'
import { hasRedis } from '../kit/servers/redis.ts'
import { git } from '../kit/studio.ts'
import { eachTeam, type Team } from '../kit/team.ts'
import { keptLog } from '../plugin/world.ts'

describeWith(hasRedis, 'Redis')('the panel of a machine without a key', () => {
  let browser: Browser
  let team: Team
  let server: ViteDevServer
  let page: Page
  const { logger, lines } = keptLog()
  beforeAll(async () => {
    browser = await openBrowser()
  })
  eachTeam((one) => {
    team = one
  })
  beforeEach(async () => {
    const { root } = team.desk
    const host = { ...nodeHost(), env: team.env, stateFolder: join(root, '.state', 'spritewright') }
    const plugins = createPlugins({}, { host })
    server = await createServer({ root, configFile: false, customLogger: logger, plugins: [plugins], server: { host: '127.0.0.1' } })
    await listenAnywhere(server)
    server.printUrls()
    const { href, hash } = new URL(/https?:\S+#token=\S+/.exec(lines.all.join('\n'))?.[0] ?? '')
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${href.replace(hash, '')}?show=hero.walk${hash}`)
  })
  afterEach(async () => {
    await page.close()
    await server.close()
  })
  afterAll(async () => {
    await browser.close()
  })

  test('says what to commit after an approval, goes on by itself after the push, and shows how far the worker is', async () => {
    const worker = await team.hire()
    let deliver = (): void => {}
    const isSeen = new Promise<void>((resolve) => {
      deliver = resolve
    })
    team.sheetAt = () => isSeen
    await page.getByRole('checkbox', { name: /^All/ }).check()
    await page.getByRole('button', { name: 'Approve 3…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`Where, as the worker says: ${new URL(team.service.url).host} (test key), price version`).waitFor()
    await dialog.getByRole('button', { name: /^Approve/ }).click()
    const main = page.getByRole('main')
    const advice = 'Nothing was sent. Commit its spec, its picture and sprites.lock*, push'
    await main.getByText(`the lock file there lacks the approval of "hero.walk". ${advice}`).waitFor()
    expect(worker.sentences.join(' ')).not.toContain('hero')
    await git(team.desk.root, 'add', '-A')
    await git(team.desk.root, 'commit', '-qm', 'approve')
    await main.getByText('no branch of the remote has that commit').waitFor()
    expect(team.service.charges()).toEqual([])
    await git(team.desk.root, 'push', '-q', 'origin', 'HEAD:main')
    await page
      .getByText(/^being drawn/)
      .first()
      .waitFor()
    deliver()
    await main.getByText('Bought.', { exact: true }).waitFor()
    const list = page.getByRole('region', { name: 'hero', exact: true })
    await list.getByText('bought', { exact: true }).nth(2).waitFor()
    expectCount(team.service.charges(), 3)
    expect(await main.getByText('SW_ORDER').count()).toBe(0)
  })
})
