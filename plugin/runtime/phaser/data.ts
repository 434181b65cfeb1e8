import type Phaser from 'phaser'
import { type AnimationData, type AtlasData, type BorderRow, type BoxRows, bordersOf, type FrameRow, type Outline } from '../shared/data.ts'

/** One frame of Phaser's JSON, as `textures/parsers/JSONHash.js` reads it. */
export interface PhaserFrame {
  readonly filename: string
  readonly frame: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly rotated: false
  readonly trimmed: boolean
  readonly spriteSourceSize: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly sourceSize: { readonly w: number; readonly h: number }
  readonly anchor?: { readonly x: number; readonly y: number }
  /** The part of a nine-slice that stretches. */
  readonly scale9Borders?: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  /** Phaser stores it as `frame.customData.hull`. */
  readonly hull?: Outline
  /** Phaser stores it as `frame.customData.boxes`. */
  readonly boxes?: BoxRows
}

function toFrame(
  filename: string,
  row: FrameRow,
  borders: BorderRow | undefined,
  { hull, boxes }: Pick<PhaserFrame, 'hull' | 'boxes'>,
): PhaserFrame {
  const [, x, y, w, h, ox, oy, sw, sh, ax, ay] = row
  return {
    filename,
    frame: { x, y, w, h },
    rotated: false,
    trimmed: w !== sw || h !== sh,
    spriteSourceSize: { x: ox, y: oy, w, h },
    sourceSize: { w: sw, h: sh },
    ...(ax === undefined || ay === undefined ? {} : { anchor: { x: ax, y: ay } }),
    ...(borders ? { scale9Borders: toMiddle(borders, sw, sh) } : {}),
    ...(hull ? { hull } : {}),
    ...(boxes ? { boxes } : {}),
  }
}

function toMiddle([x, y, right, bottom]: BorderRow, sw: number, sh: number): NonNullable<PhaserFrame['scale9Borders']> {
  return { x, y, w: sw - x - right, h: sh - y - bottom }
}

/** Phaser's `textures[]` of an atlas: one entry for each page, with its frames as an array. */
export function toTextures(atlas: AtlasData): { readonly image: string; readonly frames: readonly PhaserFrame[] }[] {
  return atlas.pages.map((_, index) => ({
    image: String(index),
    frames: Object.entries(atlas.frames)
      .filter(([, row]) => row[0] === index)
      .map(([name, row]) => toFrame(name, row, bordersOf(atlas, name), { hull: atlas.outlines?.[name], boxes: atlas.boxes?.[name] })),
  }))
}

/**
 * The configuration of one animation for `anims.create`. A frame's `duration` is absolute milliseconds
 * (Phaser 3.90 and 4).
 *
 * @param key Texture key of the atlas.
 */
export function toAnimation(name: string, animation: AnimationData, key: string): Phaser.Types.Animations.Animation {
  return {
    key: name,
    frames: animation.frames.map(([frame, duration]) => ({ key, frame, duration })),
    frameRate: animation.fps,
    repeat: animation.loop ? -1 : 0,
    yoyo: animation.yoyo,
    skipMissedFrames: true,
  }
}
