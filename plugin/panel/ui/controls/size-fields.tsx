import type { VNode } from 'preact'
import { mostSidePx } from '../../../../src/sprite-spec/spec.ts'
import type { PanelSprite } from '../../../protocol/protocol.ts'
import { Choice } from './choice.tsx'
import { NumberField } from './field.tsx'
import { useDraft } from './hooks.ts'

type Size = PanelSprite['size']
type SizeKind = 'delivered' | 'figure' | 'longest' | 'box'

const kinds: readonly (readonly [SizeKind, string])[] = [
  ['delivered', 'As delivered'],
  ['figure', 'The figure'],
  ['longest', 'Longest side'],
  ['box', 'Fit into a box'],
]

/** The size in the game: of the figure, of frames by their longest side or fitted into a box, or as delivered. */
export function SizeFields({
  sprite,
  onCommit,
}: {
  readonly sprite: PanelSprite
  readonly onCommit: (size: Size) => Promise<boolean>
}): VNode {
  const { frame } = sprite
  const [size, show] = useDraft(sprite.size)
  const commit = (next: Size): Promise<boolean> => {
    const written = onCommit(next)
    show(next, written)
    return written
  }
  const kind: SizeKind = size === null ? 'delivered' : typeof size === 'number' ? 'longest' : 'figure' in size ? 'figure' : 'box'
  const choose = (next: SizeKind): void => {
    const longest = Math.max(frame.width, frame.height)
    void commit({ delivered: null, figure: { figure: longest }, longest, box: { ...frame } }[next])
  }
  const pixels = (label: string, value: number, toSize: (px: number) => Size): VNode => (
    <NumberField label={label} value={value} min={1} max={mostSidePx} step={1} onCommit={(px) => commit(toSize(Math.round(px)))} />
  )
  return (
    <div class="fields halves">
      <Choice label="Size" isWide value={kind} options={kinds} onChoose={choose} />
      {typeof size === 'number' && pixels('Longest side, pixels', size, (px) => px)}
      {size !== null && typeof size === 'object' && 'figure' in size && pixels('Figure, pixels', size.figure, (figure) => ({ figure }))}
      {size !== null && typeof size === 'object' && 'width' in size && (
        <>
          {pixels('Width, pixels', size.width, (width) => ({ ...size, width }))}
          {pixels('Height, pixels', size.height, (height) => ({ ...size, height }))}
        </>
      )}
      <p class="soft small number">
        now {frame.width} × {frame.height} pixels
      </p>
    </div>
  )
}
