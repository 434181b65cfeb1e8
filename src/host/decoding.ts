import { Worker } from 'node:worker_threads'

/** A picture: straight-alpha RGBA8, row-major, top-left first. */
export interface DecodedPicture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** What a delivery holds. */
export interface DecodedDelivery {
  readonly frames: readonly DecodedPicture[]
  readonly warnings: readonly string[]
}

/** Reads deliveries beside the thread that asks. */
export interface Decoder {
  /**
   * The frames of a delivery.
   *
   * @param zip Is gone afterwards: it moves to the other thread.
   * @param frames How many were asked for.
   * @returns Undefined for whatever cannot be read: read it here, to know why.
   */
  decode(zip: Uint8Array, frames: number): Promise<DecodedDelivery | undefined>
  close(): Promise<void>
}

/** Starts a decoder. @param library URL of the module that has `openArchive` and `readFrames`. */
export type OpenDecoder = (library: string) => Decoder

/** Plain text and no file, so that it is there however the package is bundled. */
const workerCode = `
const { parentPort, workerData } = require('node:worker_threads')
const library = import(workerData)
parentPort.on('message', async ({ id, zip, expected }) => {
  try {
    const { openArchive, readFrames } = await library
    const { frames, warnings } = readFrames(openArchive(zip), { frames: expected })
    // Small buffers lie in a pool that others share; large ones move.
    const moved = frames.filter(({ data }) => data.byteOffset === 0 && data.length >= 8192)
    parentPort.postMessage({ id, delivery: { frames, warnings } }, [...new Set(moved.map(({ data }) => data.buffer))])
  } catch {
    parentPort.postMessage({ id })
  }
})`

/** A thread of this process. */
export const openNodeDecoder: OpenDecoder = (library) => {
  const worker = new Worker(workerCode, { eval: true, workerData: library })
  const waiting = new Map<number, (delivery: DecodedDelivery | undefined) => void>()
  let last = 0
  let isAlive = true
  const die = (): void => {
    isAlive = false
    for (const answer of waiting.values()) answer(undefined)
    waiting.clear()
  }
  worker.on('message', ({ id, delivery }: { readonly id: number; readonly delivery?: DecodedDelivery }) => {
    waiting.get(id)?.(delivery)
    waiting.delete(id)
  })
  worker.on('error', die)
  worker.on('exit', die)
  return {
    decode: (zip, frames) =>
      new Promise((resolve) => {
        if (!isAlive) return resolve(undefined)
        const id = ++last
        waiting.set(id, resolve)
        const isWhole = zip.byteLength === zip.buffer.byteLength && zip.buffer instanceof ArrayBuffer
        worker.postMessage({ id, zip, expected: frames }, isWhole ? [zip.buffer as ArrayBuffer] : [])
      }),
    close: async () => void (await worker.terminate()),
  }
}
