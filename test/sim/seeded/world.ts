// Loaded before the clock starts, because a module that the workshop loads at its first use takes real time.
import '../../../src/service/client.ts'
import { parseCredits } from '../../../src/credit/credits.ts'
import { createEmbeddedService, type EmbeddedCore } from '../../../src/embedded/core.ts'
import type {
  AskQuestion,
  EmbeddedAccount,
  EmbeddedOptions,
  HookedRequest,
  VerdictQuestion,
} from '../../../src/embedded/options/options.ts'
import type { Net } from '../../../src/host/net.ts'
import type { ServedResponse } from '../../../src/host/server.ts'
import { FaultDisk } from '../../kit/fault-disk.ts'
import { VirtualClock } from '../../kit/virtual-clock.ts'
import { api, assets } from '../world.ts'
import { seededChance } from './chance.ts'
import { Git } from './git.ts'
import { Machine } from './machine.ts'
import { serviceNet } from './net.ts'
import { Oracle } from './oracle.ts'
import type { Fate, Plan } from './plan.ts'
import { type Paid, paidOf, picture, quickMakers, type SpriteState, specText, spriteName } from './project.ts'

/**
 * How long the service remembers a key. It is shorter than the time that any service publishes, and a client
 * must still be correct.
 */
const retentionMs = 30 * 60_000

/** Limits with a short window, so that a world does not spend its time waiting. */
const limits = { windowMs: 2_000, post: 10, get: 40, download: 10, activeJobs: 2, streams: 4 }

/** A service, two machines, their shared disk and repository, and an oracle. */
export class SeededWorld {
  readonly plan: Plan
  readonly clock = new VirtualClock(1)
  readonly machines: readonly Machine[]
  readonly shared: FaultDisk | undefined
  readonly git = new Git()
  readonly oracle: Oracle
  readonly net: Net
  readonly service: EmbeddedCore
  /** The specs of each machine. */
  readonly specs: readonly SpriteState[][]
  /** Planned faults that happened. */
  injected = 0
  /** Decisions of people about submissions whose outcome is unknown. */
  decisions = 0
  /** How often a process ended with each code. */
  readonly seen = new Map<string, number>()
  /** Receives descriptions of events, for the analysis of a failure. */
  log: (text: string) => void = () => {}
  processes = 0
  #keys: string[] = []
  #priceVersion = 1

  private constructor(plan: Plan, service: EmbeddedCore, parts: { clock: VirtualClock; oracle: Oracle }) {
    this.plan = plan
    this.clock = parts.clock
    this.oracle = parts.oracle
    this.service = service
    this.net = serviceNet(service)
    this.shared = plan.hasShared ? new FaultDisk() : undefined
    const chance = seededChance(plan.seed)
    this.machines = Array.from({ length: plan.machines }, (_, index) => {
      const ports = {
        clock: this.clock,
        watch: this.oracle,
        shared: this.shared,
        chance: chance.fork(`machine ${index}`),
        hasLinks: plan.hasLinks,
      }
      const machine = new Machine(index as 0 | 1, firstKey, ports)
      machine.wallOffsetMs = index * 90_000
      machine.disk.put('/game/package.json', '{"name":"game"}')
      machine.disk.put('/game/sprites/picture.png', picture)
      machine.disk.put('/state/.keep', '')
      machine.disk.put('/tmp/.X0-lock', '')
      return machine
    })
    this.shared?.put('/shared/README', '')
    this.specs = this.machines.map(() =>
      plan.sprites.map(({ animations, reference }) => ({
        prompt: 1,
        frames: 7,
        take: 1,
        animations,
        reference: ['picture', 'chain', 'stills'].indexOf(reference),
      })),
    )
    for (const machine of this.machines)
      for (const [index, state] of (this.specs[machine.index] ?? []).entries()) this.writeSpec(machine, index, state)
    this.oracle.hide(firstKey)
    this.#keys.push(firstKey)
  }

  static async open(plan: Plan): Promise<SeededWorld> {
    const clock = new VirtualClock(1)
    const machines: Machine[] = []
    const world: { service?: EmbeddedCore } = {}
    const oracle = new Oracle(
      () => world.service as EmbeddedCore,
      () => machines,
    )
    const random = seededRandom(`${plan.seed} service`)
    const book = new FateBook(plan)
    const state = { priceVersion: 1, log: (_text: string): void => {} }
    const options: EmbeddedOptions = {
      accounts: [account([{ key: firstKey }])],
      limits,
      retentionMs,
      heartbeatMs: 3_600_000,
      verdict: (about) => book.verdict(about),
      ask: (about) => book.ask(about),
      makers: quickMakers({ next: () => book.next(), made: (sha256) => oracle.made(book.drawing, sha256) }),
      after: async (request, response) => {
        oracle.served(request, response)
        state.log(`${request.method} ${request.path} ${response.status}`)
        return withPriceVersion(request, response, state.priceVersion)
      },
    }
    world.service = await createEmbeddedService({ clock, disk: new FaultDisk(), random }, options, { api, assets })
    const made = new SeededWorld(plan, world.service, { clock, oracle })
    machines.push(...made.machines)
    made.#state = state
    state.log = (text) => made.log(text)
    return made
  }

  #state: { priceVersion: number; log: (text: string) => void } = { priceVersion: 1, log: () => {} }

