import { extname, sep } from 'node:path'
import { SpritewrightError, sourcesOf } from '../../errors.ts'
import { oneByOne } from '../../host/one-by-one.ts'
import { foldPath } from '../../host/real-path.ts'
import { sha256 } from '../../host/sha256.ts'
import type { Context } from '../../project/context.ts'
import { ownAnimations, toWantedAnimations, type WantedAnimation, type WantedAnimations } from '../../project/wanted.ts'
import { groupBy } from '../../sheets/group.ts'
import { filesOf } from '../../sprite-spec/own-art.ts'
import { findSpecs, type SpecScan, toScan, tryReadSpec } from '../../sprite-spec/scan.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import { specName, spriteFile } from '../../sprite-spec/spec-file.ts'
import { pictureEndings } from '../project-files.ts'
import { staleOf } from '../sheets/changed-specs.ts'

/** The specs of a project, as read from their files. */
export interface BookedSpecs extends SpecScan {
  /** SHA-256 of each readable spec file, by its absolute path, as it was read. */
  readonly digests: ReadonlyMap<string, string>
}

/**
 * Reads the specs of a project once, and then file by file as they change. Several readers share it: each of
 * them names the files that have changed since its own last call.
 */
export interface SpecReader {
  /**
   * Reads the present specs. A spec whose content has not changed is the identical object.
   *
   * @param changed Absolute paths of the changed files.
   * @default unknown: all files are read
   */
  read(changed?: readonly string[]): Promise<BookedSpecs>
  /** What specs of the last read ask for. A picture is read once; only its hash is kept. */
  wanted(specs: readonly SpriteSpec[]): Promise<WantedAnimations>
}

interface Page {
  readonly spec: SpriteSpec | SpritewrightError
  readonly digest: string | undefined
}

/** Creates a book that has read nothing yet. */
export function createSpecReader(context: Context): SpecReader {
  const { host, options } = context
  const { root } = options
  const inOrder = oneByOne()
  let asked = new Map<SpriteSpec, readonly WantedAnimation[]>()
  let pages: ReadonlyMap<string, Page> | undefined
  let booked: BookedSpecs = { specs: [], errors: [], digests: new Map() }
  /** A file that was locked becomes readable again without any notice. */
  const unread = (): readonly string[] => [...(pages ?? [])].flatMap(([file, { digest }]) => (digest === undefined ? [file] : []))
  /** Specs of own art whose source has changed, or was broken and may be whole now. */
  const withChangedArt = (changed: readonly string[]): readonly string[] =>
    changed.length === 0 ? [] : [...(pages ?? [])].flatMap(([file, { spec }]) => (isFrom(spec, changed) ? [file] : []))
  const isKnownArt = (path: string): boolean =>
    [...(pages?.values() ?? [])].some(({ spec }) => !(spec instanceof SpritewrightError) && isFrom(spec, [path]))
  /** The file or folder that makes a sprite by itself. A source that a spec names does not. */
  const ownSprite = (path: string): readonly string[] => {
    const file = spriteFile(root, path)
    return file === undefined || (specName(file) === undefined && isKnownArt(path)) ? [] : [file]
  }
  const touched = (changed: readonly string[]): readonly string[] => [
    ...new Set([...changed.flatMap(ownSprite), ...unread(), ...withChangedArt(changed)]),
  ]
  const readPage = async (file: string, before: Page | undefined): Promise<Page> => {
    const { spec, bytes } = await tryReadSpec(host.disk, file, root)
    for (const path of sourcesOf(spec)) context.ownFiles.add(path)
    return { spec: sameAs(before?.spec, spec), digest: bytes && sha256(bytes) }
  }
  /** @param specs The files to read again; `undefined` for all. */
  const readPages = async (specs: readonly string[] | undefined): Promise<ReadonlyMap<string, Page>> => {
    const before = pages
    const known = before && specs?.every((path) => before.has(path)) ? new Map(before) : undefined
    if (known && specs) {
      for (const file of specs) known.set(file, await readPage(file, before?.get(file)))
      // A file that cannot be read may be gone.
      if (specs.every((file) => known.get(file)?.digest !== undefined)) return known
    }
    const now = new Map<string, Page>()
    for (const file of await findSpecs(host.glob, root, options.specs)) {
      const earlier = before?.get(file)
      now.set(file, earlier && specs && !specs.includes(file) ? earlier : await readPage(file, earlier))
    }
    return now
  }
  const read = async (changed: readonly string[] | undefined): Promise<BookedSpecs> => {
    const specs = changed && touched(changed)
    const isTouched = specs?.length !== 0
    if (!pages || isTouched) {
      pages = await readPages(pages && specs)
      const scan = toScan(new Map([...pages].map(([file, { spec }]) => [file, spec])), root)
      const digests = [...pages].flatMap(([file, { digest }]) => (digest === undefined ? [] : [[file, digest] as const]))
      booked = { ...scan, digests: new Map(digests) }
    }
    const stale = staleOf(
      booked.specs,
      changed?.filter((path) => pictureEndings.has(extname(path).toLowerCase())),
    )
    if (isTouched || stale === 'all' || stale.size > 0) {
      // A spec that is left out for a moment is forgotten: its picture may change meanwhile.
      const kept = new Set(stale === 'all' ? [] : booked.specs.filter(({ name }) => !stale.has(name)))
      asked = new Map([...asked].filter(([spec]) => kept.has(spec)))
    }
    return booked
  }
  return {
    read: (changed) => inOrder(() => read(changed)),
    wanted: async (specs) => {
      const before = asked
      const { wanted, errors } = await toWantedAnimations(context, { specs: specs.filter((spec) => !before.has(spec)), errors: [] })
      const fresh = groupBy(
        wanted.map(({ picture: _, ...bare }): WantedAnimation => bare),
        ({ spec }) => spec,
      )
      const all = new Map([...before, ...fresh])
      // A change that was reported meanwhile may be about a picture of these.
      if (asked === before) for (const [spec, own] of fresh) asked.set(spec, own)
      return { wanted: specs.flatMap((spec) => all.get(spec) ?? []), own: ownAnimations(context, specs), errors }
    },
  }
}

/** Whether one of these files is, or is in, the source of a spec of own art, or is its palette. */
function isFrom(spec: Page['spec'], changed: readonly string[]): boolean {
  if (spec instanceof SpritewrightError) return spec.code === 'SW_SOURCE' || spec.code === 'SW_DISK'
  const [source] = spec.art?.files ?? []
  const files = new Set(filesOf(spec).map(foldPath))
  const isInside = (path: string): boolean => source !== undefined && path.startsWith(foldPath(`${source}${sep}`))
  return changed.map(foldPath).some((path) => files.has(path) || isInside(path))
}

function sameAs(before: Page['spec'] | undefined, now: Page['spec']): Page['spec'] {
  const isSame = before !== undefined && !(before instanceof SpritewrightError) && JSON.stringify(before) === JSON.stringify(now)
  return isSame ? before : now
}
