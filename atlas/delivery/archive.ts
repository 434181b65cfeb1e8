import { crc32, inflateRawSync } from 'node:zlib'
import { AtlasError } from '../errors.ts'
import { type CentralHeader, readCentralHeaders, readEndRecord, readExtraFields, refuseArchive, resolve64, viewOf } from './directory.ts'
import { checkNamesApart, checkUnicodePath, readEntryName } from './entry-name.ts'

/** A file in an archive. Its name is only a label, never a path on disk. */
export interface ArchiveEntry {
  /** Relative, forward slashes, unique in the archive. */
  readonly name: string
  /** The whole content, checked against its CRC-32. */
  readonly bytes: Uint8Array
}

/** Limits for an archive. */
export interface ArchiveLimits {
  /**
   * Bytes of one entry.
   *
   * @default 64 MiB
   */
  readonly maxEntryBytes?: number
  /**
   * Bytes of all entries together.
   *
   * @default 256 MiB
   */
  readonly maxTotalBytes?: number
  /**
   * Largest ratio of size to compressed size, for entries of more than 1 MiB.
   *
   * @default 200
   */
  readonly maxRatio?: number
  /**
   * Number of entries, with folders.
   *
   * @default 10000
   */
  readonly maxEntries?: number
}

interface LocatedEntry {
  readonly header: CentralHeader
  readonly name: string
  /** First byte of the packed data. */
  readonly dataStart: number
}

const MIB = 1 << 20
const STORED = 0
const DEFLATED = 8
const FLAG_ENCRYPTED = 0x0001
const FLAG_DESCRIPTOR = 0x0008
const FLAG_PATCH = 0x0020
const FLAG_STRONG = 0x0040
const FLAG_MASKED = 0x2000

/**
 * Reads a whole ZIP in memory, strictly. Only an archive that every reader understands the same way is
 * accepted.
 *
 * The end record ends the file, and every byte before the directory belongs to one entry. Both headers of an
 * entry agree. Entries are stored or deflated, without encryption and links. No name is ambiguous on any
 * system. Sizes and CRC-32 are exact. Sizes are checked before memory is allocated, so a ZIP bomb costs
 * nothing.
 *
 * @returns The files in the order of the directory. Folders are checked and left out.
 * @throws {AtlasError} `SW_ARCHIVE`. `facts.rule` is a stable name of the broken rule; `facts.entry` is the
 * entry, if one entry breaks it.
 * @see PKWARE APPNOTE 6.3.
 */
export function readArchive(bytes: Uint8Array, limits: ArchiveLimits = {}): ArchiveEntry[] {
  return openArchive(bytes, limits).map(({ name, bytes: content }) => ({ name, bytes: content }))
}

/**
 * Same as {@link readArchive}, but an entry is unpacked and checked when its `bytes` are first read. A caller
 * that needs the frames does not pay for the film in the same archive. Names, headers, sizes and layout are
 * checked at once.
 *
 * @throws {AtlasError} As {@link readArchive}. Errors of an entry's content are thrown when its `bytes` are
 * read.
 */
export function openArchive(bytes: Uint8Array, limits: ArchiveLimits = {}): ArchiveEntry[] {
  const end = readEndRecord(bytes)
  const headers = readCentralHeaders(bytes, end, limits.maxEntries ?? 10_000)
  const names = headers.map(readEntryName)
  checkNamesApart(names)
  for (const [index, header] of headers.entries()) checkHeader(header, names[index]!)
  checkSizes(headers, names, limits)
  const located = headers.map((header, index) => locate(bytes, header, names[index]!, end.offset))
  checkLayout(bytes, located, end.offset)
  for (const entry of located) if (entry.name.endsWith('/')) unpack(bytes, entry)
  return located.filter((entry) => !entry.name.endsWith('/')).map((entry) => toEntry(bytes, entry))
}

function toEntry(archive: Uint8Array, entry: LocatedEntry): ArchiveEntry {
  let content: Uint8Array | undefined
  return {
    name: entry.name,
    get bytes(): Uint8Array {
      content ??= unpack(archive, entry)
      return content
    },
  }
}

