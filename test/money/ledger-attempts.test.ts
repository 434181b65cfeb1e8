import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LedgerMove } from '../../src/credit/ledger.ts'
import { SpritewrightError } from '../../src/errors.ts'
import type { JournalRecord, RecordBodies, RecordType } from '../../src/job/records/record.ts'
import type { Context } from '../../src/project/context.ts'
import type { ServiceConnection, Session } from '../../src/project/session.ts'
import { groupLines, reportAccounts } from '../../src/workshop/ledger/account-report.ts'
import { readAccounts } from '../../src/workshop/ledger/accounts.ts'
import { attemptsOf } from '../../src/workshop/ledger/attempts.ts'
import type { LedgerLine, LedgerRequest } from '../../src/workshop/ledger/report.ts'
import { verifyAccounts } from '../../src/workshop/ledger/verify.ts'
import { testKey } from '../kit/keys.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

type Said = readonly [RecordType, object]

function chain(...said: readonly Said[]): readonly JournalRecord[] {
  return said.map(
    ([type, body], index) => ({ v: 1, n: index + 1, prev: '', type, at: index, mono: index, body, sum: '' }) as unknown as JournalRecord,
  )
}

const frozen = (attempt: number): readonly ['frozen', RecordBodies['frozen']] => [
  'frozen',
  {
    attempt,
    key: `key-${attempt}`,
    body: '{}',
    bodySha256: '',
    maxCredits: '1.6',
    ceiling: '2',
    priceVersion: 'v1',
    approvedAt: 't',
    balance: '100',
  },
]
const error = { reason: 'invalid_request', message: 'no', retryable: false, requestId: null, details: null }
const state = (...said: readonly Said[]): unknown =>
  attemptsOf(chain(...said)).map(({ attempt, state: now, executionId, decision }) => [attempt, now, executionId, decision])

