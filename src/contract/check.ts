import type { Credits } from '../credit/credits.ts'
import type { Clock } from '../host/clock.ts'
import type { Random } from '../host/random.ts'
import type { Profile } from '../service/profile.ts'
import type { Caller, Reply } from './caller.ts'
import type { ClauseId } from './clauses.ts'
import type { LifeOutcome } from './outcome.ts'

/** A part of the service profile, which the configuration can replace. */
export type ProfilePart = keyof Profile

/** The result of a check. Its texts are complete sentences for a person. */
export type Finding =
  | 'kept'
  | 'not checkable'
  | { readonly kept: string }
  | { readonly broken: string; readonly profilePart?: ProfilePart }
  | { readonly notCheckable: string }

/** One check of one promise. */
export interface ContractCheck {
  /** The clause to check, or the assumption (`N1` …) about a part that the interface does not show. */
  readonly clause: ClauseId | `N${number}`
  /** The checked claim, as a sentence that can be false. */
  readonly title: string
  /** `free`: nothing is submitted. `spend`: checks the one execution that is bought under the ceiling. */
  readonly needs: 'free' | 'spend'
  run(context: ContractContext): Promise<Finding>
}

/** State that the checks of one run share. */
export interface ContractContext {
  readonly caller: Caller
  readonly profile: Profile
  readonly clock: Clock
  readonly random: Random
  /** `GET /v1/capabilities`, requested once. */
  capabilities(): Promise<Reply>
  /**
   * Id of a picture that is uploaded once. Free.
   *
   * @throws `SW_WIRE`, `SW_REFUSED` if the upload fails.
   */
  reference(): Promise<string>
  /** The one execution of this run, bought at the first call. */
  life(): Promise<LifeOutcome>
  /** The most credits that may be spent; undefined if nothing may be spent. */
  readonly ceiling: Credits | undefined
  /** Returns a new value that no answer may repeat. A later check searches all refusals for it. */
  canary(): string
  readonly canaries: readonly string[]
}

/** Returns `kept` if there are no complaints, and otherwise `broken` with all complaints. */
export function judge(complaints: readonly string[], profilePart?: ProfilePart): Finding {
  if (complaints.length === 0) return 'kept'
  const broken = complaints.map((complaint) => (complaint.endsWith('.') ? complaint : `${complaint}.`)).join(' ')
  return profilePart === undefined ? { broken } : { broken, profilePart }
}
