import { expect, test } from 'vitest'
import { formatTouchKey, wordOf } from '../../src/credit/touch.ts'
import type { Host } from '../../src/host/host.ts'
import type { ApproveRequest } from '../../src/workshop.ts'
import { createChance } from '../fuzz/chance.ts'
import { testAuthenticator } from '../kit/authenticator.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryQueues } from '../kit/memory-queues.ts'
import { mounted, TimedDisk } from '../kit/mounted-disk.ts'
import { byLevel } from '../level.ts'
import { type SimulatedWorld, simulatedWorld } from '../sim/world.ts'
import { acts } from './acts.ts'
import { createDesk, type Desk } from './desk.ts'

/** Sessions of each set-up. */
const sessions = byLevel({ quick: 16, full: 112, long: 1200 })
const kinds = Object.keys(acts)
const build = ['build', '--buy-only']

/** A set-up of a project. */
interface SetUp {
  readonly world: SimulatedWorld
  /** Where the programs work. */
  readonly desk: Desk
  /** Approves everything as the person does who may, and builds. */
  decide(): Promise<unknown>
  end(): Promise<void>
}

/** Plays the sessions, and counts the charges and the requests that a person sees, by kind. */
async function playAll(open: () => Promise<SetUp>) {
  const found: Record<string, { charges: number; requests: number }> = Object.fromEntries(
    kinds.map((kind) => [kind, { charges: 0, requests: 0 }]),
  )
  for (let seed = 1; seed <= sessions; seed++) {
    const { world, desk, end } = await open()
    const kind = kinds[seed % kinds.length] ?? ''
    const config = desk.read('spritewright.config.json') ?? '{}'
    await acts[kind]?.(desk, createChance(seed))
    const counts = found[kind]
    if (!counts) throw new Error(kind)
    counts.charges += world.service.charges().length
    // A configuration of the session may be one that nobody can read.
    desk.write('spritewright.config.json', config)
    counts.requests += (await desk.requests()).length
    await end()
  }
  return found
}

/** A person approves everything in this way, and takes it back. */
async function approveAndRevoke(desk: Desk, request: Partial<ApproveRequest>): Promise<void> {
  await desk.with((workshop) => workshop.approve({ names: [], confirm: async () => true, ...request }))
  desk.takenBack = desk.read('sprites.lock.json') ?? ''
  await desk.with((workshop) => workshop.revoke())
}

/** The machine has the API key, and nothing is configured. */
async function openDefault(): Promise<SetUp> {
  const world = await simulatedWorld(0)
  const desk = createDesk(world, world.env)
  await approveAndRevoke(desk, { given: 'typed' })
  return { world, desk, decide: () => desk.run(['approve', '--yes']).then(() => desk.run(build)), end: async () => {} }
}

const mine = testAuthenticator()
const touched: Partial<ApproveRequest> = {
  given: 'touched',
  touch: async ({ challenge }) => ({ assertion: mine.assert(challenge), origin: 'http://localhost:20000' }),
}

/** The machine has the API key, and only touches of the person's authenticator count. */
async function openTouched(): Promise<SetUp> {
  const world = await simulatedWorld(0)
  const desk = createDesk(world, world.env)
  desk.write('spritewright.config.json', JSON.stringify({ approval: { accept: ['touched'] } }))
  await desk.run(['trust', '--touch', formatTouchKey(mine.key)], { isTerminal: true, types: wordOf(mine.key) })
  await approveAndRevoke(desk, touched)
  const decide = () =>
    desk.with((workshop) => workshop.approve({ names: [], confirm: async () => true, ...touched })).then(() => desk.run(build))
  return { world, desk, decide, end: async () => {} }
}

