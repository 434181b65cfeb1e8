import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'

/** Draws a part of a list, or takes what was drawn for the same values: what is the same node is not looked at again. */
export type KeepNode = (key: string, values: readonly unknown[], draw: () => VNode) => VNode

/** For lists of thousands, of which one line changes. */
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
