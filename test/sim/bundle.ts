import { readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A change of a real file of `src/`, as text. */
export interface Patch {
  /** Path from the root of the repository. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** A module of the tests with the sources that it uses, as one file of plain JavaScript. */
export interface Bundle {
  readonly file: string
  remove(): Promise<void>
}

/**
 * Bundles a module with the real sources and all packages, because one file loads and runs faster than many.
 *
 * @param entry File of the folder `test/`.
 * @param name Folder of the bundle, in `test-results/`.
 * @param patches Changes of the sources.
 * @throws Error if a patch does not fit. Then the code has changed, and the patch must follow it.
 */
export async function bundle(entry: string, name: string, patches: readonly Patch[] = []): Promise<Bundle> {
  const folder = join(root, 'test-results', `${name}-${process.pid}`)
  const patched = patchFiles(patches)
  await mkdir(folder, { recursive: true })
  await build({
    root,
    configFile: false,
    envFile: false,
    logLevel: 'error',
    plugins: [serve(patched)],
    resolve: { alias: { aws4fetch: join(root, 'test/sim/team/unsigned.ts') } },
    build: {
      ssr: join(root, 'test', entry),
      target: 'node20',
      outDir: folder,
      copyPublicDir: false,
      minify: false,
      rollupOptions: { output: { entryFileNames: 'bundle.mjs' } },
    },
    ssr: { noExternal: true },
  })
  const unused = [...patched.keys()].find((path) => !patched.get(path)?.isUsed)
  if (unused) throw new Error(`${unused} is no part of ${entry}, so it could not be changed.`)
  return { file: join(folder, 'bundle.mjs'), remove: () => rm(folder, { recursive: true, force: true }) }
}

interface PatchedFile {
  readonly text: string
  isUsed: boolean
}

/**
 * Patched files by their absolute path.
 *
 * @throws Error if the text of a patch does not occur exactly once.
 */
export function patchFiles(patches: readonly Patch[]): ReadonlyMap<string, PatchedFile> {
  const files = new Map<string, PatchedFile>()
  for (const { file, find, replace } of patches) {
    const path = join(root, file)
    const text = files.get(path)?.text ?? readFileSync(path, 'utf8')
    const found = text.split(find).length - 1
    if (found !== 1)
      throw new Error(
        `Expected this text exactly once in ${file}, found it ${found} times:\n${find}\nIf the code only says the same in other words, correct the text of this patch (test/sim/variants or test/security/mutants.ts).`,
      )
    files.set(path, { text: text.replace(find, () => replace), isUsed: false })
  }
  return files
}

function serve(files: ReadonlyMap<string, PatchedFile>): Plugin {
  return {
    name: 'wrong-variant',
    enforce: 'pre',
    load: (id) => {
      const file = files.get(id)
      if (file) file.isUsed = true
      return file?.text
    },
  }
}
