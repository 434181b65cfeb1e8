import type { VNode } from 'preact'
import type { ActionRequest } from '../../../protocol/actions.ts'
import { Card } from '../controls/card.tsx'
import { NumberField, WrittenField } from '../controls/field.tsx'
import { PictureDrop } from '../controls/picture-drop.tsx'
import { type Shown, usePanel } from '../state/panel-context.ts'
import { creditsWords } from '../state/words.ts'

/** Limits of the service for the frames of an animation. */
export const frames: { readonly least: number; readonly most: number } = { least: 7, most: 100 }

/** The fields that make another purchase. Writing them costs nothing; the price is beside them. */
export function PaidFields({ sprite, animation }: Shown): VNode {
  const { state, store } = usePanel()
  const write = (change: Omit<ActionRequest<'reword'>, 'sprite' | 'digest'>, words: string): Promise<boolean> =>
    store.edit(sprite.name, 'reword', { sprite: sprite.name, ...change }, `${words} Nothing is bought before you approve it.`)
  const own = (change: { readonly prompt?: string | null; readonly frames?: number }, words: string): Promise<boolean> =>
    write({ animations: { [animation.name]: change } }, `${animation.id}: ${words}.`)
  const { price } = animation
  const isPicture = /[./]/.test(sprite.reference)
  return (
    <Card
      title="A new purchase"
      remark={price ? `would cost ${creditsWords(price.credits)}` : 'a change here is paid for'}
      class="inspector"
    >
      <fieldset disabled={!state.access.mayAct} aria-label="A new purchase">
        <div class="stack">
          <WrittenField
            rows={2}
            label={`Prompt of ${animation.name}`}
            value={animation.prompt}
            onCommit={(prompt) => own({ prompt: prompt === '' ? null : prompt }, 'another prompt')}
          />
          <NumberField
            label="Frames"
            value={animation.frames}
            min={frames.least}
            max={frames.most}
            step={1}
            onCommit={(count) => own({ frames: Math.round(count) }, `${Math.round(count)} frames`)}
          />
          <WrittenField
            rows={2}
            label={`Prompt of ${sprite.name}, for all its animations`}
            value={sprite.prompt}
            onCommit={(prompt) => write({ prompt }, `Another prompt of ${sprite.name}.`)}
          />
          {isPicture ? (
            <PictureDrop
              label={`Another picture instead of ${sprite.reference}`}
              isLocked={!state.access.mayAct}
              picture={undefined}
              onPicture={(picture) => picture && void write({ picture: picture.base64 }, `Another picture of ${sprite.name}.`)}
            />
          ) : (
            <p class="soft small">
              Its reference is a chain of {sprite.reference}. Edit them in {sprite.file}.
            </p>
          )}
        </div>
      </fieldset>
    </Card>
  )
}
