import { oneByOne } from '../../../src/host/one-by-one.ts'
import type { LedgerReport, Overview, Workshop } from '../../../src/index.ts'
import { specPath } from '../../ids.ts'

/** Overview and ledger of a project. */
export interface PanelRecords {
  readonly overview: Overview
  readonly ledger: LedgerReport
  /** Why the ledger could not be read. */
  readonly errors: readonly unknown[]
}

/** Creates a reader of overview and ledger, which reads again only the parts that may have changed. */
export function createRecordReader(workshop: Pick<Workshop, 'overview' | 'ledger'>) {
  let last: PanelRecords | undefined
  /** `undefined` if anything may have changed. */
  let due: Set<string> | undefined
  const inOrder = oneByOne()
  const readLedger = async (): Promise<Pick<PanelRecords, 'ledger' | 'errors'>> => {
    try {
      return { ledger: await workshop.ledger(), errors: [] }
    } catch (error) {
      return { ledger: noLedger, errors: [error] }
    }
  }
  const read = async (isWhole: boolean): Promise<PanelRecords> => {
    const before = isWhole ? undefined : last
    const paths = before && due && [...due]
    // Later changes are read the next time. A failed read leaves nothing to build on.
    due = new Set()
    last = undefined
    // An error may be gone without any notice, so a state with errors is read again.
    if (before && paths?.length === 0 && before.overview.errors.length === 0) last = before
    else if (before && paths?.every((path) => specPath.test(path))) last = { ...before, overview: await workshop.overview(paths) }
    else {
      const [overview, rest] = await Promise.all([workshop.overview(paths), readLedger()])
      last = { overview, ...rest }
    }
    return last
  }
  return {
    /**
     * Notes a change.
     *
     * @param paths Files that have changed, absolute, or `atService` of the buyer.
     * @default anything may have happened
     */
    changed: (paths?: readonly string[]): void => {
      if (!paths) due = undefined
      else for (const path of paths) due?.add(path)
    },
    /**
     * Reads both.
     *
     * @param isWhole Whether everything is read again, whatever is known.
     */
    read: (isWhole: boolean): Promise<PanelRecords> => inOrder(() => read(isWhole)),
  }
}

const noLedger: LedgerReport = {
  ...{ held: 0n, settled: 0n, restored: 0n, uncertain: 0n, elsewhere: 0n },
  ...{ lines: [], sprites: [], repaired: 0, warnings: [] },
}
