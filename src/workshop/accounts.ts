import { parseCredits, sumCredits } from '../credit/credits.ts'
import type { LedgerLine, LedgerReport } from './counter.ts'
import type { Shop } from './shop.ts'

/** Sums the ledger up: a line for each animation and attempt, and what may have been bought without anybody knowing. */
export async function readAccounts(shop: Shop): Promise<LedgerReport> {
  const lines = new Map<string, LedgerLine>()
  for (const move of await shop.ledger.read()) {
    const { id, hash, attempt, executionId, credits, at, type } = move
    lines.set(`${hash} ${attempt}`, { id, hash, attempt, executionId, credits, at, state: type })
  }
  for (const line of await readUncertain(shop))
    if (!lines.has(`${line.hash} ${line.attempt}`)) lines.set(`${line.hash} ${line.attempt}`, line)
  const all = [...lines.values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const sum = (state: LedgerLine['state']): bigint => sumCredits(all.filter((line) => line.state === state).map((line) => line.credits))
  return { lines: all, held: sum('held'), settled: sum('settled'), restored: sum('restored'), uncertain: sum('uncertain') }
}

/** Submissions that were sent and never answered: the whole ceiling counts. */
async function readUncertain(shop: Shop): Promise<readonly LedgerLine[]> {
  const ids = new Map(
    Object.entries((await shop.lock.read()).animations).flatMap(([id, requests]) => Object.keys(requests).map((hash) => [hash, id])),
  )
  const lines: LedgerLine[] = []
  for (const hash of await shop.journal.requests()) {
    const { submission } = await shop.journal.read(hash)
    const open = submission.sends.find((send) => send.answer.kind !== 'refused')
    if (submission.accepted || !open || !submission.frozen) continue
    lines.push({
      id: ids.get(hash) ?? hash.slice(0, 12),
      hash,
      attempt: submission.attempt,
      state: 'uncertain',
      credits: parseCredits(submission.frozen.ceiling),
      at: open.at,
    })
  }
  return lines
}