describe('the money of attempts', () => {
  test('what was frozen and never sent, or refused for certain, is none', () => {
    expect(state(frozen(1))).toEqual([])
    expect(state(frozen(1), ['sent', { attempt: 1, send: 1 }], ['refused', { attempt: 1, send: 1, status: 422, error }])).toEqual([])
  })

  test('sent and unanswered counts with the whole ceiling, accepted with what was sent as the maximum', () => {
    const [unknown] = attemptsOf(chain(frozen(1), ['sent', { attempt: 1, send: 1 }]))
    expect(unknown).toMatchObject({ state: 'uncertain', credits: 20_000n, balanceBefore: 1_000_000n })
    const [held] = attemptsOf(chain(frozen(1), ['sent', { attempt: 1, send: 1 }], ['accepted', { attempt: 1, executionId: 'a' }]))
    expect(held).toMatchObject({ state: 'held', credits: 16_000n, isOurs: true, times: { opened: 1, held: 2 } })
  })

  test('an answer to a question goes on in another execution, under the same hold', () => {
    const asked = [frozen(1), ['sent', { attempt: 1, send: 1 }], ['accepted', { attempt: 1, executionId: 'a' }]] as const
    expect(state(...asked, ['answerAccepted', { attempt: 1, executionId: 'b' }])).toEqual([[1, 'held', 'b', undefined]])
  })

  test('how an execution ended that another one has followed says nothing of that one', () => {
    const failed = [
      frozen(1),
      ['sent', { attempt: 1, send: 1 }],
      ['accepted', { attempt: 1, executionId: 'a' }],
      ['failed', { attempt: 1, executionId: 'a', status: 'failed', error }],
      ['accepted', { attempt: 1, executionId: 'b' }],
    ] as const
    expect(state(...failed)).toEqual([[1, 'held', 'b', undefined]])
    expect(state(...failed, ['completed', { attempt: 1, executionId: 'a' }])).toEqual([[1, 'held', 'b', undefined]])
    const late = ['failed', { attempt: 1, executionId: 'a', status: 'failed', error }] as const
    expect(state(...failed, late)).toEqual([[1, 'held', 'b', undefined]])
    expect(state(...failed, ['completed', { attempt: 1, executionId: 'b' }])).toEqual([[1, 'settled', 'b', undefined]])
  })

  test('an execution that is known after all ends a giving up, but not where another attempt has taken its place', () => {
    const dropped = [
      frozen(1),
      ['sent', { attempt: 1, send: 1 }],
      ['decided', { attempt: 1, about: 'submission', decision: 'abandon' }],
    ] as const
    const late = ['accepted', { attempt: 1, executionId: 'a' }] as const
    expect(state(...dropped)).toEqual([[1, 'uncertain', undefined, 'abandon']])
    expect(state(...dropped, late)).toEqual([[1, 'held', 'a', undefined]])
    expect(state(...dropped, frozen(2), ['sent', { attempt: 2, send: 1 }], late)).toEqual([
      [1, 'held', 'a', 'abandon'],
      [2, 'uncertain', undefined, undefined],
    ])
  })

  test('law: whatever else the records say, an attempt with a POST that was not refused is counted, until it is restored', () => {
    const attempt = fc.integer({ min: 1, max: 3 })
    const send = fc.integer({ min: 1, max: 3 })
    const executionId = fc.constantFrom('a', 'b')
    const record = fc.oneof(
      attempt.map((n) => frozen(n)),
      fc.record({ attempt, send }).map((body) => ['sent', body] as const),
      fc.record({ attempt, send }).map((body) => ['refused', { ...body, status: 429, error }] as const),
      fc.record({ attempt, send }).map((body) => ['unknown', { ...body, status: null, message: '' }] as const),
      fc.record({ attempt, executionId }).map((body) => ['accepted', body] as const),
      fc.record({ attempt, executionId }).map((body) => ['completed', body] as const),
      fc.record({ attempt }).map((body) => ['decided', { ...body, about: 'submission', decision: 'abandon' }] as const),
    )
    fc.assert(
      fc.property(fc.array(record, { maxLength: 14 }), (said) => {
        const counted = new Set(attemptsOf(chain(...said)).map((money) => money.attempt))
        for (const number of [1, 2, 3]) {
          const open = new Set<number>()
          for (const [type, body] of said as readonly (readonly [RecordType, { attempt: number; send: number }])[]) {
            if (body.attempt !== number) continue
            if (type === 'sent') open.add(body.send)
            if (type === 'refused') open.delete(body.send)
          }
          if (open.size > 0) expect(counted).toContain(number)
        }
      }),
    )
  })
})

/** What the records of a project say of the one request `h`. */
interface Story {
  /** The last movement of its first attempt in `ledger.jsonl`. */
  readonly type?: LedgerMove['type']
  readonly records?: readonly JournalRecord[]
  /** Its entry in the lock file. */
  readonly entry?: object
  readonly project?: string
  readonly has?: boolean
  readonly people?: object
  readonly isReadOnly?: boolean
}

const accepted = ['accepted', { attempt: 1, executionId: 'e' }] as const
const sent = ['sent', { attempt: 1, send: 1 }] as const
const givenUp = ['decided', { attempt: 1, about: 'submission', decision: 'abandon' }] as const
const own = { host: 'x', keyMode: 'test', apiVersion: '1' }
const bought = chain(frozen(1), sent, accepted, ['completed', { attempt: 1, executionId: 'e' }], ['stored', { attempt: 1, sha256: 'r' }])
const lockEntry = (more: object = {}): object => ({ service: own, asked: { prompt: 'x' }, ...more })

