import type { Logger } from 'vite'
import { escapeLines } from '../src/host/terminal.ts'

/** Prints lines of the plugin in the output of Vite. */
export interface PluginLog {
  info(line: string): void
  warn(line: string): void
  error(line: string): void
}

/**
 * Opens Vite's logger for lines of the plugin. Vite prints every line unescaped, so this logger escapes
 * messages of the service, of a page or of a file for the terminal.
 */
export function createLog(logger: Logger): PluginLog {
  const print =
    (level: keyof PluginLog) =>
    (line: string): void =>
      logger[level](`[spritewright] ${escapeLines(line)}`, { timestamp: true })
  return { info: print('info'), warn: print('warn'), error: print('error') }
}
