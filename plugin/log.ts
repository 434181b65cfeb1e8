import type { ResolvedConfig } from 'vite'
import { escapeLines, nodeTerminal } from '../src/host/terminal.ts'

/** Prints lines of the plugin in the output of Vite. */
export interface PluginLog {
  info(line: string): void
  /** Prints what concerns money, at every `logLevel` but `'silent'`. */
  money(line: string): void
  warn(line: string): void
  error(line: string): void
}

/**
 * Opens Vite's logger for lines of the plugin. Vite prints every line unescaped, so this logger escapes
 * messages of the service, of a page or of a file for the terminal.
 *
 * Vite's logger prints nothing at all at a level that it does not know. The template of Phaser has one,
 * `'warning'`. There, warnings go to stderr directly.
 */
export function createLog({ logger, logLevel }: Pick<ResolvedConfig, 'logger' | 'logLevel'>): PluginLog {
  const toText = (line: string): string => `[spritewright] ${escapeLines(line)}`
  const print =
    (level: 'info' | 'warn' | 'error') =>
    (line: string): void =>
      logger[level](toText(line), { timestamp: true })
  const note = (line: string): void => nodeTerminal().note(`${toText(line)}\n`)
  const log: PluginLog = { info: print('info'), money: print('info'), warn: print('warn'), error: print('error') }
  if (logLevel === 'warn') return { ...log, money: log.warn }
  if (logLevel === 'error') return { ...log, money: note }
  const isKnown = logLevel === undefined || logLevel === 'info' || logLevel === 'silent'
  return isKnown ? log : { ...log, money: note, warn: note, error: note }
}
