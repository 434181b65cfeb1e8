import { scaleSuffix } from '../../../atlas/formats/shared/pages.ts'
import { texturepacker } from '../../../atlas/formats/texturepacker.ts'
import { carries } from './carries.ts'
import { createPhaserTexture, drawnFrames, parseInto } from './phaser-reader.ts'
import { type Folder, formatSuite, type ReadAnimation, type ReadFrame, type ReadSheets } from './suite.ts'

interface ArrayFrame {
  readonly filename: string
  readonly frame: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly trimmed: boolean
  readonly spriteSourceSize: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly sourceSize: { readonly w: number; readonly h: number }
  readonly pivot?: { readonly x: number; readonly y: number }
  readonly duration?: number
  readonly borders?: ReadFrame['borders']
  readonly hull?: ReadFrame['hull']
}

interface ArrayJson {
  readonly frames: readonly ArrayFrame[]
  readonly animations: Readonly<Record<string, readonly string[]>>
  readonly meta: { readonly app: string; readonly image: string; readonly related_multi_packs?: readonly string[] }
}

/** Reads the first page of each group and its related pages. */
function read(
  folder: Folder,
  groups: readonly string[],
  scale: number,
  framesOf: (json: ArrayJson) => ReadonlyMap<string, ReadFrame>,
): ReadSheets {
  const frames = new Map<string, ReadFrame>()
  const animations = new Map<string, ReadAnimation>()
  for (const group of groups) {
    const file = `${group}-0${scaleSuffix(scale)}.json`
    const first = folder.json(file) as ArrayJson
    for (const json of [first, ...(first.meta.related_multi_packs ?? []).map((other) => folder.json(other) as ArrayJson)]) {
      const known = new Map(json.frames.map((frame) => [frame.filename, frame]))
      for (const [name, frame] of framesOf(json)) frames.set(name, { ...frame, borders: known.get(name)!.borders })
      for (const [name, names] of Object.entries(json.animations))
        animations.set(name, { frames: names, durationsMs: names.map((frame) => known.get(frame)!.duration!) })
    }
  }
  return { frames, animations }
}

formatSuite({
  format: texturepacker,
  carries: carries.texturepacker,
  reader: "Phaser 4's own parser",
  read: (folder, groups, scale) =>
    read(folder, groups, scale, (json) => {
      const pages = [folder.picture(json.meta.image)]
      const texture = createPhaserTexture('Phaser 4', pages)
      parseInto('Phaser 4', texture, 'JSONArray', 0, json)
      return drawnFrames(texture, pages)
    }),
})
