import type { VNode } from 'preact'
import { mostFps } from '../../../../src/sprite-spec/spec.ts'
import type { ActionRequest } from '../../../protocol/actions.ts'
import type { PanelSprite } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { Card } from '../controls/card.tsx'
import { CheckField } from '../controls/check-field.tsx'
import { NumberField } from '../controls/field.tsx'
import { SizeFields } from '../controls/size-fields.tsx'
import { type Shown, usePanel } from '../state/panel-context.ts'

type Edit = ActionRequest<'edit'>

/** The free fields. A change is written to the spec at once, and costs nothing. */
export function Inspector({ sprite, animation }: Shown): VNode {
  const { state, store } = usePanel()
  const isLocked = !state.access.mayAct
  const edit = (change: Omit<Edit, 'sprite' | 'digest'>, words: string): Promise<boolean> =>
    store.edit(sprite.name, 'edit', { sprite: sprite.name, ...change }, words)
  const play = (change: NonNullable<Edit['animations']>[string], words: string): Promise<boolean> =>
    edit({ animations: { [animation.name]: change } }, `${animation.id}: ${words}.`)
  return (
    <Card title="Free to change" remark="written to the spec at once" class="inspector">
      <fieldset disabled={isLocked}>
        <legend>
          {animation.name} <span class="soft">· how it plays</span>
        </legend>
        <div class="fields halves">
          <NumberField
            label="Frames a second"
            value={animation.fps}
            min={0}
            isMinTooSmall
            max={mostFps}
            step={1}
            onCommit={(fps) => play({ fps }, `${fps} frames a second`)}
          />
          <div>
            <CheckField label="Loop" value={animation.loop} onCommit={(loop) => play({ loop }, loop ? 'loops' : 'plays once')} />
            <CheckField
              label="There and back"
              value={animation.yoyo}
              onCommit={(yoyo) => play({ yoyo }, yoyo ? 'plays there and back' : 'plays one way')}
            />
          </div>
        </div>
        {animation.durations && (
          <p class="soft small">
            The spec has durations of its own; they win over frames a second.{' '}
            <Button label="Take them out" look="quiet" onClick={() => void play({ durations: null }, 'durations taken out')} />
          </p>
        )}
      </fieldset>
      <fieldset disabled={isLocked}>
        <legend>
          {sprite.name} <span class="soft">· all its animations</span>
        </legend>
        <SizeFields sprite={sprite} onCommit={(size) => edit({ size }, `Size of ${sprite.name} changed.`)} />
        <AnchorFields sprite={sprite} onCommit={(anchor) => edit({ anchor }, `Anchor of ${sprite.name} changed.`)} />
      </fieldset>
    </Card>
  )
}

const places = [
  ['Centre', { x: 0.5, y: 0.5 }],
  ['Feet', { x: 0.5, y: 1 }],
  ['None', null],
] as const

function AnchorFields({
  sprite,
  onCommit,
}: {
  readonly sprite: PanelSprite
  readonly onCommit: (anchor: PanelSprite['anchor']) => Promise<boolean>
}): VNode {
  const { anchor } = sprite
  const field = (axis: 'x' | 'y', label: string): VNode => (
    <NumberField
      label={label}
      value={anchor?.[axis]}
      min={0}
      max={1}
      step={0.01}
      onCommit={(value) => onCommit({ x: 0.5, y: 0.5, ...anchor, [axis]: value })}
    />
  )
  return (
    <div class="fields halves">
      {field('x', 'Anchor, across')}
      {field('y', 'Anchor, down')}
      <div class="row">
        {places.map(([name, place]) => (
          <Button
            label={name}
            key={name}
            look="quiet"
            aria-label={`Anchor: ${name}`}
            disabled={(anchor?.x ?? null) === (place?.x ?? null) && (anchor?.y ?? null) === (place?.y ?? null)}
            onClick={() => void onCommit(place)}
          />
        ))}
      </div>
    </div>
  )
}
