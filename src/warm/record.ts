import { sep } from 'node:path'
import type { Disk } from '../host/disk.ts'
import { type Glob, unsearched } from '../host/glob.ts'
import type { Host } from '../host/host.ts'
import { folderOf, nameOf } from '../host/paths.ts'
import { tempTargetOf } from '../host/publish.ts'
import type { WarmFiles } from '../host/warm-files.ts'
import { isPlainEnv, isPlainModule } from './plain.ts'
import type { Sight } from './stamp.ts'

export { nodeHost } from '../host/host.ts'
export { tempName } from '../host/publish.ts'

/** A host that remembers what a run sees through it. */
export interface WarmRecorder {
  readonly host: Host
  /** The same run would do nothing but what this one did. @param isOutput Whether a file, by its absolute path, is one that the run is there to write. */
  settle(isOutput: (path: string) => boolean): void
  /** False where the run was never settled, where it did more than look and write its outputs, or where what it saw cannot be looked at again so simply. */
  readonly maySee: boolean
  /** What was seen; undefined where {@link WarmRecorder.maySee} is false. @param more Path and SHA-256 of files that a later run is to find besides. */
  toSight(more?: readonly (readonly [path: string, digest: string])[]): Promise<Sight | undefined>
  /** What was written to stdout. */
  readonly printed: string
}

/** How a host is watched. */
export interface RecordOptions {
  /** Folder of what can be made again: what lies there, or does not, changes nothing of the outcome. */
  readonly cache: string
  /** Whether what files of variables say is found out anew at every start. @default false: only what their bytes alone decide is taken */
  readonly areVariablesRead?: boolean
  /** Whether a file, by its absolute path, is an output that changes nothing of what anybody makes of its folder's listing, by being listed there. @default none is */
  readonly isUnheeded?: (path: string) => boolean
}

/** A result, whose name is its hash: whoever opens it looks whether it is whole. */
const resultFile = /^[0-9a-f]{64}\.(?:zip|png|bin)$/
/** A record of a journal: never changed under its name, and not hashed again to see that nothing has changed. */
const recordFile = /^\d{4,}\.json$/
const envFile = /^\.env(?:\..+)?$/

/** Where a file's times are whole seconds, they tell nothing of the last two; elsewhere nothing of the last tick of the clock. */
const coarseMs = 2_000
const tickMs = 20

