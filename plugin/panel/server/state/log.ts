import type { PanelParts, PanelState, PanelUpdate } from '../../../protocol/protocol.ts'

/** What the panel was told, part by part, and when each part became what it is: whoever knows an earlier state is told the difference. */
export interface StateLog {
  /** Notes a state. Answers its revision: a later one than `state.revision` where another state has been noted under that. */
  note(state: PanelState): number
  /** What has changed since a revision in the state that was noted last; undefined where nobody knows. */
  since(revision: number): PanelUpdate | undefined
}

interface Told {
  readonly part: unknown
  readonly text: string
  /** Revision under which it became so. */
  readonly at: number
}

/** An empty log. @param raise Makes a new revision, and answers it. */
export function createStateLog(raise: () => number): StateLog {
  const told = new Map<string, Told>()
  let first: number | undefined
  let last: PanelState | undefined
  const isSince = (key: string, revision: number): boolean => (told.get(key)?.at ?? 0) > revision
  return {
    note: (state) => {
      const parts = partsOf(state)
      const news = [...parts].flatMap(([key, part]) => {
        const before = told.get(key)
        if (before?.part === part) return []
        const text = JSON.stringify(part)
        return before?.text === text ? [] : [{ key, part, text }]
      })
      const at = last && news.length > 0 && last.revision >= state.revision ? raise() : Math.max(state.revision, last?.revision ?? 0)
      for (const { key, ...one } of news) told.set(key, { ...one, at })
      for (const key of [...told.keys()]) if (!parts.has(key)) told.delete(key)
      first ??= at
      last = { ...state, revision: at }
      return at
    },
    since: (revision) => {
      if (!last || first === undefined || revision < first || revision > last.revision) return undefined
      const { version, revision: now, access, sprites, ...rest } = last
      const parts = Object.fromEntries(Object.entries(rest).filter(([name]) => isSince(name, revision))) as Partial<PanelParts>
      return {
        version,
        revision: now,
        since: revision,
        access,
        ...parts,
        sprites: sprites.filter(({ name }) => isSince(spriteKey(name), revision)),
        ...(isSince('names', revision) ? { names: sprites.map(({ name }) => name) } : {}),
      }
    },
  }
}

/** Everything that is told by itself. Who may act is another thing for each page. */
function partsOf({ version: _, revision: __, access: ___, sprites, ...rest }: PanelState): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(rest),
    ['names', sprites.map(({ name }) => name)],
    ...sprites.map((sprite) => [spriteKey(sprite.name), sprite] as const),
  ])
}

function spriteKey(name: string): string {
  return `sprite ${name}`
}
