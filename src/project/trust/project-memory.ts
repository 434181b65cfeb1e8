import { join } from 'node:path'
import { z } from 'zod'
import { isSigned } from '../../credit/approval.ts'
import { type Credits, formatCredits, isCreditsText, parseCredits } from '../../credit/credits.ts'
import { type Given, waysOfGiving } from '../../credit/given.ts'
import type { KeyRing, SigningKey } from '../../credit/signing-key.ts'
import { lowerTotal } from '../../credit/standing.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { replaceFile } from '../../host/publish.ts'
import type { LockFile } from '../../vault/lockfile.ts'

/** Facts about a project that this user's runs store on this machine. */
export interface ProjectFacts {
  /** Id of the project. Every approval names it. */
  readonly project: string
  /** Time of the first run here of a version whose approvals expire, in milliseconds since the Unix epoch. */
  readonly firstRun: number
  /** The latest time that a run has seen, in milliseconds since the Unix epoch. */
  readonly latest: number
  /** The lowest `approval.total` since a person accepted a total; `undefined` if no run had a total. */
  readonly total: Credits | undefined
  /** The ways of giving that every `approval.accept` has had since a person accepted one; `undefined` for all ways. */
  readonly accept?: readonly Given[] | undefined
}

/** The limits of a configuration that the memory keeps. */
export type RememberedLimits = Pick<ProjectFacts, 'total' | 'accept'>

/** The memory of one project, in the user's state folder, sealed with the user's key. */
export interface ProjectMemory {
  /** Returns `undefined` if there is no memory yet, and `damaged` for a file that this user's runs did not write. */
  read(): Promise<ProjectFacts | 'damaged' | undefined>
  /**
   * Stores the present time, and limits that are lower or narrower than before. Creates the memory if there is none, with
   * the id of the project from the approvals in the lock file, or with a new id.
   *
   * @param limits Of the configuration.
   * @returns `undefined` if the user has no key yet.
   * @throws `SW_CONFIG` if the memory is damaged.
   */
  keep(lock: LockFile, limits: RememberedLimits): Promise<ProjectFacts | undefined>
  /** Replaces the remembered limits by those that a person has accepted; `undefined` for none. */
  accept(lock: LockFile, limits: RememberedLimits): Promise<void>
}

const fileSchema = z.object({
  project: z.string(),
  firstRun: z.number(),
  latest: z.number(),
  total: z.string().refine(isCreditsText).nullable(),
  accept: z.array(z.enum(waysOfGiving)).optional(),
  seal: z.string(),
})

/** Pause between two writes of the latest time, in milliseconds. */
const latestEveryMs = 3_600_000

/**
 * Opens the memory. Files are read at each call, not before.
 *
 * @param place Names the project on this machine.
 */
export function openProjectMemory(
  { disk, random, clock, stateFolder }: Pick<Host, 'disk' | 'random' | 'clock' | 'stateFolder'>,
  keys: KeyRing,
  place: string,
): ProjectMemory {
  // Each key has its own file: a key from the environment must not find the seal of another key.
  const pathOf = (key: SigningKey): string => join(stateFolder, 'projects', `${place}-${key.fingerprint.slice(0, 16)}.json`)
  // The text of a memory without ways is that of earlier versions.
  const textOf = ({ project, firstRun, latest, total, accept }: ProjectFacts): string =>
    JSON.stringify(['spritewright project 1', place, project, firstRun, latest, totalText(total), ...(accept ? [accept] : [])])
  const readFor = async (key: SigningKey): Promise<ProjectFacts | 'damaged' | undefined> => {
    const path = pathOf(key)
    if (!(await disk.stat(path))) return undefined
    try {
      const { total, seal, ...rest } = fileSchema.parse(JSON.parse(new TextDecoder().decode(await disk.read(path))))
      const facts = { ...rest, total: total === null ? undefined : parseCredits(total) }
      return key.isSealOf(seal, textOf(facts)) ? facts : 'damaged'
    } catch {
      return 'damaged'
    }
  }
  const write = async (key: SigningKey, facts: ProjectFacts): Promise<ProjectFacts> => {
    const text = JSON.stringify({ ...facts, total: totalText(facts.total), seal: key.seal(textOf(facts)) })
    // A machine that cannot write its state folder has no memory. Its journal still has the newest approvals.
    await replaceFile(disk, random, pathOf(key), new TextEncoder().encode(`${text}\n`)).catch(() => {})
    return facts
  }
  const makeFor = (key: SigningKey, lock: LockFile): ProjectFacts => ({
    project: projectOf(lock, key.fingerprint) ?? key.seal(JSON.stringify(['spritewright project id 1', place])).slice(0, 32),
    firstRun: clock.wall(),
    latest: 0,
    total: undefined,
  })
  return {
    read: async () => {
      const key = await keys.read()
      return key && readFor(key)
    },
    keep: async (lock, { total, accept }) => {
      const key = await keys.read()
      const before = key && ((await readFor(key)) ?? makeFor(key, lock))
      if (!key || !before) return undefined
      if (before === 'damaged') throw damagedError(pathOf(key))
      const now = clock.wall()
      const lower = lowerTotal(before.total, total)
      const ways = narrower(before.accept, accept)
      const isSame = lower === before.total && ways?.join() === before.accept?.join()
      if (now < before.latest + latestEveryMs && isSame) return before
      return write(key, { ...before, latest: Math.max(now, before.latest), total: lower, accept: ways })
    },
    accept: async (lock, { total, accept }) => {
      const key = await keys.readOrMake()
      const before = (await readFor(key)) ?? makeFor(key, lock)
      if (before === 'damaged') throw damagedError(pathOf(key))
      await write(key, { ...before, total, accept })
    },
  }
}

/** A touch is the strongest way, so it is never too many. A list that would be empty is not kept: nothing counts meanwhile. */
function narrower(before: readonly Given[] | undefined, accept: readonly Given[] | undefined): readonly Given[] | undefined {
  if (before === undefined || accept === undefined) return before ?? accept
  const ways = accept.filter((way) => way === 'touched' || before.includes(way))
  return ways.length > 0 ? ways : before
}

function damagedError(file: string): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', {
    message: `Expected ${file} to have the facts about this project, sealed with your key; found something else. Until the file is removed, no approval counts here. Remove it, then give the approvals that you still want again: npx spritewright approve`,
    facts: { file },
  })
}

function totalText(total: Credits | undefined): string | null {
  return total === undefined ? null : formatCredits(total)
}

/** The project in the signed approvals of a lock file: in the user's own approvals, or else in the first approval. */
export function projectOf(lock: LockFile, own: string | undefined): string | undefined {
  const named = [...Object.values(lock.animations), lock.steps ?? {}].flatMap((requests) =>
    Object.entries(requests).flatMap(([hash, { approval, service }]) => {
      if (approval?.project === undefined) return []
      const whole = { ...approval, ceiling: parseCredits(approval.ceiling) }
      const { buyer, at, project } = approval
      return approval.given !== undefined && isSigned(whole, hash, service) ? [{ project, at, isOwn: buyer === own }] : []
    }),
  )
  return named.sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || (a.at < b.at ? -1 : 1))[0]?.project
}
