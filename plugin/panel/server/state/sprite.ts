import type { BuiltAtlas, DeliveredFrames, Overview, OverviewItem } from '../../../../src/index.ts'
import { meaningOf, ownMeaning } from '../../../../src/project/states.ts'
import { meantOf } from '../../../../src/sprite-spec/pictures.ts'
import { nameInSprite } from '../../../../src/sprite-spec/spec.ts'
import { fromRoot } from '../../../ids.ts'
import type {
  AnimationRow,
  PanelAnimation,
  PanelFrame,
  PanelFrames,
  PanelPage,
  PanelSprite,
  SpriteRow,
} from '../../../protocol/protocol.ts'
import { toPaid, toRequestRow } from './paid.ts'
import type { StateIndex, StateParts } from './parts.ts'

/** All frames of a take, in the form of the panel. */
export function toPanelFrames(id: string, { take, sheets, quality }: DeliveredFrames, urlOf: StateParts['urlOf']): PanelFrames {
  const [atlas] = sheets.atlases
  return {
    ...{ id, take, isPlaceholder: sheets.sprites[0]?.isPlaceholder ?? true },
    pages: toPages(atlas, urlOf),
    frames: (atlas?.frames ?? []).map(toFrame),
    flags: quality?.flags ?? [],
  }
}

type OwnAnimation = Overview['own'][number]

/** An animation with its request, or an animation of own art, which has none. */
export type ShownItem = OverviewItem | OwnAnimation

/**
 * A sprite in the list.
 *
 * @param items Its animations, at least one.
 */
export function toSpriteRow(parts: StateParts, items: readonly ShownItem[], index: StateIndex): SpriteRow {
  return { ...headOf(parts, items, index).head, animations: items.map((item) => toAnimationRow(parts, item, index)) }
}

/** The same sprite with all its details. */
export function toSprite(parts: StateParts, items: readonly ShownItem[], index: StateIndex): PanelSprite {
  const { head, spec, shown, atlas } = headOf(parts, items, index)
  const frames = new Map((atlas?.frames ?? []).map((frame) => [frame.name, toFrame(frame)] as const))
  return {
    ...head,
    prompt: spec.prompt,
    reference: spec.reference.kind === 'steps' ? `${spec.reference.steps.length} steps` : spec.reference.path,
    atlas: spec.atlas,
    size: toSize(spec.size),
    frame: { width: shown?.width ?? 0, height: shown?.height ?? 0 },
    anchor: spec.anchor ?? null,
    pixelArt: spec.pixelArt,
    isPlaceholder: shown?.isPlaceholder ?? true,
    pages: toPages(atlas, parts.urlOf),
    animations: items.map((item) => toAnimation(parts, item, index, { atlas, frames })),
  }
}

/** What all animations of a sprite are shown from. */
interface ShownFrames {
  readonly atlas: BuiltAtlas | undefined
  /** By the name of the frame. */
  readonly frames: ReadonlyMap<string, PanelFrame>
}

function headOf({ root, overview }: StateParts, items: readonly ShownItem[], index: StateIndex) {
  const { spec } = items[0] as ShownItem
  const shown = index.sprites.get(spec.name)
  const atlas = shown && index.atlases.get(shown.atlas)
  const head = {
    name: spec.name,
    background: spec.background,
    file: fromRoot(root, spec.file),
    digest: overview.digests.get(spec.file) ?? '',
    art: (atlas?.pages ?? []).map(({ sha256 }) => sha256.slice(0, 12)).join(' '),
  }
  return { head, spec, shown, atlas }
}

function toSize(size: OverviewItem['spec']['size']): PanelSprite['size'] {
  if (size === undefined) return null
  if (size.kind === 'longest') return size.px
  return size.kind === 'figure' ? { figure: size.px } : { width: size.width, height: size.height }
}

function toAnimationRow(parts: StateParts, item: ShownItem, index: StateIndex): AnimationRow {
  const { take, frames } = item.animation
  const common = { take, frames, ...lookOf(item, index), faults: index.quality.get(item.id)?.flags.length ?? 0 }
  const named = { ...common, name: nameInSprite(item.spec, item.animation) }
  return 'request' in item ? { ...toRequestRow(parts, item, index), ...named } : { ...ownMeaning, ...named, id: item.id }
}

function lookOf(item: ShownItem, index: StateIndex): Pick<AnimationRow, 'isPlaceholder' | 'isSuperseded'> {
  const isSuperseded = index.sprites.get(item.spec.name)?.superseded?.includes(item.animation.name) === true
  return { isPlaceholder: 'state' in item && item.state !== 'bought' && !isSuperseded, isSuperseded }
}

function toAnimation(parts: StateParts, item: ShownItem, index: StateIndex, shown: ShownFrames): PanelAnimation {
  const { meant: _, options: __, steps: ___, ...fields } = item.animation
  const common = {
    ...{ ...fields, ...lookOf(item, index), meant: meantOf(item.spec, item.animation), name: nameInSprite(item.spec, fields) },
    touchedUp: index.sprites.get(item.spec.name)?.touchedUp?.[fields.name] ?? [],
    played: toPlayed(item, shown),
    flags: index.quality.get(item.id)?.flags ?? [],
  }
  if (!('request' in item)) {
    const words = 'Own art: it costs nothing.'
    return { ...common, ...ownMeaning, id: item.id, words, takes: [], changed: [] }
  }
  const paid = toPaid(parts, item, index)
  return {
    ...paid,
    ...common,
    // A picture has steps, and the words of its last one.
    ...(fields.isPicture ? { prompt: paid.prompt } : {}),
    // Another take of the reference would be a purchase for everything that is made from it.
    takes: (isSharedReference(item) ? [] : item.takes).map((one) => {
      const isChosen = one.take === fields.take
      const { state, word, tone } = isChosen ? paid : meaningOf(one)
      return { take: one.take, state, word, tone, isChosen }
    }),
    changed: item.changed,
  }
}

/** Whether a picture is the reference itself, and the sprite has more that is made from it. */
function isSharedReference({ spec, animation: { isPicture, steps = [] } }: OwnAnimation): boolean {
  return isPicture === true && steps.length === 0 && spec.animations.length > 1
}

/** The frames in playing order. A picture is one frame. */
function toPlayed({ spec, animation }: OwnAnimation, { atlas, frames }: ShownFrames): PanelAnimation['played'] {
  const name = animation.name === '' ? spec.name : `${spec.name}/${animation.name}`
  const played = animation.isPicture ? [{ name, durationMs: 1000 }] : (atlas?.animations.find((one) => one.name === name)?.frames ?? [])
  return played.flatMap(({ name: frame, durationMs }) => {
    const placed = frames.get(frame)
    return placed ? [{ ...placed, durationMs }] : []
  })
}

function toPages(atlas: BuiltAtlas | undefined, urlOf: StateParts['urlOf']): readonly PanelPage[] {
  return (atlas?.pages ?? []).map((page) => ({ url: urlOf(page), width: page.width, height: page.height }))
}

/** The name of a frame ends with its number in the delivery. A picture is one frame. */
function toFrame({ name, anchor: _, borders: __, hull: ___, ...frame }: BuiltAtlas['frames'][number]): PanelFrame {
  return { ...frame, index: frame.isStill ? 0 : Number.parseInt(/\d+$/.exec(name)?.[0] ?? '0', 10) }
}
