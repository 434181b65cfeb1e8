import { AtlasError } from '../errors.ts'
import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { type PhaserOptions, toPhaserPacks } from './phaser.ts'
import { isTrimmed, toTextFile } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'

/**
 * Phaser 4's compact text atlas (PCT 1.0): one file per group for all of its pages, a fifth of the size of
 * the JSON. It has no anchors, borders and outlines. Animations are in a separate file, as in {@link
 * createPhaserFormat}.
 *
 * Files: `NAME.pct`, `NAME.anims.json`, `pack.json`; at scales other than 1 `NAME@0.5x.pct` and
 * `pack@0.5x.json`.
 *
 * @see Phaser 4's `load.atlasPCT`, and "Phaser Compact Texture Atlas Format Specification" in its package.
 */
export function createPhaserPctFormat(options: PhaserOptions = {}): EngineFormat {
  return { name: 'phaser-pct', ...abilities['phaser-pct'], write: (atlases) => writePct(atlases, options) }
}

/** {@link createPhaserPctFormat} without options. */
export const phaserPct: EngineFormat = createPhaserPctFormat()

function writePct(atlases: readonly EncodedAtlas[], options: PhaserOptions): readonly OutputFile[] {
  const filled = atlases.filter((encoded) => encoded.pages.length > 0)
  const sheets = filled.map((encoded) => toTextFile(sheetFile(encoded), toPct(encoded)))
  const toEntry = (encoded: EncodedAtlas): object => ({ type: 'atlasPCT', key: encoded.atlas.name, url: sheetFile(encoded) })
  return [...sheets, ...toPhaserPacks(filled, toEntry, options)]
}

function sheetFile({ atlas }: EncodedAtlas): string {
  return `${atlas.name}${scaleSuffix(atlas.scale)}.pct`
}

/**
 * The text of an atlas: pages, folders, frames by page, and aliases for frames at the same place as another.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` for names that the format cannot represent.
 */
export function toPct({ atlas, pages }: EncodedAtlas): string {
  const folders = [...new Set(atlas.frames.map(({ name }) => folderOf(name)))].filter((folder) => folder !== '')
  const indices = new Map(folders.map((folder, index) => [folder, index] as const))
  const spell = ({ name }: PlacedFrame): string => {
    const folder = folderOf(name)
    return folder === '' ? checkName(name) : `${indices.get(checkName(folder))!}/${checkName(name.slice(folder.length + 1))}`
  }
  const byPlace = new Map<string, PlacedFrame[]>()
  for (const frame of atlas.frames) {
    const place = `${frame.page}|${toPlace(frame)}`
    byPlace.set(place, [...(byPlace.get(place) ?? []), frame])
  }
  const firsts = [...byPlace.values()].map((frames) => frames[0]!)
  const lines = pages.flatMap((_, page) => [
    ...(pages.length > 1 ? [`#${page}`] : []),
    ...firsts.filter((frame) => frame.page === page).map((frame) => `${spell(frame)}|${toPlace(frame)}`),
  ])
  const aliases = [...byPlace.values()].flatMap(([first, ...others]) =>
    others.length === 0 ? [] : [`A:${spell(first!)}=${others.map(spell).join(',')}`],
  )
  const heads = pages.map(({ file, width, height }) => `P:${checkName(file)},RGBA8888,${width},${height},0`)
  return ['PCT:1.0', ...heads, ...folders.map((folder) => `F:${checkName(folder)}`), ...lines, ...aliases, ''].join('\n')
}

/** Flags (2: trimmed), rectangle, and if trimmed the source size and offset. */
function toPlace(frame: PlacedFrame): string {
  const { x, y, width, height, sourceWidth, sourceHeight, offsetX, offsetY } = frame
  const rectangle = `${x},${y},${width},${height}`
  return isTrimmed(frame) ? `2|${rectangle}|${sourceWidth},${sourceHeight},${offsetX},${offsetY}` : `0|${rectangle}`
}

function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')))
}

function checkName(name: string): string {
  if (name !== '' && !/[|,#~=\r\n]|^[PFBA]:/.test(name)) return name
  throw new AtlasError('SW_ATLAS_OPTION', {
    message: `Expected names that a PCT file can hold, without | , # ~ = and line breaks, found ${JSON.stringify(name)}. Rename it, or use the format "phaser".`,
    facts: { name },
  })
}
