import { type GuardedRequest, hasToken, ownAddress } from '../../http/guard.ts'
import type { PanelAccess } from '../../protocol/protocol.ts'
import { overtakenWords, type PanelOrigin } from './origin.ts'

/**
 * Returns what the requesting page may do, and why no more.
 *
 * @param mayBuy Whether purchases are allowed in this project.
 */
export function accessOf({ listening, token, isOvertaken }: PanelOrigin, request: GuardedRequest, mayBuy: boolean): PanelAccess {
  const { origins, isLoopback } = ownAddress(listening)
  const { host, ':authority': authority = host } = request.headers
  const isOwn = [...origins].some((origin) => new URL(origin).host === authority)
  if (isOvertaken) return { mayAct: false, mayBuy: false, words: overtakenWords }
  if (!hasToken(request.headers, token))
    return {
      mayAct: false,
      mayBuy: false,
      words: 'This page only shows. To act, open the address with #token=… that the terminal printed when the server started.',
    }
  if (!isOwn)
    return {
      mayAct: false,
      mayBuy: false,
      words: 'This page only shows: it was not opened by an address of this server. Open the one that the terminal printed.',
    }
  if (!isLoopback)
    return {
      mayAct: true,
      mayBuy: false,
      words:
        'This server can be reached from other machines (server.host), so nothing is bought from here. Approve in a terminal: npx spritewright approve',
    }
  if (!mayBuy) return { mayAct: true, mayBuy: false, words: 'Nothing may be bought here: CI, or build.generate is "never".' }
  return { mayAct: true, mayBuy: true, words: '' }
}
