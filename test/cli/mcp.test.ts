import { expect, test } from 'vitest'
import { startMcp } from './mcp-session.ts'
import { createWorld } from './world.ts'

test('without the optional package one sentence says how to install it, exit code 2', async () => {
  const world = createWorld()
  expect(await world.run('mcp')).toBe(2)
  expect(world.out()).toBe('')
  expect(world.err()).toBe(
    'error SW_USAGE Expected the package @modelcontextprotocol/server, found none. Install it: npm install --save-dev @modelcontextprotocol/server\n',
  )
})

test.each(['auto', 'legacy'] as const)('sprites and price are answered over both generations of the protocol: %s', async (era) => {
  const { client, call, service } = await startMcp({ era })
  expect(client.getNegotiatedProtocolVersion()).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25')
  const { data } = await call('sprites')
  expect(data).toMatchObject({
    sprites: [{ id: 'hero.walk', state: 'missing', file: 'sprites/hero.sprite.json', frames: 7, credits: '1.6', usd: '0.40', faults: [] }],
    spent: { settled: '0', held: '0', uncertain: '0' },
    requests: 0,
  })
  expect((await call('price', { names: ['hero'] })).data).toMatchObject({
    requests: [{ id: 'hero.walk', credits: '1.6', usd: '0.40' }],
    total: '1.6',
    balance: '100',
  })
  expect((await call('price', { names: ['herro'] })).errors).toMatchObject([{ code: 'SW_USAGE' }])
  expect(service.requests().filter(({ method, path }) => method === 'POST' && path === '/v1/execute')).toEqual([])
})

test('bought frames have no price, and their faults and cost are told', async () => {
  const session = await startMcp({
    files: { 'sprites/hero.sprite.json': '{"reference":"./hero.png","prompt":"a small figure","animations":{"walk":{"frames":7}}}' },
  })
  const person = await session.workshop()
  await person.approve({ names: [], confirm: async () => true })
  await person.build()
  const { data } = await session.call('sprites', { names: ['hero'] })
  expect(data).toMatchObject({ sprites: [{ id: 'hero.walk', state: 'bought' }], spent: { settled: '1.6' } })
  expect(JSON.stringify(data)).not.toContain('"credits"')
})
