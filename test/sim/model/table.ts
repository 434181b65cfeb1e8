/** The machine that may use an approval. */
export type Buyer = string
export const nobody: Buyer = 'nobody'

/**
 * How long an unanswered submission is replayed without asking, and how long the service remembers a key. In
 * milliseconds.
 */
export const windowMs: number = 10 * 60_000
export const retentionMs: number = 30 * 60_000

/** The two places of a machine's records and name: the project, and the user's state. */
export type Copy = 'first' | 'second'

/** When a submission may have been sent, under which API key, and after how many starts of the machine. */
export interface Doubt {
  readonly since: number
  readonly key: string
  readonly boot: number
}

/** The knowledge about one request on one machine. */
export interface Cell {
  /**
   * Buyers that the approval in this machine's lock file may name; contains `nobody` if there may be no
   * approval.
   */
  readonly approvals: Set<Buyer>
  /** The lowest ceiling that the approval may have. */
  lowest: bigint
  /** Whether a build of this machine said so, or the lock file brought it. */
  isDone: boolean
  /** Hash of the result in this machine's vault. */
  kept: string | undefined
  /** Set if a submission may have been sent and not answered. */
  doubt: Doubt | undefined
  /** Whether a person gave the request up and has not approved it since. */
  givenUp: 'no' | 'maybe' | 'yes'
  /** Whether the last report of this machine asked a person for a decision or an answer. */
  waits: 'no' | 'decision' | 'answer'
  /** Copies of the journal that were deleted since the request was last done. */
  readonly lost: Set<Copy>
}

/** One request. */
export interface Row {
  readonly name: string
  readonly isPicture: boolean
  readonly isAsking: boolean
  readonly cells: readonly [Cell, Cell]
  /** The highest ceiling that was ever approved. */
  highest: bigint
  /**
   * Most charges that may be made: one for the first approval, and one for each decision by which a person
   * accepted a second charge.
   */
  allowed: number
  /** How often a person gave up an attempt. Each time may lead to another key. */
  givenUpTimes: number
  /** The last buyer that an approval named, and all of them. */
  lastBuyer: Buyer
  readonly buyers: Set<Buyer>
  /** Two machines, or one that has forgotten, may have sent different bytes under one key. */
  isForked: boolean
  /** Whether its question may have been answered. */
  isAnswered: boolean
}

/** The knowledge of the model: a row for each request, a cell for each machine. */
export class Table {
  readonly #rows = new Map<string, Row>()
  /**
   * The name of each machine as approvals name their buyer. A machine gets another one if its name is gone
   * from both places.
   */
  readonly identities: [Buyer, Buyer] = ['desk', 'laptop']
  /** Places from which the name of each machine may be gone. */
  readonly namesLost: readonly [Set<Copy>, Set<Copy>] = [new Set(), new Set()]
  #renamed = 0

  row(name: string, kind: Pick<Row, 'isPicture' | 'isAsking'> = { isPicture: false, isAsking: false }): Row {
    const found = this.#rows.get(name) ?? newRow(name, kind)
    this.#rows.set(name, found)
    return found
  }

