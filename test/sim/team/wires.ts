import type { DatabaseConnection } from '../../../src/host/net/database.ts'
import type { NetRequest, NetResponse } from '../../../src/host/net.ts'
import { openPostgresRecords } from '../../../src/stores/postgres.ts'
import type { RecordStore } from '../../../src/stores/record-store.ts'
import { openS3Records } from '../../../src/stores/s3.ts'
import type { ProcessPorts } from '../exhaustive/project.ts'

/** How the processes of a team reach their store: without an adapter, or by one of the product's. */
export type AdapterName = 'none' | 'postgres' | 's3'

/** The product's adapter over a store that answers as the engine does. */
export function overWire(name: AdapterName, store: RecordStore, ports: ProcessPorts): RecordStore {
  if (name === 'none') return store
  if (name === 'postgres') {
    const connectDatabase = async (): Promise<DatabaseConnection> => connection(store)
    return openPostgresRecords({ ...ports, connectDatabase, env: {} }, { kind: 'postgres', host: '127.0.0.1', database: 'game' }, '/game')
  }
  const net = { request: (wanted: NetRequest) => answerS3(store, wanted), close: async () => {} }
  return openS3Records({ ...ports, net }, s3Variables, { kind: 's3', bucket: 'team', prefix: 'game' })
}

// Loaded before the clock starts: the client for S3 loads it at its first call.
await import('aws4fetch')

const s3Variables = { AWS_ENDPOINT_URL_S3: 'https://s3.test', AWS_ACCESS_KEY_ID: 'unsigned', AWS_SECRET_ACCESS_KEY: 'unsigned' }
const s3Base = 'https://s3.test/team/game/'

/** A connection to a server whose only table is a store's. An error of the store is one of the connection. */
export function connection(store: RecordStore): DatabaseConnection {
  return {
    close: async () => {},
    query: async (text, [name, bytes] = []) => {
      if (text.includes('to_regclass')) return [{ is_there: true }]
      const key = name as string
      if (text.includes('INSERT')) return (await lost(store.putIfAbsent(key, bytes as Uint8Array))) === 'mine' ? [{ name }] : []
      const file = await lost(store.get(key))
      return file ? [{ bytes: file.bytes, age: file.ageMs }] : []
    },
  }
}

/** The bucket's answer. Its times are whole seconds. */
async function answerS3(store: RecordStore, { method, url, body, headers }: NetRequest): Promise<NetResponse> {
  const name = url.slice(s3Base.length)
  if (method === 'PUT') {
    if (headers['if-none-match'] !== '*' || body === undefined) return answer(400)
    return (await lost(store.putIfAbsent(name, body))) === 'mine' ? answer(200) : answer(412, 'PreconditionFailed')
  }
  const file = await lost(store.get(name))
  if (!file) return answer(404, 'NoSuchKey')
  const now = 1_790_000_000
  const times = { date: new Date(1000 * now), 'last-modified': new Date(1000 * (now - Math.floor(file.ageMs / 1000))) }
  return answer(200, '', file.bytes, { date: times.date.toUTCString(), 'last-modified': times['last-modified'].toUTCString() })
}

function answer(status: number, reason = '', bytes?: Uint8Array, headers: Readonly<Record<string, string>> = {}): NetResponse {
  const whole = bytes ?? Buffer.from(reason === '' ? '' : `<Error><Code>${reason}</Code></Error>`)
  return { status, headers, body: parts(whole) }
}

async function* parts(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Every failure is one of the network, after which nobody knows what was done. */
async function lost<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    throw Object.assign(new Error('the connection was closed', { cause }), { code: 'ECONNRESET' })
  }
}
