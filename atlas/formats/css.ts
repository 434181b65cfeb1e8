import type { AtlasAnimation } from '../atlas.ts'
import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { toTextFile } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'
import { playedFrames } from './shared/played.ts'
import { toUniqueNames } from './shared/safe-names.ts'

/**
 * Style sheets. A page without scripts plays `<i data-animation="hero/walk"></i>` and shows the still `<i
 * data-frame="hero/walk/0000"></i>`.
 *
 * An element has the untrimmed size. Its background is the page, moved to the frame, and `clip-path` hides
 * the other frames. Sizes are those at scale 1, at every scale of the page. An anchor becomes
 * `transform-origin`. Pixel art gets `image-rendering: pixelated`.
 *
 * Files: `NAME.css`, at scales other than 1 `NAME@0.5x.css`.
 */
export const css: EngineFormat = { name: 'css', ...abilities.css, write: writeCss }

function writeCss(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  return atlases
    .filter((encoded) => encoded.pages.length > 0)
    .map((encoded) => toTextFile(`${encoded.atlas.name}${scaleSuffix(encoded.atlas.scale)}.css`, toCss(encoded)))
}

/** The style sheet of an atlas. */
export function toCss(encoded: EncodedAtlas): string {
  const { atlas } = encoded
  const byName = new Map(atlas.frames.map((frame) => [frame.name, frame] as const))
  const idents = toUniqueNames(
    atlas.animations.map((animation) => animation.name),
    (name) => `sprite-${name.replace(/[^A-Za-z0-9_-]/g, '-')}`,
    '-',
  )
  const stills = atlas.frames.map((frame) => {
    const box = toBox(encoded, frame)
    return rule(`[data-frame=${quote(frame.name)}]`, [...box, ...toPlace(encoded, frame)])
  })
  const moving = atlas.animations.flatMap((animation) => {
    const first = byName.get(animation.frames[0]?.name ?? '')
    if (first === undefined) return []
    const ident = idents.get(animation.name)!
    const play = `animation: ${ident} ${toDecimal(durationOf(animation))}ms step-end ${animation.loop ? 'infinite' : 'forwards'}`
    return [
      rule(`[data-animation=${quote(animation.name)}]`, [...toBox(encoded, first), ...toPlace(encoded, first), play]),
      `@keyframes ${ident} {\n${toKeyframes(encoded, animation, byName).join('\n')}\n}`,
    ]
  })
  return `${[...stills, ...moving].join('\n')}\n`
}

/** Declarations that are the same for all frames of a page. */
function toBox({ atlas, pages }: EncodedAtlas, { page, sourceWidth, sourceHeight, anchor }: PlacedFrame): readonly string[] {
  const { file, width, height } = pages[page]!
  const px = (value: number): string => `${toDecimal(value / atlas.scale)}px`
  return [
    'display: inline-block',
    `width: ${px(sourceWidth)}`,
    `height: ${px(sourceHeight)}`,
    `background: url(${quote(file.split('/').map(encodeURIComponent).join('/'))}) no-repeat`,
    `background-size: ${px(width)} ${px(height)}`,
    ...(atlas.pixelArt ? ['image-rendering: pixelated'] : []),
    ...(anchor ? [`transform-origin: ${toDecimal(anchor.x * 100)}% ${toDecimal(anchor.y * 100)}%`] : []),
  ]
}

/** Declarations that differ from frame to frame. */
function toPlace({ atlas }: EncodedAtlas, frame: PlacedFrame): readonly string[] {
  const { x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight } = frame
  const px = (value: number): string => `${toDecimal(value / atlas.scale)}px`
  const inset = [offsetY, sourceWidth - offsetX - width, sourceHeight - offsetY - height, offsetX]
  return [`background-position: ${px(offsetX - x)} ${px(offsetY - y)}`, `clip-path: inset(${inset.map(px).join(' ')})`]
}

/**
 * A keyframe at the start of each frame, and the last frame again at 100 %, where an animation that plays
 * once stops.
 */
function toKeyframes(encoded: EncodedAtlas, animation: AtlasAnimation, byName: ReadonlyMap<string, PlacedFrame>): readonly string[] {
  const whole = durationOf(animation)
  const played = playedFrames(animation)
  let begin = 0
  const frames = played.map(({ name, durationMs }) => {
    const line = rule(`  ${toDecimal((begin / whole) * 100)}%`, toPlace(encoded, byName.get(name)!))
    begin += durationMs
    return line
  })
  return [...frames, rule('  100%', toPlace(encoded, byName.get(played.at(-1)!.name)!))]
}

function durationOf(animation: AtlasAnimation): number {
  return playedFrames(animation).reduce((sum, { durationMs }) => sum + durationMs, 0)
}

function rule(selector: string, declarations: readonly string[]): string {
  return `${selector} { ${declarations.join('; ')} }`
}

/** At most six decimals, no exponent. */
function toDecimal(value: number): string {
  return String(Math.round(value * 1e6) / 1e6)
}

function quote(text: string): string {
  return `"${text.replace(/["\\\n\r\f]/g, (mark) => `\\${mark.charCodeAt(0).toString(16)} `)}"`
}
