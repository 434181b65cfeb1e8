import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { recordsPath } from '../../src/host/watch.ts'
import type { Context } from '../../src/project/context.ts'
import type { PlanItem, PlanState, PlanStep } from '../../src/project/plan.ts'
import type { ServiceConnection } from '../../src/project/session.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { createSpriteMaker } from '../../src/workshop/sheets/sprite-maker.ts'
import { createSpriteMemory, type SpritePart } from '../../src/workshop/sheets/sprite-memory.ts'
import type { Workshop } from '../../src/workshop.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { minutes, specOf, type Team, team } from '../sim/two-machines.ts'

const lockPath = '/game/sprites.lock.json'
const resultOf = (name: string): string => name[0]!.repeat(64)

function entryOf(name: string, keyMode: 'test' | 'live' = 'test'): LockEntry {
  return {
    service: { host: 'h', keyMode, apiVersion: '1' },
    asked: { prompt: name },
    result: { sha256: resultOf(name), bytes: 1 },
  }
}

const lock: LockFile = {
  version: 1,
  animations: Object.fromEntries(['aged', 'bold'].map((name) => [`${name}.walk`, { [`hash of ${name}`]: entryOf(name) }])),
}

function withEntry(id: string, hash: string, entry: LockEntry): LockFile {
  return { ...lock, animations: { ...lock.animations, [id]: { ...lock.animations[id], [hash]: entry } } }
}

/** A sprite of one animation. */
function part(name: string, more: { state?: PlanState } & Partial<SpritePart> = {}): SpritePart {
  const { state = 'bought', ...rest } = more
  const text = JSON.stringify({ reference: './figure.png', prompt: name, animations: { walk: {} } })
  const spec = parseSpec(text, `/game/${name}.sprite.json`)
  const item = { id: `${name}.walk`, hash: `hash of ${name}`, state, result: resultOf(name), spec } as unknown as PlanItem
  return { spec, items: [item], own: [], steps: [], lacksSteps: false, errors: [], ...rest }
}

/** Names of the sprites that a memory still knows after a change. */
async function keptAfter(parts: readonly SpritePart[], changed: readonly string[] | undefined, after: LockFile = lock): Promise<string[]> {
  let present = lock
  const context = { options: { store: { dir: '/game/.spritewright' } }, lock: { path: lockPath, read: async () => present } }
  const memory = createSpriteMemory(context as unknown as Context)
  const specs = parts.map(({ spec }) => spec)
  await memory.note(specs, undefined)
  memory.put(parts)
  present = after
  await memory.note(specs, changed)
  return specs.flatMap((spec) => (memory.get(spec) ? [spec.name] : []))
}

describe('after a change of the records, a sprite is kept', () => {
  const two = [part('aged'), part('bold')]
  const afterPurchase = withEntry('cold.walk', 'hash of cold', entryOf('cold'))

  test('if all of it is bought, and the change is about another', async () => {
    expect(await keptAfter(two, [lockPath], afterPurchase)).toEqual(['aged', 'bold'])
    expect(await keptAfter(two, [recordsPath, `/game/.spritewright/results/${resultOf('cold')}.zip`])).toEqual(['aged', 'bold'])
    expect(await keptAfter(two, ['/game/.spritewright/results/probe.0123456789abcdef.tmp'])).toEqual(['aged', 'bold'])
  })

  const states: readonly PlanState[] = ['lost', 'approved', 'running', 'question', 'uncertain', 'failed', 'missing']
  test.each(states)('but not if its animation is %s', async (state) => {
    expect(await keptAfter([part('aged', { state }), part('bold')], [recordsPath])).toEqual(['bold'])
  })

  const step = { id: 'aged#1', hash: 'hash of a step', state: 'running' } as PlanStep
  const taken = { ...part('aged').items[0], takes: [{}, {}] } as unknown as PlanItem
  test.each<[what: string, more: Partial<SpritePart>]>([
    ['has no animation that is bought', { items: [] }],
    ['has a step that runs', { steps: [step] }],
    ['may have a step that nobody has read', { lacksSteps: true }],
    ['has other takes', { items: [taken] }],
    ['has an error', { errors: [new Error('unreadable') as SpritePart['errors'][number]] }],
  ])('but not if it %s', async (_what, more) => {
    expect(await keptAfter([part('aged', more), part('bold')], [recordsPath])).toEqual(['bold'])
  })

  test.each<[what: string, after: LockFile]>([
    ['its own entry', withEntry('aged.walk', 'hash of aged', { ...entryOf('aged'), asked: { prompt: 'other' } })],
    ['its own entry away', { ...lock, animations: { 'bold.walk': lock.animations['bold.walk']! } }],
    ['another request of its name', withEntry('aged.walk', 'another hash', entryOf('aged'))],
    ['the same request of another name', withEntry('twin.walk', 'hash of aged', entryOf('aged'))],
  ])('but not if the lock file has changed: %s', async (_what, after) => {
    expect(await keptAfter(two, [lockPath], after)).toEqual(['bold'])
  })

  test('but none if the change is of another service, which has another hash for the same request', async () => {
    expect(await keptAfter(two, [lockPath], withEntry('twin.walk', 'live hash', entryOf('twin', 'live')))).toEqual([])
  })

  test('but not if its result came or went', async () => {
    expect(await keptAfter(two, [`/game/.spritewright/results/${resultOf('aged')}.zip`])).toEqual(['bold'])
  })

  test.each([
    ['nothing is known', undefined],
    ['the folder of the results has changed', ['/game/.spritewright/results']],
    ['a file has changed that is none of ours', [lockPath, '/game/.git']],
  ])('but none if %s', async (_what, changed) => {
    expect(await keptAfter(two, changed)).toEqual([])
  })
})

