import type { Host } from '../../src/host/host.ts'
import type { Journal } from '../../src/job/records/journal.ts'
import { noSubmission, type Submission } from '../../src/job/records/submission.ts'
import { resolveOptions } from '../../src/options/options.ts'
import { type Context, openContext } from '../../src/project/context.ts'
import type { Session } from '../../src/project/session.ts'
import type { ServiceIdentity } from '../../src/sprite-spec/request.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'

/** The service of these projects. */
export const identity: ServiceIdentity = { host: 'a.test', keyMode: 'test', apiVersion: '1' }

/** The picture `hero.png`. */
export const picture: Uint8Array = figurePng()

/** What a project has, apart from its picture `hero.png`. */
export interface MemoryProject {
  /** Specs by file name. A text is written as it is. */
  readonly specs: Readonly<Record<string, object | string>>
  readonly lock?: LockFile
  /** What the journal says of requests, by hash. `broken` has a broken chain. */
  readonly submissions?: Readonly<Record<string, Partial<Submission> | 'broken'>>
  /** Results in the vault. */
  readonly kept?: Readonly<Record<string, Uint8Array>>
}

/** Opens a project in memory. Its lock file, journal and vault are only read. */
export function openMemoryProject({ specs, lock = { version: 1, animations: {} }, submissions = {}, kept = {} }: MemoryProject): {
  readonly context: Context
  readonly disk: MemoryDisk
  readonly session: Session
  /** What was read of journal and vault, by hash. */
  readonly asked: readonly string[]
} {
  const asked: string[] = []
  const disk = new MemoryDisk()
  for (const [name, spec] of Object.entries(specs))
    disk.files.set(`/game/${name}.sprite.json`, new TextEncoder().encode(typeof spec === 'string' ? spec : JSON.stringify(spec)))
  disk.files.set('/game/hero.png', picture)
  const glob = async (): Promise<string[]> => [...disk.files.keys()].filter((path) => path.endsWith('.sprite.json')).sort()
  const ports = { disk, glob, clock: new ManualClock(), random: countingRandom(), env: {}, stateFolder: '/state', tempFolder: '/tmp' }
  const host = { ...ports, trackedFiles: async () => [] } as unknown as Host
  const options = resolveOptions({ service: { baseUrl: 'https://a.test' } }, { root: '/game', isCi: false, dependencies: [] })
  const opened = openContext(host, options, {}, { name: 'game', configSource: 'spritewright.config.ts' })
  const read: Journal['read'] = async (hash) => {
    const submission = submissions[hash] ?? {}
    if (submission === 'broken') throw Object.assign(new Error('broken'), { code: 'SW_JOURNAL', name: 'SpritewrightError' })
    return { records: [], submission: { ...noSubmission, ...submission } } as unknown as Awaited<ReturnType<Journal['read']>>
  }
  const append: Journal['append'] = async () => Promise.reject(new Error('The journal is only read.'))
  const noted = <T>(verb: string, what: string, ask: (what: string) => Promise<T>): Promise<T> => {
    asked.push(`${verb} ${what}`)
    return ask(what)
  }
  const context: Context = {
    ...opened,
    lock: { ...opened.lock, read: async () => lock },
    journal: {
      ...{ append, requests: async () => Object.keys(submissions) },
      read: (hash) => noted('read', hash, read),
      peek: (hash) => noted('peek', hash, read),
    },
    vault: {
      ...{ ...opened.vault, read: async (sha256) => kept[sha256] },
      has: (sha256) => noted('has', sha256, async () => sha256 in kept),
    },
  }
  return { context, disk, asked, session: { identity, client: { keyTag: () => 'k' }, capabilities: {} } as unknown as Session }
}

/** An entry of a lock file for a request to the service of these projects. */
export function entryOf(over: Partial<LockEntry> = {}): LockEntry {
  return { service: identity, asked: { prompt: 'p' }, ...over }
}
