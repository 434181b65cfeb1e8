import type { Disk } from '../../src/host/disk.ts'
import { MemoryDisk } from './memory-disk.ts'

/** A disk in memory that notes when a file was written. */
export class TimedDisk extends MemoryDisk {
  readonly #now: () => number

  constructor(now: () => number) {
    super()
    this.#now = now
  }

  override async writeTemp(path: string, bytes: Uint8Array): Promise<void> {
    await super.writeTemp(path, bytes)
    this.times.set(path, this.#now())
  }

  override async link(from: string, to: string): Promise<void> {
    await super.link(from, to)
    this.times.set(to, this.times.get(from) ?? this.#now())
  }
}

/** A disk that has another one mounted at a folder. A name is given to a file of one of the two only. */
export function mounted(own: Disk, folder: string, other: Disk): Disk {
  const of = (path: string): Disk => (path === folder || path.startsWith(`${folder}/`) ? other : own)
  return {
    read: (path) => of(path).read(path),
    list: (path) => of(path).list(path),
    links: (path) => of(path).links(path),
    stat: (path) => of(path).stat(path),
    makeFolder: (path) => of(path).makeFolder(path),
    writeTemp: (path, bytes) => of(path).writeTemp(path, bytes),
    append: (path, bytes) => of(path).append(path, bytes),
    sync: (path) => of(path).sync(path),
    link: (from, to) => of(to).link(from, to),
    syncFolder: (path) => of(path).syncFolder(path),
    move: (from, to) => of(to).move(from, to),
    remove: (path) => of(path).remove(path),
    touch: (path, atMs) => of(path).touch(path, atMs),
  }
}
