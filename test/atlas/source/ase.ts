import { deflateSync } from 'node:zlib'

/** One field after the other, little-endian, for files that no writer of ours would make. */
class Bytes {
  readonly #parts: Buffer[] = []

  byte(...values: readonly number[]): this {
    return this.bytes(Uint8Array.from(values))
  }

  word(...values: readonly number[]): this {
    for (const value of values) this.bytes(Uint8Array.of(value & 255, (value >> 8) & 255))
    return this
  }

  dword(...values: readonly number[]): this {
    for (const value of values) this.word(value & 0xffff, value >>> 16)
    return this
  }

  string(text: string): this {
    const bytes = Buffer.from(text)
    return this.word(bytes.length).bytes(bytes)
  }

  bytes(bytes: Uint8Array): this {
    this.#parts.push(Buffer.from(bytes))
    return this
  }

  done(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

/** Starts a chunk's content, or any bytes. */
export function bytes(): Bytes {
  return new Bytes()
}

/** Returns a chunk: its size, its type and its content. */
export function chunk(type: number, content: Bytes | Uint8Array): Buffer {
  const inside = content instanceof Bytes ? content.done() : content
  return bytes()
    .dword(inside.length + 6)
    .word(type)
    .bytes(inside)
    .done()
}

/** A file to build. */
export interface BuiltFile {
  readonly width?: number
  readonly height?: number
  readonly depth?: number
  /** Bits: 1 layers have an opacity, 2 groups are composed. */
  readonly flags?: number
  readonly speed?: number
  readonly clearIndex?: number
  readonly colours?: number
  readonly ratio?: readonly [number, number]
  readonly frames: readonly BuiltFrame[]
}

/** A frame to build. */
export interface BuiltFrame {
  readonly duration?: number
  readonly chunks: readonly Buffer[]
  /** The two counts of chunks. */
  readonly counts?: readonly [number, number]
}

/** Builds a file of 2 × 2 RGBA pixels, if nothing else is said. */
export function file({
  width = 2,
  height = 2,
  depth = 32,
  flags = 1,
  speed = 100,
  ratio = [1, 1],
  frames,
  ...more
}: BuiltFile): Uint8Array {
  const built = frames.map(({ duration = 0, chunks, counts = [chunks.length, chunks.length] }) => {
    const inside = Buffer.concat(chunks)
    return bytes()
      .dword(inside.length + 16)
      .word(0xf1fa, counts[0], duration, 0)
      .dword(counts[1])
      .bytes(inside)
      .done()
  })
  const body = Buffer.concat(built)
  const whole = bytes()
    .dword(body.length + 128)
    .word(0xa5e0, frames.length, width, height, depth)
    .dword(flags)
    .word(speed)
    .dword(0, 0)
    .byte(more.clearIndex ?? 0, 0, 0, 0)
    .word(more.colours ?? 0)
    .byte(...ratio)
    .bytes(new Uint8Array(92))
    .bytes(body)
  return new Uint8Array(whole.done())
}

/** A layer to build: a visible image at the top level, if nothing else is said. */
export interface BuiltLayer {
  /** Bits: 1 visible, 8 background, 64 reference. */
  readonly flags?: number
  readonly type?: number
  readonly level?: number
  readonly blend?: number
  readonly opacity?: number
  readonly tileset?: number
}

export function layer({ flags = 1, type = 0, level = 0, blend = 0, opacity = 255, tileset }: BuiltLayer = {}): Buffer {
  const content = bytes().word(flags, type, level, 0, 0, blend).byte(opacity, 0, 0, 0).string('Ä')
  return chunk(0x2004, tileset === undefined ? content : content.dword(tileset))
}

/** A cel to build. */
export interface BuiltCel {
  readonly layer?: number
  readonly x?: number
  readonly y?: number
  readonly opacity?: number
  readonly z?: number
}

function celHead({ layer = 0, x = 0, y = 0, opacity = 255, z = 0 }: BuiltCel, type: number): Bytes {
  return bytes().word(layer, x, y).byte(opacity).word(type, z).byte(0, 0, 0, 0, 0)
}

/** @param pixels As stored, not packed. */
export function image(width: number, height: number, pixels: Uint8Array, at: BuiltCel = {}): Buffer {
  return chunk(0x2005, celHead(at, 2).word(width, height).bytes(deflateSync(pixels)))
}

export function rawImage(width: number, height: number, pixels: Uint8Array, at: BuiltCel = {}): Buffer {
  return chunk(0x2005, celHead(at, 0).word(width, height).bytes(pixels))
}

export function link(frame: number, at: BuiltCel = {}): Buffer {
  return chunk(0x2005, celHead(at, 1).word(frame))
}

/** Masks of tile ID, X, Y and diagonal flip, as Aseprite writes them. */
export const usualMasks: readonly number[] = [0x1fffffff, 0x80000000, 0x40000000, 0x20000000]

export function tiles(
  width: number,
  height: number,
  values: readonly number[],
  at: BuiltCel = {},
  masks: readonly number[] = usualMasks,
): Buffer {
  const packed = deflateSync(
    bytes()
      .dword(...values)
      .done(),
  )
  return chunk(
    0x2005,
    celHead(at, 3)
      .word(width, height, 32)
      .dword(...masks)
      .bytes(new Uint8Array(10))
      .bytes(packed),
  )
}

/** @param flags Bits: 1 in another file, 2 in this file, 4 tile 0 is empty. */
export function tileset(id: number, count: number, width: number, height: number, pixels: Uint8Array, flags = 6): Buffer {
  const packed = deflateSync(pixels)
  const head = bytes().dword(id, flags, count).word(width, height, 1).bytes(new Uint8Array(14)).string('tiles')
  return chunk(0x2023, head.dword(packed.length).bytes(packed))
}

/** Colours as numbers: 0xrrggbbaa. */
export function pixels(...colours: readonly number[]): Uint8Array {
  return Uint8Array.from(colours.flatMap((colour) => [colour >>> 24, (colour >> 16) & 255, (colour >> 8) & 255, colour & 255]))
}

/** @param from First colour that is changed. */
export function palette(colours: readonly number[], size: number = colours.length, from = 0): Buffer {
  const content = bytes().dword(size, from, from + colours.length - 1, 0, 0)
  for (const colour of colours) content.word(0).bytes(pixels(colour))
  return chunk(0x2019, content)
}
