import { dirname } from 'node:path'
import type { Clock } from './clock.ts'
import type { Disk } from './disk.ts'
import { ensureFolder } from './publish.ts'
import type { Random } from './random.ts'

/**
 * How long one owner may keep the turn before it counts as dead, and how often others check, in milliseconds.
 */
const patienceMs = 1_000
const pollMs = 25
/** Checks after which a waiter continues without a turn. */
const mostPolls = 400

/**
 * Runs work while no other process that asks for the same turn runs its own.
 *
 * This is only an optimisation. A process that pauses for longer than a second loses its turn without knowing
 * it. So callers may rely on the turn only to make repeated work rare.
 *
 * @param path A file that exists while a process has the turn.
 */
export async function inTurn<T>(ports: { disk: Disk; random: Random; clock: Clock }, path: string, work: () => Promise<T>): Promise<T> {
  const token = Buffer.from(ports.random.bytes(8)).toString('hex')
  const isMine = await claim(ports, path, token)
  try {
    return await work()
  } finally {
    if (isMine && (await ownerOf(ports.disk, path)) === token) await ports.disk.remove(path)
  }
}

async function claim({ disk, random, clock }: { disk: Disk; random: Random; clock: Clock }, path: string, token: string): Promise<boolean> {
  let seen: string | undefined
  let waitedMs = 0
  for (let polls = 0; polls < mostPolls; polls++) {
    try {
      await ensureFolder(disk, dirname(path))
      await disk.writeTemp(path, new TextEncoder().encode(token))
      return true
    } catch (error) {
      // If no file can be made here, the work itself reports that.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
    // An unreadable file counts as one owner that never changes.
    const owner = (await ownerOf(disk, path)) ?? 'unknown'
    if (owner !== seen) waitedMs = 0
    seen = owner
    if (waitedMs > patienceMs) {
      if (!(await isRemoved(disk, path))) return false
      continue
    }
    const pauseMs = pollMs * (0.5 + random.unit())
    await clock.sleep(pauseMs)
    waitedMs += pauseMs
  }
  return false
}

async function isRemoved(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.remove(path)
    return true
  } catch {
    return false
  }
}

async function ownerOf(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await disk.read(path))
  } catch {
    return undefined
  }
}
