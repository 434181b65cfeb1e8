import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryQueues } from '../kit/memory-queues.ts'
import { mounted, TimedDisk } from '../kit/mounted-disk.ts'
import { figurePng } from '../kit/project.ts'
import { specOf } from '../sim/two-machines.ts'
import { type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

const [keeper, artist] = [1, 2]
const leaseMs = 30_000

let world: SimulatedWorld
let queues: MemoryQueues
let share: MemoryDisk
/** The worker's machine, with a clone of each game at its own path. */
let machine: MemoryDisk
let games: Map<string, Game>
let pushes = 0
/** When a worker became active last, by `mono`. */
let activeAt = 0

/** Records of the database `space`, which the worker may not reach. */
let records: Map<string, readonly [bytes: unknown, at: number]>
let isDatabaseAway: boolean

/** A game in a repository, and the desk of its artist. */
interface Game {
  readonly root: string
  /** Where the game is in its repository. */
  readonly folder: string
  readonly desk: MemoryDisk
  /** Files of each pushed commit. The last one is the tip of the only branch. */
  readonly commits: Map<string, ReadonlyMap<string, Uint8Array>>
  /** Called before each fetch. */
  fetch: () => void
}

const bytesOf = (content: string | Uint8Array): Uint8Array => (typeof content === 'string' ? new TextEncoder().encode(content) : content)

const configOf = (journal: string): string =>
  JSON.stringify({ service: { queue: 'redis://127.0.0.1' }, store: { shared: '/share/results', journal: `/share/${journal}` } })

/** The statements of a journal, in memory. */
const connectTo =
  (isDesk: boolean): Host['connectDatabase'] =>
  async () => ({
    close: async () => {},
    query: async (statement, [name, bytes] = []) => {
      if (isDatabaseAway && !isDesk) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
      if (statement.includes('to_regclass')) return [{ is_there: true }]
      const found = records.get(`${name}`)
      if (!statement.includes('INSERT')) return found ? [{ bytes: found[0], age: world.clock.wall() - found[1] }] : []
      if (!found) records.set(`${name}`, [bytes, world.clock.wall()])
      return found ? [] : [{ name }]
    },
  })

/** Moves the journal of a game into the database. */
function useDatabase({ root, desk }: Game): void {
  const content = configOf('space').replace('/share/space', 'postgres://127.0.0.1/space')
  for (const disk of [machine, desk]) disk.files.set(`${root}/spritewright.config.json`, bytesOf(content))
}

/** Makes a game. Its desk and the worker have it at the same path. */
function addGame(name: string, root = `/${name}`, folder = ''): Game {
  const game: Game = { root, folder, desk: new MemoryDisk(), commits: new Map(), fetch: () => {} }
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'package.json': JSON.stringify({ name }),
    'spritewright.config.json': configOf(name),
    'node_modules/bullmq/package.json': '{}',
    'node_modules/ioredis/package.json': '{}',
    'node_modules/pg/package.json': '{}',
    'node_modules/pg/lib/index.js': '',
    'sprites/hero.png': figurePng(name.length),
    'sprites/hero.sprite.json': specOf(`a hero of ${name}`, 'hero'),
  }
  for (const disk of [machine, game.desk])
    for (const [path, content] of Object.entries(files)) disk.files.set(`${root}/${path}`, bytesOf(content))
  share.files.set(`/share/${name}/.keep`, new Uint8Array())
  games.set(root, game)
  push(game)
  return game
}

function push({ commits, desk }: Game): void {
  commits.set(`${++pushes}`.padStart(40, 'c'), new Map(desk.files))
}

/** Reads the commits of all games. Those that are folders of one repository have the same commits. */
function repositoryOf(isDesk: boolean): NonNullable<Host['repository']> {
  const at = (root: string): Game | undefined => games.get(root)
  const commitsOf = (root: string): Game['commits'] => at(root)?.commits ?? new Map()
  const tips = (root: string): readonly string[] => [...commitsOf(root).keys()].slice(-1)
  return {
    head: async (root) => tips(root)[0],
    inside: async (root) => at(root)?.folder ?? '',
    fetch: async (root) => {
      if (!isDesk) at(root)?.fetch()
    },
    tipsWith: async (root, commit) => (commitsOf(root).has(commit) ? tips(root) : []),
    tipsOf: async (root) => tips(root),
    read: async (root, commit, path) => commitsOf(root).get(commit)?.get(path),
    hashesIn: async () => new Set(),
    readFolder: async () => new Map(),
  }
}

