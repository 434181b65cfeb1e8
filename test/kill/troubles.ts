import type { HookedRequest } from '../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { S3Asked, S3Fault } from '../kit/s3-double.ts'
import { isExecute } from './posts.ts'

/** Points of a purchase at which a worker dies, in their order. */
export const moments = [
  'a submission is recorded and has not arrived',
  'a submission has arrived and is not answered',
  'a job runs',
  'a result waits at the service',
  'a result is here and not in the bucket',
  'a result is in the bucket, and the bucket has not said so',
] as const
export type Moment = (typeof moments)[number]

/** Something that happens once, as soon as enough has been bought. */
interface Planned {
  /** Number of requests that were submitted before. */
  readonly after: number
}
export interface PlannedKill extends Planned {
  readonly moment: Moment
  readonly who: 'active' | 'standby'
}
export interface PlannedOutage extends Planned {
  readonly begin: () => Promise<void>
}

/** What happens to the workers and servers of a studio. */
export interface Troubles {
  before(request: HookedRequest): Promise<ServedResponse | undefined>
  after(request: HookedRequest, response: ServedResponse): Promise<ServedResponse>
  /** For each request to the bucket. */
  fault(asked: S3Asked): S3Fault | undefined
  /** Kills and outages that were planned and have not happened. */
  left(): number
  /** Waits for the ends of the outages. */
  settled(): Promise<void>
}

/** An answer that nobody gets. */
const dropped: ServedResponse = { status: 500, headers: {}, body: new Uint8Array(), cutAfter: 0 }
/** The probe of a bucket is smaller than any result. */
const smallestResult = 200

/**
 * Plays kills and outages, each list in its order. A moment counts requests and no time, so each happens at the same
 * point of some purchase in every run.
 *
 * @param kill Kills a worker, if there is such a one.
 */
export function planTroubles(
  kills: readonly PlannedKill[],
  outages: readonly PlannedOutage[],
  kill: (who: PlannedKill['who']) => boolean,
): Troubles {
  const [killing, breaking] = [[...kills], [...outages]]
  const submitted = new Set<string>()
  const broken: Promise<void>[] = []
  /** Whether the active worker dies now. */
  const strike = (moment: Moment): boolean => {
    const [next] = killing
    if (next?.moment !== moment || submitted.size < next.after || !kill(next.who)) return false
    killing.shift()
    return next.who === 'active'
  }
  return {
    before: async (request) => {
      if (isExecute(request)) {
        submitted.add(request.headers['idempotency-key'] ?? '')
        return strike('a submission is recorded and has not arrived') ? dropped : undefined
      }
      return request.path.includes('/asset') && strike('a result waits at the service') ? dropped : undefined
    },
    after: async (request, response) => {
      const [next] = breaking
      if (next && submitted.size >= next.after) {
        breaking.shift()
        broken.push(next.begin())
      }
      if (isExecute(request) && strike('a submission has arrived and is not answered')) return dropped
      const isProgress = request.method === 'GET' && request.path.startsWith('/v1/executions/')
      return isProgress && strike('a job runs') ? dropped : response
    },
    fault: ({ method, headers }) => {
      if (method !== 'PUT' || Number(headers['content-length']) < smallestResult) return undefined
      if (strike('a result is here and not in the bucket')) return { answer: 'cut' }
      return strike('a result is in the bucket, and the bucket has not said so') ? { lands: true, answer: 'cut' } : undefined
    },
    left: () => killing.length + breaking.length,
    settled: async () => void (await Promise.all(broken)),
  }
}
