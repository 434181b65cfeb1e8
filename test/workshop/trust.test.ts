import { describe, expect, test } from 'vitest'
import { isSigned } from '../../src/credit/approval.ts'
import type { Given } from '../../src/credit/given.ts'
import { nodeRandom } from '../../src/host/random.ts'
import type { Context } from '../../src/project/context.ts'
import { openPersonRequests } from '../../src/project/requests.ts'
import type { Session } from '../../src/project/session.ts'
import { openTrustedHosts } from '../../src/project/trust/hosts.ts'
import { acceptStanding } from '../../src/workshop/trust/accept-standing.ts'
import { checkWay, giveApproval, giveStanding, openSigner, record, timeAfter, timesOf } from '../../src/workshop/trust/approvals.ts'
import { openTrust } from '../../src/workshop/trust/trust.ts'
import { type Bench, bench, order, price } from '../job/bench.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

function desk(key?: string) {
  const disk = new MemoryDisk()
  const hosts = openTrustedHosts({ disk, random: countingRandom(), clock: new ManualClock(), stateFolder: '/state' })
  const credentials = key === undefined ? {} : { key: { reveal: () => key } }
  const ports = { disk, random: nodeRandom(), clock: new ManualClock(), stateFolder: '/state' }
  const requests = openPersonRequests(ports, 'place')
  return { disk, requests, trust: openTrust({ hosts, credentials, requests } as unknown as Context) }
}

test('an address is confirmed for the present key, by its origin alone', async () => {
  const { trust } = desk('sw_test_key')
  expect(await trust.confirm('api.example.com')).toBe('https://api.example.com')
  expect(await trust.list()).toMatchObject([{ origin: 'https://api.example.com', key: expect.not.stringContaining('sw_test_key') }])
  expect([await trust.remove('https://api.example.com'), await trust.list()]).toEqual([1, []])
})

test('a confirmation ends the requests for that address, and no others', async () => {
  const { trust, requests } = desk('sw_test_key')
  const ask = { verb: 'trust', why: 'The build stopped.', from: 'shell' } as const
  await requests.add({ ...ask, names: ['api.example.com'] })
  const other = await requests.add({ ...ask, names: ['other.example.com'] })
  await requests.add({ ...ask, names: ['https://api.example.com'] })
  await trust.confirm('api.example.com')
  expect(await requests.list()).toEqual([other])
})

test('a confirmation that cannot be written is an error, and none without a key is written', async () => {
  const { disk, trust } = desk('sw_test_key')
  disk.fault = { call: 'write ', code: 'ENOSPC' }
  await expect(trust.confirm('api.example.com')).rejects.toMatchObject({ code: 'ENOSPC' })
  await expect(desk().trust.confirm('api.example.com')).rejects.toMatchObject({ code: 'SW_NO_KEY' })
  await expect(desk('sw_test_key').trust.confirm('ftp://api.example.com')).rejects.toMatchObject({ code: 'SW_USAGE' })
})

const time = (ms: number): string => new Date(ms).toISOString()

test.each<[wall: number, before: readonly (string | null | undefined)[], after: number]>([
  [50, [], 50],
  [50, [time(40), undefined, null], 50],
  [50, [time(49)], 50],
  [50, [time(50)], 51],
  [50, [time(70), time(60)], 71],
  [50, ['no time'], 50],
  [0, [], 1],
])('an approval at %d after those of %j has the time %d', (wall, before, after) => {
  expect(timeAfter(wall, before)).toBe(time(after))
})

