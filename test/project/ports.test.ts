import { expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { toJobPorts } from '../../src/project/orders.ts'
import { rememberProject } from '../../src/project/remember.ts'
import { openMemoryProject } from './memory-project.ts'

const { signal } = new AbortController()

test('a run has the stores of its project and its session, and buys nothing unless it may', async () => {
  const { context, session } = openMemoryProject({ specs: {} })
  const onProgress = (): void => {}
  const { faultOf, approvers, ...ports } = await toJobPorts(context, session, { onProgress, signal })
  const { journal, lock, vault, ledger, reservations, keys, warn, host, options } = context
  expect(ports).toEqual({
    ...{ client: session.client, capabilities: session.capabilities, uploads: session.uploads, places: session.places },
    ...{ journal, lock, vault, ledger, reservations, keys, warn, clock: host.clock, random: host.random },
    ...{
      windowMs: options.replayWindowMs,
      elsewhereMs: undefined,
      mayBuy: false,
      mayReplay: false,
      onProgress,
      underWay: new Map(),
      signal,
    },
  })
  expect([approvers.own, approvers.checkout]).toEqual([undefined, 'none'])
  expect([faultOf({ operation: 'edit_image' } as never, new Uint8Array(1))]).toEqual([expect.any(String)])
})

test.each([
  [{ mayBuy: true }, true, true],
  [{ mayBuy: true, mayReplay: false }, true, false],
  [{ mayReplay: true }, false, true],
])('a run with %j may buy: %s, and may send again: %s', async (run, mayBuy, mayReplay) => {
  const { context, session } = openMemoryProject({ specs: {} })
  const kept: string[] = []
  const memory = { ...context.memory, keep: async () => void kept.push('kept') }
  const sharedJournal = {} as NonNullable<typeof context.sharedJournal>
  const ports = await toJobPorts({ ...context, memory, sharedJournal }, session, { ...run, signal })
  expect([ports.mayBuy, ports.mayReplay, ports.elsewhereMs, kept]).toEqual([mayBuy, mayReplay, 90_000, mayBuy ? ['kept'] : []])
  ports.onProgress({ id: 'hero.walk', phase: 'checking' })
})

test('a run whose memory is damaged is warned and goes on, and no other fault is passed over', async () => {
  const { context, session } = openMemoryProject({ specs: {} })
  const failing = (error: Error) => ({ ...context, memory: { ...context.memory, keep: () => Promise.reject(error) } })
  const run = { mayBuy: true, signal }
  const damaged = new SpritewrightError('SW_CONFIG', { message: 'It is damaged.' })
  expect((await toJobPorts(failing(damaged), session, run)).mayBuy).toBe(true)
  expect(context.warnings).toEqual(['It is damaged.'])
  const other = new Error('no disk')
  await expect(toJobPorts(failing(other), session, run)).rejects.toBe(other)
})

test.each<[object, object, readonly string[]]>([
  [{ total: 5n }, { total: 5n }, []],
  [{ total: 4n }, { total: 5n }, []],
  [{ total: 60_000n }, { total: 50_000n }, ['approval.total of the configuration is 6 now; it was 5 here']],
  [{}, { total: 50_000n }, ['approval.total is gone from the configuration; it was 5 here']],
  [{ total: 5n }, {}, []],
  [{ accept: ['typed'] }, { accept: ['typed', 'clicked'] }, []],
  [{ accept: ['typed', 'clicked'] }, { accept: ['typed'] }, ['approval.accept of the configuration is typed, clicked now; here it was ']],
  [{}, { accept: ['typed'] }, ['approval.accept is gone from the configuration; here it was ']],
  [
    { total: 6n, accept: ['typed'] },
    { total: 5n, accept: ['touched'] },
    ['approval.accept of the configuration is typed', 'approval.total of'],
  ],
])('a run warns of the limits that still count: %#', async ({ total, accept }: { total?: bigint; accept?: never }, facts, warnings) => {
  const { context } = openMemoryProject({ specs: {} })
  const given: unknown[] = []
  const keep = async (...all: unknown[]) => {
    given.push(...all)
    return facts as never
  }
  const options = { ...context.options, approval: { ...context.options.approval, total }, approvalAccept: accept }
  expect(await rememberProject({ ...context, options, memory: { ...context.memory, keep } })).toBe(facts)
  expect(given).toEqual([await context.lock.read(), { total, accept }])
  expect(context.warnings).toEqual(warnings.map((words) => expect.stringContaining(words)))
})

test('a run is told how a person takes back touches alone, and how the other ways', async () => {
  const advice = async (accept: readonly string[]) => {
    const { context } = openMemoryProject({ specs: {} })
    await rememberProject({ ...context, memory: { ...context.memory, keep: async () => ({ accept }) as never } })
    return context.warnings.map((words) => /approve --standing|docs\/agents\.md/.exec(words)?.[0])
  }
  expect([await advice(['touched']), await advice(['typed'])]).toEqual([['docs/agents.md'], ['approve --standing']])
})