function checkHeader(header: CentralHeader, entry: string): void {
  const { flags, method, mode } = header
  if ((flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED)) !== 0)
    refuseArchive('encrypted', `expected no encryption, found "${entry}" encrypted.`, { entry })
  if ((flags & FLAG_PATCH) !== 0) refuseArchive('patch-data', `expected whole files, found "${entry}" to be a patch.`, { entry })
  if (method !== STORED && method !== DEFLATED)
    refuseArchive('method', `expected stored or deflated entries, found method ${method} for "${entry}".`, { entry, method })
  const type = mode & 0o170000
  if (type === 0o120000) refuseArchive('symlink', `expected files and folders, found "${entry}" to be a link.`, { entry })
  if (type !== 0 && type !== 0o100000 && type !== 0o040000)
    refuseArchive('special-file', `expected files and folders, found mode ${mode.toString(8)} for "${entry}".`, { entry })
  // Info-ZIP leaves such entries out, other readers unpack them.
  if (header.isVolumeLabel)
    refuseArchive('volume-label', `expected files and folders, found "${entry}" marked as the label of a disk.`, { entry })
  // Some readers use the name to recognise a folder, others the attributes. Both must agree.
  if (!entry.endsWith('/') && (type === 0o040000 || (type === 0 && header.isMarkedFolder)))
    refuseArchive('folder-without-slash', `expected the name of a folder to end with a slash, found "${entry}" marked as one.`, { entry })
  if (entry.endsWith('/') && header.size > 0)
    refuseArchive('dir-with-data', `expected folders without content, found ${header.size} bytes in "${entry}".`, { entry })
  if (method === STORED && header.size !== header.compressedSize)
    refuseArchive('stored-size-differs', `expected one size for stored "${entry}", found ${header.compressedSize} and ${header.size}.`, {
      entry,
    })
}

function checkSizes(headers: readonly CentralHeader[], names: readonly string[], limits: ArchiveLimits): void {
  const maxEntry = limits.maxEntryBytes ?? 64 * MIB
  const maxTotal = limits.maxTotalBytes ?? 256 * MIB
  const maxRatio = limits.maxRatio ?? 200
  let total = 0
  for (const [index, header] of headers.entries()) {
    const entry = names[index]
    if (header.size > maxEntry)
      refuseArchive('entry-too-big', `expected at most ${maxEntry} bytes an entry, found ${header.size} for "${entry}".`, { entry })
    if (header.size > MIB && header.size > header.compressedSize * maxRatio)
      refuseArchive(
        'ratio',
        `expected at most ${maxRatio} : 1, found "${entry}" to grow from ${header.compressedSize} to ${header.size} bytes.`,
        { entry },
      )
    total += header.size
    if (total > maxTotal) refuseArchive('total-too-big', `expected at most ${maxTotal} bytes in all, found more.`)
  }
}

function locate(bytes: Uint8Array, header: CentralHeader, entry: string, directoryAt: number): LocatedEntry {
  const view = viewOf(bytes)
  const at = header.offset
  if (at + 30 > directoryAt || view.getUint32(at, true) !== 0x04034b50)
    refuseArchive('bad-local-header', `expected the local header of "${entry}" at byte ${at}, found none.`, { entry })
  const nameEnd = at + 30 + view.getUint16(at + 26, true)
  const dataStart = nameEnd + view.getUint16(at + 28, true)
  if (dataStart + header.compressedSize > directoryAt)
    refuseArchive('data-overruns-cd', `expected "${entry}" to end before the directory at ${directoryAt}, found it to run past it.`, {
      entry,
    })
  const differs = (rule: string, what: string): never =>
    refuseArchive(rule, `expected both headers of "${entry}" to agree on its ${what}, found two.`, { entry })
  if (Buffer.compare(bytes.subarray(at + 30, nameEnd), header.nameBytes) !== 0) differs('local-name-differs', 'name')
  if (view.getUint16(at + 6, true) !== header.flags) differs('local-flags-differ', 'flags')
  if (view.getUint16(at + 8, true) !== header.method) differs('local-method-differs', 'method')
  const extra = readExtraFields(bytes.subarray(nameEnd, dataStart))
  checkUnicodePath(extra, header.nameBytes)
  const [size, compressedSize] = resolve64(extra, [view.getUint32(at + 22, true), view.getUint32(at + 18, true)]) as [number, number]
  // With a data descriptor the writer did not know the values yet and wrote zeros.
  const agrees = (found: number, wanted: number): boolean => found === wanted || (found === 0 && (header.flags & FLAG_DESCRIPTOR) !== 0)
  if (!agrees(view.getUint32(at + 14, true), header.crc)) differs('local-crc-differs', 'CRC-32')
  if (!agrees(compressedSize, header.compressedSize)) differs('local-csize-differs', 'packed size')
  if (!agrees(size, header.size)) differs('local-size-differs', 'size')
  return { header, name: entry, dataStart }
}