  rows(): readonly Row[] {
    return [...this.#rows.values()]
  }

  /**
   * A machine's name was deleted from one place.
   *
   * @param isSure Whether the other place has certainly lost the name too, if it has.
   */
  loseName(machine: 0 | 1, copy: Copy, isSure: boolean): void {
    const lost = this.namesLost[machine]
    lost.add(copy)
    if (lost.size < 2) return
    lost.clear()
    const before = this.identities[machine]
    const after = `${before.split('/')[0]}/${++this.#renamed}`
    this.identities[machine] = after
    if (!isSure) for (const { cells } of this.rows()) for (const cell of cells) if (cell.approvals.has(before)) cell.approvals.add(after)
  }

  /**
   * A copy of a machine's records was deleted.
   *
   * @returns Whether an unfinished request has lost both copies. Then the person has accepted a second
   * charge.
   */
  loseRecords(machine: 0 | 1, copy: Copy): boolean {
    let isForgotten = false
    for (const row of this.rows()) {
      const cell = row.cells[machine]
      cell.waits = 'no'
      if (cell.isDone) continue
      cell.lost.add(copy)
      if (cell.lost.size < 2) continue
      cell.lost.clear()
      // Its journal may have forgotten the approval, which then counts like one of another checkout.
      const own = this.identities[machine]
      if (cell.approvals.has(own)) cell.approvals.add(`${own}/forgotten`)
      if (cell.givenUp === 'yes') cell.givenUp = 'maybe'
      row.allowed++
      row.isForked = true
      isForgotten = true
    }
    return isForgotten
  }

  /** A person gave up an attempt. It may have been charged, and the next one may be charged too. */
  giveUp(row: Row, machine: 0 | 1, isSure: 'maybe' | 'yes'): void {
    row.allowed++
    row.givenUpTimes++
    row.cells[machine].givenUp = isSure
  }

  /**
   * A person allowed a replay, which holds for a window. If it may outlast the service's memory, the person
   * has accepted a second charge.
   *
   * @param firstAt When the service first heard of the request.
   */
  allowReplay(row: Row, machine: 0 | 1, start: Doubt, firstAt: number): void {
    row.cells[machine].doubt ??= start
    if (firstAt + retentionMs <= start.since + windowMs + 60_000) row.allowed++
  }

  /** A machine's entry of a request has come to the other one. */
  carry({ cells, isForked }: Row, from: 0 | 1, to: 0 | 1): void {
    const [source, target] = [cells[from], cells[to]]
    target.approvals.clear()
    for (const buyer of source.approvals) target.approvals.add(buyer)
    target.lowest = source.lowest
    // A machine that has sent a submission of its own follows that to its end first.
    target.isDone ||= source.isDone && !isForked
    // A purchase of another machine takes precedence over an attempt that was given up here.
    if (target.givenUp === 'yes') target.givenUp = 'maybe'
    target.waits = 'no'
  }
}

function newRow(name: string, kind: Pick<Row, 'isPicture' | 'isAsking'>): Row {
  return {
    ...kind,
    name,
    cells: [newCell(), newCell()],
    highest: 0n,
    allowed: 0,
    givenUpTimes: 0,
    lastBuyer: nobody,
    buyers: new Set(),
    isForked: false,
    isAnswered: false,
  }
}

function newCell(): Cell {
  return {
    approvals: new Set([nobody]),
    lowest: 0n,
    isDone: false,
    kept: undefined,
    doubt: undefined,
    givenUp: 'no',
    waits: 'no',
    lost: new Set(),
  }
}

/** Facts besides the table on which the outcome of a build may depend. */
export interface Moment {
  readonly machine: 0 | 1
  readonly now: number
  readonly price: bigint
  readonly key: string
  /** How often the machine has been started anew. */
  readonly boot: number
  /** Whether the service has received any POST of the request. */
  readonly isHeard: boolean
  /** Whether nothing new may be sent. */
  readonly isFrozen: boolean
}

/** The reports that a build may make about a request: `done`, or the codes of refusals. */
export function permitted(table: Table, row: Row, { machine, now, price, key, boot, isHeard, isFrozen }: Moment): ReadonlySet<string> {
  const cell = row.cells[machine]
  if (cell.isDone) return new Set(['done'])
  const codes = new Set<string>()
  const own = table.identities[machine]
  const mayBuy = cell.approvals.has(own) && (cell.givenUp !== 'yes' || row.isForked)
  if (isFrozen) codes.add('SW_MISSING')
  else if (cell.approvals.has(nobody)) codes.add('SW_APPROVAL')
  if ([...cell.approvals].some((buyer) => buyer !== own && buyer !== nobody)) codes.add('SW_BUYER')
  if (cell.givenUp !== 'no') codes.add('SW_APPROVAL')
  if (price > cell.lowest && cell.approvals.has(own)) codes.add('SW_CEILING')
  const canBeDone = isHeard || (mayBuy && price <= row.highest && !isFrozen)
  if (canBeDone && (!row.isAsking || row.isAnswered) && (mayBuy || cell.givenUp !== 'yes')) codes.add('done')
  if (row.isAsking) codes.add('SW_QUESTION')
  if (row.isForked) codes.add('SW_CONFLICT')
  // A replay that is refused for its price proves nothing about the first submission.
  const isDear = price > cell.lowest
  if (cell.doubt && (isDear || cell.doubt.boot !== boot || cell.doubt.key !== key || now - cell.doubt.since > windowMs))
    codes.add('SW_UNCERTAIN')
  return codes
}

/** Records that a request was approved, or may have been. */
export function noteApproval(row: Row, machine: 0 | 1, buyer: Buyer, ceiling: bigint, isSure: boolean): void {
  const cell = row.cells[machine]
  if (isSure) cell.approvals.clear()
  cell.approvals.add(buyer)
  cell.lowest = isSure || cell.lowest === 0n || ceiling < cell.lowest ? ceiling : cell.lowest
  if (row.highest < ceiling) row.highest = ceiling
  cell.givenUp = isSure || cell.givenUp === 'no' ? 'no' : 'maybe'
  // There is another buyer besides the previous one. The person accepted that the previous buyer may have
  // bought it too.
  if (row.lastBuyer !== buyer) row.allowed++
  row.lastBuyer = buyer
  row.buyers.add(buyer)
  if (row.buyers.size > 1) row.isForked = true
  cell.waits = 'no'
}
