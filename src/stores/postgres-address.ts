import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { isLoopbackHost } from '../host/net/address-blocks.ts'
import type { DatabaseTarget } from '../host/net/database.ts'
import { addressError } from './failures.ts'

/** A database of a PostgreSQL server. */
export interface PostgresAddress {
  readonly kind: 'postgres'
  readonly host: string
  readonly port?: number
  readonly database: string
}

const form = 'postgres://host/database or postgres://host:port/database'

/**
 * Parses `postgres://host[:port]/database`.
 *
 * @throws `SW_CONFIG` for any other text. The message does not repeat the text, which may contain a password.
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  if (text.includes('@'))
    throw addressError(form, 'a user name or a password in it. Set PGUSER and PGPASSWORD in the environment, or PGPASSFILE, instead')
  const [, host, port, database] = /^postgres(?:ql)?:\/\/([\w-]+(?:\.[\w-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?\/([\w-]+)$/i.exec(text) ?? []
  if (host === undefined || database === undefined) throw addressError(form, 'something else')
  return { kind: 'postgres', host: host.toLowerCase(), database, ...(port === undefined ? {} : { port: Number(port) }) }
}

/**
 * Adds the settings of the environment: user, password, port and encryption.
 *
 * @throws `SW_UNTRUSTED_HOST` for a server that only a file of the project names. Such a server could ask for the
 * password in clear text.
 */
export function resolvePostgresTarget({ host, port, database }: PostgresAddress, env: Host['env']): DatabaseTarget {
  const plain = host.replace(/^\[(.*)\]$/, '$1')
  const target = { host: plain, port: port ?? Number(env.PGPORT || 5432), database, user: env.PGUSER, password: env.PGPASSWORD }
  const isLoopback = isLoopbackHost(host)
  if (!isLoopback && ![host, plain].includes(env.PGHOST?.toLowerCase() ?? '')) {
    throw new SpritewrightError('SW_UNTRUSTED_HOST', {
      message: `Expected the server of the shared store to be the one that PGHOST names. Found ${host} in a file of the project only. Nothing was sent, because the server could ask for your password. If it is your server, set PGHOST=${plain} beside the password.`,
      facts: { host, port: target.port },
    })
  }
  // Without a setting, pg would not encrypt.
  const mode = env.PGSSLMODE || (isLoopback ? 'disable' : 'verify-full')
  return { ...target, tls: mode === 'disable' ? 'off' : mode === 'no-verify' ? 'unchecked' : 'checked' }
}
