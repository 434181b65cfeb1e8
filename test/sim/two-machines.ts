import type { EmbeddedOptions, HookedRequest, Makers } from '../../src/embedded/options/options.ts'
import type { Failure } from '../../src/embedded/store/records.ts'
import type { Host } from '../../src/host/host.ts'
import type { Net } from '../../src/host/net.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { JournalRecord } from '../../src/job/records/record.ts'
import type { Options } from '../../src/options/options.ts'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import type { ApproveReport, ApproveRequest, BuildReport, BuildRequest, Workshop } from '../../src/workshop.ts'
import { type CallGuard, guarded } from '../kit/guarded-disk.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { mounted, TimedDisk } from '../kit/mounted-disk.ts'
import { figurePng } from '../kit/project.ts'
import { type SimulatedWorld, simulatedWorld } from './world.ts'

/** How one process differs from the next on its machine. */
export interface ProcessInit {
  readonly options?: Options
  readonly env?: Readonly<Record<string, string>>
  /** Called before each call of its disk. */
  readonly guard?: CallGuard
  readonly net?: Net
  /** The repository and the queues of a worker. */
  readonly team?: Pick<Host, 'openQueue' | 'repository'>
  /** Receives why its requests wait. */
  readonly onWait?: (sentence: string) => void
}

/**
 * A checkout of the project, at the same path on a machine of its own. Every call is a process of its own,
 * which runs to its end on the shared clock.
 */
export interface Machine {
  readonly disk: MemoryDisk
  open(init?: ProcessInit): Promise<Workshop>
  /** Approves everything that is missing at today's price, unless the request says something else. */
  approve(request?: Partial<ApproveRequest>, init?: ProcessInit): Promise<ApproveReport>
  /** Accepts the standing ceilings of its configuration. */
  accept(init: ProcessInit): Promise<void>
  /** Buys without making an atlas, unless the request says something else. */
  build(request?: BuildRequest, init?: ProcessInit): Promise<BuildReport>
  /** Runs a build that is killed right before the first call of its disk for which `isLast` is true. */
  dieBuilding(isLast: (call: string) => boolean, init?: ProcessInit): Promise<void>
  /** States of all animations, by `status`. */
  states(): Promise<readonly string[]>
  write(path: string, content: string | Uint8Array): void
  rename(from: string, to: string): void
  lock(): LockFile
  /** The entry of an animation that has had only one request. */
  entry(id: string): LockEntry
  /** Edits the current lock file by hand. */
  edit(change: (lock: MutableLock) => void): void
  /** Copies the lock file of another checkout, as version control does. */
  pull(from: Machine): void
  /** The journal's records of all requests, in order. */
  records(): readonly JournalRecord[]
  /** Results in its vault, as texts (see {@link textMakers}). */
  results(): readonly string[]
}

/** A lock file that a person edits. */
export interface MutableLock {
  animations: Record<string, Record<string, MutableEntry>>
}
type MutableEntry = { -readonly [K in keyof LockEntry]: LockEntry[K] }

/** A service, a clock, and machines that share them. */
export interface Team {
  readonly world: SimulatedWorld
  /** The first machine. It has a sprite `hero` with one animation, `walk`. */
  readonly first: Machine
  /**
   * Another machine with the committed files of a checkout.
   *
   * @param keeps Whether results are committed too.
   * @default no
   */
  clone(from: Machine, keeps?: 'results'): Machine
  /** A disk that every machine has at `/share`, with an empty folder `/share/journal`. */
  readonly share: MemoryDisk
  /** Another project of the same user on the same machine, with the committed files of a checkout. */
  neighbour(of: Machine, name: string): Machine
  /** A copy of the machine in its current state, so that a test can go on in two ways. */
  copy(from: Machine): Machine
  wait(ms: number): Promise<void>
  run<T>(work: Promise<T>): Promise<T>
  /** Submissions that reached the service. */
  posts(): number
  /** Prompts of the charged requests, in order. */
  charged(): readonly string[]
}

/** A spec of one animation, `walk`, of seven frames. */
export function specOf(prompt: string, picture: string): string {
  return JSON.stringify({ reference: `./${picture}.png`, prompt, animations: { walk: { frames: 7 } } })
}

/**
 * A service and a first machine.
 *
 * @param options Options of the service; jobs take five seconds.
 */
