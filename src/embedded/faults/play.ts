import type { Clock } from '../../host/clock.ts'
import type { Random } from '../../host/random.ts'
import type { ServedResponse } from '../../host/server.ts'
import { Refusal, toEnvelope } from '../http/http.ts'
import type { FaultDeed, FaultMatch, FaultPlan } from '../options/fault-plan.ts'
import type { HookedRequest } from '../options/options.ts'
import { reasonRules, reasons } from '../reasons.ts'
import { garble, rewriteJson } from './bodies.ts'
import { spoilFile } from './files.ts'
import { isStream, playStream } from './streams.ts'

/** Creates the play of a fault plan, with its counts, which last as long as the service runs. */
export function createFaultPlay({ rules }: FaultPlan, clock: Clock, random: Random) {
  const seen = rules.map(() => 0)
  return {
    /** The deed for a request, or undefined. Call it once for each request, because it counts. */
    deedFor: (request: HookedRequest): FaultDeed | undefined => {
      let deed: FaultDeed | undefined
      for (const [index, { when = {}, do: own }] of rules.entries()) {
        if (!matches(when, request)) continue
        const turn = ++seen[index]!
        const first = when.nth ?? 1
        if (turn >= first && turn < first + (when.times ?? Number.POSITIVE_INFINITY)) deed = { ...own, ...deed }
      }
      return deed
    },
    /** Waits, or answers before the service sees the request, if the deed says so. */
    before: async (deed: FaultDeed, request: HookedRequest): Promise<ServedResponse | undefined> => {
      if (deed.delayMs !== undefined) await clock.sleep(deed.delayMs, request.signal)
      if (deed.drop === 'before') return dropped
      return deed.status !== undefined && deed.moment !== 'after' ? refusal(deed, deed.status, random) : undefined
    },
    /** Changes the service's answer. */
    after: async (deed: FaultDeed, request: HookedRequest, response: ServedResponse): Promise<ServedResponse> => {
      if (deed.drop !== undefined) return { ...response, cutAfter: 0 }
      if (deed.status !== undefined) return deed.moment === 'after' ? refusal(deed, deed.status, random) : response
      let changed = isStream(response) ? playStream(deed, request, response) : rewriteJson(deed, await spoilFile(deed, response))
      if (deed.garbage === true) changed = garble(response)
      if (deed.cutBodyAt !== undefined) changed = { ...changed, cutAfter: deed.cutBodyAt }
      return changed
    },
  }
}

const dropped: ServedResponse = { status: 500, headers: {}, body: new Uint8Array(), cutAfter: 0 }

function matches({ number, origin, method, path }: FaultMatch, request: HookedRequest): boolean {
  if (number !== undefined && number !== request.number) return false
  if (origin !== undefined && origin !== request.origin) return false
  if (method !== undefined && method.toUpperCase() !== request.method) return false
  return path === undefined || toPattern(path).test(request.path.replace(/\?.*$/s, ''))
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's')
}

/** An error envelope in the form of the service, for any status. */
function refusal({ retryAfter }: FaultDeed, status: number, random: Random): ServedResponse {
  const usual = status === 400 ? reasonRules.invalid_request.status : status
  const reason = reasons.find((known) => reasonRules[known].status === usual) ?? 'temporarily_unavailable'
  const response = toEnvelope(new Refusal(reason, 'The plan of faults wants this.'), random.uuid())
  const wait: Readonly<Record<string, string>> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { ...response, status, headers: { ...response.headers, ...wait } }
}
