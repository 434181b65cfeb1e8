import type { Disk, DiskStat } from '../../../src/host/disk.ts'
import { add, type Content, contentOf, hashText } from './content.ts'
import { type DiskImage, type Entry, fileHash, fingerprint, fingerprintOfRisk, type Node, survivors } from './image.ts'

const nothing = contentOf(new Uint8Array())

/**
 * A disk that separates its current content from the content that would survive a power loss, as POSIX does.
 * Bytes are safe after `sync`. Names, also those of folders, are safe after `syncFolder` of their folder. A
 * new process starts from an image, and images never change.
 */
export class ExhaustiveDisk implements Disk {
  readonly #names: Map<string, Entry>
  readonly #durable: Map<string, Entry>
  readonly #foreign = new Set<string>()
  readonly #onChange: (what: string, path: string) => void | Promise<void>

  /** @param onChange Called after every change. The change ends when it settles. */
  constructor(image: DiskImage, onChange: (what: string, path: string) => void | Promise<void>) {
    const copies = new Map<Node, Node>()
    const copy = (entry: Entry): Entry => {
      const { node } = entry
      const own = copies.get(node) ?? { ...node }
      copies.set(node, own)
      return { ...entry, node: own }
    }
    this.#names = new Map()
    this.#durable = new Map()
    for (const [path, entry] of image.names) {
      this.#names.set(path, copy(entry))
      if (entry.isTemp) this.#foreign.add(path)
    }
    for (const [path, entry] of image.durable) {
      const same = image.names.get(path) === entry ? this.#names.get(path) : undefined
      this.#durable.set(path, same ?? copy(entry))
    }
    this.#onChange = onChange
  }

