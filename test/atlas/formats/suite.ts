import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AtlasAnimation } from '../../../atlas/atlas.ts'
import { type Bitmap, blit, createBitmap, crop } from '../../../atlas/bitmap.ts'
import type { EngineFormat, OutputFile } from '../../../atlas/formats/format.ts'
import { scaleSuffix } from '../../../atlas/formats/shared/pages.ts'
import { playedFrames } from '../../../atlas/formats/shared/played.ts'
import { decodePng } from '../../../atlas/png/read.ts'
import type { Carries } from './carries.ts'
import { makeProject, type Painting, type Project, painting } from './project.ts'

/** A folder of written files with the pages beside them. */
export interface Folder {
  readonly names: readonly string[]
  /** @throws If there is no such file. */
  text(file: string): string
  json(file: string): unknown
  picture(file: string): Bitmap
}

/** A frame as an engine draws it. */
export interface ReadFrame {
  /** At its untrimmed size. */
  readonly picture: Bitmap
  /** 0 to 1 of the untrimmed size. */
  readonly anchor?: { readonly x: number; readonly y: number } | undefined
  readonly borders?: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number } | undefined
  readonly hull?: readonly (readonly [number, number])[] | undefined
}

/** An animation as an engine plays it. */
export interface ReadAnimation {
  readonly frames: readonly string[]
  readonly durationsMs: readonly number[]
  readonly loop?: boolean | undefined
  /** Missing if the way back is among the frames. */
  readonly yoyo?: boolean | undefined
}

/** The sprites of a folder as an engine reads them. */
export interface ReadSheets {
  readonly frames: ReadonlyMap<string, ReadFrame>
  readonly animations: ReadonlyMap<string, ReadAnimation>
}

/** A format and an engine's way of reading it. */
export interface FormatCase {
  readonly format: EngineFormat
  readonly carries: Carries
  /** Name of the reader, for example `Phaser 4's own parser`. */
  readonly reader: string
  /** Reads the named groups at one scale. */
  readonly read: (folder: Folder, groups: readonly string[], scale: number) => ReadSheets
  /**
   * Largest difference of an anchor in pixels, because of the format's precision.
   *
   * @default 0
   */
  readonly anchorSlackPx?: number
  /**
   * Whether the format contains frames that no animation plays.
   *
   * @default true
   */
  readonly hasUnplayed?: boolean
  /**
   * Whether an animation names its frames, so that two equal frames can be distinguished.
   *
   * @default true
   */
  readonly tellsTwinsApart?: boolean
}

/** Cuts a rectangle from a page and puts it at its place in the untrimmed frame. */
export function restored(
  page: Bitmap,
  from: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  at: { readonly x: number; readonly y: number },
  size: { readonly width: number; readonly height: number },
): Bitmap {
  const whole = createBitmap(size.width, size.height)
  blit(whole, crop(page, from.x, from.y, from.width, from.height), at.x, at.y)
  return whole
}

/** Writes a project as `build` does: data, and pages beside them if the format needs them. */
export function toFolder(format: EngineFormat, project: Project): Folder {
  const files = new Map<string, Uint8Array>()
  for (const { file, bytes } of format.write(project.atlases)) {
    if (files.has(file)) throw new Error(`"${file}" is written twice`)
    files.set(file, bytes)
  }
  if (format.pages !== 'pixels') {
    for (const { file, bytes } of project.atlases.flatMap(({ pages }) => pages)) {
      if (files.has(file)) throw new Error(`"${file}" is both a page and data`)
      files.set(file, bytes)
    }
  }
  const bytesOf = (file: string): Uint8Array => {
    const bytes = files.get(file)
    if (bytes === undefined) throw new Error(`No file "${file}" among ${[...files.keys()].join(', ')}`)
    return bytes
  }
  const decoded = new Map<string, Bitmap>()
  return {
    names: [...files.keys()],
    text: (file) => new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(file)),
    json: (file) => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(file))),
    picture: (file) => {
      const known = decoded.get(file) ?? decodePng(bytesOf(file))
      decoded.set(file, known)
      return known
    },
  }
}

