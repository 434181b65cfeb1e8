import { importError } from './imported.ts'

/** A value of a project of TexturePacker. */
export type PlistValue = string | number | boolean | readonly PlistValue[] | { readonly [key: string]: PlistValue }

interface Element {
  readonly tag: string
  readonly value: PlistValue | undefined
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Deeper files are not by TexturePacker. */
const mostDepth = 32

/**
 * Reads the XML of a project of TexturePacker. Several keys in a row, as in `individualSpriteSettings`, have the
 * value that follows them.
 *
 * @returns The value of the one element in `data`.
 * @throws `SW_SPEC` with the line, for anything else.
 */
export function readPlist(text: string, file: string): PlistValue {
  // Tags have odd indices, the texts between them even ones.
  const parts = text.replace(/^\s*<\?xml[^<>]*\?>/, '').split(/(<[^<>]*>)/)
  let at = 1
  const refuse = (expected: string): Error => {
    const line = parts.slice(0, at).join('').split('\n').length
    return importError(`${file}:${line}`, expected, parts[at] ?? 'the end of the file', 'Save the project again with TexturePacker.')
  }
  const read = (depth: number): Element => {
    const [, tag, isEmpty] = /^<(\w+)(?:\s+\w+="[^"]*")*\s*(\/?)>$/.exec(parts[at] ?? '') ?? []
    if (tag === undefined || depth > mostDepth) throw refuse('an element as TexturePacker writes it')
    const items: Element[] = []
    let words = isEmpty ? '' : (parts[at + 1] ?? '')
    at += 2
    while (!isEmpty && parts[at]?.startsWith('</') === false) {
      items.push(read(depth + 1))
      words += parts[at - 1] ?? ''
    }
    if (!isEmpty && parts[at] !== `</${tag}>`) throw refuse(`</${tag}>`)
    const value = toValue(tag, words, items)
    if (value === undefined) throw refuse(`a value in <${tag}>`)
    if (!isEmpty) at += 2
    return { tag, value }
  }
  const { tag, value } = read(0)
  if (tag !== 'data' || at < parts.length) throw refuse('one element <data>')
  return value as PlistValue
}

/** Returns `undefined` for an element that is not as TexturePacker writes it. */
function toValue(tag: string, words: string, items: readonly Element[]): PlistValue | undefined {
  if (items.length > 0 && words.trim() !== '') return undefined
  if (tag === 'data') return items.length === 1 ? items[0]?.value : undefined
  if (tag === 'array') return items.map(({ value }) => value as PlistValue)
  if (tag === 'true' || tag === 'false') return tag === 'true'
  if (['int', 'uint', 'double'].includes(tag)) return words.trim() !== '' && Number.isFinite(Number(words)) ? Number(words) : undefined
  if (items.length === 0 && !['struct', 'map'].includes(tag))
    return words.replaceAll(/&(\w+);/g, (all, name: string) => entities[name] ?? all)
  const entries: [string, PlistValue][] = []
  const keys: string[] = []
  for (const { tag: part, value } of items) {
    if (part === 'key') keys.push(String(value))
    else if (keys.length === 0) return undefined
    else entries.push(...keys.splice(0).map((key): [string, PlistValue] => [key, value as PlistValue]))
  }
  return keys.length === 0 ? Object.fromEntries(entries) : undefined
}
