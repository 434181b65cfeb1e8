import type { AnimationQuality, BuiltAtlas, BuiltPage, DeliveredFrames, Overview, OverviewItem } from '../../../src/index.ts'
import { meaningOf, ownMeaning } from '../../../src/project/states.ts'
import { meantOf } from '../../../src/sprite-spec/pictures.ts'
import { frameName, nameInSprite } from '../../../src/sprite-spec/spec.ts'
import { fromRoot } from '../../ids.ts'
import type { Json } from './json.ts'
import { type PanelPaid, type RequestRow, toPaid, toRequestRow } from './paid.ts'
import type { IndexedParts, StateParts } from './parts.ts'

/** One sprite in the list. */
export type SpriteRow = Json<ReturnType<typeof toSpriteRow>>

/** One animation in the list: what decides its place, its state and its price. */
export type AnimationRow = Json<ReturnType<typeof toAnimationRow>>

/** One sprite with all its details: one spec file. */
export type PanelSprite = Json<ReturnType<typeof toSprite>>

/** One animation, with the fields of its spec. */
export type PanelAnimation = Json<ReturnType<typeof toAnimation>>

/** Another result for the same request, bought beside the others. */
export type PanelTake = PanelAnimation['takes'][number]

/** All frames of one take as delivered, without `use` and `durations`. */
export type PanelFrames = Json<ReturnType<typeof toPanelFrames>>

/** One frame and its place on a page of {@link PanelSprite} or {@link PanelFrames}. */
export type PanelFrame = Json<ReturnType<typeof toFrame>>

/** One packed picture. */
export type PanelPage = Json<ReturnType<typeof toPage>>

/** A possible fault of frames that a person should check. */
export type PanelFlag = AnimationQuality['flags'][number]

