import type { Logger } from 'vite'
import { escapeLines } from '../src/host/terminal.ts'

/** The lines of the plugin in the output of Vite. */
export interface PluginLog {
  info(line: string): void
  warn(line: string): void
  error(line: string): void
}

/**
 * Opens Vite's logger for lines of the plugin. Vite prints every line as it is, so this is where a message of the
 * service, of a page or of a file loses its power over the terminal.
 */
export function createLog(logger: Logger): PluginLog {
  const print =
    (level: keyof PluginLog) =>
    (line: string): void =>
      logger[level](`[spritewright] ${escapeLines(line)}`, { timestamp: true })
  return { info: print('info'), warn: print('warn'), error: print('error') }
}
