import type { AnimationQuality, BuiltAtlas, BuiltSheets, Overview, OverviewItem } from '../../../../src/index.ts'
import { meaningOf, ownMeaning } from '../../../../src/project/states.ts'
import { fromRoot } from '../../../ids.ts'
import type { PanelAnimation, PanelFrame, PanelFrames, PanelLook, PanelPage, PanelSprite, PanelTake } from '../../../protocol/protocol.ts'
import { toPaid } from './paid.ts'
import type { StateIndex, StateParts } from './parts.ts'

/** All frames of a take, in the form of the panel. */
export function toPanelFrames(
  id: string,
  take: number,
  sheets: BuiltSheets,
  quality: AnimationQuality | undefined,
  urlOf: StateParts['urlOf'],
): PanelFrames {
  const [sprite] = sheets.sprites
  const [atlas] = sheets.atlases
  return {
    id,
    take,
    isPlaceholder: sprite?.isPlaceholder ?? true,
    pages: toPages(atlas, urlOf),
    frames: atlas ? atlas.frames.map((frame) => toFrame(frame)) : [],
    flags: quality?.flags ?? [],
  }
}

/** The requests of a sprite, or its own art. */
export interface SpriteParts {
  readonly items: readonly OverviewItem[]
  readonly drawn: readonly OwnAnimation[]
}

type OwnAnimation = Overview['own'][number]

/** The sprites of the last state by name, each with all its inputs. */
export type SpriteMemo = Map<string, { readonly from: readonly unknown[]; readonly sprite: PanelSprite }>

/** One sprite with all of its animations. Returns the same object as before if nothing of it has changed. */
export function toKnownSprite(memo: SpriteMemo, parts: StateParts, { items, drawn }: SpriteParts, index: StateIndex): PanelSprite {
  const { spec } = (items[0] ?? drawn[0]) as Pick<OwnAnimation, 'spec'>
  const shown = index.sprites.get(spec.name)
  const from = [
    ...[shown, shown && index.atlases.get(shown.atlas), parts.overview.digests.get(spec.file), parts.prices, parts.failures],
    ...drawn.flatMap(({ id }) => [spec, index.quality.get(id)]),
    ...items.flatMap((item) => [
      ...[item, index.quality.get(item.id), parts.progress.get(item.id)],
      ...[index.spent.get(item.hash ?? ''), index.lines.get(item.hash ?? '')?.at],
    ]),
  ]
  const before = memo.get(spec.name)
  if (before?.from.length === from.length && before.from.every((one, at) => one === from[at])) return before.sprite
  const sprite = toSprite(parts, { items, drawn }, index)
  memo.set(spec.name, { from, sprite })
  return sprite
}

function toSprite(parts: StateParts, { items, drawn }: SpriteParts, index: StateIndex): PanelSprite {
  const { overview, root } = parts
  const { spec } = (items[0] ?? drawn[0]) as Pick<OwnAnimation, 'spec'>
  const shown = index.sprites.get(spec.name)
  const atlas = shown && index.atlases.get(shown.atlas)
  const frames = new Map((atlas?.frames ?? []).map((frame) => [frame.name, toFrame(frame)] as const))
  return {
    name: spec.name,
    file: fromRoot(root, spec.file),
    digest: overview.digests.get(spec.file) ?? '',
    prompt: spec.prompt,
    background: spec.background,
    reference: spec.reference.kind === 'steps' ? `${spec.reference.steps.length} steps` : spec.reference.path,
    atlas: spec.atlas,
    size: toSize(spec.size),
    frame: { width: shown?.width ?? 0, height: shown?.height ?? 0 },
    anchor: spec.anchor ?? null,
    pixelArt: spec.pixelArt,
    isPlaceholder: shown?.isPlaceholder ?? true,
    pages: toPages(atlas, parts.urlOf),
    animations: [
      ...items.map((item) =>
        toAnimation(parts, item, index, {
          atlas,
          frames,
          isSuperseded: shown?.superseded?.includes(item.animation.name) === true,
          touchedUp: shown?.touchedUp?.[item.animation.name] ?? [],
        }),
      ),
      ...drawn.map((one) => toDrawn(one, index, { atlas, frames })),
    ],
  }
}

function toSize(size: OverviewItem['spec']['size']): PanelSprite['size'] {
  if (size === undefined) return null
  if (size.kind === 'longest') return size.px
  return size.kind === 'figure' ? { figure: size.px } : { width: size.width, height: size.height }
}

/** What a page shows of an animation. */
interface ShownAnimation {
  readonly atlas: BuiltAtlas | undefined
  readonly frames: ReadonlyMap<string, PanelFrame>
  readonly isSuperseded: boolean
  readonly touchedUp: readonly number[]
}

function toAnimation(
  parts: StateParts,
  item: OverviewItem,
  index: StateIndex,
  { atlas, frames, isSuperseded, touchedUp }: ShownAnimation,
): PanelAnimation {
  const { animation, takes, changed } = item
  const { meant = [], options: _, ...fields } = animation
  const { take } = animation
  const quality = index.quality.get(item.id)
  const paid = toPaid(parts, item, index)
  return {
    ...paid,
    ...fields,
    takes: takes.map((one) => (one.take === take ? toTake(take, paid, true) : toTake(one.take, meaningOf(one), false))),
    changed,
    meant,
    touchedUp,
    isPlaceholder: item.state !== 'bought' && !isSuperseded,
    isSuperseded,
    played: toPlayed(item, { atlas, frames }),
    flags: quality?.flags ?? [],
  }
}

/** An animation or picture of own art: it has no request and no takes. */
function toDrawn(one: OwnAnimation, index: StateIndex, shown: Pick<ShownAnimation, 'atlas' | 'frames'>): PanelAnimation {
  const { meant = [], options: _, ...fields } = one.animation
  const { id } = one
  return {
    ...{ ...fields, ...ownMeaning, id, meant, words: 'Own art: it costs nothing.' },
    ...{ takes: [], changed: [], touchedUp: [], isPlaceholder: false, isSuperseded: false },
    name: fields.name || one.spec.name,
    played: toPlayed(one, shown),
    flags: index.quality.get(id)?.flags ?? [],
  }
}

/** The frames in playing order. A picture is one frame. */
function toPlayed(
  { spec, animation }: OwnAnimation,
  { atlas, frames }: Pick<ShownAnimation, 'atlas' | 'frames'>,
): PanelAnimation['played'] {
  const name = animation.name === '' ? spec.name : `${spec.name}/${animation.name}`
  const played = animation.isPicture ? [{ name, durationMs: 1000 }] : (atlas?.animations.find((one) => one.name === name)?.frames ?? [])
  return played.flatMap(({ name: frame, durationMs }) => {
    const placed = frames.get(frame)
    return placed ? [{ ...placed, durationMs }] : []
  })
}

function toTake(take: number, { state, word, tone }: PanelLook, isChosen: boolean): PanelTake {
  return { take, state, word, tone, isChosen }
}

function toPages(atlas: BuiltAtlas | undefined, urlOf: StateParts['urlOf']): readonly PanelPage[] {
  return (atlas?.pages ?? []).map((page) => ({ url: urlOf(page), width: page.width, height: page.height }))
}

/** The name of a frame ends with its number in the delivery. */
function toFrame({ name, anchor: _, borders: __, hull: ___, ...frame }: BuiltAtlas['frames'][number]): PanelFrame {
  return { ...frame, index: Number.parseInt(/\d+$/.exec(name)?.[0] ?? '0', 10) }
}
