import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'

/**
 * Renders a part of a list, or returns the node that was rendered for the same values. Preact does not
 * compare the same node again.
 */
export type KeepNode = (key: string, values: readonly unknown[], draw: () => VNode) => VNode

/** Keeps rendered nodes, for lists of thousands of which one line changes. */
export function useKeptNodes(): KeepNode {
  const kept = useRef(new Map<string, { readonly values: readonly unknown[]; readonly node: VNode }>())
  return (key, values, draw) => {
    const before = kept.current.get(key)
    const isSame = before?.values.length === values.length && before.values.every((value, index) => Object.is(value, values[index]))
    if (before && isSame) return before.node
    const node = draw()
    kept.current.set(key, { values, node })
    return node
  }
}
