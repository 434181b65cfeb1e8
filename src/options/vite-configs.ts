import { join } from 'node:path'
import type { Disk } from '../host/disk.ts'

/** A configuration of Vite. */
export interface ViteConfig {
  /** Path relative to the root, with forward slashes. */
  readonly path: string
  readonly hasPlugin: boolean
}

/** Paths of Vite's configurations, including those of Phaser's templates. */
const viteConfigPaths: readonly string[] = ['js', 'mjs', 'ts', 'cjs', 'mts', 'cts'].flatMap((ending) => [
  `vite.config.${ending}`,
  ...['dev', 'prod'].map((mode) => `vite/config.${mode}.${ending}`),
])

/** Finds a project's configurations of Vite. Their code is not run: a file that names the plugin's module has it. */
export async function findViteConfigs(disk: Pick<Disk, 'read' | 'stat'>, root: string): Promise<readonly ViteConfig[]> {
  const found: ViteConfig[] = []
  for (const path of viteConfigPaths)
    if (await disk.stat(join(root, path))) {
      const text = new TextDecoder().decode(await disk.read(join(root, path)))
      found.push({ path, hasPlugin: namesPlugin(text) })
    }
  return found
}

/** Whether a project's atlases are made by the Vite plugin. */
export async function hasVitePlugin(disk: Pick<Disk, 'read' | 'stat'>, root: string): Promise<boolean> {
  return (await findViteConfigs(disk, root)).some(({ hasPlugin }) => hasPlugin)
}

/** Whether the text of a configuration names the plugin's module. */
export function namesPlugin(text: string): boolean {
  return text.includes('spritewright/vite')
}
