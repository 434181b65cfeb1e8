import { describe, expect, test } from 'vitest'
import type { DatabaseConnection } from '../../src/host/net/database.ts'
import { openPostgresRecords } from '../../src/stores/postgres.ts'
import { type PostgresAddress, resolvePostgresTarget } from '../../src/stores/postgres-address.ts'
import type { RecordStore } from '../../src/stores/record-store.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const address: PostgresAddress = { kind: 'postgres', host: '127.0.0.1', database: 'game' }
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

type Query = DatabaseConnection['query']

/**
 * A store over connections that a script answers for, from 0. Every call of a connection is noted with its number.
 *
 * @param answer Answers every query but the one that looks for the table.
 */
function storeOver(answer: (connection: number, query: string) => ReturnType<Query>, isTable: () => boolean = () => true) {
  const calls: string[] = []
  const disk = new MemoryDisk()
  disk.files.set('/game/node_modules/pg/package.json', text('{}'))
  let connections = 0
  const connectDatabase = async (): Promise<DatabaseConnection> => {
    const number = connections++
    calls.push(`connect ${number}`)
    return {
      query: async (query) => {
        const word = ['to_regclass', 'CREATE', 'INSERT'].find((one) => query.includes(one)) ?? 'SELECT'
        if (word === 'to_regclass') return [{ is_there: isTable() }]
        calls.push(`${word} ${number}`)
        return answer(number, word)
      },
      close: async () => void calls.push(`close ${number}`),
    }
  }
  const ports = { clock: leapingClock(), connectDatabase, disk, env: {}, random: countingRandom() }
  const store: RecordStore = openPostgresRecords(ports, address, '/game')
  return { store, calls }
}

const broken = (code: string): Error => Object.assign(new Error('broken'), { code })
const row = { bytes: text('a'), age: 1 }

test.each(['ECONNRESET', '57P01'])('a connection that breaks (%s) is closed, and the next try makes another one', async (code) => {
  const { store, calls } = storeOver(async (connection) => {
    if (connection === 0) throw broken(code)
    return [row]
  })
  expect(await store.get('a/1')).toEqual({ bytes: text('a'), ageMs: 1 })
  expect(await store.get('a/1')).toBeDefined()
  await store.close()
  expect(calls.toSorted()).toEqual(['SELECT 0', 'SELECT 1', 'SELECT 1', 'close 0', 'close 1', 'connect 0', 'connect 1'])
})

test.each([
  ...['08006', '25006', '40001', '53300', '55P03', '57P01', '58030'].map((state) => [state, 4] as const),
  ...['22P02', '25001', '28P01', '42501', '42P01'].map((state) => [state, 1] as const),
])('a refusal with the state %s is met %i times: only one that may pass is a reason for another try', async (state, times) => {
  const { store, calls } = storeOver(async () => Promise.reject(broken(state)))
  await expect(store.get('a/1')).rejects.toMatchObject({ code: 'SW_STORE', facts: { state, mayPass: times > 1 } })
  expect(calls.filter((call) => call.startsWith('SELECT'))).toHaveLength(times)
})

test('an error that passes never is tried four times in all, each over a new connection', async () => {
  const { store, calls } = storeOver(async () => Promise.reject(broken('ECONNRESET')))
  await expect(store.putIfAbsent('a/1', text('a'))).rejects.toMatchObject({ code: 'SW_STORE', facts: { mayPass: true } })
  expect(calls.filter((call) => call.startsWith('INSERT'))).toEqual(['INSERT 0', 'INSERT 1', 'INSERT 2', 'INSERT 3'])
})