/** A desk without the API key: a worker has it, and buys what the person has approved and pushed. */
async function openWorker(): Promise<SetUp> {
  const world = await simulatedWorld(0)
  const [keeper, person] = [1, 2]
  const queues = new MemoryQueues(world.clock)
  const share = new TimedDisk(() => world.clock.wall())
  share.files.set('/share/journal/.keep', new Uint8Array())
  const commits = new Map<string, ReadonlyMap<string, Uint8Array>>()
  const tip = (): string => `${commits.size}`.padStart(40, 'c')
  const portsOf = (disk: MemoryDisk): Partial<Host> => ({
    disk: mounted(disk, '/share', share),
    openQueue: queues.open,
    repository: {
      head: async () => tip(),
      fetch: async () => {},
      inside: async () => '',
      tipsWith: async () => [tip()],
      tipsOf: async () => [tip()],
      read: async (_folder, commit, path) => commits.get(commit)?.get(path),
      hashesIn: async () => new Set(),
      readFolder: async () => new Map(),
    },
  })
  const options = { service: { queue: 'redis://127.0.0.1' }, store: { shared: '/share/results', journal: '/share/journal' } }
  const [disk, own] = [new MemoryDisk(), new MemoryDisk()]
  const desk = createDesk(world, keyEnv(9), disk, portsOf(disk))
  const clone = createDesk(
    world,
    { ...world.env, ...keyEnv(keeper), SPRITEWRIGHT_APPROVERS: testKey(person).fingerprint },
    own,
    portsOf(own),
  )
  for (const one of [desk, clone]) {
    one.write('spritewright.config.json', JSON.stringify(options))
    for (const name of ['bullmq', 'ioredis']) one.write(`node_modules/${name}/package.json`, '{}')
  }
  // Whatever the program writes, it commits and pushes.
  const push = (): void => void commits.set(`${commits.size + 1}`.padStart(40, 'c'), new Map(disk.files))
  push()
  const ending = new AbortController()
  const working = clone.with((workshop) =>
    workshop.work({ onEvent: () => {}, signal: ending.signal, leaseMs: 30_000, longestRequestMs: 1000 }),
  )
  working.catch(() => {})
  const boss = createDesk(world, keyEnv(person), disk, portsOf(disk))
  await approveAndRevoke(boss, { given: 'typed' })
  desk.takenBack = boss.takenBack
  const pushing: Desk = {
    ...desk,
    run: (argv, shell) => {
      push()
      return desk.run(argv, shell)
    },
  }
  return {
    world,
    desk: pushing,
    decide: async () => {
      await boss.run(['approve', '--yes'])
      push()
      await boss.run(build)
    },
    end: async () => {
      ending.abort()
      await working
    },
  }
}

/** The kinds of sessions in which something was bought. */
const buyers = (found: Awaited<ReturnType<typeof playAll>>): readonly string[] => kinds.filter((kind) => found[kind]?.charges !== 0)

/** An agent that does not hide leaves a request to a person instead of an approval. */
const asked = ['shell', 'texts with instructions', 'an edited configuration', 'a flood of requests']

/** These name a key before the person looks at the list, or work without what the person's runs remember. */
const around = ['a key of its own, enrolled at a terminal', 'another state folder']
const programs = [
  ...['a terminal of its own', 'without a terminal', 'the stolen token of the panel', "the user's signing key"],
  ...['a key of its own in the environment', ...around],
  ...['a wider configuration, accepted at a terminal', 'the words of a person', 'an environment of its own'],
]

const setUps = [
  ['by default, whatever runs as the user buys', openDefault, programs],
  ['where only touches count, nothing buys but what goes around the list of keys', openTouched, around],
  ['without the API key at its machine, nothing buys', openWorker, []],
] as const
test.each(setUps.slice(0, byLevel({ quick: 2, full: 3, long: 3 })))(
  '%s in hostile sessions; a person buys',
  async (_setUp, open, expected) => {
    const found = await playAll(open)
    expect(buyers(found)).toEqual(expected)
    for (const kind of asked) expect(found[kind]?.requests, kind).toBeGreaterThan(0)
    const { world, decide, end } = await open()
    await decide()
    expect(world.service.charges()).toHaveLength(2)
    await end()
  },
)
