import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { fullBudget, type OwnerBudget } from '../../src/job/records/budgets.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { createReservations, type Reservations } from '../../src/job/records/reservations.ts'
import { foldHistory, foldShares, keyOf, type ReservationRecord } from '../../src/job/records/shares.ts'
import { readOwnerLimits } from '../../src/project/trust/owner-limits.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const [anna, ben] = ['a'.repeat(40), 'b'.repeat(40)]
const november = Date.UTC(2026, 10, 30, 23, 59)
const month = (at: number): string => new Date(at).toISOString().slice(0, 7)
const hashOf = (index: number): string => index.toString(16).padStart(64, '0')
const share = (index: number, credits: bigint, approver?: string) => ({
  ...{ id: `s${index}.walk`, hash: hashOf(index), attempt: 1, credits, round: 0 },
  approver,
})

function journalOf(budgets: readonly OwnerBudget[], start = november) {
  const time = { wall: start }
  const disk = new MemoryDisk()
  const clock = { wall: () => time.wall, mono: () => 10, sleep: async () => {} }
  const ports = { disk, random: countingRandom(), clock, keys: ringOf(testKey(1)) }
  const stores = { journal: createJournal(ports, '/j'), lock: createLockStore(ports, '/sprites.lock.json') }
  const open = (project?: string, key = 1): Reservations =>
    createReservations(
      { ...ports, keys: ringOf(testKey(key)) },
      { folder: '/j' },
      stores,
      async () => undefined,
      async () => '',
      async () => ({ project, budgets }),
    )
  return { time, open, stores }
}

