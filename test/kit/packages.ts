import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Whether packages are installed. A project installs `bullmq` and the client of its server only if it has a
 * worker.
 */
export function hasPackages(...names: readonly string[]): boolean {
  return names.every((name) => {
    try {
      require.resolve(name)
      return true
    } catch {
      return false
    }
  })
}

/** URL of a package's module. */
export function moduleOf(name: string): string {
  return `file://${require.resolve(name)}`
}
