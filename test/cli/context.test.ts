import { describe, expect, test } from 'vitest'
import { commandEntries } from '../../src/cli/commands.ts'
import { SpritewrightError } from '../../src/errors.ts'
import type { Workshop } from '../../src/workshop.ts'
import { createWorld } from './world.ts'

/** A workshop whose every method records its arguments and fails. */
function failing(calls: [string, readonly unknown[]][], path = ''): Workshop {
  const methods = new Set(['close', 'then'])
  return new Proxy({} as Workshop, {
    get: (_, name: string) => {
      if (methods.has(name)) return name === 'close' ? async () => void calls.push(['close', []]) : undefined
      if (['store', 'trust', 'requests'].includes(name)) return failing(calls, `${name}.`)
      return async (...given: readonly unknown[]) => {
        calls.push([path + name, given])
        if (name === 'list' && path === 'requests.') return []
        throw new SpritewrightError('SW_UNREACHABLE', { message: `${path}${name} failed` })
      }
    },
  })
}

describe('a command', () => {
  test.each([
    ['plan', 'plan'],
    ['approve hero', 'approve'],
    ['approve --standing', 'acceptStanding'],
    ['build', 'build'],
    ['answer hero left', 'answer'],
    ['recover hero --replay', 'recover'],
    ['cancel hero', 'cancel'],
    ['forget hero', 'forget'],
    ['ledger', 'ledger'],
    ['ledger --verify', 'verifyLedger'],
    ['store verify', 'store.verify'],
    ['store prune a', 'store.prune'],
    ['store push', 'store.push'],
    ['store pull', 'store.pull'],
    ['store gc --dry-run', 'store.unnamed'],
    ['worker', 'work'],
  ])('%s gives the signal of Ctrl-C to its work, and closes the workshop when it fails', async (line, method) => {
    const calls: [string, readonly unknown[]][] = []
    const workshop = failing(calls)
    const world = createWorld({ canAsk: true, createWorkshop: async () => workshop })
    expect(await world.run(...line.split(' '))).toBe(4)
    expect(world.err()).toContain(`error SW_UNREACHABLE ${method} failed\n`)
    const given = calls.find(([name]) => name === method)?.[1] ?? []
    const signals = given.flatMap((one) => [one, ...(typeof one === 'object' && one !== null ? Object.values(one) : [])])
    expect(signals).toContain(world.interrupt.signal)
    expect(calls.filter(([name]) => name === 'close' || name === method).map(([name]) => name)).toEqual([method, 'close'])
  })

  test('opens its workshop for its project, its configuration, its key and its waiting', async () => {
    const found: string[] = []
    // The server of `mcp` waits for its input.
    for (const { verb } of commandEntries.filter((entry) => entry.verb !== 'mcp')) {
      const names = { answer: ['a', 'b'], recover: ['a', '--replay'], store: ['ls'], worker: ['status'] }[verb] ?? []
      const one = ['review', 'cancel', 'forget'].includes(verb) ? ['a'] : []
      const world = createWorld({ canAsk: true, createWorkshop: async () => failing([]) })
      await world.run(verb, ...names, ...one, '--root', '/game', '--config', 'conf/x.ts')
      for (const { root, config, envDir, waitUntil } of world.opened.slice(0, 1))
        found.push([verb, root, config, envDir, waitUntil && 'waits'].filter((part) => part !== undefined).join(' '))
    }
    expect(found).toMatchInlineSnapshot(`
      [
        "plan /game /game/conf/x.ts waits",
        "approve /game /game/conf/x.ts waits",
        "build /game /game/conf/x.ts waits",
        "status /game /game/conf/x.ts",
        "types /game /game/conf/x.ts",
        "answer /game /game/conf/x.ts waits",
        "review /game /game/conf/x.ts",
        "recover /game /game/conf/x.ts waits",
        "cancel /game /game/conf/x.ts waits",
        "forget /game /game/conf/x.ts waits",
        "ledger /game /game/conf/x.ts",
        "disclose /game /game/conf/x.ts",
        "store /game /game/conf/x.ts",
        "doctor /game /game/conf/x.ts",
        "trust /game /game/conf/x.ts",
        "worker /game /game/conf/x.ts waits",
      ]
    `)
  })
})
