import { join } from 'node:path'
import { inspect, parseEnv } from 'node:util'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { decodeText } from '../host/project-style.ts'
import { refuseKeyInAddress, searchFor } from '../key-search.ts'
import { baseUrlWords, parseBaseUrl } from './values.ts'

/**
 * A text that must not leak by accident. Printed, logged, listed or written as JSON it appears as `[key]`.
 */
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

/** Ports that {@link readCredentials} uses. */
export interface CredentialPorts {
  readonly disk: Pick<Disk, 'read' | 'stat'>
  readonly env: Variables
}

/** The service and the API key, if the environment or `.env` files set them. */
export interface Credentials {
  /** Without a trailing slash. */
  readonly baseUrl?: string
  /** `environment`, or the name of the file with the base URL. */
  readonly baseUrlSource?: string
  readonly key?: Secret
  /**
   * `environment`, or the name of the file with the key. If a file's key includes variables of other sources, the
   * names of all these sources, e.g. `.env and environment`.
   */
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
 * Reads `SPRITEWRIGHT_API_KEY` and `SPRITEWRIGHT_BASE_URL` from the environment, then from
 * `.env.[mode].local`, `.env.[mode]`, `.env.local` and `.env` in a folder. The first value that is not empty
 * wins, as in Vite. No error contains the value of a variable.
 *
 * In a file, `$NAME` and `${NAME}` expand to other variables, except in the base URL, which is used as
 * written.
 *
 * @param folder Absolute folder of the `.env` files. If `false`, none is read, as with Vite's `envDir`.
 * @param options.mode Vite's mode, e.g. `development`.
 * @param options.envPrefix Vite's option: variables with such a prefix are shipped to the browser.
 * @default 'VITE_'
 * @returns No `key` if none is set. The caller decides whether it needs one.
 * @throws `SW_KEY_EXPOSED` if a shipped variable has the key's name or contains the key; `SW_NO_KEY` if the key is
 * not valid; `SW_CONFIG` if the base URL is not valid or contains the key, or if variables expand to too much text.
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
  // A folder named .env is a Python environment, not one of these files.
  const stat = await disk.stat(path)
  if (!stat || stat.isFolder) return undefined
  let text: string
  try {
    text = decodeText(await disk.read(path))
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'an unknown failure'
    throw new SpritewrightError('SW_DISK', { message: `Expected to read ${path}, found ${code}.`, facts: { file: path }, cause })
  }
  // PowerShell adds UTF-16 to a file that begins as UTF-8.
  if (!text.includes('\0')) return Object.assign(Object.create(null), parseEnv(text)) as Variables
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected text in UTF-8 or UTF-16 in ${path}, found zero bytes, as in a mix of both. Save it as UTF-8.`,
    facts: { file: path },
  })
}

type Found = { readonly value: string; readonly source: string }

/** An expanded value, and the names of all sources of its parts. */
type Expanded = { readonly value: string; readonly from: readonly string[] }

/** The first value that is not empty. If its parts are from several sources, `source` has all their names. */
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
 * Most characters that all expansions of one call may process. A large file of variables needs about a thousandth
 * of this number.
 */
const expansionLimit = 2 ** 22
/** Characters that each step costs in addition. This bounds the steps over short texts too. */
const stepCost = 64

/**
 * The trimmed value of a variable. If the variable is from a file, other variables replace `$NAME` and
 * `${NAME}`.
 *
 * The steps are the same as in Vite: a value is inserted unexpanded, and the text is searched again from its start.
 * A value that was the whole text before is not inserted, so the expansion of mutual references ends.
 *
 * @param work Characters that may still be processed. The call reduces it.
 * @throws `SW_CONFIG` if `work` does not suffice.
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
    // A value of the environment is not expanded, so its dollar signs are literal.
    const inserted = value === undefined ? fallback : holder === fromEnvironment ? value.replaceAll('$', '\\$') : value
    text = text.slice(0, next.index) + inserted + text.slice(next.index + written.length)
  }
  return { value: text.replaceAll('\\$', '$').trim(), from: [...from] }
}

/**
 * Matches `${NAME}`, `${NAME:-other}`, `${NAME-other}`, `${NAME:+other}`, `${NAME+other}` or `$NAME`, without
 * a backslash before it.
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

/** Checks the key, which goes into a header: one word of printable ASCII. */
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
  const found = /^\w+:\/\//.test(value.trim()) ? 'something else' : 'an address that does not begin with https://'
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected ${baseUrlName} (from ${source}) to be ${baseUrlWords}, found ${found}.`,
    facts: { variable: baseUrlName, source },
  })
}