function open(root: string, disk: MemoryDisk, env: Host['env'], isDesk: boolean): Promise<Workshop> {
  const host: Partial<Host> = {
    disk: mounted(disk, '/share', share),
    glob: async (from) => [`${from}/sprites/hero.sprite.json`],
    env,
    openQueue: queues.open,
    repository: repositoryOf(isDesk),
    connectDatabase: connectTo(isDesk),
  }
  // As the CLI opens it: the worker waits for stores.
  const waits = isDesk ? {} : { waitUntil: new AbortController().signal }
  return createWorkshop({ host: { ...world.host, ...host }, root, ...waits })
}

/** A worker that starts in the first game's clone, until `end`. */
async function hire(projects: readonly string[]) {
  machine.files.set(
    `${world.host.stateFolder}/settings.json`,
    bytesOf(JSON.stringify({ worker: { projects: projects.map((dir) => ({ dir })) } })),
  )
  const ending = new AbortController()
  const sentences: string[] = []
  const env = { ...world.env, ...keyEnv(keeper), SPRITEWRIGHT_APPROVERS: testKey(artist).fingerprint }
  const workshop = await open('/castle', machine, env, false)
  const ended = workshop.work({
    onEvent: ({ message }) => {
      sentences.push(message)
      if (message === 'This worker is active.') activeAt = world.clock.mono()
    },
    signal: ending.signal,
    leaseMs,
    longestRequestMs: 1000,
  })
  ended.catch(() => {})
  return {
    sentences,
    end: () => {
      ending.abort()
      return world.clock.run(ended)
    },
  }
}

/** Runs a command at the desk of a game, which has no API key. */
async function at<T>({ root, desk }: Game, run: (workshop: Workshop) => Promise<T>): Promise<T> {
  const workshop = await open(root, desk, keyEnv(artist), true)
  return world.clock.run(run(workshop).finally(() => workshop.close()))
}
async function approve(game: Game): Promise<void> {
  await at(game, (workshop) => workshop.approve({ names: [], confirm: async () => true }))
  push(game)
}
const build = (game: Game) => at(game, (workshop) => workshop.build({ buyOnly: true }))
const charges = (): number => world.service.charges().length
const pass = (ms: number): Promise<void> => world.clock.run(world.clock.sleep(ms))

beforeEach(async () => {
  world = await simulatedWorld(1000)
  queues = new MemoryQueues(world.clock)
  share = new TimedDisk(() => world.clock.wall())
  machine = new MemoryDisk()
  games = new Map()
  records = new Map()
  isDatabaseAway = false
})

test('one worker buys for two games, each into its own journal, and names them', async () => {
  const [castle, space] = [addGame('castle'), addGame('space')]
  const worker = await hire(['/castle', '/space'])
  for (const game of [castle, space]) await approve(game)
  for (const game of [castle, space]) expect((await build(game)).bought).toHaveLength(1)
  for (const game of [castle, space]) expect((await build(game)).bought).toEqual([])
  expect(charges()).toBe(2)
  await worker.end()
  expect(worker.sentences).toContain('It serves castle (/castle), space (/space).')
  expect(worker.sentences).toContain('castle: hero.walk: bought, and in the shared store.')
  expect(worker.sentences).toContain('space: hero.walk: bought, and in the shared store.')
})

test('an order of a project that is not served is refused at once with what to add, and bought when the settings have it', async () => {
  const space = addGame('space')
  addGame('castle')
  const worker = await hire([])
  await approve(space)
  const begun = world.clock.mono()
  const commit = [...space.commits.keys()].at(-1)?.slice(0, 12)
  await expect(build(space)).rejects.toMatchObject({
    code: 'SW_ORDER',
    message: `The worker does not buy "hero.walk" of commit ${commit}: no branch of the remote has that commit. The worker serves castle. To let it serve "space", if that is another project, clone it there and add { "dir": "/path/of/the/clone" } to worker.projects in settings.json of the worker's state folder. Nothing was sent. Commit its spec, its picture and sprites.lock*, push, and build again; a dev server does so by itself.`,
  })
  expect(worker.sentences.at(-1)).toMatch(/^space: Refused or failed: The worker does not buy "hero\.walk"/)
  expect(world.clock.mono() - begun).toBeLessThan(10_000)
  expect(charges()).toBe(0)
  machine.files.set(`${world.host.stateFolder}/settings.json`, bytesOf(JSON.stringify({ worker: { projects: [{ dir: '/space' }] } })))
  await pass(leaseMs)
  expect((await build(space)).bought).toHaveLength(1)
  await worker.end()
})

