import type { ComponentChildren, RefObject, VNode } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** The properties of a question that blocks the rest of the page. */
export interface ModalProps {
  /** The caller closes the dialog through this. The focus then returns to the element that had it before. */
  readonly dialog: RefObject<HTMLDialogElement | null>
  readonly title: string
  /** The dialog was closed, in whatever way. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A dialog named by its title. The title has the focus first; Escape closes the dialog. */
export function Modal({ dialog, title, onClose, children }: ModalProps): VNode {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  // The dialog opens before the next key press, so that this key goes to the dialog. When the dialog closes,
  // the focus returns to the element that has it now.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    heading.current?.focus()
  }, [dialog])
  return (
    <dialog ref={dialog} class="card dialog scroll" aria-labelledby={`${id}-title`} onClose={onClose}>
      <h2 class="large" ref={heading} id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}
