/** The bytes of a file, with a number that identifies them. */
export interface Content {
  readonly bytes: Uint8Array
  /** The bytes as Latin-1 text. */
  readonly text: string
  /**
   * A number for the bytes, in which the times of records count as ages. Two disks that differ only by the
   * same shift of all clocks are therefore one state. Sums, seals and links of records are left out, because
   * they follow from the rest.
   */
  hashAt(wall: number, mono: number): number
}

/** Members of a record that hold a time, or follow from the other members. */
const times = /"(at|mono|prev|sum|seal)":("[0-9a-f]*"|\d+)/g

/** Bytes as content. The number is computed at its first use. */
export function contentOf(bytes: Uint8Array): Content {
  let text: string | undefined
  let hash: ((wall: number, mono: number) => number) | undefined
  // The clocks seldom move between two calls.
  let last = { wall: Number.NaN, mono: Number.NaN, hash: 0 }
  const toText = (): string => {
    text ??= Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    return text
  }
  return {
    bytes,
    get text(): string {
      return toText()
    },
    hashAt: (wall: number, mono: number) => {
      if (last.wall === wall && last.mono === mono) return last.hash
      hash ??= hashOf(toText())
      last = { wall, mono, hash: hash(wall, mono) }
      return last.hash
    },
  }
}

function hashOf(text: string): (wall: number, mono: number) => number {
  const walls: number[] = []
  const monos: number[] = []
  const rest = text.includes('"at":')
    ? text.replace(times, (_whole, name: string, value: string) => {
        if (name === 'at') walls.push(Number.parseInt(value, 10))
        if (name === 'mono') monos.push(Number.parseInt(value, 10))
        return name
      })
    : text
  const base = hashText(rest)
  if (walls.length + monos.length === 0) return () => base
  return (wall, mono) => {
    let hash = base
    for (const at of walls) hash = mix(hash, wall - at)
    for (const at of monos) hash = mix(hash, mono - at)
    return hash
  }
}

/** A hash of a text, 52 bits. */
export function hashText(text: string): number {
  let high = 0x811c9dc5
  let low = 0x2545f491
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low + code, 0x85ebca6b) ^ (low >>> 15)
  }
  return mix(toNumber(high, low), text.length)
}

/** Mixes two numbers into one of 52 bits. */
export function mix(a: number, b: number): number {
  const high = stir((a / 0x100000) ^ stir(b | 0))
  return toNumber(high, stir((a & 0xfffff) ^ high ^ Math.imul(b | 0, 0x9e3779b1)))
}

/** Adds two such numbers modulo 2^52, so the order does not matter. */
export function add(a: number, b: number): number {
  const sum = a + b
  return sum < 0x10000000000000 ? sum : sum - 0x10000000000000
}

function stir(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

function toNumber(high: number, low: number): number {
  return (high >>> 0) * 0x100000 + ((low >>> 0) & 0xfffff)
}
