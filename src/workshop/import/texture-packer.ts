import { basename, dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'
import { groupByName } from '../../art/names.ts'
import type { Disk } from '../../host/disk.ts'
import { sniffPicture } from '../../sprite-spec/picture.ts'
import { findSources, type Imported, type ImportedSprite, listUnequal, readProject, toSpriteName, type Unequal } from './imported.ts'
import { readPlist } from './plist.ts'

const program = 'TexturePacker 4 to 7'
const list = z.string().transform((text) => text.split(',').map(Number))
const settingsSchema = z.object({
  fileFormatVersion: z.number().min(4).max(6),
  autoSDSettings: z.array(z.object({ scale: z.number() })).min(1),
  allowRotation: z.boolean(),
  shapePadding: z.number(),
  textureFormat: z.string().default('png'),
  maxTextureSize: z.object({ width: z.number(), height: z.number() }),
  globalSpriteSettings: z.object({
    scale: z.number().default(1),
    extrude: z.number(),
    trimMode: z.string(),
    defaultPivotPoint: list.default([0.5, 0.5]),
    writePivotPoints: z.boolean().default(false),
  }),
  individualSpriteSettings: z
    .record(
      z.string(),
      z.object({
        pivotPoint: list.optional(),
        spriteScale: z.number().default(1),
        scale9Enabled: z.boolean().default(false),
        scale9Borders: list.default([]),
      }),
    )
    .default({}),
  fileList: z.array(z.string()),
})
type Settings = z.output<typeof settingsSchema>

const unequal: Unequal = {
  'globalSpriteSettings.trimMode': [/^(?:None|Trim|CropKeepPos)$/, 'frames keep their canvas here; "atlas.hull" gives outlines'],
  'globalSpriteSettings.trimThreshold': [/^[01]$/],
  'globalSpriteSettings.trimMargin': [/^[01]$/, 'use "padding" and "extrude"'],
  'globalSpriteSettings.scaleMode': [/^Smooth$/, 'see "pixelArt"'],
  'globalSpriteSettings.heuristicMask': [/^false$/],
  borderPadding: [/^0$/],
  autoSDSettings: [/^(?:(?!"(?:extension|spriteFilter)":"[^"]).)*$/, 'every variant has all pictures here, and is named by its scale'],
  textureFormat: [/^(?:png8?|webp)$/, 'see "atlas.format"'],
  outputFormat: [/^RGBA8888$/, 'see "atlas.palette"'],
  alphaHandling: [/^(?!Premultiply)/],
  'algorithmSettings.sizeConstraints': [/^AnySize$/],
  'algorithmSettings.forceSquared': [/^false$/],
  'fixedTextureSize.width': [/^-1$/],
  backgroundColor: [/^0$/],
  'contentProtection.key': [/^$/],
  packNormalMaps: [/^false$/, 'give normal maps a spec of their own'],
  ignoreFileList: [/^\[\]$/, 'move these files out of the folder, or begin their names with a dot'],
  replaceList: [/^\[\]$/, 'rename the files instead'],
  dataFormat: [/^(?:json|phaser|pixijs)/, 'see "formats"'],
}

/**
 * Reads a project of TexturePacker: `.tps`, formats 4 to 6.
 *
 * @throws `SW_SPEC` for a file that is not one.
 */
export async function importTexturePacker(disk: Disk, file: string, text: string): Promise<Imported> {
  const value = readPlist(text, file)
  const settings = readProject(settingsSchema, value, file, program)
  const { globalSpriteSettings: all, maxTextureSize, textureFormat } = settings
  const left = listUnequal(value, unequal)
  const fields = {
    trim: all.trimMode !== 'None',
    padding: settings.shapePadding,
    extrude: all.extrude,
    scales: settings.autoSDSettings.map(({ scale }) => Number((scale * all.scale).toFixed(6))),
    atlas: toSpriteName(basename(file, '.tps')),
  }
  const sprites: ImportedSprite[] = []
  for (const source of await findSources(disk, dirname(file), settings.fileList, left))
    sprites.push({ ...source, fields: { ...fields, ...(await ownFields(disk, dirname(file), source.path, settings, left)) } })
  const atlas = {
    maxSize: Math.max(maxTextureSize.width, maxTextureSize.height),
    ...(settings.allowRotation ? { rotate: true } : {}),
    ...({ webp: { format: 'webp' }, png8: { palette: 'close' } }[textureFormat] ?? {}),
  }
  return { folder: dirname(file), sprites, atlas, left }
}

