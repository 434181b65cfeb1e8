import type { Disk } from '../../src/host/disk.ts'

/**
 * Called before each call of a disk with the call's name and path (the second one of `link` and `move`), for
 * example `link /a/0001.json`. If it throws, the disk has a fault. If it returns a promise that never
 * settles, the process is dead.
 */
export type CallGuard = (call: string) => Promise<void> | undefined

/** A disk that calls a guard before each call. */
export function guarded(disk: Disk, guard: CallGuard): Disk {
  const after = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
    await guard(call)
    return work()
  }
  return {
    read: (path) => after(`read ${path}`, () => disk.read(path)),
    list: (folder) => after(`list ${folder}`, () => disk.list(folder)),
    links: (folder) => after(`links ${folder}`, () => disk.links(folder)),
    stat: (path) => after(`stat ${path}`, () => disk.stat(path)),
    makeFolder: (folder) => after(`makeFolder ${folder}`, () => disk.makeFolder(folder)),
    writeTemp: (path, bytes) => after(`writeTemp ${path}`, () => disk.writeTemp(path, bytes)),
    append: (path, bytes) => after(`append ${path}`, () => disk.append(path, bytes)),
    sync: (path) => after(`sync ${path}`, () => disk.sync(path)),
    link: (from, to) => after(`link ${to}`, () => disk.link(from, to)),
    syncFolder: (folder) => after(`syncFolder ${folder}`, () => disk.syncFolder(folder)),
    move: (from, to) => after(`move ${to}`, () => disk.move(from, to)),
    remove: (path) => after(`remove ${path}`, () => disk.remove(path)),
    touch: (path, atMs) => after(`touch ${path}`, () => disk.touch(path, atMs)),
  }
}

/** A guard that makes folders read-only. A test adds and removes folders while processes run. */
export function readOnly(folders: ReadonlySet<string>): CallGuard {
  return (call) => {
    const [name = '', path = ''] = call.split(' ')
    if (name === 'read' || name === 'list' || name === 'links' || name === 'stat') return undefined
    if ([...folders].some((folder) => path === folder || path.startsWith(`${folder}/`)))
      throw Object.assign(new Error(`EROFS: read-only file system, ${call}`), { code: 'EROFS', syscall: name, path })
    return undefined
  }
}
