import { formatTouchKey, parseTouchKey, type TouchKey, wordOf } from '../../credit/touch.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { readRoute } from '../../project/session.ts'
import { readApprovers } from '../../project/trust/approvers.ts'
import { fingerprintOfKey, type KeyRoute, type TrustedHost, toOrigin } from '../../project/trust/hosts.ts'
import type { ListedTouchKey } from '../../project/trust/touch-keys.ts'
import { endRequests } from '../end-requests.ts'

/** An authenticator whose touches count here, in words. */
export interface TouchKeyLine extends Pick<ListedTouchKey, 'source' | 'enrolledAt'> {
  /** `ES256.CREDENTIAL.SPKI`, as `SPRITEWRIGHT_TOUCH_KEYS` takes it. */
  readonly key: string
  /** Ten letters that tell keys apart. */
  readonly word: string
}

/** Manages which address may receive the API key, and whose touches approve. No service is asked. */
export interface Trust {
  /**
   * The present key and address of this project; undefined without a key or an address, and for the embedded
   * service.
   */
  route(): Promise<KeyRoute | undefined>
  /** All addresses that this user has confirmed, for any key. */
  list(): Promise<readonly TrustedHost[]>
  /**
   * Confirms an address for today's key. Callers ask a person first.
   *
   * @throws `SW_NO_KEY`, `SW_USAGE`
   */
  confirm(host: string): Promise<TrustedHost['origin']>
  /**
   * Removes every confirmation of an address.
   *
   * @returns Their number.
   * @throws `SW_USAGE`
   */
  remove(host: string): Promise<number>
  /** @throws `SW_CONFIG` */
  touchKeys(): Promise<readonly TouchKeyLine[]>
  /**
   * Whether the panel asks for a touch. `enrolled`: a touch counts here, and an authenticator is known. `needed`: only
   * a touch counts, and none is known.
   */
  touchState(): Promise<'enrolled' | 'needed' | undefined>
  /**
   * The word of a key, which the panel shows beside it.
   *
   * @throws `SW_USAGE` if the text is no key.
   */
  wordOf(key: string): string
  /**
   * Lets touches of an authenticator count on this machine. Callers ask a person for its word first.
   *
   * @throws `SW_USAGE`, `SW_CONFIG`
   */
  enrol(key: string): Promise<void>
  /**
   * Ends that. Returns whether the key was enrolled; one of the environment stays.
   *
   * @throws `SW_USAGE`, `SW_CONFIG`
   */
  unenrol(key: string): Promise<boolean>
}

/** Creates the trust part of one project. */
export function openTrust(context: Context): Trust {
  return {
    route: () => readRoute(context),
    list: () => context.hosts.list(),
    confirm: async (host) => {
      const { key } = context.credentials
      if (key === undefined) {
        throw new SpritewrightError('SW_NO_KEY', {
          message:
            'Expected an API key that the address may get, found none. Set SPRITEWRIGHT_API_KEY in the environment or in .env.local first.',
        })
      }
      const origin = toOrigin(host)
      await context.hosts.add({ origin, key: fingerprintOfKey(key.reveal()) })
      await endRequests(context, 'trust', [host, origin])
      return origin
    },
    remove: (host) => context.hosts.remove(toOrigin(host)),
    touchKeys: async () =>
      (await context.touchKeys.list()).map((key) => {
        const { source, enrolledAt } = key
        return { key: formatTouchKey(key), word: wordOf(key), source, enrolledAt }
      }),
    touchState: async () => {
      const { given, touchKeys = [] } = await readApprovers(context)
      if (touchKeys.length > 0) return given === undefined || given.has('touched') ? 'enrolled' : undefined
      return given?.size === 1 && given.has('touched') ? 'needed' : undefined
    },
    wordOf: (key) => wordOf(readTouchKey(key)),
    enrol: async (key) => context.touchKeys.add(readTouchKey(key)),
    unenrol: async (key) => context.touchKeys.remove(readTouchKey(key)),
  }
}

function readTouchKey(text: string): TouchKey {
  const key = parseTouchKey(text)
  if (key) return key
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected a key like ES256.CREDENTIAL.SPKI, with P-256, or RSA of at least 2048 bits as RS256; found ${JSON.stringify(text.slice(0, 80))}. The panel shows the key of an authenticator.`,
  })
}
