import type { VNode } from 'preact'

/** Icons of 16 × 16, drawn as paths. */
const shapes = {
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  back: 'M3 3h2v10H3zM13 3v10L6 8z',
  forward: 'M11 3h2v10h-2zM3 3v10l7-5z',
  onion:
    'M6 3a5 5 0 1 0 2 9.58A5 5 0 0 1 8 3.42 5 5 0 0 0 6 3zm4 0a5 5 0 1 0 0 10 5 5 0 0 0 0-10zm0 1.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z',
  left: 'M10.5 2.5 5 8l5.5 5.5 1.2-1.2L7.4 8l4.3-4.3z',
  right: 'M5.5 2.5 11 8l-5.5 5.5-1.2-1.2L8.6 8 4.3 3.7z',
  drop: 'M3.6 2.5 2.5 3.6 6.9 8l-4.4 4.4 1.1 1.1L8 9.1l4.4 4.4 1.1-1.1L9.1 8l4.4-4.4-1.1-1.1L8 6.9z',
  keep: 'M7 3h2v4h4v2H9v4H7V9H3V7h4z',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.3 1h1.4v2.5H7.3zM7.3 12.5h1.4V15H7.3zM1 7.3h2.5v1.4H1zM12.5 7.3H15v1.4h-2.5zM3.5 2.5l1.8 1.8-1 1-1.8-1.8zM11.7 10.7l1.8 1.8-1 1-1.8-1.8zM12.5 2.5l1 1-1.8 1.8-1-1zM4.3 10.7l1 1-1.8 1.8-1-1z',
  dark: 'M6.2 1.8A6.4 6.4 0 1 0 14.2 9.8 5.2 5.2 0 0 1 6.2 1.8z',
  anchor:
    'M7.3 1h1.4v3.1a4 4 0 0 1 3.2 3.2H15v1.4h-3.1a4 4 0 0 1-3.2 3.2V15H7.3v-3.1a4 4 0 0 1-3.2-3.2H1V7.3h3.1a4 4 0 0 1 3.2-3.2zM8 5.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2z',
} as const

/** Name of an icon. */
export type IconName = keyof typeof shapes

/** An icon beside or in place of words. A button that has the icon alone needs a name. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[name]} fill-rule="evenodd" />
    </svg>
  )
}
