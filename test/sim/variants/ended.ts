// Loaded before the clock starts, as in `world.ts`.
import '../../../src/workshop/worker/worker.ts'
import { parseCredits } from '../../../src/credit/credits.ts'
import type { Host } from '../../../src/host/host.ts'
import type { JobHandler, JobQueue } from '../../../src/host/net/job-queue.ts'
import { sha256 } from '../../../src/host/sha256.ts'
import type { OrderMessage } from '../../../src/queue/messages.ts'
import type { LockEntry } from '../../../src/vault/lockfile.ts'
import { keyEnv } from '../../kit/keys.ts'
import { BrokenInvariant } from '../invariants.ts'
import { type Machine, minutes, type ProcessInit, type Team, team } from '../two-machines.ts'
import type { Counter } from './explorations.ts'

const dayMs = 24 * 60 * minutes

/** Puts one entry in the place of all entries of the animation. */
function putBack(machine: Machine, entry: LockEntry): void {
  machine.edit((lock) => {
    lock.animations['hero.walk'] = Object.fromEntries(Object.keys(lock.animations['hero.walk'] ?? {}).map((hash) => [hash, entry]))
  })
}

/** Builds, and checks that nothing was sent under an approval that no longer counts. */
async function sendsNothing({ posts }: Team, counter: Counter, machine: Machine, what: string, init?: ProcessInit): Promise<void> {
  counter.runs++
  await machine.build({}, init).catch(() => {})
  if (posts() > 0) throw new BrokenInvariant('I11', `a build sends on ${what}`)
}

/** T1: a ceiling that was lowered, an approval that was taken back, and one that nobody used in time come back. */
export async function endedApprovals(counter: Counter): Promise<void> {
  const made = await team()
  const { first } = made
  await first.approve({ max: parseCredits('50') })
  const high = first.entry('hero.walk')
  await first.approve({ max: parseCredits('1.7') })
  const low = first.entry('hero.walk')
  const late = made.copy(first)
  putBack(first, high)
  await sendsNothing(made, counter, first, 'an approval that a newer one has replaced')
  putBack(first, low)
  await (await first.open()).revoke()
  putBack(first, low)
  await sendsNothing(made, counter, first, 'an approval that was taken back')
  await made.wait(31 * dayMs)
  await sendsNothing(made, counter, late, 'an approval that has expired')
}

/** T3: an entry is copied into another project, on a machine that trusts its approver. */
export async function copiedApprovals(counter: Counter): Promise<void> {
  const made = await team()
  await made.first.approve()
  const SPRITEWRIGHT_APPROVERS = `${made.first.entry('hero.walk').approval?.buyer}`
  for (const named of [{}, { SPRITEWRIGHT_PROJECT: 'f'.repeat(32) }] as Record<string, string>[]) {
    const env = { ...keyEnv(5), SPRITEWRIGHT_APPROVERS, ...named }
    await sendsNothing(made, counter, made.clone(made.first), 'an approval of another project', { env })
  }
}

/** T4: an approval is gone from the main branch, and an old feature branch still has it. */
export async function branchApprovals(counter: Counter): Promise<void> {
  const made = await team()
  made.share.files.set('/share/results/.keep', new Uint8Array())
  const options = { service: { queue: 'redis://127.0.0.1:1' }, store: { journal: '/share/journal', shared: '/share/results' } }
  await made.first.approve({}, { options: { store: options.store } })
  const feature = made.clone(made.first)
  const main = made.clone(made.first)
  const [hash = ''] = Object.keys(main.lock().animations['hero.walk'] ?? {})
  putBack(main, { ...main.entry('hero.walk'), approval: undefined })
  const branches: Readonly<Record<string, Machine>> = { main, feature }
  const orders = async (named: Readonly<Record<string, string>>): Promise<void> => {
    counter.runs++
    const message = { id: 'hero.walk', hash, commit: commitOf('feature'), file: 'sprites/hero.sprite.json', reference: pictureOf(feature) }
    const worker = made.clone(made.first)
    for (const name of ['bullmq/dist/cjs', 'ioredis']) {
      worker.write(`node_modules/${name.split('/')[0]}/package.json`, '{"version":"6.7.0"}')
      worker.write(`node_modules/${name}/index.js`, '')
    }
    const env = { ...keyEnv(5), SPRITEWRIGHT_APPROVERS: `${feature.entry('hero.walk').approval?.buyer}`, ...named }
    const { openQueue, handled } = oneOrder(message)
    const workshop = await worker.open({ options, env, team: { openQueue, repository: repositoryOf(branches) } })
    const over = new AbortController()
    const working = workshop.work({ onEvent: () => {}, signal: over.signal })
    await made.run(Promise.race([handled, working]))
    over.abort()
    await made.run(working)
  }
  for (const named of [{} as Record<string, string>, { SPRITEWRIGHT_BRANCHES: 'main' }, { SPRITEWRIGHT_BRANCHES: 'none, main' }]) {
    await orders(named)
    if (made.posts() > 0) throw new BrokenInvariant('I11', 'a worker sends on an approval that only an old branch has')
  }
  await orders({ SPRITEWRIGHT_BRANCHES: 'feature' })
  if (made.posts() === 0) throw new Error('Expected the worker to buy what a named branch approves.')
}

const commitOf = (branch: string): string => sha256(new TextEncoder().encode(branch)).slice(0, 40)
const pictureOf = ({ disk }: Machine): string => sha256(disk.files.get('/game/sprites/hero.png') as Uint8Array)

/** A clone whose remote has these branches, `main` being the default one. */
function repositoryOf(branches: Readonly<Record<string, Machine>>): NonNullable<Host['repository']> {
  const names = Object.keys(branches)
  return {
    head: async () => commitOf('main'),
    fetch: async () => {},
    inside: async () => '',
    tipsWith: async (_folder, commit) => names.map(commitOf).filter((tip) => tip === commit),
    tipsOf: async (_folder, named) => names.filter((name) => (named.length === 0 ? ['main'] : named).includes(name)).map(commitOf),
    read: async (_folder, commit, path) => branches[names.find((name) => commitOf(name) === commit) ?? '']?.disk.files.get(path),
    hashesIn: async () => new Set(),
    readFolder: async () => new Map(),
  }
}

/** Queues with one order. `handled` resolves when a worker has carried it out or refused it. */
function oneOrder(data: OrderMessage): { readonly openQueue: Host['openQueue']; readonly handled: Promise<void> } {
  let end = (): void => {}
  const handled = new Promise<void>((resolve) => {
    end = resolve
  })
  const nothing = async (): Promise<void> => {}
  const serve = (handle: JobHandler): void => void handle({ id: data.hash, data }, nothing).then(end, end)
  const openQueue = (_entry: string, _target: unknown, name: string): JobQueue => ({
    add: nothing,
    read: async () => undefined,
    remove: nothing,
    list: async () => [],
    serve: (_atOnce, _leaseMs, handle) => {
      if (name.endsWith('-orders')) serve(handle)
      return { stop: nothing }
    },
    take: async (_id, note) => ({ data: note, renew: async () => true, note: nothing, putBack: nothing }),
    close: nothing,
  })
  return { openQueue, handled }
}
