import { basename, dirname } from 'node:path'
import { z } from 'zod'
import type { Disk } from '../../host/disk.ts'
import { findSources, type Imported, listUnequal, readProject, toSpriteName, type Unequal } from './imported.ts'

const projectSchema = z.object({
  images: z.array(z.object({ path: z.string() })).default([]),
  folders: z.array(z.string()).default([]),
  packOptions: z.object({
    textureName: z.string().default(''),
    width: z.coerce.number().default(2048),
    height: z.coerce.number().default(2048),
    padding: z.coerce.number().default(0),
    extrude: z.coerce.number().default(0),
    scale: z.coerce.number().default(1),
    allowRotation: z.boolean().default(false),
    allowTrim: z.boolean().default(true),
  }),
})

const unequal: Unequal = {
  'packOptions.trimMode': [/^trim$/],
  'packOptions.alphaThreshold': [/^0?$/],
  'packOptions.fixedSize': [/^false$/],
  'packOptions.powerOfTwo': [/^false$/],
  'packOptions.filter': [/^none$/],
  'packOptions.textureFormat': [/^png$/, 'see "atlas.format"'],
  'packOptions.base64Export': [/^false$/],
  'packOptions.tinify': [/^false$/, 'see "atlas.palette"'],
  'packOptions.exporter': [/^(?:json|phaser|pixi)/i, 'see "formats"'],
}

/**
 * Reads a project of Free Texture Packer: `.ftpp`.
 *
 * @throws `SW_SPEC` for a file that is not one.
 */
export async function importFreeTexPacker(disk: Disk, file: string, text: string): Promise<Imported> {
  const value = parse(text)
  const { images, folders, packOptions: options } = readProject(projectSchema, value, file, 'Free Texture Packer')
  const { allowTrim: trim, padding, extrude, scale, width, height } = options
  const left = listUnequal(value, unequal)
  const fields = { trim, padding, extrude, scales: [scale], atlas: toSpriteName(options.textureName || basename(file, '.ftpp')) }
  const sources = await findSources(disk, dirname(file), [...folders, ...images.map(({ path }) => path)], left)
  const atlas = { maxSize: Math.max(width, height), ...(options.allowRotation ? { rotate: true } : {}) }
  return { folder: dirname(file), sprites: sources.map((source) => ({ ...source, fields })), atlas, left }
}

/** Returns `undefined` for another text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
