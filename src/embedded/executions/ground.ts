import type { Clock } from '../../host/clock.ts'
import type { Random } from '../../host/random.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { ResolvedEmbeddedOptions } from '../options/options.ts'
import type { SpritePricing } from '../options/pricing.ts'
import type { Store } from '../store/service-store.ts'
import type { Executions } from './executions.ts'

/** The state, ports and options that submissions, jobs, streams and endpoints work on. */
export interface Ground {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly options: ResolvedEmbeddedOptions
  readonly accounts: Accounts
  readonly executions: Executions
  /** The current prices. */
  readonly pricing: () => SpritePricing
  /** Receives an error of the service itself. The client can only learn `generation_failed` or 503. */
  readonly onMistake: (error: unknown) => void
}
