import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasExtras, packageFolder } from '../kit/extras.ts'
import { describeWith } from '../kit/needs.ts'
import { cliBin, createProject, type TestProject } from '../kit/project.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const files = {
  'spritewright.config.json': JSON.stringify({ service: 'embedded', engine: 'pixi' }),
  'vite.config.mjs': `import spritewright from 'spritewright/vite'
export default { plugins: [spritewright()], build: { assetsInlineLimit: 0 } }`,
  'index.html': '<script type="module">import hero from "./sprites/hero.sprite.json"; console.log(hero)</script>\n',
}

/** A way to run this package and Vite in a project, other than Node with npm. */
interface Runtime {
  /** Makes the packages reachable. */
  install(project: TestProject): Promise<void>
  /** Command and arguments that run a program of a package. */
  command(program: 'spritewright' | 'vite', args: readonly string[]): readonly string[]
}

const bunProgram = join(packageFolder('bun'), 'bin/bun.exe')
const bun: Runtime = {
  install: async ({ root: at }) => {
    // npm may have left the script of the package out that puts the program in its place.
    await run(bunProgram, ['--version']).catch(() => run(process.execPath, ['install.js'], { cwd: packageFolder('bun') }))
    await mkdir(join(at, 'node_modules'))
    for (const [name, target] of [
      ['spritewright', root],
      ['vite', packageFolder('vite')],
      ['pixi.js', packageFolder('pixi.js')],
    ] as const)
      await symlink(target, join(at, 'node_modules', name), 'dir')
  },
  command: (program, args) => {
    const script = program === 'vite' ? join(packageFolder('vite'), 'bin/vite.js') : cliBin
    return [bunProgram, '--bun', script, ...args]
  },
}

async function versionOf(name: string): Promise<string> {
  return JSON.parse(await readFile(join(packageFolder(name), 'package.json'), 'utf8')).version
}

let packed: string
const yarn = join(packageFolder('@yarnpkg/cli-dist'), 'bin/yarn.js')
const pnp: Runtime = {
  install: async ({ root: at, write }) => {
    // What is installed here, too: a version of today may not be complete in the registry yet.
    const [pixi, vite, encoder] = await Promise.all(['pixi.js', 'vite', 'ktx2-encoder'].map(versionOf))
    const dependencies = { 'pixi.js': pixi, spritewright: `file:${packed}` }
    const devDependencies = { vite, 'ktx2-encoder': encoder }
    await write('package.json', JSON.stringify({ name: 'game', type: 'module', dependencies, devDependencies }))
    const registry = (await run('npm', ['config', 'get', 'registry'], { cwd: root })).stdout.trim()
    const rules = { nodeLinker: 'pnp', enableTelemetry: false, enableScripts: false, enableImmutableInstalls: false }
    await write('.yarnrc.yml', JSON.stringify({ ...rules, npmRegistryServer: registry, unsafeHttpWhitelist: ['*'] }))
    await run(process.execPath, [yarn, 'install'], { cwd: at }).catch((error: { stdout?: string }) => {
      throw new Error(`yarn install failed: ${error.stdout}`, { cause: error })
    })
  },
  command: (program, args) => [process.execPath, yarn, program, ...args],
}

describeWith(hasExtras, 'test/package.json')('other runtimes and installers', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'spritewright-pack-'))
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
    packed = join(folder, (await readdir(folder))[0] as string)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test("Yarn's PnP: a package that the project has installed is found", async () => {
    const config = JSON.stringify({ service: 'embedded', engine: 'pixi', atlas: { format: ['ktx2', 'png'] } })
    const project = await createProject({ ...files, 'spritewright.config.json': config })
    onTestFinished(() => project.remove())
    await pnp.install(project)
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, XDG_STATE_HOME: join(project.root, '.state') }
    for (const args of [
      ['approve', '--yes'],
      ['build', '--out', 'out'],
    ]) {
      const [file, ...rest] = pnp.command('spritewright', args)
      await run(file as string, rest, { cwd: project.root, env })
    }
    expect((await readdir(join(project.root, 'out'))).filter((name) => name.endsWith('.ktx2'))).not.toEqual([])
  })

  describe.each([
    ['Bun', bun],
    ["Yarn's PnP", pnp],
  ])('%s', (_name, { install, command }) => {
    let project: TestProject
    const call = async (program: 'spritewright' | 'vite', ...args: string[]): Promise<string> => {
      const [file, ...rest] = command(program, args)
      const { PATH = '', HOME = '' } = process.env
      const env = { PATH, HOME, XDG_STATE_HOME: join(project.root, '.state') }
      const { stdout, stderr } = await run(file as string, rest, { cwd: project.root, env })
      return stdout + stderr
    }
    beforeAll(async () => {
      project = await createProject(files)
      await install(project)
    })
    afterAll(() => project.remove())

    test('prices, approves, buys once and builds', async () => {
      expect(await call('spritewright', 'plan')).toContain('1.6 credits')
      await call('spritewright', 'approve', '--yes')
      expect(await call('spritewright', 'build', '--out', 'out')).toContain('✓ Bought hero.walk for 1.6 credits')
      expect(await call('spritewright', 'build', '--frozen', '--out', 'out')).toContain('nothing paid')
      expect(JSON.parse(await readFile(join(project.root, 'out/sprites-0.json'), 'utf8'))).toHaveProperty('frames')
    })

    test('runs the plugin in vite build', async () => {
      await call('vite', 'build')
      const assets = await readdir(join(project.root, 'dist/assets'))
      expect(assets.filter((name) => name.endsWith('.png'))).toHaveLength(1)
    })

    test('names a mistake in a spec as always', async () => {
      await writeFile(join(project.root, 'sprites/bad.sprite.json'), '{')
      const failed = await call('spritewright', 'plan').catch((error: { code?: unknown; stderr?: string }) => error)
      expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('SW_SPEC') })
    })
  })
})
