import { crc32 } from 'node:zlib'
import { type CentralHeader, type ExtraFields, refuseArchive, viewOf } from './directory.ts'

/**
 * Most bytes of a whole name. Every system can open such a path, and a message with the name fits on a
 * screen.
 */
export const MAX_NAME_BYTES = 1024
const MAX_SEGMENT_BYTES = 255
const UTF8_FLAG = 0x0800

/**
 * Reads the name of an entry; names of folders end with a slash.
 *
 * No name is ever used as a path. The rules remain because a strange name is a sign of a strange archive.
 *
 * @throws {AtlasError} `SW_ARCHIVE` for a name that is longer than {@link MAX_NAME_BYTES}, is absolute, has
 * `..`, is read differently by some readers, or would be changed by some file system.
 */
export function readEntryName(header: CentralHeader): string {
  const { nameBytes } = header
  if (nameBytes.length === 0) refuseArchive('name-empty', 'expected a name for every entry, found an empty one.')
  if (nameBytes.length > MAX_NAME_BYTES)
    refuseArchive(
      'name-too-long',
      `expected names of at most ${MAX_NAME_BYTES} bytes, found one of ${nameBytes.length}: ${latin1(nameBytes)}`,
    )
  const isAscii = nameBytes.every((byte) => byte < 0x80)
  if (!isAscii && (header.flags & UTF8_FLAG) === 0)
    refuseArchive('name-non-ascii-unflagged', `expected a name in ASCII or marked as UTF-8, found other bytes: ${latin1(nameBytes)}`)
  const name = decodeUtf8(nameBytes)
  checkUnicodePath(header.extra, header.nameBytes)
  checkSegments(name)
  return name
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return refuseArchive('name-not-utf8', `expected a name in UTF-8 as it is marked, found other bytes: ${latin1(bytes)}`)
  }
}

function latin1(bytes: Uint8Array): string {
  return JSON.stringify(String.fromCharCode(...bytes.subarray(0, 80)))
}

/**
 * Throws if an Info-ZIP Unicode path field (0x7075) differs from the name in the header. Readers differ in
 * which of the two they use.
 *
 * @throws {AtlasError} `SW_ARCHIVE`
 */
export function checkUnicodePath(extra: ExtraFields, nameBytes: Uint8Array): void {
  const field = extra.get(0x7075)
  if (field === undefined) return
  const isSound = field.length >= 5 && field[0] === 1 && viewOf(field).getUint32(1, true) === crc32(nameBytes)
  if (!isSound || Buffer.compare(field.subarray(5), nameBytes) !== 0)
    refuseArchive('name-two-truths', `expected one name, found ${latin1(nameBytes)} and another in the Unicode path field.`)
}

function checkSegments(name: string): void {
  const found = `found ${JSON.stringify(briefName(name))}.`
  const facts = { entry: name }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name))
    refuseArchive('name-control-char', `expected a name without control characters, ${found}`, facts)
  if (name.includes('\\')) refuseArchive('name-backslash', `expected forward slashes in a name, ${found}`, facts)
  if (name.includes(':')) refuseArchive('name-colon', `expected a name without a colon, ${found}`, facts)
  if (name.startsWith('/')) refuseArchive('name-absolute', `expected a relative name, ${found}`, facts)
  for (const segment of name.replace(/\/$/, '').split('/')) {
    if (segment === '') refuseArchive('name-empty-segment', `expected no empty part in a name, ${found}`, facts)
    if (segment === '.' || segment === '..') refuseArchive('name-dotdot', `expected a name without "." and ".." as parts, ${found}`, facts)
    if (/[. ]$/.test(segment)) refuseArchive('name-trailing-dot-space', `expected no part that ends with a dot or a space, ${found}`, facts)
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      refuseArchive('name-too-long', `expected parts of at most ${MAX_SEGMENT_BYTES} bytes, ${found}`, facts)
  }
}

/**
 * Throws for names that collide: the same name twice, names that a case-folding or normalising file system
 * treats as one, and a file that is also the folder of another. The cost is that of sorting the names, at any
 * folder depth.
 *
 * @param names In the order of the directory; folders end with a slash.
 * @throws {AtlasError} `SW_ARCHIVE`
 */
export function checkNamesApart(names: readonly string[]): void {
  const exact = new Set<string>()
  const folded = new Set<string>()
  const files = new Set<string>()
  for (const name of names) {
    const bare = name.replace(/\/$/, '')
    if (exact.has(bare)) refuseArchive('name-duplicate', `expected every name once, found ${JSON.stringify(bare)} twice.`, { entry: bare })
    exact.add(bare)
    const fold = foldName(bare)
    if (folded.has(fold))
      refuseArchive('name-collides-when-folded', `expected names that differ by more than case, found ${JSON.stringify(bare)} twice.`, {
        entry: bare,
      })
    folded.add(fold)
    if (bare === name) files.add(fold)
  }
  // Earlier names that are a prefix of the current one, shortest first; the sorted order finds all of them.
  // It is enough to check the longest. If a shorter one were a file and a folder of the current name, it
  // would also be a folder of the longest one, which would have thrown already.
  const prefixes: string[] = []
  for (const name of [...folded].sort()) {
    while (prefixes.length > 0 && !name.startsWith(prefixes.at(-1)!)) prefixes.pop()
    const entry = prefixes.at(-1)
    if (entry !== undefined && files.has(entry) && name[entry.length] === '/')
      refuseArchive('file-as-dir', `expected ${JSON.stringify(entry)} to be a file or a folder, found both.`, { entry })
    prefixes.push(name)
  }
}

function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** A longer name would fill a line of the terminal. */
const MAX_CHARACTERS = 80

/** Shortens an untrusted name for a message. */
export function briefName(name: string): string {
  return name.length <= MAX_CHARACTERS ? name : `${name.slice(0, MAX_CHARACTERS - 1)}…`
}

/**
 * Lists the first names for a message, and the number of the others. Returns an empty text for an empty list.
 */
export function briefNames(names: readonly string[], most: number = 10): string {
  const shown = names.slice(0, most).map(briefName).join(', ')
  return names.length <= most ? shown : `${shown} and ${names.length - most} more`
}