describe('a dev server, while another process buys', () => {
  const spec = 'sprites/mage.sprite.json'
  /** One sprite is bought, one is not. The calls of the dev server's disk are noted, or fail. */
  async function opened(): Promise<Team & { dev: Workshop; calls: string[]; fail: (isMeant?: (call: string) => boolean) => void }> {
    const made = await team()
    const { first, run } = made
    await first.approve()
    await first.build()
    first.write(spec, specOf('a mage', 'hero'))
    const calls: string[] = []
    let isFailing: (call: string) => boolean = () => false
    const dev = await first.open({
      guard: (call) => {
        calls.push(call)
        return isFailing(call) ? Promise.reject(new Error('The disk is away.')) : undefined
      },
    })
    await run(dev.pending())
    await run(dev.overview())
    const fail = (isMeant = (_call: string): boolean => false): void => {
      isFailing = isMeant
    }
    return { ...made, dev, calls, fail }
  }
  const statesOf = async ({ run, dev }: { run: Team['run']; dev: Workshop }, changed: readonly string[]): Promise<unknown> =>
    (await run(dev.overview(changed))).items.map(({ id, state }) => [id, state])
  const hashOfHero = ({ first }: Team): string => Object.keys(first.lock().animations['hero.walk'] ?? {})[0] as string

  test('sees the approval and the purchase, and does not read the records of another sprite again', async () => {
    const made = await opened()
    const { first, run, dev, calls } = made
    await first.approve()
    expect((await run(dev.pending([lockPath]))).orders.map(({ id }) => id)).toEqual(['mage.walk'])
    expect(await statesOf(made, [lockPath])).toEqual([
      ['hero.walk', 'bought'],
      ['mage.walk', 'approved'],
    ])
    await first.build()
    calls.length = 0
    expect(await statesOf(made, [lockPath])).toEqual([
      ['hero.walk', 'bought'],
      ['mage.walk', 'bought'],
    ])
    expect((await run(dev.pending([lockPath]))).orders).toEqual([])
    expect(calls.filter((call) => call.includes(`submissions/${hashOfHero(made)}`))).toEqual([])
  })

  test.each([
    ['the lock file', [lockPath]],
    ['nothing but the service', [recordsPath]],
  ])('sees by a change of %s what nobody knows to be charged', async (_what, changed) => {
    const made = await opened()
    const { first, wait } = made
    await first.approve()
    expect(await statesOf(made, [lockPath])).toContainEqual(['mage.walk', 'approved'])
    const before = first.records().filter(({ type }) => type === 'sent').length
    await first.dieBuilding(() => first.records().filter(({ type }) => type === 'sent').length > before)
    expect(await statesOf(made, changed)).toContainEqual(['mage.walk', 'running'])
    await wait(48 * 60 * minutes)
    expect(await statesOf(made, changed)).toContainEqual(['mage.walk', 'uncertain'])
    // Nor does it lose it when its spec asks for something else.
    first.write(spec, specOf('a witch', 'hero'))
    const { orphans } = await made.run(made.dev.overview([`/game/${spec}`]))
    expect(orphans.map(({ id, state }) => [id, state])).toEqual([['mage.walk', 'uncertain']])
  })

  test('reads everything again after an error', async () => {
    const made = await opened()
    const { run, dev, calls, fail } = made
    fail((call) => call.includes('sprites.lock.json'))
    await expect(run(dev.overview([lockPath]))).rejects.toThrow('The disk is away.')
    fail()
    calls.length = 0
    expect(await statesOf(made, [lockPath])).toContainEqual(['hero.walk', 'bought'])
    expect(calls.filter((call) => call.includes(`submissions/${hashOfHero(made)}`))).not.toEqual([])
  })
})

test.each([
  ['names its own file', { file: '/game/aged.png' }, '/game/aged.png'],
  ['names none', {}, '/game/aged.sprite.json'],
])('an error that keeps a sprite from being made and %s is about that file, or else the spec', async (_, facts, file) => {
  const connection = {
    get host(): string {
      throw new SpritewrightError('SW_DISK', { message: 'broken', facts })
    },
  }
  const context = { host: { disk: new MemoryDisk() }, options: { root: '/game' }, cache: {} } as unknown as Context
  const [made] = await createSpriteMaker(context, connection as unknown as ServiceConnection).make([part('aged').spec], lock)
  expect(made?.errors).toMatchObject([{ code: 'SW_DISK', facts: { file } }])
})
