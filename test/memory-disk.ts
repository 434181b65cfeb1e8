import { dirname } from 'node:path'
import type { Disk } from '../src/host/disk.ts'

/** A disk in memory, for tests of what is written and in which order; it does not lose anything by itself. */
export class MemoryDisk implements Disk {
  readonly files = new Map<string, Uint8Array>()
  /** Every call that changes something, in order, e.g. `link /a/0001.json`. */
  readonly calls: string[] = []
  /** When set, a call that begins with this text fails with this code. */
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
    const names = new Set<string>()
    for (const path of this.files.keys())
      if (path.startsWith(`${folder}/`)) names.add(path.slice(folder.length + 1).split('/')[0] as string)
    return [...names].sort()
  }

  async stat(path: string): Promise<{ bytes: number; changedMs: number; isFolder: boolean } | undefined> {
    const bytes = this.files.get(path)
    if (bytes) return { bytes: bytes.length, changedMs: 0, isFolder: false }
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

  async remove(path: string): Promise<void> {
    this.#note(`remove ${path}`)
    for (const name of [...this.files.keys()]) if (name === path || dirname(name).startsWith(path)) this.files.delete(name)
  }
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}

/** Bytes that count up, for reproducible temporary names. */
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
