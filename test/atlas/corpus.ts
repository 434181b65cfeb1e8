import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One file of a corpus and what a strict reader must do with it. */
export interface CorpusFile {
  readonly file: string
  readonly expect: 'accept' | 'reject' | 'either'
  readonly why: string
  readonly codes: readonly string[]
  readonly ihdr?: string
}

const root = process.env.SPRITEWRIGHT_CORPORA ?? join(dirname(fileURLToPath(import.meta.url)), '../../../shared/corpora')

/** The files of a corpus. If it is not on this machine, prints a sentence and returns none. */
export function corpus(kind: 'zip' | 'png'): readonly CorpusFile[] {
  const index = join(root, kind, 'index.json')
  if (!existsSync(index)) {
    console.log(`Skipped: no corpus of ${kind} files here; set SPRITEWRIGHT_CORPORA to the folder that holds it.`)
    return []
  }
  return (JSON.parse(readFileSync(index, 'utf8')) as { files: CorpusFile[] }).files
}

/** The names of the corpus of Aseprite files, pictures included. If it is not on this machine, prints a sentence and returns none. */
export function asepriteCorpus(): readonly string[] {
  const folder = join(root, 'aseprite')
  if (existsSync(folder)) return readdirSync(folder).sort()
  console.log('Skipped: no corpus of Aseprite files here; set SPRITEWRIGHT_CORPORA to the folder that holds it.')
  return []
}

/** The folder of a corpus. */
export function corpusFolder(kind: 'zip' | 'png'): string {
  return join(root, kind)
}

export function corpusBytes(kind: 'zip' | 'png' | 'aseprite', file: string): Uint8Array {
  return new Uint8Array(readFileSync(join(root, kind, file)))
}

/** The folder of the projects of other packers. If it is not on this machine, prints a sentence and returns none. */
export function packerCorpus(): string | undefined {
  const folder = join(root, 'packers')
  if (existsSync(folder)) return folder
  console.log('Skipped: no projects of other packers here; set SPRITEWRIGHT_CORPORA to the folder that holds them.')
  return undefined
}
