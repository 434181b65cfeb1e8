import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openRecordStore } from '../../src/stores/open.ts'
import { openPostgresRecords } from '../../src/stores/postgres.ts'
import type { PostgresAddress } from '../../src/stores/postgres-address.ts'
import type { RecordStore } from '../../src/stores/record-store.ts'
import { describeWith } from '../kit/needs.ts'
import { type Loss, type LossyProxy, startLossyProxy } from '../kit/servers/lossy-proxy.ts'
import { hasPostgres, type PostgresServer, startPostgres } from '../kit/servers/postgres.ts'
import { describeRecordStore } from './contract.ts'
import { quickPorts } from './quick-ports.ts'

const root = process.cwd()
const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const at = (port: number): PostgresAddress => ({ kind: 'postgres', host: '127.0.0.1', port, database: 'postgres' })

describeWith(hasPostgres, 'PostgreSQL')('PostgreSQL', () => {
  let server: PostgresServer
  const proxies: LossyProxy[] = []
  const stores: RecordStore[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => void (await Promise.all(stores.splice(0).map((store) => store.close()))))
  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await server.close()
  })

  const open = (port = server.port, env: Record<string, string> = {}): RecordStore => {
    const store = openPostgresRecords(quickPorts({ ...server.env, ...env }), at(port), root)
    stores.push(store)
    return store
  }
  const openLossy = async (loss: Loss): Promise<RecordStore> => {
    const proxy = await startLossyProxy(server.port, loss)
    proxies.push(proxy)
    return open(proxy.port)
  }

  describeRecordStore('records', () => ({
    precisionMs: 1,
    open: () => openPostgresRecords(quickPorts(server.env), at(server.port), root),
    openAway: () => openPostgresRecords(quickPorts(server.env), at(1), root),
    openLossy: (doesLand) => openLossy(doesLand ? 'after' : 'before'),
  }))

  test.each(['before', 'during', 'after'] as const)(
    'a connection that breaks %s an insert: it is mine, in one call, once',
    async (loss) => {
      const name = `test/${randomUUID()}`
      const store = await openLossy(loss)
      expect(await store.putIfAbsent(name, text('own'))).toBe('mine')
      expect(await store.putIfAbsent(name, text("another's"))).toBe('taken')
      expect(await server.query(`SELECT count(*)::int AS records FROM spritewright_records WHERE name = '${name}'`)).toEqual([
        { records: 1 },
      ])
    },
  )

  test('a server that restarts between two calls, or under them, is asked again', async () => {
    const store = open()
    const name = `test/${randomUUID()}`
    expect(await store.putIfAbsent(name, text('own'))).toBe('mine')
    await server.restart()
    expect((await store.get(name))?.bytes).toEqual(text('own'))
    expect(await store.putIfAbsent(name, text("another's"))).toBe('taken')
  })

  test('a record is on disk before it is confirmed, although the database does not wait by default', async () => {
    await open().get('a/1')
    await server.query(`ALTER DATABASE postgres SET synchronous_commit = off;
      CREATE TABLE seen (setting text);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN new; END $$;
      CREATE TRIGGER note AFTER INSERT ON spritewright_records FOR EACH ROW EXECUTE FUNCTION note();`)
    expect(await server.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'off' }])
    expect(await open().putIfAbsent(`test/${randomUUID()}`, text('own'))).toBe('mine')
    expect(await server.query('SELECT setting FROM seen')).toEqual([{ setting: 'on' }])
    await server.query('DROP TRIGGER note ON spritewright_records; ALTER DATABASE postgres RESET synchronous_commit')
  })

  test('machines that make the table at the same time all write', async () => {
    // Which of three refusals a loser gets depends on the moment.
    for (let round = 0; round < 20; round++) {
      await server.query('DROP TABLE IF EXISTS spritewright_records')
      const writers = Array.from({ length: 6 }, () => open())
      const answers = await Promise.all(writers.map((store, index) => store.putIfAbsent(`test/table/${index}`, text('own'))))
      expect(answers).toEqual(answers.map(() => 'mine'))
      for (const writer of writers) await writer.close()
    }
  })

  test('a database of serializable transactions still has one winner', async () => {
    await server.query("ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'")
    const writers = Array.from({ length: 6 }, () => open())
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(writers.map((store, index) => store.putIfAbsent(`test/serial/${round}`, text(`own ${index}`))))
      expect(answers.toSorted()).toEqual(['mine', 'taken', 'taken', 'taken', 'taken', 'taken'])
    }
    await server.query('ALTER DATABASE postgres RESET default_transaction_isolation')
  })

  test('a table without its key is SW_STORE_UNSAFE', async () => {
    await server.query('CREATE DATABASE loose')
    const address = { ...at(server.port), database: 'loose' }
    const maker = openPostgresRecords(quickPorts(server.env), address, root)
    await maker.get('a/1')
    await maker.close()
    const loose = openRecordStore(quickPorts(server.env), address, root)
    stores.push(loose)
    await server.query('ALTER TABLE spritewright_records DROP CONSTRAINT spritewright_records_pkey', 'loose')
    await expect(loose.putIfAbsent('a/1', text('own'))).rejects.toMatchObject({
      code: 'SW_STORE_UNSAFE',
      facts: { answers: ['mine', 'mine'] },
    })
  })

  test.each([
    [{ PGPASSWORD: 'wrong-secret' }, '28P01'],
    [{ PGUSER: 'nobody', PGPASSWORD: 'wrong-secret' }, '28P01'],
  ])('a refusal (%o) is SW_STORE at once, with the state, and shows no password', async (env, state) => {
    const refusal = await open(server.port, env)
      .putIfAbsent('a/1', text('own'))
      .catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'SW_STORE', facts: { state, mayPass: false } })
    expect(inspect(refusal, { depth: 12, showHidden: true })).not.toMatch(/wrong-secret/)
  })

  test('a user without rights is SW_STORE, not a free name', async () => {
    await server.query("CREATE USER guest PASSWORD 'guest'")
    const store = open(server.port, { PGUSER: 'guest', PGPASSWORD: 'guest' })
    await expect(store.putIfAbsent('a/1', text('own'))).rejects.toMatchObject({ code: 'SW_STORE', facts: { state: '42501' } })
    await expect(store.get('a/1')).rejects.toMatchObject({ code: 'SW_STORE', facts: { state: '42501' } })
  })

  test('a server that may only read is SW_STORE', async () => {
    await server.query('ALTER DATABASE postgres SET default_transaction_read_only = on')
    await expect(open().putIfAbsent('a/1', text('own'))).rejects.toMatchObject({ code: 'SW_STORE', facts: { state: '25006' } })
    await server.query('BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT')
  })
})

test('if the server of a shared store is nobody, the error has no password', async () => {
  const store = openPostgresRecords(quickPorts({ PGUSER: 'anna', PGPASSWORD: 'the-secret' }), at(1), root)
  const refusal = await store.get('a/1').catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'SW_STORE', message: expect.stringContaining('ECONNREFUSED') })
  expect(inspect(refusal, { depth: 12, showHidden: true })).not.toMatch(/the-secret/)
})
