import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Runs a module of the user's project (TypeScript or JavaScript), freshly at every call, and returns its
 * default export. Passed in.
 */
export type ModuleLoader = (path: string) => Promise<unknown>

/**
 * Loads modules with jiti, which is loaded only when it is needed. Nothing is cached on disk. A project that
 * has not installed the package (`npx spritewright`) can import it all the same, and gets the running copy.
 */
export function nodeModuleLoader(): ModuleLoader {
  return async (path) => {
    const { createJiti } = await import('jiti')
    const run = (alias: Record<string, string>): Promise<unknown> => {
      const jiti = createJiti(pathToFileURL(path).href, { moduleCache: false, fsCache: false, interopDefault: true, alias })
      return jiti.import(path, { default: true })
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
