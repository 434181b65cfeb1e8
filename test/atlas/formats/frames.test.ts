import { describe, expect, test } from 'vitest'
import { boxes } from '../../../atlas/formats/boxes.ts'
import type { EngineFormat } from '../../../atlas/formats/format.ts'
import { frames } from '../../../atlas/formats/shared/frames.ts'
import { scaleSuffix } from '../../../atlas/formats/shared/pages.ts'
import { toSafePaths } from '../../../atlas/formats/shared/safe-names.ts'
import { strip } from '../../../atlas/formats/strip.ts'
import { carries } from './carries.ts'
import { readCss } from './css-reader.ts'
import { makeProject, painting } from './project.ts'
import { formatSuite, type ReadFrame, restored, toFolder } from './suite.ts'

interface Manifest {
  readonly scale: number
  readonly frames: Readonly<
    Record<
      string,
      {
        readonly file: string
        readonly group: string
        readonly width: number
        readonly height: number
        readonly anchor?: ReadFrame['anchor']
        readonly borders?: ReadFrame['borders']
        readonly hull?: readonly { readonly x: number; readonly y: number }[]
      }
    >
  >
  readonly animations: Readonly<
    Record<string, { readonly loop: boolean; readonly yoyo: boolean; readonly frames: readonly { frame: string; duration: number }[] }>
  >
}

type StripManifest = Readonly<
  Record<
    string,
    {
      readonly file: string
      readonly frameWidth: number
      readonly frameHeight: number
      readonly columns: number
      readonly rows: number
      readonly loop: boolean
      readonly yoyo: boolean
      readonly anchor?: ReadFrame['anchor']
      readonly borders?: ReadFrame['borders']
      readonly cells: readonly string[]
      readonly play: readonly number[]
      readonly durations: readonly number[]
    }
  >
>

formatSuite({
  format: frames,
  carries: carries.frames,
  reader: 'its manifest and any reader of PNGs',
  read: (folder, _, scale) => {
    const manifest = folder.json(`frames${scaleSuffix(scale)}.json`) as Manifest
    expect(manifest.scale).toBe(scale)
    return {
      frames: new Map(
        Object.entries(manifest.frames).map(([name, { file, width, height, anchor, borders, hull }]) => {
          const picture = folder.picture(file)
          expect([picture.width, picture.height]).toEqual([width, height])
          return [name, { picture, anchor, borders, hull: hull?.map(({ x, y }) => [x, y] as const) }]
        }),
      ),
      animations: new Map(
        Object.entries(manifest.animations).map(([name, { loop, yoyo, frames }]) => [
          name,
          { frames: frames.map(({ frame }) => frame), durationsMs: frames.map(({ duration }) => duration), loop, yoyo },
        ]),
      ),
    }
  },
})

formatSuite({
  format: strip,
  carries: carries.strip,
  reader: 'its manifest and any reader of grids',
  hasUnplayed: false,
  read: (folder, _, scale) => {
    const manifest = folder.json(`strips${scaleSuffix(scale)}.json`) as StripManifest
    const read = new Map<string, ReadFrame>()
    for (const { file, frameWidth: width, frameHeight: height, columns, rows, anchor, borders, cells } of Object.values(manifest)) {
      const picture = folder.picture(file)
      expect([picture.width, picture.height]).toEqual([columns * width, rows * height])
      for (const [index, name] of cells.entries()) {
        const from = { x: (index % columns) * width, y: Math.floor(index / columns) * height, width, height }
        read.set(name, { picture: restored(picture, from, { x: 0, y: 0 }, { width, height }), anchor, borders })
      }
    }
    return {
      frames: read,
      animations: new Map(
        Object.entries(manifest).map(([name, { cells, play, durations, loop, yoyo }]) => [
          name,
          { frames: play.map((index) => cells[index]!), durationsMs: durations, loop, yoyo },
        ]),
      ),
    }
  },
})

formatSuite({
  format: strip,
  carries: { ...carries.strip, borders: false },
  reader: 'its style sheets',
  hasUnplayed: false,
  tellsTwinsApart: false,
  anchorSlackPx: 0.001,
  read: (folder, groups, scale) => {
    const sheets = groups.map((group) => readCss(folder, `${group}${scaleSuffix(scale)}.css`, scale))
    return {
      frames: new Map(sheets.flatMap((sheet) => [...sheet.frames])),
      animations: new Map(sheets.flatMap((sheet) => [...sheet.animations])),
    }
  },
})

describe('formats that write pictures of their own', () => {
  test.each([frames, strip])('$name: without the pixels of the pages it says so', (format: EngineFormat) => {
    const { atlases } = makeProject({ sequences: [painting('hero/walk')] })
    const blind = atlases.map(({ atlas, pages }) => ({ atlas: { ...atlas, pages: [] }, pages }))
    expect(() => format.write(blind)).toThrow(
      expect.objectContaining({ code: 'SW_ATLAS_OPTION', message: expect.stringContaining('decoded pages') }),
    )
  })

  test('a strip that would be wider than 4,096 pixels goes on in the next row', () => {
    const walk = painting('wide/walk', { width: 900, height: 8, count: 6 })
    const folder = toFolder(strip, makeProject({ maxSize: 4096, sequences: [walk] }))
    expect(folder.json('strips.json')).toMatchObject({ 'wide/walk': { columns: 4, rows: 2 } })
    const picture = folder.picture('wide/walk.png')
    expect(picture).toMatchObject({ width: 3600, height: 16 })
    const size = { width: 900, height: 8 }
    expect(restored(picture, { x: 900, y: 8, ...size }, { x: 0, y: 0 }, size)).toEqual(walk.frames[5]!.bitmap)
  })

  test('the format boxes has outlines as pairs, and lists frames without boxes too', () => {
    const folder = toFolder(boxes, makeProject({ hull: 6, sequences: [painting('hero/walk', { count: 1 })] }))
    const { scale, frames: listed } = folder.json('boxes.json') as {
      scale: number
      frames: Record<string, { hull: unknown; boxes: unknown }>
    }
    expect([scale, Object.keys(listed)]).toEqual([1, ['hero/walk/0000']])
    expect(listed['hero/walk/0000']!.boxes).toEqual({})
    expect(listed['hero/walk/0000']!.hull).toSatisfy((hull: number[][]) => hull.length > 2 && hull.every((point) => point.length === 2))
  })

  test('the manifest is text that a person can edit', () => {
    const text = toFolder(frames, makeProject({ sequences: [painting('hero/walk')] })).text('frames.json')
    expect(text).toContain('    "hero/walk/0000": {\n      "file": "hero/walk/0000.png",\n')
  })

  test.each([
    ['../../etc/passwd', '--/--/etc/passwd'],
    ['/top', '_/top'],
    ['a//b', 'a/_/b'],
    ['C:\\x', 'C--x'],
    ['con/aux', '_con/_aux'],
    ['', '_'],
    ['héro', 'h-ro'],
  ])('the name %j becomes the path %j', (name, path) => {
    expect(toSafePaths([name]).get(name)).toBe(path)
  })

  test('names that become the same path, or one that some disks take for the same, get a number', () => {
    expect([...toSafePaths(['a b', 'a-b', 'A-B', 'a-b-2', 'a b']).values()]).toEqual(['a-b', 'a-b-2', 'A-B-3', 'a-b-2-2'])
  })
})