  /** The current disk. A later power loss may still take its unsynced changes. */
  imageNotSynced(): DiskImage {
    const copy = new ExhaustiveDisk({ names: this.#names, durable: this.#durable }, () => {})
    return { names: copy.#names, durable: copy.#durable }
  }

  /** The current disk, as if all of it were synced. */
  image(): DiskImage {
    const names = new Map<string, Entry>()
    for (const [path, entry] of this.#names) {
      const { content, isFolder } = entry.node
      names.set(path, { ...entry, node: { isFolder, content, synced: content } })
    }
    return { names, durable: names }
  }

  /** The disk after a power loss, without names and bytes that were never synced. */
  imageAfterPowerLoss(): DiskImage {
    const names = new Map<string, Entry>()
    for (const [path, entry] of survivors(this.#durable)) {
      const { synced, isFolder } = entry.node
      names.set(path, { ...entry, node: { isFolder, content: synced, synced } })
    }
    return { names, durable: names }
  }

  /** Files that would survive a power loss now. */
  *survivingFiles(): Iterable<{ readonly path: string; readonly content: Content }> {
    for (const [path, { node }] of survivors(this.#durable)) if (!node.isFolder) yield { path, content: node.synced }
  }

  /** The current files. */
  *files(): Iterable<{ readonly path: string; readonly content: Content }> {
    for (const [path, { node }] of this.#names) if (!node.isFolder) yield { path, content: node.content }
  }

  /** See {@link fingerprint}. */
  fingerprint(wall: number, mono: number): number {
    return fingerprint({ names: this.#names }, wall, mono)
  }

  /** A number for what a later power loss may take. */
  fingerprintOfRisk(): number {
    return fingerprintOfRisk({ names: this.#names, durable: this.#durable })
  }

  /** See {@link fingerprint}, of the disk after a power loss. */
  fingerprintAfterPowerLoss(wall: number, mono: number): number {
    let sum = 0
    for (const [, entry] of survivors(this.#durable)) {
      if (!entry.isTemp) sum = add(sum, fileHash(entry, entry.node.synced, wall, mono, 0))
    }
    return sum
  }

  async read(path: string): Promise<Uint8Array> {
    return this.#file(path).content.bytes
  }

  async list(folder: string): Promise<string[]> {
    const found: string[] = []
    for (const entry of this.#names.values()) if (entry.parent === folder) found.push(entry.path.slice(folder.length + 1))
    return found.sort()
  }

  async links(): Promise<string[]> {
    return []
  }

  async stat(path: string): Promise<DiskStat | undefined> {
    const node = this.#names.get(path)?.node
    if (path === '/') return { bytes: 0, changedMs: 0, isFolder: true }
    return node && { bytes: node.content.bytes.length, changedMs: 0, isFolder: node.isFolder }
  }

  async makeFolder(folder: string): Promise<void> {
    if (this.#names.has(folder)) return
    this.#make(folder)
    return this.#onChange('makeFolder', folder)
  }

  #make(folder: string): void {
    if (this.#names.has(folder)) return
    const { parent } = this.#name(folder)
    if (parent !== '/') this.#make(parent)
    this.#put(folder, { isFolder: true, content: nothing, synced: nothing })
  }

  async writeTemp(path: string, bytes: Uint8Array): Promise<void> {
    if (this.#names.has(path)) throw failure('EEXIST', path)
    this.#put(path, { isFolder: false, content: contentOf(bytes), synced: nothing })
    return this.#onChange('writeTemp', path)
  }

  async append(path: string, bytes: Uint8Array): Promise<void> {
    const node = this.#names.get(path)?.node
    const content = contentOf(node ? Buffer.concat([node.content.bytes, bytes]) : bytes)
    if (node) {
      node.content = content
      node.synced = content
    } else this.#put(path, { isFolder: false, content, synced: content })
    return this.#onChange('append', path)
  }

  async sync(path: string): Promise<void> {
    const node = this.#file(path)
    node.synced = node.content
    return this.#onChange('sync', path)
  }

  async link(from: string, to: string): Promise<void> {
    const node = this.#file(from)
    if (this.#names.has(to)) throw failure('EEXIST', to)
    this.#put(to, node)
    return this.#onChange('link', to)
  }

  async syncFolder(folder: string): Promise<void> {
    if (folder !== '/' && !this.#names.has(folder)) throw failure('ENOENT', folder)
    for (const entry of this.#durable.values()) {
      if (entry.parent === folder && !this.#names.has(entry.path)) this.#durable.delete(entry.path)
    }
    for (const entry of this.#names.values()) if (entry.parent === folder) this.#durable.set(entry.path, entry)
    return this.#onChange('syncFolder', folder)
  }

  async move(from: string, to: string): Promise<void> {
    const node = this.#file(from)
    this.#names.delete(from)
    this.#put(to, node)
    return this.#onChange('move', to)
  }

  /** The times of files are not recorded, because nothing depends on them. */
  async touch(path: string): Promise<void> {
    this.#file(path)
  }

  async remove(path: string): Promise<void> {
    if (!this.#names.delete(path)) return
    for (const entry of this.#names.values()) if (entry.path.startsWith(`${path}/`)) this.#names.delete(entry.path)
    return this.#onChange('remove', path)
  }

  #file(path: string): Node {
    const node = this.#names.get(path)?.node
    if (!node || node.isFolder) throw failure('ENOENT', path)
    if (this.#foreign.has(path)) throw new Error(`A temporary file of an earlier process is read: ${path}`)
    return node
  }

  #put(path: string, node: Node): void {
    const name = this.#name(path)
    if (name.parent !== '/' && !this.#names.get(name.parent)?.node.isFolder) throw failure('ENOENT', path)
    this.#names.set(path, { ...name, node })
  }

  #name(path: string): Omit<Entry, 'node'> {
    const known = knownNames.get(path)
    if (known) return known
    const isTemp = path.endsWith('.tmp')
    const name = { path, parent: path.slice(0, path.lastIndexOf('/')) || '/', hash: hashText(path), isTemp }
    if (!isTemp) knownNames.set(path, name)
    return name
  }
}

const knownNames = new Map<string, Omit<Entry, 'node'>>()

/** A disk with these files, all durable. */
export function diskWith(files: Readonly<Record<string, Uint8Array>>): DiskImage {
  const disk = new ExhaustiveDisk({ names: new Map(), durable: new Map() }, () => {})
  const folders = new Set(['/'])
  for (const [path, bytes] of Object.entries(files)) {
    // These calls never wait; they are done when they return.
    for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) {
      void disk.makeFolder(path.slice(0, at))
      folders.add(path.slice(0, at))
    }
    if (!path.endsWith('/')) void disk.append(path, bytes)
  }
  for (const folder of folders) void disk.syncFolder(folder)
  return disk.image()
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}