/** All frames of a take, in the form of the panel. */
export function toPanelFrames(id: string, { take, sheets, quality }: DeliveredFrames, urlOf: StateParts['urlOf']) {
  const [atlas] = sheets.atlases
  return {
    ...{ id, take, isPlaceholder: sheets.sprites[0]?.isPlaceholder ?? true },
    pages: atlas?.pages.map((page) => toPage(page, urlOf)) ?? [],
    /** In the order of the delivery. */
    frames: atlas?.frames.map(toFrame) ?? [],
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
export function toSpriteRow(parts: IndexedParts, items: readonly ShownItem[]) {
  return { ...headOf(parts, items).head, animations: items.map((item) => toAnimationRow(parts, item)) }
}

/** The same sprite with all its details. */
export function toSprite(parts: IndexedParts, items: readonly ShownItem[]) {
  const { head, spec, shown, atlas } = headOf(parts, items)
  const frames = new Map(atlas?.frames.map((frame) => [frame.name, toFrame(frame)]))
  return {
    ...head,
    prompt: spec.prompt,
    /** The reference as a text: `./hero.png`, or `4 steps`. */
    reference: spec.reference.kind === 'steps' ? `${spec.reference.steps.length} steps` : spec.reference.path,
    atlas: spec.atlas,
    size: toSize(spec.size),
    /** Size of an untrimmed frame at scale 1, in pixels, as it is shown now. */
    frame: { width: shown?.width ?? 0, height: shown?.height ?? 0 },
    /** As in the spec; null if it has none. */
    anchor: spec.anchor ?? null,
    pixelArt: spec.pixelArt,
    /** Whether any part of it is a placeholder. */
    isPlaceholder: shown?.isPlaceholder ?? true,
    /** Pages of the sprite's own dev atlas at its largest scale. */
    pages: atlas?.pages.map((page) => toPage(page, parts.urlOf)) ?? [],
    /** In the order of the spec. */
    animations: items.map((item) => toAnimation(parts, item, { atlas, frames })),
  }
}

/** What all animations of a sprite are shown from. */
interface ShownFrames {
  readonly atlas: BuiltAtlas | undefined
  /** By the name of the frame. */
  readonly frames: ReadonlyMap<string, PanelFrame>
}

function headOf({ root, overview, sprites, atlases }: IndexedParts, items: readonly ShownItem[]) {
  const { spec } = items[0] as ShownItem
  const shown = sprites.get(spec.name)
  const atlas = shown && atlases.get(shown.atlas)
  const head = {
    name: spec.name,
    background: spec.background,
    /** Path of its spec from the project's root, with forward slashes. */
    file: fromRoot(root, spec.file),
    /**
     * SHA-256 of the spec file as it was read. An edit sends this digest back. The server refuses the edit if
     * the file has changed since.
     */
    digest: overview.digests.get(spec.file) ?? '',
    /** Changes when its pages do; empty until they are made. */
    art: (atlas?.pages ?? []).map(({ sha256 }) => sha256.slice(0, 12)).join(' '),
  }
  return { head, spec, shown, atlas }
}

type PanelSize = number | { readonly width: number; readonly height: number } | { readonly figure: number } | null

/** As in the spec; null if frames keep their delivered size. */
function toSize(size: OverviewItem['spec']['size']): PanelSize {
  if (size === undefined) return null
  if (size.kind === 'longest') return size.px
  return size.kind === 'figure' ? { figure: size.px } : { width: size.width, height: size.height }
}

function toAnimationRow(parts: IndexedParts, item: ShownItem) {
  const paid: RequestRow = 'request' in item ? toRequestRow(parts, item) : { ...ownMeaning, id: item.id }
  const { take, frames } = item.animation
  return {
    ...paid,
    ...{ take, frames, ...lookOf(parts, item), name: nameInSprite(item.spec, item.animation) },
    /** Number of possible faults that a person should check. */
    faults: parts.quality.get(item.id)?.flags.length ?? 0,
  }
}

function lookOf({ sprites }: IndexedParts, item: ShownItem) {
  const isSuperseded = sprites.get(item.spec.name)?.superseded?.includes(item.animation.name) === true
  return {
    /** Whether a placeholder is shown. */
    isPlaceholder: 'state' in item && item.state !== 'bought' && !isSuperseded,
    /** Whether the result from before a change of the animation is shown, until the new result is bought. */
    isSuperseded,
  }
}

function toAnimation(parts: IndexedParts, item: ShownItem, shown: ShownFrames) {
  const { meant: _, options: __, steps: ___, ...fields } = item.animation
  const own = { ...ownMeaning, id: item.id, words: 'Own art: it costs nothing.', prompt: fields.prompt }
  const paid: PanelPaid = 'request' in item ? toPaid(parts, item) : own
  return {
    ...{ ...paid, ...fields, ...lookOf(parts, item), name: nameInSprite(item.spec, fields) },
    // A picture has steps, and the words of its last one.
    prompt: fields.isPicture ? paid.prompt : fields.prompt,
    /** Remarks of the quality check that the spec calls meant. */
    meant: meantOf(item.spec, item.animation),
    /** Delivered frames that a picture touched up by hand replaces. */
    touchedUp: parts.sprites.get(item.spec.name)?.touchedUp?.[fields.name] ?? [],
    /** The played frames with their times, without the way back of a `yoyo`. Their pages are the sprite's. */
    played: toPlayed(item, shown),
    /** Possible faults that a person should check. */
    flags: parts.quality.get(item.id)?.flags ?? [],
    /** All takes that are bought, approved or running, and the one that the spec names; ascending. */
    takes: toTakes(item, paid),
    /** Paid fields that changed since the last purchase, e.g. `prompt`. */
    changed: 'request' in item ? item.changed : [],
  }
}

/** Another take of a reference would be a purchase for everything that is made from it. */
function toTakes(item: ShownItem, paid: PanelPaid) {
  if (!('request' in item) || isSharedReference(item)) return []
  return item.takes.map((one) => {
    const isChosen = one.take === item.animation.take
    const { state, word, tone } = isChosen ? paid : meaningOf(one)
    return {
      take: one.take,
      state,
      word,
      tone,
      /** Whether the spec names it. */
      isChosen,
    }
  })
}

/** Whether a picture is the reference itself, and the sprite has more that is made from it. */
function isSharedReference({ spec, animation: { isPicture, steps = [] } }: OwnAnimation): boolean {
  return isPicture === true && steps.length === 0 && spec.animations.length > 1
}

/** The frames in playing order. A picture is one frame. */
function toPlayed({ spec, animation }: OwnAnimation, { atlas, frames }: ShownFrames) {
  const played = animation.isPicture
    ? [{ name: frameName(spec, animation, 0), durationMs: 1000 }]
    : (atlas?.animations.find(({ name }) => name === `${spec.name}/${animation.name}`)?.frames ?? [])
  return played.flatMap(({ name: frame, durationMs }) => {
    const placed = frames.get(frame)
    return placed ? [{ ...placed, durationMs }] : []
  })
}

function toPage(page: BuiltPage, urlOf: StateParts['urlOf']) {
  return {
    /** Absolute path on this server, with the hash of the content in it. */
    url: urlOf(page),
    width: page.width,
    height: page.height,
  }
}

function toFrame({ name, anchor: _, borders: __, hull: ___, boxes: ____, ...frame }: BuiltAtlas['frames'][number]) {
  return {
    ...frame,
    /** Number of the delivered frame, from 0, with which its name ends. A picture is one frame. */
    index: frame.isStill ? 0 : Number.parseInt(/\d+$/.exec(name)?.[0] ?? '0', 10),
  }
}
