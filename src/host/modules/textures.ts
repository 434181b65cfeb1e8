/** A picture to encode: straight-alpha RGBA8, row-major, top-left first. */
export interface TexturePicture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** Settings for the encoding of a texture. */
export interface TextureSettings {
  /** UASTC is larger and better, ETC1S smaller and coarser. */
  readonly mode: 'uastc' | 'etc1s'
  /** ETC1S: 1 to 100. */
  readonly quality: number
}

/**
 * Encodes a picture as KTX2, in its own thread. The same picture gives the same bytes. Passed in.
 *
 * @param entry URL of the module of `ktx2-encoder`.
 */
export type EncodeTexture = (entry: string, picture: TexturePicture, settings: TextureSettings) => Promise<Uint8Array>

/** Threads that encode at the same time. Each takes some hundred megabytes. */
const mostThreads = 2

/**
 * Source text instead of a file, so that it exists however the package is bundled. The encoder accepts a
 * picture only through an image decoder. It prints regardless of its options.
 */
const workerCode = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', async ({ entry, picture, options }) => {
  try {
    const { encodeToKTX2 } = await import(entry)
    const bytes = await encodeToKTX2(picture.data, { ...options, imageDecoder: async () => picture })
    parentPort.postMessage({ bytes }, [bytes.buffer])
  } catch (error) {
    parentPort.postMessage({ error: error instanceof Error ? error.message : String(error) })
  }
})`

interface Job {
  readonly message: object
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/** Encodes in threads of this process. They end when no picture waits. */
export function nodeTextures(): EncodeTexture {
  const waiting: Job[] = []
  let threads = 0
  const work = async (): Promise<void> => {
    threads++
    const thread = startThread()
    let isAlive = true
    for (let job = waiting.shift(); job !== undefined; job = isAlive ? waiting.shift() : undefined) isAlive = await thread.run(job)
    threads--
    await thread.end()
    if (waiting.length > 0 && threads < mostThreads) void work()
  }
  return (entry, { width, height, data }, settings) =>
    new Promise((resolve, reject) => {
      waiting.push({ message: { entry, picture: { width, height, data }, options: toOptions(settings) }, resolve, reject })
      if (threads < mostThreads) void work()
    })
}

/** One thread. It runs one job at a time. */
interface Thread {
  /**
   * Settles the job.
   *
   * @returns Whether the thread can run another.
   */
  run(job: Job): Promise<boolean>
  end(): Promise<unknown>
}

function startThread(): Thread {
  const worker = new (process.getBuiltinModule('node:worker_threads').Worker)(workerCode, { eval: true, stdout: true, stderr: true })
  // The encoder's output is read and dropped, because standard output belongs to the program.
  worker.stdout.resume()
  worker.stderr.resume()
  let settle: (answer: { readonly bytes?: Uint8Array; readonly error?: string }, isAlive: boolean) => void = () => {}
  worker.on('message', (answer) => settle(answer, true))
  worker.on('error', (cause) => settle({ error: cause instanceof Error ? cause.message : String(cause) }, false))
  worker.on('exit', (code) => settle({ error: `its thread ended with code ${code}` }, false))
  return {
    run: ({ message, resolve, reject }) =>
      new Promise((done) => {
        settle = ({ bytes, error }, isAlive) => {
          settle = () => {}
          if (bytes) resolve(bytes)
          else reject(new Error(error))
          done(isAlive)
        }
        worker.postMessage(message)
      }),
    end: () => worker.terminate(),
  }
}

/** Colours are sRGB. Sprites are drawn at about their size, so there are no smaller levels. */
function toOptions({ mode, quality }: TextureSettings): object {
  const common = { isKTX2File: true, generateMipmap: false, isPerceptual: true, isSetKTX2SRGBTransferFunc: true }
  if (mode === 'uastc') return { ...common, isUASTC: true, uastcLDRQualityLevel: 1, needSupercompression: true }
  return { ...common, isUASTC: false, qualityLevel: Math.max(1, Math.round((quality * 255) / 100)), compressionLevel: 2 }
}
