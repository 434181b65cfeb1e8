import type { Credits } from '../credit/credits.ts'
import type { FrameReview, Question } from '../service/wire.ts'
import type { SheetRequest } from '../spec/request.ts'
import type { AnimationSpec, SpriteSpec } from '../spec/spec.ts'

/**
 * Where one animation stands.
 *
 * - `bought`: its result is in the vault.
 * - `lost`: it was bought, its result is not here; it can be fetched again for free by its execution id.
 * - `approved`: a ceiling is recorded, nothing was sent.
 * - `running`: an execution is known and not at its end.
 * - `question`: an execution waits for an answer.
 * - `uncertain`: something was sent and never answered; a replay is not safe any more, a person decides.
 * - `failed`: the last attempt ended without a result.
 * - `missing`: nothing of it exists.
 */
export type PlanState = 'bought' | 'lost' | 'approved' | 'running' | 'question' | 'uncertain' | 'failed' | 'missing'

/** One animation of the project: what it asks, where it stands, what it would cost. */
export interface PlanItem {
  /** `sprite.animation`. */
  readonly id: string
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly request: SheetRequest
  /** Request hash; undefined while the service's identity is unknown (nothing bought and no key). */
  readonly hash?: string
  readonly state: PlanState
  /** The recorded ceiling of this very request. */
  readonly ceiling?: Credits
  /** A fresh estimate; only where something has to be bought and the service was asked. */
  readonly quote?: { readonly credits: Credits; readonly priceVersion: string; readonly referenceUsd: string }
  /** Why it is not bought: the paid fields that changed since the last purchase, e.g. `prompt`, `frames`; empty for a first purchase. */
  readonly changed: readonly string[]
  readonly executionId?: string
  readonly question?: Question
  /** The service's review of the bought frames. */
  readonly review?: FrameReview
  /** SHA-256 of the bought result. */
  readonly result?: string
  /** Words on a state that needs a person. */
  readonly note?: string
}
