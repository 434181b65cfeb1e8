import type { Preview, Workshop } from '../../src/index.ts'

/**
 * The project as a dev server reads it, one preview after another. A sprite is made when it is first
 * requested, and kept up to date from then on.
 */
export interface ShownSprites {
  /**
   * Returns the current preview with these sprites made. Waits for a running read, and reads nothing again
   * that has not changed.
   */
  with(names: readonly string[] | 'all'): Promise<Preview>
  /**
   * The same with these sprites and a few more than were made so far. `isComplete` is true when all are made.
   *
   * @default no sprites but the few more
   */
  withMore(names?: readonly string[]): Promise<{ readonly preview: Preview; readonly isComplete: boolean }>
  /**
   * Reads changes.
   *
   * @param paths Absolute; `undefined` if they are unknown.
   */
  change(paths: readonly string[] | undefined): Promise<Preview>
  /** The last preview; `undefined` before the first one. */
  newest(): Preview | undefined
  /** Resolves when no read is running. */
  idle(): Promise<void>
}

/** One preview, and the one before it. */
export interface PreviewChange {
  readonly now: Preview
  readonly before: Preview | undefined
  /** Whether files may have changed in between. If not, there are only more sprites. */
  readonly isChange: boolean
}

/**
 * Number of sprites that {@link ShownSprites.withMore} adds at least. A spec that is saved meanwhile waits for
 * them.
 */
const fewSprites = 16

/**
 * All sprites are made after at most this many calls. The panel gets the list of all sprites after each
 * call, so the number of calls must not grow with the project.
 */
const mostCalls = 100

/**
 * Reads nothing yet.
 *
 * @param see Gets each preview before any other caller, and is awaited.
 */
export function createShownSprites(read: Workshop['preview'], see: (change: PreviewChange) => Promise<void>): ShownSprites {
  const wanted = new Set<string>()
  let isAllWanted = false
  let newest: Preview | undefined
  /** Whether the last read failed, so that the changes are unknown. */
  let isLost = true
  /** The sprites that the last read had to cover. */
  let covered: ReadonlySet<string> | 'all' = new Set()
  let tail: Promise<unknown> = Promise.resolve()
  let next: Promise<Preview> | undefined
  const look = async (changed: readonly string[] | undefined): Promise<Preview> => {
    const names = isAllWanted ? undefined : new Set(wanted)
    const paths = isLost ? undefined : changed
    isLost = true
    const now = await read(paths, names)
    await see({ now, before: newest, isChange: paths?.length !== 0 })
    newest = now
    isLost = false
    covered = names ?? 'all'
    return now
  }
  const enqueue = (work: () => Promise<Preview>): Promise<Preview> => {
    const run = tail.then(work)
    tail = run.catch(() => undefined)
    return run
  }
  const isCovered = (names: readonly string[] | 'all'): boolean =>
    !isLost && (covered === 'all' || (names !== 'all' && names.every((name) => (covered as ReadonlySet<string>).has(name))))
  const withNames: ShownSprites['with'] = async (names) => {
    if (names === 'all') isAllWanted = true
    else for (const name of names) wanted.add(name)
    await tail
    if (newest && isCovered(names)) return newest
    // If several callers ask before the next read begins, they share that read.
    next ??= enqueue(() => {
      next = undefined
      return look([])
    })
    return next
  }
  return {
    with: withNames,
    withMore: async (names = []) => {
      const { specs } = await withNames([])
      const count = Math.max(fewSprites, Math.ceil(specs.length / mostCalls))
      const more = isAllWanted ? [] : specs.filter(({ name }) => !wanted.has(name)).slice(0, count)
      const preview = await withNames([...names, ...more.map(({ name }) => name)])
      return { preview, isComplete: isAllWanted || preview.specs.every(({ name }) => wanted.has(name)) }
    },
    change: (paths) => enqueue(() => look(paths)),
    newest: () => newest,
    idle: async () => {
      for (let last: typeof tail | undefined; last !== tail; ) {
        last = tail
        await last
      }
    },
  }
}
