/**
 * spritewright's programmatic face: what the CLI and the Vite plugin are made of.
 *
 * @module
 */
export { type Credits, formatCredits, parseCredits } from './credit/credits.ts'
export { type ErrorCode, type ErrorFacts, errorCodes, hasCode, SpritewrightError } from './errors.ts'
export { defineConfig, type Options, type ResolvedOptions } from './options.ts'
export {
  type AnimationQuality,
  type ApprovalLine,
  type ApproveReport,
  type ApproveRequest,
  type BalanceEvidence,
  type BuildReport,
  type BuildRequest,
  type BuiltAtlas,
  type BuiltPage,
  type BuiltSheets,
  type BuiltSprite,
  type ContractFinding,
  type ContractRequest,
  type CopyReport,
  createWorkshop,
  type DoctorFinding,
  type FrameFlag,
  type JobProgress,
  type LedgerCheck,
  type LedgerLine,
  type LedgerReport,
  type LedgerSprite,
  type LedgerState,
  type LedgerSums,
  type LedgerVerification,
  type LedgerVerifyRequest,
  type OpenapiDifference,
  type PlanItem,
  type PlanReport,
  type PlanState,
  type ProgressListener,
  type PruneLine,
  type PruneReport,
  type PruneRequest,
  type RecoverReport,
  type RecoverRequest,
  type ResultStore,
  type ReviewReport,
  type StoredResult,
  type StoreReport,
  specJsonSchema,
  type VerifyReport,
  type Workshop,
  type WorkshopInit,
} from './workshop.ts'
