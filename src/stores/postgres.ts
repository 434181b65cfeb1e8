import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { findPackage } from '../host/modules/installed-package.ts'
import type { DatabaseConnection } from '../host/net/database.ts'
import { oneByOne } from '../host/one-by-one.ts'
import { isEqual, withTries } from './exchange.ts'
import { checkName, isPassing, storeError, wordsOf } from './failures.ts'
import { type PostgresAddress, resolvePostgresTarget } from './postgres-address.ts'
import type { RecordStore, StoredFile } from './record-store.ts'

/** Ports of a store in PostgreSQL. */
export type PostgresPorts = Pick<Host, 'clock' | 'connectDatabase' | 'disk' | 'env' | 'random'>

/** Longest wait for a connection and for each answer, in milliseconds. */
const timeoutMs = 20_000

const findTable = "SELECT to_regclass('spritewright_records') IS NOT NULL AS is_there"
const createTable = `CREATE TABLE IF NOT EXISTS spritewright_records
  (name text PRIMARY KEY, bytes bytea NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp())`
/**
 * One statement is one transaction, also behind a pool of connections. It answers when the record is on disk, for
 * every default of the server.
 */
const insert = `WITH durable AS (SELECT set_config('synchronous_commit', 'on', true))
  INSERT INTO spritewright_records (name, bytes) SELECT $1::text, $2::bytea FROM durable
  ON CONFLICT DO NOTHING RETURNING name`
const select = `SELECT bytes, (extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS age
  FROM spritewright_records WHERE name = $1::text`

/**
 * States of an error if two processes create the table at the same moment: its row in a catalogue, the type of its
 * rows or the table itself exists already.
 */
const isMadeStates = ['23505', '42710', '42P07']
/**
 * States, or classes of states, that may be temporary: connection, conflict, resources, an operator, the system, and
 * a server that only reads until a failover has ended.
 */
const passingStates = /^(?:08|40|53|55|57|58|25006)/

/**
 * Opens a database for records, in the table `spritewright_records`, which is created if it is missing.
 *
 * An insert without an answer is repeated over a new connection. If the first insert wrote, the second waits for the
 * first, writes nothing and reads our bytes.
 *
 * @param root Folder of the project. The package `pg` is found there or in a parent folder.
 * @throws `SW_UNTRUSTED_HOST` for a server that the environment does not trust.
 */
export function openPostgresRecords(ports: PostgresPorts, where: PostgresAddress, root: string): RecordStore {
  const target = resolvePostgresTarget(where, ports.env)
  const address = `postgres://${where.host}:${target.port}/${where.database}`
  let connection: Promise<DatabaseConnection> | undefined
  const inOrder = oneByOne()

  const connect = async (): Promise<DatabaseConnection> => {
    const opened = await ports.connectDatabase(await findEntry(ports, root), target, timeoutMs)
    const [table] = await opened.query(findTable)
    if (table?.is_there !== true)
      await opened.query(createTable).catch((error: unknown) => {
        if (!isMadeStates.includes(stateOf(error) ?? '')) throw error
      })
    return opened
  }
  const drop = async (): Promise<void> => {
    const old = connection
    connection = undefined
    await old?.then((opened) => opened.close()).catch(() => {})
  }
  /** Sends one statement, after all earlier ones. An error ends the connection. */
  const query = (work: string, text: string, values: readonly unknown[]): ReturnType<DatabaseConnection['query']> =>
    inOrder(async () => {
      try {
        connection ??= connect()
        return await (await connection).query(text, values)
      } catch (error) {
        void drop()
        throw failureOf(address, work, error)
      }
    })
  const read = async (work: string, name: string): Promise<StoredFile | undefined> => {
    const [row] = await query(work, select, [name])
    return row && { bytes: new Uint8Array(row.bytes as Uint8Array), ageMs: Math.ceil(row.age as number) }
  }
  const write = async (name: string, bytes: Uint8Array): Promise<'mine' | 'taken'> => {
    const work = `write ${name}`
    const inserted = await query(work, insert, [name, bytes])
    if (inserted.length === 1) return 'mine'
    const found = await read(work, name)
    if (found === undefined) throw storeError({ address, work, found: 'a name that is neither free nor taken', mayPass: true })
    return isEqual(found.bytes, bytes) ? 'mine' : 'taken'
  }
  return {
    address,
    putIfAbsent: async (name, bytes) => {
      checkName(name)
      return withTries(ports, () => write(name, bytes))
    },
    get: async (name) => {
      checkName(name)
      return withTries(ports, () => read(`read ${name}`, name))
    },
    close: () => inOrder(drop),
  }
}

/**
 * Finds the module of `pg`.
 *
 * @throws `SW_CONFIG` with the command that installs it.
 */
async function findEntry({ disk }: PostgresPorts, root: string): Promise<string> {
  const found = await findPackage(disk, 'pg', [root], 'lib/index.js')
  if (found) return found.entry
  throw new SpritewrightError('SW_CONFIG', {
    message:
      'A shared store at postgres:// needs the package pg, which is not installed. Install it (npm install --save-dev pg@^8), or use another store.',
    facts: { package: 'pg', root },
  })
}

/** The SQLSTATE of a server's error. Returns `undefined` for any other error. */
function stateOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

function failureOf(address: string, work: string, cause: unknown): SpritewrightError {
  if (cause instanceof SpritewrightError) return cause
  const state = stateOf(cause)
  const message = (cause as Error).message.replace(/[^\x20-\x7e]/g, ' ').slice(0, 200)
  const found = state === undefined ? wordsOf(cause) : `${message} (SQLSTATE ${state})`
  return storeError({
    address,
    work,
    found,
    advice:
      'Check the network and the address, and PGUSER, PGPASSWORD and PGSSLMODE in the environment, then run again. A certificate of your own goes into NODE_EXTRA_CA_CERTS.',
    mayPass: state === undefined ? isPassing(found) : passingStates.test(state),
    facts: state === undefined ? {} : { state },
    cause,
  })
}
