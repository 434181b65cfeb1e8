import type { ResolvedConfig } from 'vite'
import { escapeLines } from '../src/host/terminal.ts'

/** Prints lines of the plugin in the output of Vite. */
export interface PluginLog {
  info(line: string): void
  /** Prints what concerns money. Where Vite hides information (`logLevel: 'warn'`), it is a warning. */
  money(line: string): void
  warn(line: string): void
  error(line: string): void
}

/**
 * Opens Vite's logger for lines of the plugin. Vite prints every line unescaped, so this logger escapes
 * messages of the service, of a page or of a file for the terminal.
 */
export function createLog({ logger, logLevel }: Pick<ResolvedConfig, 'logger' | 'logLevel'>): PluginLog {
  const print =
    (level: 'info' | 'warn' | 'error') =>
    (line: string): void =>
      logger[level](`[spritewright] ${escapeLines(line)}`, { timestamp: true })
  return { info: print('info'), money: print(logLevel === 'warn' ? 'warn' : 'info'), warn: print('warn'), error: print('error') }
}
