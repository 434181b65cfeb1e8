import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { SpritewrightError } from '../errors.ts'
import { nearestName } from '../sprite-spec/nearest.ts'
import { type CommandArgs, createArgs, usageError } from './arguments.ts'
import type { CommandEntry, OptionEntry } from './command-entry.ts'
import { commandEntries, globalOptions } from './commands.ts'

/** A parsed command line. */
export type CommandLine =
  | { readonly kind: 'version' }
  /** Without `entry`: the help of the whole program. `isAsked` is false if the command line is empty. */
  | { readonly kind: 'help'; readonly entry?: CommandEntry; readonly isAsked: boolean }
  | { readonly kind: 'run'; readonly entry: CommandEntry; readonly args: CommandArgs }

/** An option in the form for `parseArgs`. */
interface Option {
  /** Name without its dashes: `buy-only`. */
  readonly name: string
  readonly short: string | undefined
  readonly takesValue: boolean
  /** As shown in the help: `--max <credits>`. */
  readonly usage: string
}

/** A parsed option. */
interface Given {
  readonly name: string
  /** Name with its dashes. */
  readonly flag: string
  readonly value: string | undefined
  /** Whether the value is in the same argument: `--out=dir`. */
  readonly isInline: boolean
}

const global = globalOptions.map(readOption)
/** The options of all commands. A name is a switch in all commands, or takes a value in all of them. */
const everyOption = [...global, ...commandEntries.flatMap((entry) => entry.options.map(readOption))]

/**
 * Reads a command line.
 *
 * @param argv The arguments after `spritewright`.
 * @throws `SW_USAGE` for an unknown command or option (with the nearest name), a missing or doubled value, or
 *   names where none belong.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { verb, names, given } = readArguments(argv)
  const entry = commandEntries.find((candidate) => candidate.verb === verb)
  const isOn = (name: string): boolean => given.some((option) => option.name === name && option.value === undefined)
  if (isOn('version') && !entry) return { kind: 'version' }
  if (verb === 'help') return helpOn(names[0])
  if (isOn('help')) return { kind: 'help', isAsked: true, entry }
  if (argv.length === 0) return { kind: 'help', isAsked: false }
  if (!entry) throw unknownCommand(verb)
  if (!entry.takesNames && names.length > 0) {
    throw usageError(`Expected no names after "spritewright ${entry.verb}", found ${JSON.stringify(names[0])}.`, {
      command: entry.verb,
      found: names,
    })
  }
  return { kind: 'run', entry, args: createArgs(names, checkOptions(given, entry)) }
}

/** Handles `spritewright help [command]`, which many people type. */
function helpOn(verb: string | undefined): CommandLine {
  if (verb === undefined) return { kind: 'help', isAsked: true }
  const entry = commandEntries.find((candidate) => candidate.verb === verb)
  if (!entry) throw unknownCommand(verb)
  return { kind: 'help', isAsked: true, entry }
}

/** Splits a command line. Nothing is refused here, because the valid options depend on the command. */
function readArguments(argv: readonly string[]): {
  readonly verb: string | undefined
  readonly names: readonly string[]
  readonly given: readonly Given[]
} {
  const options: NonNullable<ParseArgsConfig['options']> = {}
  for (const { name, short, takesValue } of everyOption)
    options[name] = { type: takesValue ? 'string' : 'boolean', ...(short === undefined ? {} : { short }) }
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true })
  const [verb, ...names] = tokens.flatMap((token) => (token.kind === 'positional' ? token.value : []))
  const given = tokens.flatMap((token) =>
    token.kind === 'option' ? { name: token.name, flag: token.rawName, value: token.value, isInline: token.inlineValue === true } : [],
  )
  return { verb, names, given }
}

/** Reads the notation of the help text: `--max <credits>`, `-h, --help`. */
function readOption({ flags }: OptionEntry): Option {
  const [, short, name = '', value] = /^(?:-(\w), )?--([\w-]+)( <.+>)?$/.exec(flags) ?? []
  return { name, short, takesValue: value !== undefined, usage: flags }
}

/**
 * Returns the options as texts and switches, by name.
 *
 * @throws `SW_USAGE` for the first wrong option.
 */
function checkOptions(given: readonly Given[], entry: CommandEntry): Record<string, string | boolean> {
  const known = [...global, ...entry.options.map(readOption)]
  const checked: Record<string, string | boolean> = {}
  for (const { name, flag, value, isInline } of given) {
    const option = known.find((candidate) => candidate.name === name)
    if (!option) throw unknownOption(flag, entry, known)
    const count = given.filter((other) => other.name === name).length
    if (count > 1) throw usageError(`Expected --${name} once, found it ${count} times.`, { option: `--${name}` })
    // `parseArgs` takes the next argument as the value, even if it is another option.
    const isMissing = value === undefined || value === '' || (!isInline && value.startsWith('-'))
    if (option.takesValue && isMissing) {
      throw usageError(`Expected a value after --${name}: ${option.usage}.`, { option: `--${name}` })
    }
    if (!option.takesValue && value !== undefined) {
      throw usageError(`Expected --${name} without a value, found ${JSON.stringify(value)}.`, { option: `--${name}` })
    }
    checked[name] = value ?? true
  }
  return checked
}

/** Verbs of other tools, with the command that does the same. */
const usualWords: Readonly<Record<string, string>> = {
  init: 'setup start install',
  new: 'add create',
  plan: 'price cost estimate quote check validate lint diff',
  approve: 'accept allow confirm',
  'approve --revoke': 'revoke reject',
  build: 'buy purchase generate gen make run pack',
  'build --watch': 'dev watch',
  status: 'list ls show info',
  ledger: 'balance spent history log',
  store: 'clean prune push pull verify cache',
  doctor: 'login config env test',
}

function unknownCommand(found: string | undefined): SpritewrightError {
  const verbs = commandEntries.map((entry) => entry.verb)
  if (found === undefined) return usageError('Expected a command, found none. All commands: npx spritewright --help', { commands: verbs })
  const meant = Object.keys(usualWords).find((command) => usualWords[command]?.split(' ').includes(found))
  const nearest = meant ?? nearestName(found, verbs)
  const entry = commandEntries.find(({ verb }) => verb === meant?.split(' ')[0])
  const asked = nearest ? `Did you mean "npx spritewright ${nearest}"?` : 'All commands: npx spritewright --help'
  const advice = entry ? `Try "npx spritewright ${meant}": ${entry.text}.` : asked
  return usageError(`Unknown command ${JSON.stringify(found)}. ${advice}`, { found, nearest })
}

function unknownOption(found: string, { verb }: CommandEntry, known: readonly Option[]): SpritewrightError {
  const nearest = nearestName(
    found,
    known.map(({ name }) => `--${name}`),
  )
  const advice = nearest ? `Did you mean ${nearest}?` : `Its options: npx spritewright ${verb} --help`
  return usageError(`Unknown option ${found} of "spritewright ${verb}". ${advice}`, { command: verb, found, nearest })
}
