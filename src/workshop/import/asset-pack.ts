import { join, relative } from 'node:path'
import type { Disk } from '../../host/disk.ts'
import { type Imported, type ImportedSprite, importError, toSpriteName } from './imported.ts'

/** Folders that no search for specs enters. */
const skipped: ReadonlySet<string> = new Set(['node_modules', 'dist'])
/** Tags that an import carries or that mean nothing to a sheet. */
const known: ReadonlySet<string> = new Set(['tps', 'fix', 'm'])
const pictures = /\.(?:png|jpe?g|webp|avif|gif|svg)$/i

/**
 * Reads a folder of AssetPack: each folder with the tag `{tps}` is a sheet.
 *
 * @throws `SW_SPEC` for a folder without such a tag.
 */
export async function importAssetPack(disk: Disk, folder: string): Promise<Imported> {
  const sprites: ImportedSprite[] = []
  const left: string[] = []
  const visit = async (path: string, isSheet: boolean): Promise<void> => {
    for (const name of (await disk.list(path)).filter((one) => !one.startsWith('.') && !skipped.has(one))) {
      const child = join(path, name)
      const shown = relative(folder, child)
      const tags = tagsOf(name)
      const isFolder = (await disk.stat(child))?.isFolder === true
      const begins = isFolder && !isSheet && tags.includes('tps')
      const others = tags.filter((tag) => !known.has(tag)).map((tag) => `{${tag}}`)
      if (others.length > 0 && (isSheet || begins)) left.push(`${shown}: ${others.join(' ')} has no equal here.`)
      if (tags.length > 0 && isSheet) left.push(`${shown}: its tags become part of the names. Rename it.`)
      if (!isFolder && !isSheet && pictures.test(name))
        left.push(`${shown}: is in no {tps} folder. Load it as before, or name it as "source" of a spec.`)
      if (begins) sprites.push({ path: child, isFolder: true, fields: { atlas: toSpriteName(name) } })
      if (isFolder) await visit(child, isSheet || begins)
    }
  }
  await visit(folder, false)
  if (sprites.length === 0)
    throw importError(folder, 'folders with the tag {tps} in it, as AssetPack has them', 'none', 'Name the folder of the raw assets.')
  if (sprites.some(({ path }) => !path.includes('{fix}')))
    left.push('AssetPack makes pages of half the size too, unless its configuration says otherwise: add "scales": [1, 0.5] for them.')
  return { folder, sprites, atlas: {}, left }
}

function tagsOf(name: string): readonly string[] {
  return [...name.matchAll(/\{([^{}=]*)[^{}]*\}/g)].map(([, tag = '']) => tag)
}
