import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** A file that is open. */
export interface OpenFile {
  /**
   * Fills a list of bytes from a place of the file on. False where the file has not so many, or is not any more what it was when it was opened; that somebody has taken its name away changes nothing.
   */
  read(at: number, into: Uint8Array): boolean
  close(): void
}

/** Size, times and number of a file as one text. */
export function markOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`
}

/** Opens a file to be read. @throws what the disk says. */
export function openFile(path: string): OpenFile {
  const file = openSync(path, 'r')
  const first = fstatSync(file)
  const mark = markOf(first)
  const isSame = (): boolean => {
    const found = fstatSync(file)
    // To lose its name is a change of a file too, and the last one that anybody can make of it.
    return mark === markOf(found.nlink === 0 ? Object.assign(found, { ctimeMs: first.ctimeMs }) : found)
  }
  return {
    read: (at, into) => {
      try {
        let got = 0
        for (let more = 1; got < into.length && more > 0; got += more) more = readSync(file, into, got, into.length - got, at + got)
        return got === into.length && isSame()
      } catch {
        return false
      }
    },
    close: () => closeSync(file),
  }
}
