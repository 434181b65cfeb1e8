import { createRequire } from 'node:module'
import type { Document, Node, Pair, YAMLError } from 'yaml'
import { type Fault, maximumDepth, type ParsedText, type TextEntry, type TextNode } from './document.ts'

/**
 * Loaded with the first YAML text, because most specs are JSON. Loaded synchronously, because parsing is
 * synchronous.
 */
const load = createRequire(import.meta.url)
const yaml = (): typeof import('yaml') => load('yaml') as typeof import('yaml')

/** Most nodes, with aliases expanded, so that a small file cannot become a huge value. */
const maximumNodes = 20_000

/**
 * Parses one YAML 1.2 document (core schema) into the same tree as JSON.
 *
 * Field names are texts or numbers. Tags, merge keys and several documents in one file are refused.
 */
export function parseYamlText(text: string): ParsedText {
  const tooDeepAt = findTooDeep(text)
  if (tooDeepAt !== undefined) return { broken: { path: [], offset: tooDeepAt, expected: `at most ${maximumDepth} levels`, found: 'more' } }
  // Duplicate fields are found later, in the same way for JSON and YAML.
  const document = yaml().parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, strict: true })
  const first = document.errors[0] ?? document.warnings[0]
  if (first) return { broken: toFault(text, first) }
  const state: ReaderState = { document, nodes: 0 }
  try {
    return { root: toTextNode(document.contents, 0, 0, state) }
  } catch (error) {
    if (error instanceof YamlFault) return { broken: error.fault }
    throw error
  }
}

interface ReaderState {
  readonly document: Document.Parsed
  nodes: number
}

/** Passes a fault out of the recursion. */
class YamlFault extends Error {
  readonly fault: Fault

  constructor(offset: number, expected: string, found: string) {
    super(expected)
    this.fault = { path: [], offset, expected, found }
  }
}

const fieldWords = 'a colon and a blank after the name of a field, and the fields of one object in one column'

/** Advice for common mistakes in YAML. */
const remedies: Partial<Record<YAMLError['code'], string>> = {
  BLOCK_AS_IMPLICIT_KEY: fieldWords,
  MULTILINE_IMPLICIT_KEY: fieldWords,
  BAD_SCALAR_START: 'quotes around a text that begins with a sign',
  TAB_AS_INDENT: 'blanks instead of a tab at the beginning of a line',
}

function toFault(text: string, error: YAMLError): Fault {
  const offset = Math.min(error.pos[0], text.length)
  const rest = text.slice(offset).trimStart()
  const line = /^.{0,60}/.exec(rest)?.[0] ?? ''
  const remedy = remedies[error.code]
  const expected = remedy === fieldWords && line.includes(': ') ? 'quotes around a text that has ": " in it' : remedy
  if (expected !== undefined) return { path: [], offset, expected, found: JSON.stringify(line) }
  const token = /^(?:[\w$.+-]{1,24}|\S)/u.exec(rest)?.[0]
  return { path: [], offset, expected: `valid YAML (${error.message.replace(/\s+/g, ' ')})`, found: token ?? 'the end of the file' }
}

/**
 * Checks the depth in the syntax parser, which keeps its levels in a list, before the recursive composer
 * runs. Running out of stack cannot be caught safely. A level takes at most two entries of that list.
 */
function findTooDeep(text: string): number | undefined {
  const { Lexer, Parser } = yaml()
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > 2 * maximumDepth + 8) return Math.min(parser.offset, text.length)
  }
  return undefined
}

function toTextNode(node: Node | null, around: number, depth: number, state: ReaderState): TextNode {
  const { isAlias, isMap, isSeq } = yaml()
  const offset = node?.range?.[0] ?? around
  state.nodes += 1
  if (state.nodes > maximumNodes) throw new YamlFault(offset, `at most ${maximumNodes} values, with aliases counted at each use`, 'more')
  if (depth > maximumDepth) throw new YamlFault(offset, `at most ${maximumDepth} levels`, 'more')
  if (node === null) return { kind: 'scalar', offset, value: null }
  if (isAlias(node)) {
    const target = node.resolve(state.document)
    if (!target) throw new YamlFault(offset, 'an alias of an anchor above', `*${node.source}`)
    return toTextNode(target, offset, depth + 1, state)
  }
  if (isSeq(node)) {
    return { kind: 'list', offset, items: node.items.map((item) => toTextNode(item as Node | null, offset, depth + 1, state)) }
  }
  if (isMap(node)) return { kind: 'object', offset, entries: node.items.map((pair) => toEntry(pair as Pair, offset, depth, state)) }
  return { kind: 'scalar', offset, value: toScalar(node, offset) }
}

function toEntry(pair: Pair, around: number, depth: number, state: ReaderState): TextEntry {
  const { isScalar } = yaml()
  const key = pair.key
  const offset = (key as Node | null)?.range?.[0] ?? around
  if (!isScalar(key) || (typeof key.value !== 'string' && typeof key.value !== 'number')) {
    throw new YamlFault(offset, 'the name of a field as a text', isScalar(key) ? String(key.value) : 'another kind of value')
  }
  return { key: String(key.value), keyOffset: offset, node: toTextNode(pair.value as Node | null, offset, depth + 1, state) }
}

function toScalar(node: Node, offset: number): string | number | boolean | null {
  const value = yaml().isScalar(node) ? node.value : undefined
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw new YamlFault(offset, 'a text, a number, true, false or null', typeof value)
}
