import { connect } from 'node:net'
import { join } from 'node:path'
import { findServers } from '../../../scripts/find-servers.mjs'
import { freePort } from '../listen.ts'
import { hasPackages } from '../packages.ts'
import { removeFolder, serverFolder, serverUser, startProcess } from './process.ts'

/** A Redis server on loopback that asks for a password and keeps nothing on disk. */
export interface RedisServer {
  readonly port: number
  /** Variables that a client needs. */
  readonly env: Readonly<Record<string, string>>
  /** Removes everything, as a failover to an empty server does. */
  wipe(): Promise<void>
  /** Ends all connections at once. It stays away until `start`. */
  stop(): Promise<void>
  /** Starts it again on the same port, with nothing in it. */
  start(): Promise<void>
  /** Both, one after the other. */
  restart(): Promise<void>
  close(): Promise<void>
}

const password = 'pass-word/of-the%test'

/** Whether this machine has Redis. If not, the tests that need it say that they are skipped. */
export const hasRedis: boolean = findServers()['redis-server'] !== undefined && hasPackages('bullmq', 'ioredis')
if (!hasRedis)
  console.warn(
    'The tests of Redis are skipped: no redis-server is here (on Debian: apt-get install redis-server), or no bullmq and ioredis.',
  )

/** Starts a server in a new folder. */
export async function startRedis(): Promise<RedisServer> {
  const owner = serverUser()
  const folder = serverFolder(owner)
  const port = await freePort()
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
    '--requirepass',
    password,
  ]
  const start = () => startProcess(findServers()['redis-server'] ?? '', [...args, '--logfile', join(folder, 'log')], port, owner)
  let server = await start()
  return {
    port,
    env: { SPRITEWRIGHT_REDIS_PASSWORD: password },
    wipe: () =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.end(`AUTH ${password}\r\nFLUSHALL\r\n`))
        let answer = ''
        socket.on('data', (part) => (answer += part)).on('error', reject)
        socket.on('close', () => (answer === '+OK\r\n+OK\r\n' ? resolve() : reject(new Error(answer))))
      }),
    stop: () => server.stop('SIGKILL'),
    start: async () => {
      server = await start()
    },
    restart: async () => {
      await server.stop('SIGKILL')
      server = await start()
    },
    close: async () => {
      await server.stop('SIGKILL')
      removeFolder(folder)
    },
  }
}
