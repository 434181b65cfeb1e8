import type { PanelState } from '../protocol.ts'

type Named = PanelState['sprites'][number] | PanelState['steps'][number]

/** A new state with the old objects where nothing of them has changed, so that what is drawn from them is not drawn again. */
export function withSameParts(state: PanelState, before: PanelState | undefined): PanelState {
  if (!before) return state
  return { ...state, sprites: reuse(state.sprites, before.sprites), steps: reuse(state.steps, before.steps) }
}

function reuse<T extends Named>(now: readonly T[], before: readonly T[]): readonly T[] {
  const old = new Map(before.map((one) => [keyOf(one), one]))
  return now.map((one) => {
    const same = old.get(keyOf(one))
    return same && JSON.stringify(same) === JSON.stringify(one) ? same : one
  })
}

function keyOf(one: Named): string {
  return 'id' in one ? one.id : one.name
}
