import { sep } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { foldPath } from '../../host/real-path.ts'
import type { Context } from '../../project/context.ts'
import { findSpecs, type SpecScan, toScan, tryReadSpec } from '../../sprite-spec/scan.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import { sha256 } from '../../vault/objects.ts'

/** The specs of a project, as read from their files. */
export interface BookedSpecs extends SpecScan {
  /** SHA-256 of each readable spec file, by its absolute path, as it was read. */
  readonly digests: ReadonlyMap<string, string>
}

/** Reads the specs of a project once, and then file by file as they change. */
export interface SpecReader {
  /**
   * Reads the present specs. A spec whose content has not changed is the identical object.
   *
   * @param changed Absolute paths of all files that have changed since the last call.
   * @default unknown: all files are read
   */
  read(changed?: readonly string[]): Promise<BookedSpecs>
}

interface Page {
  readonly spec: SpriteSpec | SpritewrightError
  readonly digest: string | undefined
}

/** Creates a book that has read nothing yet. */
export function createSpecReader({ host, options }: Context): SpecReader {
  const { root } = options
  let pages: ReadonlyMap<string, Page> | undefined
  let booked: BookedSpecs = { specs: [], errors: [], digests: new Map() }
  /** A file that was locked becomes readable again without any notice. */
  const unread = (): readonly string[] => [...(pages ?? [])].flatMap(([file, { digest }]) => (digest === undefined ? [file] : []))
  /** Specs of own art whose source has changed, or was broken and may be whole now. */
  const withChangedArt = (changed: readonly string[]): readonly string[] =>
    changed.length === 0 ? [] : [...(pages ?? [])].flatMap(([file, { spec }]) => (isFrom(spec, changed) ? [file] : []))
  const touched = (changed: readonly string[]): readonly string[] => [
    ...new Set([...changed.filter((path) => specName(path) !== undefined), ...unread(), ...withChangedArt(changed)]),
  ]
  const readPage = async (file: string, before: Page | undefined): Promise<Page> => {
    const { spec, bytes } = await tryReadSpec(host.disk, file, root)
    return { spec: sameAs(before?.spec, spec), digest: bytes && sha256(bytes) }
  }
  const readPages = async (changed: readonly string[] | undefined): Promise<ReadonlyMap<string, Page>> => {
    const before = pages
    const specs = changed ? touched(changed) : []
    const known = before && specs.every((path) => before.has(path)) ? new Map(before) : undefined
    if (known && changed) {
      for (const file of specs) known.set(file, await readPage(file, before?.get(file)))
      // A file that cannot be read may be gone.
      if (specs.every((file) => known.get(file)?.digest !== undefined)) return known
    }
    const now = new Map<string, Page>()
    for (const file of await findSpecs(host.glob, root, options.specs)) {
      const earlier = before?.get(file)
      now.set(file, earlier && changed && !specs.includes(file) ? earlier : await readPage(file, earlier))
    }
    return now
  }
  return {
    read: async (changed) => {
      if (pages && changed && touched(changed).length === 0) return booked
      pages = await readPages(pages && changed)
      const scan = toScan(new Map([...pages].map(([file, { spec }]) => [file, spec])), root)
      const digests = [...pages].flatMap(([file, { digest }]) => (digest === undefined ? [] : [[file, digest] as const]))
      booked = { ...scan, digests: new Map(digests) }
      return booked
    },
  }
}

/** Whether one of these files is, or is in, the source of a spec of own art. */
function isFrom(spec: Page['spec'], changed: readonly string[]): boolean {
  if (spec instanceof SpritewrightError) return spec.code === 'SW_SOURCE'
  const [source] = spec.art?.files ?? []
  if (source === undefined) return false
  const files = new Set(spec.art?.files.map(foldPath))
  return changed.map(foldPath).some((path) => files.has(path) || path.startsWith(foldPath(`${source}${sep}`)))
}

function sameAs(before: Page['spec'] | undefined, now: Page['spec']): Page['spec'] {
  const isSame = before !== undefined && !(before instanceof SpritewrightError) && JSON.stringify(before) === JSON.stringify(now)
  return isSame ? before : now
}
