import fc from 'fast-check'
import { WebSocket } from 'undici'
import type { ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMessenger } from '../../plugin/dev/messenger.ts'
import { byLevel } from '../level.ts'
import { type Dev, isUpdateOf, portOf, readMessage, startDev } from '../plugin/server.ts'
import { type Game, keptLog, openSource, pluginOf, vites } from '../plugin/world.ts'

let game: Game
beforeAll(async () => {
  game = await openSource()
})
afterAll(() => game.remove())

const events = ['spritewright:have', 'spritewright:reload'] as const

/** Data of messages. No page sends any of these. */
const wrongData: readonly unknown[] = [
  ...[undefined, null, 0, -1, true, false, '', 'stamps', [], [null], {}, { stamps: null }, { stamps: undefined, all: [] }],
  ...[{ stamps: [] }, { stamps: 'hero' }, { stamps: 1 }, { stamps: { hero: null } }, { stamps: { hero: { toString: null } } }],
  ...[
    { stamps: {}, all: null },
    { stamps: {}, all: 'hero' },
    { stamps: {}, all: { includes: 1 } },
    { stamps: {}, all: [1] },
  ],
  ...[{ why: null }, { why: {} }, { why: ['a'] }, { why: { toString: null } }, { why: '' }, { why: 'x'.repeat(1001) }],
  ...[{ stamps: { ['x'.repeat(401)]: 'a' } }, { stamps: { hero: 'x'.repeat(65) } }, { stamps: { '': 'a' } }],
]

/** The listeners of a messenger. Vite calls them with the data of a frame, whatever it is. */
function listen() {
  const listeners = new Map<string, (data: unknown, client: { send(...what: unknown[]): void }) => void>()
  const { logger, lines } = keptLog()
  const hot = { on: (event: string, listener: never) => void listeners.set(event, listener), send: () => {} }
  const server = { environments: { client: { hot } }, config: { logger } } as unknown as ViteDevServer
  createMessenger(server, '/game', () => '')
  const sent: unknown[][] = []
  return { say: (event: string, data: unknown) => listeners.get(event)?.(data, { send: (...what) => void sent.push(what) }), sent, lines }
}

describe('what a socket says to the dev server', () => {
  test('M1: no data of any kind makes a listener throw', () => {
    const { say } = listen()
    const name = fc.oneof(fc.constantFrom('hero', '__proto__', 'constructor', 'toString', ''), fc.string())
    const stamps = fc.dictionary(name, fc.oneof(fc.string(), fc.jsonValue()))
    const near = fc.record({ stamps: fc.oneof(stamps, fc.jsonValue()), all: fc.jsonValue(), why: fc.jsonValue() }, { requiredKeys: [] })
    const data = fc.oneof(fc.jsonValue(), near, fc.constantFrom(...wrongData))
    fc.assert(
      fc.property(fc.constantFrom(...events), data, (event, value) => {
        // A frame is JSON, so `__proto__` can be an own key.
        say(event, value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: byLevel({ quick: 75, full: 5_000, long: 200_000 }) },
    )
  })

  test('M1: a wrong message is ignored: nothing is answered, nothing is printed; a right one after it is', () => {
    const { say, sent, lines } = listen()
    for (const event of events) for (const data of wrongData) say(event, data)
    expect([sent, lines.all]).toEqual([[], []])
    say('spritewright:reload', { why: '"hero" could not be swapped in place' })
    expect(lines.all).toEqual(['[spritewright] a page says why it reloads: "hero" could not be swapped in place'])
  })

  test('M1: more than 20,000 names are no message of a page; as many are', () => {
    const { say, sent } = listen()
    const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `sprite-${at}`)
    const stamps = (count: number): object => Object.fromEntries(names(count).map((name) => [name, 'x']))
    say('spritewright:have', { stamps: stamps(20_001) })
    say('spritewright:have', { stamps: { lost: 'x' }, all: names(20_001) })
    expect(sent).toEqual([])
    say('spritewright:have', { stamps: stamps(20_000), all: names(20_000) })
    expect(sent).toEqual([['spritewright:update', { sheets: [], gone: names(20_000) }]])
  })
})

describe.each(vites)('the socket of %s', (_name, load) => {
  test('M1: without token and Origin, no frame ends the process of a server that other machines can reach', async () => {
    const watched = watchProcess()
    const dev = await startDev(await load(), game, pluginOf(game), { server: { host: '0.0.0.0' } })
    await dev.crawl('/src/main.js')
    const socket = await connect(dev)
    for (const event of events)
      for (const data of wrongData) {
        socket.send(JSON.stringify({ type: 'custom', event, data }))
        socket.send(`{"type":"custom","event":"${event}"}`)
      }
    // Frames of one socket are handled in order, so the answer to this one comes after all of them.
    const isAnswered = new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => isUpdateOf('hero')(readMessage(String(data))) && resolve('answered'))
    })
    socket.send(JSON.stringify({ type: 'custom', event: 'spritewright:have', data: { stamps: { hero: 'of another time' } } }))
    const outcome = await Promise.race([isAnswered, watched.hasEnded])
    watched.leave()
    // A server whose socket has thrown waits for that socket for ever.
    if (outcome === 'answered') {
      socket.close()
      await dev.close()
    }
    expect(outcome).toBe('answered')
  })
})

/** A page of a stranger: it has no token, and names no origin. */
function connect(dev: Dev): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${portOf(dev.server)}${dev.server.config.base}`, 'vite-hmr')
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket), { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
}

/** Watches for errors that would end a process without a listener. */
function watchProcess(): { readonly hasEnded: Promise<unknown>; leave(): void } {
  let tell = (_error: unknown): void => {}
  const hasEnded = new Promise((resolve) => {
    tell = resolve
  })
  process.on('uncaughtException', tell)
  return { hasEnded, leave: () => void process.off('uncaughtException', tell) }
}
