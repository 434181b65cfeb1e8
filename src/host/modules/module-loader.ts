import { readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Runs a module of the user's project (TypeScript or JavaScript), freshly at every call, and returns its
 * default export. Passed in.
 */
export type ModuleLoader = (path: string) => Promise<unknown>

/** Paths that this process has run. Node never runs a JavaScript module of the same path again. */
const known = new Set<string>()

/**
 * Loads modules with jiti, which is loaded only when it is needed. Nothing is cached on disk. A project that
 * has not installed the package (`npx spritewright`) can import it all the same, and gets the running copy.
 *
 * jiti leaves JavaScript to Node, which is fast and keeps the module. So from the second time on, jiti itself
 * runs the text of the file. Modules that it imports stay as they are.
 */
export function nodeModuleLoader(): ModuleLoader {
  return async (path) => {
    const { createJiti } = await import('jiti')
    const isKnown = known.has(path)
    known.add(path)
    const run = async (alias: Record<string, string>): Promise<unknown> => {
      const jiti = createJiti(pathToFileURL(path).href, { moduleCache: false, fsCache: false, interopDefault: true, alias })
      if (!isKnown) return jiti.import(path, { default: true })
      const text = await readFile(path, 'utf8')
      const module = await jiti.evalModule(text, { id: path, filename: path, async: true, forceTranspile: true })
      return (module as { readonly default?: unknown }).default
    }
    try {
      return await run({})
    } catch (error) {
      if (!/Cannot find (module|package) 'spritewright'/.test((error as Error).message)) throw error
      return run({
        spritewright: fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../index.ts' : '../index.js', import.meta.url)),
      })
    }
  }
}
