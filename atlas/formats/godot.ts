import type { AtlasAnimation } from '../atlas.ts'
import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { toTextFile } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'
import { playedFrames, withStills } from './shared/played.ts'
import { toUniqueNames } from './shared/safe-names.ts'

/** Options of {@link createGodotFormat}. */
export interface GodotOptions {
  /**
   * Folder of the pages, e.g. `res://sprites/`.
   *
   * @default the folder of the resource, in which Godot finds the pages by file name
   */
  readonly path?: string
}

/**
 * Godot 4: a `SpriteFrames` resource per group, for `AnimatedSprite2D`. A picture is an animation of one frame:
 * `get_frame_texture("ui/sword", 0)`.
 *
 * Frames are `AtlasTexture`s whose margin restores the untrimmed size. Their ids come from their names, so
 * that a repack changes only few lines; `resource_name` is the full name. Durations are multiples of `1 /
 * speed`. If an animation plays forwards and backwards, its backward frames are written too. The format has no
 * anchors, borders and outlines. For pixel art, set `texture_filter` to Nearest in the project.
 *
 * Files: `NAME.tres`, at scales other than 1 `NAME@0.5x.tres`.
 *
 * @see Godot's TSCN file format, `SpriteFrames`, `AtlasTexture`.
 */
export function createGodotFormat({ path = '' }: GodotOptions = {}): EngineFormat {
  return {
    name: 'godot',
    ...abilities.godot,
    write: (atlases: readonly EncodedAtlas[]): readonly OutputFile[] =>
      atlases
        .filter((encoded) => encoded.pages.length > 0)
        .map((encoded) => toTextFile(`${encoded.atlas.name}${scaleSuffix(encoded.atlas.scale)}.tres`, toSpriteFrames(encoded, path))),
  }
}

/** {@link createGodotFormat} without options. */
export const godot: EngineFormat = createGodotFormat()

/**
 * The text of a `SpriteFrames` resource.
 *
 * @param path Prefix of the pages' names.
 */
export function toSpriteFrames({ atlas, pages }: EncodedAtlas, path: string): string {
  const spell = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, '_')
  const ids = toUniqueNames(
    atlas.frames.map((frame) => frame.name),
    (name) => `AtlasTexture_${spell(name)}`,
    '_',
  )
  const steps = pages.length + atlas.frames.length + 1
  return [
    `[gd_resource type="SpriteFrames" load_steps=${steps} format=3]`,
    '',
    ...pages.map(({ file }, index) => `[ext_resource type="Texture2D" path=${quote(`${path}${file}`)} id="page_${index}"]`),
    '',
    ...atlas.frames.map((frame) => toAtlasTexture(frame, ids.get(frame.name)!)),
    '[resource]',
    `animations = [${withStills(atlas)
      .map((animation) => toGodotAnimation(animation, ids))
      .join(', ')}]`,
    '',
  ].join('\n')
}

function toAtlasTexture({ name, page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight }: PlacedFrame, id: string): string {
  const margin = [offsetX, offsetY, sourceWidth - width, sourceHeight - height]
  return [
    `[sub_resource type="AtlasTexture" id="${id}"]`,
    `resource_name = ${quote(name)}`,
    `atlas = ExtResource("page_${page}")`,
    `region = Rect2(${[x, y, width, height].join(', ')})`,
    ...(margin.every((side) => side === 0) ? [] : [`margin = Rect2(${margin.join(', ')})`]),
    '',
  ].join('\n')
}

function toGodotAnimation(animation: AtlasAnimation, ids: ReadonlyMap<string, string>): string {
  const frames = playedFrames(animation).map(({ name, durationMs }) =>
    ['{', `"duration": ${toFloat((durationMs * animation.fps) / 1000)},`, `"texture": SubResource("${ids.get(name)!}")`, '}'].join('\n'),
  )
  return [
    '{',
    `"frames": [${frames.join(', ')}],`,
    `"loop": ${animation.loop},`,
    `"name": &${quote(animation.name)},`,
    `"speed": ${toFloat(animation.fps)}`,
    '}',
  ].join('\n')
}

/** At most six decimals and at least one, which marks a float in Godot. */
function toFloat(value: number): string {
  const text = String(Math.round(value * 1e6) / 1e6)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
