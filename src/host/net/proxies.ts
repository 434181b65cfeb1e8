import { SpritewrightError } from '../../errors.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The proxies that the environment names, as undici's `EnvHttpProxyAgent` takes them. */
export interface Proxies {
  /** Proxy of `http:` addresses, and of `https:` ones without a proxy of their own; empty for none. */
  readonly httpProxy: string
  /** Proxy of `https:` addresses; empty for {@link httpProxy}. */
  readonly httpsProxy: string
  /** Hosts that are called without a proxy, e.g. `example.com,.local:8080`, or `*`; empty for none. */
  readonly noProxy: string
}

const variables = { httpProxy: 'HTTP_PROXY', httpsProxy: 'HTTPS_PROXY', noProxy: 'NO_PROXY' } as const

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. Names in lower case come first, as curl reads them. An
 * address without a scheme is `http:`.
 *
 * @throws `SW_CONFIG` for a proxy that is no `http:` or `https:` URL.
 */
export function readProxies(env: Env): Proxies {
  return { httpProxy: proxyOf(env, 'httpProxy'), httpsProxy: proxyOf(env, 'httpsProxy'), noProxy: settingOf(env, 'noProxy') }
}

/**
 * Describes the proxies for a person, without user names and passwords.
 *
 * @returns Empty if no proxy is set.
 */
export function describeProxies({ httpProxy, httpsProxy, noProxy }: Proxies): string {
  const proxy = httpsProxy || httpProxy
  if (proxy === '') return ''
  const from = httpsProxy === '' ? variables.httpProxy : variables.httpsProxy
  return `${new URL(proxy).origin} from ${from}${noProxy === '' ? '' : `, but not for ${noProxy} from ${variables.noProxy}`}`
}

function settingOf(env: Env, name: keyof typeof variables): string {
  const variable = variables[name]
  return (env[variable.toLowerCase()] ?? env[variable] ?? '').trim()
}

function proxyOf(env: Env, name: 'httpProxy' | 'httpsProxy'): string {
  const written = settingOf(env, name)
  if (written === '') return ''
  const address = written.includes('://') ? written : `http://${written}`
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address
  // The value may hold a password, so it is not shown.
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected the environment variable ${variables[name]} as a proxy like http://proxy.example.com:3128, found something else. Nothing was sent; correct it or unset it.`,
    facts: { variable: variables[name] },
  })
}
