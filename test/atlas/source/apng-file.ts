import { deflateSync } from 'node:zlib'
import { pngChunk } from '../png-chunk.ts'
import { pixels } from './ase.ts'

/** A frame to build: one pixel high. */
export interface BuiltApngFrame {
  readonly x?: number
  readonly colours: readonly number[]
  readonly delay?: readonly [number, number]
  readonly dispose?: number
  readonly blend?: number
}

/** Big-endian numbers of 32 bits. */
export function big(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}

export function control(sequence: number, { x = 0, colours, delay = [1, 10], dispose = 0, blend = 0 }: BuiltApngFrame): Uint8Array {
  const times = Buffer.alloc(4)
  times.writeUInt16BE(delay[0], 0)
  times.writeUInt16BE(delay[1], 2)
  return pngChunk('fcTL', [...big(sequence, colours.length, 1, x, 0), ...times, dispose, blend])
}

/** One row of pixels. */
export function packed(colours: readonly number[]): Buffer {
  return deflateSync(Uint8Array.of(0, ...pixels(...colours)))
}

export const signature = Buffer.of(137, 80, 78, 71, 13, 10, 26, 10)

export function header(width: number): Uint8Array {
  return pngChunk('IHDR', [...big(width, 1), 8, 6, 0, 0, 0])
}

/**
 * A picture of a canvas one pixel high.
 *
 * @param still Pixels of a picture that is no frame.
 */
export function animatedPng(width: number, frames: readonly BuiltApngFrame[], still?: readonly number[]): Uint8Array {
  const parts = [header(width), pngChunk('acTL', big(frames.length, 3))]
  if (still !== undefined) parts.push(pngChunk('IDAT', packed(still)))
  let sequence = 0
  for (const [at, frame] of frames.entries()) {
    parts.push(control(sequence++, frame))
    const data = packed(frame.colours)
    if (at === 0 && still === undefined) parts.push(pngChunk('IDAT', data))
    // Data may be in parts.
    else for (const part of [data.subarray(0, 5), data.subarray(5)]) parts.push(pngChunk('fdAT', [...big(sequence++), ...part]))
  }
  return new Uint8Array(Buffer.concat([signature, ...parts, pngChunk('IEND', [])]))
}
