import type { Host } from '../host/host.ts'
import type { WatchFiles } from '../host/watch.ts'
import type { Workshop } from '../workshop.ts'
import type { CommandArgs } from './arguments.ts'
import type { Printer } from './view/printer.ts'

/** What the CLI opens a workshop with. */
export interface WorkshopInit {
  readonly host: Host
  /** Absolute path of the project. */
  readonly root: string
  /** Absolute path of the config file, where the command line names one. */
  readonly config?: string
}

/** What `serve` asks for. */
export interface ServiceInit {
  readonly host: Host
  /** 0 takes a free one. */
  readonly port: number
  /** Absolute path of the folder that keeps the service's state. */
  readonly folder: string
  /** A key to take instead of the service's own test key. */
  readonly key?: string
  /** The balance to begin with, a decimal text. */
  readonly credits?: string
  /** A plan of what goes wrong on the wire: its text, and the name of its file for errors. */
  readonly faults?: { readonly text: string; readonly file: string }
}

/** The embedded service while it listens. */
export interface RunningService {
  /** For `SPRITEWRIGHT_BASE_URL`. */
  readonly url: string
  /** A test key that it takes. */
  readonly key: string
  close(): Promise<void>
}

/** What the program is made of; `bin.ts` hands in the real things, tests hand in others. */
export interface ProgramParts {
  readonly host: Host
  /** Of the package. */
  readonly version: string
  readonly createWorkshop: (init: WorkshopInit) => Promise<Workshop>
  readonly startService: (init: ServiceInit) => Promise<RunningService>
  /** The JSON Schema of a spec. */
  readonly specSchema: () => Promise<unknown>
  readonly watchFiles: WatchFiles
  /** Asks a yes-or-no question on the terminal; undefined when the person leaves it with Ctrl-C. */
  readonly ask: (question: string) => Promise<boolean | undefined>
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** What every command stands on. */
export interface CommandContext {
  readonly parts: ProgramParts
  readonly printer: Printer
  /** Absolute path of the project. */
  readonly root: string
  /** Opens the project's workshop, works in it, and closes it whatever happens. */
  withWorkshop<T>(work: (workshop: Workshop) => Promise<T>): Promise<T>
}

/** A command: answers the exit code; failures are thrown. */
export type Command = (context: CommandContext, args: CommandArgs) => Promise<number>
