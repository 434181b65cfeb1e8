import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { type CommandRun, toWarmRun } from '../../src/cli/warm-run.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { warmFiles } from '../../src/host/warm-files.ts'
import { stampFile, warmOutcome } from '../../src/warm/stamp.ts'
import { digestFolder } from '../e2e/vite-process.ts'
import { isLong } from '../long.ts'
import { type CliRun, cliBin, createProject, figurePng, heroSpec, runCli, serviceEnv, type TestProject } from '../project.ts'
import { rememberedMakers } from '../remembered-makers.ts'

const here = dirname(fileURLToPath(import.meta.url))
const files = warmFiles()
const config = "import { defineConfig } from 'spritewright'\nexport default defineConfig({ engine: 'phaser' })\n"
const plainFiles = {
  'spritewright.config.ts': config,
  '.env': 'GAME_TITLE=hero\n',
  'sprites/monster.png': figurePng(300),
  'sprites/monster.sprite.json': heroSpec(['idle'], './monster.png'),
}

let service: EmbeddedService
let project: TestProject
let env: Record<string, string>

beforeAll(async () => {
  service = await startEmbeddedService({ jobMs: 0, makers: rememberedMakers })
  project = await createProject(plainFiles)
  env = serviceEnv(service)
  expect(await runCli(project, ['approve', '--yes'], env)).toMatchObject({ code: 0 })
  const built = await runCli(project, ['build', '--json'], env)
  expect(built).toMatchObject({ code: 0 })
  const { sprites } = JSON.parse(built.stdout) as { sprites: { name: string; width: number; height: number }[] }
  const { width, height } = sprites.find(({ name }) => name === 'monster') ?? { width: 0, height: 0 }
  await project.write('sprites/monster.frames/idle/0003.png', encodePng(createBitmap(width, height)))
})

afterAll(async () => {
  await service?.close()
  await project?.remove()
})

const at = (path: string): string => join(project.root, path)

/** What the command line's first lines know of a run in the project. */
function runOf(argv: readonly string[] = ['build'], more: Readonly<Record<string, string>> = {}): CommandRun {
  const { PATH = '', HOME = '' } = process.env
  return {
    argv,
    workingFolder: project.root,
    env: { PATH, HOME, XDG_STATE_HOME: join(project.root, '.state'), ...env, ...more },
    program: [
      process.version,
      process.platform,
      process.arch,
      '',
      files.digest(join(here, '../../package.json')),
      files.shape(cliBin),
      '',
      '',
    ],
  }
}

/** What a run would print without doing anything; undefined where it would go the ordinary way. */
function warm(run: CommandRun = runOf(), later = 0): string | undefined {
  const stamp = stampOf(run)
  return stamp === undefined ? undefined : warmOutcome(files, stamp, Date.now() + later)
}

function stampOf(run: CommandRun): string | undefined {
  const asked = toWarmRun(run)
  return asked && stampFile(files, asked)
}

/** Builds the ordinary way, so that a stamp is left where one may be. */
async function buildInFull(): Promise<CliRun> {
  removeStamps()
  return runCli(project, ['build'], env)
}

function removeStamps(): void {
  for (const path of stamps()) rmSync(path)
}

function stamps(): string[] {
  const folder = at('node_modules/.cache/spritewright')
  return existsSync(folder) ? readdirSync(folder).flatMap((name) => (name.endsWith('.stamp') ? [join(folder, name)] : [])) : []
}

function firstIn(folder: string, ending = ''): string {
  const name = readdirSync(at(folder), { recursive: true, encoding: 'utf8' })
    .sort()
    .find((path) => path.endsWith(ending) && statSync(at(join(folder, path))).isFile())
  return join(folder, name ?? 'nothing')
}

/** The last record of a request: of a copy of the journal, it is the one that is looked at, and stands for all before it. */
function lastRecordIn(folder: string): string {
  const names = readdirSync(at(folder), { recursive: true, encoding: 'utf8' }).filter((path) => /[0-9a-f]{64}.\d+\.json$/.test(path))
  return join(folder, names.sort().at(-1) ?? 'nothing')
}

