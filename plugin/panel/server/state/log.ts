import type { PanelParts, PanelState, PanelUpdate } from '../../../protocol/protocol.ts'

interface SentPart {
  readonly part: unknown
  readonly text: string
  /** Revision of its last change. */
  readonly at: number
}

/**
 * Creates an empty log of the state that the panel was sent, part by part, with the revision of each part's last
 * change. A page that knows an earlier state gets the difference.
 *
 * @param raise Makes a new revision, and returns it.
 */
export function createStateLog(raise: () => number) {
  const sent = new Map<string, SentPart>()
  let first: number | undefined
  let last: PanelState | undefined
  const isSince = (key: string, revision: number): boolean => (sent.get(key)?.at ?? 0) > revision
  return {
    /**
     * Records a state. Returns its revision: `state.revision`, or a later one if that one belongs to another
     * recorded state.
     */
    note: (state: PanelState): number => {
      const parts = partsOf(state)
      const news = [...parts].flatMap(([key, part]) => {
        const before = sent.get(key)
        if (before?.part === part) return []
        const text = JSON.stringify(part)
        return before?.text === text ? [] : [{ key, part, text }]
      })
      const at = last && news.length > 0 && last.revision >= state.revision ? raise() : Math.max(state.revision, last?.revision ?? 0)
      for (const { key, ...one } of news) sent.set(key, { ...one, at })
      for (const key of [...sent.keys()]) if (!parts.has(key)) sent.delete(key)
      first ??= at
      last = { ...state, revision: at }
      return at
    },
    /**
     * Returns the changes from a revision to the state that was recorded last. Returns `undefined` if the
     * revision is unknown.
     */
    since: (revision: number): PanelUpdate | undefined => {
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

/** All parts that are sent separately. Permissions are not among them: they differ for each page. */
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
