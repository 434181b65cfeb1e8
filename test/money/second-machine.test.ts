import { describe, expect, test } from 'vitest'
import { formatCredits } from '../../src/credit/credits.ts'
import type { Net } from '../../src/host/net.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv } from '../kit/keys.ts'
import { answering, asking, failing, type Machine, minutes, refusal, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

/** Keys are remembered for only a minute, so a later second POST is charged again. */
const forgetful = { retentionMs: minutes }

describe('what one machine bought the others have', () => {
  test('a purchase of another machine is fetched by one whose own attempt had failed, also under --frozen', async () => {
    const { first, clone, wait, posts, charged } = await team({ ...forgetful, ...failing('for good') })
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    const second = clone(first)
    await wait(2 * minutes)
    await second.approve({ adopt: true })
    await second.build()
    const sent = posts()
    first.pull(second)
    expect(await first.states()).toEqual(['lost'])
    await first.build({ frozen: true })
    expect(first.results()).toEqual([sheetOf('a knight walk')])
    expect([posts() - sent, charged()]).toEqual([0, ['a knight walk']])
  })

  test('a purchase that is on its way on another machine is followed, not made again', async () => {
    const { first, clone, wait, posts, charged } = await team(forgetful)
    await first.approve()
    await first.dieBuilding((call) => call.startsWith('writeTemp') && call.includes('/results/') && !call.includes('probe'))
    const second = clone(first)
    await wait(2 * minutes)
    expect((await second.build()).bought).toEqual([])
    expect(second.results()).toEqual([sheetOf('a knight walk')])
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('two machines that are the same buyer and build in the same moment get the same execution', async () => {
    const { first, clone, run, posts, charged } = await team()
    const env = keyEnv(9)
    await first.approve({}, { env })
    const second = clone(first)
    const named = { env: { ...env, SPRITEWRIGHT_PROJECT: `${first.entry('hero.walk').approval?.project}` } }
    const workshops = await Promise.all([first.open({ env }), second.open(named)])
    await run(Promise.all(workshops.map((workshop) => workshop.build({ buyOnly: true }))))
    expect([posts(), charged()]).toEqual([2, ['a knight walk']])
    expect(second.results()).toEqual(first.results())
  })

  test('a question that was answered on another machine is over: its result is fetched here, and the lock file keeps its execution', async () => {
    const { first, clone, run, charged } = await team(asking)
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    const asked = first.entry('hero.walk').execution?.id
    const second = clone(first)
    await expect(second.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    const { executionId } = await run((await second.open()).answer({ name: 'hero', text: 'left' }))
    expect(executionId).not.toBe(asked)
    expect(second.entry('hero.walk').execution?.id).toBe(executionId)
    await second.build()
    first.pull(second)
    await first.build()
    expect(first.entry('hero.walk').execution?.id).toBe(executionId)
    expect(first.results()).toEqual(second.results())
    expectCount(charged(), 1)
  })

  test('a question that was answered on another machine, whose lock file is not here yet, is told as such and nothing is sent', async () => {
    const { first, clone, run, posts, charged } = await team(asking)
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    const second = clone(first)
    await expect(second.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await run((await second.open()).answer({ name: 'hero', text: 'left' }))
    await second.build()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION', message: expect.stringContaining('answered elsewhere') })
    first.pull(second)
    await first.build()
    expect(first.results()).toEqual(second.results())
    expect([posts(), charged().length]).toEqual([1, 1])
  })

  test('its purchase stands beside a POST of our own that nobody has answered: the ledger tells of both, and so does approval.total', async () => {
    const { first, clone, run, wait, posts, charged } = await team(forgetful)
    const second = clone(first)
    await first.approve()
    await first.dieBuilding((call) => call.startsWith('link') && call.includes('/0004.json'))
    await wait(31 * minutes)
    await second.approve({ adopt: true })
    await second.build()
    first.pull(second)
    const lines = async (): Promise<readonly (readonly [string, string, string])[]> =>
      (await run((await first.open()).ledger())).lines.map(({ state, origin, credits }) => [state, origin, formatCredits(credits)] as const)
    const both = [
      ['settled', 'elsewhere', '1.6'],
      ['uncertain', 'here', '1.6'],
    ]
    expect((await lines()).toSorted()).toEqual(both)
    await first.build()
    expect(first.results()).toEqual(second.results())
    expect((await lines()).toSorted()).toEqual(both)
    expect([posts(), charged()]).toEqual([2, ['a knight walk', 'a knight walk']])
    first.write('sprites/hero.sprite.json', specOf('a squire', 'hero'))
    await expect(first.approve({}, { options: { approval: { total: '4.7' } } })).rejects.toMatchObject({
      code: 'SW_CEILING',
      facts: { committed: '3.2' },
    })
  })

  test('inside the window a POST of our own is repeated before anything is taken over: its answer names the execution that it has started', async () => {
    const { first, clone, run, wait, posts, charged } = await team(forgetful)
    const second = clone(first)
    await second.approve()
    await second.build()
    await wait(20 * minutes)
    await first.approve()
    await first.dieBuilding((call) => call.startsWith('link') && call.includes('/0004.json'))
    first.pull(second)
    await first.build()
    const [line] = (await run((await first.open()).ledger())).lines
    expect([line?.state, line?.origin]).toEqual(['settled', 'here'])
    expect(line?.executionId).not.toBe(second.entry('hero.walk').execution?.id)
    expect([posts(), charged()]).toEqual([3, ['a knight walk', 'a knight walk']])
  })

  test('an answer that comes after another machine’s execution has taken its place is written down, and fetched by the next build', async () => {
    const { first, clone, run, wait, world, charged } = await team({ ...forgetful, limits: { activeJobs: 9 } })
    const second = clone(first)
    await first.approve()
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const net: Net = {
      ...world.net,
      request: async (wanted) => {
        const response = await world.net.request(wanted)
        if (wanted.method === 'POST' && wanted.url.endsWith('/v1/execute')) await arrived
        return response
      },
    }
    const slow = (await first.open({ net })).build({ buyOnly: true }).then(
      () => 'done',
      (error: { code: string }) => error.code,
    )
    await wait(11 * minutes)
    await second.approve({ adopt: true })
    await second.build()
    first.pull(second)
    await first.build()
    arrive()
    await run(slow)
    await first.build()
    const lines = (await run((await first.open()).ledger())).lines.map(({ state, origin }) => `${state} ${origin}`)
    expect(lines.toSorted()).toEqual(['settled elsewhere', 'settled here'])
    expectCount(charged(), 2)
    expect(first.records().filter(({ type }) => type === 'stored')).toHaveLength(2)
  })

  test('an older approval that comes back with a branch starts nothing after a failure for good', async () => {
    const { first, clone, wait, posts } = await team(failing('for good', 'for good'))
    await first.approve()
    const branch = clone(first)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    await wait(1_000)
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    first.pull(branch)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    expect(posts()).toBe(2)
  })
})

/** A machine that has only another's approval, and its attempts to buy. */
interface Temptation {
  readonly how: string
  readonly service?: Parameters<typeof team>[0]
  /** Returns the machine that must not buy. */
  prepare(made: Team): Promise<Machine>
  /** Ends with a build. */
  tries(machine: Machine, made: Team): Promise<unknown>
}

/** The first machine approves, and another one has its lock file. */
const cloned = async ({ first, clone }: Team): Promise<Machine> => {
  await first.approve()
  return clone(first)
}
/** The other machine approves, after the first one has tried in vain. */
const overtaken = async ({ first, clone, wait }: Team): Promise<Machine> => {
  await first.approve()
  await first.build().catch(() => {})
  const other = clone(first)
  await wait(2 * minutes)
  await other.approve({ adopt: true, max: 50_000n })
  first.pull(other)
  return first
}
const chain = JSON.stringify({ reference: { steps: [{ text: 'a knight' }] }, prompt: 'a knight', animations: { walk: { frames: 7 } } })

const temptations: readonly Temptation[] = [
  { how: 'a build', prepare: cloned, tries: (machine) => machine.build() },
  {
    how: 'approve without --adopt, then a build',
    prepare: cloned,
    tries: async (machine) => {
      expect((await machine.approve()).untouched).toEqual(['hero.walk'])
      return machine.build()
    },
  },
  {
    how: 'approve --max, then a build',
    prepare: cloned,
    tries: async (machine) => {
      expect((await machine.approve({ max: 50_000n })).approved).toEqual([])
      return machine.build()
    },
  },
  {
    how: 'a standing approval of the configuration',
    prepare: cloned,
    tries: (machine) => machine.build({}, { options: { approval: { perSprite: '100' } } }),
  },
  {
    how: 'CI that is named as another buyer',
    prepare: cloned,
    tries: (machine) => machine.build({}, { options: { build: { generate: 'approved' } }, env: { CI: 'true', ...keyEnv(8) } }),
  },
  {
    how: 'a build after a rename',
    prepare: async (made) => {
      const machine = await cloned(made)
      machine.rename('sprites/hero.sprite.json', 'sprites/knight.sprite.json')
      return machine
    },
    tries: (machine) => machine.build(),
  },
  {
    how: 'a standing approval after a rename',
    prepare: async (made) => {
      const machine = await cloned(made)
      machine.rename('sprites/hero.sprite.json', 'sprites/knight.sprite.json')
      return machine
    },
    tries: (machine) => machine.build({}, { options: { approval: { perSprite: '100' } } }),
  },
  {
    how: 'a build of a reference chain',
    prepare: async (made) => {
      made.first.write('sprites/hero.sprite.json', chain)
      return cloned(made)
    },
    tries: (machine) => machine.build(),
  },
  {
    how: 'a build after a refusal of its own submission (401)',
    service: answering([refusal(401, 'authentication_failed')]),
    prepare: overtaken,
    tries: (machine) => machine.build(),
  },
  {
    how: 'a build after its own rate limit (429)',
    service: answering(Array.from({ length: 13 }, () => refusal(429, 'rate_limited'))),
    prepare: overtaken,
    tries: (machine) => machine.build(),
  },
  { how: 'a build after its own failure for good', service: failing('for good'), prepare: overtaken, tries: (machine) => machine.build() },
  {
    how: 'a build after its own executions had failed retryably, the last too',
    service: failing('retryable', 'retryable', 'retryable'),
    prepare: overtaken,
    tries: (machine) => machine.build(),
  },
  {
    how: 'a build after recover --abandon of its own submission',
    service: answering(Array.from({ length: 6 }, () => ({ status: 500, headers: {}, body: new Uint8Array() }))),
    prepare: async (made) => {
      const { first, clone, wait, run } = made
      await first.approve()
      await first.build().catch(() => {})
      await wait(11 * minutes)
      const other = clone(first)
      await run((await first.open()).recover({ name: 'hero', decision: 'abandon' }))
      await other.approve({ adopt: true, max: 50_000n })
      first.pull(other)
      return first
    },
    tries: (machine) => machine.build(),
  },
  {
    how: 'recover --replay after a conflict',
    service: answering([refusal(409, 'conflict'), refusal(409, 'conflict')]),
    prepare: overtaken,
    tries: async (machine, { run }) => run((await machine.open()).recover({ name: 'hero', decision: 'replay' })),
  },
]

describe('an approval of another machine is not spent without --adopt', () => {
  test.each(temptations.map((one) => [one.how, one] as const))('not by %s', async (_how, { service, prepare, tries }) => {
    const made = await team({ ...forgetful, ...service })
    const machine = await prepare(made)
    const sent = made.posts()
    await expect(tries(machine, made)).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect([made.posts() - sent, made.charged()]).toEqual([0, []])
  })

  test('with it the purchase is taken over: bought once, whoever builds afterwards', async () => {
    const { first, clone, wait, posts, charged } = await team(forgetful)
    await first.approve()
    const second = clone(first)
    expect(await second.approve({ adopt: true })).toMatchObject({ approved: [{ id: 'hero.walk' }] })
    await second.build()
    await wait(2 * minutes)
    first.pull(second)
    await first.build()
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('nor is anything of one’s own sent by a build that also needs what another machine is to buy', async () => {
    const { first, clone, posts, charged } = await team()
    await first.approve()
    const second = clone(first)
    second.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
    await second.approve()
    await expect(second.build()).rejects.toMatchObject({ code: 'SW_BUYER', facts: { ids: ['hero.walk'] } })
    expect(posts()).toBe(0)
    await second.build({ names: ['rogue'] })
    expect(charged()).toEqual(['a rogue walk'])
  })

  test('a step of a chain that another machine approved is not bought for a sprite of one’s own', async () => {
    const { first, clone, posts } = await team()
    first.write('sprites/hero.sprite.json', chain)
    await first.approve()
    const second = clone(first)
    second.write('sprites/rogue.sprite.json', chain.replace('"prompt":"a knight"', '"prompt":"a rogue"'))
    expect((await second.approve({ names: ['rogue'] })).approved.map(({ id }) => id)).toEqual(['rogue.walk'])
    await expect(second.build({ names: ['rogue'] })).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(0)
  })

  test('an approval that was taken over is not spent by the machine that gave it', async () => {
    const { first, clone, posts, charged } = await team()
    await first.approve()
    const second = clone(first)
    await second.approve({ adopt: true })
    first.pull(second)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_BUYER' })
    await second.build()
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })
})
