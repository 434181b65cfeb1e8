import { execFile, execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../src/cli/command-line.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { describeWith, testWith } from '../kit/needs.ts'
import { startHere } from '../kit/program.ts'
import { type CliRun, createProject, heroSpec, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type S3Double, startS3Double } from '../kit/s3-double.ts'
import { hasPostgres, type PostgresServer, startPostgres } from '../kit/servers/postgres.ts'
import { hasRedis } from '../kit/servers/redis.ts'
import { shortPauses } from '../kit/short-pauses.ts'
import { push } from '../kit/studio.ts'
import { eachTeam, type Team } from '../kit/team.ts'

const run = promisify(execFile)
const page = join(dirname(fileURLToPath(import.meta.url)), '../../docs/operate.md')

/** A block of code of the guide, by its language and a line in it. */
async function blockOf(language: string, line: string): Promise<string> {
  const text = await readFile(page, 'utf8')
  const found = [...text.matchAll(/^```([a-z]+)\n([\s\S]*?)^```$/gm)].find(([, of, block = '']) => of === language && block.includes(line))
  if (!found?.[2]) throw new Error(`The guide has no block of ${language} with ${line}.`)
  return found[2]
}

function can(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'pipe', timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

describe('the unit of systemd in the guide', () => {
  const known: Readonly<Record<string, readonly string[]>> = {
    Unit: ['Description', 'After', 'Wants'],
    Service: ['User', 'WorkingDirectory', 'EnvironmentFile', 'ExecStart', 'Restart', 'RestartSec', 'KillSignal', 'TimeoutStopSec'],
    Install: ['WantedBy'],
  }

  test('has known directives, absolute paths, and a command that this version understands', async () => {
    const unit = await blockOf('systemd', 'spritewright-worker.service')
    let section = ''
    const values = new Map<string, string>()
    for (const line of unit
      .trim()
      .split('\n')
      .filter((one) => one !== '' && !one.startsWith('#'))) {
      const [, head] = /^\[(\w+)\]$/.exec(line) ?? []
      if (head !== undefined) section = head
      else {
        const [, name = '', value = ''] = /^(\w+)=(\S.*)$/.exec(line) ?? []
        expect(known[section], `${section} ${line}`).toContain(name)
        values.set(name, value)
      }
    }
    for (const name of ['WorkingDirectory', 'EnvironmentFile', 'ExecStart']) expect(values.get(name)).toMatch(/^\//)
    const [, command = ''] = /^\/usr\/bin\/npx --no-install spritewright (.+)$/.exec(values.get('ExecStart') ?? '') ?? []
    const line = parseCommandLine(command.split(' '))
    expect(line.kind === 'run' && [line.entry.verb, line.args.flag('json')]).toEqual(['worker', true])
    // A worker ends in order at Ctrl-C.
    expect(values.get('KillSignal')).toBe('SIGINT')
    expect(values.get('Restart')).toBe('always')
  })

  testWith(can('systemd-analyze', '--version'), 'systemd-analyze')('is accepted by systemd-analyze verify', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spritewright-unit-'))
    try {
      const unit = (await blockOf('systemd', 'spritewright-worker.service')).replace('/usr/bin/npx', process.execPath)
      const file = join(folder, 'spritewright-worker.service')
      await writeFile(file, unit)
      const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', file])
      expect(`${stdout}${stderr}`).not.toContain('spritewright-worker')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('the Dockerfile of the guide', () => {
  test('has known instructions, a fixed image, another user than root and a command without a shell', async () => {
    const lines = (await blockOf('dockerfile', '# Dockerfile'))
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#'))
    const instructions = lines.map((line) => /^(FROM|RUN|USER|ENV|WORKDIR|VOLUME|STOPSIGNAL|ENTRYPOINT) \S.*[^\\]$/.exec(line)?.[1])
    expect(instructions).toEqual(['FROM', 'RUN', 'USER', 'ENV', 'WORKDIR', 'VOLUME', 'STOPSIGNAL', 'ENTRYPOINT'])
    expect(lines[0]).toMatch(/^FROM node:\d+-[a-z]+-slim$/)
    expect(lines[2]).not.toContain('root')
    const command = JSON.parse(lines[7]?.replace('ENTRYPOINT ', '') ?? '') as string[]
    const line = parseCommandLine(command.slice(1))
    expect(line.kind === 'run' && line.entry.verb).toBe('worker')
  })

  // Where Docker runs, and reaches the registry of its images.
  testWith(can('docker', 'pull', '-q', 'node:22-bookworm-slim'), 'Docker')('is built by Docker', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spritewright-docker-'))
    try {
      await writeFile(join(folder, 'Dockerfile'), await blockOf('dockerfile', '# Dockerfile'))
      await run('docker', ['build', '-q', folder], { timeout: 300_000 })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

const [first, second] = [1, 2]
const team = [first, second].map((person) => testKey(person).fingerprint).join(',')

/** A clone of a game in which both have one journal. */
const desk = (store: object): Promise<TestProject> =>
  createProject({ 'sprites/hero.sprite.json': heroSpec(['walk', 'idle']), 'spritewright.config.json': JSON.stringify({ store }) })

/** Runs the program in this process. */
const runHere = (project: TestProject, args: readonly string[], env: Readonly<Record<string, string>>): Promise<CliRun> =>
  startHere(project, args, env, { clock: shortPauses() }).ended

/** Buys everything here. */
async function buy(project: TestProject, env: Readonly<Record<string, string>>): Promise<void> {
  expect(await runHere(project, ['approve', '--yes'], env)).toMatchObject({ code: 0 })
  const built = await runHere(project, ['build', '--buy-only'], env)
  expect(built.code, built.stderr).toBe(0)
}

describe('a journal that was backed up, lost and restored buys nothing twice', () => {
  let service: EmbeddedService
  const projects: TestProject[] = []
  // All projects here ask for the same animations, so each test has a service of its own.
  beforeEach(async () => {
    service = await startEmbeddedService({
      jobMs: 0,
      makers: quickMakers(),
      limits: { windowMs: 1000, post: 100, get: 1000, download: 100, activeJobs: 2, streams: 4 },
    })
  })
  afterEach(async () => {
    await service.close()
    await Promise.all(projects.splice(0).map((project) => project.remove()))
  })
  const envOf = (person: number, more: Readonly<Record<string, string>> = {}) => ({
    ...serviceEnv(service),
    ...keyEnv(person),
    SPRITEWRIGHT_APPROVERS: team,
    ...more,
  })
  /** One buys, the journal is backed up and restored, and another clone without any record of its own builds. */
  const restored = async (store: object, env: Readonly<Record<string, string>>, backup: () => Promise<void>): Promise<void> => {
    const before = service.charges().length
    const [one, other] = [await desk(store), await desk(store)]
    projects.push(one, other)
    await buy(one, envOf(first, env))
    await backup()
    await runHere(other, ['approve', '--yes'], envOf(second, env))
    const built = await runHere(other, ['build', '--buy-only'], envOf(second, env))
    expect(built.code, built.stderr).toBe(0)
    expectCount(service.charges().slice(before), 2)
  }

  test('in a folder, by a copy', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spritewright-journal-'))
    const [journal, copy] = [join(folder, 'journal'), join(folder, 'copy')]
    await mkdir(journal)
    try {
      await restored({ journal }, {}, async () => {
        await cp(journal, copy, { recursive: true })
        await rm(journal, { recursive: true })
        await cp(copy, journal, { recursive: true })
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('in a bucket, by a copy into another one, to which the store moves', async () => {
    const from: S3Double = await startS3Double()
    const to: S3Double = await startS3Double()
    try {
      const store = { shared: 's3://studio/results', journal: 's3://studio/journal' }
      const before = service.charges().length
      const [one, other] = [await desk(store), await desk(store)]
      projects.push(one, other)
      await buy(one, envOf(first, from.env))
      for (const [key, file] of from.files) if (key.startsWith('journal/')) to.files.set(key, file)
      expect(await runHere(one, ['store', 'pull'], envOf(first, from.env))).toMatchObject({ code: 0 })
      expect(await runHere(one, ['store', 'push'], envOf(first, to.env))).toMatchObject({ code: 0 })
      await runHere(other, ['approve', '--yes'], envOf(second, to.env))
      const built = await runHere(other, ['build', '--buy-only'], envOf(second, to.env))
      expect(built.code, built.stderr).toBe(0)
      expectCount(service.charges().slice(before), 2)
    } finally {
      await from.close()
      await to.close()
    }
  })

  test('costs requests and records that grow with the purchases alone', async () => {
    const s3 = await startS3Double()
    try {
      const store = { shared: 's3://studio/results', journal: 's3://studio/journal' }
      const measure = async (animations: readonly string[]): Promise<readonly number[]> => {
        const [files, asked] = [s3.files.size, s3.asked.length]
        const project = await desk(store)
        projects.push(project)
        await project.write('sprites/hero.sprite.json', heroSpec(animations))
        await buy(project, envOf(first, s3.env))
        const made = [...s3.files].slice(files).filter(([key]) => key.startsWith('journal/'))
        const requests = s3.asked.slice(asked).filter(({ key }) => key.startsWith('results/')).length
        const bytes = made.reduce((sum, [, file]) => sum + file.bytes.length, 0)
        return [requests, s3.asked.length - asked - requests, made.length, bytes]
      }
      const [few, many] = [await measure(['walk']), await measure(['idle', 'jump', 'run', 'fall', 'wave'])]
      const [results = 0, journal = 0, records = 0, bytes = 0] = few.map((one, at) => ((many[at] ?? 0) - one) / 4)
      console.log(
        `A purchase: ${results} requests to the store of results, ${journal} to the journal, ${records} records of together ${bytes} bytes. A run with one: ${few[0]} and ${few[1]} requests.`,
      )
      expect(results).toBeLessThan(8)
      expect(journal).toBeLessThan(150)
      expect(records).toBeLessThan(15)
    } finally {
      await s3.close()
    }
  })

  describeWith(hasPostgres && can('pg_dump', '--version'), 'PostgreSQL')('in PostgreSQL', () => {
    let postgres: PostgresServer
    beforeAll(async () => {
      postgres = await startPostgres()
    })
    afterAll(() => postgres.close())

    test('by the commands of the guide', async () => {
      await postgres.query('CREATE DATABASE journal')
      const journal = `postgres://127.0.0.1:${postgres.port}/journal`
      const [dump = '', restore = ''] = (await blockOf('sh', 'pg_dump')).trim().split('\n')
      const folder = await mkdtemp(join(tmpdir(), 'spritewright-dump-'))
      const shell = (command: string) =>
        run('sh', ['-c', command], { cwd: folder, env: { PATH: process.env.PATH, ...postgres.env, JOURNAL: journal } })
      try {
        await restored({ journal }, postgres.env, async () => {
          await shell(dump)
          await postgres.query('DROP DATABASE journal WITH (FORCE)')
          await postgres.query('CREATE DATABASE journal')
          await shell(restore)
        })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
  })
})

describeWith(hasRedis, 'Redis')('a worker that is watched', () => {
  let studio: Team
  eachTeam((one) => {
    studio = one
  })

  test('answers /healthz and /metrics, and ends while somebody is connected', async () => {
    const worker = await studio.hire({}, { http: { address: '127.0.0.1', port: 0 } })
    await worker.tells('This worker is active.')
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(worker.sentences.join('\n'))?.[0]
    const health = await fetch(`${url}/healthz`)
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ state: 'active' })])
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^spritewright_orders\{state="waiting"\} 0$/m)
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(405)
    await worker.end()
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })
})

describeWith(hasRedis, 'Redis')('a person', () => {
  let studio: Team
  eachTeam((one) => {
    studio = one
  })

  test('who leaves: an approval that is not bought buys nothing once the worker knows the person no more', async () => {
    const before = await studio.hire()
    expect(await studio.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(studio.desk)
    await before.end()
    const worker = await studio.hire({}, { env: { SPRITEWRIGHT_APPROVERS: '' } })
    const refused = await studio.run('build', '--buy-only')
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('SW_BUYER') })
    expectCount(studio.service.charges(), 0)
    await worker.end()
    // As long as the person may approve, the same approval buys.
    await studio.hire()
    expect(await studio.run('build', '--buy-only')).toMatchObject({ code: 0 })
    expectCount(studio.service.charges(), 3)
  })

  test('who has left: what the worker bought by an approval of hers stays, and is built without another charge', async () => {
    const worker = await studio.hire()
    expect(await studio.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(studio.desk)
    expect(await studio.run('build', '--buy-only')).toMatchObject({ code: 0 })
    await push(studio.desk)
    await worker.end()
    await studio.hire({}, { env: { SPRITEWRIGHT_APPROVERS: '' } })
    const other = await studio.studio.clone()
    expect(await studio.start(['build', '--buy-only'], other).ended).toMatchObject({ code: 0 })
    expectCount(studio.service.charges(), 3)
  })

  test('with a new key: the old approval buys nothing, a new one buys once', async () => {
    const before = await studio.hire()
    expect(await studio.run('approve', '--yes')).toMatchObject({ code: 0 })
    await before.end()
    const next = { ...studio.env, ...keyEnv(3) }
    await studio.hire({}, { env: { SPRITEWRIGHT_APPROVERS: testKey(3).fingerprint } })
    await push(studio.desk)
    expect(await studio.run('build', '--buy-only')).toMatchObject({ code: 3 })
    expectCount(studio.service.charges(), 0)
    expect(await runHere(studio.desk, ['approve', '--yes', '--adopt'], next)).toMatchObject({ code: 0 })
    await push(studio.desk)
    expect(await runHere(studio.desk, ['build', '--buy-only'], next)).toMatchObject({ code: 0 })
    expectCount(studio.service.charges(), 3)
  })
})