describe('the budgets of the machine that buys', () => {
  test('law: no order of purchases of two processes exceeds a budget, and each refused one would have', async () => {
    const purchase = fc.record({
      credits: fc.bigInt({ min: 1n, max: 30n }),
      project: fc.constantFrom('castle', 'space'),
      approver: fc.constantFrom(anna, ben),
      waitMs: fc.constantFrom(0, 30_000, 86_400_000),
      isBeside: fc.boolean(),
    })
    const budget = fc.record({
      credits: fc.bigInt({ min: 0n, max: 90n }),
      per: fc.constantFrom('month' as const, 'ever' as const),
      project: fc.constantFrom(undefined, 'castle'),
      approver: fc.constantFrom(undefined, anna),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(purchase, { maxLength: 10 }), fc.array(budget, { minLength: 1, maxLength: 3 }), async (wanted, budgets) => {
        const { time, open } = journalOf(budgets)
        let beside: Promise<unknown> = Promise.resolve()
        for (const [index, { credits, project, approver, waitMs, isBeside }] of wanted.entries()) {
          const reserving = open(project)
            .reserve(share(index, credits, approver))
            .catch((error: unknown) => expect(error).toMatchObject({ code: 'SW_CEILING', facts: { id: `s${index}.walk` } }))
          if (isBeside) beside = Promise.all([beside, reserving])
          else await Promise.all([beside, reserving])
          time.wall += isBeside ? 0 : waitMs
        }
        await beside
        const shares = await open().shares()
        for (const { credits, per, project, approver } of budgets) {
          const sums = new Map<string, bigint>()
          for (const one of shares) {
            if ((project && one.project !== project) || (approver && one.approver !== approver)) continue
            const key = per === 'month' ? month(one.at) : ''
            sums.set(key, (sums.get(key) ?? 0n) + one.credits)
          }
          for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(credits)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('the refusal names the budget, what is spent and left, and the day on which it starts anew', async () => {
    const { time, open } = journalOf([{ credits: parseCredits('5'), per: 'month', project: 'castle', approver: anna }])
    await open('castle').reserve(share(1, parseCredits('3'), anna))
    await expect(open('castle').reserve(share(2, parseCredits('2.5'), anna))).rejects.toMatchObject({
      code: 'SW_CEILING',
      message: expect.stringMatching(
        /project "castle" for approvals by a{40} is 5 credits a month; 3 are .* since 2026-11-01, and 2 are left/,
      ),
      facts: { price: '2.5', spent: '3', left: '2', until: '2026-12-01' },
    })
    await open('space').reserve(share(3, parseCredits('9'), anna))
    await open('castle').reserve(share(4, parseCredits('9'), ben))
    time.wall += 120_000
    await open('castle').reserve(share(2, parseCredits('2.5'), anna))
  })

  test('a share of an earlier version, which names neither project nor approver, counts in every budget', async () => {
    const { open } = journalOf([{ credits: 5n, per: 'ever', project: 'castle', approver: anna }])
    await open().reserve(share(1, 4n))
    await expect(open('castle').reserve(share(2, 2n, anna))).rejects.toMatchObject({ code: 'SW_CEILING' })
    await open('space').reserve(share(3, 9n, ben))
  })

  test('a share that somebody else reserves beforehand for another project and approver takes the purchase out of no budget', async () => {
    const { open } = journalOf([{ credits: 5n, per: 'month', project: 'castle', approver: anna }])
    await open('space', 2).reserve(share(1, 9n, ben))
    await expect(open('castle').reserve(share(1, 9n, anna))).rejects.toMatchObject({ code: 'SW_CEILING' })
    await open('space', 2).reserve(share(2, 4n, ben))
    await open('castle').reserve(share(2, 4n, anna))
    await expect(open('castle').reserve(share(3, 2n, anna))).rejects.toMatchObject({ code: 'SW_CEILING' })
  })

  test('a share that was reserved and not sent counts in the budget of a later approver, not of the first one', async () => {
    const { open } = journalOf([{ credits: 5n, per: 'ever', approver: ben }])
    await open('castle').reserve(share(1, 9n, anna))
    await expect(open('castle').reserve(share(1, 9n, ben))).rejects.toMatchObject({ code: 'SW_CEILING' })
    await open('castle').reserve(share(2, 4n, anna))
    await open('castle').reserve(share(2, 4n, ben))
    await expect(open('castle').reserve(share(3, 2n, ben))).rejects.toMatchObject({ code: 'SW_CEILING' })
  })

  test('a month counts from its first moment, December ends with the year, and no less than nothing is left', () => {
    const taken = (at: number, index = 1) => new Map([[keyOf(share(index, 0n)), { ...share(index, parseCredits('3')), at }]])
    const limit = (per: OwnerBudget['per']): readonly OwnerBudget[] => [{ credits: parseCredits('2'), per }]
    const full = (per: OwnerBudget['per'], at: number, now = november, index = 1) =>
      fullBudget(limit(per), share(2, parseCredits('2')), taken(at, index), now)?.facts
    const first = Date.UTC(2026, 10, 1)
    expect(full('month', first)).toMatchObject({ spent: '3', left: '0', budget: '2', until: '2026-12-01' })
    expect(full('month', first - 1)).toBe(undefined)
    expect(full('ever', 0)).toMatchObject({ spent: '3', left: '0', per: 'ever', until: undefined })
    expect(full('month', Date.UTC(2027, 0, 5), Date.UTC(2026, 11, 31))).toMatchObject({ until: '2027-01-01' })
    // Its own earlier share is replaced.
    expect(full('ever', 0, november, 2)).toBe(undefined)
  })

  test('of all records of an attempt the last of the own ones is its history, and a field that is no text is none', () => {
    const record = (credits: string, project: unknown) =>
      ({
        type: 'reserved',
        at: 1,
        body: { id: 'a.b', hash: 'h', attempt: 1, credits, project, approver: 5 },
      }) as unknown as ReservationRecord
    const [early, own, planted] = [record('1', 'castle'), record('2', 'x'.repeat(300)), record('9', 'space')]
    const [kept] = foldHistory([early, own, planted], new Set([early, own])).values()
    expect(kept).toMatchObject({ credits: parseCredits('2'), project: 'x'.repeat(200), approver: undefined })
    const [strange] = foldHistory([planted], new Set()).values()
    expect(strange).toMatchObject({ credits: parseCredits('9'), project: 'space' })
  })

  test('a failed attempt gives its share back to the budget', async () => {
    const { open, stores } = journalOf([{ credits: 5n, per: 'ever' }])
    await open().reserve(share(1, 5n))
    const { journal } = stores
    const frozen = {
      attempt: 1,
      key: 'k',
      body: '{}',
      bodySha256: 'b',
      maxCredits: '4',
      ceiling: '4',
      priceVersion: 'v',
      approvedAt: 'then',
    }
    const view = await journal.append(hashOf(1), await journal.read(hashOf(1)), 'frozen', frozen)
    const sent = view && (await journal.append(hashOf(1), view, 'sent', { attempt: 1, send: 1, keyTag: 'k' }))
    await expect(open().reserve(share(2, 5n))).rejects.toMatchObject({ code: 'SW_CEILING' })
    if (sent) await journal.append(hashOf(1), sent, 'failed', { attempt: 1, status: 'failed', error: null })
    await open().reserve(share(2, 5n))
  })

  test('a record of somebody else takes no share out of its budget', () => {
    const record = (at: number, credits: string, project: string) =>
      ({
        type: 'reserved',
        at,
        body: { id: 'a.b', hash: 'h', attempt: 1, credits, project, approver: anna },
      }) as unknown as ReservationRecord
    const own = record(november, '4', 'castle')
    const [kept] = foldShares([own, record(1, '5', 'space')], new Set([own])).values()
    expect(kept).toMatchObject({ credits: parseCredits('5'), project: 'castle', approver: anna, writtenAt: november })
  })
})

describe('the settings of the owner', () => {
  const limitsOf = (settings: object, packageName?: string) => {
    const disk = new MemoryDisk()
    disk.files.set('/state/settings.json', new TextEncoder().encode(JSON.stringify(settings)))
    return readOwnerLimits({ disk, stateFolder: '/state' }, '/srv/clones/game', packageName)
  }
  const projects = [{ dir: '/srv/clones/game', name: 'castle' }]

  test('the name in package.json does not change the name that a budget limits', async () => {
    const budgets = [{ credits: '200', per: 'month', project: 'castle' }]
    const found = await limitsOf({ worker: { projects, budgets } }, 'space')
    expect(found).toEqual({ project: 'castle', budgets: [{ credits: parseCredits('200'), per: 'month', project: 'castle' }] })
    expect((await limitsOf({}, 'space')).project).toBe('space')
    expect((await limitsOf({})).project).toBe('game')
  })

  test('a budget of the second name of a clone, which would count nothing, is refused', async () => {
    const twice = [...projects, { dir: '/srv/clones/game', name: 'space' }]
    const budgetOf = (project: string) => [{ credits: '1', per: 'ever', project }]
    expect((await limitsOf({ worker: { projects: twice, budgets: budgetOf('castle') } })).project).toBe('castle')
    await expect(limitsOf({ worker: { projects: twice, budgets: budgetOf('space') } })).rejects.toMatchObject({ code: 'SW_CONFIG' })
  })

  test.each([
    ['of a project that the settings do not list', { credits: '1', per: 'month', project: 'other' }, 'worker.projects'],
    ['with a misspelled field', { credits: '1', per: 'month', projct: 'castle' }, 'worker.budgets.0'],
    ['with a number of credits', { credits: 1, per: 'month' }, 'worker.budgets.0.credits'],
    ['without a period', { credits: '1' }, 'worker.budgets.0.per'],
    ['of an approver that is no fingerprint', { credits: '1', per: 'ever', approver: 'Anna' }, 'worker.budgets.0.approver'],
  ])('a budget %s is refused', async (_what, budget, place) => {
    await expect(limitsOf({ worker: { projects, budgets: [budget] } })).rejects.toMatchObject({
      code: 'SW_CONFIG',
      message: expect.stringContaining(place),
    })
  })
})
