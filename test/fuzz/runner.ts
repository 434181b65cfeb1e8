import { parentPort } from 'node:worker_threads'
import { corpus, corpusBytes } from '../atlas/corpus.ts'
import { type FuzzedReader, FuzzFailure, fuzzOnce, noFuzz } from './fuzz.ts'

/** Seeds for one thread. */
export interface FuzzErrand {
  readonly reader: FuzzedReader
  readonly from: number
  readonly count: number
}

/** The results of a thread. */
export interface FuzzAnswer {
  readonly cases: number
  readonly accepted: number
  readonly agreed: number
  readonly rules: readonly string[]
  /** Descriptions, with the bytes in hexadecimal. */
  readonly broken: readonly string[]
}

const known = new Map<FuzzedReader, readonly Uint8Array[]>()

/** Files of the corpus to start from. They are small, so that a case takes only a moment. */
export function knownFiles(reader: FuzzedReader): readonly Uint8Array[] {
  const files =
    known.get(reader) ??
    corpus(reader)
      .map(({ file }) => corpusBytes(reader, file))
      .filter((bytes) => bytes.length < 20_000)
  known.set(reader, files)
  return files
}

async function run({ reader, from, count }: FuzzErrand): Promise<FuzzAnswer> {
  const totals = noFuzz()
  const broken: string[] = []
  const cpuMs = (): number => process.cpuUsage().user / 1000
  for (let seed = from; seed < from + count; seed++) {
    try {
      await fuzzOnce(reader, seed, totals, cpuMs, knownFiles(reader))
    } catch (error) {
      if (!(error instanceof FuzzFailure)) throw error
      broken.push(`${error.message}\n${Buffer.from(error.bytes).toString('hex')}`)
    }
  }
  return { ...totals, rules: [...totals.rules.keys()], broken }
}

// `npm run maintain -- fuzz` starts this file as a thread on each core.
parentPort?.on('message', (errand: FuzzErrand) => void run(errand).then((answer) => parentPort?.postMessage(answer)))
