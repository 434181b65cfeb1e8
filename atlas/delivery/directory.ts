import { AtlasError } from '../errors.ts'

/**
 * Throws for an invalid archive.
 *
 * @param rule Stable name of the broken rule.
 * @throws {AtlasError} `SW_ARCHIVE`, always.
 */
export function refuseArchive(rule: string, message: string, facts: Readonly<Record<string, unknown>> = {}): never {
  throw new AtlasError('SW_ARCHIVE', { message: `The archive breaks the rule "${rule}": ${message}`, facts: { rule, ...facts } })
}

/** Place of the central directory, from the end record. */
export interface EndRecord {
  /** Number of entries. */
  readonly count: number
  /** Offset of the directory in bytes. */
  readonly offset: number
  /** Length of the directory in bytes. */
  readonly size: number
}

/** One header of the central directory; sizes in bytes, 64-bit values resolved. */
export interface CentralHeader {
  readonly nameBytes: Uint8Array
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly compressedSize: number
  readonly size: number
  /** Offset of the local header. */
  readonly offset: number
  /** Unix mode, or 0 if the archive has none. */
  readonly mode: number
  /** Whether the DOS attributes mark it as a folder. Other systems write them too. */
  readonly isMarkedFolder: boolean
  /** Whether the attributes of a system like DOS mark it as the label of a disk. */
  readonly isVolumeLabel: boolean
  readonly extra: ExtraFields
}

/** Extra fields by id. */
export type ExtraFields = ReadonlyMap<number, Uint8Array>

/** A little-endian view on bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

// If all bits of a value are set, the real value is in the ZIP64 extra field.
const SENTINEL_32 = 0xffffffff
const SENTINEL_16 = 0xffff
const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1')
const END_LENGTH = 22
const LOCATOR_LENGTH = 20
const MAX_COMMENT = 0xffff

/**
 * Finds the only end record that ends at the end of the file, and the ZIP64 record before it if there is one.
 *
 * @throws {AtlasError} `SW_ARCHIVE` if there is no end record, if two are possible, if the archive spans
 * disks, or if the directory does not end at the record.
 * @see PKWARE APPNOTE 4.3.14 to 4.3.16.
 */
export function readEndRecord(bytes: Uint8Array): EndRecord {
  const view = viewOf(bytes)
  const at = findEndRecord(view)
  const classic = {
    disk: view.getUint16(at + 4, true),
    directoryDisk: view.getUint16(at + 6, true),
    countHere: view.getUint16(at + 8, true),
    count: view.getUint16(at + 10, true),
    size: view.getUint32(at + 12, true),
    offset: view.getUint32(at + 16, true),
  }
  const has64 = at >= LOCATOR_LENGTH && view.getUint32(at - LOCATOR_LENGTH, true) === 0x07064b50
  const record = has64 ? readEndRecord64(view, at - LOCATOR_LENGTH, classic) : { ...classic, at }
  if (record.disk !== 0 || record.directoryDisk !== 0 || record.countHere !== record.count)
    refuseArchive(
      'multi-disk',
      `expected one disk that holds all ${record.count} entries, found disk ${record.disk} with ${record.countHere}.`,
    )
  if (record.offset + record.size > record.at)
    refuseArchive(
      'cd-out-of-bounds',
      `expected the directory to end at byte ${record.at}, found it to end at ${record.offset + record.size}.`,
    )
  if (record.offset + record.size !== record.at)
    refuseArchive(
      'gap-before-eocd',
      `expected the directory to end at byte ${record.at}, found it to end at ${record.offset + record.size}.`,
    )
  return { count: record.count, offset: record.offset, size: record.size }
}

