import { SpritewrightError } from '../errors.ts'
import type { Workshop } from '../workshop.ts'
import type { ProgramParts } from './context.ts'

type Route = NonNullable<Awaited<ReturnType<Workshop['trust']['route']>>>

/** Asks a person whether an address may get the API key, and remembers a yes. @returns The address; undefined for a no. */
export async function confirmRoute(
  parts: Pick<ProgramParts, 'ask'>,
  desk: Workshop['trust'],
  host: string,
  route: Route | undefined,
): Promise<string | undefined> {
  const key = route === undefined ? 'the API key' : `the API key ${fromWords(route.keySource)}, fingerprint ${route.key},`
  const isOwn = route !== undefined && (route.origin === host || route.origin === `https://${host}`)
  const from = isOwn ? ` The address stands in ${route.addressSource}.` : ''
  const said = await parts.ask(`Send ${key} to ${host}?${from} Whoever answers there can spend with it.`)
  if (said === undefined) throw new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted. Nothing was confirmed.' })
  return said ? desk.confirm(host) : undefined
}

/** Where something is from, in words. */
export function fromWords(source: string): string {
  return source === 'environment' ? 'from the environment' : `from ${source}`
}
