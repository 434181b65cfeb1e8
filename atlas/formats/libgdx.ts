import { AtlasError } from '../errors.ts'
import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { onPage, toTextFile } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'
import { playedFrames, toWholeMs } from './shared/played.ts'

/**
 * libGDX 1.9.13 and newer: one `.atlas` file per group, with all of its pages.
 *
 * Each frame is a region with its own name. Each animation is a list of regions with its name and with
 * `index` in playing order, including backward frames: `atlas.findRegion("hero/walk/0000")`, `new Animation<>(1
 * / 12f, atlas.findRegions("hero/walk"), LOOP)`. `region.findValue` returns further values: `duration` in
 * whole milliseconds, `origin` in whole pixels from the bottom left if there is an anchor, `split` for
 * nine-patches. Offsets count from the bottom, as libGDX expects.
 *
 * Files: `NAME.atlas`, at scales other than 1 `NAME@0.5x.atlas`.
 *
 * @see libGDX `TextureAtlas`; Spine reads the same files.
 */
export const libgdx: EngineFormat = { name: 'libgdx', ...abilities.libgdx, write: writeLibgdx }

function writeLibgdx(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  return atlases
    .filter((encoded) => encoded.pages.length > 0)
    .map((encoded) => toTextFile(`${encoded.atlas.name}${scaleSuffix(encoded.atlas.scale)}.atlas`, toLibgdxAtlas(encoded)))
}

/**
 * The text of an atlas.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` for names that the format cannot represent.
 */
export function toLibgdxAtlas(encoded: EncodedAtlas): string {
  const filter = encoded.atlas.pixelArt ? 'Nearest' : 'Linear'
  const blocks = encoded.pages.map(({ file, width, height }, page) => {
    const { frames, animations } = onPage(encoded, page)
    const byName = new Map(frames.map((frame) => [frame.name, frame] as const))
    const played = animations.flatMap((animation) => {
      const steps = playedFrames(animation)
      const durations = toWholeMs(steps.map((frame) => frame.durationMs))
      return steps.flatMap(({ name }, index) => [
        checkName(animation.name),
        `index: ${index}`,
        ...toRegion(byName.get(name)!),
        `duration: ${durations[index]!}`,
      ])
    })
    return [
      checkName(file),
      `size: ${width}, ${height}`,
      'format: RGBA8888',
      `filter: ${filter}, ${filter}`,
      'repeat: none',
      ...frames.flatMap((frame) => [checkName(frame.name), ...toRegion(frame)]),
      ...played,
      '',
    ].join('\n')
  })
  return blocks.join('\n')
}

function toRegion(frame: PlacedFrame): readonly string[] {
  const { x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight, anchor, borders } = frame
  const bottom = sourceHeight - offsetY - height
  const origin = anchor && [Math.round(anchor.x * sourceWidth), Math.round((1 - anchor.y) * sourceHeight)]
  return [
    `bounds: ${x}, ${y}, ${width}, ${height}`,
    `offsets: ${offsetX}, ${bottom}, ${sourceWidth}, ${sourceHeight}`,
    ...(origin ? [`origin: ${origin.join(', ')}`] : []),
    ...(borders ? [`split: ${[borders.left, borders.right, borders.top, borders.bottom].join(', ')}`] : []),
  ]
}

function checkName(name: string): string {
  if (name.trim() === name && name !== '' && !/[:\r\n]/.test(name)) return name
  throw new AtlasError('SW_ATLAS_OPTION', {
    message: `Expected names that a libGDX atlas can hold, without colons and line breaks, found ${JSON.stringify(name)}. Rename it.`,
    facts: { name },
  })
}
