import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findServers } from '../../../scripts/find-servers.mjs'
import { freePort } from '../listen.ts'
import { removeFolder, serverFolder, serverUser, startProcess } from './process.ts'

/** A PostgreSQL server on loopback, with an empty database. */
export interface PostgresServer {
  readonly port: number
  /** Variables that a client needs. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Runs statements as the owner of everything.
   *
   * @default in the database `postgres`
   */
  query(text: string, database?: string): Promise<readonly Record<string, unknown>[]>
  /** Ends all connections at once. It stays away until `start`. */
  stop(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  /** Both, one after the other. */
  restart(): Promise<void>
  close(): Promise<void>
}

const user = 'studio'
const password = 'pass word/of-the%test'

/** Whether this machine has PostgreSQL. If not, the tests that need it say that they are skipped. */
export const hasPostgres: boolean = findServers().postgresql !== undefined
if (!hasPostgres)
  console.warn('The tests of PostgreSQL are skipped: no initdb and postgres are here (on Debian: apt-get install postgresql).')

/** Makes a cluster in a new folder and starts it. Passwords are checked by SCRAM, as in production. */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = findServers().postgresql ?? ''
  const owner = serverUser()
  const folder = serverFolder(owner)
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, `${password}\n`)
  chmodSync(passwordFile, 0o644)
  const settings = ['-D', data, '-U', user, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '-N']
  execFileSync(join(bin, 'initdb'), settings, { ...owner, stdio: 'pipe' })
  const port = await freePort()
  const env = { PGUSER: user, PGPASSWORD: password }
  const query = async (text: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  const start = async () => {
    const args = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
    const server = await startProcess(join(bin, 'postgres'), args, port, owner)
    // It takes connections a moment before it answers them.
    for (;;) {
      const isUp = await query('SELECT 1').catch((error: { code?: string }) => {
        if (error.code !== '57P03') throw error
      })
      if (isUp) return server
      await sleep(20)
    }
  }
  let server = await start()
  return {
    port,
    env,
    query,
    stop: () => server.stop('SIGINT'),
    start: async () => {
      server = await start()
    },
    restart: async () => {
      await server.stop('SIGINT')
      server = await start()
    },
    close: async () => {
      await server.stop('SIGINT')
      removeFolder(folder)
    },
  }
}
