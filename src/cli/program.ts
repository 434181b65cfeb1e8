import { resolve } from 'node:path'
import { errorCodes, hasCode } from '../errors.ts'
import { agentShell } from '../host/agent-shell.ts'
import { commandWord } from '../host/terminal.ts'
import type { Workshop } from '../workshop.ts'
import type { CommandArgs } from './arguments.ts'
import type { CommandEntry } from './command-entry.ts'
import { type CommandLine, parseCommandLine } from './command-line.ts'
import type { CommandContext, ProgramParts } from './context.ts'
import { exitCodeOf, toFailures } from './failure.ts'
import { layCommandHelp, layProgramHelp } from './help.ts'
import { createPrinter, type Printer } from './view/printer.ts'

/**
 * Runs one command line to its end and never rejects.
 *
 * @param argv The arguments after `spritewright`.
 * @returns The process exit code.
 */
export async function runProgram(argv: readonly string[], parts: ProgramParts): Promise<number> {
  const printer = createPrinter(printerInit(argv, parts))
  try {
    const asked = parseCommandLine(argv)
    if (asked.kind === 'version') return printVersion(printer, parts.version)
    if (asked.kind === 'help') return printHelp(asked, argv, parts)
    const command = await asked.entry.load()
    const root = await findRoot(parts.host, asked.entry, asked.args)
    return await command(createContext(printer, parts, root, argv, asked), asked.args)
  } catch (error) {
    const failures = toFailures(error)
    printer.failures(failures)
    return exitCodeOf(failures)
  }
}

/**
 * Prints help, always as text for people. An empty command line is a usage error, so its help goes to stderr.
 */
function printHelp({ entry, isAsked }: Extract<CommandLine, { kind: 'help' }>, argv: readonly string[], parts: ProgramParts): number {
  const printer = createPrinter({ ...printerInit(argv, parts), isJson: false, isQuiet: false })
  const lines = entry ? layCommandHelp(entry) : layProgramHelp(parts.version)
  for (const line of lines) (isAsked ? printer.line : printer.note)(...line)
  return isAsked ? 0 : errorCodes.SW_USAGE.exit
}

function printVersion(printer: Printer, version: string): number {
  printer.line(`spritewright ${version}`)
  printer.document({ version })
  return 0
}

/**
 * Reads `--json` from the raw arguments, so that the refusal of an invalid command line has the right form.
 */
function printerInit(argv: readonly string[], { host }: ProgramParts): Parameters<typeof createPrinter>[0] {
  const end = argv.indexOf('--')
  const switches = end < 0 ? argv : argv.slice(0, end)
  const mayColor = !switches.includes('--no-color') && !host.env.NO_COLOR && host.env.TERM !== 'dumb'
  return {
    terminal: host.terminal,
    isJson: switches.includes('--json'),
    isQuiet: switches.includes('--quiet'),
    hasColor: mayColor && host.terminal.isOutputTerminal,
    hasNoteColor: mayColor && host.terminal.isInteractive,
    folder: host.workingFolder,
    place: switchesOf(switches, ['--root', '--config']),
  }
}

/** These options in their given form, with a blank before each: ` --root ../game`. */
function switchesOf(switches: readonly string[], names: readonly string[]): string {
  return names
    .flatMap((name) => {
      const at = switches.indexOf(name)
      const value = at < 0 ? switches.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) : switches[at + 1]
      return value === undefined ? [] : ` ${name} ${commandWord(value)}`
    })
    .join('')
}

function toCommandLine(argv: readonly string[]): string {
  const isLeft = (word: string, at: number): boolean =>
    !/^--(?:json|quiet|no-color|yes|root|config|(?:root|config)=.*)$/.test(word) && !/^--(?:root|config)$/.test(argv[at - 1] ?? '')
  const quote = (word: string): string => (/^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
  return ['npx spritewright', ...argv.filter(isLeft).map(quote)].join(' ')
}

/** Resolves the root of a command, and refuses a root that the person probably did not intend. */
async function findRoot(host: ProgramParts['host'], { verb, worksAnywhere }: CommandEntry, args: CommandArgs): Promise<string> {
  const { refuseOtherRoot, refuseSecondProject, resolveRoot } = await import('./project-root.ts')
  const root = await resolveRoot(host, args.text('root'))
  if (verb === 'init' && !args.flag('here')) await refuseSecondProject(host, root)
  if (verb !== 'init' && !worksAnywhere && args.text('root') === undefined) await refuseOtherRoot(host, root)
  return root
}

function createContext(
  printer: Printer,
  parts: ProgramParts,
  root: string,
  argv: readonly string[],
  { entry, args }: Extract<CommandLine, { kind: 'run' }>,
): CommandContext {
  const config = args.text('config')
  const onWait = (sentence: string): void => {
    printer.uncover()
    printer.note(sentence)
  }
  const open = (): Promise<Workshop> =>
    parts.createWorkshop({
      host: parts.host,
      root,
      onWait,
      ...(entry.isPatient ? { waitUntil: parts.signal } : {}),
      ...(entry.hasNoKey ? { envDir: false } : {}),
      ...(config === undefined ? {} : { config: resolve(parts.host.workingFolder, config) }),
    })
  return {
    parts,
    printer,
    root,
    commandLine: toCommandLine(argv),
    withWorkshop: async (work) => {
      const run = <T>(what: (workshop: Workshop) => Promise<T>): Promise<T> => useWorkshop(open, what)
      try {
        return await run(work)
      } catch (error) {
        const canAsk = parts.host.terminal.canAsk && agentShell(parts.host.env) === undefined
        if (!hasCode(error, 'SW_UNTRUSTED_HOST') || !canAsk) throw error
        if (!(await run((workshop) => isConfirmed(workshop, parts)))) throw error
        // Nothing was sent before, because the address was not confirmed.
        return run(work)
      }
    },
  }
}

async function useWorkshop<T>(open: () => Promise<Workshop>, work: (workshop: Workshop) => Promise<T>): Promise<T> {
  const workshop = await open()
  try {
    return await work(workshop)
  } finally {
    await workshop.close()
  }
}

/** Asks a person at the terminal to confirm the address for which a command has just stopped. */
async function isConfirmed({ trust }: Workshop, parts: ProgramParts): Promise<boolean> {
  const route = await trust.route()
  const { confirmRoute } = await import('./commands/trust.ts')
  return route !== undefined && (await confirmRoute(parts, trust, route.origin, route)) !== undefined
}