describe('a record of an approval', () => {
  type Submission = { attempt: number; newest?: object; abandoned?: object; accepted?: object }
  const views = (...submissions: readonly Submission[]): readonly object[] => submissions.map((submission) => ({ submission }))
  /** What is appended to a journal that another process changes before each of these views but the last. */
  const write = async (
    seen: readonly object[],
    more: { env?: object; fixed?: string; type?: 'approved' | 'revoked'; isFree?: boolean } = {},
  ) => {
    const appended: unknown[] = []
    const left = [...seen]
    const journal = {
      read: async () => left.shift(),
      append: async (hash: string, view: object, type: string, body: object) => {
        appended.push([hash, type, body])
        return view === seen.at(-1) ? 'next' : undefined
      },
    }
    const context = { journal, host: { clock: { wall: () => 50 }, env: more.env ?? {} } } as unknown as Context
    const found = await record(context, 'h', more.type ?? 'approved', [time(10)], () => more.isFree ?? true, more.fixed)
    return { found, appended }
  }

  test('has a time after all approvals that the journal tells of, also of one that comes meanwhile', async () => {
    const [first, second] = [
      { attempt: 1, newest: { at: time(60) } },
      { attempt: 2, abandoned: { approvedAt: time(80) } },
    ]
    expect(await write(views(first, second))).toEqual({
      found: { at: time(81), view: 'next' },
      appended: [
        ['h', 'approved', { attempt: 1, at: time(61) }],
        ['h', 'approved', { attempt: 2, at: time(81) }],
      ],
    })
    expect((await write(views({ attempt: 1, accepted: { approvedAt: time(90) } }))).found?.at).toBe(time(91))
    expect(timesOf(views({ attempt: 1, newest: { at: 'n' } })[0] as never, 'k', undefined)).toEqual([
      'k',
      undefined,
      'n',
      undefined,
      undefined,
    ])
  })

  test('is not written where another has come, or at a time that is over', async () => {
    const seen = views({ attempt: 1, newest: { at: time(60) } })
    const none = { found: undefined, appended: [] }
    expect(await write(seen, { isFree: false })).toEqual(none)
    expect(await write(seen, { fixed: time(60) })).toEqual(none)
    expect((await write(seen, { fixed: time(61) })).appended).toEqual([['h', 'approved', { attempt: 1, at: time(61) }]])
  })

  test('names the shell of an agent where it approves, not where it takes back', async () => {
    const env = { AI_AGENT: '1' }
    expect((await write(views({ attempt: 1 }), { env })).appended).toEqual([
      ['h', 'approved', { attempt: 1, at: time(50), shell: 'agent' }],
    ])
    expect((await write(views({ attempt: 1 }), { env, type: 'revoked' })).appended).toEqual([
      ['h', 'revoked', { attempt: 1, at: time(50) }],
    ])
  })
})

describe('standing ceilings', () => {
  const accept = (accepted: readonly string[] | undefined, now: readonly string[] | undefined): Promise<unknown> => {
    const context = {
      options: { approval: { perSprite: undefined }, approvalAccept: now },
      memory: { read: async () => (accepted ? { accept: accepted } : undefined) },
      standing: { read: async () => undefined },
      total: { accepted: async () => undefined },
    }
    const confirm = async (): Promise<boolean> => true
    return acceptStanding(context as unknown as Context, {} as unknown as Session, { confirm }, new AbortController().signal)
  }

  test('that nobody has set cannot be accepted', async () => {
    await expect(accept(undefined, undefined)).rejects.toMatchObject({ code: 'SW_USAGE' })
  })

  test.each([[['touched', 'typed']], [['clicked']], [undefined]])('let no other way count after touches alone: %j', async (now) => {
    const facts = { accepted: ['touched'], accept: now ?? expect.arrayContaining(['touched', 'typed']) }
    await expect(accept(['touched'], now)).rejects.toMatchObject({ code: 'SW_APPROVAL', facts })
  })
})

