import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { findSpecs, type SpecScan, toScan, tryReadSpec } from '../../spec/scan.ts'
import type { SpriteSpec } from '../../spec/spec.ts'
import { specName } from '../../spec/spec-file.ts'
import { sha256 } from '../../vault/objects.ts'

/** What a project's spec files say. */
export interface BookedSpecs extends SpecScan {
  /** SHA-256 of each spec file that could be read, by its absolute path, as it was read. */
  readonly digests: ReadonlyMap<string, string>
}

/** The specs of a project, read once and then file by file as they change. */
export interface SpecReader {
  /**
   * What there is now. A spec that says what it said before is the very same object.
   *
   * @param changed Absolute paths of all files that have changed since it was read last. @default nobody knows: all are read
   */
  read(changed?: readonly string[]): Promise<BookedSpecs>
}

interface Page {
  readonly spec: SpriteSpec | SpritewrightError
  readonly digest: string | undefined
}

/** A book of nothing yet. */
export function createSpecReader({ host, options }: Context): SpecReader {
  const { root } = options
  let pages: ReadonlyMap<string, Page> | undefined
  let booked: BookedSpecs = { specs: [], errors: [], digests: new Map() }
  /** A file that was locked is readable again without any word of it. */
  const unread = (): readonly string[] => [...(pages ?? [])].flatMap(([file, { digest }]) => (digest === undefined ? [file] : []))
  const readPage = async (file: string, before: Page | undefined): Promise<Page> => {
    const { spec, bytes } = await tryReadSpec(host.disk, file, root)
    return { spec: sameAs(before?.spec, spec), digest: bytes && sha256(bytes) }
  }
  const readPages = async (changed: readonly string[] | undefined): Promise<ReadonlyMap<string, Page>> => {
    const before = pages
    const specs = changed ? [...new Set([...changed.filter((path) => specName(path) !== undefined), ...unread()])] : []
    const known = before && specs.every((path) => before.has(path)) ? new Map(before) : undefined
    if (known && changed) {
      for (const file of specs) known.set(file, await readPage(file, before?.get(file)))
      // Where one cannot be read, it may be gone.
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
      const isTouched = !changed || changed.some((path) => specName(path) !== undefined) || unread().length > 0
      if (pages && !isTouched) return booked
      pages = await readPages(pages && changed)
      const scan = toScan(new Map([...pages].map(([file, { spec }]) => [file, spec])), root)
      const digests = [...pages].flatMap(([file, { digest }]) => (digest === undefined ? [] : [[file, digest] as const]))
      booked = { ...scan, digests: new Map(digests) }
      return booked
    },
  }
}

function sameAs(before: Page['spec'] | undefined, now: Page['spec']): Page['spec'] {
  const isSame = before !== undefined && !(before instanceof SpritewrightError) && JSON.stringify(before) === JSON.stringify(now)
  return isSame ? before : now
}
