import type { Credits } from '../credit/credits.ts'
import type { Clock } from '../host/clock.ts'
import type { Random } from '../host/random.ts'
import type { Profile } from '../service/profile.ts'
import type { Caller, Reply } from './caller.ts'
import type { ClauseId } from './clauses.ts'
import type { LifeOutcome } from './outcome.ts'

/** A part of the service profile, which a user can replace in the configuration. */
export type ProfilePart = keyof Profile

/** What a check found. Words are whole sentences for a person. */
export type Finding =
  | 'kept'
  | 'not checkable'
  | { readonly kept: string }
  | { readonly broken: string; readonly profilePart?: ProfilePart }
  | { readonly notCheckable: string }

/** One look at one promise. */
export interface ContractCheck {
  /** The clause that it looks at, or the assumption (`N1` …) about what the interface does not show. */
  readonly clause: ClauseId | `N${number}`
  /** What is looked at, a sentence that can be false. */
  readonly title: string
  /** `free`: nothing is submitted. `spend`: looks at the one execution that was bought under the ceiling. */
  readonly needs: 'free' | 'spend'
  run(context: ContractContext): Promise<Finding>
}

/** What the checks of one run share. */
export interface ContractContext {
  readonly caller: Caller
  readonly profile: Profile
  readonly clock: Clock
  readonly random: Random
  /** `GET /v1/capabilities`, asked once. */
  capabilities(): Promise<Reply>
  /** Id of an uploaded picture, uploaded once. Free. @throws `SW_WIRE`, `SW_REFUSED` where it could not be uploaded. */
  reference(): Promise<string>
  /** The one execution of this run, bought at the first call. */
  life(): Promise<LifeOutcome>
  /** What may be spent; undefined where nothing may. */
  readonly ceiling: Credits | undefined
  /** A value that no answer may repeat: each is looked for in all refusals. */
  canary(): string
  readonly canaries: readonly string[]
}

/** `kept` where there are no complaints, else `broken` with all of them. */
export function judge(complaints: readonly string[], profilePart?: ProfilePart): Finding {
  if (complaints.length === 0) return 'kept'
  const broken = complaints.map((complaint) => (complaint.endsWith('.') ? complaint : `${complaint}.`)).join(' ')
  return profilePart === undefined ? { broken } : { broken, profilePart }
}
