import type { Command } from './context.ts'

/** An option of a command, in the notation of the help text: `--max <credits>`. */
export interface OptionEntry {
  readonly flags: string
  readonly text: string
}

/** A verb of the command line. */
export interface CommandEntry {
  readonly verb: string
  /** Whether it takes names: `sprite` or `sprite.animation`. */
  readonly takesNames: boolean
  /** Whether the command does not depend on the project in its working folder. */
  readonly worksAnywhere?: true
  /** Whether its workshop has no API key: no `.env` file is read. */
  readonly hasNoKey?: true
  /** Whether it waits for a shared store that does not answer. The others report that at once. */
  readonly isPatient?: true
  /** For the help: arguments that the command takes instead of names. */
  readonly takes?: string
  /** For the help: required arguments before the names. */
  readonly takesFirst?: string
  /** Description in one line. */
  readonly text: string
  readonly options: readonly OptionEntry[]
  readonly examples: readonly string[]
  /** Loads the code of the command. No command is loaded before it is needed. */
  readonly load: () => Promise<Command>
}
