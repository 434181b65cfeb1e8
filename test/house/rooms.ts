import { posix } from 'node:path'
import { lineOf, type Source } from './source.ts'

/** One broken rule, in one place. */
export interface Violation {
  /** `src/job/purchase.ts:12` */
  readonly at: string
  readonly found: string
}

/** One room of the house. */
export interface Room {
  /**
   * Its files, and its folders by a path that ends in `/`. The longest match of a file's path is its room.
   */
  readonly at: readonly string[]
  /**
   * Modules of the project that it may import besides itself, types included: rooms by name, single files by
   * path.
   */
  readonly may: readonly string[]
  /** Rooms that it may import only by `import()`, when it needs them. */
  readonly mayLater?: readonly string[]
}

const papers = ['errors', 'host', 'stores', 'spec', 'credit', 'vault', 'service', 'job']

/** The rooms from the ground up. ARCHITECTURE.md lists them for people. */
export const rooms: Readonly<Record<string, Room>> = {
  atlas: { at: ['atlas/'], may: [] },
  errors: { at: ['src/errors.ts'], may: [] },
  'key search': { at: ['src/key-search.ts'], may: ['errors'] },
  host: { at: ['src/host/'], may: ['errors'] },
  stores: { at: ['src/stores/'], may: ['errors', 'host'] },
  art: { at: ['src/art/'], may: ['errors', 'host', 'atlas/index.ts'] },
  spec: { at: ['src/sprite-spec/'], may: ['errors', 'host', 'art', 'atlas/limits.ts', 'atlas/png/picture.ts'] },
  credit: { at: ['src/credit/'], may: ['errors', 'host'] },
  vault: { at: ['src/vault/'], may: ['errors', 'host', 'stores', 'spec', 'credit'] },
  service: { at: ['src/service/'], may: ['errors', 'key search', 'host', 'src/credit/credits.ts'] },
  contract: { at: ['src/contract/'], may: ['errors', 'key search', 'host', 'src/credit/credits.ts', 'service', 'atlas/index.ts'] },
  job: { at: ['src/job/'], may: papers.slice(0, -1) },
  queue: { at: ['src/queue/'], may: ['errors', 'host', 'stores', 'service', 'job', 'src/credit/credits.ts'] },
  sheets: { at: ['src/sheets/'], may: [...papers, 'atlas/index.ts'] },
  embedded: {
    at: ['src/embedded/'],
    may: [
      'errors',
      'host',
      'src/credit/credits.ts',
      'atlas/bitmap.ts',
      'atlas/frames/backdrop.ts',
      'atlas/frames/trim.ts',
      'atlas/index.ts',
    ],
  },
  'service face': { at: ['src/service.ts'], may: ['service', 'embedded'] },
  options: {
    at: ['src/options/'],
    may: [
      'errors',
      'key search',
      'host',
      'spec',
      'src/credit/credits.ts',
      'src/credit/given.ts',
      'src/service/limits/limits.ts',
      'src/service/profile.ts',
      'atlas/format-abilities.ts',
      'atlas/formats/format.ts',
      'atlas/limits.ts',
    ],
  },
  project: { at: ['src/project/'], may: [...papers, 'key search', 'options', 'queue', 'sheets', 'atlas/index.ts'], mayLater: ['embedded'] },
  workshop: {
    at: ['src/workshop.ts', 'src/workshop/'],
    may: [...papers, 'key search', 'art', 'project', 'queue', 'sheets', 'contract', 'options', 'atlas/index.ts'],
    mayLater: ['embedded'],
  },
  cli: {
    at: ['src/cli/'],
    may: [
      'src/sprite-spec/nearest.ts',
      'src/sprite-spec/request.ts',
      'workshop',
      'options',
      'errors',
      'host',
      'src/credit/credits.ts',
      'src/credit/approval-words.ts',
      'src/credit/given.ts',
      'src/project/states.ts',
    ],
    mayLater: ['service face'],
  },
  face: { at: ['src/index.ts'], may: ['workshop', 'options', 'errors', 'src/credit/credits.ts', 'src/credit/approval-words.ts'] },
  runtime: { at: ['plugin/runtime/'], may: [] },
  plugin: {
    at: ['plugin/'],
    may: [
      'face',
      'errors',
      'atlas/index.ts',
      'atlas/layers/variants-of.ts',
      'runtime',
      'src/credit/credits.ts',
      'src/host/disk.ts',
      'src/host/disk-failure.ts',
      'src/host/modules/installed-package.ts',
      'src/host/modules/module-loader.ts',
      'src/host/one-by-one.ts',
      'src/host/real-path.ts',
      'src/host/terminal.ts',
      'src/host/watch.ts',
      'src/options/config-files.ts',
      'src/project/states.ts',
      'src/sprite-spec/pictures.ts',
      'src/sprite-spec/request.ts',
      'src/sprite-spec/spec.ts',
    ],
    mayLater: ['src/workshop.ts'],
  },
  panel: {
    at: ['plugin/panel/ui/'],
    may: ['plugin/protocol/protocol.ts', 'plugin/protocol/actions.ts', 'src/credit/credits.ts', 'src/sprite-spec/spec.ts'],
  },
}

