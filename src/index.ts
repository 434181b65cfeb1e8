/**
 * spritewright's programming interface, on which the CLI and the Vite plugin are built.
 *
 * @module
 */
export { approverWords, revokedWords, workerWords } from './credit/approval-words.ts'
export { type Credits, formatCredits, parseCredits } from './credit/credits.ts'
export { type ErrorCode, type ErrorFacts, errorCodes, hasCode, SpritewrightError } from './errors.ts'
export { defineConfig, type Options, type ResolvedOptions } from './options/options.ts'
export * from './workshop.ts'
