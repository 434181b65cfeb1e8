import { basename, dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'
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

const inConfig = 'choose it in the configuration'
const unequal: Unequal = {
  'globalSpriteSettings.trimMode': [
    /^(?:None|Trim|CropKeepPos)$/,
    'frames keep their canvas here; "atlas.hull" in the configuration gives outlines',
  ],
  'globalSpriteSettings.trimThreshold': [/^[01]$/, 'only wholly clear pixels are trimmed here'],
  'globalSpriteSettings.trimMargin': [/^[01]$/, 'use "padding" and "extrude"'],
  'globalSpriteSettings.scaleMode': [/^Smooth$/, '"pixelArt": true scales by nearest neighbour, and tells the engine to'],
  'globalSpriteSettings.heuristicMask': [/^false$/, 'remove the background in the pictures'],
  borderPadding: [/^0$/, 'pages have no border of their own; "padding" is between frames'],
  autoSDSettings: [
    /^(?:(?!"(?:extension|spriteFilter)":"[^"]).)*$/,
    'every variant has all pictures here, and its pages are named by the scale',
  ],
  textureFormat: [/^(?:png8?|webp)$/, `"atlas.format": ${inConfig}`],
  outputFormat: [/^RGBA8888$/, 'pages have 8 bits a channel; "atlas.palette" and KTX2 make them smaller'],
  alphaHandling: [/^(?!Premultiply)/, 'pages are not premultiplied'],
  'algorithmSettings.sizeConstraints': [/^AnySize$/, 'pages have any size up to "atlas.maxSize"'],
  'algorithmSettings.forceSquared': [/^false$/, 'pages have any size up to "atlas.maxSize"'],
  'fixedTextureSize.width': [/^-1$/, 'pages are as small as they can be'],
  backgroundColor: [/^0$/, 'pages are clear between the frames'],
  'contentProtection.key': [/^$/, 'pages are not encrypted'],
  packNormalMaps: [/^false$/, 'normal maps are pictures like others; give them a spec of their own'],
  ignoreFileList: [/^\[\]$/, 'move these files out of the folder, or begin their names with a dot'],
  replaceList: [/^\[\]$/, 'rename the files instead'],
  dataFormat: [/^(?:json|phaser|pixijs)/, `"formats": ${inConfig}`],
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

/** Anchor and borders, if all pictures of a source have the same. */
async function ownFields(disk: Disk, folder: string, path: string, settings: Settings, left: string[]): Promise<Record<string, unknown>> {
  const { defaultPivotPoint, writePivotPoints } = settings.globalSpriteSettings
  const own = Object.entries(settings.individualSpriteSettings).filter(([name]) => join(folder, name, sep).startsWith(join(path, sep)))
  for (const [name, { spriteScale }] of own)
    if (spriteScale !== 1) left.push(`${name}: spriteScale ${spriteScale}. Scale the picture itself.`)
  const one = (field: string, found: readonly (readonly [string, readonly number[]])[]): Record<string, readonly number[]> => {
    const values = new Map(found.map(([name, numbers]) => [numbers.join(), { name, numbers }]))
    const [first] = values.values()
    if (values.size === 1 && first) return first.numbers.length > 0 ? { [field]: first.numbers } : {}
    const words = [...values].filter(([text]) => text !== '').map(([text, { name }]) => `[${text}] of ${name}`)
    if (values.size > 1)
      left.push(`${relative(folder, path)}: "${field}" ${words.join(', ')}. A spec has one for all its pictures: split the folder.`)
    return {}
  }
  const borders: [string, readonly number[]][] = []
  for (const [name, { scale9Enabled, scale9Borders }] of own)
    borders.push([name, scale9Enabled ? await toBorders(disk, join(folder, name), scale9Borders) : []])
  const pivots = own.map(([name, { pivotPoint = defaultPivotPoint }]): [string, readonly number[]] => [name, pivotPoint])
  return {
    ...(writePivotPoints ? one('anchor', pivots.length > 0 ? pivots : [[path, defaultPivotPoint]]) : {}),
    ...one('borders', borders),
  }
}

/** TexturePacker names the middle, a spec the borders. Returns none if the picture cannot be read. */
async function toBorders(disk: Disk, path: string, [x = 0, y = 0, width = 0, height = 0]: readonly number[]): Promise<readonly number[]> {
  const picture = (await disk.stat(path)) ? sniffPicture(await disk.read(path)) : undefined
  if (!picture || !('header' in picture)) return []
  return [x, y, picture.header.width - x - width, picture.header.height - y - height]
}
