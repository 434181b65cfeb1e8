import type { ViteDevServer } from 'vite'
import { describe, expect, test } from 'vitest'
import { createLog, type PluginLog } from '../../plugin/log.ts'
import { namesOf, tellNews } from '../../plugin/news.ts'
import { printAddress } from '../../plugin/panel/server/address.ts'
import type { PanelOrigin } from '../../plugin/panel/server/origin.ts'
import type { Overview, Preview } from '../../src/index.ts'

/** A log that keeps its lines. */
function keeping(): PluginLog & { readonly infos: string[]; readonly errors: string[] } {
  const [infos, errors]: [string[], string[]] = [[], []]
  const print = (line: string): void => void infos.push(line)
  return { infos, errors, info: print, money: print, warn: print, error: (line) => void errors.push(line) }
}

const preview = (animations: Readonly<Record<string, readonly string[]>>, errors: readonly string[] = []): Preview =>
  ({
    specs: Object.entries(animations).map(([name, own]) => ({ name, animations: own.map((one) => ({ name: one })) })),
    errors: errors.map((message) => new Error(message)),
  }) as unknown as Preview
const items = (states: Readonly<Record<string, string>>): Overview =>
  ({
    items: Object.entries(states).map(([id, state]) => ({ id, state, request: { id, operation: 'sprite_sheet' } })),
    errors: [],
  }) as unknown as Overview

describe('the news of a saved file', () => {
  const told = async (before: Preview | undefined, now: Preview, states: Readonly<Record<string, string>> = {}) => {
    const log = keeping()
    let looks = 0
    await tellNews(log, before, now, async () => {
      looks += 1
      return items(states)
    })
    return { infos: log.infos.map((line) => line.split(':')[0]), errors: log.errors, looks }
  }

  test('are each new error, once, and each new animation that is not bought', async () => {
    const before = preview({ hero: ['walk'] }, ['old'])
    const now = preview({ hero: ['walk', 'run', 'idle'], coin: ['spin'] }, ['old', 'new'])
    const states = { 'hero.walk': 'missing', 'hero.run': 'missing', 'hero.idle': 'bought', 'coin.spin': 'approved' }
    expect(await told(before, now, states)).toEqual({ infos: ['hero.run, coin.spin'], errors: ['new'], looks: 1 })
  })

  test('are none where nothing was added: the records are not read', async () => {
    const same = preview({ hero: ['walk'] })
    expect(await told(same, same)).toEqual({ infos: [], errors: [], looks: 0 })
    expect(await told(preview({ hero: ['walk', 'run'] }), same)).toEqual({ infos: [], errors: [], looks: 0 })
    expect(await told(same, preview({ hero: ['walk'], coin: ['spin'] }), { 'coin.spin': 'bought' })).toMatchObject({ infos: [] })
  })

  test('at the start are the errors alone: every animation would be new', async () => {
    expect(await told(undefined, preview({ hero: ['walk'] }, ['broken']))).toEqual({ infos: [], errors: ['broken'], looks: 0 })
  })

  test('name eight ids and count the others', () => {
    const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at}`)
    expect(namesOf(ids(8))).toBe('0, 1, 2, 3, 4, 5, 6, 7')
    expect(namesOf(ids(10))).toBe('0, 1, 2, 3, 4, 5, 6, 7 and 2 more')
  })
})

describe('the address of the panel', () => {
  /** A server whose addresses were printed so often. */
  async function printed(overview: () => Promise<Overview>, times = 1) {
    const lines: string[] = []
    const server = { printUrls: () => void lines.push('of Vite') } as unknown as ViteDevServer
    const log = keeping()
    const print = (): void => void lines.push('of the panel')
    printAddress(server, { print } as PanelOrigin, log, overview)
    for (let turn = 0; turn < times; turn++) server.printUrls()
    await new Promise((resolve) => setImmediate(resolve))
    return { lines, log }
  }

  test('stands below the one of Vite each time, and what is a placeholder once', async () => {
    const { lines, log } = await printed(async () => items({ a: 'missing', b: 'bought', c: 'lost' }), 2)
    expect(lines).toEqual(['of Vite', 'of the panel', 'of Vite', 'of the panel'])
    expect(log.infos.map((line) => line.split('.')[0])).toEqual(['2 of 3 animations are placeholders: a, c'])
  })

  test('comes with the errors of specs, and without a word where all is bought or nothing can be read', async () => {
    const broken = { ...items({ a: 'bought' }), errors: [new Error('of a spec')] } as unknown as Overview
    const { log } = await printed(async () => broken)
    expect([log.errors, log.infos]).toEqual([['of a spec'], []])
    const unreadable = await printed(async () => Promise.reject(new Error('EIO')))
    expect([unreadable.log.errors, unreadable.log.infos]).toEqual([[], []])
  })
})

describe('the log of the plugin', () => {
  const world = (logLevel: string | undefined) => {
    const lines: string[] = []
    const print = (level: string) => (line: string) => void lines.push(`${level} ${line}`)
    const logger = { info: print('info'), warn: print('warn'), error: print('error') }
    return { lines, log: createLog({ logger, logLevel } as unknown as Parameters<typeof createLog>[0]) }
  }

  test.each([
    [undefined, ['info', 'info', 'warn', 'error']],
    ['info', ['info', 'info', 'warn', 'error']],
    ['silent', ['info', 'info', 'warn', 'error']],
    // Money is told also where only warnings are.
    ['warn', ['info', 'warn', 'warn', 'error']],
  ])('at level %s prints by way of Vite as %j', (level, expected) => {
    const { log, lines } = world(level)
    for (const way of ['info', 'money', 'warn', 'error'] as const) log[way]('a\u001b[2Jb')
    expect(lines.map((line) => line.split(' ')[0])).toEqual(expected)
    expect(lines.every((line) => line.includes('[spritewright] ') && !line.includes('\u001b'))).toBe(true)
  })
})