export async function team(options: EmbeddedOptions = {}): Promise<Team> {
  const world = await simulatedWorld(jobMs, { makers: textMakers, jobMs, ...options })
  const run: Team['run'] = (work) => world.clock.run(work)
  const share = new TimedDisk(() => world.clock.wall())
  share.files.set('/share/journal/.keep', new Uint8Array())
  const first = toMachine(world, world.disk, share)
  first.write('sprites/hero.png', figurePng(1))
  first.write('sprites/hero.sprite.json', specOf('a knight', 'hero'))
  return {
    world,
    first,
    share,
    run,
    clone: (from, keeps) =>
      toMachine(
        world,
        copyDisk(from.disk, (path) => isCommitted(path, keeps === 'results')),
        share,
      ),
    neighbour: (of, name) => {
      const machine = toMachine(
        world,
        copyDisk(of.disk, (path) => isCommitted(path, false) && path !== '/game/sprites.lock.json'),
        share,
        of.disk,
      )
      machine.write('package.json', JSON.stringify({ name }))
      return machine
    },
    copy: (from) =>
      toMachine(
        world,
        copyDisk(from.disk, () => true),
        share,
      ),
    wait: (ms) => run(world.clock.sleep(ms)),
    posts: () => world.service.requests().filter(isSubmission).length,
    charged: () => world.service.charges().map(({ prompt }) => prompt.replaceAll('\n', ' ')),
  }
}

/** A submission as the network saw it. */
export interface Sent {
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A network that records every submission. */
export function listening({ world }: Team): { readonly net: Net; readonly sent: Sent[] } {
  const sent: Sent[] = []
  const net: Net = {
    ...world.net,
    request: (request) => {
      if (request.method === 'POST' && request.url.endsWith('/v1/execute')) {
        const key = Object.entries(request.headers ?? {}).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1] ?? ''
        sent.push({ key, body: JSON.parse(new TextDecoder().decode(request.body)) })
      }
      return world.net.request(request)
    },
  }
  return { net, sent }
}

const jobMs = 5_000
/** One minute, in milliseconds. */
export const minutes = 60_000
/** Folders of every machine. */
export const places = { results: '/game/.spritewright/results', state: '/home/state', temp: '/tmp' } as const

function copyDisk(from: MemoryDisk, isKept: (path: string) => boolean): MemoryDisk {
  const disk = new MemoryDisk()
  for (const [path, bytes] of from.files) if (isKept(path)) disk.files.set(path, bytes.slice())
  return disk
}

function isCommitted(path: string, withResults: boolean): boolean {
  if (!path.startsWith('/game/') || path.includes('/node_modules/')) return false
  return !path.startsWith('/game/.spritewright/') || (withResults && path.startsWith(`${places.results}/`))
}

