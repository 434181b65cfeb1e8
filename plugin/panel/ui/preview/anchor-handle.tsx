import type { VNode } from 'preact'
import type { PanelSprite } from '../../../protocol/protocol.ts'
import { type AnchorEditor, useAnchor } from './use-anchor.ts'

const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/**
 * The anchor on the preview. It is dragged, or moved by the arrow keys: one pixel for each press, ten with
 * Shift. The result is written to the spec.
 */
export function AnchorHandle({ sprite, scale }: { readonly sprite: PanelSprite; readonly scale: number }): VNode {
  const editor = useAnchor(sprite)
  const { point, isSet, mayEdit } = editor
  return (
    <button
      type="button"
      class={isSet ? 'anchor' : 'anchor unset'}
      style={{ left: `${point.x * 100}%`, top: `${point.y * 100}%` }}
      aria-label={`Anchor of ${sprite.name}: ${point.x} across, ${point.y} down${isSet ? '' : ', not set'}. Drag it, or move it with the arrow keys.`}
      aria-disabled={!mayEdit}
      onKeyDown={(event) => {
        const step = steps[event.key]
        if (!step || !mayEdit) return
        event.preventDefault()
        const length = event.shiftKey ? 10 : 1
        const { width, height } = sprite.frame
        editor.moveTo(Math.round(point.x * width) + step[0] * length, Math.round(point.y * height) + step[1] * length)
        editor.writeSoon()
      }}
      onPointerDown={(event) => {
        if (mayEdit && event.button === 0) drag(event.currentTarget, event.pointerId, scale, editor)
      }}
      onBlur={editor.write}
    >
      <svg viewBox="-14 -14 28 28" aria-hidden="true">
        <path d="M-14 0h28M0-14v28" stroke="#fff" stroke-width="3" />
        <path d="M-14 0h28M0-14v28M5 0A5 5 0 0 1-5 0 5 5 0 0 1 5 0" stroke="#d8216b" stroke-width="1.5" fill="none" />
      </svg>
    </button>
  )
}

/** Follows the pointer until it is released, and writes the last place. */
function drag(handle: HTMLElement, pointer: number, scale: number, editor: AnchorEditor): void {
  const area = handle.parentElement?.getBoundingClientRect()
  if (!area) return
  handle.setPointerCapture(pointer)
  const follow = (event: PointerEvent): void => editor.moveTo((event.clientX - area.left) / scale, (event.clientY - area.top) / scale)
  handle.addEventListener('pointermove', follow)
  handle.addEventListener(
    'lostpointercapture',
    () => {
      handle.removeEventListener('pointermove', follow)
      editor.write()
    },
    { once: true },
  )
}