test.each(['23505', '42710', '42P07'])(
  'a table that another machine makes at the same moment (%s) is used; a refusal to make it is an error',
  async (state) => {
    const racing = storeOver(
      async (_, query) => (query === 'CREATE' ? Promise.reject(broken(state)) : [{ name: 'a/1' }]),
      () => false,
    )
    expect(await racing.store.putIfAbsent('a/1', text('a'))).toBe('mine')
    const refused = storeOver(
      async (_, query) => (query === 'CREATE' ? Promise.reject(broken('42501')) : [{ name: 'a/1' }]),
      () => false,
    )
    await expect(refused.store.putIfAbsent('a/1', text('a'))).rejects.toMatchObject({ code: 'SW_STORE', facts: { state: '42501' } })
  },
)

test('an insert that writes nothing is mine if the record has our bytes, and an error if there is none', async () => {
  const { store } = storeOver(async (_, query) => (query === 'INSERT' ? [] : [row]))
  expect([await store.putIfAbsent('a/1', text('a')), await store.putIfAbsent('a/1', text('b'))]).toEqual(['mine', 'taken'])
  await expect(storeOver(async () => []).store.putIfAbsent('a/1', text('a'))).rejects.toMatchObject({ code: 'SW_STORE' })
})

test('each call sends its name and bytes, over one connection to the one database, and every age is rounded up', async () => {
  const asked: unknown[] = []
  const disk = new MemoryDisk()
  disk.files.set('/game/node_modules/pg/package.json', text('{}'))
  const connectDatabase = async (...target: unknown[]): Promise<DatabaseConnection> => {
    asked.push(target)
    return {
      query: async (query, values) => {
        asked.push([/to_regclass|CREATE|INSERT|SELECT bytes/.exec(query)?.[0], values])
        return [{ is_there: false, bytes: text('a'), age: 1.2 }]
      },
      close: async () => void asked.push('close'),
    }
  }
  const ports = { clock: leapingClock(), connectDatabase, disk, env: { PGUSER: 'anna' }, random: countingRandom() }
  const store = openPostgresRecords(ports, address, '/game/art')
  expect([store.address, await store.putIfAbsent('a/1', text('a')), await store.get('a/2')]).toEqual([
    'postgres://127.0.0.1:5432/game',
    'mine',
    { bytes: text('a'), ageMs: 2 },
  ])
  await store.close()
  expect(asked).toEqual([
    [
      'file:///game/node_modules/pg/lib/index.js',
      { host: '127.0.0.1', port: 5432, database: 'game', user: 'anna', password: undefined, tls: 'off' },
      20_000,
    ],
    ['to_regclass', undefined],
    ['CREATE', undefined],
    ['INSERT', ['a/1', text('a')]],
    ['SELECT bytes', ['a/2']],
    'close',
  ])
})

test('a refusal of the database says what was asked where, without the signs that a terminal obeys', async () => {
  const cause = Object.assign(new Error(`permission\u001b[2J denied ${'x'.repeat(300)}`), { code: '42501' })
  const { store } = storeOver(() => Promise.reject(cause))
  const found = `permission [2J denied ${'x'.repeat(178)} (SQLSTATE 42501)`
  await expect(store.get('a/1')).rejects.toMatchObject({
    code: 'SW_STORE',
    message: expect.stringMatching(/PGUSER.*NODE_EXTRA_CA_CERTS/),
    facts: { store: 'postgres://127.0.0.1:5432/game', work: 'read a/1', found, mayPass: false, state: '42501' },
    cause,
  })
  const cut = storeOver(() => Promise.reject(broken('ECONNRESET')))
  const refusal = await cut.store.putIfAbsent('a/1', text('a')).catch((error) => error)
  expect(refusal.facts).toEqual({ store: 'postgres://127.0.0.1:5432/game', work: 'write a/1', found: 'ECONNRESET', mayPass: true })
  const odd = storeOver(async () => [])
  const none = await odd.store.putIfAbsent('a/1', text('a')).catch((error) => error)
  expect(none.facts).toEqual({
    store: 'postgres://127.0.0.1:5432/game',
    work: 'write a/1',
    found: 'a name that is neither free nor taken',
    mayPass: true,
  })
  expect(odd.calls.filter((call) => call.startsWith('INSERT'))).toHaveLength(4)
})

