import type { Chance } from '../sim/seeded/chance.ts'

/** What a crash keeps of unsynced changes: nothing, everything, or a random part. */
export type Kept = 'nothing' | 'everything' | Chance

/** The bytes of a file, regardless of its names: as processes see them, and as the platter has them. */
export class FileNode {
  current: Uint8Array
  changedMs: number
  #durable: Uint8Array = new Uint8Array()
  /** Unsynced writes, oldest first. */
  #pending: { readonly at: number; readonly bytes: Uint8Array }[] = []

  constructor(bytes: Uint8Array, changedMs: number) {
    this.current = bytes
    this.changedMs = changedMs
    this.#pending.push({ at: 0, bytes })
  }

  append(bytes: Uint8Array, changedMs: number): void {
    this.#pending.push({ at: this.current.length, bytes })
    this.current = written(this.current, this.current.length, bytes)
    this.changedMs = changedMs
  }

  /** Bytes that a loss of power leaves for certain. */
  get durable(): Uint8Array {
    return this.#durable
  }

  sync(): void {
    for (const { at, bytes } of this.#pending) this.#durable = written(this.#durable, at, bytes)
    this.#pending = []
  }

  /**
   * Simulates a failed sync. The system forgets that the pages were dirty, so no later sync writes them
   * either.
   */
  loseWrites(): void {
    this.#pending = []
  }

  /**
   * Flips a bit on the platter.
   *
   * @param bit Counted over the whole file, modulo its length.
   */
  rot(bit: number): void {
    this.sync()
    if (this.current.length === 0) return
    const bytes = this.current.slice()
    const at = (bit >> 3) % bytes.length
    bytes[at] = (bytes[at] as number) ^ (1 << (bit & 7))
    this.current = bytes
    this.#durable = bytes
  }

  crash(kept: Kept): void {
    if (kept === 'everything') this.sync()
    else if (kept !== 'nothing') this.#keepSome(kept)
    this.#pending = []
    this.current = this.#durable
  }

  /**
   * Keeps a prefix of the writes. The first lost write is torn at any byte. Sometimes the file then has its
   * full length, filled up with zeros.
   */
  #keepSome(chance: Chance): void {
    const whole = chance.whole(0, this.#pending.length)
    for (const { at, bytes } of this.#pending.slice(0, whole)) this.#durable = written(this.#durable, at, bytes)
    const torn = this.#pending[whole]
    if (!torn) return
    const here = chance.whole(0, torn.bytes.length)
    this.#durable = written(this.#durable, torn.at, torn.bytes.subarray(0, here))
    if (chance.is(0.25)) this.#durable = written(this.#durable, this.#durable.length, new Uint8Array(torn.bytes.length - here))
  }
}

/** An unsynced change of names. A rename across two folders is one change in the lists of both. */
interface NameChange {
  readonly sets: readonly { readonly folder: FolderNode; readonly name: string; readonly node: Node | undefined }[]
  isDurable: boolean
}

export type Node = FileNode | FolderNode

/** The names in a folder: as processes see them, and as the platter has them. */
export class FolderNode {
  readonly current: Map<string, Node> = new Map()
  readonly #durable: Map<string, Node> = new Map()
  #pending: NameChange[] = []

  /**
   * Changes names in one or more folders as one change. It is not durable before a sync of one of the
   * folders.
   */
  static change(sets: NameChange['sets']): void {
    const change: NameChange = { sets, isDurable: false }
    for (const { folder, name, node } of sets) setName(folder.current, name, node)
    for (const folder of new Set(sets.map((set) => set.folder))) folder.#pending.push(change)
  }

  /** The node that a name certainly has after a loss of power. */
  durable(name: string): Node | undefined {
    return this.#durable.get(name)
  }

  set(name: string, node: Node | undefined): void {
    FolderNode.change([{ folder: this, name, node }])
  }

  /** Sets a name at once and durably. Pending changes of that name are dropped. */
  force(name: string, node: Node | undefined): void {
    this.#pending = this.#pending.filter((change) => !change.sets.some((set) => set.folder === this && set.name === name))
    for (const names of [this.current, this.#durable]) setName(names, name, node)
  }

  sync(): void {
    this.#settle(this.#pending.length)
  }

  /**
   * Reduces this folder to what a crash leaves. Names come first, over all folders, because a rename touches
   * two. Then come the bytes of every file that still has a name.
   */
  crash(kept: Kept): void {
    for (const folder of this.#folders(new Set()))
      folder.#settle(kept === 'nothing' ? 0 : kept === 'everything' ? folder.#pending.length : kept.whole(0, folder.#pending.length))
    this.#rebuild(kept, new Set())
  }

  /** Every folder that has a name now, or had one. */
  #folders(found: Set<FolderNode>): Set<FolderNode> {
    if (found.has(this)) return found
    found.add(this)
    for (const names of [this.#durable, this.current])
      for (const node of names.values()) if (node instanceof FolderNode) node.#folders(found)
    return found
  }

  #rebuild(kept: Kept, seen: Set<FileNode>): void {
    this.current.clear()
    for (const [name, node] of this.#durable) {
      this.current.set(name, node)
      if (node instanceof FolderNode) node.#rebuild(kept, seen)
      else if (!seen.has(node)) {
        seen.add(node)
        node.crash(kept)
      }
    }
  }

  #settle(count: number): void {
    for (const change of this.#pending.slice(0, count)) {
      if (change.isDurable) continue
      change.isDurable = true
      for (const { folder, name, node } of change.sets) setName(folder.#durable, name, node)
    }
    this.#pending = []
  }
}

function setName(names: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node) names.set(name, node)
  else names.delete(name)
}

function written(before: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  if (at === 0 && before.length <= bytes.length) return bytes
  const after = new Uint8Array(Math.max(before.length, at + bytes.length))
  after.set(before)
  after.set(bytes, at)
  return after
}
