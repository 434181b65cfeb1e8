import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { fasterClock } from '../kit/faster-clock.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { figurePng } from '../kit/project.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { type Dev, startDev } from '../plugin/server.ts'
import { type Game, hostOf, key, openGame, pluginOf, vites } from '../plugin/world.ts'

/** How a panel is opened. */
export interface DeskSetup {
  /** Files of the game. */
  readonly files: Readonly<Record<string, string>>
  /** Names of sprites that are bought before. */
  readonly bought?: readonly string[]
  /** Query of the address, for example `?show=hero.walk`. */
  readonly query?: string
  /**
   * Whether the page has the token. Without it, the page only shows.
   *
   * @default true
   */
  readonly hasToken?: boolean
  /**
   * How long a purchase takes besides its real work, in milliseconds.
   *
   * @default 0
   */
  readonly jobMs?: number
  /**
   * How many times faster the dev server's clock runs. The page has a clock of its own.
   *
   * @default 5
   */
  readonly speed?: number
  /** Further options of the service. */
  readonly service?: EmbeddedOptions
  readonly look?: BrowserContextOptions
}

/** A dev server over an embedded service, and its panel in a browser. */
export interface Desk {
  readonly page: Page
  readonly game: Game
  readonly service: EmbeddedService
  readonly dev: Dev
  /** Errors of the page, and requests to other origins. Empty if all is well. */
  readonly complaints: string[]
  /** Waits until the text of a file fits, and returns it. */
  written(file: string, fits: (text: string) => boolean): Promise<string>
  close(): Promise<void>
}

const machine = nodeHost()

/** Opens a dev server and its panel, as a person has them. */
export async function openDesk(browser: Browser, setup: DeskSetup): Promise<Desk> {
  const service = await startEmbeddedService({
    jobMs: setup.jobMs ?? 0,
    makers: rememberedMakers,
    limits: { windowMs: 1 },
    accounts: [{ name: 'test', keys: [{ key }] }],
    ...setup.service,
  })
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }
  const game = await openGame()
  for (const [name, content] of Object.entries({ 'package.json': '{"name":"meadow","private":true,"type":"module"}', ...setup.files }))
    await game.write(name, content)
  await game.write('sprites/figure.png', figurePng())
  if (setup.bought) await buy(game, env, setup.bought)
  const [, load] = vites[0]!
  const dev = await startDev(await load(), game, pluginOf(game, { env, net: machine.net, clock: fasterClock(setup.speed ?? 5) }))
  dev.server.printUrls()
  const address = new URL(/https?:\S+#token=\S+/.exec(dev.log.all.join('\n'))?.[0] ?? '')
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...setup.look })
  const page = await context.newPage()
  const complaints = listen(page, address.origin)
  await page.goto(`${address.origin}${address.pathname}${setup.query ?? ''}${setup.hasToken === false ? '' : address.hash}`)
  await page.locator('main').waitFor()
  return {
    page,
    game,
    service,
    dev,
    complaints,
    written: async (file, fits) => {
      for (;;) {
        const text = await game.read(file)
        if (fits(text)) return text
        await page.evaluate(() => new Promise(requestAnimationFrame))
      }
    },
    close: async () => {
      await context.close()
      await dev.close()
      await service.close()
      await game.remove()
    },
  }
}

async function buy(game: Game, env: Readonly<Record<string, string>>, names: readonly string[]): Promise<void> {
  const workshop = await createWorkshop({ root: game.root, options: { approval: { perSprite: '100' } }, host: hostOf(game, env) })
  await acceptCeilings(workshop)
  await workshop.build({ names, buyOnly: true })
  await workshop.close()
}

/**
 * Complaints of a page: errors, content that its policy blocked, failed answers, and requests to other
 * origins.
 */
function listen(page: Page, origin: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => void complaints.push(error.stack ?? error.message))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) complaints.push(`asks ${url}`)
  })
  return complaints
}

/** A spec as people write it: with comments, in an order of its own. */
export function heroSpec(walk: string, more = ''): string {
  return `{
  // The one that the player moves.
  "reference": "./figure.png",
  "prompt": "a small figure",
  "animations": {
    "walk": { "prompt": ${JSON.stringify(walk)}, "frames": 7, "fps": 8 }, // brisk${more}
  },
}
`
}
