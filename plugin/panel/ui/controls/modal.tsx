import type { ComponentChildren, RefObject, VNode } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** Something that is asked before anything else can be done. */
export interface ModalProps {
  /** Closed by whoever asks, so that the focus goes back to where it came from. */
  readonly dialog: RefObject<HTMLDialogElement | null>
  readonly title: string
  /** It is closed, in whatever way. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A dialog named by its title, which has the focus first; Escape leaves it. */
export function Modal({ dialog, title, onClose, children }: ModalProps): VNode {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  // At once: a key that is pressed right after the one that asked for it is meant for the dialog, and where the focus is now it goes back to.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    heading.current?.focus()
  }, [dialog])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={`${id}-title`} onClose={onClose}>
      <h2 ref={heading} id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}
