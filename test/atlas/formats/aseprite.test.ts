import { describe, expect, test } from 'vitest'
import { aseprite } from '../../../atlas/formats/aseprite.ts'
import { scaleSuffix } from '../../../atlas/formats/shared/pages.ts'
import { carries } from './carries.ts'
import {
  createPhaserTexture,
  drawnFrames,
  type PhaserAnimationConfig,
  type PhaserVersion,
  parseInto,
  phaserModule,
  phaserVersions,
  playedBy,
} from './phaser-reader.ts'
import { makeProject, painting } from './project.ts'
import { type Folder, formatSuite, type ReadFrame, type ReadSheets, toFolder } from './suite.ts'

/** The JSON as its readers type it. */
interface AsepriteJson {
  readonly frames: readonly {
    readonly filename: string
    /** Not part of Aseprite's format: the frame's own name. */
    readonly name: string
    readonly frame: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly trimmed: boolean
    readonly spriteSourceSize: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly sourceSize: { readonly w: number; readonly h: number }
    readonly duration: number
    readonly pivot?: { readonly x: number; readonly y: number }
    readonly hull?: readonly (readonly [number, number])[]
  }[]
  readonly meta: {
    readonly app: string
    readonly image: string
    readonly size: { readonly w: number; readonly h: number }
    readonly frameTags: readonly { name: string; from: number; to: number; direction: string; repeat?: string }[]
    readonly slices: readonly {
      name: string
      keys: readonly { frame: number; center?: { x: number; y: number; w: number; h: number } }[]
    }[]
  }
}

function sheetsOf(folder: Folder, groups: readonly string[], scale: number): readonly AsepriteJson[] {
  const pattern = new RegExp(`^(${groups.join('|')})-\\d+${scaleSuffix(scale)}\\.json$`)
  return folder.names.filter((file) => pattern.test(file)).map((file) => folder.json(file) as AsepriteJson)
}

function joined(sheets: readonly ReadSheets[]): ReadSheets {
  return {
    frames: new Map(sheets.flatMap(({ frames }) => [...frames])),
    animations: new Map(sheets.flatMap(({ animations }) => [...animations])),
  }
}

/** The borders of frames whose animation has a slice with a center, which no reader reads. */
function bordersOf({ frames, meta }: AsepriteJson): Map<string, ReadFrame['borders']> {
  const known = new Map<string, ReadFrame['borders']>()
  for (const { name, keys } of meta.slices) {
    const tag = meta.frameTags.find((one) => one.name === name)!
    const { frame: from, center } = keys[0]!
    expect(from).toBe(tag.from)
    for (const { name: frame, sourceSize } of center ? frames.slice(tag.from, tag.to + 1) : []) {
      const { x, y, w, h } = center!
      known.set(frame, { left: x, top: y, right: sourceSize.w - x - w, bottom: sourceSize.h - y - h })
    }
  }
  return known
}

/** Reads with `load.aseprite` and `createFromAseprite` of Phaser's own source. */
function readByPhaser(version: PhaserVersion, folder: Folder, json: AsepriteJson): ReadSheets {
  const pages = [folder.picture(json.meta.image)]
  const texture = createPhaserTexture(version, pages)
  parseInto(version, texture, 'JSONArray', 0, json)
  const { prototype } = phaserModule<{ prototype: { createFromAseprite(this: object, key: string): unknown } }>(
    version,
    'animations/AnimationManager.js',
  )
  const configs: PhaserAnimationConfig[] = []
  const manager = { game: { cache: { json: { get: () => json } } }, create: (config: PhaserAnimationConfig) => configs.push(config) }
  prototype.createFromAseprite.call(manager, 'sprites')
  const borders = bordersOf(json)
  const byIndex = drawnFrames(texture, pages)
  const once = new Set(json.meta.frameTags.filter(({ repeat }) => repeat !== undefined).map(({ name }) => name))
  const animations = playedBy(version, configs, () => texture)
  return {
    frames: new Map(
      [...byIndex].map(([index, frame]) => [
        json.frames[Number(index)]!.name,
        { ...frame, borders: borders.get(json.frames[Number(index)]!.name) },
      ]),
    ),
    // Phaser leaves `repeat` to `play()`.
    animations: new Map([...animations].map(([name, one]) => [name, { ...one, loop: !once.has(name) }])),
  }
}

for (const version of phaserVersions) {
  formatSuite({
    format: aseprite,
    carries: carries.aseprite,
    reader: `${version}'s own parser and createFromAseprite`,
    read: (folder, groups, scale) => joined(sheetsOf(folder, groups, scale).map((json) => readByPhaser(version, folder, json))),
  })
}

describe('the format aseprite', () => {
  const untrimmed = { trim: false, width: 20, height: 30 }
  const sequences = [
    painting('hero/walk', { ...untrimmed, use: [2, 0, 0], durations: [50, 60.5, 70.5] }),
    painting('hero/idle', { ...untrimmed, yoyo: true, loop: false }),
  ]
  const folder = toFolder(aseprite, makeProject({ sequences }))
  const json = folder.json('sprites-0.json') as AsepriteJson
  const cels = ['idle/0000', 'idle/0001', 'idle/0002', 'walk/0002', 'walk/0000', 'walk/0000', 'walk/0001'].map((name) => `hero/${name}`)

  test('is a timeline: a frame that plays twice stands there twice, one that never plays last', () => {
    expect(json.frames.map(({ filename, name }) => [filename, name])).toEqual(cels.map((name, index) => [String(index), name]))
    expect(json.meta.frameTags).toMatchObject([
      { name: 'hero/idle', from: 0, to: 2, direction: 'pingpong', repeat: '2' },
      { name: 'hero/walk', from: 3, to: 5, direction: 'forward' },
    ])
    expect(json.meta.frameTags[1]).not.toHaveProperty('repeat')
    expect(json.frames.slice(3, 6).map(({ duration }) => duration)).toEqual([50, 61, 70])
  })

  test('has the pivot and the borders of an animation of one frame', () => {
    const still = { count: 1, anchor: { x: 0.5, y: 1 }, borders: { left: 2, top: 3, right: 4, bottom: 5 } }
    const { meta } = toFolder(aseprite, makeProject({ sequences: [painting('ui/panel', still)] })).json('sprites-0.json') as AsepriteJson
    const key = { frame: 0, center: { x: 2, y: 3, w: 18, h: 24 }, pivot: { x: 12, y: 32 } }
    expect(meta.slices).toMatchObject([{ name: 'ui/panel', keys: [key] }])
  })
})
