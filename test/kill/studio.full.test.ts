import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attributeLines } from '../../src/cli/first-project.ts'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { describeWith } from '../kit/needs.ts'
import { cliBin, runCli, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { startS3Double } from '../kit/s3-double.ts'
import { hasPostgres, startPostgres } from '../kit/servers/postgres.ts'
import { hasRedis, startRedis } from '../kit/servers/redis.ts'
import { createStudio, git, push, type Studio } from '../kit/studio.ts'
import { runMortalCli } from './mortal-cli.ts'
import { isExecute } from './posts.ts'
import { moments, type PlannedKill, planTroubles } from './troubles.ts'
import { startWorkers } from './workers.ts'

const keeper = 1
const people = { anna: 2, ben: 3, cleo: 4 } as const
type Person = keyof typeof people
const games = ['castle', 'space'] as const
type Game = (typeof games)[number]
/** Who works on which game, and at which steps of their programs they are killed. */
const desks: readonly { readonly person: Person; readonly game: Game; readonly approve: string[]; readonly build: string[] }[] = [
  { person: 'anna', game: 'castle', approve: ['change 3'], build: ['before 2', 'change 30'] },
  { person: 'anna', game: 'space', approve: ['change 6'], build: ['after 12'] },
  { person: 'ben', game: 'castle', approve: ['change 9'], build: ['torn 20', 'before 9'] },
  { person: 'ben', game: 'space', approve: ['after 5'], build: ['change 40'] },
  { person: 'cleo', game: 'space', approve: ['change 2'], build: ['after 3'] },
]
const spritesEach = 20
const sprites = desks.length * spritesEach
const price = '1.6'
/** Of the account, shortened: a window of a minute passes in a second. */
const limits = { windowMs: 1000, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 }

const workerKills: readonly PlannedKill[] = Array.from({ length: 18 }, (_, at) => ({
  after: 3 + 5 * at,
  moment: moments[at % moments.length] ?? moments[0],
  who: at % 5 === 4 ? 'standby' : 'active',
}))
const clientKills = desks.flatMap(({ approve, build }) => [...approve, ...build])

type Env = Readonly<Record<string, string>>

const specOf = (game: Game, person: Person, number: number): string =>
  JSON.stringify({ reference: './hero.png', prompt: `figure ${number} of ${person} for ${game}`, animations: { walk: { frames: 7 } } })

/** What `init` and npm write into a game. */
const filesOf = (game: Game) => ({
  'package.json': JSON.stringify({ name: game, private: true, type: 'module' }),
  '.gitattributes': `${attributeLines.join('\n')}\n`,
})

/** The remote of a game, with the configuration of the guide and a picture. */
async function createGame(game: Game, redis: number, postgres: number): Promise<Studio> {
  const studio = await createStudio(filesOf(game), () => ({
    service: { queue: `redis://127.0.0.1:${redis}` },
    store: { shared: `s3://studio/${game}`, journal: `postgres://127.0.0.1:${postgres}/postgres` },
    limits,
  }))
  const first = await studio.clone()
  await first.remove('sprites/hero.sprite.json')
  await push(first)
  return studio
}

/** A machine with a worker: its user's settings name the clones of all games. */
async function openWorkerMachine(studios: readonly Studio[], folder: string, name: string) {
  const clones = await Promise.all(studios.map((studio) => studio.clone()))
  const state = join(folder, name)
  await mkdir(join(state, 'spritewright'), { recursive: true })
  const settings = { worker: { projects: clones.map(({ root }, at) => ({ dir: root, name: games[at] })) } }
  await writeFile(join(state, 'spritewright', 'settings.json'), JSON.stringify(settings))
  return { clone: clones[0] as TestProject, state }
}

/** Adds the sprites of a person, approves, pushes, builds and pushes, among kills. */
async function playDesk({ person, game, ...deeds }: (typeof desks)[number], project: TestProject, env: Env): Promise<void> {
  for (let number = 0; number < spritesEach; number++)
    await project.write(`sprites/${person}${number}.sprite.json`, specOf(game, person, number))
  for (const verb of ['approve', 'build'] as const) {
    const args = verb === 'approve' ? ['approve', '--yes'] : ['build', '--buy-only']
    for (const deed of deeds[verb]) {
      const { signal, steps, stdout, stderr } = await runMortalCli({ project, env }, args, deed)
      expect(signal, `${person} for ${game}, ${verb} ${deed}, ${steps.length} steps:\n${stdout}${stderr}`).toBe('SIGKILL')
    }
    const { code, stdout, stderr } = await runCli(project, args, env)
    expect(code, `${person} for ${game}, ${verb}:\n${stdout}${stderr}`).toBe(0)
    await push(project, `desk/${person}`)
  }
}

/** Merges the branches of all desks into `main`, in a clone that the guide has set up. */
async function mergeDesks(studio: Studio, game: Game): Promise<void> {
  const { root } = await studio.clone()
  await git(root, 'config', 'merge.spritewright.driver', `"${process.execPath}" "${cliBin}" merge %O %A %B`)
  for (const { person } of desks.filter((desk) => desk.game === game)) await git(root, 'merge', '-q', '--no-edit', `origin/desk/${person}`)
  await git(root, 'push', '-q', 'origin', 'HEAD:main')
}

/** What a clone knows of its purchases. */
async function boughtIn({ root }: TestProject, env: Env) {
  const workshop = await createWorkshop({ root, host: { ...nodeHost(), env, stateFolder: join(root, '.state') } })
  const { items } = await workshop.plan().finally(() => workshop.close())
  return items.flatMap(({ id, state, ceiling, executionId, result }) => (state === 'bought' ? [{ id, ceiling, executionId, result }] : []))
}

/** Sums of credits by a name. */
function sumBy<T>(all: readonly T[], nameOf: (one: T) => string, creditsOf: (one: T) => bigint): Readonly<Record<string, string>> {
  const sums = new Map<string, bigint>()
  for (const one of all) sums.set(nameOf(one), (sums.get(nameOf(one)) ?? 0n) + creditsOf(one))
  return Object.fromEntries([...sums].map(([name, sum]) => [name, formatCredits(sum)]))
}

/** The faults of submissions, as the service sees them. */
function watchSubmissions() {
  const bodies = new Map<string, string>()
  const wrongs: string[] = []
  return {
    see: (request: HookedRequest): void => {
      if (!isExecute(request)) return
      const [key = '', body] = [request.headers['idempotency-key'], new TextDecoder().decode(request.body)]
      if ((bodies.get(key) ?? body) !== body) wrongs.push(`${key} came with another body`)
      bodies.set(key, body)
      const { max_credits: most = '' } = JSON.parse(body) as { max_credits?: string }
      if (parseCredits(most) > parseCredits(price)) wrongs.push(`${key} allows ${most}`)
    },
    keys: () => bodies.size,
    wrongs,
  }
}

describeWith(hasRedis && hasPostgres, 'Redis and PostgreSQL')('a studio of two games, three people, one account and two workers', () => {
  test(`buys ${sprites} sprites among ${workerKills.length + clientKills.length} kills, once each, and its ledger is that of the service`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spritewright-machines-'))
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    const outages = [
      { after: sprites * 0.3, begin: redis.wipe },
      { after: sprites * 0.5, begin: postgres.restart },
      { after: sprites * 0.7, begin: redis.wipe },
    ]
    let kill: (who: PlannedKill['who']) => boolean = () => false
    const troubles = planTroubles(workerKills, outages, (who) => kill(who))
    const watch = watchSubmissions()
    let failures = 0
    const service: EmbeddedService = await startEmbeddedService({
      jobMs: 100,
      makers: quickMakers(),
      limits,
      accounts: [{ name: 'studio', credits: '1000', keys: [{ key: 'test-key-of-the-studio' }] }],
      before: (request) => {
        watch.see(request)
        return troubles.before(request)
      },
      after: async (request, response) => {
        if (response.body instanceof Uint8Array && Buffer.from(response.body).includes('too_many_active_jobs')) failures++
        return troubles.after(request, response)
      },
    })
    const bucket = await startS3Double({ fault: troubles.fault })
    const studios = new Map(
      await Promise.all(games.map(async (game) => [game, await createGame(game, redis.port, postgres.port)] as const)),
    )
    const studioOf = (game: Game): Studio => studios.get(game) as Studio
    const servers = { ...redis.env, ...postgres.env, ...bucket.env }
    const machines = await Promise.all(['first', 'second'].map((name) => openWorkerMachine([...studios.values()], folder, name)))
    const workers = startWorkers(machines, {
      ...servers,
      ...serviceEnv(service),
      ...keyEnv(keeper),
      SPRITEWRIGHT_APPROVERS: Object.values(people)
        .map((number) => testKey(number).fingerprint)
        .join(','),
      SPRITEWRIGHT_BRANCHES: 'main,desk/*',
    })
    kill = workers.kill
    const envOf = (person: Person): Env => ({
      ...servers,
      ...keyEnv(people[person]),
      XDG_STATE_HOME: join(folder, person),
      SPRITEWRIGHT_APPROVERS: testKey(keeper).fingerprint,
    })
    try {
      const clones = await Promise.all(desks.map(({ game }) => studioOf(game).clone()))
      const from = performance.now()
      await Promise.all(desks.map((desk, at) => playDesk(desk, clones[at] as TestProject, envOf(desk.person))))
      await troubles.settled()
      const refused = service.requests().filter(({ status }) => status === 429).length
      console.log(
        `${sprites} sprites, ${workerKills.length} kills of workers, ${clientKills.length} of clients: ${service.charges().length} charges, ` +
          `${watch.keys()} requests, ${refused} answers 429, ${failures} failures for places, ${Math.round((performance.now() - from) / 1000)} s`,
      )
      expect(troubles.left()).toBe(0)

      const charges = service.charges()
      expectCount(charges, sprites)
      expect(new Set(charges.map(({ bodySha256 }) => bodySha256)).size).toBe(sprites)
      expect(watch.keys()).toBe(sprites)
      expect([watch.wrongs, service.holds(), service.mistakes(), failures]).toEqual([[], [], [], 0])

      const bought = (await Promise.all(desks.map(({ person }, at) => boughtIn(clones[at] as TestProject, envOf(person))))).flat()
      const paid = new Map(charges.map(({ executionId, credits }) => [executionId, credits]))
      for (const { id, ceiling = 0n, executionId = '', result } of bought) {
        expect(paid.get(executionId), id).toBeLessThanOrEqual(ceiling)
        expect(
          [...bucket.files.keys()].filter((key) => key.endsWith(`/cas/${result}`)),
          id,
        ).toHaveLength(1)
        paid.delete(executionId)
      }
      expect([bought.length, paid.size]).toEqual([sprites, 0])

      for (const game of games) {
        await mergeDesks(studioOf(game), game)
        const fresh = await studioOf(game).clone()
        const built = await runCli(fresh, ['build', '--frozen'], bucket.env)
        expect(built.code, built.stdout + built.stderr).toBe(0)
      }

      const newcomer = await studioOf('castle').clone()
      const ofPerson = (prompt: string): string => Object.entries(people).find(([name]) => prompt.includes(`of ${name} `))?.[0] ?? ''
      const whose = (prompt: string): string => testKey(people[ofPerson(prompt) as Person]).fingerprint
      const whereOf = (prompt: string): string => games.find((game) => prompt.includes(` for ${game}`)) ?? ''
      for (const [by, nameOf] of [
        ['person', whose],
        ['project', whereOf],
      ] as const) {
        const { code, stdout, stderr } = await runCli(newcomer, ['ledger', '--by', by, '--json'], envOf('cleo'))
        expect(code, stderr).toBe(0)
        const { groups, settled } = JSON.parse(stdout) as { groups: { name: string; settled: string }[]; settled: string }
        expect(Object.fromEntries(groups.map((one) => [one.name, one.settled]))).toEqual(
          sumBy(
            charges,
            ({ prompt }) => nameOf(prompt),
            ({ credits }) => credits,
          ),
        )
        expect(settled).toBe(formatCredits(charges.reduce((sum, { credits }) => sum + credits, 0n)))
      }
    } finally {
      console.log((await workers.end()).match(/peak memory: .+/g)?.join('\n'))
      await service.close()
      await Promise.all([bucket.close(), redis.close(), postgres.close()])
      await Promise.all([...studios.values()].map((studio) => studio.remove()))
      await rm(folder, { recursive: true, force: true })
    }
  })
})
