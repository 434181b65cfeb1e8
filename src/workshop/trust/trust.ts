import { formatTouchKey, wordOf } from '../../credit/touch.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { readRoute } from '../../project/session.ts'
import { readApprovers } from '../../project/trust/approvers.ts'
import { fingerprintOfKey, type KeyRoute, type TrustedHost, toOrigin } from '../../project/trust/hosts.ts'
import { type ListedTouchKey, readTouchKey } from '../../project/trust/touch-keys.ts'
import { endRequests } from '../end-requests.ts'

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
  touchKeys(): Promise<readonly ListedTouchKey[]>
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
   * @throws `SW_CONFIG`
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
    touchKeys: () => context.touchKeys.list(),
    touchState: async () => {
      const { given, touchKeys = [] } = await readApprovers(context)
      if (touchKeys.length > 0) return given === undefined || given.has('touched') ? 'enrolled' : undefined
      return given?.size === 1 && given.has('touched') ? 'needed' : undefined
    },
    wordOf: (key) => wordOf(readTouchKey(key, 'SW_USAGE')),
    enrol: async (key) => {
      await context.touchKeys.add(formatTouchKey(readTouchKey(key, 'SW_USAGE')))
      await endRequests(context, 'trust', [key])
    },
    unenrol: (key) => context.touchKeys.remove(key),
  }
}
