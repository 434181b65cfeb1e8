import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { repository } from '../e2e/game.ts'
import { cliBin } from '../project.ts'

/** A CLI to be started hundreds of times. */
export interface QuickCli {
  /** Its first file. */
  readonly bin: string
  remove(): Promise<void>
}

/**
 * The built CLI with everything that it imports in a few files: the same code in half the time, since most of a short life is looking for modules. Long runs take the
 * CLI as it is published.
 */
export async function packCli(): Promise<QuickCli> {
  if (process.env.SPRITEWRIGHT_LONG !== undefined) return { bin: cliBin, remove: async () => {} }
  // Within the repository: the CLI asks for its own package by name.
  const results = join(repository, 'test-results')
  await mkdir(results, { recursive: true })
  const folder = await mkdtemp(join(results, 'cli-'))
  await build({
    configFile: false,
    logLevel: 'error',
    root: repository,
    ssr: { noExternal: true, external: ['sharp', 'vite'] },
    build: { ssr: cliBin, outDir: folder, emptyOutDir: true, target: 'node20', minify: false },
  })
  return { bin: join(folder, 'bin.js'), remove: () => rm(folder, { recursive: true, force: true }) }
}
