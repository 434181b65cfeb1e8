import type { Preview, Workshop } from '../../src/index.ts'

/** What a dev server sees of its project, one look after another. A sprite is made when somebody first asks for it, and kept up to date from then on. */
export interface ShownSprites {
  /** What there is now, with these sprites made. Waits for what is being looked at; nothing is looked at anew that has not changed. */
  with(names: readonly string[] | 'all'): Promise<Preview>
  /** The same with a few more sprites than were made so far, until it has them all. */
  withMore(count: number): Promise<{ readonly preview: Preview; readonly isComplete: boolean }>
  /** Looks at what has changed. @param paths Absolute; undefined where nobody knows. */
  change(paths: readonly string[] | undefined): Promise<Preview>
  /** What was seen last; undefined before anything was. */
  newest(): Preview | undefined
  /** Resolves when nothing is being looked at. */
  idle(): Promise<void>
}

/** One look, and the one before it. */
export interface Sight {
  readonly now: Preview
  readonly before: Preview | undefined
  /** Whether files may have changed in between; else there are but more sprites. */
  readonly isChange: boolean
}

/** Looks at nothing yet. @param see Told of each look before anybody else, and waited for. */
export function createShownSprites(read: Workshop['preview'], see: (sight: Sight) => Promise<void>): ShownSprites {
  const wanted = new Set<string>()
  let isAllWanted = false
  let newest: Preview | undefined
  /** Whether the last look failed, so that nobody knows what has changed. */
  let isLost = true
  /** What the last look was asked for. */
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
    // Whoever asks until it begins shares one look.
    next ??= enqueue(() => {
      next = undefined
      return look([])
    })
    return next
  }
  return {
    with: withNames,
    withMore: async (count) => {
      const { specs } = await withNames([])
      const more = isAllWanted ? [] : specs.filter(({ name }) => !wanted.has(name)).slice(0, count)
      const preview = await withNames(more.map(({ name }) => name))
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