/** Another byte in the same place, with the old times put back. */
function changeQuietly(path: string): void {
  const { atime, mtime } = statSync(at(path))
  const bytes = readFileSync(at(path))
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  writeFileSync(at(path), bytes)
  utimesSync(at(path), atime, mtime)
}

describe('a build where nothing has changed', () => {
  test('prints what the ordinary one prints, and loads no more than the first file', async () => {
    const all = [['build'], ['build', 'hero', '--out', 'other'], ['build', '--json'], ['build', '--frozen'], ['build', '--buy-only']]
    for (const args of isLong ? all : all.slice(0, 2)) {
      removeStamps()
      const log = at('.modules')
      const probed = (): CliRun & { modules: string } => {
        rmSync(log, { force: true })
        const { PATH = '', HOME = '' } = process.env
        const { status, stdout, stderr } = spawnSync(
          process.execPath,
          ['--import', pathToFileURL(join(here, 'tell-modules.mjs')).href, cliBin, ...args],
          {
            cwd: project.root,
            env: { PATH, HOME, XDG_STATE_HOME: at('.state'), TELL_MODULES: log, ...env },
            encoding: 'utf8',
          },
        )
        return { code: status, signal: null, stdout, stderr, modules: readFileSync(log, 'utf8') }
      }
      const ordinary = probed()
      expect(ordinary, ordinary.stderr).toMatchObject({ code: 0, stderr: '' })
      // All the rest is compiled, which is kept.
      const compiled = at('.state/spritewright/compiled')
      expect(readdirSync(compiled)).not.toEqual([])
      rmSync(compiled, { recursive: true })
      const { modules, ...again } = probed()
      expect(again).toEqual({ code: 0, signal: null, stdout: ordinary.stdout, stderr: '' })
      expect(modules).not.toMatch(/sharp|undici|zod|yaml|jiti|cac|tinyglobby/)
      expect(
        modules
          .trim()
          .split('\n')
          .map((url) => fileURLToPath(url)),
      ).toEqual([cliBin])
      expect(existsSync(compiled)).toBe(false)
    }
  })

  test('touches nothing: no file of the project is written, the journal least of all, and the service is not asked', async () => {
    expect(await buildInFull()).toMatchObject({ code: 0 })
    const before = await digestFolder(project.root)
    const asked = service.requests().length
    expect(await runCli(project, ['build'], env)).toMatchObject({ code: 0 })
    expect(await digestFolder(project.root)).toEqual(before)
    expect(service.requests()).toHaveLength(asked)
  })

  test('neither the stamp nor its name knows the API key', async () => {
    await buildInFull()
    const texts = stamps().map((path) => readFileSync(path, 'utf8'))
    expect(texts).toHaveLength(1)
    expect(texts.join()).not.toContain(env.SPRITEWRIGHT_API_KEY)
    const other = stampOf(runOf(['build'], { SPRITEWRIGHT_API_KEY: 'sk_test_another' }))
    expect(other).toBe(stamps()[0])
  })
})

