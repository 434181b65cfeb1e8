import { dirname, join, sep } from 'node:path'
import { formatCredits } from '../../credit/credits.ts'
import type { Terminal } from '../../host/terminal.ts'
import { escapeJson } from '../../host/terminal.ts'
import { type Failure, weightiest } from '../failure.ts'
import { createPaint, type Ink, ink, type Paint } from './ink.ts'
import { type Column, layTable } from './table.ts'

/** A JSON document with warnings. */
export type ReportDocument = Readonly<Record<string, unknown>> & { readonly warnings: readonly string[] }

/** The output of a command. Text is escaped as {@link Ink}, so that no foreign text can control the terminal. */
export interface Printer {
  /**
   * Whether stdout is for one JSON document. If so, all text methods except {@link Printer.note} and {@link
   * Printer.warn} print nothing.
   */
  readonly isJson: boolean
  readonly isQuiet: boolean
  /** As in {@link PrinterInit.place}. */
  readonly place: string
  /** Erases drawn progress, whose lines a note would break, until it is drawn again. The progress display sets this. */
  uncover: () => void
  /** Prints a line of the result, on stdout. */
  line(...inks: readonly Ink[]): void
  /** Prints a line besides the result (an action, the next command), on stdout; not with `--quiet`. */
  hint(...inks: readonly Ink[]): void
  /** Prints a table of the result, on stdout, each line indented by two. */
  table(columns: readonly Column[], rows: readonly (readonly Ink[])[]): void
  /** Prints a line on stderr; not with `--quiet`. */
  note(...inks: readonly Ink[]): void
  /** Prints a warning on stderr, also with `--quiet`. With `--json`, the document has the warning instead. */
  warn(message: string): void
  /**
   * Prints the JSON document, on stdout; nothing without `--json`. A second call throws.
   */
  document(value: unknown): void
  /** Prints a JSON object as one line of stdout; nothing without `--json`. No document may follow: a failure goes to stderr. */
  event(value: Readonly<Record<string, unknown>>): void
  /** Prints the JSON document like {@link Printer.document}. Without `--json`, prints its warnings. */
  report<Value extends { readonly warnings: readonly string[] }>(value: Value): void
  /**
   * Prints raw text on stdout, also with `--json`: for the command whose result is JSON anyway, and for
   * Markdown.
   */
  raw(text: string): void
  /** Prints a failure: on stderr for people, on stdout as `{ error }` with `--json`. */
  failures(failures: readonly Failure[]): void
  /** Paints for stderr. */
  readonly paintNotes: Paint
}

/** The parts of a printer. */
export interface PrinterInit {
  readonly terminal: Terminal
  readonly isJson: boolean
  readonly isQuiet: boolean
  /** Whether stdout may have colours. */
  readonly hasColor: boolean
  /** Whether stderr may have colours. */
  readonly hasNoteColor: boolean
  /** The working folder. Files below it are shown by their relative paths. */
  readonly folder: string
  /** Options that a printed command needs to work on the same project: ` --root ../game`. */
  readonly place: string
}

/** Creates the printer of one run. */
export function createPrinter({ terminal, isJson, isQuiet, hasColor, hasNoteColor, folder, place }: PrinterInit): Printer {
  const fromHere = (paint: Paint): Paint => {
    // Matches only the beginning of a path: not inside an address, and not within a longer path.
    const inside = folder === dirname(folder) ? /(?!)/g : new RegExp(`(?<![\\w./:\\\\-])${escapeRegExp(join(folder, sep))}`, 'g')
    // A message may have the folder of its project already. Git's merge driver runs in the project itself.
    const toHere = (text: string): string =>
      text.replace(inside, '').replace(/npx spritewright [a-z]+\b(?! %|[^"\n]* --root)/g, (command) => command + place)
    return (inks) => toHere(paint(inks))
  }
  const paint = fromHere(createPaint(hasColor))
  const paintNotes = fromHere(createPaint(hasNoteColor))
  let hasDocument = false
  const write = (inks: readonly Ink[]): void => {
    if (!isJson) terminal.write(`${paint(inks)}\n`)
  }
  const document = (value: unknown): void => {
    if (!isJson) return
    if (hasDocument) throw new Error('A command printed two JSON documents.')
    hasDocument = true
    terminal.write(`${toJsonText(value)}\n`)
  }
  const warn = (message: string): void => {
    if (!isJson) terminal.note(`${paintNotes([ink('yellow', 'warning'), ` ${message}`])}\n`)
  }
  return {
    isJson,
    isQuiet,
    place,
    uncover: () => {},
    paintNotes,
    document,
    event: (value) => {
      hasDocument = true
      if (isJson) terminal.write(`${toJsonText(value, 0)}\n`)
    },
    line: (...inks) => write(inks),
    hint: (...inks) => {
      if (!isQuiet) write(inks)
    },
    table: (columns, rows) => {
      // In a file or a pipe, a row stays one line.
      const width = terminal.isOutputTerminal && terminal.columns > 0 ? terminal.columns - 2 : undefined
      for (const line of layTable(columns, rows, width)) write(['  ', ...line])
    },
    note: (...inks) => {
      if (!isQuiet) terminal.note(`${paintNotes(inks)}\n`)
    },
    warn,
    report: (value) => {
      document(value)
      for (const warning of value.warnings) warn(warning)
    },
    raw: (text) => terminal.write(text),
    failures: (failures) => {
      // If a document was printed already, no second one can follow. People still see the failure.
      if (isJson && !hasDocument) document(toErrorDocument(failures))
      else for (const failure of failures) terminal.note(layFailure(failure, paintNotes))
    },
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/**
 * Formats JSON. Amounts of credits become decimal texts, and control characters are escaped.
 *
 * @param indent Blanks of each level; 0 for one line.
 */
export function toJsonText(value: unknown, indent: number = 2): string {
  const json = JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? formatCredits(member) : member), indent)
  return escapeJson(json)
}

function toErrorDocument(failures: readonly Failure[]): unknown {
  const all = failures.map(({ code, message, facts }) => ({ code, message, facts }))
  const first = weightiest(failures)
  const error = first ? { code: first.code, message: first.message, facts: first.facts } : null
  return all.length > 1 ? { error, errors: all } : { error }
}

/**
 * Formats the code, the message with its further lines indented, and the place in a file if the message does
 * not name it.
 */
function layFailure(failure: Failure, paint: Paint): string {
  const { file, line, column } = failure.facts
  const place = typeof file === 'string' ? paint([[file, line, column].filter((part) => part !== undefined).join(':')]) : ''
  const [first = '', ...others] = failure.message.split('\n')
  // A person who pressed Ctrl-C knows that this is no error.
  const isStop = failure.code === 'SW_INTERRUPTED'
  const head: Ink[] = isStop ? [ink('yellow', 'stopped')] : [ink('red', 'error'), ' ', ink('bold', failure.code)]
  const lines: Ink[][] = [[...head, ` ${first}`], ...others.map((text) => [`  ${text}`])]
  if (typeof file === 'string' && ![place, file, paint([file])].some((one) => failure.message.includes(one))) lines.push([`  at ${place}`])
  for (const text of failure.stack?.split('\n').slice(1, 9) ?? []) lines.push([ink('dim', `  ${text.trim()}`)])
  return lines.map((inks) => `${paint(inks)}\n`).join('')
}
