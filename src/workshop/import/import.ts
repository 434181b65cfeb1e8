import { dirname, extname, join, relative } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { decodeText, inProjectStyle } from '../../host/project-style.ts'
import { publish } from '../../host/publish.ts'
import { foldPath, isInside, realPath } from '../../host/real-path.ts'
import { findSpecSchema } from '../../options/editor-schema.ts'
import { withArt } from '../../sprite-spec/own-art.ts'
import { parseSpec } from '../../sprite-spec/parser.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import { importAssetPack } from './asset-pack.ts'
import { importFreeTexPacker } from './free-tex-packer.ts'
import { type Imported, type ImportedSprite, toSpriteName } from './imported.ts'
import { importTexturePacker } from './texture-packer.ts'

/** A spec that an import writes. */
export interface ImportedSpec {
  /** Absolute path. */
  readonly file: string
  readonly text: string
}

/** What an import gives. */
export interface ImportReport extends Pick<Imported, 'left'> {
  readonly specs: readonly ImportedSpec[]
  /** Fields for `atlas` in the configuration, without those that are the default. */
  readonly atlas: Imported['atlas']
}

type Ports = Pick<Host, 'disk' | 'random' | 'loadModule'>

/** The values that a spec has without being told. */
const defaults = { trim: true, padding: 2, extrude: 1, scales: [1], atlas: 'sprites' }

/**
 * Makes specs of own art from a project of TexturePacker (`.tps`), of Free Texture Packer (`.ftpp`) or from a
 * folder of AssetPack, and writes them beside it. All files are read and checked before the first one is written.
 *
 * @param paths Absolute.
 * @throws `SW_USAGE` for another kind of file; `SW_SPEC` for a damaged project.
 */
export async function importProjects(
  host: Ports,
  { root, paths, isDryRun }: { readonly root: string; readonly paths: readonly string[]; readonly isDryRun: boolean },
): Promise<ImportReport> {
  const specs: ImportedSpec[] = []
  const left: string[] = []
  let atlas: Imported['atlas'] = {}
  for (const path of paths) {
    const imported = await readOne(host.disk, path)
    if (!isInside(realPath(root), realPath(imported.folder)))
      throw new SpritewrightError('SW_USAGE', {
        message: `${path}: expected a path in the project ${root}, found one outside. Copy it there.`,
        facts: { file: path },
      })
    left.push(...imported.left)
    atlas = { ...atlas, ...imported.atlas }
    const names = nameAll(imported)
    for (const [at, sprite] of imported.sprites.entries()) {
      const file = join(imported.folder, `${names[at]}.sprite.json`)
      const twin = await findTwin(host.disk, file, specs)
      if (specs.some((one) => one.file === twin)) throw taken(file)
      if (twin !== undefined) {
        left.push(`${relative(root, twin)}: existed already, unchanged.`)
        continue
      }
      const text = await toText(host, root, file, sprite, left)
      specs.push({ file, text })
      await tryArt(host.disk, file, text, left)
    }
  }
  if (!isDryRun)
    for (const { file, text } of specs)
      if (!(await publish(host.disk, host.random, file, new TextEncoder().encode(text)))) throw taken(file)
  return { specs, left, atlas: Object.fromEntries(Object.entries(atlas).filter(([name, value]) => name !== 'maxSize' || value !== 2048)) }
}

async function readOne(disk: Host['disk'], path: string): Promise<Imported> {
  const stat = await disk.stat(path)
  if (stat?.isFolder) return importAssetPack(disk, path)
  const ending = extname(path).toLowerCase()
  if (!stat || (ending !== '.tps' && ending !== '.ftpp'))
    throw new SpritewrightError('SW_USAGE', {
      message: `${path}: expected a .tps of TexturePacker, a .ftpp of Free Texture Packer or a folder of AssetPack, found ${stat ? 'another file' : 'nothing'}.`,
      facts: { file: path },
    })
  const text = decodeText(await disk.read(path))
  return ending === '.tps' ? importTexturePacker(disk, path, text) : importFreeTexPacker(disk, path, text)
}

/** Sources of one name are named by their paths. */
function nameAll({ folder, sprites }: Imported): readonly string[] {
  const short = sprites.map(({ path }) => toSpriteName(path))
  return sprites.map(({ path }, at) => {
    const isOnly = short.filter((name) => name.toLowerCase() === short[at]?.toLowerCase()).length === 1
    const name = isOnly ? short[at] : toSpriteName(relative(folder, path).replaceAll(/[\\/]/g, '-'))
    return name || `sprites-${at + 1}`
  })
}

/** The text of a spec. A value that a spec cannot have is left out, with a sentence. */
async function toText(host: Ports, root: string, file: string, sprite: ImportedSprite, left: string[]): Promise<string> {
  const path = relative(dirname(file), sprite.path).replaceAll('\\', '/')
  const source = `${path.startsWith('..') ? '' : './'}${path}${sprite.isFolder ? '/' : ''}`
  const schema = await findSpecSchema(host.disk, root, file)
  const spec: Record<string, unknown> = { ...(schema === undefined ? {} : { $schema: schema }), source }
  for (const [name, value] of Object.entries(sprite.fields)) {
    if (JSON.stringify(value) === JSON.stringify(defaults[name as keyof typeof defaults])) continue
    try {
      parseSpec(JSON.stringify({ source, [name]: value }), file)
      spec[name] = value
    } catch (error) {
      const [issue] = (error as { facts?: { issues?: readonly { expected?: string }[] } }).facts?.issues ?? []
      left.push(`"${name}": ${JSON.stringify(value)}: a spec takes ${issue?.expected ?? 'other values'}.`)
    }
  }
  return inProjectStyle(host, root, relative(root, file), `${JSON.stringify(spec, null, 2)}\n`)
}

/** A spec of the same name, of any ending. Names that differ in case alone are one name. */
async function findTwin(disk: Host['disk'], file: string, specs: readonly ImportedSpec[]): Promise<string | undefined> {
  const folder = dirname(file)
  const there = (await disk.list(folder)).map((name) => join(folder, name))
  const nameOf = (path: string): string => foldPath(specName(path) ?? '')
  return [...there, ...specs.map((spec) => spec.file)].find((path) => dirname(path) === folder && nameOf(path) === nameOf(file))
}

function taken(file: string): SpritewrightError {
  return new SpritewrightError('SW_USAGE', {
    message: `${file}: expected no file, found one. Move it away.`,
    facts: { file },
  })
}

/** Reads the pictures as a build would, and says what it will refuse. */
async function tryArt(disk: Host['disk'], file: string, text: string, left: string[]): Promise<void> {
  try {
    const { art } = await withArt(disk, parseSpec(text, file))
    for (const { isPicture, read } of art?.sequences ?? []) if (!isPicture) await read()
  } catch (error) {
    if (!(error instanceof SpritewrightError)) throw error
    left.push(error.message)
  }
}
