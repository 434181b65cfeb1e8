import { describe, expect, test } from 'vitest'
import { aseprite } from '../../../atlas/formats/aseprite.ts'
import { scaleSuffix } from '../../../atlas/formats/shared/pages.ts'
import { carries } from './carries.ts'
import {
  createPhaserTexture,
  drawnFrames,
  type PhaserAnimationConfig,
  parseInto,
  phaserModule,
  phasers,
  playedBy,
} from './phaser-reader.ts'
import { makeProject, painting } from './project.ts'
import { type Folder, formatSuite, type ReadAnimation, type ReadFrame, type ReadSheets, restored, toFolder } from './suite.ts'

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
function readByPhaser(version: keyof typeof phasers, folder: Folder, json: AsepriteJson): ReadSheets {
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

for (const version of Object.keys(phasers) as (keyof typeof phasers)[]) {
  formatSuite({
    format: aseprite,
    carries: carries.aseprite,
    reader: `${version}'s own parser and createFromAseprite`,
    read: (folder, groups, scale) => joined(sheetsOf(folder, groups, scale).map((json) => readByPhaser(version, folder, json))),
  })
}

/** A port of melonJS 20.7's reader (src/video/texture/parser/aseprite.js). */
function portOfMelonJs(folder: Folder, json: AsepriteJson): ReadSheets {
  if (!['texturepacker', 'free-tex-packer', 'shoebox', 'aseprite', 'melonJS'].some((word) => json.meta.app.includes(word)))
    throw new Error(`Unknown texture atlas format: ${json.meta.app}`)
  const page = folder.picture(json.meta.image)
  const borders = bordersOf(json)
  const frames = new Map<string, ReadFrame>()
  for (const index in json.frames) {
    const { name, frame, trimmed, spriteSourceSize: trim, sourceSize, pivot, hull } = json.frames[Number(index)]!
    // Its anchor is relative to the trimmed rectangle.
    const origin = pivot && { x: sourceSize.w * pivot.x - (trimmed ? trim.x : 0), y: sourceSize.h * pivot.y - (trimmed ? trim.y : 0) }
    const anchor = origin && {
      x: (origin.x + (trimmed ? trim.x : 0)) / sourceSize.w,
      y: (origin.y + (trimmed ? trim.y : 0)) / sourceSize.h,
    }
    const size = { width: sourceSize.w, height: sourceSize.h }
    const picture = restored(page, { ...frame, width: frame.w, height: frame.h }, trimmed ? trim : { x: 0, y: 0 }, size)
    frames.set(name, { picture, anchor, borders: borders.get(name), hull })
  }
  const animations = new Map<string, ReadAnimation>()
  for (const { name, from, to, direction, repeat } of json.meta.frameTags) {
    const cels = json.frames.slice(from, to + 1)
    const durationsMs = cels.map(({ duration }) => (typeof duration === 'number' ? duration : 100))
    animations.set(name, { frames: cels.map((cel) => cel.name), durationsMs, loop: repeat === undefined, yoyo: direction === 'pingpong' })
  }
  return { frames, animations }
}

formatSuite({
  format: aseprite,
  carries: carries.aseprite,
  reader: 'a port of what melonJS reads',
  read: (folder, groups, scale) => joined(sheetsOf(folder, groups, scale).map((json) => portOfMelonJs(folder, json))),
})

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

  test('read by a port of what KAPLAY reads: quads by their share of the page, tags by name', () => {
    // kaplay 3001.0.19, src/assets/aseprite.ts: `data.frames.map(…)`, so the frames must be an array. It
    // reads neither trim nor durations.
    const { w, h } = json.meta.size
    const page = folder.picture(json.meta.image)
    const quads = json.frames.map(({ frame }) => ({ x: frame.x / w, y: frame.y / h, w: frame.w / w, h: frame.h / h }))
    const pictures = new Map(sequences.flatMap(({ frames }) => frames.map(({ name, bitmap }) => [name, bitmap])))
    for (const [index, quad] of quads.entries()) {
      const cut = { x: quad.x * w, y: quad.y * h, width: Math.round(quad.w * w), height: Math.round(quad.h * h) }
      expect(restored(page, { ...cut, x: Math.round(cut.x), y: Math.round(cut.y) }, { x: 0, y: 0 }, cut)).toEqual(
        pictures.get(cels[index]!),
      )
    }
    const anims = Object.fromEntries(
      json.meta.frameTags.map(({ name, from, to, direction }) => [name, { from, to, pingpong: direction === 'pingpong' }]),
    )
    expect(anims).toEqual({ 'hero/idle': { from: 0, to: 2, pingpong: true }, 'hero/walk': { from: 3, to: 5, pingpong: false } })
  })

  test("read by a port of what Excalibur's plugin reads: the values of frames in order, with durations", () => {
    // @excaliburjs/plugin-aseprite, AsepriteJsonParser: `Object.values(raw.frames)` by index. It does not
    // read trim.
    const values = Object.values(json.frames)
    const tags = json.meta.frameTags.map(({ name, from, to }) => [name, values.filter((_, id) => id >= from && id <= to)] as const)
    expect(tags.map(([name, frames]) => [name, frames.map((frame) => frame.name)])).toEqual([
      ['hero/idle', cels.slice(0, 3)],
      ['hero/walk', cels.slice(3, 6)],
    ])
    expect(Object.fromEntries(tags)['hero/idle']!.map(({ duration }) => duration)).toEqual([83, 84, 83])
  })
})
