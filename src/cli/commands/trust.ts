import type { Workshop } from '../../workshop.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import { answered } from '../asking.ts'
import type { CommandContext, ProgramParts } from '../context.ts'
import { askPersonInstead } from '../fence.ts'
import { ink } from '../view/ink.ts'

/**
 * `spritewright trust [HOST] [--remove]`: manages the addresses that may receive an API key, and with `--touch KEY` the
 * authenticators whose touches approve. The command asks before it adds one. Exit code 3 if the person says no.
 */
export async function trust(context: CommandContext, args: CommandArgs): Promise<number> {
  const [host, ...more] = args.names
  const key = args.text('touch')
  if (key !== undefined) {
    if (host !== undefined) throw usageError('Expected trust --touch KEY without an address.')
    if (args.flag('remove')) return context.withWorkshop((workshop) => unenrol(context, workshop, key))
    const asked = await askPersonInstead(context, args, 'trust', [key])
    return asked ?? context.withWorkshop((workshop) => enrol(context, workshop, key))
  }
  if (args.flag('remove') && host === undefined)
    throw usageError(
      'Expected an address for --remove, found none: npx spritewright trust HOST --remove. The command without arguments lists them.',
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
  const [route, hosts, touchKeys] = [await desk.route(), await desk.list(), await desk.touchKeys()]
  printer.document({ route, hosts, touchKeys })
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
  for (const { key, word, source, enrolledAt } of touchKeys)
    printer.line('  ', ink('bold', word), ` approves by a touch`, ink('dim', ` ${enrolledAt?.slice(0, 10) ?? source} ${key}`))
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

/** The person types the word from the panel: a program that only answers yes enrols nothing. */
async function enrol({ parts, printer }: CommandContext, { trust: desk }: Workshop, key: string): Promise<number> {
  const word = desk.wordOf(key)
  if (!parts.host.terminal.canAsk) {
    throw usageError(
      'Expected a terminal to ask at: only a person lets an authenticator approve. For a machine without a person, set SPRITEWRIGHT_TOUCH_KEYS in its environment.',
    )
  }
  const said = answered(await parts.askText('Type the word that the panel shows beside this key.'), 'Nothing was enrolled.')
  const isEnrolled = said.trim().toLowerCase() === word
  if (isEnrolled) await desk.enrol(key)
  printer.document({ enrolled: isEnrolled })
  if (isEnrolled)
    printer.line(ink('green', '✓'), ' ', ink('bold', word), ' approves on this machine from now on. List all: npx spritewright trust')
  else printer.line('That is not the word of this key. Nothing was enrolled.')
  return isEnrolled ? 0 : 3
}

async function unenrol({ printer }: CommandContext, { trust: desk }: Workshop, key: string): Promise<number> {
  const removed = await desk.unenrol(key)
  printer.document({ removed })
  printer.line(removed ? 'Removed. Its touches approve nothing here any more.' : 'It was not enrolled at a terminal.')
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
