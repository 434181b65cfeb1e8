import type { Worker } from 'node:worker_threads'

/** A picture: straight-alpha RGBA8, row-major, top-left first. */
export interface DecodedPicture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** What a delivery holds. */
export interface DecodedDelivery {
  readonly frames: readonly DecodedPicture[]
  /** Where each frame stands in the whole one, pixels, and what tells its pixels apart; only where they are cut. */
  readonly canvases?: readonly { readonly x: number; readonly y: number; readonly width: number; readonly height: number }[]
  readonly digests?: readonly string[]
  readonly warnings: readonly string[]
}

/** Reads deliveries beside the thread that asks. */
export interface Decoder {
  /** False once its thread has ended: it answers nothing any more. */
  readonly isAlive: boolean
  /**
   * The frames of a delivery.
   *
   * @param zip Is gone afterwards: it moves to the other thread.
   * @param frames How many were asked for.
   * @param isCut Whether each frame is cut to what is seen of it.
   * @returns Undefined for whatever cannot be read: read it here, to know why.
   */
  decode(zip: Uint8Array, frames: number, isCut?: boolean): Promise<DecodedDelivery | undefined>
  close(): Promise<void>
}

/** Starts a decoder. @param library URL of the module that has `openArchive`, `readFrames` and `pictureDigest`. */
export type OpenDecoder = (library: string) => Decoder

/** Plain text and no file, so that it is there however the package is bundled. */
const workerCode = `
const { parentPort, workerData } = require('node:worker_threads')
const library = import(workerData)
parentPort.on('message', async ({ id, zip, expected, isCut }) => {
  try {
    const { openArchive, readFrames, pictureDigest } = await library
    const { frames, canvases, warnings } = readFrames(openArchive(zip), { frames: expected }, isCut)
    const found = isCut ? { canvases, digests: frames.map(pictureDigest), warnings } : { warnings }
    // Small buffers lie in a pool that others share, and are copied out of it; the others move.
    const own = ({ data }) => data.byteOffset === 0 && data.length >= 8192 && data.buffer.byteLength < 2 * data.length
    const moved = frames.map((frame) => (own(frame) ? frame : { ...frame, data: frame.data.slice() }))
    parentPort.postMessage({ id, delivery: { frames: moved, ...found } }, [...new Set(moved.map(({ data }) => data.buffer))])
  } catch {
    parentPort.postMessage({ id })
  }
})`

/** A thread of this process; where none may be started, one that answers nothing. */
export const openNodeDecoder: OpenDecoder = (library) => {
  let worker: Worker
  try {
    // Most starts have no use for it.
    worker = new (process.getBuiltinModule('node:worker_threads').Worker)(workerCode, { eval: true, workerData: library })
  } catch {
    return { isAlive: false, decode: async () => undefined, close: async () => {} }
  }
  const waiting = new Map<number, (delivery?: DecodedDelivery) => void>()
  let last = 0
  let isAlive = true
  const answer = (id: number, delivery?: DecodedDelivery): void => {
    waiting.get(id)?.(delivery)
    waiting.delete(id)
  }
  const die = (): void => {
    isAlive = false
    for (const id of waiting.keys()) answer(id)
  }
  worker.on('message', ({ id, delivery }: { readonly id: number; readonly delivery?: DecodedDelivery }) => answer(id, delivery))
  for (const end of ['error', 'exit', 'messageerror']) worker.on(end, die)
  return {
    get isAlive() {
      return isAlive
    },
    decode: (zip, frames, isCut) =>
      new Promise((resolve) => {
        if (!isAlive) return resolve(undefined)
        const id = ++last
        waiting.set(id, resolve)
        const isWhole = zip.byteLength === zip.buffer.byteLength && zip.buffer instanceof ArrayBuffer
        try {
          worker.postMessage({ id, zip, expected: frames, isCut }, isWhole ? [zip.buffer as ArrayBuffer] : [])
        } catch {
          answer(id)
        }
      }),
    close: async () => void (await worker.terminate()),
  }
}
