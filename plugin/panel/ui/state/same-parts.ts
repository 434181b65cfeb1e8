import type { PanelState, PanelUpdate } from '../../../protocol/protocol.ts'

type Named = PanelState['sprites'][number] | PanelState['steps'][number] | PanelState['orphans'][number]

/** Returns a new state with the old objects of all unchanged parts, so that these are not rendered again. */
export function withSameParts(state: PanelState, before: PanelState | undefined): PanelState {
  if (!before) return state
  return {
    ...state,
    sprites: reuse(state.sprites, before.sprites),
    steps: reuse(state.steps, before.steps),
    orphans: reuse(state.orphans, before.orphans),
  }
}

/**
 * Applies an update to a state.
 *
 * @param before The state of the update's `since`.
 */
export function withUpdate(before: PanelState, { since: _, names, sprites, ...rest }: PanelUpdate): PanelState {
  const all = new Map([...before.sprites, ...sprites].map((sprite) => [sprite.name, sprite]))
  const order = names ?? before.sprites.map(({ name }) => name)
  return { ...before, ...rest, sprites: order.flatMap((name) => all.get(name) ?? []) }
}

function reuse<T extends Named>(now: readonly T[], before: readonly T[]): readonly T[] {
  const old = new Map(before.map((one) => [keyOf(one), one]))
  return now.map((one) => {
    const same = old.get(keyOf(one))
    return same && (same === one || JSON.stringify(same) === JSON.stringify(one)) ? same : one
  })
}

function keyOf(one: Named): string {
  return 'id' in one ? one.id : one.name
}