/** The projects with which every format is tested. */
const projects: Readonly<Record<string, () => Project>> = {
  'one page, trimmed': () => makeProject({ sequences: [painting('hero/walk'), painting('hero/idle', { fps: 8, loop: false })] }),
  untrimmed: () => makeProject({ sequences: [painting('hero/walk', { trim: false }), painting('orc/hit', { trim: false, width: 9 })] }),
  'several pages': () =>
    makeProject({
      maxSize: 96,
      sequences: ['a/walk', 'b/walk', 'c/walk', 'd/walk'].map((name) => painting(name, { width: 40, height: 40 })),
    }),
  'several pages that look alike': () =>
    makeProject({
      maxSize: 96,
      sequences: ['a/walk', 'b/walk', 'c/walk'].map((name) => painting(name, { width: 40, height: 40, trim: false })),
    }),
  'several scales': () =>
    makeProject(
      { scale: 1, sequences: [painting('hero/walk', { width: 40, height: 48 })] },
      { scale: 0.5, sequences: [painting('hero/walk', { width: 20, height: 24 })] },
    ),
  'several groups': () =>
    makeProject(
      { name: 'people', sequences: [painting('hero/walk')] },
      { name: 'things', sequences: [painting('coin/spin', { pixelArt: true })] },
    ),
  'there and back': () =>
    makeProject({
      sequences: [
        painting('a/loop', { count: 4, yoyo: true }),
        painting('b/once', { count: 4, yoyo: true, loop: false }),
        painting('c/one', { count: 1, yoyo: true }),
        painting('d/two', { count: 2, yoyo: true }),
      ],
    }),
  'own order and durations': () =>
    makeProject({
      sequences: [
        painting('hero/walk', { count: 4, use: [3, 0, 0, 2], durations: [50, 120, 80, 33.4] }),
        painting('hero/run', { fps: 30, count: 7 }),
      ],
    }),
  'frames that nothing plays': () => makeProject({ sequences: [painting('hero/walk', { count: 4, use: [0, 2] })] }),
  'identical and clear frames': () => {
    const walk = painting('hero/walk')
    const clear = { name: 'hero/walk/0003', bitmap: createBitmap(24, 32), durationMs: 80 }
    const twin = { name: 'hero/walk/0004', bitmap: walk.frames[0]!.bitmap, durationMs: 80 }
    const frames = [...walk.frames, clear, twin]
    return makeProject({ sequences: [{ ...walk, frames, play: frames.map(({ name }) => name) }] })
  },
  'anchors, borders and outlines': () =>
    makeProject({
      hull: 8,
      sequences: [
        painting('hero/walk', { anchor: { x: 0.5, y: 1 } }),
        painting('hero/jump', { anchor: { x: 0.3, y: 0.7 }, width: 31, height: 17 }),
        painting('panel/glow', { borders: { left: 3, top: 4, right: 5, bottom: 6 } }),
      ],
    }),
}

const made = new Map<string, Project>()

/** A project by name. It is made once and frozen, because no format may change its input. */
function projectOf(name: string): Project {
  const project = made.get(name) ?? projects[name]!()
  if (!made.has(name)) freeze(project.atlases)
  made.set(name, project)
  return project
}

