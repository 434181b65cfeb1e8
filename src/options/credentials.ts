import { join } from 'node:path'
import { inspect, parseEnv } from 'node:util'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { refuseKeyInAddress, searchFor } from './key-search.ts'
import { baseUrlWords, parseBaseUrl } from './schema.ts'

/** A text that must not get out by accident: printed, logged, listed or written as JSON it is `[key]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The text itself, for the one header that needs it. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[key]'
  }

  toJSON(): string {
    return '[key]'
  }

  static {
    Object.defineProperty(Secret.prototype, inspect.custom, { value: () => '[key]' })
  }
}

type Variables = Readonly<Record<string, string | undefined>>

/** What {@link readCredentials} needs of the world. */
export interface CredentialPorts {
  readonly disk: Pick<Disk, 'read' | 'stat'>
  readonly env: Variables
}

/** Where sprites are bought and with which key, as far as environment and `.env` files say. */
export interface Credentials {
  /** Without a slash at its end. */
  readonly baseUrl?: string
  /** `environment`, or the name of the file that the base URL is from. */
  readonly baseUrlSource?: string
  readonly key?: Secret
  /** `environment`, or the name of the file that the key is from; all of them, as `.env and environment`, where a file's key takes in variables of others. */
  readonly keySource?: string
}

interface Source {
  /** `environment` or a file's name, for messages. */
  readonly name: string
  readonly variables: Variables
}

const keyName = 'SPRITEWRIGHT_API_KEY'
const baseUrlName = 'SPRITEWRIGHT_BASE_URL'

/**
 * Reads `SPRITEWRIGHT_API_KEY` and `SPRITEWRIGHT_BASE_URL` from the environment, then from `.env.[mode].local`, `.env.[mode]`,
 * `.env.local` and `.env` in a folder: the first that is not empty wins, as in Vite. No variable's value is ever in an error.
 * In a file, `$NAME` and `${NAME}` stand for other variables, but not in the base URL: an address is taken as
 * it is written.
 *
 * @param folder Where the `.env` files lie, absolute; false: none is read, as Vite's `envDir` has it.
 * @param options.mode Vite's mode, e.g. `development`.
 * @param options.envPrefix Vite's option: variables of such a name are shipped to the browser. @default 'VITE_'
 * @returns No `key` where none is set: the caller knows whether it needs one.
 * @throws `SW_KEY_EXPOSED` where a variable that is shipped is named like the key or holds it; `SW_NO_KEY` where the key cannot be one;
 * `SW_CONFIG` where the base URL is none or holds the key, and where variables expand to too much.
 */
export async function readCredentials(
  ports: CredentialPorts,
  folder: string | false,
  options: { readonly mode: string; readonly envPrefix?: string | readonly string[] | undefined },
): Promise<Credentials> {
  const sources: Source[] = [{ name: 'environment', variables: ports.env }]
  const names = [`.env.${options.mode}.local`, `.env.${options.mode}`, '.env.local', '.env']
  for (const name of names) {
    const variables = folder !== false && (await readEnvFile(ports.disk, join(folder, name)))
    if (variables) sources.push({ name, variables })
  }
  const work = { left: expansionLimit }
  const key = find(sources, keyName, (source) => expandedValue(sources, source, keyName, work))
  const envPrefix = options.envPrefix ?? 'VITE_'
  refuseExposed(sources, typeof envPrefix === 'string' ? [envPrefix] : envPrefix, key?.value, work)
  const baseUrl = find(sources, baseUrlName, (source) => ({ value: rawValue(source, baseUrlName), from: [source.name] }))
  return {
    ...(baseUrl ? { baseUrl: checkBaseUrl(baseUrl.value, baseUrl.source, key?.value), baseUrlSource: baseUrl.source } : {}),
    ...(key ? { key: checkKey(key.value, key.source), keySource: key.source } : {}),
  }
}

async function readEnvFile(disk: CredentialPorts['disk'], path: string): Promise<Variables | undefined> {
  // A folder named .env is a Python environment, not ours.
  const stat = await disk.stat(path)
  if (!stat || stat.isFolder) return undefined
  try {
    const text = new TextDecoder().decode(await disk.read(path))
    return Object.assign(Object.create(null), parseEnv(text)) as Variables
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'an unknown failure'
    throw new SpritewrightError('SW_DISK', { message: `Expected to read ${path}, found ${code}.`, facts: { file: path }, cause })
  }
}

type Found = { readonly value: string; readonly source: string }

/** A value, and the names of all sources that a part of it is from. */
type Expanded = { readonly value: string; readonly from: readonly string[] }

/** The first value that is not empty. Of several sources it has all names: it is none of them alone. */
function find(sources: readonly Source[], name: string, valueIn: (source: Source) => Expanded): Found | undefined {
  for (const source of sources) {
    if (!Object.hasOwn(source.variables, name)) continue
    const { value, from } = valueIn(source)
    if (value !== '') return { value, source: from.join(' and ') }
  }
  return undefined
}

