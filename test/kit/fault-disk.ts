import type { Disk, DiskStat } from '../../src/host/disk.ts'
import { FileNode, FolderNode, type Kept, type Node } from './inodes.ts'

export type { Kept } from './inodes.ts'

/** Name of a method of {@link Disk}. */
export type DiskCall = keyof Disk

/** Calls that change something. Only at these does the death of a process matter. */
export const changingCalls: readonly DiskCall[] = ['makeFolder', 'writeTemp', 'append', 'sync', 'link', 'syncFolder', 'move', 'remove']

/** One planned fault of a disk. */
export interface DiskFault {
  /** The calls that fail. */
  readonly call: DiskCall | readonly DiskCall[]
  /** Only calls whose path contains this text fail (the second path of `link` and `move`). */
  readonly path?: string
  /**
   * The first matching call that fails, counted from 1, from the moment when the fault is planned.
   *
   * @default 1
   */
  readonly at?: number
  /**
   * How many matching calls fail.
   *
   * @default 1
   */
  readonly times?: number
  /** Code of the error, as Node gives it. */
  readonly code: 'ENOSPC' | 'EIO' | 'EXDEV' | 'EACCES' | 'EMFILE' | 'EROFS' | 'EPERM' | 'KILLED'
  /**
   * Share of the bytes, 0 to 1, that `writeTemp`, `append` or a copying `link` writes before it fails.
   *
   * @default none: the call does nothing
   */
  readonly partly?: number
}

export interface FaultDiskOptions {
  /**
   * `false`: `link` copies, like the Node adapter on a file system without hard links.
   *
   * @default true
   */
  readonly hasLinks?: boolean
  /**
   * Wall clock of changes, in milliseconds.
   *
   * @default always 0
   */
  readonly now?: () => number
}

/**
 * A file system in memory that loses what a real one may lose.
 *
 * The bytes of a file are safe after `sync` of the file. The name of a file or folder is safe after
 * `syncFolder` of its folder. A crash keeps everything that is safe; its argument decides about the rest.
 */
export class FaultDisk implements Disk {
  readonly #root = new FolderNode()
  readonly #options: FaultDiskOptions
  #faults: { readonly fault: DiskFault; seen: number }[] = []
  /** Calls that failed because of a planned fault. */
  injected = 0
  /** Called before each call of the disk, with its path (the second one of `link` and `move`). */
  onCall: ((call: DiskCall, path: string) => void) | undefined

  constructor(options: FaultDiskOptions = {}) {
    this.#options = options
  }

  plan(...faults: readonly DiskFault[]): void {
    this.#faults.push(...faults.map((fault) => ({ fault, seen: 0 })))
  }

  /** Takes back all planned faults. */
  heal(): void {
    this.#faults = []
  }

  /**
   * Simulates a loss of power. Processes that ran before must not reach the disk afterwards: see
   * `mortalPorts`.
   */
  crash(kept: Kept): void {
    this.#root.crash(kept)
  }