describe('the ordinary way is gone where one thing differs:', () => {
  // Each change is made to a project that would have been answered; what it changed is put back by the second function.
  const saved = new Map<string, Buffer>()
  const save = (path: string): Buffer => {
    const bytes = readFileSync(at(path))
    saved.set(path, bytes)
    return bytes
  }
  const restore = (): void => {
    for (const [path, bytes] of saved) {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), bytes)
    }
    saved.clear()
  }
  const edits = (path: () => string) => (): void => {
    save(path())
    appendFileSync(at(path()), ' ')
  }
  const quietly = (path: () => string) => (): void => {
    save(path())
    changeQuietly(path())
  }
  const removes = (path: () => string) => (): void => {
    save(path())
    rmSync(at(path()))
  }
  const adds =
    (path: string, text = '') =>
    (): (() => void) => {
      const isNew = !existsSync(dirname(at(path)))
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
      return () => rmSync(isNew ? dirname(at(path)) : at(path), { recursive: true })
    }
  const result = (): string => firstIn('.spritewright/results', '.zip')
  const record = (): string => lastRecordIn('.spritewright/submissions')
  const copy = (): string => lastRecordIn('.state/spritewright/journals')
  const page = (): string => firstIn('public/sprites', '.png')

  const changes: readonly (readonly [string, () => unknown])[] = [
    ['a spec is edited', edits(() => 'sprites/hero.sprite.json')],
    ['a spec has another byte and its old times', quietly(() => 'sprites/hero.sprite.json')],
    ['a spec is added', adds('sprites/third.sprite.json', heroSpec())],
    ['a spec is added in a new folder', adds('more/deep.sprite.yaml', 'prompt: x')],
    ['a spec that is no JSON is added', adds('sprites/third.sprite.yml')],
    ['a spec is removed', removes(() => 'sprites/monster.sprite.json')],
    [
      'a spec is renamed',
      () => {
        renameSync(at('sprites/monster.sprite.json'), at('sprites/ghost.sprite.json'))
        return () => renameSync(at('sprites/ghost.sprite.json'), at('sprites/monster.sprite.json'))
      },
    ],
    ['a frame is touched up by hand', adds('sprites/hero.frames/walk/0003.png')],
    ['a touched-up frame has another byte', quietly(() => 'sprites/monster.frames/idle/0003.png')],
    ['one more frame is touched up', adds('sprites/monster.frames/idle/0004.png')],
    ['touched-up frames are gone', removes(() => 'sprites/monster.frames/idle/0003.png')],
    ['a reference picture has another byte', quietly(() => 'sprites/hero.png')],
    ['a reference picture is gone', removes(() => 'sprites/hero.png')],
    ['package.json is edited', edits(() => 'package.json')],
    ['package.json is gone', removes(() => 'package.json')],
    ['the configuration is edited', edits(() => 'spritewright.config.ts')],
    ['the configuration is gone', removes(() => 'spritewright.config.ts')],
    ['a second configuration is there', adds('spritewright.config.json', '{}')],
    ['the lock file is edited', edits(() => 'sprites.lock.json')],
    ['the lock file is gone', removes(() => 'sprites.lock.json')],
    ['.env is edited', quietly(() => '.env')],
    ['.env is gone', removes(() => '.env')],
    ['.env.local is there', adds('.env.local', 'SPRITEWRIGHT_API_KEY=x')],
    ['.env.development is there', adds('.env.development')],
    ['a result is gone', removes(result)],
    [
      'a result is cut short',
      () => {
        save(result())
        truncateSync(at(result()), 100)
      },
    ],
    ['a record of the journal is gone', removes(record)],
    ['a record of the journal has another byte', quietly(record)],
    [
      'the journal has one more record',
      () => {
        const next = join(dirname(record()), '0099.json')
        return adds(next, '{}')()
      },
    ],
    ['the journal has one more request', adds(`.spritewright/submissions/${'a'.repeat(64)}/0001.json`, '{}')],
    ["a record of the journal's copy is gone", removes(copy)],
    ["a record of the journal's copy has another byte", quietly(copy)],
    ['a page is gone', removes(page)],
    ['a page has another byte and its old times', quietly(page)],
    ['data of the engine are edited', edits(() => 'public/sprites/pack.json')],
    ['typings are gone', removes(() => 'public/sprites/sprites.d.ts')],
    [
      'all outputs are gone',
      () => {
        for (const name of readdirSync(at('public/sprites'))) save(join('public/sprites', name))
        rmSync(at('public'), { recursive: true })
      },
    ],
  ]

  // Each costs a build of its own; all of them in the long run.
  test.each(changes.filter((_, at) => isLong || at % 2 === 0))('%s', async (_, change) => {
    if (warm() === undefined) await buildInFull()
    expect(warm()).toBeDefined()
    const undo = change() as (() => void) | undefined
    expect(warm()).toBeUndefined()
    undo?.()
    restore()
  })

  const runs: readonly (readonly [string, () => CommandRun, number])[] = [
    ['an argument', () => runOf(['build', '--quiet']), 0],
    ['a value of an argument', () => runOf(['build', '--out', 'elsewhere']), 0],
    ['a name', () => runOf(['build', 'hero']), 0],
    ['another command', () => runOf(['status']), 0],
    ['the folder that it is started in', () => ({ ...runOf(['build', '--root', project.root]), workingFolder: at('sprites') }), 0],
    ['CI', () => runOf(['build'], { CI: '1' }), 0],
    ['NO_COLOR', () => runOf(['build'], { NO_COLOR: '1' }), 0],
    ['the address of the service', () => runOf(['build'], { SPRITEWRIGHT_BASE_URL: 'http://127.0.0.1:9' }), 0],
    ['the buyer', () => runOf(['build'], { SPRITEWRIGHT_BUYER: 'ci' }), 0],
    ['no API key', () => runOf(['build'], { SPRITEWRIGHT_API_KEY: '' }), 0],
    ['an API key that is none', () => runOf(['build'], { SPRITEWRIGHT_API_KEY: 'two words' }), 0],
    ['the API key under a name that browsers see', () => runOf(['build'], { VITE_API: `x${env.SPRITEWRIGHT_API_KEY}` }), 0],
    ['a name that browsers see and that says that it is a key', () => runOf(['build'], { VITE_SPRITEWRIGHT_KEY: 'x' }), 0],
    ['the state folder', () => runOf(['build'], { XDG_STATE_HOME: at('.other') }), 0],
    ['the home', () => runOf(['build'], { HOME: at('.home') }), 0],
    ['options of Node', () => runOf(['build'], { NODE_OPTIONS: '--enable-source-maps' }), 0],
    ['a version of Node', () => ({ ...runOf(), program: ['v99.0.0', ...runOf().program.slice(1)] }), 0],
    ['another spritewright', () => ({ ...runOf(), program: runOf().program.with(4, 'another') }), 0],
    ['a terminal', () => ({ ...runOf(), program: runOf().program.with(6, 'stdout') }), 0],
    ['a program of which nothing is known', () => ({ ...runOf(), program: runOf().program.with(4, undefined) }), 0],
    ['a clock that went back', runOf, -60 * 60 * 1000],
    ['a day later', runOf, 25 * 60 * 60 * 1000],
  ]

  test.each(runs)('%s', async (_, run, later) => {
    if (warm() === undefined) await buildInFull()
    expect(warm()).toBeDefined()
    expect(warm(run(), later)).toBeUndefined()
  })

  test('a stamp with any byte changed is no stamp, and one that is cut short is none', async () => {
    if (warm() === undefined) await buildInFull()
    const stamp = stamps()[0] ?? ''
    const whole = readFileSync(stamp)
    for (let place = 0; place < whole.length; place += 97) {
      const torn = Buffer.from(whole)
      torn[place] = (torn[place] ?? 0) ^ 1
      writeFileSync(stamp, torn)
      expect(warm()).toBeUndefined()
      writeFileSync(stamp, whole.subarray(0, place))
      expect(warm()).toBeUndefined()
    }
    writeFileSync(stamp, whole)
    expect(warm()).toBeDefined()
  })

  test('stamps of days before go with the next one', async () => {
    await buildInFull()
    const old = join(at('node_modules/.cache/spritewright'), 'old.stamp')
    const page = join(at('node_modules/.cache/spritewright'), 'old.bin')
    for (const path of [old, page]) {
      writeFileSync(path, '')
      utimesSync(path, new Date(0), new Date(0))
    }
    expect(await runCli(project, ['build', '--quiet'], env)).toMatchObject({ code: 0 })
    expect(existsSync(old)).toBe(false)
    expect(existsSync(page)).toBe(true)
  })

  test('a file that is touched, and says what it said, is no difference', async () => {
    await buildInFull()
    for (const path of ['sprites/hero.sprite.json', 'sprites.lock.json', page()]) utimesSync(at(path), new Date(), new Date())
    expect(warm()).toBeDefined()
  })
})

