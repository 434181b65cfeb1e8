import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ServiceInit } from '../../src/cli/context.ts'
import { startService } from '../../src/cli/embedded.ts'
import { nodeHost } from '../../src/host/host.ts'
import { createWorld, systemError, type World } from './world.ts'

function serving(): { world: World; asked: ServiceInit[]; closed: () => number } {
  const asked: ServiceInit[] = []
  let closed = 0
  const world = createWorld({
    startService: async (init) => {
      asked.push(init)
      // Ctrl-C as soon as the service listens.
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

  test('says in full where it listens, where its state is, whether it fails on purpose, and how it ended', async () => {
    const found: string[] = []
    const files = { '/game/faults.json': '{"rules":[]}' }
    for (const argv of [[], ['--dir', '.', '--faults', 'faults.json'], ['--quiet', '--port', '1', '--key', 'mine']]) {
      const world = createWorld({
        files,
        startService: async ({ port, key = 'own' }) => {
          queueMicrotask(() => world.interrupt.abort())
          return { url: `http://127.0.0.1:${port}`, key, close: async () => {} }
        },
      })
      expect(await world.run('serve', ...argv)).toBe(0)
      found.push([argv.join(' '), ...world.out().trimEnd().split('\n'), world.err()].join('\n  '))
    }
    expect(`\n${found.join('\n')}`).toMatchInlineSnapshot(`
      "

        The embedded service listens on http://127.0.0.1:4747
        Its credits are play money; its state is in ".spritewright/embedded".
        
        Copy into .env.local:
        
          SPRITEWRIGHT_BASE_URL=http://127.0.0.1:4747
          SPRITEWRIGHT_API_KEY=own
        
        Ctrl-C ends it.
        The embedded service has ended.

      --dir . --faults faults.json
        The embedded service listens on http://127.0.0.1:4747
        Its credits are play money; its state is in ".".
        It fails on purpose, as faults.json says.
        
        Copy into .env.local:
        
          SPRITEWRIGHT_BASE_URL=http://127.0.0.1:4747
          SPRITEWRIGHT_API_KEY=own
        
        Ctrl-C ends it.
        The embedded service has ended.

      --quiet --port 1 --key mine
        The embedded service listens on http://127.0.0.1:1
        
        Copy into .env.local:
        
          SPRITEWRIGHT_BASE_URL=http://127.0.0.1:1
          SPRITEWRIGHT_API_KEY=mine
        "
    `)
    const forbidden = createWorld({ startService: async () => Promise.reject(systemError('EACCES', 'listen', '127.0.0.1')) })
    expect([await forbidden.run('serve', '--port', '80'), forbidden.err()]).toMatchInlineSnapshot(`
      [
        2,
        "error SW_USAGE Expected port 80 to be free, found it forbidden. Choose another port: npx spritewright serve --port 0 takes any free port.
      ",
      ]
    `)
    const other = createWorld({ startService: async () => Promise.reject(systemError('EIO', 'open', '/state')) })
    expect([await other.run('serve'), other.err().slice(0, 13)]).toEqual([1, 'error SW_DISK'])
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

  test('a plan of faults reaches the service as its file has it, and the output says so', async () => {
    const asked: ServiceInit[] = []
    const world = createWorld({
      files: { '/game/faults.json': '{"rules":[]}' },
      startService: async (init) => {
        asked.push(init)
        queueMicrotask(() => world.interrupt.abort())
        return { url: 'http://127.0.0.1:1', key: 'its-own-key', close: async () => {} }
      },
    })
    expect(await world.run('serve', '--faults', 'faults.json')).toBe(0)
    expect(asked).toMatchObject([{ faults: { text: '{"rules":[]}', file: 'faults.json' } }])
    expect(world.out()).toContain('It fails on purpose, as faults.json says.')
  })

  test('a plan of faults that is not there is wrong usage, and nothing starts', async () => {
    const { world, asked } = serving()
    expect(await world.run('serve', '--faults', 'lost.json', '--json')).toBe(2)
    expect(world.json()).toMatchObject({ error: { code: 'SW_USAGE', facts: { option: '--faults', file: 'lost.json' } } })
    expect(asked).toEqual([])
  })

  test('a plan is played: the first answer is lost, the second comes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spritewright-serve-'))
    const text = '{"rules":[{"when":{"path":"/v1/balance","times":1},"do":{"drop":"after"}}]}'
    const service = await startService({ host: nodeHost(), port: 0, folder, faults: { text, file: 'faults.json' } })
    try {
      const ask = (): Promise<Response> => fetch(`${service.url}/v1/balance`, { headers: { authorization: `Bearer ${service.key}` } })
      await expect(ask()).rejects.toThrow()
      expect((await ask()).status).toBe(200)
    } finally {
      await service.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
