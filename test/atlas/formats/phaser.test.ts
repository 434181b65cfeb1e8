import { describe, expect, test } from 'vitest'
import { phaser } from '../../../atlas/formats/phaser.ts'
import { createPhaserPctFormat, phaserPct } from '../../../atlas/formats/phaser-pct.ts'
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

/** An entry of `pack.json`. */
interface PackEntry {
  readonly type: string
  readonly key: string
  readonly url: string
  readonly textureURL: string
  readonly atlasURL: string
}

interface Multi {
  readonly textures?: readonly { readonly image: string }[]
}

type Loaded = { readonly texture: ReturnType<typeof createPhaserTexture>; readonly frames: Map<string, ReadFrame> }

/** Loads the files in the pack of a scale, as Phaser's loader does, through Phaser's own parsers. */
function readPack(version: PhaserVersion, folder: Folder, scale: number): ReadSheets {
  const pack = folder.json(`pack${scaleSuffix(scale)}.json`) as { sprites: { files: readonly PackEntry[] } }
  const loaded = new Map<string, Loaded>()
  const configs: PhaserAnimationConfig[] = []
  for (const entry of pack.sprites.files) {
    if (entry.type === 'animation') configs.push(...(folder.json(entry.url) as { anims: PhaserAnimationConfig[] }).anims)
    else loaded.set(entry.key, loadTexture(version, folder, entry))
  }
  return {
    frames: new Map([...loaded.values()].flatMap(({ frames }) => [...frames])),
    animations: playedBy(version, configs, (key) => loaded.get(key)!.texture),
  }
}

function loadTexture(version: PhaserVersion, folder: Folder, entry: PackEntry): Loaded {
  if (entry.type === 'atlas') {
    const pages = [folder.picture(entry.textureURL)]
    const texture = createPhaserTexture(version, pages)
    parseInto(version, texture, 'JSONHash', 0, folder.json(entry.atlasURL))
    return { texture, frames: drawnFrames(texture, pages) }
  }
  if (entry.type === 'multiatlas') {
    const json = folder.json(entry.url) as Multi
    const pages = json.textures!.map(({ image }) => folder.picture(image))
    const texture = createPhaserTexture(version, pages)
    for (const index of pages.keys()) parseInto(version, texture, 'JSONArray', index, json)
    return { texture, frames: drawnFrames(texture, pages) }
  }
  expect(entry.type).toBe('atlasPCT')
  const decoded = phaserModule<(text: string) => { pages: { filename: string; width: number; height: number }[] }>(
    version,
    'textures/parsers/PCTDecode.js',
  )(folder.text(entry.url))
  const pages = decoded.pages.map(({ filename }) => folder.picture(filename))
  expect(decoded.pages.map(({ width, height }) => [width, height])).toEqual(pages.map(({ width, height }) => [width, height]))
  const texture = createPhaserTexture(version, pages)
  parseInto(version, texture, 'PCT', decoded)
  return { texture, frames: drawnFrames(texture, pages) }
}

for (const version of phaserVersions) {
  formatSuite({
    format: phaser,
    carries: carries.phaser,
    reader: `${version}'s own parsers`,
    read: (folder, _, scale) => readPack(version, folder, scale),
  })
}

formatSuite({
  format: phaserPct,
  carries: carries['phaser-pct'],
  reader: "Phaser 4's own parsers",
  read: (folder, _, scale) => readPack('Phaser 4', folder, scale),
})

describe('the format phaser-pct', () => {
  test('says equal frames once and names the others after them', () => {
    const walk = painting('hero/walk', { count: 2, extrude: 0 })
    const twin = { ...painting('hero/rest', { count: 1, extrude: 0 }), frames: [{ ...walk.frames[1]!, name: 'hero/rest/0000' }] }
    const text = toFolder(phaserPct, makeProject({ sequences: [walk, twin] })).text('sprites.pct')
    expect(text.split('\n').slice(0, 4)).toEqual([
      'PCT:1.0',
      expect.stringMatching(/^P:sprites-0\.png,RGBA8888,\d+,\d+,0$/),
      'F:hero/rest',
      'F:hero/walk',
    ])
    expect(text).toMatch(/^A:0\/0000=1\/0001$/m)
    expect(text.match(/^\d\/\d{4}\|/gm)).toHaveLength(2)
  })

  test('is far smaller than the JSON', () => {
    const project = makeProject({ sequences: Array.from({ length: 12 }, (_, index) => painting(`sprite${index}/walk`, { count: 12 })) })
    const ratio = toFolder(phaserPct, project).text('sprites.pct').length / toFolder(phaser, project).text('sprites.json').length
    expect(ratio).toBeLessThan(0.2)
  })

  test('puts a path into the pack where one is given', () => {
    const pack = toFolder(createPhaserPctFormat({ path: 'assets/' }), makeProject({ sequences: [painting('hero/walk')] })).json('pack.json')
    expect(pack).toMatchObject({ sprites: { path: 'assets/', files: [{ type: 'atlasPCT', key: 'sprites', url: 'sprites.pct' }, {}] } })
  })

  test.each(['a|b/walk', 'a,b/walk', 'a#1/walk', 'a~1/walk', 'a=b/walk', 'a\nb/walk'])(
    'refuses a name that it cannot spell: %j',
    (name) => {
      expect(() => toFolder(phaserPct, makeProject({ sequences: [painting(name)] }))).toThrow(
        expect.objectContaining({ code: 'SW_ATLAS_OPTION', message: expect.stringContaining('use the format "phaser"') }),
      )
    },
  )
})
