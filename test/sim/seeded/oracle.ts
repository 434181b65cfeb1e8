import { createHash } from 'node:crypto'
import { type Credits, formatCredits, parseCredits } from '../../../src/credit/credits.ts'
import type { EmbeddedCore } from '../../../src/embedded/core.ts'
import type { NetRequest } from '../../../src/host/net.ts'
import type { ServedRequest, ServedResponse } from '../../../src/host/server.ts'
import type { DiskCall } from '../../kit/fault-disk.ts'
import { api } from '../world.ts'
import { readChains, type SeenChain } from './journals.ts'
import { type Machine, sharedFolder } from './machine.ts'
import { kindOf } from './net.ts'

/** A broken promise. */
export class Violation extends Error {
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`)
    this.invariant = invariant
  }
}

/** The decisions of people about one request. */
interface Grant {
  /** Checkouts that a person named as buyer. Each allows one charge. */
  readonly buyers: Set<string>
  /** How often a person was asked about a submission with an unknown outcome, and answered. */
  asked: number
  /** Charges that a person may have caused by deleting both copies of a journal. */
  losses: number
  ceiling: Credits
}

/** Paths under which spritewright may write. */
const ownPlaces = [
  '/game/.spritewright/submissions',
  '/game/.spritewright/results',
  '/game/.spritewright/quarantine',
  '/game/.spritewright/uploads',
  '/game/.spritewright/budget',
  '/game/.spritewright/ledger.jsonl',
  '/game/.spritewright/checkout.json',
  '/game/sprites.lock.json',
  '/game/node_modules/.cache/spritewright',
  '/state',
  '/tmp/spritewright',
  sharedFolder,
]

/** Watches a world, knows the truth from the service's own books, and reports a broken promise. */
export class Oracle {
  readonly #service: () => EmbeddedCore
  readonly #machines: () => readonly Machine[]
  readonly #grants = new Map<string, Grant>()
  /** Request hash by execution, and by conversation. */
  readonly #hashOf = new Map<string, string>()
  readonly #hashOfConversation = new Map<string, string>()
  readonly #shaOf = new Map<string, string>()
  readonly #bodies = new Map<string, string>()
  readonly #sent = new Map<string, number>()
  readonly #secrets: Buffer[] = []
  /**
   * The first broken promise. Ports cannot throw it, because their callers may take it for a failing disk.
   */
  violation: Violation | undefined
  posts = 0
  /** Requests that left a machine. */
  requestsSeen = 0

  constructor(service: () => EmbeddedCore, machines: () => readonly Machine[]) {
    this.#service = service
    this.#machines = machines
  }

  /** I7: from now on, this key must not appear anywhere. */
  hide(key: string): void {
    const base64 = [0, 1, 2].map((shift) =>
      Buffer.from(`${'x'.repeat(shift)}${key}`)
        .toString('base64')
        .slice(shift === 0 ? 0 : 4, -4),
    )
    for (const text of [key, encodeURIComponent(key), ...base64]) this.#secrets.push(Buffer.from(text))
  }

  grant(hash: string): Grant {
    let grant = this.#grants.get(hash)
    if (!grant) {
      grant = { buyers: new Set(), asked: 0, losses: 0, ceiling: 0n }
      this.#grants.set(hash, grant)
    }
    return grant
  }

  check(invariant: string, isKept: boolean, message: () => string): void {
    if (!isKept) this.violation ??= new Violation(invariant, message())
  }

  /** Records an error of the oracle itself, because a caller of the port would take it for a failing port. */
  #look(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.violation ??= new Violation('oracle', String((error as Error).stack))
    }
  }

  /** Checks I7 and I8: what is written, and where. */
  changes(machine: Machine, call: DiskCall, path: string, bytes: Uint8Array | undefined): void {
    const isFolder = call === 'makeFolder' || call === 'syncFolder'
    const isOurs = ownPlaces.some((place) => path.startsWith(place) || (isFolder && place.startsWith(path)))
    this.check('I8', isOurs, () => `machine ${machine.index} does ${call} at ${path}`)
    if (bytes) this.#search(bytes, () => path)
  }

  /** Checks I7 in a text for people. */
  says(text: string): void {
    this.#search(Buffer.from(text), () => `words to people: ${text.slice(0, 200)}`)
  }

  #search(bytes: Uint8Array, where: () => string): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (const secret of this.#secrets) if (buffer.includes(secret)) this.check('I7', false, () => `the key is in ${where()}`)
  }

  /** Checks I2, I5, I6 and I7 in a request before it leaves a machine. */
  requests(machine: Machine, request: NetRequest): void {
    this.requestsSeen++
    const headers = Object.entries(request.headers)
    const open = headers.filter(([name]) => name.toLowerCase() !== 'authorization' || !request.url.startsWith(api))
    this.#search(Buffer.from(JSON.stringify([request.url, open])), () => `a request to ${request.url}`)
    if (request.body) this.#search(request.body, () => `the body of a request to ${request.url}`)
    const kind = kindOf(request)
    if (kind !== 'submit' && kind !== 'answer') return
    this.posts++
    const key = headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1] ?? ''
    this.#look(() => this.#checkPost(machine, kind, key, request.body ?? new Uint8Array()))
  }

  #checkPost(machine: Machine, kind: 'submit' | 'answer', key: string, body: Uint8Array): void {
    const who = `machine ${machine.index}, key ${key.slice(0, 20)}`
    // Another machine may send a key with other bytes. That is a conflict at the service, not a second
    // charge.
    const scope = `${machine.index} ${machine.epoch} ${key}`
    const sha = createHash('sha256').update(body).digest('hex')
    const before = this.#bodies.get(scope)
    this.check('I5', before === undefined || before === sha, () => `${who} goes out with other bytes`)
    this.#bodies.set(scope, sha)
    const count = (this.#sent.get(scope) ?? 0) + 1
    this.#sent.set(scope, count)
    const intent = readChains(machine, 'durable').find(({ keys }) => keys.has(key))
    const sends = intent?.keys.get(key) ?? 0
    this.check('I6', sends >= count, () => `${who} is sent for the ${count}. time, ${sends} durable records say so`)
    if (!intent) return
    this.#hashOfKey.set(key, intent.hash)
    if (kind === 'answer') return
    const { max_credits: maximum } = JSON.parse(new TextDecoder().decode(body)) as { max_credits?: string }
    const { ceiling } = this.grant(intent.hash)
    this.check(
      'I2',
      maximum === undefined || parseCredits(maximum) <= ceiling,
      () => `${who} asks for ${maximum}, approved are ${formatCredits(ceiling)}`,
    )
  }

  readonly #hashOfKey = new Map<string, string>()

  /** Handles an answer of the service, whether or not it arrives. */
  served(request: ServedRequest, response: ServedResponse): void {
    if (request.method !== 'POST' || response.status !== 202 || !(response.body instanceof Uint8Array)) return
    this.#look(() => this.#learn(request, JSON.parse(new TextDecoder().decode(response.body as Uint8Array))))
  }

  #learn(request: ServedRequest, body: { execution_id: string; conversation_id: string }): void {
    const { execution_id: id, conversation_id: conversation } = body
    const hash = this.#hashOfKey.get(request.headers['idempotency-key'] ?? '') ?? this.#hashOfConversation.get(conversation)
    if (hash === undefined) return
    this.#hashOf.set(id, hash)
    this.#hashOfConversation.set(conversation, hash)
  }

  /** Handles a result that the service has made. */
  made(executionId: string, sha256: string): void {
    this.#shaOf.set(executionId, sha256)
  }

  /**
   * Checks I1 and I3: the charges against the approvals and decisions of people.
   *
   * @param total Ceiling over everything, if there is one.
   */
  checkMoney(total: Credits | undefined): void {
    const counts = new Map<string, number>()
    const charges = this.#service().charges()
    for (const { executionId, credits } of charges) {
      const hash = this.#hashOf.get(executionId)
      this.check('I6', hash !== undefined, () => `execution ${executionId} was charged, and no record knows its request`)
      if (hash === undefined) continue
      counts.set(hash, (counts.get(hash) ?? 0) + 1)
      const { ceiling } = this.grant(hash)
      this.check(
        'I1',
        credits <= ceiling,
        () => `${hash.slice(0, 8)} was charged ${formatCredits(credits)}, approved are ${formatCredits(ceiling)}`,
      )
    }
    for (const [hash, count] of counts) {
      const { buyers, losses, asked } = this.grant(hash)
      if (count <= Math.min(1, buyers.size)) continue
      const decisions = this.#chainsOf(hash).reduce((sum, chain) => sum + chain.decisions, 0)
      this.check('I1', decisions <= asked, () => `${hash.slice(0, 8)} has ${decisions} decisions of people, who were asked ${asked} times`)
      const allowed = buyers.size + decisions + losses
      this.check(
        'I1',
        count <= allowed,
        () =>
          `${hash.slice(0, 8)} was charged ${count} times; ${buyers.size} buyers, ${decisions} decisions and ${losses} lost journals allow ${allowed}`,
      )
    }
    if (total === undefined) return
    const sum = [...charges, ...this.#service().holds()].reduce((all, { credits }) => all + credits, 0n)
    this.check('I3', sum <= total, () => `${formatCredits(sum)} are settled or held, the total ceiling is ${formatCredits(total)}`)
  }

  #chainsOf(hash: string): SeenChain[] {
    return this.#machines().flatMap((machine) => readChains(machine, 'current').filter((chain) => chain.hash === hash))
  }

  /** Handles that a person is about to delete both copies of a machine's journal. */
  loses(machine: Machine): void {
    for (const chain of readChains(machine, 'current')) if (chain.keys.size > 0) this.grant(chain.hash).losses += 1 + chain.decisions
    machine.epoch++
  }

  /** Checks I4: every delivered result is kept, or a record leads to it. */
  checkKept(): void {
    for (const { executionId } of this.#service().charges()) {
      const hash = this.#hashOf.get(executionId)
      const sha = this.#shaOf.get(executionId)
      if (hash === undefined || sha === undefined || this.grant(hash).losses > 0) continue
      if (this.#machines().some((machine) => isKept(machine, sha) || isInLock(machine, executionId))) continue
      const chains = this.#chainsOf(hash)
      const isKnown = chains.some((chain) => chain.executions.has(executionId) || chain.isOpen || chain.isUncertain || chain.decisions > 0)
      this.check(
        'I4',
        isKnown,
        () => `the result of execution ${executionId} (${hash.slice(0, 8)}) is in no vault, and no record leads to it`,
      )
    }
  }

  /** Charges beyond one for each request, which decisions of people allowed. */
  get extraCharges(): number {
    const counts = new Map<string, number>()
    for (const { executionId } of this.#service().charges()) {
      const hash = this.#hashOf.get(executionId) ?? ''
      counts.set(hash, (counts.get(hash) ?? 0) + 1)
    }
    return [...counts.values()].reduce((sum, count) => sum + count - 1, 0)
  }

  /** Whether a machine has the whole result of a request. */
  holds(machine: Machine, hash: string): boolean {
    return [...this.#hashOf].some(([executionId, own]) => own === hash && isKept(machine, this.#shaOf.get(executionId) ?? '-'))
  }
}

function isKept(machine: Machine, sha: string): boolean {
  for (const ending of ['zip', 'png']) {
    for (const folder of ['/game/.spritewright/results', sharedFolder])
      if (machine.diskOf(folder).peek(`${folder}/${sha}.${ending}`)) return true
  }
  // Places of rescued results.
  return ['/state/results', '/tmp/spritewright'].some((place) => machine.disk.paths(place).some((path) => path.includes(sha)))
}

function isInLock(machine: Machine, executionId: string): boolean {
  const lock = machine.disk.peek('/game/sprites.lock.json')
  return lock !== undefined && Buffer.from(lock.buffer, lock.byteOffset, lock.byteLength).includes(executionId)
}
