import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { isLoopbackHost } from '../host/net/address-blocks.ts'
import type { QueueTarget } from '../host/net/job-queue.ts'
import { parsePostgresAddress, resolvePostgresTarget } from '../stores/postgres-address.ts'

const form = 'redis://host:port/number, rediss://host:port/number or postgres://host/database'

/** Environment variable with the host of the Redis server, unless that is this machine. */
export const redisHostName = 'SPRITEWRIGHT_REDIS_HOST'
/** Environment variables with the user and the password of a Redis server. They are never read from a file. */
export const redisUserName = 'SPRITEWRIGHT_REDIS_USER'
/** See {@link redisUserName}. */
export const redisPasswordName = 'SPRITEWRIGHT_REDIS_PASSWORD'

/**
 * Parses the address of a queue and adds user and password from the environment.
 *
 * @param text `redis://host:port/number`, `rediss://` for an encrypted connection, or `postgres://host/database`.
 * @param makesTables See {@link QueueTarget}.
 * @default no
 * @throws `SW_CONFIG` for any other text. The message does not repeat the text, which may contain a password.
 * @throws `SW_UNTRUSTED_HOST` for a server that only a file of the project names: it could ask for the password.
 */
export function resolveQueueTarget(text: string, env: Host['env'], makesTables = false): QueueTarget {
  if (/^postgres(?:ql)?:/.test(text)) return { kind: 'postgres', makesTables, ...resolvePostgresTarget(parsePostgresAddress(text), env) }
  const [, scheme, host, port = '6379', database = '0'] =
    /^(rediss?):\/\/([\w-]+(?:\.[\w-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(?:\/(\d{1,4}))?$/i.exec(text) ?? []
  if (scheme === undefined || host === undefined) {
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected the address of a queue as ${form}, found ${text.includes('@') ? 'a user name or a password in it' : 'something else'}. Correct service.queue in the configuration; user and password of Redis come from ${redisUserName} and ${redisPasswordName} in the environment.`,
      facts: { expected: form },
    })
  }
  const isEncrypted = scheme.toLowerCase() === 'rediss'
  const password = env[redisPasswordName] || undefined
  if (!isLoopbackHost(host)) checkTrust(host.toLowerCase(), Number(port), isEncrypted || password === undefined, env)
  const plain = host.replace(/^\[(.*)\]$/, '$1')
  return {
    kind: 'redis',
    host: plain,
    port: Number(port),
    database: Number(database),
    user: env[redisUserName] || undefined,
    password,
    isEncrypted,
  }
}

function checkTrust(host: string, port: number, isSafe: boolean, env: Host['env']): void {
  const facts = { host, port }
  if (env[redisHostName]?.toLowerCase() !== host) {
    throw new SpritewrightError('SW_UNTRUSTED_HOST', {
      message: `Expected the server of the queue to be one that the environment trusts. Found ${host} in a file of the project only. Nothing was sent there. If it is your server, set ${redisHostName}=${host} beside the password.`,
      facts,
    })
  }
  if (isSafe) return
  throw new SpritewrightError('SW_UNTRUSTED_HOST', {
    message: `Expected an encrypted connection to ${host}, because ${redisPasswordName} is set; found redis://, which would send the password in clear text. Nothing was sent. Write rediss:// in service.queue.`,
    facts,
  })
}
