import { SpritewrightError } from '../errors.ts'
import { specName } from '../spec/parser.ts'
import { findSpecs, type SpecScan, toScan, tryReadSpec } from '../spec/scan.ts'
import type { SpriteSpec } from '../spec/spec.ts'
import type { Shop } from './shop.ts'

/** The specs of a project, read once and then file by file as they change. */
export interface SpecBook {
  /**
   * What there is now. A spec that says what it said before is the very same object.
   *
   * @param changed Absolute paths of all files that have changed since it was read last. @default nobody knows: all are read
   */
  read(changed?: readonly string[]): Promise<SpecScan>
}

/** A book of nothing yet. */
export function createSpecBook({ host, options }: Shop): SpecBook {
  const { root } = options
  let pages: ReadonlyMap<string, SpriteSpec | SpritewrightError> | undefined
  let scan: SpecScan = { specs: [], errors: [] }
  const readPages = async (changed: readonly string[] | undefined): Promise<void> => {
    const before = pages
    const due = new Set(changed)
    const isKnown = before && changed && (await isSetKnown(due, before))
    const files = isKnown ? [...before.keys()] : await findSpecs(host.glob, root, options.specs)
    const now = new Map<string, SpriteSpec | SpritewrightError>()
    for (const file of files) {
      const earlier = before?.get(file)
      const isKept = earlier !== undefined && changed !== undefined && !due.has(file)
      now.set(file, isKept ? earlier : sameAs(earlier, await tryReadSpec(host.disk, file, root)))
    }
    pages = now
    scan = toScan(now, root)
  }
  /** Whether no spec has come or gone. */
  const isSetKnown = async (due: ReadonlySet<string>, before: ReadonlyMap<string, unknown>): Promise<boolean> => {
    for (const path of due) {
      if (specName(path) === undefined) continue
      if (!before.has(path) || !(await host.disk.stat(path))) return false
    }
    return true
  }
  return {
    read: async (changed) => {
      const isTouched = changed?.some((path) => specName(path) !== undefined) ?? true
      if (!pages || isTouched) await readPages(pages && changed)
      return scan
    },
  }
}

function sameAs(before: SpriteSpec | SpritewrightError | undefined, now: SpriteSpec | SpritewrightError): SpriteSpec | SpritewrightError {
  const isSame = before !== undefined && !(before instanceof SpritewrightError) && JSON.stringify(before) === JSON.stringify(now)
  return isSame ? before : now
}
