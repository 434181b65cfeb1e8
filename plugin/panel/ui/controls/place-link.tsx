import type { HTMLAttributes, VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { addressOf, type Place } from '../state/address.ts'
import { GoContext } from '../state/panel-context.ts'

/** A link to a place of this page. It opens a new tab if the browser is asked for one. */
export function PlaceLink({ to, ...props }: { readonly to: Place } & Omit<HTMLAttributes<HTMLAnchorElement>, 'role'>): VNode {
  const go = useContext(GoContext)
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(to)
  }
  return <a href={addressOf(to)} onClick={follow} {...props} />
}
