// A runner of the tests as one file of plain JavaScript. Loading the sources one by one would take longer
// than much of its work.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Bundles a runner.
 *
 * @param entry From the root of the project.
 * @returns The bundled file, in `folder`.
 */
export async function bundleRunner(entry, folder) {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { ssr: join(root, entry), outDir: folder, minify: false, rollupOptions: { output: { entryFileNames: 'runner.mjs' } } },
  })
  return join(folder, 'runner.mjs')
}
