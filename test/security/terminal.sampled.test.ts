import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlugins } from '../../plugin/index.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { type Dev, startDev } from '../plugin/server.ts'
import { configOf, type Game, hostOf, keptLog, noNet, openSource, spec, type TestPlugin, vites } from '../plugin/world.ts'

let game: Game
beforeAll(async () => {
  game = await openSource()
})
afterAll(() => game.remove())

/**
 * Clears the screen, names the window, moves up by the one-byte CSI, turns the reading direction, rings, goes
 * back.
 */
const hostile = 'no\x1b[2J\x1b]0;owned\x07\x9b1A\u202eyaw\u2066\u200f\x7f\b\rfine'
const shown = String.raw`no\x1b[2J\x1b]0;owned\x07\x9b1A\u202eyaw\u2066\u200f\x7f\x08\x0dfine`
/** An invalid spec: it has a tab, and hostile text after its prompt. */
const broken = spec({ prompt: 'X' }).replace('"X"', '"\u202e\t\x9b2K"\x1b[2J')
/** Two lines of a message of spritewright, with foreign text in both. */
const message = `Expected less, found ${hostile}.\nSecond line: ${hostile}`
const shownMessage = `Expected less, found ${shown}.\nSecond line: ${shown}`

/** Colours, which Vite itself prints. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const colors = /\x1b\[\d{1,2}m/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const steering = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

/** Texts that would steer a terminal. */
function steeringTexts(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.replace(colors, '')).filter((text) => steering.test(text))
}

/** The parts of an error that Vite may print. */
function printed(error: unknown): readonly string[] {
  const { message, stack, id, frame, loc } = error as { [field: string]: unknown; loc?: { file?: unknown } }
  return [message, stack, id, frame, loc?.file].filter((text) => typeof text === 'string')
}

/** A plugin whose workshop differs from the real one in these parts. */
function pluginWith(over: Partial<Workshop> | Error): TestPlugin {
  const makeWorkshop = async (init: Parameters<typeof createWorkshop>[0]): Promise<Workshop> => {
    if (over instanceof Error) throw over
    return { ...(await createWorkshop(init)), ...over }
  }
  return { plugins: createPlugins({}, { host: hostOf(game, {}, { net: noNet() }), makeWorkshop }), open: () => 0, made: () => 0 }
}

function failure(): SpritewrightError {
  return new SpritewrightError('SW_REFUSED', { message, facts: { file: `/game/${hostile}.sprite.json`, line: 1, column: 1 } })
}

describe.each(vites)('what %s prints', (_name, load) => {
  async function withDev(plugin: TestPlugin, work: (dev: Dev) => Promise<void>): Promise<void> {
    const dev = await startDev(await load(), game, plugin)
    try {
      await work(dev)
    } finally {
      await dev.close()
    }
  }

  test('M3: the reason that a page gives for its reload is escaped, and one line, which no line break ends', async () => {
    await withDev(pluginWith({}), async ({ log, say }) => {
      say('spritewright:reload', { why: message })
      const line = await log.next((one) => one.includes('a page says why it reloads'))
      expect(line).toBe(`[spritewright] a page says why it reloads: ${shownMessage.replace('\n', ' ')}`)
    })
  })

  test('M3: what the service says of a purchase and of its end is escaped, and our own line breaks stay', async () => {
    const order = { id: `hero.${hostile}`, state: 'approved', mark: '1', approved: '1', ceiling: 10_000n } as const
    let isDue = true
    const plugin = pluginWith({
      pending: async () => ({ orders: isDue ? [order] : [], mayBuy: true, canAsk: true }),
      build: async ({ onProgress } = {}) => {
        isDue = false
        onProgress?.({ id: order.id, phase: 'waiting', message: hostile } as never)
        throw new AggregateError([failure(), new Error(hostile)])
      },
    })
    await withDev(plugin, async ({ log }) => {
      await log.next((line) => line.endsWith(`] ${shown}`) || line.endsWith(`] ${hostile}`))
      expect(log.all).toContain(`[spritewright] hero.${shown}: waits: ${shown}.`)
      expect(log.all).toContain(`[spritewright] ${shownMessage}`)
      expect(steeringTexts(log.all)).toEqual([])
    })
  })

  test('M3: an error in a spec is escaped, with the lines of the file that Vite prints below it, and in the overlay', async () => {
    await game.write('sprites/broken.sprite.json', broken)
    await withDev(pluginWith({}), async ({ get, log, told }) => {
      expect((await get('/sprites/broken.sprite.json?import')).status).toBe(500)
      const line = await log.next((one) => one.includes('broken.sprite.json'))
      expect(line).toMatch(/\d *\| .*"\\u202e \\x9b2K"\\x1b\[2J/)
      expect(steeringTexts(log.all)).toEqual([])
      await game.write('sprites/broken.sprite.json', broken.replace('2K', '1K'))
      const { err } = await told.next(({ type }) => type === 'error')
      expect(steeringTexts(printed(err))).toEqual([])
    })
    await game.remove('sprites/broken.sprite.json')
  })

  test('M3: an error that the workshop throws while a module is made is escaped in all that Vite gets of it', async () => {
    await withDev(pluginWith({ preview: () => Promise.reject(failure()) }), async ({ get, log }) => {
      expect((await get('/sprites/hero.sprite.json?import')).status).toBe(500)
      expect(await log.next((line) => line.includes('Second line'))).toContain(shownMessage)
      expect(steeringTexts(log.all)).toEqual([])
    })
  })

  test('M3: a server that cannot start says why, escaped', async () => {
    const { createServer } = await load()
    for (const error of [failure(), new AggregateError([failure(), failure()], message)]) {
      const thrown: unknown = await createServer(configOf(game, pluginWith(error))).catch((one: unknown) => one)
      const all = [thrown, ...(thrown instanceof AggregateError ? thrown.errors : [])]
      expect(all.map((one) => (one as Error).message)).toEqual(all.map(() => shownMessage))
      expect(steeringTexts(all.flatMap(printed))).toEqual([])
    }
  })

  test('M3: a build that fails says why, escaped, and so do the notes of one that does not', async () => {
    const { build } = await load()
    const { logger, lines } = keptLog()
    const config = (plugin: TestPlugin): Parameters<typeof build>[0] =>
      configOf(game, plugin, { logLevel: 'info', customLogger: logger, build: { write: false } })
    const real = await createWorkshop({ root: game.root, host: hostOf(game, {}, { net: noNet() }) })
    const preview = await real.preview()
    await real.close()
    const failed: unknown = await build(config(pluginWith({ build: () => Promise.reject(failure()) }))).catch((one: unknown) => one)
    expect((failed as Error).message).toContain(shownMessage)
    expect(steeringTexts([...printed(failed), ...lines.all])).toEqual([])
    const notes = [message]
    const report = { sheets: preview.sheets, bought: [], fromVault: 0, warnings: [], failures: [], isAtRest: false }
    await build(config(pluginWith({ options: { ...real.options, notes }, build: async () => report as never })))
    expect(lines.all.join('\n')).toContain(shownMessage)
    expect(steeringTexts(lines.all)).toEqual([])
  })
})
