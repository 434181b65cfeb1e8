import { join, relative, sep } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import type { Glob } from '../host/glob.ts'
import { decodeText } from '../host/project-style.ts'
import { foldPath, realPath } from '../host/real-path.ts'
import { bareSpec, withArt } from './own-art.ts'
import { parseSpec } from './parser.ts'
import type { SpriteSpec } from './spec.ts'
import { bareArtName, checkSpecSize, specError, specName, spriteFile } from './spec-file.ts'

/** Ports that {@link readSpecs} uses. */
export interface SpecPorts {
  readonly disk: Disk
  readonly glob: Glob
}

/** All valid specs of a project, and the errors of the others. */
export interface SpecScan {
  /** Sorted by name (code units). Specs that share a name are left out. */
  readonly specs: readonly SpriteSpec[]
  /** `SW_SPEC`, `SW_SPEC_NAME`, `SW_SOURCE`, `SW_DISK`, in the order of the files. */
  readonly errors: readonly SpritewrightError[]
}

/**
 * Finds the files of a project's sprites: all files that match the patterns and are named `*.sprite.json`, `.yaml` or
 * `.yml`, and own art without a spec. Skips `node_modules`, `dist` and folders whose name begins with a dot.
 *
 * @param patterns Globs, relative to `root`, with forward slashes. A glob that begins with `!` excludes
 * files.
 * @returns Absolute paths, sorted by code unit. If links give a file several paths, it is found once, by its own
 * path if that path is in the project.
 */
export async function findSpecs(glob: Glob, root: string, patterns: readonly string[]): Promise<string[]> {
  const files = [...new Set((await glob(root, patterns)).flatMap((file) => spriteFile(root, file) ?? []))]
  const clashing = findClashes(files)
  const ownPath = (file: string): string => join(realPath(root), relative(root, file))
  return files.filter((file) => {
    const paths = (clashing.get(file) ?? [file]).filter((other) => other === file || realPath(other) === realPath(file))
    return paths.length === 1 || file === (paths.find((path) => ownPath(path) === realPath(path)) ?? paths[0])
  })
}

/**
 * Finds and parses all specs of a project. Returns the errors of bad specs instead of throwing them, so that
 * they do not hide the others.
 */
export async function readSpecs(ports: SpecPorts, root: string, patterns: readonly string[]): Promise<SpecScan> {
  const files = await findSpecs(ports.glob, root, patterns)
  const read = new Map<string, SpriteSpec | SpritewrightError>()
  for (const file of files) read.set(file, (await tryReadSpec(ports.disk, file, root)).spec)
  return toScan(read, root)
}

/** One spec file, read. If it is bad, `spec` is the error. */
export interface ReadSpec {
  readonly spec: SpriteSpec | SpritewrightError
  /** Bytes of the file; `undefined` if it could not be read. */
  readonly bytes?: Uint8Array
}

/**
 * Reads one spec file, and the source of own art. Returns an error instead of throwing it: `SW_SPEC` as
 * from `parseSpec`, also if the text is not UTF-8; `SW_SOURCE`; or `SW_DISK` if a file cannot be read.
 *
 * @param root Absolute path. Messages show the file's path from here.
 */
export async function tryReadSpec(disk: Disk, file: string, root: string): Promise<ReadSpec> {
  let bytes: Uint8Array | undefined
  try {
    if (bareArtName(file) !== undefined) return { spec: await withArt(disk, bareSpec(file)), bytes: noText }
    bytes = await readBytes(disk, file, root)
    return { spec: await withArt(disk, parseSpec(decode(bytes, file, root), file, showPath(root, file))), bytes }
  } catch (error) {
    if (!(error instanceof SpritewrightError)) throw error
    return { spec: error, bytes }
  }
}

/** Own art without a spec has no text. */
const noText = new Uint8Array()

/**
 * Builds a scan from files that were read one by one.
 *
 * @param read By absolute path, sorted by code unit.
 */
export function toScan(read: ReadonlyMap<string, SpriteSpec | SpritewrightError>, root: string): SpecScan {
  const clashing = findClashes(withoutNamed(read))
  const specs: SpriteSpec[] = []
  const errors: SpritewrightError[] = []
  const reported = new Set<readonly string[]>()
  for (const file of withoutNamed(read)) {
    const found = read.get(file) as SpriteSpec | SpritewrightError
    const clash = clashing.get(file)
    if (found instanceof SpritewrightError) errors.push(found)
    else if (!clash) specs.push(found)
    if (clash && !reported.has(clash)) {
      reported.add(clash)
      errors.push(clashError(clash, root))
    }
  }
  return { specs: specs.sort((a, b) => (a.name < b.name ? -1 : 1)), errors }
}

/** The files of sprites, without art that a spec names as its source. */
function withoutNamed(read: ReadonlyMap<string, SpriteSpec | SpritewrightError>): readonly string[] {
  const named = new Set(
    [...read].flatMap(([file, spec]) =>
      spec instanceof SpritewrightError || bareArtName(file) !== undefined ? [] : (spec.art?.files ?? []),
    ),
  )
  return [...read.keys()].filter((file) => !named.has(file))
}

function decode(bytes: Uint8Array, file: string, root: string): string {
  let found = 'zero bytes'
  try {
    const text = decodeText(bytes, { fatal: true })
    if (!text.includes('\0')) return text
  } catch {
    found = 'bytes that are none'
  }
  const message = `expected text in UTF-8, found ${found}`
  throw specError(file, showPath(root, file), [{ line: 1, column: 1, path: '', expected: 'text in UTF-8', found, message }])
}

async function readBytes(disk: Disk, file: string, root: string): Promise<Uint8Array> {
  try {
    const stat = await disk.stat(file)
    if (stat) checkSpecSize(stat.bytes, file, showPath(root, file))
    return await disk.read(file)
  } catch (cause) {
    if (cause instanceof SpritewrightError) throw cause
    const code = (cause as NodeJS.ErrnoException).code ?? 'an unknown failure'
    throw new SpritewrightError('SW_DISK', {
      message: `Expected to read ${showPath(root, file)}, found ${code}. Check the file and its permissions.`,
      facts: { file },
      cause,
    })
  }
}

function spriteName(file: string): string {
  return specName(file) ?? bareArtName(file) ?? ''
}

/** Compares folded names: frames become files and keys, and there `Hero` and `hero` may be the same. */
function findClashes(files: readonly string[]): Map<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const file of files) {
    const name = foldPath(spriteName(file))
    const group = byName.get(name)
    if (group) group.push(file)
    else byName.set(name, [file])
  }
  const clashing = [...byName.values()].filter((group) => group.length > 1)
  return new Map(clashing.flatMap((group) => group.map((file) => [file, group] as const)))
}

function clashError(files: readonly string[], root: string): SpritewrightError {
  const names = [...new Set(files.map(spriteName))]
  const shown = files.map((file) => showPath(root, file)).join(' and ')
  const also = names.length > 1 ? ', also where only case or Unicode form differs' : ''
  return new SpritewrightError('SW_SPEC_NAME', {
    message: `Expected one spec for the name "${names[0]}"${also}, found ${shown}. Rename one of them.`,
    facts: { names, files },
  })
}

function showPath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}
