import { parseCredits } from '../../../src/credit/credits.ts'
import { defaultPricing, priceOf } from '../../../src/embedded/options/pricing.ts'
import { type SimulatedWorld, simulatedWorld } from '../world.ts'
import { LockHistory } from './lock.ts'
import { Machine } from './machine.ts'
import { countingMakers } from './results.ts'
import { retentionMs } from './table.ts'
import { Wire } from './wire.ts'

const account = { name: 'studio', credits: '1000000' }
const firstKey = 'sw_test_simulated'
const jobMs = 500

/** A charge of the service's ledger. */
export interface Charge {
  /** Key of the submission that led to it. */
  readonly key: string
  readonly credits: bigint
}

/** Two machines, a service, and the wire and lock files between them. */
export class ModelWorld {
  readonly sim: SimulatedWorld
  readonly machines: readonly [Machine, Machine]
  readonly wire: Wire
  readonly locks: LockHistory = new LockHistory()
  #keysMade = 1
  #priceSteps = 0

  private constructor(sim: SimulatedWorld) {
    this.sim = sim
    this.machines = [new Machine(sim, 'desk', firstKey), new Machine(sim, 'laptop', firstKey)]
    this.wire = new Wire(this.machines, () => this.now())
  }

  /** Makes a world in which nothing is approved or bought. */
  static async make(): Promise<ModelWorld> {
    const late: { wire?: Wire } = {}
    const sim = await simulatedWorld(jobMs, {
      accounts: [{ ...account, keys: [{ key: firstKey }] }],
      retentionMs,
      makers: countingMakers(jobMs),
      // The model does not cover the service's own limits.
      limits: { windowMs: 1_000, post: 10_000, get: 10_000, download: 10_000, activeJobs: 100 },
      before: async (request) => {
        late.wire?.hear(request)
        return undefined
      },
      after: async (request, response) => {
        late.wire?.note(request, response)
        return response
      },
    })
    const world = new ModelWorld(sim)
    late.wire = world.wire
    return world
  }

  now(): number {
    return this.sim.clock.wall()
  }

  async wait(ms: number): Promise<void> {
    await this.sim.clock.run(this.sim.clock.sleep(ms))
  }

  /** Raises the price of a sheet by 0.4 credits. */
  priceUp(): void {
    this.#priceSteps++
    this.sim.service.setPricing({ first_tier_cents: this.#firstTierCents() })
  }

  /** Price of a request today: a sheet of seven frames, or one picture. */
  price(isPicture: boolean): bigint {
    return isPicture ? parseCredits('1') : priceOf({ ...defaultPricing, first_tier_cents: this.#firstTierCents() }, 7, 'remove')
  }

  /** Gives all machines a new key and revokes the old one. */
  async rotateKey(): Promise<void> {
    const [before, after] = [this.machines[0].key, `${firstKey}_${++this.#keysMade}`]
    await this.sim.service.putAccount({ ...account, keys: [{ key: after }, { key: before, isRevoked: true }] })
    for (const machine of this.machines) machine.key = after
  }

  /** Charges of the service's ledger, by request. */
  charges(): ReadonlyMap<string, readonly Charge[]> {
    const found = new Map<string, Charge[]>()
    for (const { executionId, credits } of this.sim.service.charges()) {
      const { name, key } = this.wire.find(executionId) ?? { name: `execution ${executionId}`, key: '' }
      found.set(name, [...(found.get(name) ?? []), { key, credits }])
    }
    return found
  }

  #firstTierCents(): number {
    return defaultPricing.first_tier_cents + 10 * this.#priceSteps
  }
}