describe('giving an approval', () => {
  const day = 24 * 3_600_000
  const terms = { ceiling: price + 1n, priceVersion: 'v9' }
  function approver(options: object = {}, env: object = {}, facts?: object, made: Bench = bench()) {
    const context = {
      ...made,
      host: { clock: made.clock, env, disk: made.disk, stateFolder: '/state' },
      keys: ringOf(testKey(1)),
      checkout: { isShared: false, read: async () => 'desk', readOrMake: async () => 'desk' },
      memory: { read: async () => facts, keep: async () => facts },
      touchKeys: { list: async () => [] },
      options: { approval: {}, ...options },
    }
    return { ...made, context: context as unknown as Context }
  }

  test('signs all terms, with the project and an end that is counted from the latest run', async () => {
    const at = time(5)
    const project = 'a'.repeat(32)
    const given = async (options: object, env: object, facts?: object) => {
      const { context, clock } = approver(options, env, facts)
      const { approval, ...rest } = (await openSigner(context, 'typed'))(order, { ...terms, given: 'typed' }, at)
      expect({ ...rest, approval: order.approval }).toEqual(order)
      expect(isSigned(approval, order.hash, order.identity)).toBe(true)
      expect(approval).toMatchObject({ ...terms, given: 'typed', at, checkout: 'desk', buyer: testKey(1).fingerprint })
      return [approval.project, Date.parse(approval.expires ?? '') - clock.wall()]
    }
    expect(await given({}, {})).toEqual([undefined, 30 * day])
    expect(await given({ approvalValidMs: day }, {}, { project, latest: 0 })).toEqual([project, day])
    const ahead = { project, latest: bench().clock.wall() + 2 * day }
    expect(await given({}, { SPRITEWRIGHT_PROJECT: 'b'.repeat(32), SPRITEWRIGHT_VALID_FOR: '12h' }, ahead)).toEqual([
      'b'.repeat(32),
      2.5 * day,
    ])
  })

  test.each<[Given, readonly Given[], string, string]>([
    [
      ...(['typed', ['clicked', 'touched'], 'touched, clicked'] as const),
      'Approve in the panel by a touch. If no authenticator is enrolled yet, the panel shows how.',
    ],
    ['typed', ['standing', 'clicked'], 'clicked, standing', 'Approve in the panel, which vite serves.'],
    ['unattended', ['typed'], 'typed', 'Approve at a terminal, without --yes.'],
    ['typed', ['standing'], 'standing', 'Accept other ways: npx spritewright approve --standing'],
  ])('as %s where only %j count is refused, and nothing is signed', async (given, approvalAccept, ways, advice) => {
    const { context } = approver({ approvalAccept })
    const message = `Expected an approval in a way that counts here (${ways}), found one that is ${given}: approval.accept or SPRITEWRIGHT_APPROVALS does not allow it. Nothing was written. ${advice}`
    const refused = { code: 'SW_APPROVAL', facts: { given, accepted: [...approvalAccept] }, message }
    await expect(checkWay(context, given)).rejects.toMatchObject(refused)
    await expect(openSigner(context, given)).rejects.toMatchObject(refused)
    for (const way of approvalAccept) expect(await checkWay(context, way)).toBe(undefined)
  })

  test('in a way that is refused records nothing, so that an earlier approval still counts', async () => {
    const { context, types } = approver({ approvalAccept: ['touched'] })
    await expect(giveApproval(context, order, { ...terms, given: 'typed' })).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(await types()).toEqual([])
  })

  test('under standing ceilings is recorded with its own time, unless another process has given one since', async () => {
    const { context, view } = approver()
    const first = await giveStanding(context, order, terms, undefined)
    const { newest } = (await view()).submission
    expect(first?.approval).toMatchObject({ ...terms, given: 'standing', at: newest?.at })
    expect((await giveStanding(context, order, terms, newest))?.approval.at).toBe((await view()).submission.newest?.at)
    expect((await view()).records.map(({ type }) => type)).toEqual(['approved', 'approved'])
  })

  test.each([
    [3, 3],
    [99, 20],
  ])('waits for the approval of another process, which the lock file has after %d pauses: %d pauses', async (after, pauses) => {
    const made = bench()
    const slept: number[] = []
    const clock = {
      ...made.clock,
      sleep: async (ms: number) => {
        if (slept.push(ms) !== after) return
        const { at } = (await made.view()).submission.newest ?? { at: '' }
        const approval = { ceiling: '1', priceVersion: 'v', buyer: 'b', at }
        await made.lock.change(order.request.id, order.hash, () => ({ service: order.identity, asked: { prompt: 'p' }, approval }))
      },
    }
    const { context } = approver({}, {}, undefined, { ...made, clock })
    await made.record('approved', { attempt: 1, at: time(9) })
    expect(await giveStanding(context, order, terms, undefined)).toBe(undefined)
    expect(slept).toEqual(Array(pauses).fill(250))
    expect(await made.types()).toEqual(['approved'])
  })
})
