import { createRequire } from 'node:module'
import type { Node, Pair, YAMLMap } from 'yaml'
import type { ValuePath } from '../document.ts'

/** Loaded with the first YAML text, as in `yaml-text.ts`. */
const load = createRequire(import.meta.url)
const yaml = (): typeof import('yaml') => load('yaml') as typeof import('yaml')
const dialect = { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false } as const

/**
 * Writes one field into a YAML text, or removes it. All other characters stay unchanged.
 *
 * @param path Keys that lead to the field. The map around it must exist.
 * @param value In flow style, which includes JSON. `undefined` removes the field.
 * @returns The new text; `undefined` if a small change is not possible, e.g. for the last field of a map.
 * {@link rewriteYamlText} can do these.
 */
export function editYamlText(text: string, path: ValuePath, value: string | undefined): string | undefined {
  const { isMap, isScalar, parseDocument } = yaml()
  const around = parseDocument(text, dialect).getIn(path.slice(0, -1), true)
  if (!isMap(around)) return undefined
  const map = around as YAMLMap<Node, Node | null>
  const key = path.at(-1) as string
  const pair = map.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
  if (!pair) return value === undefined ? text : addPair(text, map, `${key}: ${value}`)
  return value === undefined ? removePair(text, map, pair) : replaceValue(text, pair, value)
}

/**
 * Makes the same edit by writing the whole document again. Comments and line ends stay; blanks and quotes may change.
 * Returns `undefined` if there is no such map.
 */
export function rewriteYamlText(text: string, path: ValuePath, value: unknown): string | undefined {
  const { isMap, parseDocument } = yaml()
  const document = parseDocument(text, dialect)
  // The target of an alias belongs to other fields too.
  if (!isMap(document.getIn(path.slice(0, -1), true))) return undefined
  if (value === undefined) document.deleteIn(path)
  else document.setIn(path, document.createNode(value, { flow: true }))
  return document.toString({ lineWidth: 0 }).replace(/\r?\n/g, eolOf(text))
}

function addPair(text: string, map: YAMLMap<Node, Node | null>, field: string): string | undefined {
  const last = map.items.at(-1)
  const first = map.items[0]?.key.range?.[0]
  if (map.flow) {
    const end = last ? endOf(last) : (map.range?.[0] ?? 0) + 1
    return splice(text, end, end, last ? `, ${field}` : ` ${field} `)
  }
  if (!last || first === undefined) return undefined
  const lead = text.slice(text.lastIndexOf('\n', first - 1) + 1, first)
  if (lead.trim() !== '') return undefined
  const at = endOfLine(text, endOf(last))
  return splice(text, at, at, `${eolOf(text)}${lead}${field}`)
}

function replaceValue(text: string, pair: Pair<Node, Node | null>, value: string): string | undefined {
  const { isAlias, isCollection } = yaml()
  const from = pair.value?.range?.[0]
  const key = pair.key.range?.[1]
  if (from === undefined || key === undefined || isAlias(pair.value)) return undefined
  const colon = text.indexOf(':', key)
  const between = text.slice(colon + 1, from)
  // A list below its key moves up beside the key, unless a comment is between the two.
  const isBelow = isCollection(pair.value) && !pair.value.flow && between.trim() === ''
  return isBelow || between === '' ? splice(text, colon + 1, endOf(pair), ` ${value}`) : splice(text, from, endOf(pair), value)
}

function removePair(text: string, map: YAMLMap<Node, Node | null>, pair: Pair<Node, Node | null>): string | undefined {
  const from = pair.key.range?.[0]
  if (map.flow || map.items.length === 1 || from === undefined) return undefined
  const to = endOf(pair)
  const start = text.lastIndexOf('\n', from - 1) + 1
  const end = endOfLine(text, to)
  if (text.slice(start, from).trim() !== '') return undefined
  // A comment beside the value stays, on its own line.
  if (text.slice(to, end).trim() !== '') return splice(text, from, to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0), '')
  return splice(text, start, Math.min(end + eolOf(text).length, text.length), '')
}

/** Offset after the last character of a field's value. Comments after it do not belong to it. */
function endOf(pair: Pair<Node, Node | null>): number {
  return pair.value ? endOfNode(pair.value) : (pair.key.range?.[1] ?? 0) + 1
}

function endOfNode(node: Node): number {
  const { isMap, isScalar, isSeq } = yaml()
  const end = node.range?.[1] ?? 0
  if (isScalar(node)) return node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED' ? end - 1 : end
  if (isMap(node) && !node.flow && node.items.length > 0) return endOf(node.items.at(-1) as Pair<Node, Node | null>)
  if (isSeq(node) && !node.flow && node.items.length > 0) return endOfNode(node.items.at(-1) as Node)
  return end
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  if (at < 0) return text.length
  return text[at - 1] === '\r' && at > from ? at - 1 : at
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function splice(text: string, from: number, to: number, by: string): string {
  return text.slice(0, from) + by + text.slice(to)
}
