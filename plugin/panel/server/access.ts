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
  const words = hasToken(request.headers, token)
    ? 'This page only shows: it was not opened by an address of this server. Open the one that the terminal printed.'
    : 'This page only shows. To act, open the address with #token=… that the terminal printed when the server started.'
  if (isOvertaken) return { mayAct: false, mayBuy: false, words: overtakenWords }
  if (!hasToken(request.headers, token) || !isOwn) return { mayAct: false, mayBuy: false, words }
  if (isLoopback && mayBuy) return { mayAct: true, mayBuy: true, words: '' }
  return {
    mayAct: true,
    mayBuy: false,
    words: isLoopback
      ? 'Nothing may be bought here: CI, or build.generate is "never".'
      : 'This server can be reached from other machines (server.host), so nothing is bought from here. Approve in a terminal: npx spritewright approve',
  }
}