test.each(['', '../a', 'A'])('the name %j reaches no database', async (name) => {
  const { store, calls } = storeOver(async () => [row])
  await expect(store.get(name)).rejects.toMatchObject({ code: 'SW_INTERNAL', facts: { name } })
  await expect(store.putIfAbsent(name, text('a'))).rejects.toMatchObject({ code: 'SW_INTERNAL', facts: { name } })
  expect(calls).toEqual([])
})

test('a connection gets one query at a time, and a query that fails does not stop those after it', async () => {
  let running = 0
  const { store } = storeOver(async (_, query) => {
    if (++running > 1) throw new Error('two queries at once')
    await new Promise((resolve) => setImmediate(resolve))
    running--
    if (query === 'SELECT') throw broken('42501')
    return [{ name: 'a' }]
  })
  const calls = [store.get('a/1'), store.putIfAbsent('a/2', text('a')), store.get('a/3'), store.putIfAbsent('a/4', text('a'))]
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
})

test('a store that is closed answers what it was asked before, and leaves no connection open', async () => {
  const { store, calls } = storeOver(async () => [row])
  const asked = store.get('a/1')
  await store.close()
  expect(await asked).toBeDefined()
  expect(calls).toEqual(['connect 0', 'SELECT 0', 'close 0'])
})

test('without the package pg, the error says how to install it', async () => {
  const connectDatabase = () => Promise.reject(new Error('Expected no connection.'))
  const ports = { clock: leapingClock(), connectDatabase, disk: new MemoryDisk(), env: {}, random: countingRandom() }
  await expect(openPostgresRecords(ports, address, '/game').get('a/1')).rejects.toMatchObject({
    code: 'SW_CONFIG',
    message: expect.stringContaining('npm install --save-dev pg@^8'),
    facts: { package: 'pg', root: '/game' },
  })
})

describe('the server that a file of the project names', () => {
  const where: PostgresAddress = { kind: 'postgres', host: 'db.studio.test', port: 6432, database: 'records' }

  test.each([
    {},
    { PGHOST: 'other.test' },
    { PGHOST: '' },
    { PGHOST: 'evil-db.studio.test' },
    // These may get the API key, which is another secret.
    { SPRITEWRIGHT_TRUSTED_HOSTS: 'db.studio.test' },
  ])('gets no password if the environment does not trust it: %o', (env) => {
    expect(() => resolvePostgresTarget(where, { PGPASSWORD: 'the-secret', ...env })).toThrow(
      expect.objectContaining({
        code: 'SW_UNTRUSTED_HOST',
        message: expect.stringMatching(/PGHOST=db\.studio\.test/),
        facts: { host: 'db.studio.test', port: 6432 },
      }),
    )
  })

  test('gets it, over a checked connection, if PGHOST names it', () => {
    const target = resolvePostgresTarget(where, { PGUSER: 'anna', PGPASSWORD: 'the-secret', PGHOST: 'DB.studio.test' })
    expect(target).toEqual({
      host: 'db.studio.test',
      port: 6432,
      database: 'records',
      user: 'anna',
      password: 'the-secret',
      tls: 'checked',
    })
  })

  test.each([
    ['db.studio.test', undefined, 'checked'],
    ['db.studio.test', 'prefer', 'checked'],
    ['db.studio.test', 'no-verify', 'unchecked'],
    ['db.studio.test', 'disable', 'off'],
    ['localhost', undefined, 'off'],
    ['[::1]', 'verify-full', 'checked'],
  ])('at %s with PGSSLMODE=%s the connection is %s', (host, mode, tls) => {
    const env = { PGHOST: host, PGSSLMODE: mode, PGPORT: '6000' }
    expect(resolvePostgresTarget({ kind: 'postgres', host, database: 'a' }, env)).toMatchObject({
      host: host.replace(/[[\]]/g, ''),
      port: 6000,
      tls,
    })
  })
})
