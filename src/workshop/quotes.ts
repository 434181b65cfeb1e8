import type { PlanItem } from '../build/plan.ts'
import type { Estimate } from '../service/wire.ts'
import type { Session } from './session.ts'

/** Fresh estimates of one command, each distinct one asked for once: frames and background make a price. */
export interface Quotes {
  of(item: PlanItem): Promise<Estimate>
}

/** Asks the service as prices are wanted. Nothing is kept beyond the command, and nothing on disk. */
export function askQuotes(session: Session, signal?: AbortSignal): Quotes {
  const asked = new Map<string, Promise<Estimate>>()
  return {
    of: (item) => {
      const { frames, background } = item.request
      const key = `${frames} ${background}`
      const other = asked.get(key)
      if (other) return other
      const estimate = session.client.estimate(frames, background, signal)
      asked.set(key, estimate)
      return estimate
    },
  }
}