function toMachine(world: SimulatedWorld, disk: MemoryDisk, share: MemoryDisk, home = disk): Machine {
  const lockPath = '/game/sprites.lock.json'
  const run = <T>(work: Promise<T>): Promise<T> => world.clock.run(work)
  const whole = mounted(mounted(disk, '/share', share), '/home', home)
  const open = ({ options, env, guard, net, team, onWait }: ProcessInit = {}): Promise<Workshop> =>
    world.workshop(
      options,
      {
        disk: guard ? guarded(whole, guard) : whole,
        glob: async (root) =>
          [...disk.files.keys()].filter((path) => path.startsWith(`${root}/sprites/`) && path.endsWith('.sprite.json')).sort(),
        ...(env ? { env: { ...world.env, ...env } } : {}),
        ...(net ? { net } : {}),
        ...team,
      },
      undefined,
      onWait,
    )
  const textOf = (path: string): string => new TextDecoder().decode(disk.files.get(path))
  const write: Machine['write'] = (path, content) =>
    void disk.files.set(`/game/${path}`, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  const lock = (): LockFile => parseLockFile(textOf(lockPath), lockPath)
  return {
    disk,
    open,
    write,
    lock,
    approve: async (request = {}, init) => {
      const workshop = await open(init)
      return run(workshop.approve({ names: [], confirm: async () => true, ...request }))
    },
    accept: async (init) => void (await run(acceptCeilings(await open(init)))),
    build: async (request = {}, init) => {
      const workshop = await open(init)
      return run(workshop.build({ buyOnly: true, ...request }))
    },
    dieBuilding: async (isLast, init = {}) => {
      let die = (): void => {}
      const died = new Promise<void>((resolve) => {
        die = resolve
      })
      let isDead = false
      const guard: CallGuard = (call) => {
        isDead ||= isLast(call)
        if (!isDead) return undefined
        die()
        // A killed process sees no error and nothing else.
        return new Promise<never>(() => {})
      }
      const building = (await open({ ...init, guard })).build({ buyOnly: true })
      building.catch(() => {})
      await run(died)
    },
    states: async () => (await run((await open()).status())).items.map(({ state }) => state),
    rename: (from, to) => {
      write(to, textOf(`/game/${from}`))
      disk.files.delete(`/game/${from}`)
    },
    entry: (id) => {
      const [entry, ...others] = Object.values(lock().animations[id] ?? {})
      if (!entry || others.length > 0)
        throw new Error(`Expected one entry of "${id}" in the lock file, found ${entry ? others.length + 1 : 0}.`)
      return entry
    },
    edit: (change) => {
      const open = JSON.parse(textOf(lockPath)) as MutableLock
      change(open)
      write('sprites.lock.json', JSON.stringify(open))
    },
    pull: (from) => write('sprites.lock.json', from.disk.files.get(lockPath) as Uint8Array),
    records: () =>
      [...disk.files.keys()]
        .filter((path) => /^\/game\/\.spritewright\/submissions\/[0-9a-f]{64}\/\d+\.json$/.test(path))
        .sort()
        .map((path) => JSON.parse(textOf(path)) as JournalRecord),
    results: () => [...disk.files.keys()].filter((path) => path.startsWith(`${places.results}/`)).map(textOf),
  }
}

/**
 * Makers whose results contain their prompts, so that a test can identify them: a sheet is `PK sheet of
 * <prompt>`.
 */
const textMakers: Makers = {
  sheet: async (_request, prompt, tools) => {
    await tools.onStep(1, tools.jobMs)
    const review = { frameCount: 7, background: 'remove' as const, keptBackgroundFrames: [], inspectionFrames: [], sourceShiftedFrames: [] }
    return { bytes: new TextEncoder().encode(sheetOf(prompt)), contentType: 'application/zip', width: 4, height: 4, review }
  },
  image: async (_request, _prompt, tools) => {
    await tools.onStep(1, tools.jobMs)
    return { bytes: figurePng(7), contentType: 'image/png', width: 64, height: 64, review: null }
  },
}

/** The result that the service makes for a prompt, as a text. */
export function sheetOf(prompt: string): string {
  return `PK sheet of ${prompt.replaceAll('\n', ' ')}`
}

/** Whether a request is a submission. */
export function isSubmission({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && path === '/v1/execute'
}

/** The response if a request or its answer is lost. */
export const lost: ServedResponse = { status: 500, headers: {}, body: new Uint8Array() }

/** A refusal in the form of the service's interface. */
export function refusal(status: number, reason: string): ServedResponse {
  const error = { code: 'X', reason, message: `not now: ${reason}`, category: 'X', retryable: status === 429, request_id: requestId }
  return { status, headers: { 'content-type': 'application/json' }, body: new TextEncoder().encode(JSON.stringify({ error })) }
}
const requestId = '00000000-0000-4000-8000-000000000001'

/** Answers the first submissions with the given responses. The others pass. */
export function answering(
  responses: readonly ServedResponse[],
  isMeant: (request: HookedRequest) => boolean = isSubmission,
): EmbeddedOptions {
  const left = [...responses]
  return { before: async (request) => (isMeant(request) ? left.shift() : undefined) }
}

/** Verdicts about the next executions that reach their job, in order. Later ones succeed. */
export function failing(...verdicts: readonly ('retryable' | 'for good')[]): EmbeddedOptions {
  const left = [...verdicts]
  return {
    verdict: ({ stage }): Failure | undefined => {
      const verdict = stage === 'job' ? left.shift() : undefined
      return verdict && { reason: 'generation_failed', message: 'it did not come out', retryable: verdict === 'retryable' }
    },
  }
}

/** A service that asks once before it draws. */
export const asking: EmbeddedOptions = { ask: ({ answers }) => (answers.length === 0 ? { text: 'Which hand?' } : undefined) }
