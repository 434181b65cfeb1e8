import { dirname } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { oneByOne } from '../host/one-by-one.ts'
import { type Credits, formatCredits, isCreditsText, parseCredits } from './credits.ts'

/** One movement of money that the journal records. */
export interface LedgerMove {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly type: 'held' | 'settled' | 'restored'
  /** `sprite.animation`. */
  readonly id: string
  /** Request hash. */
  readonly hash: string
  readonly attempt: number
  readonly executionId: string
  readonly credits: Credits
}

/**
 * `ledger.jsonl`: one JSON object on each line, append-only. It repeats the journal for people. The journal is
 * authoritative.
 */
export interface Ledger {
  /** Reads all complete lines, each movement once. An incomplete last line is skipped. */
  read(): Promise<readonly LedgerMove[]>
  /** Appends a movement unless the ledger has it already (same request, attempt and type). */
  ensure(move: LedgerMove): Promise<void>
  /** Appends many movements in one write, unless the ledger has them. Returns the number of new movements. */
  ensureAll(moves: readonly LedgerMove[]): Promise<number>
}

/** Opens the ledger at `path`. The disk is not touched before the first call. */
export function createLedger(disk: Disk, path: string): Ledger {
  const inOrder = oneByOne()
  const readText = async (): Promise<string> => ((await disk.stat(path)) ? new TextDecoder().decode(await disk.read(path)) : '')
  const read = async (): Promise<readonly LedgerMove[]> => parseLedger(await readText(), path)
  const add = async (moves: readonly LedgerMove[]): Promise<number> => {
    const text = await readText()
    const known = new Set(parseLedger(text, path).map(moveKey))
    const missing = moves.filter((move) => !known.has(moveKey(move)))
    if (missing.length === 0) return 0
    // A crashed run may have left an incomplete last line. The new line must not become part of it.
    const separator = text === '' || text.endsWith('\n') ? '' : '\n'
    const lines = missing.map((move) => `${JSON.stringify({ ...move, credits: formatCredits(move.credits) })}\n`)
    // `git clean` may have deleted the folder, while the journal's second copy still has the movements.
    await disk.makeFolder(dirname(path))
    await disk.append(path, new TextEncoder().encode(`${separator}${lines.join('')}`))
    return missing.length
  }
  const ensureAll = (moves: readonly LedgerMove[]): Promise<number> => inOrder(() => add(moves))
  return { read, ensureAll, ensure: async (move) => void (await ensureAll([move])) }
}

/** Identifies a movement: request, attempt and type. The ledger has each movement once. */
export function moveKey({ hash, attempt, type }: LedgerMove): string {
  return `${hash} ${attempt} ${type}`
}

function parseLedger(text: string, path: string): readonly LedgerMove[] {
  const moves = new Map<string, LedgerMove>()
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const move = parseMove(line)
    if (move) moves.set(moveKey(move), moves.get(moveKey(move)) ?? move)
    else if (isWholeJson(line)) {
      throw new SpritewrightError('SW_JOURNAL', {
        message: `${path}:${index + 1} is no movement of credits. Restore the file, or move it away: it is written again from the journal.`,
        facts: { file: path, line: index + 1 },
      })
    }
  }
  return [...moves.values()]
}

function isWholeJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

function parseMove(line: string): LedgerMove | undefined {
  let json: Record<string, unknown>
  try {
    json = JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
  if (json === null || typeof json !== 'object') return undefined
  const { at, type, id, hash, attempt, executionId, credits } = json
  if (typeof at !== 'number' || typeof attempt !== 'number' || typeof id !== 'string' || typeof hash !== 'string') return undefined
  if (typeof executionId !== 'string' || typeof credits !== 'string' || !isCreditsText(credits)) return undefined
  if (type !== 'held' && type !== 'settled' && type !== 'restored') return undefined
  return { at, type, id, hash, attempt, executionId, credits: parseCredits(credits) }
}
