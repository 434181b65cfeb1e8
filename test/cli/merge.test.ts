import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { alsoField, type LockFile } from '../../src/vault/lockfile.ts'
import { startHere } from '../kit/program.ts'
import { type CliRun, createProject, figurePng, heroSpec, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'

const mark = `{\n  "${alsoField}": true,\n  "animations": {},\n  "version": 1\n}\n`
let service: EmbeddedService
let project: TestProject
beforeEach(async () => {
  service = await startEmbeddedService({ jobMs: 0, makers: quickMakers() })
  project = await createProject()
})
afterEach(async () => {
  await service.close()
  await project.remove()
})

const run = (...args: string[]): Promise<CliRun> => startHere(project, args, serviceEnv(service)).ended
const text = (path: string): Promise<string> => readFile(join(project.root, path), 'utf8')
const parts = async (): Promise<string[]> => (await readdir(join(project.root, 'sprites.lock')).catch(() => [])).sort()
const idsOf = async (path: string): Promise<string[]> => Object.keys((JSON.parse(await text(path)) as LockFile).animations)

/** Adds a sprite and approves it. */
async function approve(name: string): Promise<void> {
  await project.write(`sprites/${name}.png`, figurePng(name.length))
  await project.write(`sprites/${name}.sprite.json`, heroSpec(['walk'], `./${name}.png`))
  expect(await run('approve', name, '--yes')).toMatchObject({ code: 0 })
}

describe('a new project', () => {
  test('has each approval in a file of its sprite, and needs no merge --split', async () => {
    await project.write('spritewright.config.mjs', 'export default {}')
    expect(await run('init')).toMatchObject({ code: 0 })
    await approve('hero')
    expect(await text('sprites.lock.json')).toBe(mark)
    expect(await parts()).toEqual(['hero.json'])
    expect(await idsOf('sprites.lock/hero.json')).toEqual(['hero.walk'])
  })
})

describe('merge --split', () => {
  test('begins the folder at first, moves the rest at the second time, and changes nothing at the third', async () => {
    await approve('hero')
    const before = await text('sprites.lock.json')
    const first = await run('merge', '--split')
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain('sprites.lock.json keeps what it has. If no branch from before is open, run the command again')
    expect(await text('sprites.lock.json')).toBe(`{\n  "${alsoField}": true,\n${before.slice(2)}`)
    expect(await parts()).toEqual([])
    await approve('fox')
    expect([await idsOf('sprites.lock.json'), await parts()]).toEqual([['hero.walk'], ['fox.json']])
    const second = await run('merge', '--split', '--json')
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(second.stdout)).toMatchObject({ conflicts: [], resolved: false })
    expect([await text('sprites.lock.json'), await parts()]).toEqual([mark, ['fox.json', 'hero.json']])
    const third = await run('merge', '--split')
    expect(third).toMatchObject({ code: 0, stderr: '' })
    expect(third.stdout).toContain('sprites.lock.json stays, without entries')
    expect([await text('sprites.lock.json'), await parts()]).toEqual([mark, ['fox.json', 'hero.json']])
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
      items: [
        { sprite: 'fox', state: 'approved' },
        { sprite: 'hero', state: 'approved' },
      ],
    })
  })

  test.each([['--ours'], ['hero.walk']])('with %s is refused, and writes nothing', async (other) => {
    await approve('hero')
    const before = await text('sprites.lock.json')
    const refused = await run('merge', '--split', other)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('Expected --split alone. Resolve conflicts first.')
    expect(await text('sprites.lock.json')).toBe(before)
  })

  test('of a file that both branches changed is refused, and writes nothing', async () => {
    await approve('hero')
    const lines = (await text('sprites.lock.json')).split('\n')
    const at = lines.findIndex((line) => line.includes('"ceiling"'))
    const [line] = lines.splice(at, 1)
    lines.splice(at, 0, '<<<<<<< HEAD', `${line}`, '=======', `${line}`.replace(/\d+\.\d+/, '99.0'), '>>>>>>> other')
    await project.write('sprites.lock.json', lines.join('\n'))
    const refused = await run('merge', '--split')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/SW_LOCKFILE .*both sides changed hero\.walk/)
    expect([await text('sprites.lock.json'), await parts()]).toEqual([lines.join('\n'), []])
  })
})

test('a lost mark comes back before the next entry, and by merge --split: earlier versions must stop at the folder', async () => {
  expect(await run('merge', '--split')).toMatchObject({ code: 0 })
  await approve('hero')
  for (const repair of [() => approve('fox'), () => run('merge', '--split')]) {
    await rm(join(project.root, 'sprites.lock.json'))
    await repair()
    expect(await text('sprites.lock.json')).toBe(mark)
  }
  expect(await parts()).toEqual(['fox.json', 'hero.json'])
})

test('a branch that began with one file, and a branch that began with the folder, are merged by merge', async () => {
  const git = (...args: string[]): void => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', '-c', 'core.hooksPath=/dev/null']
    execFileSync('git', [...who, ...args], { cwd: project.root, stdio: 'pipe', env: { PATH: process.env.PATH ?? '', HOME: project.root } })
  }
  const commit = (): void => {
    git('add', 'sprites', '*.json')
    git('commit', '-qm', 'x')
  }
  git('init', '-q', '-b', 'main')
  git('add', 'package.json')
  git('commit', '-qm', 'x')
  git('checkout', '-qb', 'other')
  await approve('fox')
  commit()
  git('checkout', '-q', 'main')
  await run('merge', '--split')
  await approve('hero')
  commit()
  expect(() => git('merge', '-q', 'other')).toThrow('Command failed')
  expect(await text('sprites.lock.json')).toContain('<<<<<<< HEAD')
  expect(await run('merge')).toMatchObject({ code: 0, stderr: '' })
  expect([await idsOf('sprites.lock.json'), await parts()]).toEqual([['fox.walk'], ['hero.json']])
  expect(await text('sprites.lock.json')).toContain(alsoField)
})
