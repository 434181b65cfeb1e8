import type { Clock } from '../../src/host/clock.ts'
import type { Disk } from '../../src/host/disk.ts'
import type { Net } from '../../src/host/net.ts'
import type { SimulatedWorld } from './world.ts'

/** The process is dead. Nothing of it reaches the world any more. */
class Death extends Error {}

/** Calls of a disk that change something. */
const changes = ['makeFolder', 'writeTemp', 'append', 'sync', 'link', 'syncFolder', 'move', 'remove'] as const

/** The ports of a process that dies at its n-th change of the disk. */
export interface MortalPorts {
  readonly disk: Disk
  readonly net: Net
  readonly clock: Clock
  /** Changes made so far. */
  count(): number
  /** For each change begun so far, whether the process had sent a request since the previous change. */
  readonly sentBefore: readonly boolean[]
  isDead(): boolean
  /** Settles when the process dies. */
  readonly died: Promise<void>
}

/**
 * Ports of a process that is killed at its n-th change: right before or right after it.
 *
 * @param at From 1. A process that makes fewer changes lives.
 */
export function mortalPorts(world: SimulatedWorld, at: number, moment: 'before' | 'after'): MortalPorts {
  let count = 0
  let hasSent = false
  const sentBefore: boolean[] = []
  let isDead = false
  let die = (): void => {}
  const died = new Promise<void>((resolve) => {
    die = resolve
  })
  const never = new Promise<never>(() => {})
  const kill = (): Promise<never> => {
    isDead = true
    die()
    // A killed process sees no error and nothing else.
    return never
  }
  const disk = { ...bound(world.disk) } as Record<string, (...args: never[]) => Promise<unknown>>
  for (const [name, call] of Object.entries(disk)) {
    const isChange = (changes as readonly string[]).includes(name)
    disk[name] = async (...args) => {
      if (isDead) return never
      if (!isChange) return call(...args)
      const own = ++count
      sentBefore.push(hasSent)
      hasSent = false
      if (own === at && moment === 'before') return kill()
      try {
        const result = await call(...args)
        return own === at ? kill() : result
      } catch (error) {
        // A process may also die at a change that fails. Without this, no later change would be tried.
        if (own === at) return kill()
        throw error
      }
    }
  }
  return {
    disk: disk as unknown as Disk,
    net: {
      close: async () => {},
      request: (request) => {
        if (isDead) return never
        hasSent = true
        return world.net.request(request).then((response) => (isDead ? never : response))
      },
    },
    clock: {
      wall: () => world.clock.wall(),
      mono: () => world.clock.mono(),
      sleep: (ms, signal) => (isDead ? Promise.reject(new Death()) : world.clock.sleep(ms, signal)),
    },
    count: () => count,
    sentBefore,
    isDead: () => isDead,
    died,
  }
}

function bound(disk: Disk): Record<string, (...args: never[]) => Promise<unknown>> {
  const names = ['read', 'list', 'links', 'stat', ...changes] as const
  return Object.fromEntries(
    names.map((name) => [name, (...args: never[]) => (disk[name] as (...all: never[]) => Promise<unknown>).call(disk, ...args)]),
  )
}
