import { mkdir, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A change of one source file, made while it is bundled. */
export interface SourceEdit {
  /** Path from the root of the project. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** A simulator as one file of plain JavaScript. */
export interface Bundle {
  readonly file: string
  remove(): Promise<void>
}

/**
 * Bundles a simulator with the real sources, because one file loads and runs faster than many.
 *
 * @param entry File of this folder.
 * @param edits Changes of the sources.
 * @throws Error if an edit does not fit exactly once.
 */
export async function bundle(entry: string, name: string, edits: readonly SourceEdit[] = []): Promise<Bundle> {
  const folder = join(root, 'test-results', `${name}-${process.pid}`)
  await mkdir(folder, { recursive: true })
  const editing = editSources(edits)
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [editing.plugin],
    resolve: { alias: { aws4fetch: join(root, 'test/sim/team/unsigned.ts') } },
    build: {
      ssr: join(root, 'test/sim', entry),
      outDir: folder,
      minify: false,
      rollupOptions: { output: { entryFileNames: 'simulator.mjs' } },
    },
    // Bundles all packages, so that the one file needs nothing else.
    ssr: { noExternal: true },
  })
  editing.check()
  return { file: join(folder, 'simulator.mjs'), remove: () => rm(folder, { recursive: true, force: true }) }
}

function editSources(edits: readonly SourceEdit[]): { readonly plugin: Plugin; check(): void } {
  const left = new Set(edits)
  return {
    plugin: {
      name: 'edit-sources',
      enforce: 'pre',
      transform: (code, id) => {
        const file = relative(root, id).split(sep).join('/')
        const own = edits.filter((edit) => edit.file === file)
        if (own.length === 0) return undefined
        return own.reduce((text, edit) => {
          left.delete(edit)
          return editOnce(text, edit)
        }, code)
      },
    },
    check: () => {
      for (const { file } of left) throw new Error(`${file} is no part of the bundle, so it could not be changed.`)
    },
  }
}

function editOnce(text: string, { file, find, replace }: SourceEdit): string {
  const count = text.split(find).length - 1
  if (count !== 1)
    throw new Error(
      `Expected ${JSON.stringify(find)} once in ${file}, found it ${count} times. Change the variant as the source was changed.`,
    )
  return text.replace(find, () => replace)
}