function rawValue(source: Source, name: string): string {
  return (source.variables[name] ?? '').trim()
}

/**
 * How many characters all expansions of one reading may go through: a large file of variables takes a
 * thousandth.
 */
const expansionLimit = 2 ** 22
/** One step counts as so many characters more, which bounds the steps over short texts too. */
const stepCost = 64

/**
 * The trimmed value of a variable, with other variables in place of `$NAME` and `${NAME}` if it is from a
 * file. The steps are those of Vite: a value goes in as it is written, and the text is read again from its
 * start. A value that was the whole text before is left out, so that variables that stand for each other end.
 *
 * @param work Characters that may still be gone through; less after the call.
 * @throws `SW_CONFIG` if they do not suffice.
 */
function expandedValue(sources: readonly Source[], source: Source, name: string, work: { left: number }): Expanded {
  const fromEnvironment = sources[0]
  const from = new Set([source.name])
  let text = rawValue(source, name)
  if (source === fromEnvironment) return { value: text, from: [...from] }
  const seen = new Set<string>()
  for (let next = reference.exec(text); next !== null; next = reference.exec(text)) {
    work.left -= text.length + stepCost
    if (work.left < 0) throw tooMuch(name, source.name)
    seen.add(text)
    const [written, braced, bare] = next
    const [, wanted = '', operator = '', other = ''] = /^(.*?)(?:(:?[-+])(.*))?$/s.exec(braced ?? bare ?? '') ?? []
    const holder = sources.find(({ variables }) => Object.hasOwn(variables, wanted) && variables[wanted] !== '')
    const found = holder === undefined ? '' : rawValue(holder, wanted)
    const value = operator.endsWith('+') || found === '' || seen.has(found) ? undefined : found
    const fallback = operator.endsWith('+') && found === '' ? '' : other
    if (value !== undefined && holder !== undefined) from.add(holder.name)
    // A value of the environment is no text of a file: its dollars stand for themselves.
    const inserted = value === undefined ? fallback : holder === fromEnvironment ? value.replaceAll('$', '\\$') : value
    text = text.slice(0, next.index) + inserted + text.slice(next.index + written.length)
  }
  return { value: text.replaceAll('\\$', '$').trim(), from: [...from] }
}

/**
 * `${NAME}`, `${NAME:-other}`, `${NAME-other}`, `${NAME:+other}`, `${NAME+other}` or `$NAME`, without a
 * backslash before it.
 */
const reference = /(?<!\\)\$(?:\{([^{}]+)\}|([A-Za-z_]\w*))/

function tooMuch(variable: string, source: string): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', {
    message: `Expected ${variable} in ${source} to expand to a short text, found variables that expand each other again and again. Write the value out in ${source}.`,
    facts: { variable, source },
  })
}

function refuseExposed(sources: readonly Source[], prefixes: readonly string[], key: string | undefined, work: { left: number }): void {
  const search = searchFor(key)
  for (const source of sources) {
    for (const name of Object.keys(source.variables)) {
      if (!prefixes.some((prefix) => name.startsWith(prefix))) continue
      const { value } = expandedValue(sources, source, name, work)
      if (value === '' || !(/SPRITEWRIGHT.*KEY/i.test(name) || search.isIn(value))) continue
      const where = source.name === 'environment' ? 'the environment' : source.name
      throw new SpritewrightError('SW_KEY_EXPOSED', {
        message:
          `Expected the API key under a name that Vite does not ship to the browser, found ${name} in ${where}: names that begin with ` +
          `${prefixes.join(', ')} are shipped (envPrefix). Call it ${keyName} and revoke the key if it has been published.`,
        facts: { variable: name, source: source.name },
      })
    }
  }
}

/** A key goes into a header: one word of printable ASCII. */
function checkKey(value: string, source: string): Secret {
  if (/^[\x21-\x7e]{1,4096}$/.test(value)) return new Secret(value)
  const found = /^bearer\s/i.test(value)
    ? 'the word "Bearer" in front of it; leave that out'
    : /\s/.test(value)
      ? 'a space or a line break in it'
      : value.length > 4096
        ? `${value.length} characters`
        : 'a character that is no printable ASCII'
  throw new SpritewrightError('SW_NO_KEY', {
    message: `Expected ${keyName} (from ${source}) to be one word of printable ASCII, found ${found}. Copy the key again from the developer console.`,
    facts: { variable: keyName, source },
  })
}

function checkBaseUrl(value: string, source: string, key: string | undefined): string {
  refuseKeyInAddress(searchFor(key), value, `${baseUrlName} (from ${source})`, { variable: baseUrlName, source })
  const url = parseBaseUrl(value)
  if (url !== undefined) return url
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected ${baseUrlName} (from ${source}) to be ${baseUrlWords}, found something else.`,
    facts: { variable: baseUrlName, source },
  })
}