  /**
   * Writes a file and the folders above it, all durable. It stands for a file that a person or another
   * program writes.
   */
  put(path: string, bytes: Uint8Array | string): void {
    const file = new FileNode(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes, this.#now())
    file.sync()
    let folder = this.#root
    const names = split(path)
    for (const name of names.slice(0, -1)) {
      const next = folder.current.get(name) ?? new FolderNode()
      if (next instanceof FileNode) throw failure('ENOTDIR', path)
      folder.force(name, next)
      folder = next
    }
    folder.force(names.at(-1) as string, file)
  }

  /** Removes a file or folder, durable. */
  erase(path: string): void {
    if (this.#find(path) === undefined) return
    const { folder, name } = this.#parent(path)
    folder.force(name, undefined)
  }

  /** Flips a bit of a file, also in its durable bytes. */
  rot(path: string, bit: number): void {
    this.#file(path).rot(bit)
  }

  /**
   * The bytes of a file as processes see them. Do not change them. Returns `undefined` if there is no file.
   */
  peek(path: string): Uint8Array | undefined {
    const node = this.#find(path)
    return node instanceof FileNode ? node.current : undefined
  }

  /**
   * The bytes of a file that a loss of power leaves for certain. Returns `undefined` if the name may be lost.
   */
  peekDurable(path: string): Uint8Array | undefined {
    let node: Node | undefined = this.#root
    for (const name of split(path)) node = node instanceof FolderNode ? node.durable(name) : undefined
    return node instanceof FileNode ? node.durable : undefined
  }

  /** Names in a folder as processes see them. */
  names(folder: string): string[] {
    const node = this.#find(folder)
    return node instanceof FolderNode ? [...node.current.keys()] : []
  }

  /** Paths of all files at or under a folder, sorted. */
  paths(under = '/'): string[] {
    const node = this.#find(under)
    const found: string[] = []
    if (node instanceof FolderNode) collect(node, under === '/' ? '' : under, found)
    return found.sort()
  }

  async read(path: string): Promise<Uint8Array> {
    this.#enter('read', path)
    return this.#file(path).current.slice()
  }

  async list(folder: string): Promise<string[]> {
    this.#enter('list', folder)
    const node = this.#find(folder)
    if (node === undefined) return []
    if (node instanceof FileNode) throw failure('ENOTDIR', folder)
    return [...node.current.keys()].sort()
  }

  async links(): Promise<string[]> {
    return []
  }

  async stat(path: string): Promise<DiskStat | undefined> {
    this.#enter('stat', path)
    const node = this.#find(path)
    if (node === undefined) return undefined
    const isFolder = node instanceof FolderNode
    return { bytes: isFolder ? 0 : node.current.length, changedMs: isFolder ? 0 : node.changedMs, isFolder }
  }

  async makeFolder(folder: string): Promise<void> {
    this.#enter('makeFolder', folder)
    this.#folder(split(folder), true)
  }

  async writeTemp(path: string, bytes: Uint8Array): Promise<void> {
    const cut = this.#enter('writeTemp', path, bytes.length)
    this.#add(path, new FileNode(bytes.slice(0, cut?.bytes), this.#now()))
    if (cut) throw cut.error
  }

  async append(path: string, bytes: Uint8Array): Promise<void> {
    const cut = this.#enter('append', path, bytes.length)
    const node = this.#find(path)
    if (node instanceof FolderNode) throw failure('EISDIR', path)
    const file = node ?? new FileNode(new Uint8Array(), this.#now())
    if (!node) this.#add(path, file)
    file.append(bytes.slice(0, cut?.bytes), this.#now())
    if (cut) throw cut.error
    file.sync()
  }

  async sync(path: string): Promise<void> {
    try {
      this.#enter('sync', path)
    } catch (error) {
      const node = this.#find(path)
      if (node instanceof FileNode && (error as NodeJS.ErrnoException).code === 'EIO') node.loseWrites()
      throw error
    }
    this.#file(path).sync()
  }

  async link(from: string, to: string): Promise<void> {
    const cut = this.#enter('link', to, this.#copies() ? (this.#find(from) instanceof FileNode ? this.#file(from).current.length : 0) : 0)
    const file = this.#file(from)
    if (!this.#copies()) {
      if (cut) throw cut.error
      return this.#add(to, file)
    }
    const copy = new FileNode(file.current.slice(0, cut?.bytes), this.#now())
    this.#add(to, copy)
    if (cut) throw cut.error
    copy.sync()
  }

  async syncFolder(folder: string): Promise<void> {
    this.#enter('syncFolder', folder)
    const node = this.#find(folder)
    if (node === undefined) throw failure('ENOENT', folder)
    node.sync()
  }

  async touch(path: string, atMs: number): Promise<void> {
    this.#enter('touch', path)
    this.#file(path).changedMs = atMs
  }

  async move(from: string, to: string): Promise<void> {
    this.#enter('move', to)
    const node = this.#find(from)
    if (node === undefined) throw failure('ENOENT', from)
    const target = this.#parent(to)
    if (this.#find(to) instanceof FolderNode) throw failure('EISDIR', to)
    const source = this.#parent(from)
    FolderNode.change([
      { ...target, node },
      { ...source, node: undefined },
    ])
  }

  async remove(path: string): Promise<void> {
    this.#enter('remove', path)
    this.#unlink(path)
  }

  #now(): number {
    return this.#options.now?.() ?? 0
  }

  #copies(): boolean {
    return this.#options.hasLinks === false
  }

  /**
   * Throws if a fault is planned for this call. For a partial write, returns how many bytes to write before
   * the error.
   */
  #enter(call: DiskCall, path: string, length?: number): { readonly bytes: number; readonly error: Error } | undefined {
    this.onCall?.(call, path)
    for (const planned of this.#faults) {
      const { fault } = planned
      if (fault.call !== call && !(Array.isArray(fault.call) && fault.call.includes(call))) continue
      if (fault.path !== undefined && !path.includes(fault.path)) continue
      planned.seen++
      const first = fault.at ?? 1
      if (planned.seen < first || planned.seen >= first + (fault.times ?? 1)) continue
      this.injected++
      const error = failure(fault.code, `${call} ${path}`)
      if (length === undefined || fault.partly === undefined) throw error
      return { bytes: Math.floor(length * fault.partly), error }
    }
    return undefined
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root
    for (const name of split(path)) {
      if (!(node instanceof FolderNode)) return undefined
      node = node.current.get(name)
    }
    return node
  }

  #file(path: string): FileNode {
    const node = this.#find(path)
    if (node === undefined) throw failure('ENOENT', path)
    if (node instanceof FolderNode) throw failure('EISDIR', path)
    return node
  }

  #folder(names: readonly string[], mayMake: boolean): FolderNode | undefined {
    let folder = this.#root
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string
      let node = folder.current.get(name)
      if (node instanceof FileNode) throw failure(index === names.length - 1 && mayMake ? 'EEXIST' : 'ENOTDIR', names.join('/'))
      if (node === undefined) {
        if (!mayMake) return undefined
        node = new FolderNode()
        folder.set(name, node)
      }
      folder = node
    }
    return folder
  }

  #parent(path: string): { readonly folder: FolderNode; readonly name: string } {
    const names = split(path)
    const folder = this.#folder(names.slice(0, -1), false)
    if (!folder) throw failure('ENOENT', path)
    return { folder, name: names.at(-1) as string }
  }

  #add(path: string, node: Node): void {
    const { folder, name } = this.#parent(path)
    if (folder.current.has(name)) throw failure('EEXIST', path)
    folder.set(name, node)
  }

  #unlink(path: string): void {
    const node = this.#find(path)
    if (node === undefined) return
    // Like `rm -r`: from the leaves up, each removal a change of its own.
    if (node instanceof FolderNode) for (const name of [...node.current.keys()]) this.#unlink(`${path}/${name}`)
    const { folder, name } = this.#parent(path)
    folder.set(name, undefined)
  }
}

function collect(folder: FolderNode, path: string, found: string[]): void {
  for (const [name, node] of folder.current) {
    if (node instanceof FolderNode) collect(node, `${path}/${name}`, found)
    else found.push(`${path}/${name}`)
  }
}

/** Cached because the same few paths are split again and again. */
const known = new Map<string, readonly string[]>()

function split(path: string): readonly string[] {
  let names = known.get(path)
  if (!names) {
    names = path.split('/').filter((name) => name !== '')
    if (known.size > 20_000) known.clear()
    known.set(path, names)
  }
  return names
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}