function findEndRecord(view: DataView): number {
  const length = view.byteLength
  const found: number[] = []
  const bytes = Buffer.from(view.buffer, view.byteOffset, length)
  // From the end, with a native search: single bytes would take as long as unpacking.
  const before = (end: number): number => (end < 0 ? -1 : bytes.lastIndexOf(END_SIGNATURE, end))
  const first = length - END_LENGTH - MAX_COMMENT
  for (let at = before(length - END_LENGTH); at >= 0 && at >= first; at = before(at - 1)) {
    const end = at + END_LENGTH + view.getUint16(at + 20, true)
    if (end === length) found.push(at)
    // Readers that search backwards stop at the last record, so it must be the one that ends the file.
    else if (found.length === 0)
      refuseArchive('trailing-or-truncated', `expected the end record to end the file at byte ${length}, found it to end at ${end}.`)
  }
  const [at, second] = found
  if (at === undefined) refuseArchive('no-eocd', `expected an end record, found none in ${length} bytes: no ZIP, or one cut short.`)
  if (second !== undefined) refuseArchive('ambiguous-eocd', `expected one end record, found two that could be it, at ${second} and ${at}.`)
  return at
}

interface RawEnd {
  readonly disk: number
  readonly directoryDisk: number
  readonly countHere: number
  readonly count: number
  readonly size: number
  readonly offset: number
}

function readEndRecord64(view: DataView, locatorAt: number, classic: RawEnd): RawEnd & { at: number } {
  const at = readUint64(view, locatorAt + 8)
  if (at + 56 > locatorAt || view.getUint32(at, true) !== 0x06064b50)
    refuseArchive('zip64-locator-bad', `expected a ZIP64 end record at byte ${at}, as its locator says, found none.`)
  if (view.getUint32(locatorAt + 4, true) !== 0 || view.getUint32(locatorAt + 16, true) > 1)
    refuseArchive('multi-disk', 'expected one disk, found a ZIP64 locator that names more.')
  if (at + 12 + readUint64(view, at + 4) !== locatorAt)
    refuseArchive('zip64-gap', `expected the ZIP64 end record at ${at} to end at its locator at ${locatorAt}, found another length.`)
  const record: RawEnd = {
    disk: view.getUint32(at + 16, true),
    directoryDisk: view.getUint32(at + 20, true),
    countHere: readUint64(view, at + 24),
    count: readUint64(view, at + 32),
    size: readUint64(view, at + 40),
    offset: readUint64(view, at + 48),
  }
  for (const field of ['disk', 'directoryDisk', 'countHere', 'count', 'size', 'offset'] as const) {
    const sentinel = field === 'size' || field === 'offset' ? SENTINEL_32 : SENTINEL_16
    if (classic[field] !== sentinel && classic[field] !== record[field])
      refuseArchive('zip64-mismatch', `expected both end records to agree on ${field}, found ${classic[field]} and ${record[field]}.`)
  }
  return { ...record, at }
}

/**
 * Reads the headers of the central directory. Their number must be that of the end record, and they must fill
 * the directory exactly.
 *
 * @throws {AtlasError} `SW_ARCHIVE`
 * @see PKWARE APPNOTE 4.3.12.
 */
export function readCentralHeaders(bytes: Uint8Array, end: EndRecord, maxEntries: number): readonly CentralHeader[] {
  if (end.count > maxEntries) refuseArchive('too-many-entries', `expected at most ${maxEntries} entries, found ${end.count}.`)
  const view = viewOf(bytes)
  const stop = end.offset + end.size
  const headers: CentralHeader[] = []
  let at = end.offset
  for (let index = 0; index < end.count; index++) {
    if (at + 46 > stop) refuseArchive('entry-count-mismatch', `expected ${end.count} entries in the directory, found room for ${index}.`)
    if (view.getUint32(at, true) !== 0x02014b50)
      refuseArchive('bad-cd-header', `expected a directory header at byte ${at}, found other bytes.`, { index })
    const next = at + 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > stop) refuseArchive('cd-entry-overrun', `expected header ${index} to end by byte ${stop}, found it to end at ${next}.`)
    headers.push(readCentralHeader(bytes, view, at))
    at = next
  }
  if (at !== stop)
    refuseArchive('entry-count-mismatch', `expected ${end.count} entries to fill the directory, found ${stop - at} bytes more.`)
  return headers
}

