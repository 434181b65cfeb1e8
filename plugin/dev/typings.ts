import { dirname } from 'node:path'
import type { Preview, Workshop } from '../../src/index.ts'
import type { PreviewChange } from './shown-sprites.ts'

/**
 * Keeps the typings beside specs up to date.
 */
export interface TypingsWriter {
  /**
   * Writes the typings of changes between two previews, and those that could not be written before. The
   * typings of a whole project are written in the background.
   */
  write(change: PreviewChange): Promise<void>
  /** Stops writing the typings of a whole project. The next server continues with it. */
  close(): Promise<void>
}

type Spec = Preview['specs'][number]

/**
 * Number of specs whose typings are written in one go. A spec that is saved meanwhile waits for no more than
 * these.
 */
const fewSpecs = 64

/**
 * Creates a writer.
 *
 * @param report Reports an error of a write for which no caller waits.
 */
export function createTypingsWriter(workshop: Pick<Workshop, 'writeTypings'>, report: (error: unknown) => void): TypingsWriter {
  let newest: Preview | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let rest: Promise<void> = Promise.resolve()
  let isClosed = false
  /** Names of the sprites whose typings could not be written. */
  const owed = new Set<string>()
  const owe = (specs: readonly Spec[]): void => {
    for (const { name } of specs) owed.add(name)
  }
  const takeOwed = ({ specs }: Preview): readonly Spec[] => {
    const taken = owed.size === 0 ? [] : specs.filter(({ name }) => owed.has(name))
    owed.clear()
    return taken
  }
  const writeNow = (specs: readonly Spec[]): Promise<unknown> => {
    const run = turn.then(() => workshop.writeTypings(specs))
    turn = run.catch(() => owe(specs))
    return run
  }
  const writeRest = async (specs: readonly Spec[]): Promise<void> => {
    for (let at = 0; at < specs.length && !isClosed; at += fewSpecs) {
      // A spec that has changed meanwhile is missing in the newest preview. The call for that change writes
      // its typings.
      const there = new Set((newest as Preview).specs)
      const few = specs.slice(at, at + fewSpecs).filter((spec) => there.has(spec))
      await writeNow(few).catch((error: unknown) => {
        owe(specs.slice(at + fewSpecs))
        throw error
      })
    }
  }
  return {
    write: async ({ now, before }) => {
      newest = now
      const due = [...new Set([...takeOwed(now), ...dueSpecs(now, before)])]
      const made = new Set(now.sheets.sprites.map(({ name }) => name))
      // All shown sprites get their typings before a page gets them. The others are written now only if they
      // are few.
      const [first, others] = due.length <= fewSpecs ? [due, []] : [due.filter(({ name }) => made.has(name)), due]
      if (first.length > 0) await writeNow(first)
      const unmade = others.filter(({ name }) => !made.has(name))
      if (unmade.length > 0) rest = rest.then(() => writeRest(unmade)).catch(report)
    },
    close: async () => {
      isClosed = true
      await rest
      await turn
    },
  }
}

/** Specs that have changed, or from whose folder a spec is gone. */
function dueSpecs(now: Preview, before: Preview | undefined): readonly Spec[] {
  const known = new Set(before?.specs)
  const there = new Set(now.specs.map(({ name }) => name))
  const emptied = new Set([...known].flatMap((spec) => (there.has(spec.name) ? [] : [dirname(spec.file)])))
  return now.specs.filter((spec) => {
    // One spec of the folder is enough: the leftover typings of the folder are deleted with it.
    const isNeighbour = emptied.delete(dirname(spec.file))
    return isNeighbour || !known.has(spec)
  })
}
