import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { createDocument, type Fault, maximumDepth, type ParsedText, placeInText, type TextEntry, type TextNode } from './document.ts'

/** The expected content, by the parser's name of the error. */
const wanted: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a value: a text in double quotes, a number, true, false, null, { or [',
  InvalidNumberFormat: 'a number',
  PropertyNameExpected: 'the name of a field in double quotes',
  ValueExpected: 'a value',
  ColonExpected: 'a colon after the name of the field',
  CommaExpected: 'a comma',
  CloseBraceExpected: 'a comma or a closing }',
  CloseBracketExpected: 'a comma or a closing ]',
  EndOfFileExpected: 'the end of the file',
  InvalidCommentToken: 'no comment',
  UnexpectedEndOfComment: 'the end of the comment, */',
  UnexpectedEndOfString: 'a closing double quote',
  UnexpectedEndOfNumber: 'a digit',
  InvalidUnicode: 'four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u',
  InvalidCharacter: 'no control character inside a text (a line break is \\n)',
}

/**
 * Parses JSON. Comments and trailing commas are allowed.
 *
 * @param most Deepest nesting.
 * @returns The tree, or the first syntax error. Later errors mostly follow from the first.
 */
export function parseJsonText(text: string, most: number = maximumDepth): ParsedText {
  const tooDeepAt = findTooDeep(text, most)
  if (tooDeepAt !== undefined) return { broken: tooDeep(tooDeepAt) }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false, allowEmptyContent: false })
  const first = errors[0]
  if (first) return { broken: toFault(text, first) }
  if (!root) return { broken: { path: [], offset: 0, expected: 'a value', found: 'nothing' } }
  return { root: toTextNode(root) }
}

/**
 * Parses JSON that people review and money depends on, without comments. Each field must occur once: of a repeated
 * field, people read the first value and `JSON.parse` takes the last.
 *
 * @throws `Error` with the line.
 */
export function parseReviewedJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // A lock file has some levels around a value that may be as deep as a spec.
  const parsed = parseJsonText(text, maximumDepth + 8)
  const fault = 'broken' in parsed ? parsed.broken : createDocument(text, parsed.root).faults[0]
  if (!fault) return value
  const { line } = placeInText(text, fault.offset ?? 0)
  throw new Error(`${JSON.stringify(fault.path.at(-1) ?? '')} in line ${line}: expected ${fault.expected}, found ${fault.found}`)
}

function toFault(text: string, error: ParseError): Fault {
  const rest = text.slice(error.offset)
  const token = /^(?:[\w$.+-]{1,24}|\S)/u.exec(rest.trimStart())?.[0]
  const found = token === undefined ? 'the end of the file' : token === '"' ? 'a double quote' : token
  return { path: [], offset: error.offset, expected: wanted[printParseErrorCode(error.error)] ?? 'valid JSON', found }
}

function tooDeep(offset: number): Fault {
  return { path: [], offset, expected: `at most ${maximumDepth} levels of brackets`, found: 'more' }
}

/**
 * Counts brackets before anything recursive parses the text. Running out of stack cannot be caught safely.
 */
function findTooDeep(text: string, most: number): number | undefined {
  const scanner = createScanner(text, true)
  for (let depth = 0; ; ) {
    scanner.scan()
    if (scanner.getTokenLength() === 0) return undefined
    const token = text[scanner.getTokenOffset()]
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth > most) return scanner.getTokenOffset()
  }
}

function toTextNode(node: Node): TextNode {
  if (node.type === 'array') return { kind: 'list', offset: node.offset, items: (node.children ?? []).map(toTextNode) }
  if (node.type !== 'object') return { kind: 'scalar', offset: node.offset, value: node.value }
  const entries: TextEntry[] = []
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? []
    if (key && value) entries.push({ key: String(key.value), keyOffset: key.offset, node: toTextNode(value) })
  }
  return { kind: 'object', offset: node.offset, entries }
}
