import type { LedgerReport, Overview, Workshop } from '../../../src/index.ts'
import { specPath } from '../../ids.ts'

/** What a project's papers say. */
export interface PaperWork {
  readonly overview: Overview
  readonly ledger: LedgerReport
  /** Why the ledger could not be read. */
  readonly errors: readonly unknown[]
}

/** The papers as the panel needs them: read again only as far as something has happened. */
export interface Papers {
  /** @param paths Files that have changed, absolute, nothing having happened at the service. @default anything may have happened */
  changed(paths?: readonly string[]): void
  /** @param isWhole Whether all is read, whatever is known. */
  read(isWhole: boolean): Promise<PaperWork>
}

/** Reads nothing yet. */
export function createPapers(workshop: Pick<Workshop, 'overview' | 'ledger'>): Papers {
  let last: PaperWork | undefined
  /** Undefined: anything. */
  let due: Set<string> | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const readLedger = async (): Promise<Pick<PaperWork, 'ledger' | 'errors'>> => {
    try {
      return { ledger: await workshop.ledger(), errors: [] }
    } catch (error) {
      return { ledger: noLedger, errors: [error] }
    }
  }
  const read = async (isWhole: boolean): Promise<PaperWork> => {
    const before = isWhole ? undefined : last
    const paths = before && due && [...due]
    // What changes from here on is read the next time; what fails leaves nothing to go on from.
    due = new Set()
    last = undefined
    // What is wrong may be so no more without any word of it.
    if (before && paths?.length === 0 && before.overview.errors.length === 0) last = before
    else if (before && paths?.every((path) => specPath.test(path))) last = { ...before, overview: await workshop.overview(paths) }
    else {
      const [overview, rest] = await Promise.all([workshop.overview(paths), readLedger()])
      last = { overview, ...rest }
    }
    return last
  }
  return {
    changed: (paths) => {
      if (!paths) due = undefined
      else for (const path of paths) due?.add(path)
    },
    read: (isWhole) => {
      const run = turn.then(() => read(isWhole))
      turn = run.catch(() => undefined)
      return run
    },
  }
}

const noLedger: LedgerReport = {
  ...{ held: 0n, settled: 0n, restored: 0n, uncertain: 0n, elsewhere: 0n },
  ...{ lines: [], sprites: [], repaired: 0, warnings: [] },
}
