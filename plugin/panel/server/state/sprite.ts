import type { AnimationQuality, BuiltAtlas, BuiltSheets, OverviewItem } from '../../../../src/index.ts'
import { meaningOf } from '../../../../src/project/states.ts'
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

/** The sprites of the last state by name, each with all its inputs. */
export type SpriteMemo = Map<string, { readonly from: readonly unknown[]; readonly sprite: PanelSprite }>

/** One sprite with all of its animations. Returns the same object as before if nothing of it has changed. */
export function toKnownSprite(memo: SpriteMemo, parts: StateParts, own: readonly OverviewItem[], index: StateIndex): PanelSprite {
  const { spec } = own[0] as OverviewItem
  const shown = index.sprites.get(spec.name)
  const from = [
    ...[shown, shown && index.atlases.get(shown.atlas), parts.overview.digests.get(spec.file), parts.prices, parts.failures],
    ...own.flatMap((item) => [
      ...[item, index.quality.get(item.id), parts.progress.get(item.id)],
      ...[index.spent.get(item.hash ?? ''), index.lines.get(item.hash ?? '')?.at],
    ]),
  ]
  const before = memo.get(spec.name)
  if (before?.from.length === from.length && before.from.every((one, at) => one === from[at])) return before.sprite
  const sprite = toSprite(parts, own, index)
  memo.set(spec.name, { from, sprite })
  return sprite
}

function toSprite(parts: StateParts, own: readonly OverviewItem[], index: StateIndex): PanelSprite {
  const { overview, root } = parts
  const { spec } = own[0] as OverviewItem
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
    animations: own.map((item) =>
      toAnimation(parts, item, index, {
        atlas,
        frames,
        isSuperseded: shown?.superseded?.includes(item.animation.name) === true,
        touchedUp: shown?.touchedUp?.[item.animation.name] ?? [],
      }),
    ),
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
  const { animation, spec, takes, changed } = item
  const { meant = [], options: _, ...fields } = animation
  const { name, take } = animation
  const played = atlas?.animations.find((one) => one.name === `${spec.name}/${name}`)?.frames ?? []
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
    played: played.flatMap(({ name: frame, durationMs }) => {
      const placed = frames.get(frame)
      return placed ? [{ ...placed, durationMs }] : []
    }),
    flags: quality?.flags ?? [],
  }
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
