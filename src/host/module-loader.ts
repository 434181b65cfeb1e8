import { fileURLToPath, pathToFileURL } from 'node:url'

/** Runs a module of the user's project (TypeScript or JavaScript) and gives its default export, freshly at every call; handed in. */
export type ModuleLoader = (path: string) => Promise<unknown>

/**
 * Modules of this machine, by jiti, which is loaded only when it is needed. Nothing is cached on disk. A project that has not installed the package (`npx spritewright`) may import it all the same: it gets
 * the one that runs.
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
      return run({ spritewright: fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../index.ts' : '../index.js', import.meta.url)) })
    }
  }
}
