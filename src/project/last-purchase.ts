import { type Credits, parseCredits } from '../credit/credits.ts'
import type { FrameReview } from '../service/wire.ts'
import type { SheetRequest } from '../spec/request.ts'
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
      ...(result.review ? { review: result.review } : {}),
      ...(submission ? { credits: parseCredits(submission.maxCredits) } : {}),
    },
  }
}

/**
 * Compares the paid fields with the last purchase or approval of this animation. Returns an empty list if
 * there was none.
 */
export function changedFields(request: SheetRequest, lock: LockFile): readonly string[] {
  const last = newestFirst(entriesOf(lock, request.id)).find(([, entry]) => entry.result ?? entry.approval)?.[1]
  if (!last) return []
  const { prompt, reference, frames, background, take } = request
  const now = { prompt, reference: reference.kind === 'file' ? reference.sha256 : reference.hash, frames, background, take }
  const changed = Object.entries(now).flatMap(([field, value]) => (last.asked[field as keyof typeof now] === value ? [] : [field]))
  if (JSON.stringify(last.asked.options ?? {}) !== JSON.stringify(request.options ?? {})) changed.push('options')
  return changed.length > 0 ? changed : ['service']
}

function newestFirst(entries: readonly (readonly [string, LockEntry])[]): readonly (readonly [string, LockEntry])[] {
  return [...entries].sort(([, a], [, b]) => ((a.approval?.at ?? '') < (b.approval?.at ?? '') ? 1 : -1))
}

function entriesOf(lock: LockFile, id: string): readonly (readonly [string, LockEntry])[] {
  return Object.hasOwn(lock.animations, id) ? Object.entries(lock.animations[id] ?? {}) : []
}
