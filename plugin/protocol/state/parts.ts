import type { BuiltPage, BuiltSheets, JobProgress, LedgerReport, Overview, PersonRequest, PriceList } from '../../../src/index.ts'
import type { BuyerFailure } from './failures.ts'

/** The permissions of a page. */
export interface PanelAccess {
  /** Whether actions are accepted from this page: it has the token, and uses an address of this server. */
  readonly mayAct: boolean
  /**
   * Whether the server accepts approvals, answers and decisions, and buys requests. This needs `mayAct`, and
   * a server that listens on loopback alone. CI and `build.generate: 'never'` forbid it. Free edits, prices
   * and offers work without this permission.
   */
  readonly mayBuy: boolean
  /** Why not, and what to do about it; empty if both are true. */
  readonly words: string
}

/** The parts from which a state is made. */
export interface StateParts {
  /** Folder of the project, absolute. */
  readonly root: string
  /** Path of that folder from the server's working folder, with forward slashes; empty if it is that one. */
  readonly folder: string
  /** Engines that the game may use: the one of the options or the dependencies, or both if neither names one. */
  readonly engines: readonly ('phaser' | 'pixi')[]
  readonly revision: number
  readonly overview: Overview
  /** Names of the sprites whose details are shown. */
  readonly open: readonly string[]
  /** One atlas for each sprite, as pages of the game have it. */
  readonly sheets: BuiltSheets
  /** Errors of the sheets. */
  readonly errors: readonly unknown[]
  readonly ledger: LedgerReport
  /** Open requests of programs to a person, the oldest first. */
  readonly requests: readonly PersonRequest[]
  readonly prices: PriceList | undefined
  /** Why the last request for prices failed. */
  readonly priceError: unknown
  readonly progress: ReadonlyMap<string, JobProgress>
  readonly failures: readonly BuyerFailure[]
  readonly access: PanelAccess
  readonly urlOf: (page: BuiltPage) => string
}

/** The parts of a state, and some of them by their keys. */
export type IndexedParts = ReturnType<typeof indexParts>

/** Indexes the parts of a state. */
export function indexParts(parts: StateParts) {
  return { ...parts, ...once(ledgers, parts.ledger, indexLedger), ...once(shelves, parts.sheets, indexSheets) }
}

/** Ledger and sheets stay the same objects until something of them changes. */
const ledgers = new WeakMap<LedgerReport, ReturnType<typeof indexLedger>>()
const shelves = new WeakMap<BuiltSheets, ReturnType<typeof indexSheets>>()

function once<From extends object, T>(known: WeakMap<From, T>, from: From, make: (from: From) => T): T {
  const made = known.get(from) ?? make(from)
  known.set(from, made)
  return made
}

function indexLedger({ lines }: LedgerReport) {
  const spent = new Map<string, bigint>()
  for (const { hash, state, credits } of lines) if (state === 'settled') spent.set(hash, (spent.get(hash) ?? 0n) + credits)
  return {
    /** Settled credits in ten-thousandths, by request hash. */
    spent,
    /** The line of its latest attempt from this checkout, by request hash. */
    // Of several lines of a request the last stays, which is the latest.
    lines: new Map(lines.flatMap((line) => (line.origin === 'here' ? [[line.hash, line] as const] : []))),
  }
}

function indexSheets({ sprites, atlases, quality = [] }: BuiltSheets) {
  return {
    /** By name. */
    sprites: new Map(sprites.map((sprite) => [sprite.name, sprite])),
    /** By name; the largest scale of each. */
    // Of several atlases with one key the last stays. The largest scale comes first, so the list is reversed.
    atlases: new Map(atlases.toReversed().map((atlas) => [atlas.name, atlas])),
    /** By `sprite.animation`. */
    quality: new Map(quality.map((one) => [one.id, one])),
  }
}
