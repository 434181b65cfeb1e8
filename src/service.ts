/**
 * `spritewright/service`: the typed client of the hosted service, and the embedded service, which serves the
 * same interface on loopback for trials and tests without an account.
 *
 * @module
 */

export type { EmbeddedCharge, EmbeddedControl } from './embedded/core.ts'
export { type FaultDeed, type FaultMatch, type FaultPlan, type FaultRule, parseFaultPlan } from './embedded/options/fault-plan.ts'
export type {
  AskedQuestion,
  AskQuestion,
  EmbeddedAccount,
  EmbeddedKey,
  EmbeddedLimits,
  EmbeddedOptions,
  HookedRequest,
  RequestNote,
  VerdictQuestion,
} from './embedded/options/options.ts'
export { type EmbeddedService, startEmbeddedService } from './embedded/service.ts'
export * from './service/index.ts'
