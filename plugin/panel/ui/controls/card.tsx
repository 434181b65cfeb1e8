import type { ComponentChildren, VNode } from 'preact'
import { useId } from 'preact/hooks'

/** The properties of a card. */
export interface CardProps {
  readonly title: string
  /** A few words beside the title. */
  readonly remark?: string
  readonly class?: string
  readonly children: ComponentChildren
}

/** A part of a page that has a title. */
export function Card({ title, remark, class: own = '', children }: CardProps): VNode {
  const id = useId()
  return (
    <section class={`card stack ${own}`} aria-labelledby={id}>
      <div class="spread">
        <h2 id={id}>{title}</h2>
        <span class="soft small">{remark}</span>
      </div>
      {children}
    </section>
  )
}
