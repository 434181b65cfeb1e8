import { type CAC, type Command as CacCommand, cac } from 'cac'
import { SpritewrightError } from '../errors.ts'
import { type CommandArgs, createArgs } from './arguments.ts'
import { type CommandEntry, commandEntries, globalOptions } from './commands.ts'
import { nearestName } from './nearest.ts'

/** What a command line asks for. */
export type CommandLine =
  | { readonly kind: 'version' }
  /** `entry` absent: the help of the whole program. `isAsked` false: nothing at all was asked. */
  | { readonly kind: 'help'; readonly entry?: CommandEntry; readonly isAsked: boolean }
  | { readonly kind: 'run'; readonly entry: CommandEntry; readonly args: CommandArgs }

/** cac turns `2.10` into a number and `007` into 7. Amounts and names are texts, so whatever looks like a number is marked before and unmarked after. */
const mark = '\0'

/**
 * Reads a command line.
 *
 * @param argv Without the program: what follows `spritewright`.
 * @throws `SW_USAGE` for an unknown command or option (with the nearest name), a missing or doubled value, or names where none belong.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const program = createProgram()
  program.parse(['', '', ...argv.map(markNumber)], { run: false })
  const entry = commandEntries.find((candidate) => candidate.verb === program.matchedCommandName)
  const { '--': rest, ...options } = program.options as Record<string, unknown> & { '--'?: unknown[] }
  if (options.version === true && !entry) return { kind: 'version' }
  if (options.help === true) return { kind: 'help', isAsked: true, ...(entry ? { entry } : {}) }
  if (argv.length === 0) return { kind: 'help', isAsked: false }
  if (!entry || !program.matchedCommand) throw unknownCommand(program.args[0])
  const names = [...program.args, ...(rest ?? [])].map((name) => unmark(String(name)))
  if (!entry.takesNames && names.length > 0) {
    throw usage(`Expected no names after "spritewright ${entry.verb}", found ${JSON.stringify(names[0])}.`, {
      command: entry.verb,
      found: names,
    })
  }
  return { kind: 'run', entry, args: createArgs(names, checkOptions(options, program, program.matchedCommand)) }
}

function createProgram(): CAC {
  const program = cac('spritewright')
  for (const option of globalOptions) program.option(option.flags, option.text)
  for (const entry of commandEntries) {
    const command = program.command(`${entry.verb}${entry.takesNames ? ' [...names]' : ''}`, entry.text)
    for (const option of entry.options) command.option(option.flags, option.text)
  }
  return program
}

function markNumber(argument: string): string {
  const [, lead = '', value = ''] = /^(--?[^=]+=)?(.*)$/s.exec(argument) ?? []
  if (argument.startsWith('-') && lead === '') return argument
  return value.trim() === '' || Number.isNaN(Number(value)) ? argument : `${lead}${mark}${value}`
}

function unmark(text: string): string {
  return text.replaceAll(mark, '')
}

/** The options as texts and switches, or the reason why they are wrong. */
function checkOptions(options: Readonly<Record<string, unknown>>, program: CAC, command: CacCommand): Record<string, string | boolean> {
  const known = [...program.globalCommand.options, ...command.options]
  const checked: Record<string, string | boolean> = {}
  for (const [name, value] of Object.entries(options)) {
    const option = known.find((candidate) => candidate.names.includes(name))
    if (!option)
      throw unknownOption(
        name,
        command,
        known.map((candidate) => toFlag(candidate.name)),
      )
    // The aliases of an option repeat it.
    if (name !== option.name) continue
    if (Array.isArray(value)) throw usage(`Expected ${toFlag(name)} once, found it ${value.length} times.`, { option: toFlag(name) })
    if (option.required && (typeof value !== 'string' || unmark(value) === '')) {
      throw usage(`Expected a value after ${toFlag(name)}: ${option.rawName}.`, { option: toFlag(name) })
    }
    if (!option.required && typeof value !== 'boolean') {
      throw usage(`Expected ${toFlag(name)} without a value, found ${JSON.stringify(unmark(String(value)))}.`, { option: toFlag(name) })
    }
    checked[name] = typeof value === 'string' ? unmark(value) : value === true
  }
  return checked
}

/** `buyOnly` as it is typed: `--buy-only`. */
function toFlag(name: string): string {
  if (name.length === 1) return `-${name}`
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function unknownCommand(found: unknown): SpritewrightError {
  const verbs = commandEntries.map((entry) => entry.verb)
  if (found === undefined) return usage('Expected a command, found none. All commands: spritewright --help', { commands: verbs })
  const name = unmark(String(found))
  const nearest = nearestName(name, verbs)
  const advice = nearest ? `Did you mean "spritewright ${nearest}"?` : 'All commands: spritewright --help'
  return usage(`Unknown command ${JSON.stringify(name)}. ${advice}`, { found: name, ...(nearest ? { nearest } : {}) })
}

function unknownOption(name: string, command: CacCommand, flags: readonly string[]): SpritewrightError {
  const found = toFlag(name)
  const nearest = nearestName(found, flags)
  const advice = nearest ? `Did you mean ${nearest}?` : `Its options: spritewright ${command.name} --help`
  return usage(`Unknown option ${found} of "spritewright ${command.name}". ${advice}`, {
    command: command.name,
    found,
    ...(nearest ? { nearest } : {}),
  })
}

function usage(message: string, facts: Readonly<Record<string, unknown>>): SpritewrightError {
  return new SpritewrightError('SW_USAGE', { message, facts })
}
