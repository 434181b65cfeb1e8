/** A place in a text. Line and column count from 1; columns are UTF-16 units, as in editors. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Keys and indices that lead from a whole value to a part of it. */
export type ValuePath = readonly (string | number)[]

/** One fault in one part of a value. */
export interface Fault {
  readonly path: ValuePath
  readonly expected: string
  readonly found: string
  /** Points at the key, not at its value, because the field itself should not exist. */
  readonly isAtKey?: boolean
  /** Offset into the text, if the place has no path. */
  readonly offset?: number
}

/** A parsed value with its offsets, the same for JSON and YAML. Offsets are UTF-16 units from 0. */
export type TextNode =
  | { readonly kind: 'object'; readonly offset: number; readonly entries: readonly TextEntry[] }
  | { readonly kind: 'list'; readonly offset: number; readonly items: readonly TextNode[] }
  | { readonly kind: 'scalar'; readonly offset: number; readonly value: string | number | boolean | null }

/** One field of an object in a text. */
export interface TextEntry {
  readonly key: string
  readonly keyOffset: number
  readonly node: TextNode
}

/** A text, parsed to the end: its tree, or the first fault in its syntax. */
export type ParsedText = { readonly root: TextNode } | { readonly broken: Fault }

/** A value with the places of its parts in the text. */
export interface LocatedDocument {
  /** Plain data. Objects have no prototype, so that no name in the text has a special meaning. */
  readonly value: unknown
  /**
   * Content that JSON data must not have: a field twice, `__proto__`, a number or text without an exact JSON
   * form.
   */
  readonly faults: readonly Fault[]
  /** The place of a part. If the part is missing, the place of the nearest part around it. */
  placeOf(fault: Pick<Fault, 'path' | 'isAtKey' | 'offset'>): Place
  /** The keys of an object, in the order of the text. Empty if there is no object at the path. */
  keysOf(path: ValuePath): readonly string[]
}

/** Deepest nesting that is accepted. No spec needs more, and a parser must not run out of stack. */
export const maximumDepth: number = 64

/** Turns a parsed tree into a value with places. */
export function createDocument(text: string, root: TextNode): LocatedDocument {
  const faults: Fault[] = []
  const value = toValue(root, [], faults)
  const lineOffsets = findLines(text)
  return {
    value,
    faults,
    placeOf: ({ path, isAtKey, offset }) => toPlace(lineOffsets, offset ?? findOffset(root, path, isAtKey === true)),
    keysOf: (path) => {
      const node = findNode(root, path)
      return node?.kind === 'object' ? [...new Set(node.entries.map((entry) => entry.key))] : []
    },
  }
}

/** The place of an offset in a text. Works also for a text with broken syntax, which has no tree. */
export function placeInText(text: string, offset: number): Place {
  return toPlace(findLines(text), offset)
}

function toValue(node: TextNode, path: ValuePath, faults: Fault[]): unknown {
  if (node.kind === 'list') return node.items.map((item, index) => toValue(item, [...path, index], faults))
  if (node.kind === 'scalar') {
    const fault = scalarFault(node.value)
    if (fault) faults.push({ path, offset: node.offset, ...fault })
    return node.value
  }
  const value: Record<string, unknown> = Object.create(null)
  for (const { key, keyOffset, node: child } of node.entries) {
    const at = [...path, key]
    if (key === '__proto__' || isIllFormed(key)) {
      faults.push({ path: at, offset: keyOffset, expected: 'a name of a field', found: JSON.stringify(key) })
      continue
    }
    if (Object.hasOwn(value, key)) {
      faults.push({ path: at, offset: keyOffset, expected: 'each field once', found: 'it a second time' })
      continue
    }
    value[key] = toValue(child, at, faults)
  }
  return value
}

/** Only values with an exact JSON form may reach the service and the request hash. */
function scalarFault(value: string | number | boolean | null): { expected: string; found: string } | undefined {
  if (typeof value === 'string' && isIllFormed(value)) {
    return { expected: 'a text of whole Unicode characters', found: 'half of a surrogate pair' }
  }
  if (typeof value !== 'number') return undefined
  if (!Number.isFinite(value)) return { expected: 'a finite number', found: String(value) }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { expected: `a number within ±${Number.MAX_SAFE_INTEGER}, beyond which digits get lost`, found: String(value) }
  }
  return undefined
}

function isIllFormed(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

function findNode(root: TextNode, path: ValuePath): TextNode | undefined {
  let node: TextNode | undefined = root
  for (const step of path) node = node && childOf(node, step)?.node
  return node
}

function findOffset(root: TextNode, path: ValuePath, isAtKey: boolean): number {
  let node = root
  let offset = root.offset
  for (const [depth, step] of path.entries()) {
    const child = childOf(node, step)
    if (!child) break
    offset = isAtKey && depth === path.length - 1 ? child.keyOffset : child.node.offset
    node = child.node
  }
  return offset
}

function childOf(node: TextNode, step: string | number): { node: TextNode; keyOffset: number } | undefined {
  if (node.kind === 'object') return node.entries.find((entry) => entry.key === step)
  const item = node.kind === 'list' && typeof step === 'number' ? node.items[step] : undefined
  return item && { node: item, keyOffset: item.offset }
}

function findLines(text: string): number[] {
  const offsets = [0]
  for (const match of text.matchAll(/\r\n|\n|\r/g)) offsets.push(match.index + match[0].length)
  return offsets
}

function toPlace(lineOffsets: readonly number[], offset: number): Place {
  let low = 0
  let high = lineOffsets.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((lineOffsets[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (lineOffsets[low] ?? 0) + 1 }
}
