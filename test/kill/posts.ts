import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCredits } from '../../src/credit/credits.ts'
import type { HookedRequest } from '../../src/embedded/options/options.ts'

/** Whether a request is a submission. */
export function isExecute(request: { readonly method: string; readonly path: string }): boolean {
  return request.method === 'POST' && request.path === '/v1/execute'
}

/** Checks every submission when it reaches the service, because the ledger cannot show these faults later. */
export interface PostWatch {
  see(request: HookedRequest): void
  /** Descriptions of the faults; empty if there are none. */
  wrongs(): readonly string[]
  /** Submissions seen. */
  count(): number
}

/**
 * Watches for I2 (never above the ceiling), I5 (one key, one body) and I6 (a record of it was on disk
 * before).
 *
 * @param store The project's store, for example `…/.spritewright`.
 */
export function watchPosts(store: string): PostWatch {
  const bodies = new Map<string, string>()
  const sends = new Map<string, number>()
  const wrongs: string[] = []
  let count = 0
  return {
    count: () => count,
    wrongs: () => wrongs,
    see: (request) => {
      if (!isExecute(request)) return
      count++
      const key = request.headers['idempotency-key'] ?? ''
      const digest = createHash('sha256').update(request.body).digest('hex')
      if ((bodies.get(key) ?? digest) !== digest) wrongs.push(`I5: ${key} came with another body`)
      bodies.set(key, digest)
      const number = (sends.get(key) ?? 0) + 1
      sends.set(key, number)
      const chain = chainOf(store, key)
      if (!chain) return void wrongs.push(`I6: ${key} was sent and no record names it`)
      if (chain.sent < number) wrongs.push(`I6: POST ${number} of ${key}, ${chain.sent} records of sending`)
      const asked = (JSON.parse(new TextDecoder().decode(request.body)) as { max_credits?: string }).max_credits
      // A picture has no limit in its body. The ledger shows what it was charged.
      if (asked !== undefined && parseCredits(asked) > parseCredits(chain.ceiling))
        wrongs.push(`I2: ${asked} above the ceiling of ${chain.ceiling}`)
    },
  }
}

interface Frozen {
  readonly ceiling: string
  readonly sent: number
}

/** The journal's records of a key, read from the raw files. */
function chainOf(store: string, key: string): Frozen | undefined {
  const folder = join(store, 'submissions')
  for (const hash of existsSync(folder) ? readdirSync(folder) : []) {
    const names = readdirSync(join(folder, hash)).filter((name) => /^\d{4}\.json$/.test(name))
    const records = names.map((name) => JSON.parse(readFileSync(join(folder, hash, name), 'utf8')) as Line)
    const frozen = records.find(({ type, body }) => type === 'frozen' && body.key === key)
    if (!frozen) continue
    const sent = records.filter(({ type, body }) => type === 'sent' && body.attempt === frozen.body.attempt).length
    return { ceiling: frozen.body.ceiling ?? '', sent }
  }
  return undefined
}

interface Line {
  readonly type: string
  readonly body: { readonly key?: string; readonly ceiling?: string; readonly attempt?: number }
}