function contextOf({ type, records, entry, project, has = false, people, isReadOnly }: Story): { context: Context; written: LedgerMove[] } {
  const written: LedgerMove[] = []
  const disk = new MemoryDisk()
  if (people) disk.files.set('/state/settings.json', new TextEncoder().encode(JSON.stringify({ names: people })))
  const share = { id: 'hero.walk', hash: 'h', attempt: 1, credits: 20_000n, at: 5, project, approver: testKey(1).fingerprint }
  const move = { at: 7, type, id: 'hero.walk', hash: 'h', attempt: 1, executionId: 'e', credits: 16_000n }
  const context = {
    lock: { read: async () => ({ version: 1, animations: entry ? { 'hero.walk': { h: entry } } : {} }) },
    ledger: {
      read: async () => (type ? [move] : []),
      ensureAll: async (moves: readonly LedgerMove[]) => {
        if (isReadOnly) throw new Error('read only')
        written.push(...moves)
        return moves.length
      },
    },
    journal: { requests: async () => (records ? ['h'] : []), peek: async () => ({ records }) },
    reservations: { history: async () => new Map(records ? [['h 1', share]] : []) },
    keys: { read: async () => undefined },
    host: { stateFolder: '/state', disk },
    vault: { has: async () => has },
    limits: async () => ({ project: 'own' }),
    storeFolder: '/store',
    options: { service: 'remote' },
  }
  return { context: context as unknown as Context, written }
}

