import type { ButtonHTMLAttributes, VNode } from 'preact'
import { Icon, type IconName } from './icons.tsx'

/** The properties of a button: its own, and those of the element. */
export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label'> {
  /** Text before the children. */
  readonly label?: string
  readonly icon?: IconName
  /** `primary`: the aim of a form. `quiet`: no edge. */
  readonly look?: 'primary' | 'quiet'
}

/** A button that submits nothing, if its type does not say otherwise. */
export function Button({ label, icon, look, children, ...props }: ButtonProps): VNode {
  return (
    <button type="button" class={look ? `button ${look}` : 'button'} {...props}>
      {icon && <Icon name={icon} />}
      {label}
      {children}
    </button>
  )
}

/** A quiet button that shows an icon or a sign alone. Its label is for screen readers. */
export function IconButton({ label, ...props }: ButtonProps & { readonly label: string }): VNode {
  return <Button class="button quiet icon-button" aria-label={label} {...props} />
}
