import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliRun } from '../kit/project.ts'
import { repository } from './game.ts'

/** The files that a game of one sprite needs for Vite, besides its sprite. Its small pages stay files. */
export const gameFiles: Readonly<Record<string, string>> = {
  'index.html': '<!doctype html><script type="module" src="/main.js"></script>',
  'main.js': `import hero from './sprites/hero.sprite.json'
import { sprites } from 'virtual:spritewright'
document.title = JSON.stringify([hero, sprites])`,
  'vite.config.js': `import spritewright from 'spritewright/vite'
export default { plugins: [spritewright()], build: { assetsInlineLimit: 0 } }`,
}

/** Runs `vite build` in a process of its own, with only the given environment and what a process needs. */
export function runViteBuild(root: string, env: Readonly<Record<string, string>> = {}): Promise<CliRun> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [join(repository, 'node_modules/vite/bin/vite.js'), 'build'], {
    cwd: root,
    env: { PATH, HOME, NO_COLOR: '1', XDG_STATE_HOME: join(root, '.state'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => void out.push(part))
  child.stderr.on('data', (part: Buffer) => void err.push(part))
  return new Promise((resolve) => {
    child.on('close', (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    )
  })
}

/** The SHA-256 of every file under a folder. Links are not followed. */
export async function digestFolder(folder: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const path of await filesOf(folder))
    digests[path] = createHash('sha256')
      .update(await readFile(join(folder, path)))
      .digest('hex')
  return digests
}

/** Paths of all files under a folder, relative to it, sorted. Links are not followed. */
export async function filesOf(folder: string): Promise<string[]> {
  const paths: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile()) paths.push(entry.name)
    if (entry.isDirectory()) paths.push(...(await filesOf(join(folder, entry.name))).map((path) => `${entry.name}/${path}`))
  }
  return paths.sort()
}
