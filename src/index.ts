/**
 * spritewright's programmatic face: what the CLI and the Vite plugin are made of.
 *
 * @module
 */
export type { PlanItem, PlanState } from './build/plan.ts'
export type { BuiltAtlas, BuiltPage, BuiltSheets, BuiltSprite } from './build/sheet.ts'
export { type Credits, formatCredits, parseCredits } from './credit/credits.ts'
export { type ErrorCode, type ErrorFacts, errorCodes, hasCode, SpritewrightError } from './errors.ts'
export type { JobProgress, ProgressListener } from './job/progress.ts'
export { defineConfig, type Options, type ResolvedOptions } from './options.ts'
export {
  type ApprovalLine,
  type ApproveReport,
  type ApproveRequest,
  type BuildReport,
  type BuildRequest,
  createWorkshop,
  type DoctorFinding,
  type LedgerLine,
  type LedgerReport,
  type PlanReport,
  type Workshop,
  type WorkshopInit,
} from './workshop.ts'
