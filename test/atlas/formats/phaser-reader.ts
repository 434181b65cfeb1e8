import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Bitmap } from '../../../atlas/bitmap.ts'
import { isOffered, packageFolder } from '../../kit/extras.ts'
import { type ReadAnimation, type ReadFrame, restored } from './suite.ts'

const require = createRequire(import.meta.url)

/** A frame of Phaser's own class, with the fields that drawing needs. */
interface PhaserFrame {
  readonly name: string
  readonly sourceIndex: number
  readonly cutX: number
  readonly cutY: number
  readonly cutWidth: number
  readonly cutHeight: number
  /** Offset of the cut rectangle in the whole frame. */
  readonly x: number
  readonly y: number
  readonly realWidth: number
  readonly realHeight: number
  readonly rotated: boolean
  readonly customPivot: boolean
  readonly pivotX: number
  readonly pivotY: number
  readonly data: { readonly scale9: boolean; readonly scale9Borders: { x: number; y: number; w: number; h: number } }
  readonly customData: { readonly hull?: readonly (readonly [number, number])[]; readonly name?: string }
}

type Parser = (texture: PhaserTexture, ...rest: never[]) => unknown

/** The parts of a texture that Phaser's parsers use. A real texture needs a renderer. */
interface PhaserTexture {
  readonly source: readonly { readonly width: number; readonly height: number }[]
  readonly customData: Record<string, unknown>
  readonly frames: Map<string, PhaserFrame>
  add(name: string, sourceIndex: number, x: number, y: number, width: number, height: number): PhaserFrame | null
}

/** The argument of `AnimationManager.create`. */
export interface PhaserAnimationConfig {
  readonly key: string
  readonly frames: readonly { readonly key: string; readonly frame: string; readonly duration?: number }[]
  readonly frameRate?: number
  readonly repeat?: number
  readonly yoyo?: boolean
}

interface PhaserAnimation {
  readonly frames: readonly { readonly duration: number; readonly frame: PhaserFrame }[]
  readonly msPerFrame: number
  readonly repeat: number
  readonly yoyo: boolean
}

/** The major versions that the package supports. */
const phasers = { 'Phaser 4': 'phaser', 'Phaser 3': 'phaser3' } as const

/** A major version of Phaser. */
export type PhaserVersion = keyof typeof phasers

/** The major versions that are here. The quick level has only the newest. */
export const phaserVersions: readonly PhaserVersion[] = (Object.keys(phasers) as PhaserVersion[]).filter((version) =>
  isOffered(phasers[version]),
)

/** A module of Phaser's own source. Its bundle needs a browser, its parsers do not. */
export function phaserModule<T>(version: PhaserVersion, path: string): T {
  return require(join(packageFolder(phasers[version]), 'src', path)) as T
}

/** A texture of these pages for Phaser's own parsers. Its frames have Phaser's own class. */
export function createPhaserTexture(version: PhaserVersion, pages: readonly Bitmap[]): PhaserTexture {
  const Frame = phaserModule<new (...args: unknown[]) => PhaserFrame>(version, 'textures/Frame.js')
  const texture: PhaserTexture = {
    source: pages.map(({ width, height }) => ({ width, height })),
    customData: {},
    frames: new Map(),
    add: (name, sourceIndex, x, y, width, height) => {
      if (texture.frames.has(name)) return null
      const frame = new Frame(texture, name, sourceIndex, x, y, width, height)
      texture.frames.set(name, frame)
      return frame
    },
  }
  return texture
}

/** Runs one of Phaser's parsers over a page. */
export function parseInto(version: PhaserVersion, texture: PhaserTexture, parser: string, ...args: readonly unknown[]): void {
  phaserModule<Parser>(version, `textures/parsers/${parser}.js`)(texture, ...(args as never[]))
}

/** The frames of a texture as Phaser draws them, by name, without the one of the whole page. */
export function drawnFrames(texture: PhaserTexture, pages: readonly Bitmap[]): Map<string, ReadFrame> {
  const frames = [...texture.frames.values()].filter(({ name }) => name !== '__BASE')
  return new Map(frames.map((frame) => [frame.name, drawn(frame, pages[frame.sourceIndex]!)] as const))
}

function drawn(frame: PhaserFrame, page: Bitmap): ReadFrame {
  if (frame.rotated) throw new Error(`${frame.name} is turned, which Phaser draws wrongly`)
  const from = { x: frame.cutX, y: frame.cutY, width: frame.cutWidth, height: frame.cutHeight }
  const size = { width: frame.realWidth, height: frame.realHeight }
  const { scale9, scale9Borders: centre } = frame.data
  return {
    picture: restored(page, from, frame, size),
    anchor: frame.customPivot ? { x: frame.pivotX, y: frame.pivotY } : undefined,
    borders: scale9
      ? { left: centre.x, top: centre.y, right: size.width - centre.w - centre.x, bottom: size.height - centre.h - centre.y }
      : undefined,
    hull: frame.customData?.hull,
  }
}

/** Makes Phaser's own `Animation` of each config, and returns its frames and durations. */
export function playedBy(
  version: PhaserVersion,
  configs: readonly PhaserAnimationConfig[],
  textureOf: (key: string) => PhaserTexture,
): Map<string, ReadAnimation> {
  const Animation = phaserModule<new (manager: object, key: string, config: object) => PhaserAnimation>(version, 'animations/Animation.js')
  const textureManager = {
    exists: () => true,
    getFrame: (key: string, name: string) => {
      const frame = textureOf(key).frames.get(name)
      if (frame === undefined) throw new Error(`${key} has no frame ${name}`)
      return frame
    },
  }
  return new Map(
    configs.map((config) => {
      const animation = new Animation({ textureManager, on: () => {}, once: () => {} }, config.key, config)
      return [
        config.key,
        {
          frames: animation.frames.map(({ frame }) => frame.customData?.name ?? frame.name),
          // AnimationState waits for this time.
          durationsMs: animation.frames.map(({ duration }) => duration || animation.msPerFrame),
          loop: animation.repeat === -1,
          yoyo: animation.yoyo,
        },
      ] as const
    }),
  )
}