function readCentralHeader(bytes: Uint8Array, view: DataView, at: number): CentralHeader {
  const nameEnd = at + 46 + view.getUint16(at + 28, true)
  const extra = readExtraFields(bytes.subarray(nameEnd, nameEnd + view.getUint16(at + 30, true)))
  const resolved = resolve64(extra, [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)])
  if (view.getUint16(at + 34, true) !== 0) refuseArchive('multi-disk', 'expected every entry on disk 0, found one on another.')
  const host = view.getUint8(at + 5)
  const isUnix = host === 3 || host === 19
  const attributes = view.getUint32(at + 38, true)
  return {
    nameBytes: bytes.subarray(at + 46, nameEnd),
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    size: resolved[0]!,
    compressedSize: resolved[1]!,
    offset: resolved[2]!,
    mode: isUnix ? view.getUint16(at + 40, true) : 0,
    isMarkedFolder: (attributes & 0x10) !== 0,
    isVolumeLabel: !isUnix && (attributes & 0x08) !== 0,
    extra,
  }
}

/**
 * Splits an area of extra fields.
 *
 * @throws {AtlasError} `SW_ARCHIVE` if a field exceeds the area, if bytes are left over, or if an id that
 * changes the meaning occurs twice.
 */
export function readExtraFields(area: Uint8Array): ExtraFields {
  const view = viewOf(area)
  const fields = new Map<number, Uint8Array>()
  let at = 0
  let count = 0
  while (at < area.length) {
    const end = at + 4 <= area.length ? at + 4 + view.getUint16(at + 2, true) : Number.POSITIVE_INFINITY
    if (end > area.length)
      refuseArchive('extra-malformed', `expected extra fields to fill their ${area.length} bytes, found one that does not end there.`)
    if (++count > 256) refuseArchive('extra-malformed', 'expected at most 256 extra fields, found more.')
    const id = view.getUint16(at, true)
    if (fields.has(id) && (id === 0x0001 || id === 0x7075))
      refuseArchive('extra-malformed', `expected extra field ${id} once, found it twice.`)
    fields.set(id, area.subarray(at + 4, end))
    at = end
  }
  return fields
}

/**
 * Replaces values with all bits set by those of the ZIP64 extra field. The field has only those values, in
 * order. Some writers store 64-bit copies of all values instead.
 *
 * @throws {AtlasError} `SW_ARCHIVE` if the field is missing, has another length, or contradicts a value of
 * the header.
 * @see PKWARE APPNOTE 4.5.3.
 */
export function resolve64(extra: ExtraFields, values: readonly number[]): readonly number[] {
  const field = extra.get(0x0001)
  const wanted = values.filter((value) => value === SENTINEL_32).length
  if (field === undefined) {
    if (wanted > 0) refuseArchive('zip64-extra-missing', `expected a ZIP64 extra field for ${wanted} values, found none.`)
    return values
  }
  const view = viewOf(field)
  const copiesAll = field.length === values.length * 8
  if (!copiesAll && field.length !== wanted * 8)
    refuseArchive('zip64-extra-length', `expected a ZIP64 extra field of ${wanted * 8} bytes, found ${field.length}.`)
  let at = 0
  return values.map((value) => {
    if (value !== SENTINEL_32 && !copiesAll) return value
    const wide = readUint64(view, at)
    at += 8
    if (value !== SENTINEL_32 && value !== wide)
      refuseArchive('zip64-mismatch', `expected a header and its ZIP64 extra field to agree, found ${value} and ${wide}.`)
    return wide
  })
}

// Values over 2^53 lose low bits. Each value is later compared with a length of at most 2^32, so such a value
// always throws.
function readUint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32
}
