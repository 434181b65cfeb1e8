import type { Host } from '../host/host.ts'
import type { OwnProcess } from '../host/own-process.ts'
import type { WatchFiles } from '../host/watch.ts'
import type { Workshop } from '../workshop.ts'
import type { CommandArgs } from './arguments.ts'
import type { Printer } from './view/printer.ts'

/** The options for opening a workshop from the command line. */
export interface WorkshopInit {
  readonly host: Host
  /** Absolute path of the project. */
  readonly root: string
  /** Absolute path of the config file; undefined if the command line names none. */
  readonly config?: string
  /** `false`: no `.env` file is read. */
  readonly envDir?: false
  /** Receives a sentence when requests have waited some seconds for the service's limits, or for a worker. */
  readonly onWait?: (sentence: string) => void
  /** Lets the verbs wait for shared stores until it is aborted. */
  readonly waitUntil?: AbortSignal
}

/** The options of `serve`. */
export interface ServiceInit {
  readonly host: Host
  /** 0 chooses a free port. */
  readonly port: number
  /** Absolute path of the folder for the service's state. */
  readonly folder: string
  /** A key to use instead of the service's own test key. */
  readonly key?: string
  /** The first balance, as decimal text. */
  readonly credits?: string
  /** A fault plan: its text, and the name of its file for errors. */
  readonly faults?: { readonly text: string; readonly file: string }
}

/** The embedded service while it listens. */
export interface RunningService {
  /** The address, for `SPRITEWRIGHT_BASE_URL`. */
  readonly url: string
  /** A test key that the service accepts. */
  readonly key: string
  close(): Promise<void>
}

/** One of several answers to a question. */
export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

/** The parts of the program. `bin.ts` passes the real ones, tests pass others. */
export interface ProgramParts {
  readonly host: Host
  /** Version of the package. */
  readonly version: string
  readonly createWorkshop: (init: WorkshopInit) => Promise<Workshop>
  readonly startService: (init: ServiceInit) => Promise<RunningService>
  /** The JSON Schema of a spec. */
  readonly specSchema: () => Promise<unknown>
  readonly watchFiles: WatchFiles
  readonly ownProcess: OwnProcess
  /** Asks a yes-or-no question on the terminal. Returns undefined if the person presses Ctrl-C. */
  readonly ask: (question: string) => Promise<boolean | undefined>
  /**
   * Asks for a text on the terminal. If the person types nothing, returns the preset, or an empty text. Returns
   * undefined at Ctrl-C.
   */
  readonly askText: (question: string, preset?: string) => Promise<string | undefined>
  /** Lets a person choose on the terminal; the first choice is marked. Returns undefined at Ctrl-C. */
  readonly choose: (question: string, choices: readonly Choice[]) => Promise<string | undefined>
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** The context of a command. */
export interface CommandContext {
  readonly parts: ProgramParts
  readonly printer: Printer
  /** Absolute path of the project. */
  readonly root: string
  /**
   * The command for a person's own terminal: `npx spritewright approve hero`. It lacks `--yes` and the options of every
   * command. Words with other than plain characters are in single quotes.
   */
  readonly commandLine: string
  /** Opens the project's workshop, runs the work, and closes the workshop in any case. */
  withWorkshop<T>(work: (workshop: Workshop) => Promise<T>): Promise<T>
}

/** A command. It returns the exit code and throws failures. */
export type Command = (context: CommandContext, args: CommandArgs) => Promise<number>
