import { type Credits, parseCredits } from '../credit/credits.ts'
import type { FrameReview } from '../service/wire.ts'
import type { SheetRequest } from '../sprite-spec/request.ts'
import type { LockEntry, LockFile } from '../vault/lockfile.ts'

/** A bought result of an earlier request of an animation. */
export interface SupersededResult {
  readonly sha256: string
  /** Number of frames that it was asked for. */
  readonly frames: number
  readonly review?: FrameReview
  /** What it cost at most; missing if the lock file does not say. */
  readonly credits?: Credits
}

/** The newest result of another request of the same animation, from the same service. */
export function supersededBy(
  request: SheetRequest,
  hash: string | undefined,
  lock: LockFile,
  host: string | undefined,
): { superseded?: SupersededResult } {
  const [last] = newestFirst(entriesOf(lock, request.id)).filter(
    ([other, { result, service }]) => result && other !== hash && (host === undefined || service.host === host),
  )
  if (!last?.[1].result) return {}
  const { asked, result, submission } = last[1]
  return {
    superseded: {
      sha256: result.sha256,
      frames: asked.frames ?? request.frames,
      review: result.review,
      ...(submission ? { credits: parseCredits(submission.maxCredits) } : {}),
    },
  }
}

/**
 * Compares the paid fields with the last purchase or approval of this animation. At a service that has none,
 * the one of another service that differs least counts. Returns an empty list if there was none at all.
 *
 * @param host Host of the configured service; `undefined` if none is configured.
 */
export function changedFields(request: SheetRequest, lock: LockFile, host: string | undefined): readonly string[] {
  const all = newestFirst(entriesOf(lock, request.id)).flatMap(([, entry]) => (entry.result || entry.approval ? [entry] : []))
  const here = all.find(({ service }) => host === undefined || service.host === host)
  const others = all.map((entry) => differences(request, entry, true)).sort((a, b) => a.length - b.length)
  const changed = here ? differences(request, here, false) : others[0]
  return changed?.length === 0 ? ['service'] : (changed ?? [])
}

/** @param isElsewhere Whether the entry is of another service, where each step of a chain has another hash. */
function differences(request: SheetRequest, { asked }: LockEntry, isElsewhere: boolean): readonly string[] {
  const { prompt, reference, frames, background, take } = request
  const from = reference.kind === 'file' ? reference.sha256 : isElsewhere ? asked.reference : reference.hash
  const now = { prompt, reference: from, frames, background, take }
  const changed = Object.entries(now).flatMap(([field, value]) => (asked[field as keyof typeof now] === value ? [] : [field]))
  return JSON.stringify(asked.options ?? {}) === JSON.stringify(request.options ?? {}) ? changed : [...changed, 'options']
}

function newestFirst(entries: readonly (readonly [string, LockEntry])[]): readonly (readonly [string, LockEntry])[] {
  return [...entries].sort(([, a], [, b]) => ((a.approval?.at ?? '') < (b.approval?.at ?? '') ? 1 : -1))
}

function entriesOf(lock: LockFile, id: string): readonly (readonly [string, LockEntry])[] {
  return Object.hasOwn(lock.animations, id) ? Object.entries(lock.animations[id] ?? {}) : []
}
