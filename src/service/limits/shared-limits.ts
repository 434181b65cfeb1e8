import { join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import type { Disk } from '../../host/disk.ts'
import { publish } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
import { sha256 } from '../../host/sha256.ts'
import type { Limiter, Limits, Release } from './limits.ts'
import { SharedSlots, type SlotRules } from './shared-slots.ts'

/** The ports that {@link createSharedLimiter} needs. */
export interface SharedLimitPorts {
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
}

/**
 * A request has a deadline of at most 5 minutes (an upload). A download may take longer, but holds its slot
 * only until its answer begins. The lease is the deadline, the patience and a margin, so no request outlasts it.
 */
const requestRules = { leaseMs: 6 * 60_000, renewMs: null, patienceMs: 30_000 }
const streamRules = { restMs: 0, leaseMs: 30_000, renewMs: 10_000, patienceMs: 10_000 }

/**
 * Shares the limits between all processes of this machine that use one key at one service, for example a dev
 * server and the CLI. Two keys of one account have separate slots, because nothing shows that they belong
 * together.
 *
 * @param own The limits of this process. They are kept first, because they need no disk.
 * @param folder Absolute path, of this user and outside every project. It is created when first needed. Its
 * file names hold times, and neither the key nor the address.
 * @param account Base URL and key. Only a salted fingerprint of them is used.
 */
export function createSharedLimiter(
  own: Limiter,
  ports: SharedLimitPorts,
  limits: Limits,
  folder: string,
  account: { readonly baseUrl: string; readonly key: string },
): Limiter {
  let opened: Promise<Slots> | undefined
  const open = (): Promise<Slots> => {
    opened ??= openSlots(ports, limits, folder, account).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const take = async (name: keyof Slots, first: Promise<Release>, signal: AbortSignal | undefined): Promise<Release> => {
    const release = await first
    try {
      const shared = await (await open())[name].take(signal)
      const both = (): void => {
        shared()
        release()
      }
      return shared.lost === undefined ? both : Object.assign(both, { lost: shared.lost })
    } catch (error) {
      release()
      throw signal?.aborted ? signal.reason : toDiskError(error, folder)
    }
  }
  return {
    take: (bucket, signal) => take(bucket, own.take(bucket, signal), signal),
    openStream: (signal) => take('stream', own.openStream(signal), signal),
    settled: async () => {
      await own.settled()
      if (opened !== undefined) for (const slots of Object.values(await opened)) await slots.settled()
    },
  }
}

type Slots = Readonly<Record<'post' | 'get' | 'download' | 'stream', SharedSlots>>

async function openSlots(
  { disk, clock, random }: SharedLimitPorts,
  limits: Limits,
  folder: string,
  account: { readonly baseUrl: string; readonly key: string },
): Promise<Slots> {
  const shared = await accountFolder({ disk, random }, folder, account)
  const slots = async (name: string, rules: SlotRules): Promise<SharedSlots> => {
    const own = join(shared, name)
    await disk.makeFolder(own)
    return new SharedSlots(disk, clock, own, rules)
  }
  const request = (count: number): SlotRules => ({ ...requestRules, count, restMs: limits.windowMs })
  return {
    post: await slots('post', request(limits.post)),
    get: await slots('get', request(limits.get)),
    download: await slots('download', request(limits.download)),
    stream: await slots('stream', { ...streamRules, count: limits.streams }),
  }
}

/** Folder in which the processes of this machine share the slots and places of one key at one service. */
export async function accountFolder(
  { disk, random }: Pick<SharedLimitPorts, 'disk' | 'random'>,
  folder: string,
  account: { readonly baseUrl: string; readonly key: string },
): Promise<string> {
  disk.keepPrivate?.(folder)
  const saltPath = join(folder, 'salt')
  if ((await disk.stat(saltPath)) === undefined) await publish(disk, random, saltPath, random.bytes(16))
  const tag = sha256(await disk.read(saltPath), JSON.stringify([account.baseUrl, account.key])).slice(0, 16)
  return join(folder, tag)
}

/** The error for a folder of shared limits that cannot be used. */
export function toDiskError(error: unknown, folder: string): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (typeof code !== 'string' || error instanceof SpritewrightError) return error
  return new SpritewrightError('SW_DISK', {
    message: `Expected to keep the service's limits, shared with other processes, in ${folder}, found ${code}. Make that folder writable; nothing was sent.`,
    facts: { path: folder, code },
  })
}