  /** Ceiling over everything, if the plan has one. */
  get total(): bigint | undefined {
    return this.plan.budget === undefined ? undefined : parseCredits(this.plan.budget)
  }

  writeSpec(machine: Machine, index: number, state: SpriteState): void {
    const own = this.specs[machine.index] as SpriteState[]
    own[index] = state
    // Under standing ceilings, no question is asked: the configuration is the person's approval.
    if (this.plan.budget !== undefined) {
      for (const { hash } of this.paid(machine)) {
        this.oracle.grant(hash).buyers.add(String(machine.index))
        this.oracle.grant(hash).ceiling = 10_000_000n
      }
    }
    machine.disk.put(`/game/sprites/${spriteName(index)}.sprite.json`, specText(index, state))
  }

  /** Names of a machine's sprites. */
  spritesOf(machine: Machine): readonly string[] {
    return (this.specs[machine.index] ?? []).map((_, index) => spriteName(index))
  }

  /**
   * The requests of a machine's current specs.
   *
   * @param name Name of one sprite.
   * @default all
   */
  paid(machine: Machine, name?: string): readonly Paid[] {
    return (this.specs[machine.index] ?? []).flatMap((state, index) =>
      name === undefined || name === spriteName(index) ? paidOf(index, state) : [],
    )
  }

  changePrice(percent: number): void {
    // 40 cents at first; a credit has 25.
    this.service.setPricing({ first_tier_cents: Math.round((40 * percent) / 100) })
  }

  changePriceVersion(): void {
    this.#state.priceVersion = ++this.#priceVersion
  }

  async changeCapability(has: boolean): Promise<void> {
    await this.service.putAccount({
      ...account([]),
      operations: has ? ['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet'] : ['text_to_image'],
    })
  }

  /**
   * Gives one machine a new key. The others keep theirs, and the service refuses it from now on if it is
   * revoked.
   */
  async rotateKey(machine: Machine, revokes: boolean): Promise<void> {
    const key = `sw_test_rotated+/%=${this.#keys.length}&<canary>`
    this.#keys.push(key)
    this.oracle.hide(key)
    const old = revokes ? [{ key: machine.key, isRevoked: true }] : []
    await this.service.putAccount(account([{ key }, ...old]))
    for (const other of revokes ? this.machines.filter(({ key: known }) => known === machine.key) : [machine]) other.key = key
  }
}

/** A key with every letter that an encoding changes. */
const firstKey = 'sw_test_canary+/%=~&<first>"key"'

function account(keys: NonNullable<EmbeddedAccount['keys']>): EmbeddedAccount {
  return { name: 'studio', credits: '100000', keys }
}

/** The planned fates of the service's executions, in their order. */
class FateBook {
  readonly #fates: ReadonlyMap<number, Fate>
  readonly #numbers = new Map<string, number>()
  /** The execution that is being drawn. */
  drawing = ''

  constructor(plan: Plan) {
    this.#fates = new Map(plan.fates.map(({ execution, fate }) => [execution, fate]))
  }

  #of(id: string): Fate | undefined {
    const number = this.#numbers.get(id) ?? this.#numbers.size + 1
    this.#numbers.set(id, number)
    return this.#fates.get(number)
  }

  verdict({ executionId, stage, attempt }: VerdictQuestion): ReturnType<NonNullable<EmbeddedOptions['verdict']>> {
    const fate = this.#of(executionId)
    this.drawing = executionId
    if (fate?.fate !== 'fails' || fate.stage !== stage) return undefined
    // A retryable failure at admission leaves the execution queued, and the service tries it again.
    if (stage === 'admission' && fate.retryable && attempt > 3) return undefined
    return {
      reason: fate.retryable ? 'temporarily_unavailable' : 'generation_failed',
      message: 'It did not work.',
      retryable: fate.retryable,
    }
  }

  ask({ executionId, answers }: AskQuestion): ReturnType<NonNullable<EmbeddedOptions['ask']>> {
    const fate = this.#of(executionId)
    return fate?.fate === 'asks' && answers.length < (fate.asset ? 2 : 1)
      ? { text: 'Which way does it face?', requiresAsset: fate.asset }
      : undefined
  }

  next(): { readonly variant: number; readonly ms: number } {
    const fate = this.#of(this.drawing)
    return { variant: this.#numbers.get(this.drawing) ?? 0, ms: fate?.fate === 'takes' ? fate.ms : 600 }
  }
}

function seededRandom(name: string): { bytes(count: number): Uint8Array; uuid(): string; unit(): number } {
  const chance = seededChance(name)
  let next = 0
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => chance.whole(0, 255)),
    uuid: () => `${String(++next).padStart(8, '0')}-0000-4000-8000-000000000000`,
    unit: () => chance.unit(),
  }
}

/** The answer, changed so that the service prices by another version. */
function withPriceVersion(request: HookedRequest, response: ServedResponse, version: number): ServedResponse {
  if (version === 1 || !request.path.startsWith('/v1/sprite-pricing') || !(response.body instanceof Uint8Array)) return response
  const body = new TextEncoder().encode(new TextDecoder().decode(response.body).replace(/-v\d+"/, `-v${version}"`))
  return { ...response, headers: { ...response.headers, 'content-length': String(body.length) }, body }
}