/** Watches a host. */
export function recordHost(inner: Host, files: WarmFiles, options: RecordOptions): WarmRecorder {
  const { cache, areVariablesRead = false, isUnheeded = () => false } = options
  const digests = new Map<string, string>()
  const marks = new Map<string, string>()
  const shapes = new Map<string, string>()
  const names = new Map<string, string>()
  const specs = new Map<string, string>()
  const staged = new Map<string, string>()
  const written = new Set<string>()
  let printed = ''
  let isSimple = true
  let isOutput: ((path: string) => boolean) | undefined
  const giveUp = (): void => {
    isSimple = false
  }
  /** Seen twice, it must have been the same. */
  const see = (seen: Map<string, string>, path: string, value: string | undefined): void => {
    if (value === undefined || (seen.get(path) ?? value) !== value) giveUp()
    else seen.set(path, value)
  }
  /** A look that fails is nothing that another run could compare. */
  const answered = <T>(look: Promise<T>): Promise<T> =>
    look.catch((error: unknown) => {
      giveUp()
      throw error
    })
  const isOurs = (path: string): boolean => path === cache || path.startsWith(cache + sep)

  const read: Disk['read'] = async (path) => {
    if (isOurs(path)) return inner.disk.read(path)
    const name = nameOf(path)
    const isMarked = recordFile.test(name) || envFile.test(name)
    const before = isMarked ? files.mark(path) : undefined
    const bytes = await answered(inner.disk.read(path))
    if (resultFile.test(name)) see(shapes, path, files.shape(path))
    else if (!isMarked) see(digests, path, files.digestBytes(bytes))
    else if (before === undefined || before !== files.mark(path) || isFresh(before, inner.clock.wall())) giveUp()
    else see(marks, path, before)
    if (!areVariablesRead && envFile.test(name) && !isPlainEnv(bytes, inner.env)) giveUp()
    return bytes
  }
  const refused = <A extends readonly unknown[], R>(work: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      giveUp()
      return work(...args)
    }
  }
  const outside = (path: string, work: Promise<void>): Promise<void> => {
    if (!isOurs(path)) giveUp()
    return work
  }
  const disk: Disk = {
    read,
    list: async (folder) => {
      if (isOurs(folder)) return inner.disk.list(folder)
      const found = await answered(inner.disk.list(folder))
      const missing = found.length === 0 ? (knownMissing(shapes, folder) ?? highestMissing(files, folder)) : undefined
      if (missing === undefined) see(names, folder, found.join('\n'))
      else see(shapes, missing, 'none')
      return found
    },
    // A link keeps a run from writing, and what was written once is not written again.
    links: (folder) => inner.disk.links(folder),
    stat: async (path) => {
      if (isOurs(path)) return inner.disk.stat(path)
      const found = await answered(inner.disk.stat(path))
      see(shapes, path, !found ? 'none' : found.isFolder ? 'folder' : `${found.bytes} ${found.changedMs}`)
      return found
    },
    makeFolder: (folder) => {
      shapes.delete(folder)
      return inner.disk.makeFolder(folder)
    },
    writeTemp: (path, bytes) => {
      if (!isOurs(path)) staged.set(path, files.digestBytes(bytes))
      return inner.disk.writeTemp(path, bytes)
    },
    move: async (from, to) => {
      await inner.disk.move(from, to)
      if (isOurs(to)) return
      const digest = staged.get(from)
      if (digest === undefined || tempTargetOf(from) !== to) return giveUp()
      const listed = names.get(folderOf(to))
      // What a listing showed before a file was written into the folder, a later one would not show.
      if (listed !== undefined && !isUnheeded(to)) giveUp()
      else if (listed !== undefined) names.set(folderOf(to), withName(listed, nameOf(to)))
      staged.delete(from)
      written.add(to)
      digests.set(to, digest)
      shapes.delete(to)
    },
    sync: (path) => inner.disk.sync(path),
    syncFolder: (folder) => inner.disk.syncFolder(folder),
    link: (from, to) => outside(to, inner.disk.link(from, to)),
    append: (path, bytes) => outside(path, inner.disk.append(path, bytes)),
    remove: (path) => outside(path, inner.disk.remove(path)),
    touch: (path, atMs) => outside(path, inner.disk.touch(path, atMs)),
  }
  const glob: Glob = async (root, patterns, ignore) => {
    const before = files.specs(root)
    const found = await inner.glob(root, patterns, ignore)
    const after = files.specs(root)
    const candidates = new Set(after?.split('\n'))
    const isKnown =
      before === after &&
      ignore.join() === unsearched.join() &&
      patterns.every((pattern) => !/^(?:!?[\\/]|!?[A-Za-z]:)|\.\./.test(pattern)) &&
      found.every((file) => candidates.has(file) || !/\.sprite\.(?:json|yaml|yml)$/.test(file))
    see(specs, root, isKnown && after !== undefined ? files.digestText(after) : undefined)
    return found
  }
  const host: Host = {
    ...inner,
    disk,
    glob,
    net: { ...inner.net, request: refused(inner.net.request) },
    terminal: {
      write: (text) => {
        printed += text
        inner.terminal.write(text)
      },
      note: refused(inner.terminal.note),
      get isInteractive() {
        return inner.terminal.isInteractive
      },
      get canAsk() {
        return inner.terminal.canAsk
      },
      get columns() {
        return inner.terminal.columns
      },
    },
    loadModule: async (path) => {
      const text = files.read(path)
      const value = await inner.loadModule(path)
      if (text === undefined || !isPlainModule(text) || files.read(path) !== text) giveUp()
      else see(digests, path, files.digest(path))
      return value
    },
  }
  const maySee = (): boolean => isSimple && isOutput !== undefined && [...written].every(isOutput) && staged.size === 0
  return {
    host,
    settle: (judge) => {
      isOutput = judge
    },
    get printed() {
      return printed
    },
    get maySee() {
      return maySee()
    },
    toSight: async (more = []) => {
      if (!maySee()) return undefined
      return {
        at: inner.clock.wall(),
        digests: Object.fromEntries(await withMarks(inner, files, [...digests, ...more])),
        marks: Object.fromEntries(marks),
        shapes: Object.fromEntries([...shapes].filter(([path]) => !digests.has(path) && !marks.has(path))),
        names: Object.fromEntries([...names].map(([folder, listed]) => [folder, files.digestText(listed)])),
        specs: Object.fromEntries(specs),
      }
    },
  }
}

/** A listing with one more name in it, or the same where it is there. */
function withName(listed: string, name: string): string {
  return [...new Set([...listed.split('\n').filter((other) => other !== ''), name])].sort().join('\n')
}

/** Digests of files, each with the file's mark behind it: taken while the file had that digest and no change could hide behind the mark. Without one where that cannot be said. */
async function withMarks(
  host: Host,
  files: WarmFiles,
  digests: readonly (readonly [path: string, digest: string])[],
): Promise<readonly (readonly [string, string])[]> {
  // What a run has written itself is a moment old.
  if (digests.some(([path]) => isFresh(files.mark(path) ?? '', host.clock.wall()))) await host.clock.sleep(tickMs)
  return digests.map(([path, digest]) => {
    const mark = files.mark(path)
    const isKnown = mark !== undefined && !isFresh(mark, host.clock.wall()) && files.digest(path) === digest && files.mark(path) === mark
    return [path, isKnown ? `${digest} ${mark}` : digest] as const
  })
}

/** The folder nearest to the root of the disk that is missing on the way to one; undefined where none is. One look at it stands for all that is in it. */
function highestMissing(files: WarmFiles, folder: string): string | undefined {
  if (files.shape(folder) !== 'none') return undefined
  const parent = folderOf(folder)
  return parent === folder ? folder : (highestMissing(files, parent) ?? folder)
}

/** The same, where it was met before: each of a hundred requests without records is looked for in one folder that is missing. Should it be there by now, a later run finds it and looks at everything. */
function knownMissing(shapes: ReadonlyMap<string, string>, folder: string): string | undefined {
  for (let at = folder; ; at = folderOf(at)) {
    if (shapes.get(at) === 'none') return at
    if (folderOf(at) === at) return undefined
  }
}

/** Whether a file was changed so lately that its times may not tell of one more change. */
function isFresh(mark: string, nowMs: number): boolean {
  const times = mark.split(' ').slice(1, 3).map(Number.parseFloat)
  return times.some((ms) => nowMs - ms < (ms % 1000 === 0 ? coarseMs : tickMs))
}
