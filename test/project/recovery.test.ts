import { describe, expect, test } from 'vitest'
import { type ErrorCode, SpritewrightError } from '../../src/errors.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { JobProgress } from '../../src/job/order.ts'
import type { Submission } from '../../src/job/records/submission.ts'
import { findOrder, findOrders, type NamedOrder } from '../../src/project/recovery/named-orders.ts'
import { regain, regainOrder } from '../../src/project/recovery/regain.ts'
import type { ServiceConnection, Session } from '../../src/project/session.ts'
import { survey } from '../../src/project/survey.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { entryOf, identity, type MemoryProject, openMemoryProject, picture } from './memory-project.ts'

const specs = {
  hero: {
    reference: { steps: [{ text: 'a hero' }, { edit: 'with a hat' }] },
    prompt: 'x',
    animations: { walk: { frames: 7 }, run: { frames: 8 } },
  },
  icons: {
    reference: { steps: [{ text: 'a hero' }] },
    pictures: { sword: [{ edit: 'a sword' }, { edit: 'of steel' }], shield: [{ edit: 'it' }] },
  },
  twin: { reference: { steps: [{ text: 'a hero' }] }, pictures: { shield: [{ edit: 'it' }] } },
}

const asked = await survey(openMemoryProject({ specs }).context, [], { identity })
const hashes = new Map([...asked.steps, ...asked.items].map(({ id, hash = '' }) => [id, hash]))
const hashOf = (id: string): string => hashes.get(id) ?? id

const result = { sha256: sha256(picture), bytes: picture.length }
const accepted = (executionId: string): Partial<Submission> => ({
  accepted: { attempt: 1, executionId, conversationId: null } as unknown as NonNullable<Submission['accepted']>,
  attempt: 1,
})
const question = { questionId: 'q', text: 'Which hand?', requiresAsset: false } as unknown as NonNullable<Submission['question']>
const stray = (executionId: string) => ({ attempt: 1, executionId }) as unknown as NonNullable<Submission['strays']>[number]
const second = entryOf({ submission: { attempt: 2 } as LockEntry['submission'], result })

/** Of the present requests some are bought or run. Of earlier ones some have an open execution, or a stray. */
const project: MemoryProject = {
  specs,
  lock: {
    version: 1,
    animations: {
      'hero.walk': { [hashOf('hero.walk')]: entryOf({ result }), old: entryOf(), sent: entryOf() },
      'hero.run': { [hashOf('hero.run')]: entryOf() },
      'ghost.walk': { asks: entryOf(), gone: entryOf({ result }) },
      'lone.walk': { alone: entryOf() },
      'ghost.run': { twice: second, both: { ...second, result: undefined } },
    },
    steps: { [hashOf('hero#1')]: entryOf({ result }), step: entryOf() },
  },
  submissions: {
    [hashOf('hero.run')]: accepted('e-run'),
    [hashOf('hero#1')]: { ...accepted('e-1'), stored: { attempt: 1, ...result } },
    old: accepted('e-old'),
    sent: { attempt: 1, sends: [{ send: 1, at: 1, mono: 1, keyTag: 'k', answer: { kind: 'none' } }] },
    asks: { ...accepted('e-asks'), question },
    gone: accepted('e-gone'),
    twice: { ...accepted('e-twice'), strays: [stray('s-twice')] },
    both: { ...accepted('e-both'), strays: [stray('s-both')] },
    alone: accepted('e-lone'),
    step: accepted('e-step'),
  },
  kept: { [result.sha256]: picture },
}

/** The first digits of an order's hash, or its name here. */
const nameOf = (hash: string): string => [...hashes].find(([, one]) => one === hash)?.[0] ?? hash
const shown = ({ order, standing }: NamedOrder): string => {
  expect([order.hash, order.identity]).toEqual([standing.hash, identity])
  const { state, executionId = '-', question: open } = standing
  return [nameOf(order.hash), order.request.id, state, executionId, ...(open ? [open.text] : [])].join(' ')
}

