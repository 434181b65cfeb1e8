/** Who may spend an approval. */
export type Buyer = string
export const nobody: Buyer = 'nobody'

/** How long an unanswered submission is repeated without asking, and how long the service remembers a key, milliseconds. */
export const windowMs: number = 10 * 60_000
export const retentionMs: number = 30 * 60_000

/** Where a machine keeps its records and its name: the project, and the user's state. */
export type Copy = 'first' | 'second'

/** When something may have been sent, under which API key, and after how many starts of the machine. */
export interface Doubt {
  readonly since: number
  readonly key: string
  readonly boot: number
}

/** What is known of one request on one machine. */
export interface Cell {
  /** Buyers that the approval in this machine's lock file may name, `nobody` where there may be none. */
  readonly approvals: Set<Buyer>
  /** The lowest ceiling that may stand there. */
  lowest: bigint
  /** A build of this machine said so, or it came with the lock file. */
  isDone: boolean
  /** Its result lies in the vault of this machine, under this hash. */
  kept: string | undefined
  /** Something may have been sent and not been answered. */
  doubt: Doubt | undefined
  /** A person gave it up and has not approved it since. */
  givenUp: 'no' | 'maybe' | 'yes'
  /** The last thing that this machine said of it is that a person must decide, or answer. */
  waits: 'no' | 'decision' | 'answer'
  /** Copies of the journal that were deleted since it was last done. */
  readonly lost: Set<Copy>
}

/** One request. */
export interface Row {
  readonly name: string
  readonly isPicture: boolean
  readonly isAsking: boolean
  readonly cells: readonly [Cell, Cell]
  /** The highest ceiling that anybody gave it. */
  highest: bigint
  /** Charges that may be made at most: one for its first approval, and one for each decision by which a person took a second one upon himself. */
  allowed: number
  /** How often a person gave an attempt up: each may lead to another key. */
  givenUpTimes: number
  /** Whoever was named as its buyer last, and everybody who ever was. */
  lastBuyer: Buyer
  readonly buyers: Set<Buyer>
  /** Two machines, or one that has forgotten, may have sent different bytes under one key. */
  isForked: boolean
  /** Somebody may have answered its question. */
  isAnswered: boolean
}

/** What the model knows: a row for each request, a cell for each machine. */
export class Table {
  readonly #rows = new Map<string, Row>()
  /** Who each machine is, as approvals name their buyer; another one once its name is gone from both its places. */
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

  /** A machine's name was deleted from one place. @param isSure Whether the other place is known to have lost it, too, where it has. */
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

  /** A copy of a machine's records was deleted. @returns Whether anything unfinished has lost both: then a person took a second charge upon himself. */
  loseRecords(machine: 0 | 1, copy: Copy): boolean {
    let isForgotten = false
    for (const row of this.rows()) {
      const cell = row.cells[machine]
      cell.waits = 'no'
      if (cell.isDone) continue
      cell.lost.add(copy)
      if (cell.lost.size < 2) continue
      cell.lost.clear()
      if (cell.givenUp === 'yes') cell.givenUp = 'maybe'
      row.allowed++
      row.isForked = true
      isForgotten = true
    }
    return isForgotten
  }

  /** A person gave an attempt up: it may have been charged, and the next one may be, too. */
  giveUp(row: Row, machine: 0 | 1, isSure: 'maybe' | 'yes'): void {
    row.allowed++
    row.givenUpTimes++
    row.cells[machine].givenUp = isSure
  }

  /** A person's word to send again holds for a window; where it may outlast the service's memory, he took a second charge upon himself. @param firstAt When the service first heard of it. */
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
    // A machine that has sent something of its own follows that to its end first.
    target.isDone ||= source.isDone && !isForked
    // What another machine has bought stands above what was given up here.
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

/** What the outcome of a build may depend on, beside the table. */
export interface Moment {
  readonly machine: 0 | 1
  readonly now: number
  readonly price: bigint
  readonly key: string
  /** How often the machine has been started anew. */
  readonly boot: number
  /** Whether the service has heard of it at all. */
  readonly isHeard: boolean
  /** Nothing new may be sent. */
  readonly isFrozen: boolean
}

/** What a build may say of a request: `done`, or the codes of refusals. */
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
  // A repetition that is refused for its price proves nothing about the first.
  const isDear = price > cell.lowest
  if (cell.doubt && (isDear || cell.doubt.boot !== boot || cell.doubt.key !== key || now - cell.doubt.since > windowMs))
    codes.add('SW_UNCERTAIN')
  return codes
}

/** Somebody approved a request, or may have. */
export function noteApproval(row: Row, machine: 0 | 1, buyer: Buyer, ceiling: bigint, isSure: boolean): void {
  const cell = row.cells[machine]
  if (isSure) cell.approvals.clear()
  cell.approvals.add(buyer)
  cell.lowest = isSure || cell.lowest === 0n || ceiling < cell.lowest ? ceiling : cell.lowest
  if (row.highest < ceiling) row.highest = ceiling
  cell.givenUp = isSure || cell.givenUp === 'no' ? 'no' : 'maybe'
  // Another buyer beside the one before: a person took it upon himself that it is not bought there.
  if (row.lastBuyer !== buyer) row.allowed++
  row.lastBuyer = buyer
  row.buyers.add(buyer)
  if (row.buyers.size > 1) row.isForked = true
  cell.waits = 'no'
}
