import { createScanner, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import type { ValuePath } from '../document.ts'

/** The scanner's numbers of its tokens. */
const commaToken = 5
const lineBreak = 14
const trivia: ReadonlySet<number> = new Set([12, 13, lineBreak, 15])

/**
 * Writes one field into a JSON text, or removes it. All other text stays unchanged: comments, order,
 * indentation, trailing commas.
 *
 * @param path Keys that lead to the field. The object around it must exist.
 * @param value JSON text. `undefined` removes the field.
 * @returns The new text; `undefined` if there is no such object.
 */
export function editJsonText(text: string, path: ValuePath, value: string | undefined): string | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const found = root && findNodeAtLocation(root, [...path])
  if (found) return value === undefined ? removeField(text, found.parent as Node) : splice(text, found.offset, endOf(found), value)
  if (value === undefined) return text
  const around = root && findNodeAtLocation(root, path.slice(0, -1))
  return around?.type === 'object' ? addField(text, around, `${JSON.stringify(path.at(-1))}: ${value}`) : undefined
}

function addField(text: string, object: Node, field: string): string {
  const last = object.children?.at(-1)
  if (!last) {
    const inside = text.slice(object.offset + 1, endOf(object) - 1)
    return splice(text, object.offset + 1, object.offset + 1 + (inside.trim() === '' ? inside.length : 0), ` ${field} `)
  }
  const comma = findComma(text, endOf(last))
  const after = comma === undefined ? endOf(last) : comma + 1
  const indent = indentOf(text, last.offset)
  // The fields are on one line, so the new field goes onto the same line.
  if (indent === undefined) return splice(text, after, after, comma === undefined ? `, ${field}` : ` ${field},`)
  const at = endOfLine(text, after)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const longer = splice(text, at, at, `${eol}${indent}${field}${comma === undefined ? '' : ','}`)
  return comma === undefined ? splice(longer, endOf(last), endOf(last), ',') : longer
}

function removeField(text: string, field: Node): string {
  const fields = field.parent?.children ?? []
  const before = fields[fields.indexOf(field) - 1]
  const comma = findComma(text, endOf(field))
  const end = comma === undefined ? endOf(field) : comma + 1
  const without = cutOut(text, field.offset, end)
  const isLast = fields.at(-1) === field
  // The comma before the last field no longer separates anything. A trailing comma still does.
  const spare = isLast && comma === undefined && before ? findComma(text, endOf(before)) : undefined
  return spare === undefined ? without : splice(without, spare, spare + 1, '')
}

/** Removes a piece of a text, and its whole line if nothing else is on it. */
function cutOut(text: string, from: number, to: number): string {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const next = text.indexOf('\n', to)
  const end = next < 0 ? text.length : next + 1
  if (text.slice(start, from).trim() === '' && text.slice(to, end).trim() === '') return splice(text, start, end, '')
  const spaces = /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0
  return splice(text, from, to + spaces, '')
}

/** Offset of the comma after a field, past any comments. */
function findComma(text: string, from: number): number | undefined {
  const scanner = createScanner(text)
  scanner.setPosition(from)
  let token: number = scanner.scan()
  while (trivia.has(token)) token = scanner.scan()
  return token === commaToken ? scanner.getTokenOffset() : undefined
}

/** Offset after the blanks and comments that belong to the line. */
function endOfLine(text: string, from: number): number {
  const scanner = createScanner(text)
  scanner.setPosition(from)
  let end = from
  for (let token: number = scanner.scan(); trivia.has(token) && token !== lineBreak; token = scanner.scan())
    end = scanner.getTokenOffset() + scanner.getTokenLength()
  return end
}

/** The blanks before an item that begins a line. Returns `undefined` if the item does not begin one. */
function indentOf(text: string, offset: number): string | undefined {
  const lead = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return lead.trim() === '' && text.lastIndexOf('\n', offset - 1) >= 0 ? lead : undefined
}

function endOf(node: Node): number {
  return node.offset + node.length
}

function splice(text: string, from: number, to: number, by: string): string {
  return text.slice(0, from) + by + text.slice(to)
}
