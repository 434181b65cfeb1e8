import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'
import type { Patch } from './variant.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * Bundles a module with a patched version of the code.
 *
 * @param folder Receives the bundle.
 * @param name Name of the file, without its ending.
 * @param entry The bundled module, from the root of the repository.
 * @default the explorations
 * @returns Path of a module that Node runs.
 * @throws Error if a patch does not fit. Then the code has changed, and the variant must follow it.
 */
export async function bundleVariant(
  patches: readonly Patch[],
  folder: string,
  name: string,
  entry = 'test/sim/variants/run.ts',
): Promise<string> {
  const patched = patchFiles(patches)
  await build({
    configFile: false,
    envFile: false,
    logLevel: 'error',
    root,
    plugins: [serve(patched)],
    resolve: { alias: { aws4fetch: join(root, 'test/sim/team/unsigned.ts') } },
    build: {
      ssr: join(root, entry),
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
    ssr: { noExternal: true },
  })
  return join(folder, `${name}.mjs`)
}

/**
 * Patched files by their absolute path.
 *
 * @throws Error if the text of a patch does not occur exactly once.
 */
export function patchFiles(patches: readonly Patch[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const { file, find, replace } of patches) {
    const path = join(root, file)
    const text = files.get(path) ?? readFileSync(path, 'utf8')
    const found = text.split(find).length - 1
    if (found !== 1) throw new Error(`Expected this text exactly once in ${file}, found it ${found} times:\n${find}`)
    files.set(
      path,
      text.replace(find, () => replace),
    )
  }
  return files
}

function serve(files: ReadonlyMap<string, string>): Plugin {
  return { name: 'wrong-variant', enforce: 'pre', load: (id) => files.get(id) }
}
