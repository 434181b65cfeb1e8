import type { Workshop } from '../../workshop.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import { answered } from '../asking.ts'
import type { CommandContext, ProgramParts } from '../context.ts'
import { askPersonInstead } from '../fence.ts'
import { ink } from '../view/ink.ts'

/**
 * `spritewright trust [HOST] [--remove]`: manages the addresses that may receive an API key. The command asks before
 * it adds an address. Exit code 3 if the person says no.
 */
export async function trust(context: CommandContext, args: CommandArgs): Promise<number> {
  const [host, ...more] = args.names
  if (args.flag('remove') && host === undefined)
    throw usageError(
      'Expected the address that --remove is for, found none: npx spritewright trust HOST --remove. The command without arguments lists them.',
    )
  if (more.length > 0) throw usageError('Expected at most one address: npx spritewright trust [HOST] [--remove]')
  const asked = host === undefined || args.flag('remove') ? undefined : await askPersonInstead(context, args, 'trust')
  if (asked !== undefined) return asked
  return context.withWorkshop((workshop) => {
    if (host === undefined) return show(context, workshop)
    return args.flag('remove') ? remove(context, workshop, host) : add(context, workshop, host)
  })
}

async function show({ printer }: CommandContext, { trust: desk }: Workshop): Promise<number> {
  const [route, hosts] = [await desk.route(), await desk.list()]
  printer.document({ route, hosts })
  if (route) {
    const isTrusted = route.trust !== 'none'
    printer.line(
      ink(isTrusted ? 'green' : 'red', isTrusted ? '✓' : '✗'),
      ` key ${route.key} (${fromWords(route.keySource)}) → ${route.origin} (${fromWords(route.addressSource)})`,
      ink('dim', isTrusted ? ` ${route.trust}` : ' not confirmed'),
    )
  }
  for (const { origin, key, at } of hosts)
    printer.line('  ', ink('bold', origin), ` may get key ${key}`, ink('dim', ` since ${at.slice(0, 10)}`))
  if (hosts.length === 0) printer.line('No address has been confirmed.')
  if (route?.trust === 'none') printer.hint('Next: ', ink('bold', `npx spritewright trust ${route.origin}`), ', if that is your service.')
  return 0
}

async function add({ parts, printer }: CommandContext, { trust: desk }: Workshop, host: string): Promise<number> {
  if (!parts.host.terminal.canAsk) {
    throw usageError(
      'Expected a terminal to ask at: only a person confirms an address for the API key. Without one, set SPRITEWRIGHT_TRUSTED_HOSTS in the environment.',
    )
  }
  const origin = await confirmRoute(parts, desk, host, await desk.route())
  printer.document({ origin: origin ?? null })
  if (origin === undefined) {
    printer.line('Nothing was confirmed.')
    return 3
  }
  printer.line(ink('green', '✓'), ' ', ink('bold', origin), ' may get this API key from now on.')
  return 0
}

async function remove({ printer }: CommandContext, { trust: desk }: Workshop, host: string): Promise<number> {
  const removed = await desk.remove(host)
  printer.document({ removed })
  printer.line(removed === 0 ? 'It was not confirmed.' : 'Removed. You are asked again before the key goes there.')
  return 0
}

type Route = NonNullable<Awaited<ReturnType<Workshop['trust']['route']>>>

/**
 * Asks a person whether an address may receive the API key, and stores a yes.
 *
 * @returns The address, or undefined if the person says no.
 */
export async function confirmRoute(
  parts: Pick<ProgramParts, 'ask'>,
  desk: Workshop['trust'],
  host: string,
  route: Route | undefined,
): Promise<string | undefined> {
  const key = route === undefined ? 'the API key' : `the API key ${fromWords(route.keySource)}, fingerprint ${route.key},`
  const isOwn = route !== undefined && (route.origin === host || route.origin === `https://${host}`)
  const from = isOwn ? ` The address is in ${route.addressSource}.` : ''
  const said = await parts.ask(`Send ${key} to ${host}?${from} The server at that address can spend with it.`)
  return answered(said, 'Nothing was confirmed.') ? desk.confirm(host) : undefined
}

/** Describes a source in words. */
function fromWords(source: string): string {
  return source === 'environment' ? 'from the environment' : `from ${source}`
}