/** Atlases of any shape that a spec can ask for. */
const anyProject = fc
  .array(
    fc.record({
      width: fc.integer({ min: 1, max: 40 }),
      height: fc.integer({ min: 1, max: 40 }),
      count: fc.integer({ min: 1, max: 5 }),
      fps: fc.integer({ min: 1, max: 60 }),
      loop: fc.boolean(),
      yoyo: fc.boolean(),
      trim: fc.boolean(),
      extrude: fc.integer({ min: 0, max: 2 }),
      pixelArt: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .chain((paintings: readonly Painting[]) => fc.record({ paintings: fc.constant(paintings), maxSize: fc.constantFrom(256, 512) }))
  .map(({ paintings, maxSize }) =>
    makeProject({ maxSize, hull: 6, sequences: paintings.map((one, index) => painting(`sprite-${index}/act_${index % 2}`, one)) }),
  )

/** The tests that every format must pass with each of its readers. */
export function formatSuite(one: FormatCase): void {
  const { format, reader } = one
  describe(`the format ${format.name}, read by ${reader}`, () => {
    test.each(Object.keys(projects))('gives every frame and animation back: %s', (name) => {
      checkProject(one, projectOf(name))
    })

    test('gives every frame and animation back, whatever the atlas', () => {
      fc.assert(
        fc.property(anyProject, (project) => checkProject(one, project)),
        { numRuns: 25 },
      )
    })

    test('writes the same bytes again, for an atlas that was made again too, and leaves what it is given alone', () => {
      for (const [name, make] of Object.entries(projects)) {
        const first = digests(format.write(projectOf(name).atlases))
        expect(digests(format.write(projectOf(name).atlases)), name).toEqual(first)
        expect(digests(format.write(make().atlases)), name).toEqual(first)
      }
    })

    test('writes no atlas for a project without sprites', () => {
      for (const project of [makeProject(), makeProject({ sequences: [] })]) {
        const folder = toFolder(format, project)
        for (const file of folder.names) expect(file).toMatch(/^(manifest|pack|frames|strips)\.json$/)
      }
    })

    test('names files that every system can hold, inside of its folder', () => {
      for (const name of Object.keys(projects)) {
        const { names } = toFolder(format, projectOf(name))
        expect(new Set(names.map((file) => file.toLowerCase())).size).toBe(names.length)
        for (const file of names) expect(file).toMatch(/^[a-z0-9][\w@.-]*(\/[a-z0-9_][\w@.-]*)*$/i)
      }
    })
  })
}

function checkProject(one: FormatCase, project: Project): void {
  const folder = toFolder(one.format, project)
  for (const [scale, pictures] of project.pictures) {
    const atlases = project.atlases.map(({ atlas }) => atlas).filter((atlas) => atlas.scale === scale)
    const sheets = one.read(
      folder,
      atlases.map(({ name }) => name),
      scale,
    )
    const animations = atlases.flatMap((atlas) => atlas.animations)
    const played = new Set(animations.flatMap(({ frames }) => frames.map(({ name }) => name)))
    const placed = atlases.flatMap(({ frames }) => frames).filter(({ name }) => one.hasUnplayed !== false || played.has(name))
    expect([...sheets.frames.keys()].sort(), `frames${scaleSuffix(scale)}`).toEqual(placed.map(({ name }) => name).sort())
    for (const frame of placed) {
      const read = sheets.frames.get(frame.name)!
      expectSame(read.picture, pictures.get(frame.name)!, frame.name)
      const { carries } = one
      const { anchor, borders, hull } = frame
      expectAnchor(read, carries.anchor ? anchor : undefined, one.anchorSlackPx ?? 0)
      expect(read.borders, `borders of ${frame.name}`).toEqual(carries.borders ? borders : undefined)
      expect(read.hull, `hull of ${frame.name}`).toEqual(carries.hull && hull ? hull.map(({ x, y }) => [x, y]) : undefined)
    }
    expect([...sheets.animations.keys()].sort()).toEqual(animations.map(({ name }) => name).sort())
    const looks = new Map<string, string>()
    const twinOf = (name: string): string => {
      if (one.tellsTwinsApart !== false) return name
      const { width, height, data } = pictures.get(name)!
      const look = `${width}x${height} ${Buffer.from(data).toString('latin1')}`
      looks.set(look, looks.get(look) ?? name)
      return looks.get(look)!
    }
    for (const animation of animations) checkAnimation(one.carries, sheets.animations.get(animation.name)!, animation, twinOf)
  }
}

function checkAnimation(carries: Carries, read: ReadAnimation, animation: AtlasAnimation, twinOf: (name: string) => string): void {
  const expected = read.yoyo === undefined ? playedFrames(animation) : animation.frames
  expect(read.frames.map(twinOf), animation.name).toEqual(expected.map(({ name }) => twinOf(name)))
  if (read.yoyo !== undefined) expect(read.yoyo, `${animation.name} there and back`).toBe(animation.yoyo)
  expect(read.loop, `loop of ${animation.name}`).toBe(carries.loop ? animation.loop : undefined)
  const firsts = new Map([...animation.frames].reverse().map(({ name, durationMs }) => [name, durationMs]))
  const durations = expected.map(({ name, durationMs }) => (carries.durations === 'played' ? durationMs : firsts.get(name)!))
  expect(read.durationsMs).toHaveLength(durations.length)
  // Whole milliseconds are right as long as they do not drift.
  let [should, does] = [0, 0]
  for (const [at, durationMs] of durations.entries()) {
    should += durationMs
    does += read.durationsMs[at]!
    expect(Math.abs(should - does), `end of frame ${at} of ${animation.name}`).toBeLessThan(0.51)
  }
}

function expectAnchor(read: ReadFrame, anchor: { x: number; y: number } | undefined, slackPx: number): void {
  expect(read.anchor === undefined).toBe(anchor === undefined)
  if (read.anchor === undefined || anchor === undefined) return
  const { width, height } = read.picture
  expect(Math.abs(read.anchor.x - anchor.x) * width).toBeLessThanOrEqual(slackPx + 1e-6)
  expect(Math.abs(read.anchor.y - anchor.y) * height).toBeLessThanOrEqual(slackPx + 1e-6)
}

function expectSame(actual: Bitmap, expected: Bitmap, name: string): void {
  const isSame = actual.width === expected.width && actual.height === expected.height && Buffer.compare(actual.data, expected.data) === 0
  expect(isSame, `${name} is drawn as it was painted`).toBe(true)
}

function digests(files: readonly OutputFile[]): readonly string[] {
  return files.map(({ file, bytes }) => `${file} ${createHash('sha256').update(bytes).digest('hex')}`)
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner)
}
