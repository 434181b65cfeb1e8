import { crc32 } from 'node:zlib'

/** An entry of a made archive. What is left out is sound: a stored file of the content. */
export interface MadeEntry {
  readonly name: string | Uint8Array
  /** The packed bytes. */
  readonly packed?: Uint8Array
  readonly flags?: number
  readonly method?: number
  readonly crc?: number
  readonly size?: number
  readonly packedSize?: number
  /** The system that wrote it. */
  readonly host?: number
  readonly attributes?: number
  readonly disk?: number
  readonly offset?: number
  readonly extra?: Uint8Array
  /** What the local header has instead. */
  readonly local?: Partial<Pick<MadeEntry, 'name' | 'flags' | 'method' | 'crc' | 'size' | 'packedSize' | 'extra'>>
  /** Bytes after the content. */
  readonly after?: Uint8Array
  readonly signature?: number
}

/** What differs from a sound archive around its entries. */
export interface MadeEnd {
  readonly prefix?: Uint8Array
  /** Bytes between the directory and the end record, by the place where they begin. */
  readonly beforeEnd?: (at: number, directoryAt: number) => Uint8Array
  readonly disk?: number
  readonly directoryDisk?: number
  readonly countHere?: number
  readonly count?: number
  readonly size?: number
  readonly offset?: number
  readonly comment?: Uint8Array
  readonly commentLength?: number
  readonly after?: Uint8Array
}

/** Numbers in little-endian order: `[bytes, value]` each. */
export function packed(...values: readonly (readonly [bytes: number, value: number])[]): Uint8Array {
  const parts = values.map(([bytes, value]) => {
    const part = Buffer.alloc(bytes)
    if (bytes === 8) part.writeBigUInt64LE(BigInt(value))
    else part.writeUIntLE(value, 0, bytes)
    return part
  })
  return new Uint8Array(Buffer.concat(parts))
}

/** An extra field. */
export function extraField(id: number, content: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([packed([2, id], [2, content.length]), content]))
}

function bytesOf(name: string | Uint8Array): Uint8Array {
  return typeof name === 'string' ? new TextEncoder().encode(name) : name
}

/** Writes an archive, byte for byte as told. */
export function makeZip(entries: readonly MadeEntry[], end: MadeEnd = {}): Uint8Array {
  const parts: Uint8Array[] = [end.prefix ?? new Uint8Array()]
  const directory: Uint8Array[] = []
  const length = (): number => parts.reduce((sum, part) => sum + part.length, 0)
  for (const entry of entries) {
    const content = entry.packed ?? new TextEncoder().encode('content')
    const sound = {
      name: '',
      flags: 0,
      method: 0,
      crc: crc32(content),
      size: content.length,
      packedSize: content.length,
      extra: new Uint8Array(),
    }
    const own = { ...sound, host: 0, attributes: 0, disk: 0, offset: length(), signature: 0x02014b50, ...entry }
    const local = { ...own, ...entry.local }
    const [name, localName] = [bytesOf(own.name), bytesOf(local.name)]
    const sizes = (of: typeof local): readonly [number, number][] => [
      [2, of.flags],
      [2, of.method],
      [4, 0x21],
      [4, of.crc],
      [4, of.packedSize],
      [4, of.size],
      [2, bytesOf(of.name).length],
      [2, of.extra.length],
    ]
    parts.push(packed([4, 0x04034b50], [2, 20], ...sizes(local)), localName, local.extra, content, entry.after ?? new Uint8Array())
    const last = [
      [2, 0],
      [2, own.disk],
      [2, 0],
      [4, own.attributes],
      [4, own.offset],
    ] as const
    directory.push(packed([4, own.signature], [1, 20], [1, own.host], [2, 20], ...sizes(own), ...last), name, own.extra)
  }
  const at = length()
  const size = directory.reduce((sum, part) => sum + part.length, 0)
  const between = end.beforeEnd?.(at + size, at) ?? new Uint8Array()
  const comment = end.comment ?? new Uint8Array()
  const count = end.count ?? entries.length
  const record = packed(
    [4, 0x06054b50],
    [2, end.disk ?? 0],
    [2, end.directoryDisk ?? 0],
    [2, end.countHere ?? count],
    [2, count],
    [4, end.size ?? size],
    [4, end.offset ?? at],
    [2, end.commentLength ?? comment.length],
  )
  return new Uint8Array(Buffer.concat([...parts, ...directory, between, record, comment, end.after ?? new Uint8Array()]))
}
