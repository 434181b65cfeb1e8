import { describe, expect, test } from 'vitest'
import type { Bitmap } from '../../../atlas/bitmap.ts'
import { asepriteFile } from '../../../atlas/formats/aseprite-file.ts'
import type { AsepriteFile } from '../../../atlas/source/aseprite/file.ts'
import { readAseprite } from '../../../atlas/source/aseprite/read.ts'
import { makeProject, type Project, painting } from './project.ts'

const write = ({ atlases }: Project): Map<string, AsepriteFile> =>
  new Map(asepriteFile.write(atlases).map(({ file, bytes }) => [file, readAseprite(bytes)]))

const picturesOf = (file: AsepriteFile | undefined): Bitmap[] => (file?.frames ?? []).map(({ bitmap }) => bitmap)
const namesOf = (name: string, indices: readonly number[]): string[] => indices.map((index) => `${name}/${String(index).padStart(4, '0')}`)

describe('the format aseprite-file', () => {
  test('has a file for each sprite, with untrimmed frames in playing order, tags and times', () => {
    const project = makeProject({
      sequences: [
        painting('hero/walk', { count: 4, use: [2, 0, 0, 3], fps: 10 }),
        painting('hero/bow', { loop: false, fps: 8 }),
        painting('hero/sway', { yoyo: true }),
        painting('hero/nod', { yoyo: true, loop: false }),
        painting('orc/walk', { fps: 3 }),
      ],
    })
    const files = write(project)
    expect([...files.keys()].sort()).toEqual(['hero.aseprite', 'orc.aseprite'])
    const hero = files.get('hero.aseprite')
    expect(hero?.tags).toEqual([
      { name: 'bow', from: 0, to: 2, direction: 'forward', repeat: 1 },
      { name: 'nod', from: 3, to: 5, direction: 'pingpong', repeat: 2 },
      { name: 'sway', from: 6, to: 8, direction: 'pingpong', repeat: 0 },
      { name: 'walk', from: 9, to: 12, direction: 'forward', repeat: 0 },
    ])
    const known = project.pictures.get(1)
    const names = [
      ...['hero/bow', 'hero/nod', 'hero/sway'].flatMap((name) => namesOf(name, [0, 1, 2])),
      ...namesOf('hero/walk', [2, 0, 0, 3]),
    ]
    expect(picturesOf(hero)).toEqual(names.map((name) => known?.get(name)))
    expect(hero?.frames.slice(0, 3).map(({ durationMs }) => durationMs)).toEqual([125, 125, 125])
    // The ends of frames are rounded, so that errors do not add up.
    expect(files.get('orc.aseprite')?.frames.map(({ durationMs }) => durationMs)).toEqual([333, 334, 333])
  })

  test('has the anchor as a pivot and the borders as a nine-slice', () => {
    const borders = { left: 2, top: 3, right: 4, bottom: 5 }
    const file = write(makeProject({ sequences: [painting('ui/panel', { anchor: { x: 0.5, y: 1 }, borders })] })).get('ui.aseprite')
    const key = { frame: 0, x: 0, y: 0, width: 24, height: 32, pivot: { x: 12, y: 32 }, center: { x: 2, y: 3, width: 18, height: 24 } }
    expect(file?.slices).toEqual([{ name: 'ui', keys: [key] }])
    expect(write(makeProject({ sequences: [painting('ui/panel')] })).get('ui.aseprite')?.slices).toEqual([])
  })

  test('has a file for each animation of a sprite whose animations differ in size, and for each scale', () => {
    const sequences = [painting('hero/walk'), painting('hero/fall', { width: 40 })]
    const files = write(makeProject({ sequences }, { scale: 0.5, sequences: [painting('hero/walk')] }))
    expect([...files.keys()].sort()).toEqual(['hero/fall.aseprite', 'hero/walk.aseprite', 'hero@0.5x.aseprite'])
    expect(files.get('hero/fall.aseprite')).toMatchObject({ width: 40, tags: [{ name: 'fall' }] })
  })

  test('without the pixels of the pages it says so', () => {
    const { atlases } = makeProject({ sequences: [painting('hero/walk')] })
    const blind = atlases.map(({ atlas, pages }) => ({ atlas: { ...atlas, pages: [] }, pages }))
    expect(() => asepriteFile.write(blind)).toThrow(expect.objectContaining({ code: 'SW_ATLAS_OPTION' }))
  })

  test('gives equal bytes for equal atlases', () => {
    const project = makeProject({ sequences: [painting('hero/walk')] })
    expect(asepriteFile.write(project.atlases)).toEqual(asepriteFile.write(project.atlases))
  })
})