// Every byte before the directory belongs to exactly one entry: no prefix, no gap, no overlap.
function checkLayout(bytes: Uint8Array, located: readonly LocatedEntry[], directoryAt: number): void {
  const inOrder = [...located].sort((a, b) => a.header.offset - b.header.offset)
  const first = inOrder[0]?.header.offset ?? directoryAt
  if (first !== 0) refuseArchive('prefix-data', `expected the archive to begin with an entry, found ${first} bytes before it.`)
  for (const [index, entry] of inOrder.entries()) {
    const next = inOrder[index + 1]?.header.offset ?? directoryAt
    const gap = next - entry.dataStart - entry.header.compressedSize
    if (gap < 0) refuseArchive('overlap', `expected entries apart, found "${entry.name}" to run into the next.`, { entry: entry.name })
    if ((entry.header.flags & FLAG_DESCRIPTOR) !== 0) checkDescriptor(bytes, entry, next - gap, gap)
    else if (gap > 0)
      refuseArchive(
        next === directoryAt ? 'gap-before-cd' : 'gap-between-entries',
        `expected nothing after "${entry.name}", found ${gap} bytes.`,
        { entry: entry.name },
      )
  }
}

function checkDescriptor(bytes: Uint8Array, entry: LocatedEntry, at: number, length: number): void {
  const view = viewOf(bytes)
  const { crc, compressedSize, size } = entry.header
  // The descriptor has 12, 16, 20 or 24 bytes: with or without signature, with 32-bit or 64-bit sizes.
  const isWide = length >= 20
  const isSigned = length === (isWide ? 24 : 16) && view.getUint32(at, true) === 0x08074b50
  const start = isSigned ? at + 4 : at
  const isSound =
    (isSigned || length === (isWide ? 20 : 12)) &&
    view.getUint32(start, true) === crc &&
    view.getUint32(start + 4, true) === compressedSize &&
    view.getUint32(start + (isWide ? 12 : 8), true) === size &&
    (!isWide || (view.getUint32(start + 8, true) === 0 && view.getUint32(start + 16, true) === 0))
  if (!isSound)
    refuseArchive(
      'data-descriptor-bad',
      `expected after "${entry.name}" its descriptor with the sizes of the directory, found ${length} other bytes.`,
      { entry: entry.name },
    )
}

function unpack(bytes: Uint8Array, entry: LocatedEntry): Uint8Array {
  const { header, dataStart, name } = entry
  const packed = bytes.subarray(dataStart, dataStart + header.compressedSize)
  // A copy, so that a frame does not keep the whole archive in memory.
  const content = header.method === STORED ? packed.slice() : inflate(packed, header.size, name)
  if (content.length !== header.size)
    refuseArchive('size-below-declared', `expected ${header.size} bytes in "${name}", found ${content.length}.`, { entry: name })
  if (crc32(content) !== header.crc)
    refuseArchive('crc', `expected the CRC-32 of "${name}" to match its content, found another.`, { entry: name })
  return content
}

function inflate(packed: Uint8Array, size: number, entry: string): Uint8Array {
  try {
    // One output chunk for the whole content, with room to detect the end of the stream. `info` adds the
    // engine, which counts the bytes it read.
    const { buffer, engine } = inflateRawSync(packed, {
      maxOutputLength: Math.max(1, size),
      chunkSize: size + 64,
      info: true,
    }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    if (engine.bytesWritten !== packed.length)
      refuseArchive(
        'deflate-leftover',
        `expected "${entry}" to fill its ${packed.length} packed bytes, found it to end after ${engine.bytesWritten}.`,
        { entry },
      )
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  } catch (error) {
    if (error instanceof AtlasError) throw error
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ERR_BUFFER_TOO_LARGE')
      refuseArchive('size-exceeds-declared', `expected ${size} bytes in "${entry}", found more.`, { entry })
    return refuseArchive(
      code === 'Z_BUF_ERROR' ? 'deflate-truncated' : 'inflate-error',
      `expected "${entry}" to unpack, found: ${String(error)}`,
      { entry },
    )
  }
}