describe('the ledger of a project', () => {
  const buyer = testKey(1).fingerprint
  const money = { attempt: 1, state: 'settled', credits: 16_000n, executionId: 'e' }
  const move = { id: 'hero.walk', hash: 'h', attempt: 1, executionId: 'e', credits: 16_000n }

  test('has a line with all that the journal says, and writes the movements that the file lacks', async () => {
    const { context, written } = contextOf({ records: bought, project: 'castle', people: { [buyer]: 'Anna' } })
    const line = { id: 'hero.walk', hash: 'h', isPicture: false, ...money, at: 3, origin: 'here', result: 'r' }
    const sums = { held: 0n, settled: 16_000n, restored: 0n, uncertain: 0n, elsewhere: 0n }
    expect(await readAccounts(context)).toEqual({
      lines: [{ ...line, approvedAt: 't', balanceBefore: 1_000_000n, project: 'castle', approvedBy: buyer, person: 'Anna' }],
      ...sums,
      sprites: [{ sprite: 'hero', ...sums }],
      repaired: 2,
      warnings: [],
    })
    expect(written).toEqual([
      { at: 2, type: 'held', ...move },
      { at: 3, type: 'settled', ...move },
    ])
  })

  test('is right where its file cannot be written, with a warning', async () => {
    const found = await readAccounts(contextOf({ records: bought, isReadOnly: true }).context)
    expect([found.settled, found.repaired, found.warnings]).toEqual([16_000n, 0, [expect.stringMatching(/ledger\.jsonl.* 2 .*read only/)]])
  })

  test('has a line for what only its file, or only the lock file says, and lets the file end what the journal left open', async () => {
    const common = { id: 'hero.walk', hash: 'h', isPicture: false, attempt: 1 }
    const entry = lockEntry({
      asked: { prompt: 'x', take: 2 },
      result: { sha256: 'r', bytes: 1 },
      approval: { ceiling: '3', at: 'T', buyer },
    })
    const service = { host: 'x', keyMode: 'test' }
    const linesOf = async (story: Story): Promise<unknown> => (await readAccounts(contextOf(story).context)).lines
    expect(await linesOf({ type: 'restored' })).toEqual([
      { ...common, state: 'restored', credits: 16_000n, executionId: 'e', at: 7, origin: 'here' },
    ])
    expect(await linesOf({ entry })).toEqual([
      { ...common, take: 2, service, state: 'settled', credits: 30_000n, at: 0, origin: 'elsewhere', result: 'r' },
    ])
    const held = lockEntry({ execution: { id: 'f' }, approval: { ceiling: '3', at: '1970-01-01T00:00:09Z' } })
    expect(await linesOf({ entry: { ...held, submission: { attempt: 1, maxCredits: '2.5' } } })).toEqual([
      { ...common, service, state: 'held', credits: 25_000n, at: 9000, origin: 'elsewhere', executionId: 'f' },
    ])
    expect(await linesOf({ entry: lockEntry() })).toEqual([])
    expect(await linesOf({ records: chain(frozen(1), sent, accepted), type: 'settled' })).toMatchObject([{ state: 'settled', at: 7 }])
    expect(await linesOf({ records: bought, type: 'restored' })).toMatchObject([{ state: 'settled', at: 3 }])
  })

  const report = async (request: LedgerRequest, story: Story = { type: 'settled' }, signal = new AbortController().signal) => {
    const open = (): Promise<never> => Promise.reject(new Error('nobody'))
    const { lines, warnings } = await reportAccounts(contextOf(story).context, { open } as unknown as ServiceConnection, request, signal)
    return [lines.length, warnings]
  }

  test('is cut at its first time, which counts, and its last, which does not; undated lines are left out with a warning', async () => {
    expect(await report({ since: 7, until: 8 })).toEqual([1, []])
    expect(await report({ since: 8 })).toEqual([0, []])
    expect(await report({ until: 7 })).toEqual([0, []])
    const undated = { entry: lockEntry({ result: { sha256: 'r', bytes: 1 } }) }
    expect(await report({ since: 1 }, undated)).toEqual([0, [expect.stringContaining('left out: 1')]])
    expect(await report({}, undated)).toEqual([1, []])
  })

  test('has a warning where nobody tells the rate of USD, and none where nothing was charged', async () => {
    expect(await report({ withUsd: true })).toEqual([1, [expect.stringContaining('nobody')]])
    expect(await report({ withUsd: true }, { type: 'held' })).toEqual([1, []])
    expect(await report({})).toEqual([1, []])
    await expect(report({ withUsd: true }, { type: 'settled' }, AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended')
  })

  test('is grouped by names in their order, with the rate of USD', () => {
    const line = (id: string, more: Partial<LedgerLine>): LedgerLine =>
      ({ id, attempt: 1, state: 'settled', credits: 5n, at: 0, origin: 'here', ...more }) as LedgerLine
    const lines = [
      line('owl.fly', { at: Date.UTC(2026, 0, 31) }),
      line('hero.walk', { approvedBy: '123456789', person: 'Zoe', project: 'b' }),
    ]
    const sums = { held: 0n, settled: 5n, restored: 0n, uncertain: 0n, elsewhere: 0n, usd: '$5' }
    const names = (by: 'person' | 'project' | 'month' | 'sprite'): readonly string[] => groupLines(lines, by).map(({ name }) => name)
    expect(groupLines(lines, 'person', (credits) => `$${credits}`)).toEqual([
      { name: 'Zoe (12345678)', ...sums },
      { name: 'unknown', ...sums },
    ])
    expect([...names('project'), ...names('month')]).toEqual(['b', 'unknown', '2026-01', 'unknown'])
    expect(names('sprite')).toEqual(['b: hero', 'unknown: owl'])
    expect(
      groupLines(
        [...lines].map((one) => ({ ...one, project: 'b' })),
        'sprite',
      ).map(({ name }) => name),
    ).toEqual(['hero', 'owl'])
  })
})

describe('a ledger that is compared with the service', () => {
  const refused = (facts: SpritewrightError['facts']): SpritewrightError => new SpritewrightError('SW_REFUSED', { message: 'no', facts })
  const gone = refused({ status: 404 })
  const verify = async (story: Story, says: string | Error) => {
    const read: unknown[] = []
    const execution = async (id: string): Promise<object> => {
      if (says instanceof Error) throw says
      return { status: id === 'e' ? says : 'another one' }
    }
    const session = { identity: own, client: { host: 'x', execution, balance: async () => 5n }, capabilities: {} }
    const request = { onRead: (...numbers: readonly number[]) => read.push(numbers) }
    const found = await verifyAccounts(contextOf(story).context, session as unknown as Session, request, new AbortController().signal)
    const { lines, checks, usd, isAgreed, balance, host } = found
    return { checks, read, whole: [lines.length, checks.map(({ line }) => lines.indexOf(line)), usd, isAgreed, balance, host] }
  }
  const result = lockEntry({ result: { sha256: 'r', bytes: 1 } })
  const picture = lockEntry({ asked: { prompt: 'x', operation: 'upscale' } })
  const late = chain(frozen(1), sent, givenUp, frozen(2), accepted)

  const stories: readonly (readonly [Story, string | Error])[] = [
    [{ type: 'settled' }, 'completed'],
    [{ type: 'restored' }, 'cancelled'],
    [{ type: 'restored' }, 'failed'],
    [{ type: 'held' }, 'queued'],
    [{ type: 'held' }, 'running'],
    [{ type: 'held' }, 'needs_input'],
    [{ type: 'held' }, 'completed'],
    [{ type: 'held' }, 'failed'],
    [{ type: 'settled' }, 'running'],
    [{ type: 'restored' }, 'completed'],
    [{ type: 'restored' }, 'running'],
    [{ type: 'held', entry: picture }, 'completed'],
    [{ type: 'settled', entry: picture }, 'queued'],
    [{ type: 'restored', entry: picture }, 'queued'],
    [{ type: 'held' }, 'Z'.repeat(90)],
    [{ type: 'settled', entry: result, has: true }, gone],
    [{ type: 'settled', entry: result }, gone],
    [{ type: 'restored' }, gone],
    [{ type: 'held' }, refused({ reason: 'resource_not_found' })],
    [{ type: 'held' }, refused({ status: 403 })],
    [{ type: 'held' }, refused({ reason: 'access_denied' })],
    [{ type: 'held', entry: { ...lockEntry(), service: { ...own, host: 'y' } } }, 'running'],
    [{ type: 'held', entry: { ...lockEntry(), service: { ...own, keyMode: 'live' } } }, 'running'],
    [{ entry: result }, 'completed'],
    [{ records: chain(frozen(1), sent) }, 'completed'],
    [{ records: chain(frozen(1), sent, givenUp) }, 'completed'],
    [{ records: late }, 'completed'],
    [{ records: late }, 'running'],
    [{ records: late }, gone],
    [{ records: bought, project: 'castle' }, gone],
    [{ records: bought, project: 'own' }, gone],
    [{ records: late, entry: result }, 'completed'],
    [{ records: late, type: 'held' }, 'completed'],
    [{ type: 'restored' }, 'queued'],
    [{ type: 'restored', entry: result, has: true }, gone],
    [{ records: bought, project: 'castle', has: true }, gone],
  ]

  test('has one check of each line, which says what both say and what to do', async () => {
    const told: string[] = []
    for (const [story, says] of stories) {
      const { checks, read, whole } = await verify(story, says)
      const [check] = checks
      const isAgreed = check?.verdict !== 'differs' && check?.verdict !== 'open'
      expect([whole, read]).toEqual([[1, [0], undefined, isAgreed, 5n, 'x'], check?.service === undefined ? [] : [[1, 1]]])
      const said = says instanceof Error ? JSON.stringify((says as SpritewrightError).facts) : says
      told.push(`${check?.line.state}, ${said.slice(0, 70)}: ${check?.verdict}, ${check?.service?.slice(0, 9)}: ${check?.words}`)
    }
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "settled, completed: agrees, completed: 
      restored, cancelled: agrees, cancelled: 
      restored, failed: agrees, failed: 
      held, queued: agrees, queued: 
      held, running: agrees, running: 
      held, needs_input: agrees, needs_inp: 
      held, completed: differs, completed: The ledger says held, the service says completed. It is delivered: fetch it, for free, with npx spritewright build.
      held, failed: differs, failed: The ledger says held, the service says failed. It has ended without a result: npx spritewright build records this.
      settled, running: differs, running: The ledger says settled, the service says running. Its delivery is in the journal here. Look in the service's console whether it is charged, and ask the service about it.
      restored, completed: differs, completed: The ledger says restored, the service says completed. The service has delivered after all, and may have charged it. Check its console; nothing is fetched automatically.
      restored, running: differs, running: The ledger says restored, the service says running. The service works on it again. Check again later with npx spritewright ledger --verify.
      held, completed: differs, completed: The ledger says due on delivery, the service says completed. It is delivered: fetch it, for free, with npx spritewright build.
      settled, queued: differs, queued: The ledger says charged, the service says queued. Its delivery is in the journal here. Look in the service's console whether it is charged, and ask the service about it.
      restored, queued: differs, queued: The ledger says not charged, the service says queued. The service works on it again. Check again later with npx spritewright ledger --verify.
      held, ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ: unread, ZZZZZZZZZ: The service says "ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ", which this version does not know. Check again later.
      settled, {"status":404}: gone, gone: The service does not know it any more. Nothing is lost: its result is in the vault.
      settled, {"status":404}: differs, gone: The ledger says settled, the service does not know it any more. Its result is not in the vault either: restore .spritewright/results from version control or from the checkout that bought it, or look in the service's console. Nothing is bought anew by itself.
      restored, {"status":404}: gone, gone: The service does not know it any more. It had cost nothing.
      held, {"reason":"resource_not_found"}: differs, gone: The ledger says held, the service does not know it any more. Look in the service's console whether it was delivered. Nothing is sent for it by itself.
      held, {"status":403}: unread, refused: The service refuses to show it to this key: it belongs to another account. Verify with a key of the account that bought it.
      held, {"reason":"access_denied"}: unread, refused: The service refuses to show it to this key: it belongs to another account. Verify with a key of the account that bought it.
      held, running: unread, undefined: Bought at y with a test key; today's service is x with a test key. Verify it with that one.
      held, running: unread, undefined: Bought at x with a live key; today's service is x with a test key. Verify it with that one.
      settled, completed: unread, undefined: No record names its execution, so it cannot be read again.
      uncertain, completed: open, undefined: Sent and never answered, so there is no execution to read. Until a person decides, its ceiling counts as spent. Run npx spritewright build. If it is still unanswered then, check in the service's console whether it was bought, and decide: npx spritewright recover hero.walk --replay, or --abandon.
      uncertain, completed: unread, undefined: A person gave it up; its possible cost stays counted.
      held, completed: agrees, completed: A person gave it up; its possible cost stays counted. The service says completed. If the service accepted it after another attempt had begun, npx spritewright build fetches it, for free.
      held, running: agrees, running: A person gave it up; its possible cost stays counted. The service says running.
      held, {"status":404}: gone, gone: A person gave it up; its possible cost stays counted. The service does not know it any more.
      settled, {"status":404}: gone, gone: The service does not know it any more. Its result is stored in the project castle.
      settled, {"status":404}: differs, gone: The ledger says settled, the service does not know it any more. Its result is not in the vault either: restore .spritewright/results from version control or from the checkout that bought it, or look in the service's console. Nothing is bought anew by itself.
      held, completed: agrees, completed: A person gave it up; its possible cost stays counted. The service says completed. If the service accepted it after another attempt had begun, npx spritewright build fetches it, for free.
      held, completed: agrees, completed: A person gave it up; its possible cost stays counted. The service says completed. If the service accepted it after another attempt had begun, npx spritewright build fetches it, for free.
      restored, queued: differs, queued: The ledger says restored, the service says queued. The service works on it again. Check again later with npx spritewright ledger --verify.
      restored, {"status":404}: gone, gone: The service does not know it any more. It had cost nothing.
      settled, {"status":404}: gone, gone: The service does not know it any more. Nothing is lost: its result is in the vault."
    `)
  })

  test.each([[new Error('a mistake')], [refused({ status: 429 })]])(
    'is not compared where the service gives no answer: %s',
    async (error) => {
      await expect(verify({ type: 'held' }, error)).rejects.toBe(error)
    },
  )
})
