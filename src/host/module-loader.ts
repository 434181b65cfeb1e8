import { pathToFileURL } from 'node:url'

/** Runs a module of the user's project (TypeScript or JavaScript) and gives its default export, freshly at every call; handed in. */
export type ModuleLoader = (path: string) => Promise<unknown>

/** Modules of this machine, by jiti, which is loaded only when it is needed. Nothing is cached on disk. */
export function nodeModuleLoader(): ModuleLoader {
  return async (path) => {
    const { createJiti } = await import('jiti')
    const jiti = createJiti(pathToFileURL(path).href, { moduleCache: false, fsCache: false, interopDefault: true })
    return await jiti.import(path, { default: true })
  }
}
