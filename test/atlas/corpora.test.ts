import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { testWith } from '../kit/needs.ts'
import { corpus, corpusFolder } from './corpus.ts'

const here = dirname(fileURLToPath(import.meta.url))
const script = join(here, '../fixtures/atlas/read-corpus.mjs')
const atlas = join(here, '../../dist/atlas/index.js')

/** The cost of reading a whole corpus in a process of its own. */
interface Effort {
  readonly files: number
  readonly slowest: { readonly file: string; readonly cpuMs: number }
  /** Peak memory of the whole process: Node and all files together. */
  readonly peakMb: number
}

describe.each(['zip', 'png'] as const)('the corpus of %ss', (kind) => {
  const { length } = corpus(kind)

  testWith(length > 0, 'corpora')('has no file that takes 2 s of CPU, and all of them together take no 512 MB', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, atlas, kind, corpusFolder(kind)])
    const { files, slowest, peakMb } = JSON.parse(stdout) as Effort
    console.log(`${kind}: ${files} files, at most ${Math.round(slowest.cpuMs)} ms of CPU (${slowest.file}), peak ${Math.round(peakMb)} MB`)
    expect(files).toBe(length)
    expect(slowest.cpuMs).toBeLessThanOrEqual(2_000)
    expect(peakMb).toBeLessThanOrEqual(512)
  })
})