test('a project that the settings name a second time, by a link, is served once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spritewright-link-'))
  try {
    const space = addGame('space', join(folder, 'space'))
    addGame('castle')
    await mkdir(space.root)
    await symlink(space.root, join(folder, 'link'))
    const worker = await hire([space.root, join(folder, 'link')])
    await approve(space)
    expect((await build(space)).bought).toHaveLength(1)
    expect(worker.sentences.filter((sentence) => sentence.includes('is not served'))).toEqual([])
    await worker.end()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each([
  ['has a broken configuration', '/space/spritewright.config.json', '{'],
  ['names another queue', '/space/spritewright.config.json', configOf('space').replace('127.0.0.1', 'localhost')],
  ['names a journal that is away', '/space/spritewright.config.json', configOf('nowhere')],
])('a project that %s is told once, stops no other, and is served when it is mended', async (_what, path, content) => {
  const [castle, space] = [addGame('castle'), addGame('space')]
  const right = machine.files.get(path) as Uint8Array
  machine.files.set(path, bytesOf(content))
  const worker = await hire(['/castle', '/space', '/missing'])
  await approve(castle)
  expect((await build(castle)).bought).toHaveLength(1)
  await pass(4 * leaseMs)
  const told = worker.sentences.filter((sentence) => sentence.includes('is not served, and is tried again'))
  expect(told.map((sentence) => sentence.split(' ')[0]).sort()).toEqual(['/missing', content.includes('nowhere') ? 'space' : '/space'])
  if (content.includes('nowhere')) share.files.set('/share/nowhere/.keep', new Uint8Array())
  else machine.files.set(path, right)
  await pass(2 * leaseMs)
  await approve(space)
  if (!content.includes('nowhere')) expect((await build(space)).bought).toHaveLength(1)
  await worker.end()
})

test('a project that fails again as before, after it was served in between, is told a second time', async () => {
  addGame('castle')
  const space = addGame('space')
  const worker = await hire(['/castle', '/space'])
  const told = (): number => worker.sentences.filter((sentence) => sentence.includes('is not served, and is tried again')).length
  const counts: number[] = []
  for (const isThere of [false, true, false]) {
    if (isThere) games.set('/space', space)
    else games.delete('/space')
    // The lease is lost, and each project is begun anew under the next one.
    queues.before = (call) => {
      if (call.startsWith('renew')) throw new Error('the queue is away')
    }
    await pass(2 * leaseMs)
    queues.before = () => {}
    await pass(6 * leaseMs)
    counts.push(told())
  }
  await worker.end()
  expect(counts).toEqual([1, 1, 2])
})

test('orders of a game whose remote is away leave the turns to the other game', async () => {
  const [castle, space] = [addGame('castle'), addGame('space')]
  const worker = await hire(['/castle', '/space'])
  for (const game of [castle, space]) await approve(game)
  castle.fetch = () => {
    throw new Error('the remote is away')
  }
  const queue = queues.open('', {} as never, 'spritewright-orders', 0)
  const lost = { id: 'hero.walk', commit: 'f'.repeat(40), file: 'sprites/hero.sprite.json', project: 'castle' }
  for (let number = 0; number < 20; number++) await queue.add(`${number}`, { ...lost, hash: `${number}`.padStart(64, '0') }, number + 1)
  const begun = world.clock.mono()
  expect((await build(space)).bought).toHaveLength(1)
  expect(world.clock.mono() - begun).toBeLessThan(60_000)
  castle.fetch = () => {}
  expect((await build(castle)).bought).toHaveLength(1)
  await pass(60_000)
  expect((await queue.list('failed', 100)).length).toBe(20)
  await worker.end()
})

test('while the journal of a game does not answer, its orders leave the turns to the other game', async () => {
  const [castle, space] = [addGame('castle'), addGame('space')]
  useDatabase(space)
  const animations = Object.fromEntries(['walk', 'run', 'idle'].map((name) => [name, { frames: 7 }]))
  const spec = JSON.stringify({ reference: './hero.png', prompt: 'a hero', animations })
  space.desk.files.set('/space/sprites/hero.sprite.json', bytesOf(spec))
  push(space)
  const worker = await hire(['/castle', '/space'])
  for (const game of [castle, space]) await approve(game)
  isDatabaseAway = true
  const waiting = build(space)
  await pass(5_000)
  const begun = world.clock.mono()
  expect((await build(castle)).bought).toHaveLength(1)
  expect(world.clock.mono() - begun).toBeLessThan(60_000)
  isDatabaseAway = false
  expect((await world.clock.run(waiting)).bought).toHaveLength(3)
  expect(charges()).toBe(4)
  await worker.end()
})

test('a game that the settings get while the journal of another one does not answer is served within half a minute', async () => {
  const [, space, moon] = [addGame('castle'), addGame('space'), addGame('moon')]
  useDatabase(space)
  const worker = await hire(['/castle', '/space'])
  await approve(moon)
  isDatabaseAway = true
  await pass(2 * leaseMs)
  const projects = ['/castle', '/space', '/moon'].map((dir) => ({ dir }))
  machine.files.set(`${world.host.stateFolder}/settings.json`, bytesOf(JSON.stringify({ worker: { projects } })))
  await pass(leaseMs + 5_000)
  expect((await build(moon)).bought).toHaveLength(1)
  await worker.end()
})

test.each([
  ['names its folder', (data: object) => data],
  ['is of an earlier version, which names none', ({ project: _, folder: __, ...data }: Readonly<Record<string, unknown>>) => data],
])('two games in one repository each get what they ordered, also if the client %s', async (_how, change) => {
  const castle = addGame('castle', '/castle', 'games/castle')
  const space = addGame('space', '/space', 'games/space')
  // One repository: each commit has the files of both.
  const all = new Map(castle.commits)
  games.set('/castle', { ...castle, commits: all }).set('/space', { ...space, commits: all })
  const worker = await hire(['/castle', '/space'])
  for (const game of [castle, space]) await at(game, (workshop) => workshop.approve({ names: [], confirm: async () => true }))
  all.set('e'.repeat(40), new Map([...castle.desk.files, ...space.desk.files]))
  queues.onAdd = change as (data: object) => object
  for (const game of [castle, space]) expect((await build(game)).bought, game.root).toHaveLength(1)
  expect(charges()).toBe(2)
  await worker.end()
  for (const name of ['castle', 'space'])
    expect(worker.sentences.filter((sentence) => sentence.startsWith(`${name}: hero.walk: bought`))).toHaveLength(1)
})

test('a fork that has the commit of another game does not get its order, also of a client that names no project', async () => {
  const castle = addGame('castle')
  const fork = addGame('fork')
  const worker = await hire(['/fork', '/castle'])
  await approve(castle)
  // The fork has merged the commit, at its own path. Its own journal has no approval.
  const inFork = new Map<string, Uint8Array>()
  for (const [path, bytes] of castle.desk.files) inFork.set(path.replace('/castle', '/fork'), bytes)
  const [tip = ''] = [...castle.commits.keys()].slice(-1)
  fork.commits.set(tip, inFork)
  queues.onAdd = ({ project: _, ...data }: Readonly<Record<string, unknown>>) => data
  expect((await build(castle)).bought).toHaveLength(1)
  expect(worker.sentences).toContain('castle: hero.walk: bought, and in the shared store.')
  await worker.end()
})

/** How long a worker of both games waits at a queue that was emptied, in milliseconds. */
async function takeOver(): Promise<number> {
  queues = new MemoryQueues(world.clock)
  const begun = world.clock.mono()
  const worker = await hire(['/castle', '/space'])
  while (!worker.sentences.includes('This worker is active.')) await pass(1000)
  await worker.end()
  return activeAt - begun
}

test('a take-over waits for the last submission in the journals of all games, and the longest time if one is away', async () => {
  addGame('castle')
  const space = addGame('space')
  expect(await takeOver()).toBeLessThan(2000)
  const worker = await hire(['/castle', '/space'])
  await approve(space)
  expect((await build(space)).bought).toHaveLength(1)
  await worker.end()
  const sent = world.clock.mono()
  const waitedMs = await takeOver()
  expect(waitedMs).toBeGreaterThan(50_000)
  expect(activeAt - sent).toBeLessThan(65_000)
  await pass(60_000)
  share.files.delete('/share/space/.keep')
  const isOfSpace = (path: string): boolean => path.startsWith('/share/space/')
  const kept = [...share.files].filter(([path]) => isOfSpace(path))
  for (const [path] of kept) share.files.delete(path)
  expect(await takeOver()).toBeGreaterThan(leaseMs + 1000 + 55_000)
  for (const [path, bytes] of kept) share.files.set(path, bytes)
  share.files.set('/share/space/.keep', new Uint8Array())
  expect(await takeOver()).toBeLessThan(2000)
})