describe('the orders of a name', () => {
  const of = async (name: string, hash?: string, more: Partial<MemoryProject> = {}): Promise<readonly string[]> => {
    const { context, session } = openMemoryProject({ ...project, ...more })
    return (await findOrders(context, session, name, hash)).map(shown)
  }
  const steps = ['hero#1 hero#1 bought e-1']
  const items = ['hero.walk hero.walk bought -', 'hero.run hero.run running e-run']
  const earlier = ['old hero.walk running e-old', 'sent hero.walk uncertain -']
  const ghosts = ['asks ghost.walk running e-asks Which hand?', 'both ghost.run running e-both', 'twice ghost.run bought -']
  const sword = ['icons.sword#1 icons.sword#1 missing -', 'icons.sword icons.sword missing -']

  test.each<[string, readonly string[]]>([
    ['hero', [...steps, ...items, ...earlier]],
    ['hero.walk', [...items.slice(0, 1), ...earlier]],
    ['icons.sword#1', sword.slice(0, 1)],
    ['icons', ['hero#1 icons#1 bought e-1', ...sword, 'icons.shield icons.shield missing -']],
    ['ghost', ghosts],
    ['lone', ['alone lone.walk running e-lone']],
  ])('%s are its steps, its requests, and those of earlier specs', async (name, orders) => {
    expect(await of(name)).toEqual(orders)
  })

  test('are none of a name that nothing has, and none of a sprite whose spec is broken, but those of others', async () => {
    await expect(of('nobody')).rejects.toMatchObject({ code: 'SW_USAGE' })
    const broken = { specs: { ...specs, hero: '{' } }
    await expect(of('hero', undefined, broken)).rejects.toMatchObject({ code: 'SW_SPEC' })
    expect(await of('icons.sword', undefined, broken)).toEqual(sword)
    const { context, session } = openMemoryProject(project)
    const unread = { ...context, host: { ...context.host, env: { SPRITEWRIGHT_APPROVERS: 'x' } } }
    await expect(findOrders(unread, session, 'hero')).rejects.toMatchObject({ code: 'SW_CONFIG' })
  })

  test('of a first step are not those of the tenth', async () => {
    const long = [{ edit: 'a sword' }, ...Array.from({ length: 10 }, () => ({ edit: 'it' }))]
    const more = { specs: { ...specs, icons: { ...specs.icons, pictures: { sword: long } } } }
    expect(await of('icons.sword#1', undefined, more)).toEqual(sword.slice(0, 1))
  })

  test('are the one of a hash, under the first of its names, whatever the name and the other specs', async () => {
    const one = (id: string): Promise<readonly string[]> => of('nobody', hashOf(id), { specs: { ...specs, aaa: '{' } })
    expect(await Promise.all(['hero.run', 'hero#1', 'twin.shield', 'asks', 'twice', 'nowhere'].map(one))).toEqual([
      items.slice(1),
      steps,
      ['icons.shield icons.shield missing -'],
      ghosts.slice(0, 1),
      ghosts.slice(2),
      [],
    ])
    expect(await one('step')).toEqual(['step step#step running e-step'])
  })
})

describe('a bought result that is fetched again', () => {
  /** The outcome for the step of `hero`, whose result has these bytes, and what the run was told and asked. */
  const run = async (bytes: Uint8Array | undefined, failure?: Error, troubles: readonly string[] = [], signal = AbortSignal.any([])) => {
    const opened = openMemoryProject({ ...project, kept: bytes ? { [result.sha256]: bytes } : {} })
    const context = { ...opened.context, vault: { ...opened.context.vault, troubles: new Set(troubles) } }
    const told: JobProgress[] = []
    const open = async (given: AbortSignal): Promise<Session> => {
      if (failure) throw failure
      return given === signal ? opened.session : Promise.reject(new Error('It had another signal.'))
    }
    const connection = { open } as unknown as ServiceConnection
    const find = async (session: Session) => (await findOrder(context, session, hashOf('hero#1')))?.order
    const made = await regainOrder(context, connection, find, { onProgress: (one) => void told.push(one), signal })
    return { made, told, context, connection, signal }
  }
  const told = [{ id: 'hero#1', phase: 'bought' }]
  const failed = (code: ErrorCode): Error => new SpritewrightError(code, { message: 'So it is.' })

  test('counts if it can be read, and else has the reason', async () => {
    const whole = await run(picture)
    expect(whole).toMatchObject({ made: { sha256: result.sha256 }, told })
    expect(whole.made).not.toHaveProperty('why')
    expect(await run(new Uint8Array(3))).toMatchObject({ made: { sha256: result.sha256, why: expect.stringContaining('No record') }, told })
    const gone = await run(undefined)
    expect([gone.made, gone.told]).toEqual([{ why: expect.stringContaining('is not in /game/.spritewright/results') }, []])
    const { context, connection, signal } = whole
    expect(await regain(context, connection, hashOf('hero#1'), signal)).toEqual({ sha256: result.sha256 })
    for (const hash of [hashOf('hero.run'), 'nowhere'])
      expect(await regain(context, connection, hash, signal)).toEqual({ why: expect.stringContaining('bought at another service') })
  })

  test.each<[string, Error, readonly string[], string]>([
    ['no key', failed('SW_NO_KEY'), [], 'again: So it is.'],
    ['no key, and a shared store with troubles', failed('SW_NO_KEY'), ['One.', 'Two.'], 'One. Two.'],
    ['no service, and a shared store with troubles', failed('SW_NO_SERVICE'), ['One.'], 'again: So it is.'],
  ])('says why it was not fetched: %s', async (_what, failure, troubles, words) => {
    expect((await run(picture, failure, troubles)).made).toEqual({ why: expect.stringMatching(new RegExp(`${words}$`)) })
  })

  test('ends with the reason of an interruption, or with a fault of the program', async () => {
    await expect(run(picture, failed('SW_NO_KEY'), ['One.'], AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted')
    await expect(run(picture, new TypeError('not a function'))).rejects.toThrow(TypeError)
  })
})
