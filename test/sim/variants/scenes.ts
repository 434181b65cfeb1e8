import { parseCredits } from '../../../src/credit/credits.ts'
import { createJournal } from '../../../src/job/records/journal.ts'
import { ringOf } from '../../kit/keys.ts'
import type { SmallRules } from '../../kit/small-service.ts'
import { invalid } from '../../kit/small-wire.ts'
import { checkRun } from '../exhaustive/checks.ts'
import { ExhaustiveDisk } from '../exhaustive/disk.ts'
import { type ProcessEnd, SimulatedProcess } from '../exhaustive/process.ts'
import { approvedProject, isRecordPath, orderUnder, ownKey, usualRules, windowMs } from '../exhaustive/project.ts'
import { everything, firstWorld, type Pause, restart } from '../exhaustive/scenario.ts'
import { type Choose, type Outcome, PlayedWorld, toNetResponse, type World, type WorldRules } from '../exhaustive/world.ts'
import type { Counter } from './explorations.ts'

const minute = 60_000
const ceiling = parseCredits(everything.ceiling)
const order = orderUnder(ceiling)
const later = (downMs: number, loss: Pause['loss'] = 'nothing'): Pause => ({ downMs, clock: 'right', loss })

/** The world before the first process of a scene. */
function sceneStart(): World {
  return firstWorld(everything, approvedProject(everything.ceiling))
}

/** One process of a scene, with its world. */
interface Played {
  readonly process: SimulatedProcess
  readonly played: PlayedWorld
  readonly end: ProcessEnd
  /** The world when `isMoment` was first true. */
  readonly moment: World | undefined
  /** The world after it. */
  readonly after: World
}

interface Script {
  readonly rules?: SmallRules
  /**
   * The outcome of a POST, by its number in this process, from 1.
   *
   * @default `ok`
   */
  readonly outcome?: (post: number, now: number) => Outcome | 'refused'
  /** Whether the current world is to be remembered. Called after every change and every request. */
  readonly isMoment?: (played: PlayedWorld, path: string) => boolean
}

async function play(world: World, number: number, counter: Counter, script: Script = {}): Promise<Played> {
  counter.runs++
  let posts = 0
  let moment: World | undefined
  const outcomeNow = (now: number): Outcome | 'refused' => script.outcome?.(posts, now) ?? 'ok'
  const { outcomes } = everything
  const rules: WorldRules = {
    rules: script.rules ?? usualRules,
    ceiling,
    request: order.hash,
    outcomes,
    faultyPosts: Number.POSITIVE_INFINITY,
    prices: everything.prices,
  }
  const choose: Choose = (what) => (what === 'POST' ? outcomes.indexOf(outcomeNow(process.clock.now) as Outcome) : 0)
  const played = new PlayedWorld(world, rules, choose, () => {})
  const worldNow = (): World => played.worldAfter(process.outside(process.disk.image()))
  const look = (path: string): void => {
    if (moment === undefined && script.isMoment?.(played, path)) moment = worldNow()
  }
  const process: SimulatedProcess = new SimulatedProcess(world, number, {
    request: (self, wanted) => {
      if (wanted.method === 'POST' && wanted.url.endsWith('/v1/execute')) {
        posts++
        if (outcomeNow(self.clock.now) === 'refused') return toNetResponse(invalid('reference_asset_id'))
      }
      try {
        return played.request(self, wanted)
      } finally {
        look(wanted.url)
      }
    },
    onChange: (_what, path) => look(path),
  })
  const end = await process.run(order, { total: ceiling, hasCopy: false, key: ownKey })
  checkRun(process, played, end)
  return { process, played, end, moment, after: worldNow() }
}

function seen({ moment }: Played): World {
  if (moment === undefined) throw new Error('The moment that the scene waits for never came.')
  return moment
}

/**
 * After the purchase the power is lost, the journal is deleted and the keys are forgotten. Only the lock file
 * knows the execution.
 */
export async function deletedStore(counter: Counter): Promise<void> {
  const { process, after } = await play(sceneStart(), 1, counter)
  await play(restart({ ...after, disk: process.disk.imageAfterPowerLoss() }, later(40 * minute, 'the store of the project')), 2, counter)
}

/**
 * A submission has no answer. Nine minutes later, its replay is refused until the window is over, which ends
 * while the process waits. The service forgets keys as early as it may.
 */
export async function windowThatEnds(counter: Counter): Promise<void> {
  const rules = { ...usualRules, retentionMs: windowMs }
  const start = sceneStart()
  const first = await play(start, 1, counter, {
    rules,
    outcome: (post) => (post === 1 ? 'lost response' : 'ok'),
    isMoment: (played) => played.service.executions.length > 0,
  })
  const outcome = (_post: number, now: number): Outcome => (now - start.now < windowMs ? '429' : 'ok')
  await play(restart(seen(first), later(9 * minute)), 2, counter, { rules, outcome })
}

/**
 * The answer to a submission is lost, and its replay is refused. The refusal says nothing about the first
 * submission.
 */
export async function refusedReplay(counter: Counter): Promise<void> {
  const outcomes = ['lost response', 'refused'] as const
  await play(sceneStart(), 1, counter, { outcome: (post) => outcomes[post - 1] ?? 'ok' })
}

/** A late process writes that the first attempt has failed, long after the second one was accepted. */
export async function lateRecord(counter: Counter): Promise<void> {
  const rules: SmallRules = { ...usualRules, fate: (index) => (index === 0 ? 'fails, may be tried again' : 'completes') }
  const isMoment = (played: PlayedWorld, path: string): boolean => played.service.executions.length === 2 && isRecordPath(path)
  const world = seen(await play(sceneStart(), 1, counter, { rules, isMoment }))
  const disk = new ExhaustiveDisk(world.disk, () => {})
  const clock = { wall: () => world.now, mono: () => world.now - world.bootAt, sleep: async () => {} }
  const random = { bytes: (count: number) => new Uint8Array(count).fill(255), uuid: () => '', unit: () => 0 }
  const folder = '/game/.spritewright/submissions'
  const journal = createJournal({ disk, clock, random, keys: ringOf(ownKey) }, folder)
  const view = await journal.read(order.hash)
  const failed = view.records.find(({ type }) => type === 'failed')
  if (failed?.type !== 'failed' || view.submission.accepted?.attempt !== 2) throw new Error('The scene is not what it was.')
  await journal.append(order.hash, view, 'failed', failed.body)
  await play({ ...world, disk: disk.image() }, 2, counter, { rules })
}
