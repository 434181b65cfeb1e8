import { describe, expect, test } from 'vitest'
import type { ServiceInit } from '../../src/cli/context.ts'
import { createWorld, systemError, type World } from './world.ts'

function serving(): { world: World; asked: ServiceInit[]; closed: () => number } {
  const asked: ServiceInit[] = []
  let closed = 0
  const world = createWorld({
    startService: async (init) => {
      asked.push(init)
      // Ctrl-C, as soon as it listens.
      queueMicrotask(() => world.interrupt.abort())
      return { url: `http://127.0.0.1:${init.port}`, key: init.key ?? 'its-own-key', close: async () => void closed++ }
    },
  })
  return { world, asked, closed: () => closed }
}

describe('serve', () => {
  test('prints the address and the two lines to copy, runs until Ctrl-C and ends well', async () => {
    const { world, asked, closed } = serving()
    expect(await world.run('serve')).toBe(0)
    expect(world.out()).toContain('SPRITEWRIGHT_BASE_URL=http://127.0.0.1:4747\n  SPRITEWRIGHT_API_KEY=its-own-key\n')
    expect(asked).toMatchObject([{ port: 4747, folder: '/game/.spritewright/embedded' }])
    expect(closed()).toBe(1)
    expect(world.opened).toEqual([])
  })

  test('port, folder, key and credits reach the service; --json prints one document', async () => {
    const { world, asked } = serving()
    expect(await world.run('serve', '--json', '--port', '0', '--dir', 'play', '--key', '12345678', '--credits', '7.5')).toBe(0)
    expect(asked).toMatchObject([{ port: 0, folder: '/game/play', key: '12345678', credits: '7.5' }])
    expect(world.json()).toMatchObject({ url: 'http://127.0.0.1:0', key: '12345678', env: { SPRITEWRIGHT_API_KEY: '12345678' } })
  })

  test('a taken port is wrong usage with the way out', async () => {
    const world = createWorld({ startService: async () => Promise.reject(systemError('EADDRINUSE', 'listen', '127.0.0.1')) })
    expect(await world.run('serve', '--json')).toBe(2)
    expect(world.json()).toMatchObject({ error: { code: 'SW_USAGE', facts: { port: 4747, reason: 'EADDRINUSE' } } })
  })

  test('a port that is none is refused before anything starts', async () => {
    const { world, asked } = serving()
    expect(await world.run('serve', '--port', '70000')).toBe(2)
    expect(asked).toEqual([])
  })
})
