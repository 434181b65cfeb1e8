import type { Disk } from '../../src/host/disk.ts'

/** Files by path, with an index of the names in each folder. */
class IndexedFiles extends Map<string, Uint8Array> {
  /** Names in each folder, each with the number of files at or under it. */
  readonly folders = new Map<string, Map<string, number>>()

  override set(path: string, bytes: Uint8Array): this {
    if (!this.has(path)) this.#count(path, 1)
    return super.set(path, bytes)
  }

  override delete(path: string): boolean {
    if (this.has(path)) this.#count(path, -1)
    return super.delete(path)
  }

  #count(path: string, by: number): void {
    for (let slash = path.indexOf('/'), next = 0; slash >= 0; slash = next) {
      next = path.indexOf('/', slash + 1)
      const folder = path.slice(0, slash) || '/'
      const names = this.folders.get(folder) ?? new Map<string, number>()
      this.folders.set(folder, names)
      const name = path.slice(slash + 1, next < 0 ? undefined : next)
      const left = (names.get(name) ?? 0) + by
      if (left > 0) names.set(name, left)
      else names.delete(name)
    }
  }
}

/** A disk in memory for tests of what is written and in which order. It never loses anything by itself. */
export class MemoryDisk implements Disk {
  readonly files: Map<string, Uint8Array> = new IndexedFiles()
  /** When each file was last changed, as set by `touch`; 0 for other files. */
  readonly times: Map<string, number> = new Map()
  /** Every changing call, in order, for example `link /a/0001.json`. */
  readonly calls: string[] = []
  /** If set, a call that begins with this text fails with this code. */
  fault: { readonly call: string; readonly code: string } | undefined

  #note(call: string): void {
    if (this.fault && call.startsWith(this.fault.call)) throw failure(this.fault.code, call)
    this.calls.push(call)
  }

  async read(path: string): Promise<Uint8Array> {
    const bytes = this.files.get(path)
    if (!bytes) throw failure('ENOENT', path)
    return bytes.slice()
  }

  async list(folder: string): Promise<string[]> {
    return [...((this.files as IndexedFiles).folders.get(folder)?.keys() ?? [])].sort()
  }

  async links(): Promise<string[]> {
    return []
  }

  async stat(path: string): Promise<{ bytes: number; changedMs: number; isFolder: boolean } | undefined> {
    const bytes = this.files.get(path)
    if (bytes) return { bytes: bytes.length, changedMs: this.times.get(path) ?? 0, isFolder: false }
    return (await this.list(path)).length > 0 ? { bytes: 0, changedMs: 0, isFolder: true } : undefined
  }

  async makeFolder(): Promise<void> {}

  async writeTemp(path: string, bytes: Uint8Array): Promise<void> {
    this.#note(`write ${path}`)
    if (this.files.has(path)) throw failure('EEXIST', path)
    this.files.set(path, bytes.slice())
  }

  async append(path: string, bytes: Uint8Array): Promise<void> {
    this.#note(`append ${path}`)
    this.files.set(path, Buffer.concat([this.files.get(path) ?? new Uint8Array(), bytes]))
  }

  async sync(path: string): Promise<void> {
    this.#note(`sync ${path}`)
  }

  async link(from: string, to: string): Promise<void> {
    this.#note(`link ${to}`)
    const bytes = this.files.get(from)
    if (!bytes) throw failure('ENOENT', from)
    if (this.files.has(to)) throw failure('EEXIST', to)
    this.files.set(to, bytes.slice())
  }

  async syncFolder(folder: string): Promise<void> {
    this.#note(`syncFolder ${folder}`)
  }

  async move(from: string, to: string): Promise<void> {
    this.#note(`move ${to}`)
    this.files.set(to, await this.read(from))
    this.files.delete(from)
  }

  async touch(path: string, atMs: number): Promise<void> {
    this.#note(`touch ${path}`)
    if (!this.files.has(path)) throw failure('ENOENT', path)
    this.times.set(path, atMs)
  }

  async remove(path: string): Promise<void> {
    this.#note(`remove ${path}`)
    if (this.files.delete(path)) return
    if (!(this.files as IndexedFiles).folders.get(path)?.size) return
    for (const name of [...this.files.keys()]) if (name.startsWith(`${path}/`)) this.files.delete(name)
  }
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}

/** Bytes that count up, so that temporary names are reproducible. */
export function countingRandom(): { bytes(count: number): Uint8Array; uuid(): string; unit(): number } {
  let next = 0
  return {
    bytes: (count) => {
      next++
      return new Uint8Array(count).map((_, index) => (next >> (8 * (index % 4))) & 255)
    },
    uuid: () => `00000000-0000-4000-8000-${String(++next).padStart(12, '0')}`,
    unit: () => 0.5,
  }
}
