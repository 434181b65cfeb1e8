import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import { startHere } from '../kit/program.ts'
import { type CliRun, createProject, heroSpec, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type PostWatch, watchPosts } from './posts.ts'

/** A project with two animations of one picture, and the service that sells them. */
export interface Desk {
  readonly service: EmbeddedService
  readonly project: TestProject
  readonly posts: PostWatch
  /** The environment of a CLI: the service, the key, and a state folder in the project. */
  readonly env: Readonly<Record<string, string>> & { readonly XDG_STATE_HOME: string; readonly TMPDIR: string }
  /** Runs the CLI's program in this process, on the real disk and network. */
  run(...argv: string[]): Promise<CliRun>
  close(): Promise<void>
}

/** Names of temporary files. A killed process leaves such files in the folders that it wrote to. */
const temporary = /\.tmp$/

/** The folders of a desk. */
export interface DeskPlace {
  /**
   * An existing project.
   *
   * @default a new one
   */
  readonly project?: TestProject
  /**
   * The folder in which the project is made.
   *
   * @default the folder for temporary files; the tests keep it in memory if the system can
   */
  readonly inside?: string
  /**
   * The user's state folder (`XDG_STATE_HOME`).
   *
   * @default one in the project
   */
  readonly state?: string
  /**
   * The folder for temporary files (`TMPDIR`).
   *
   * @default the system's
   */
  readonly temp?: string
}

/** Opens a desk on which nothing is approved yet. */
export async function openDesk(
  options: EmbeddedOptions = {},
  files: Readonly<Record<string, string>> = {},
  place: DeskPlace = {},
): Promise<Desk> {
  const two = { 'sprites/hero.sprite.json': heroSpec(['walk', 'idle']), ...files }
  const project = place.project ?? (await createProject(two, place.inside))
  const state = place.state ?? join(project.root, '.state')
  const posts = watchPosts(join(project.root, '.spritewright'))
  const service = await startEmbeddedService({
    jobMs: 0,
    makers: quickMakers(),
    ...options,
    before: async (request) => {
      posts.see(request)
      return options.before?.(request)
    },
  })
  const env = { ...serviceEnv(service), XDG_STATE_HOME: state, TMPDIR: place.temp ?? tmpdir() }
  return {
    service,
    project,
    posts,
    env,
    run: (...argv) => startHere(project, argv, env).ended,
    close: async () => {
      await service.close()
      await project.remove()
    },
  }
}

/** Plays on a desk, and removes it afterwards. */
export async function onDesk<T>(opening: Promise<Desk>, play: (desk: Desk) => Promise<T>): Promise<T> {
  const desk = await opening
  try {
    return await play(desk)
  } finally {
    await desk.close()
  }
}

/** The files in the project at the end. */
export interface ProjectRecords {
  /** SHA-256 of the results in the vault. */
  readonly results: readonly string[]
  /** Temporary files that dead processes left. */
  readonly leftovers: readonly string[]
}

/**
 * Checks everything that must be true once the runs of a desk have ended well. There are as many charges as
 * requests and no holds. Every result is in the vault and the lock file, and the ledger has one movement for
 * each. A further build makes no request.
 *
 * @param wanted How many requests were approved.
 */
export async function expectAllBought(desk: Desk, wanted: number, context: string): Promise<ProjectRecords> {
  const { service, project, posts } = desk
  const charges = service.charges()
  expect(charges.length, `${context}: charges`).toBe(wanted)
  expect(new Set(charges.map(({ bodySha256 }) => bodySha256)).size, `${context}: requests paid for`).toBe(wanted)
  expect(service.holds(), `${context}: holds`).toEqual([])
  expect(service.mistakes(), `${context}: mistakes of the service`).toEqual([])
  expect(posts.wrongs(), context).toEqual([])
  const records = await readRecords(project.root)
  const lock = parseLockFile(await readFile(join(project.root, 'sprites.lock.json'), 'utf8'), 'sprites.lock.json')
  const entries = Object.values(lock.animations).flatMap((requests) => Object.values(requests))
  expect(entries.map(({ result }) => result?.sha256).sort(), `${context}: results in the lock file`).toEqual(records.results)
  expect(records.results.length, `${context}: results`).toBe(wanted)
  const moves = (await readFile(join(project.root, '.spritewright', 'ledger.jsonl'), 'utf8')).split('\n').flatMap(readMove)
  for (const type of ['held', 'settled'])
    expect(new Set(moves.filter((move) => move.type === type).map(({ hash }) => hash)).size, `${context}: ${type} in the ledger`).toBe(
      wanted,
    )
  const asked = service.requests().length
  expect(await desk.run('build', '--buy-only'), `${context}: one more build`).toMatchObject({ code: 0 })
  expect(service.requests().slice(asked), `${context}: requests of one more build`).toEqual([])
  return records
}

/** A torn line counts as not written. */
function readMove(line: string): { readonly type?: string; readonly hash?: string }[] {
  try {
    return [JSON.parse(line) as { type?: string; hash?: string }]
  } catch {
    return []
  }
}

/** Reads the vault, compares each result with its name, and searches for files that dead processes left. */
export async function readRecords(root: string): Promise<ProjectRecords> {
  const vault = join(root, '.spritewright', 'results')
  const names = await readdir(vault).catch(() => [])
  const results = names.filter((name) => !temporary.test(name))
  for (const name of results) {
    const digest = createHash('sha256')
      .update(await readFile(join(vault, name)))
      .digest('hex')
    expect(name.replace(/\.\w+$/, ''), 'a result of the vault is what its name says').toBe(digest)
  }
  const own = ['.spritewright', '.state'].map((folder) => readdir(join(root, folder), { recursive: true }).catch(() => []))
  const all = [...(await readdir(root)), ...(await Promise.all(own)).flat()]
  return { results: results.map((name) => name.replace(/\.\w+$/, '')).sort(), leftovers: all.filter((name) => temporary.test(name)) }
}
