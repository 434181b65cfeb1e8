import { join, resolve } from 'node:path'
import { readCredentials } from '../credentials.ts'
import type { Host } from '../host/host.ts'
import { type WarmFiles, warmFiles, warmProgram } from '../host/warm-files.ts'
import { warmHost } from '../host/warm-host.ts'
import { searchFor } from '../key-search.ts'
import { type Kept, type KeptFile, openKept, packKept } from './kept.ts'
import { leaveStamp, stampFile, type WarmRun, warmOutcome } from './stamp.ts'

/** What a door of ours knows of a run before it loads anything. */
export interface WarmRequest {
  /** What is asked for, and the options that were given. */
  readonly asked: unknown
  /** Folder of the project, absolute. */
  readonly root: string
  /** Which `.env.[mode]` files are read. */
  readonly mode: string
  /** Where `.env` files lie, absolute or from the root; false: none is read. */
  readonly envDir: string | false
  /** Prefixes of variables that the bundler ships. */
  readonly envPrefix: string | readonly string[]
  /** Whether a file, by its absolute path, is one that the run is there to write. That it is listed in its folder changes nothing of what anybody makes of the listing. */
  readonly isOutput: (path: string) => boolean
  /** Path of the file that the door was loaded from. */
  readonly entry: string
  /** The world; this machine where it is left out. */
  readonly host?: Host | undefined
}

/** The start of a run that another one like it may have gone before. */
export interface WarmStart {
  /** Whether there is an API key that could be shipped. */
  readonly hasKey: boolean
  /** Whether bytes hold the API key. */
  containsKey(bytes: Uint8Array): boolean
  /** What the last run kept, where this one would come to the same. Undefined where anything is different, missing, damaged or odd: then only the ordinary way knows. It is the caller's to close. */
  find(): KeptFile | undefined
  /** Watches what the ordinary way sees. */
  record(): Promise<WarmRecording>
}

/** An ordinary run that is watched. */
export interface WarmRecording {
  /** The world that it is to look at. */
  readonly host: Host
  /** Keeps what came of it for the next one, where that would see the same. It keeps nobody from anything: a folder that takes nothing is no failure. */
  leave(kept: Kept): Promise<void>
}

/** So many outcomes stay: of modes that are built in turn, or of a change that was taken back. */
const keptOutcomes = 4

/** Looks at what a run is asked for. Undefined where no other could be known to be its like: options that are more than data, a key that is none or would be shipped. */
export async function openWarmStart(request: WarmRequest): Promise<WarmStart | undefined> {
  const { asked, root, mode, envDir, envPrefix, isOutput, entry } = request
  const host = request.host ?? warmHost()
  if (!isData(asked)) return undefined
  // What is wrong with them the ordinary way finds out again, and says.
  const credentials = await readCredentials(host, envDir !== false && resolve(root, envDir), { mode, envPrefix }).catch(() => undefined)
  if (!credentials) return undefined
  const files = warmFiles()
  const hasKey = credentials.key !== undefined
  const search = searchFor(credentials.key?.reveal())
  const run: WarmRun = {
    asked: [asked, root, mode, envDir, envPrefix, credentials.baseUrl ?? null, hasKey],
    cache: join(root, 'node_modules', '.cache', 'spritewright'),
    env: host.env,
    key: credentials.key?.reveal() ?? '',
    program: warmProgram(files, entry),
  }
  const stamp = stampFile(files, run)
  return {
    hasKey,
    containsKey: search.isIn,
    find: () => (stamp === undefined ? undefined : findKept(files, run.cache, warmOutcome(files, stamp, host.clock.wall()))),
    record: async () => {
      const { nodeHost, recordHost, tempName } = await import('./record.ts')
      const whole = request.host ?? nodeHost()
      if (stamp === undefined) return { host: whole, leave: async () => {} }
      const recorder = recordHost(whole, files, { cache: run.cache, areVariablesRead: true, isUnheeded: isOutput })
      return {
        host: recorder.host,
        leave: async (kept) => {
          recorder.settle(isOutput)
          if (!recorder.maySee || recorder.printed !== '' || search.isIn(kept.text)) return
          const bytes = packKept(kept)
          const outcome = files.digestBytes(bytes)
          const place = keptPlace(run.cache, outcome)
          const isThere = files.digest(place) === outcome
          if (!isThere && !files.write(place, tempName(whole.random, place), bytes)) return
          files.keepLatest(run.cache, keptEnding, keptOutcomes)
          const sight = await recorder.toSight([[place, outcome]])
          if (sight) leaveStamp(files, stamp, { ...sight, outcome }, run, tempName(whole.random, stamp))
        },
      }
    },
  }
}

const keptEnding = '.kept'

function keptPlace(cache: string, digest: string): string {
  return join(cache, `${digest}${keptEnding}`)
}

/** That the file is whole is a part of what the stamp saw. */
function findKept(files: WarmFiles, cache: string, outcome: string | undefined): KeptFile | undefined {
  return outcome === undefined ? undefined : openKept(files, keptPlace(cache, outcome))
}

/** Deeper than any options go: what goes in circles is none. */
const deepest = 16

/** Whether JSON shows all of a value: texts, numbers, truths, lists and plain objects of them. */
function isData(value: unknown, depth: number = 0): boolean {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > deepest) return false
  const kind: unknown = Object.getPrototypeOf(value)
  const isPlain = Array.isArray(value) || kind === Object.prototype || kind === null
  return isPlain && Object.values(value).every((one) => isData(one, depth + 1))
}
