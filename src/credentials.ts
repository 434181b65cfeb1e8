import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { baseUrlWords, parseBaseUrl } from './base-url.ts'
import { SpritewrightError } from './errors.ts'
import type { Disk } from './host/disk.ts'
import { Secret } from './secret.ts'

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
  /** `environment`, or the name of the file that the address is from. */
  readonly baseUrlSource?: string
  readonly key?: Secret
  /** `environment`, or the name of the file that the key is from. */
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
 *
 * @param folder Where the `.env` files lie, absolute; false: none is read, as Vite's `envDir` has it.
 * @param options.mode Vite's mode, e.g. `development`.
 * @param options.envPrefix Vite's option: variables of such a name are shipped to the browser. @default 'VITE_'
 * @returns No `key` where none is set: the caller knows whether it needs one.
 * @throws `SW_KEY_EXPOSED` where a variable that is shipped is named like the key or holds it; `SW_NO_KEY` where the key cannot be one;
 * `SW_CONFIG` where the base URL is none.
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
  const key = find(sources, keyName)
  const envPrefix = options.envPrefix ?? 'VITE_'
  refuseExposed(sources, typeof envPrefix === 'string' ? [envPrefix] : envPrefix, key?.value)
  const baseUrl = find(sources, baseUrlName)
  return {
    ...(baseUrl ? { baseUrl: checkBaseUrl(baseUrl.value, baseUrl.source), baseUrlSource: baseUrl.source } : {}),
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

function find(sources: readonly Source[], name: string): { readonly value: string; readonly source: string } | undefined {
  for (const source of sources) {
    const value = expandedValue(sources, source, name)
    if (value !== '') return { value, source: source.name }
  }
  return undefined
}

/** The trimmed value of a variable; inside a file, `$NAME` and `${NAME}` stand for other variables, as Vite expands them. */
function expandedValue(sources: readonly Source[], source: Source, name: string, depth: number = 0): string {
  const raw = Object.hasOwn(source.variables, name) ? (source.variables[name] ?? '').trim() : ''
  if (source === sources[0] || depth > 8) return raw
  const expanded = raw.replace(
    /\\\$|\$\{(\w+)(?::?-([^}]*))?\}|\$([A-Za-z_]\w*)/g,
    (match, braced?: string, fallback?: string, bare?: string) => {
      const wanted = braced ?? bare
      if (wanted === undefined) return match.slice(1)
      const holder = sources.find((candidate) => Object.hasOwn(candidate.variables, wanted) && candidate.variables[wanted] !== '')
      return (holder && expandedValue(sources, holder, wanted, depth + 1)) || fallback || ''
    },
  )
  return expanded.trim()
}

function refuseExposed(sources: readonly Source[], prefixes: readonly string[], key: string | undefined): void {
  for (const source of sources) {
    for (const name of Object.keys(source.variables)) {
      const value = expandedValue(sources, source, name)
      if (value === '' || !prefixes.some((prefix) => name.startsWith(prefix))) continue
      const isNamed = /SPRITEWRIGHT.*KEY/i.test(name)
      const isKey = key !== undefined && key.length >= 8 && value.includes(key)
      if (!isNamed && !isKey) continue
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

function checkBaseUrl(value: string, source: string): string {
  const url = parseBaseUrl(value)
  if (url !== undefined) return url
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected ${baseUrlName} (from ${source}) to be ${baseUrlWords}, found something else.`,
    facts: { variable: baseUrlName, source },
  })
}
