import { type Credits, parseCredits } from '../credit/credits.ts'
import { askedFields } from '../job/order.ts'
import type { FrameReview } from '../service/wire.ts'
import type { PaidRequest } from '../sprite-spec/request.ts'
import type { AskedFields, LockEntry, LockFile } from '../vault/lockfile.ts'

/** A bought result of an earlier request of an animation. */
export interface SupersededResult {
  readonly sha256: string
  /** Requested number of frames. */
  readonly frames: number
  readonly review?: FrameReview
  /** Its highest possible cost; missing if the lock file does not record it. */
  readonly credits?: Credits
}

/** The newest result of another request of the same animation, from the same service. */
export function supersededBy(
  request: PaidRequest,
  hash: string | undefined,
  lock: LockFile,
  host: string | undefined,
): { superseded?: SupersededResult } {
  const [last] = newestFirst(entriesOf(lock, request.id)).filter(
    ([other, { result, service, asked }]) =>
      result && other !== hash && (host === undefined || service.host === host) && isPicture(asked) === isPicture(request),
  )
  if (!last?.[1].result) return {}
  const { asked, result, submission } = last[1]
  return {
    superseded: {
      sha256: result.sha256,
      frames: asked.frames ?? ('frames' in request ? request.frames : 1),
      review: result.review,
      ...(submission ? { credits: parseCredits(submission.maxCredits) } : {}),
    },
  }
}

/**
 * Compares the paid fields with the last purchase or approval of this animation. If the service has none, the most
 * similar entry of another service counts. Returns an empty list if no service has one.
 *
 * @param host Host of the configured service; `undefined` if none is configured.
 */
export function changedFields(request: PaidRequest, lock: LockFile, host: string | undefined): readonly string[] {
  const all = newestFirst(entriesOf(lock, request.id)).flatMap(([, entry]) => (entry.result || entry.approval ? [entry] : []))
  const here = all.find(({ service }) => host === undefined || service.host === host)
  const others = all.map((entry) => differences(request, entry, true)).sort((a, b) => a.length - b.length)
  const changed = here ? differences(request, here, false) : others[0]
  return changed?.length === 0 ? ['service'] : (changed ?? [])
}

/** Whether an entry is for one picture. Entries for a sheet have no operation in the lock file. */
function isPicture({ operation = 'sprite_sheet' }: Pick<AskedFields, 'operation'>): boolean {
  return operation !== 'sprite_sheet'
}

/** @param isElsewhere Whether the entry is for another service, at which each step of a chain has another hash. */
function differences(request: PaidRequest, { asked }: LockEntry, isElsewhere: boolean): readonly string[] {
  const now = askedFields(request)
  const before = isElsewhere && request.reference?.kind === 'request' ? { ...asked, reference: now.reference } : asked
  return paidFields.filter((field) => JSON.stringify(before[field] ?? absent[field]) !== JSON.stringify(now[field] ?? absent[field]))
}

const paidFields = ['prompt', 'reference', 'operation', 'frames', 'background', 'take', 'options'] as const

/** Values that the lock file omits. */
const absent: Partial<AskedFields> = { take: 1, options: {} }

function newestFirst(entries: readonly (readonly [string, LockEntry])[]): readonly (readonly [string, LockEntry])[] {
  const timeOf = ([, { approval }]: (typeof entries)[number]): number => Date.parse(approval?.at ?? '') || 0
  return [...entries].sort((a, b) => timeOf(b) - timeOf(a))
}

function entriesOf(lock: LockFile, id: string): readonly (readonly [string, LockEntry])[] {
  return Object.hasOwn(lock.animations, id) ? Object.entries(lock.animations[id] ?? {}) : []
}
