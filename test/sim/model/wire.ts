import { parseCredits } from '../../../src/credit/credits.ts'
import type { HookedRequest } from '../../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../../src/host/server.ts'
import { sha256 } from '../../../src/host/sha256.ts'
import { entriesOf, nameOf, readLock } from './lock.ts'
import type { Machine } from './machine.ts'

/** Everything that the service has received for one request. */
export interface Seen {
  /** POSTs of its submission, and when the first arrived. */
  posts: number
  firstAt: number
  /** Executions by id, each with the key under which it was started. */
  readonly executions: Map<string, string>
}

/** Watches every POST, and finds its request by the key, which the sender's lock file names. */
export class Wire {
  /** Forbidden events that were seen. */
  readonly violations: string[] = []
  /** Called with the maximum of each submission before the service receives it. */
  onMaximum: (name: string, maximum: bigint) => void = () => {}
  readonly #machines: readonly Machine[]
  readonly #now: () => number
  readonly #seen = new Map<string, Seen>()
  /** Names of requests, by key and by conversation. */
  readonly #keys = new Map<string, string>()
  readonly #conversations = new Map<string, string>()
  /** SHA-256 of the body that a machine sent under a key. */
  readonly #bodies = new Map<string, string>()
  readonly #forgotten = new Map<string, number>()

  constructor(machines: readonly Machine[], now: () => number) {
    this.#machines = machines
    this.#now = now
  }

  seen(name: string): Seen {
    const found = this.#seen.get(name) ?? { posts: 0, firstAt: Number.POSITIVE_INFINITY, executions: new Map() }
    this.#seen.set(name, found)
    return found
  }

  /** The request and the key for which an execution was started. */
  find(executionId: string): { readonly name: string; readonly key: string } | undefined {
    for (const [name, { executions }] of this.#seen) {
      const key = executions.get(executionId)
      if (key !== undefined) return { name, key }
    }
    return undefined
  }

  /** Both copies of a machine's journal are gone. From now on, it sends without any knowledge of the past. */
  forget(machine: Machine): void {
    this.#forgotten.set(machine.name, (this.#forgotten.get(machine.name) ?? 0) + 1)
  }

  /** Handles a POST on its way to the service. */
  hear(request: HookedRequest): void {
    if (request.method !== 'POST' || request.path !== '/v1/execute') return
    const key = request.headers['idempotency-key'] ?? ''
    const machine = this.#machines.find(({ name }) => name === request.headers['x-machine']) as Machine
    for (const { entry } of entriesOf(readLock(machine))) if (entry.submission) this.#keys.set(entry.submission.key, nameOf(entry.asked))
    const name = this.#keys.get(key)
    if (name === undefined) return void this.violations.push(`${machine.name} submitted under the key ${key}, which no lock file had`)
    const place = `${machine.name} ${this.#forgotten.get(machine.name) ?? 0} ${key}`
    const body = sha256(request.body)
    if ((this.#bodies.get(place) ?? body) !== body) this.violations.push(`${machine.name} sent other bytes under the key of "${name}" (I5)`)
    this.#bodies.set(place, body)
    const seen = this.seen(name)
    seen.posts++
    seen.firstAt = Math.min(seen.firstAt, this.#now())
    const maximum = (JSON.parse(new TextDecoder().decode(request.body)) as { max_credits?: string }).max_credits
    if (maximum !== undefined) this.onMaximum(name, parseCredits(maximum))
  }

  /**
   * Handles the answer to a POST, which shows the request of an execution. An answer to a question continues
   * the same conversation.
   */
  note(request: HookedRequest, response: ServedResponse): void {
    if (request.method !== 'POST' || response.status >= 300 || !(response.body instanceof Uint8Array)) return
    const conversation = /^\/v1\/conversations\/([^/]+)\/answers$/.exec(request.path)?.[1]
    if (request.path !== '/v1/execute' && conversation === undefined) return
    const key = request.headers['idempotency-key'] ?? ''
    const said = JSON.parse(new TextDecoder().decode(response.body)) as { execution_id: string; conversation_id: string }
    const name = conversation === undefined ? this.#keys.get(key) : this.#conversations.get(conversation)
    if (name === undefined) return
    const { executions } = this.seen(name)
    if (executions.has(said.execution_id)) return
    executions.set(said.execution_id, conversation === undefined ? key : ([...executions.values()].at(-1) ?? key))
    this.#conversations.set(said.conversation_id, name)
  }
}