describe('no stamp is left', () => {
  const other: TestProject[] = []
  afterAll(async () => {
    for (const one of other) await one.remove()
  })

  /** How many stamps a project has after builds that the ordinary way has gone. */
  async function stampsAfter(
    change: Readonly<Record<string, string>>,
    args = ['build'],
    more: Record<string, string> = {},
  ): Promise<number> {
    removeStamps()
    const before = Object.keys(change).map((path) => [path, existsSync(at(path)) ? readFileSync(at(path)) : undefined] as const)
    for (const [path, text] of Object.entries(change)) await project.write(path, text)
    await runCli(project, args, { ...env, ...more })
    for (const [path, bytes] of before) {
      if (bytes === undefined) await project.remove(path)
      else await project.write(path, bytes)
    }
    return stamps().length
  }

  test.each([
    ['imports a neighbour', "import more from './more.ts'\nexport default { engine: 'phaser', ...more }"],
    ['imports a module of Node', "import 'node:os'\nexport default { engine: 'phaser' }"],
    ['imports later', "export default { engine: 'phaser', ...(await import('./more.ts')).default }"],
    ['asks the environment', "export default { engine: process.env.ENGINE ?? 'phaser' }"],
    ['asks it by a detour', "export default { engine: globalThis['process'].env.ENGINE ?? 'phaser' }"],
    ['asks the clock', "export default { engine: Date.now() > 0 ? 'phaser' : 'pixi' }"],
    ['asks for chance', "export default { engine: Math.random() < 2 ? 'phaser' : 'pixi' }"],
    ['prints', "console.log('x')\nexport default { engine: 'phaser' }"],
  ])('where the configuration %s', async (_, text) => {
    expect(await stampsAfter({ 'spritewright.config.ts': text, 'more.ts': 'export default {}' })).toBe(0)
  })

  test('where a plain one leaves one: in JSON, with figures', async () => {
    expect(
      await stampsAfter({ 'spritewright.config.ts': "export default { engine: 'phaser', atlas: { maxSize: Math.min(2048, 4096) } }" }),
    ).toBe(1)
  })

  test('where variables rest on others, or might show the key', async () => {
    expect(await stampsAfter({ '.env': 'TITLE=$HOME\n' })).toBe(0)
    expect(await stampsAfter({ '.env': 'VITE_TITLE=x\n' })).toBe(0)
    expect(await stampsAfter({ '.env': 'TITLE=x\n' })).toBe(1)
  })

  test('where a build fails, or another command ran', async () => {
    expect(await stampsAfter({ 'sprites/hero.sprite.json': '{' })).toBe(0)
    expect(await stampsAfter({}, ['status'])).toBe(0)
    expect(await stampsAfter({}, ['build', '--nonsense'])).toBe(0)
  })

  test('where something was bought, or is still to be', async () => {
    const own = await createProject({
      'spritewright.config.json': '{"build":{"unbought":"placeholder"}}',
      'sprites/hero.png': figurePng(500),
    })
    other.push(own)
    const folder = join(own.root, 'node_modules/.cache/spritewright')
    const left = (): string[] => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.stamp')) : [])
    await runCli(own, ['build'], env)
    expect(left()).toEqual([])
    await runCli(own, ['approve', '--yes'], env)
    const bought = await runCli(own, ['build'], env)
    expect(bought, bought.stderr).toMatchObject({ code: 0 })
    expect(left()).toEqual([])
    expect(await runCli(own, ['build'], env)).toMatchObject({ code: 0 })
    expect(left()).toHaveLength(1)
  })
})
