import { namesPlugin } from '../options/vite-configs.ts'

/**
 * Adds the plugin to a configuration of Vite, in the style of the file. Only the usual forms are supported; the
 * text is not run.
 *
 * @returns The new text; `undefined` if the text has the plugin already, or is written in another form.
 */
export function withPlugin(text: string): string | undefined {
  if (namesPlugin(text)) return undefined
  const imports = [...text.matchAll(/^import\s[^;'"]*?from\s*(['"])[^'"]+\1(;?)[ \t]*(\r?\n)/gm)]
  const last = imports.at(-1)
  if (last === undefined || text.split(/\bdefineConfig\s*\(/).length !== 2) return undefined
  const [line, quote = "'", semicolon = '', end = '\n'] = last
  const added = addCall(text, end)
  if (added === undefined) return undefined
  const at = last.index + line.length
  return `${added.slice(0, at)}import spritewright from ${quote}spritewright/vite${quote}${semicolon}${end}${added.slice(at)}`
}

/** Adds the call to the list of plugins, or a list with the call. */
function addCall(text: string, end: string): string | undefined {
  const code = withoutTexts(text)
  const config = /\bdefineConfig\s*\(\s*\{([ \t]*\r?\n([ \t]*))?/.exec(code)
  if (!config) return undefined
  const start = config.index + config[0].length
  const lists = [...code.slice(start).matchAll(/\bplugins\s*:\s*(\[(?:[ \t]*\r?\n([ \t]*))?)?/g)].filter(
    (found) => depthOf(code.slice(start, start + found.index)) === 0,
  )
  const [list] = lists
  if (list === undefined)
    return insert(text, start, { item: 'plugins: [spritewright()]', closing: '}', broken: config[1], indent: config[2], end })
  // The list is a variable or a call, so its items are elsewhere.
  if (list[1] === undefined) return undefined
  const at = start + list.index + list[0].length
  return insert(text, at, { item: 'spritewright()', closing: ']', broken: list[2], indent: list[2], end })
}

/** Inserts an item as the first one of a list or an object. */
function insert(
  text: string,
  at: number,
  {
    item,
    closing,
    broken,
    indent = '',
    end,
  }: Readonly<Record<'item' | 'closing' | 'end', string>> & { broken: string | undefined; indent: string | undefined },
): string {
  const rest = text.slice(at)
  const isEmpty = rest.trimStart().startsWith(closing)
  const space = closing === '}' ? ' ' : ''
  if (isEmpty) return `${text.slice(0, at)}${space}${item}${space}${rest.trimStart()}`
  return broken === undefined
    ? `${text.slice(0, at)}${space}${item}, ${rest.trimStart()}`
    : `${text.slice(0, at)}${item},${end}${indent}${rest}`
}

/** The text with blanks in place of strings and comments. */
function withoutTexts(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g, (part) =>
    part.replace(/[^\r\n]/g, ' '),
  )
}

/** The number of open brackets at the end of a piece of code. */
function depthOf(code: string): number {
  return [...code].reduce((depth, character) => depth + ('{[('.includes(character) ? 1 : '}])'.includes(character) ? -1 : 0), 0)
}

/**
 * Sets `allowArbitraryExtensions`, with which TypeScript reads the literal names in `hero.sprite.d.json.ts`.
 * Comments stay.
 *
 * @returns The new text; `undefined` if it is set already, or if the file cannot be read.
 */
export async function withArbitraryExtensions(text: string): Promise<string | undefined> {
  const { applyEdits, modify, parse } = await import('jsonc-parser')
  const errors: object[] = []
  const value = parse(text, errors as never, { allowTrailingComma: true }) as { compilerOptions?: Record<string, unknown> } | undefined
  if (errors.length > 0 || typeof value?.compilerOptions !== 'object' || 'allowArbitraryExtensions' in value.compilerOptions)
    return undefined
  const insertSpaces = !/^\t/m.test(text)
  const tabSize = /^( +)"/m.exec(text)?.[1]?.length ?? 2
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const formattingOptions = { insertSpaces, tabSize, eol }
  return applyEdits(text, modify(text, ['compilerOptions', 'allowArbitraryExtensions'], true, { formattingOptions }))
}