/** Imports inside the project that break the table, types included. */
export function wrongDirections(sources: readonly Source[], table: Readonly<Record<string, Room>> = rooms): Violation[] {
  const found: Violation[] = []
  for (const source of sources) {
    const room = roomOf(source.path, table)
    if (room === undefined) {
      found.push({ at: source.path, found: 'stands in no room of the table' })
      continue
    }
    const { may = [], mayLater = [] } = table[room] ?? {}
    for (const { specifier, isDynamic, start } of source.imports) {
      const target = resolveImport(source.path, specifier)
      if (target === undefined) continue
      const targetRoom = roomOf(target, table)
      const allowed = [room, ...may, ...(isDynamic ? mayLater : [])]
      if (allowed.some((place) => place === targetRoom || place === target)) continue
      found.push({ at: `${source.path}:${lineOf(source, start)}`, found: `${room} may not import ${target}` })
    }
  }
  return found
}

/** Groups of files that import each other in a circle, types included. */
export function importLoops(sources: readonly Source[]): Violation[] {
  const targets = new Map(
    sources.map((source) => [
      source.path,
      source.imports.map(({ specifier }) => resolveImport(source.path, specifier)).filter((path) => path !== undefined),
    ]),
  )
  const done = new Set<string>()
  const found: Violation[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const from = trail.indexOf(path)
    if (from >= 0) return void found.push({ at: path, found: [...trail.slice(from), path].join(' → ') })
    if (done.has(path)) return
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const { path } of sources) visit(path, [])
  return found
}

/**
 * Circles between the folders of a room. At each folder, its files and its subfolders are the units. Imports
 * between them, types included, must have a direction.
 */
export function folderLoops(sources: readonly Source[]): Violation[] {
  const paths = new Set(sources.map(({ path }) => path))
  const imports = sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier }) => {
      const target = resolveImport(path, specifier)
      return target !== undefined && paths.has(target) ? [[path, target] as const] : []
    }),
  )
  const folders = new Set([...paths].flatMap((path) => parentsOf(path)).filter((folder) => folder.includes('/') || folder === 'atlas'))
  return [...folders].sort().flatMap((folder) => {
    const unitOf = (path: string): string => path.slice(folder.length + 1).split('/')[0] ?? ''
    const inside = imports.filter((pair) => pair.every((path) => path.startsWith(`${folder}/`)))
    const ways = new Map<string, Set<string>>()
    for (const [from, to] of inside) {
      if (unitOf(from) === unitOf(to)) continue
      ways.set(unitOf(from), (ways.get(unitOf(from)) ?? new Set()).add(unitOf(to)))
    }
    return [...ways.keys()]
      .sort()
      .flatMap((unit) => (reaches(ways, unit, unit) ? [{ at: `${folder}/${unit}`, found: 'is in a circle' }] : []))
  })
}

function reaches(ways: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set<string>()
  const open = [...(ways.get(from) ?? [])]
  for (let unit = open.pop(); unit !== undefined; unit = open.pop()) {
    if (unit === to) return true
    if (!seen.has(unit)) open.push(...(ways.get(unit) ?? []))
    seen.add(unit)
  }
  return false
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** The file of a relative import, from the root. Returns `undefined` for a package. */
function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined
}

function roomOf(path: string, table: Readonly<Record<string, Room>>): string | undefined {
  const length = (name: string): number =>
    Math.max(
      ...(table[name]?.at ?? []).map((place) => ((place.endsWith('/') ? path.startsWith(place) : path === place) ? place.length : 0)),
    )
  const longest = Object.keys(table).sort((a, b) => length(b) - length(a))[0]
  return longest !== undefined && length(longest) > 0 ? longest : undefined
}