/** The anchor, if all pictures of a source have the same, and the borders of all or of each. */
async function ownFields(disk: Disk, folder: string, path: string, settings: Settings, left: string[]): Promise<Record<string, unknown>> {
  const { defaultPivotPoint, writePivotPoints } = settings.globalSpriteSettings
  const own = Object.entries(settings.individualSpriteSettings).filter(([name]) => join(folder, name, sep).startsWith(join(path, sep)))
  for (const [name, { spriteScale }] of own)
    if (spriteScale !== 1) left.push(`${name}: spriteScale ${spriteScale}. Scale the picture itself.`)
  const anchorOf = (found: readonly (readonly [string, readonly number[]])[]): { readonly anchor?: readonly number[] } => {
    const values = new Map(found.map(([name, numbers]) => [numbers.join(), { name, numbers }]))
    const [first, second] = values.values()
    if (first && !second) return { anchor: first.numbers }
    const words = [...values].map(([text, { name }]) => `[${text}] of ${name}`)
    left.push(`${relative(folder, path)}: "anchor" ${words.join(', ')}. A spec has one for all its pictures: split the folder.`)
    return {}
  }
  const borders: NamedBorders[] = []
  for (const [file, { scale9Enabled, scale9Borders }] of own) {
    const sides = scale9Enabled ? await toBorders(disk, join(folder, file), scale9Borders) : []
    borders.push({ name: relative(path, join(folder, file)).replaceAll('\\', '/'), file, sides })
  }
  const pivots = own.map(([name, { pivotPoint = defaultPivotPoint }]): [string, readonly number[]] => [name, pivotPoint])
  return {
    ...(writePivotPoints ? anchorOf(pivots.length > 0 ? pivots : [[path, defaultPivotPoint]]) : {}),
    ...bordersField(borders, left),
  }
}

/** Borders of a picture, which are empty if it has none. */
interface NamedBorders {
  /** Path from the source. */
  readonly name: string
  readonly file: string
  readonly sides: readonly number[]
}

/** Borders of all pictures of a source, or by name of picture. An animation has none of its own. */
function bordersField(borders: readonly NamedBorders[], left: string[]): { borders?: object } {
  const [first] = borders
  if (!first || borders.every(({ sides }) => sides.length === 0)) return {}
  if (borders.every(({ sides }) => sides.join() === first.sides.join())) return { borders: first.sides }
  const named = groupByName(borders, ({ file }) => file)
  const framed = named.find(({ isPicture, items }) => !isPicture && items.some(({ sides }) => sides.length > 0))
  if (framed) left.push(`${framed.items[0]?.file}: "borders" of the animation "${framed.name}" alone. Make it a source of its own.`)
  return {
    borders: Object.fromEntries(
      named.flatMap(({ name, isPicture, items: [item] }) => (isPicture && item && item.sides.length > 0 ? [[name, item.sides]] : [])),
    ),
  }
}

/** TexturePacker names the middle, a spec the borders. Returns none if the picture cannot be read. */
async function toBorders(disk: Disk, path: string, [x = 0, y = 0, width = 0, height = 0]: readonly number[]): Promise<readonly number[]> {
  const picture = (await disk.stat(path)) ? sniffPicture(await disk.read(path)) : undefined
  if (!picture || !('header' in picture)) return []
  return [x, y, picture.header.width - x - width, picture.header.height - y - height]
}
