import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import type { EmbeddedService } from '../../src/embedded/service.ts'

/** The CLI as it is published; `npm test` builds it first. */
export const cliBin: string = join(dirname(fileURLToPath(import.meta.url)), '../..', 'dist/src/cli/bin.js')

/**
 * A small figure on a clear ground, 64 × 64 pixels.
 *
 * @param hue Makes figures differ, 0 to 65535.
 */
export function figurePng(hue = 0): Uint8Array {
  const picture = createBitmap(64, 64)
  const paint = (left: number, top: number, right: number, bottom: number, colour: readonly number[]): void => {
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) picture.data.set([...colour, 255], (y * 64 + x) * 4)
  }
  paint(24, 8, 40, 24, [220, 180, 140 + hue])
  paint(20, 24, 44, 44, [60 + hue, 90 + (hue >> 8), 200])
  paint(22, 44, 30, 60, [50, 40, 60])
  paint(34, 44, 42, 60, [50, 40, 60])
  return encodePng(picture)
}

/** A project in a folder of its own. */
export interface TestProject {
  readonly root: string
  /** Writes a file and makes its folder. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Removes a file, or the whole project. */
  remove(path?: string): Promise<void>
}

/**
 * Creates a project. Unless other files are given, it has one spec `hero` with one animation of seven frames.
 *
 * @param inside Folder in which the project is made.
 */
export async function createProject(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  inside: string = tmpdir(),
): Promise<TestProject> {
  const project = openProject(await mkdtemp(join(inside, 'spritewright-test-')))
  await project.write('package.json', '{"name":"game","private":true,"type":"module"}')
  await project.write('sprites/hero.png', figurePng())
  await project.write('sprites/hero.sprite.json', heroSpec())
  for (const [path, content] of Object.entries(files)) await project.write(path, content)
  return project
}

/** A project that is in a folder already. */
export function openProject(root: string): TestProject {
  return {
    root,
    write: async (path, content) => {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    },
    remove: (path = '.') => rm(join(root, path), { recursive: true, force: true }),
  }
}

/** The text of a spec with the given animations, seven frames each. */
export function heroSpec(animations: readonly string[] = ['walk'], reference = './hero.png'): string {
  return JSON.stringify({
    reference,
    prompt: 'a small figure',
    animations: Object.fromEntries(animations.map((name) => [name, { frames: 7 }])),
  })
}

/** The outcome of a process of the CLI. */
export interface CliRun {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** A running CLI. */
export interface CliProcess {
  readonly child: ChildProcess
  readonly ended: Promise<CliRun>
}

/**
 * Starts the real CLI in a project. Its environment has only the given variables and those that a process
 * needs.
 *
 * @param output File descriptor that replaces a piped stdout.
 */
export function startCli(
  project: TestProject,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  output: number | 'pipe' = 'pipe',
): CliProcess {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [cliBin, ...args], {
    cwd: project.root,
    env: { PATH, HOME, XDG_STATE_HOME: join(project.root, '.state'), ...env },
    stdio: ['ignore', output, 'pipe'],
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (part: Buffer) => out.push(part))
  child.stderr?.on('data', (part: Buffer) => err.push(part))
  const ended = new Promise<CliRun>((resolve) => {
    child.on('close', (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    )
  })
  return { child, ended }
}

/** Runs the real CLI to its end. */
export function runCli(project: TestProject, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliRun> {
  return startCli(project, args, env).ended
}

/** The environment that points a CLI at an embedded service. */
export function serviceEnv(service: EmbeddedService): Record<string, string> {
  return { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: service.key }
}
