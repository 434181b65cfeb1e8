import { add, type Content, mix } from './content.ts'

/** The file or folder of a name, shared by all names of a file. A power loss leaves `synced` of it. */
export interface Node {
  readonly isFolder: boolean
  content: Content
  synced: Content
}

/** A name on a disk. */
export interface Entry {
  readonly path: string
  readonly parent: string
  readonly hash: number
  /** Temporary names differ between processes, and a process may only read its own. */
  readonly isTemp: boolean
  readonly node: Node
}

/** A whole disk between two processes: its current names, and the names that a power loss would leave. */
export interface DiskImage {
  readonly names: ReadonlyMap<string, Entry>
  readonly durable: ReadonlyMap<string, Entry>
}

/** Durable names whose folders are all durable too. */
export function* survivors(durable: ReadonlyMap<string, Entry>): Iterable<[string, Entry]> {
  const reached = new Map<string, boolean>([['/', true]])
  const isReached = (folder: string): boolean => {
    const known = reached.get(folder)
    if (known !== undefined) return known
    const entry = durable.get(folder)
    const is = entry !== undefined && isReached(entry.parent)
    reached.set(folder, is)
    return is
  }
  for (const pair of durable) if (isReached(pair[1].parent)) yield pair
}

/** A number for the disk that the next process will find. Times count as ages. */
export function fingerprint({ names }: Pick<DiskImage, 'names'>, wall: number, mono: number): number {
  let sum = 0
  for (const entry of names.values()) if (!entry.isTemp) sum = add(sum, fileHash(entry, entry.node.content, wall, mono, 0))
  return sum
}

/** A number for what a power loss may take from a disk; 0 if it can take nothing. */
export function fingerprintOfRisk({ names, durable }: DiskImage): number {
  let sum = 0
  for (const { path, isTemp, hash, node } of names.values()) {
    const risk = (durable.get(path)?.node === node ? 0 : 1) + (node.synced === node.content ? 0 : 2)
    if (!isTemp && risk > 0) sum = add(sum, mix(hash, risk))
  }
  for (const { path, isTemp, hash, node } of durable.values()) if (!isTemp && names.get(path)?.node !== node) sum = add(sum, mix(hash, 4))
  return sum
}

/** An image without some of its files. */
export function withoutFiles({ names, durable }: DiskImage, isGone: (path: string) => boolean): DiskImage {
  const without = (all: ReadonlyMap<string, Entry>): Map<string, Entry> => new Map([...all].filter(([path]) => !isGone(path)))
  const left = without(names)
  return { names: left, durable: durable === names ? left : without(durable) }
}

export function fileHash({ hash, node }: Entry, content: Content, wall: number, mono: number, risk: number): number {
  const of = content.hashAt(wall, mono)
  return mix(mix(hash, of / 0x100000), (of & 0xfffff) * 8 + risk * 2 + (node.isFolder ? 1 : 0))
}
