import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { readRoute } from '../../project/session.ts'
import { fingerprintOfKey, type KeyRoute, type TrustedHost, toOrigin } from '../../project/trust/hosts.ts'
import { endRequests } from '../end-requests.ts'

/** Manages which address may receive the API key. No service is asked. */
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
  }
}
