import { describe, expect, test } from 'vitest'
import type { PanelPaid } from '../../plugin/protocol/protocol.ts'
import { toPanelState } from '../../plugin/protocol/state/state.ts'
import { hasCode, type SpritewrightError } from '../../src/errors.ts'
import type { ServedRequest, ServedResponse } from '../../src/host/server.ts'
import type { StandingApproval } from '../../src/project/plan.ts'
import { isAdoptable, isForBuild, isToBuy, meaningOf, type NextStep, type StateFacts } from '../../src/project/states.ts'
import type { Workshop } from '../../src/workshop.ts'
import { createWorld } from '../cli/world.ts'
import { keyEnv } from '../kit/keys.ts'
import { heroSpec } from '../kit/project.ts'
import { byLevel } from '../level.ts'
import { approveAll, drop, isExecute, type World, world } from '../money/world.ts'

const approval: StandingApproval = { buyer: 'ab', at: '2026-01-01T00:00:00.000Z', priceVersion: 'v1', verdict: 'valid' }
const approved: StateFacts = { state: 'approved', ceiling: 16_000n, approval }
const quote = (credits: bigint, priceVersion = 'v1') => ({ credits, priceVersion })

describe('what an approval means', () => {
  test.each([
    ['covers the price', quote(16_000n), 'approved'],
    ['is under the price', quote(16_001n), 'outpriced'],
    ['names another version of the prices', quote(16_000n, 'v2'), 'outpriced'],
  ] as const)('that %s', (_name, price, state) => {
    expect(meaningOf({ ...approved, quote: price }).state).toBe(state)
  })

  test('whose price is not known is taken at its word, unless a purchase has just stopped', () => {
    expect(meaningOf(approved)).toMatchObject({ state: 'approved', next: 'build', wantsPerson: false })
    expect(meaningOf({ ...approved, isRefusedPrice: true })).toMatchObject({ state: 'outpriced', next: 'approve', canBeApproved: true })
  })

  test('that does not count here is taken over first, at any price, and after a failure too', () => {
    const others: StateFacts = { ...approved, approval: { ...approval, verdict: 'other' } }
    expect(meaningOf({ ...others, quote: quote(9n, 'v2') })).toMatchObject({ state: 'adoptable', next: 'adopt', canBeApproved: true })
    expect(meaningOf({ ...others, state: 'failed' })).toMatchObject({ state: 'failed', next: 'adopt' })
    expect(isAdoptable({ ...others, state: 'running' })).toBe(false)
  })

  test('is not compared with a price any more when something was sent', () => {
    expect(meaningOf({ ...approved, state: 'running', quote: quote(16_001n, 'v2') }).state).toBe('running')
  })
})

test('what waits for a decision is neither priced, nor approved, nor built', () => {
  const lost: StateFacts = { state: 'running', undecided: 'execution' }
  const conflict: StateFacts = { state: 'failed', undecided: 'conflict' }
  for (const one of [lost, conflict]) {
    expect(meaningOf(one)).toMatchObject({ next: 'decide', canBeApproved: false, wantsPerson: true })
    expect([isToBuy(one), isForBuild(one)]).toEqual([false, false])
  }
})

/** The price that the service names when everything is prepared. */
interface Price {
  readonly credits: string
  readonly price_version: string
}

const [same, dearer] = ['1.6', '9']
const [version, newVersion] = ['sprite-base-frame-20261017-v1', 'sprite-base-frame-20270101-v2']
// The price of before comes last: only at that price is anything sent.
const prices: readonly Price[] = [dearer, same]
  .flatMap((credits) => [newVersion, version].map((price_version) => ({ credits, price_version })))
  .filter((_, index) => index % byLevel({ quick: 3, full: 1, long: 1 }) === 0)

/** A world whose service can name another price, and answer submissions in another way. */
interface Stage {
  readonly w: World
  readonly workshop: Workshop
  price: Partial<Price>
  onSubmission: ServedResponse | undefined
}

function refusal(status: number, reason: string): ServedResponse {
  const error = { code: 'ERROR', reason, message: 'refused', retryable: false, request_id: 'r' }
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify({ error })),
  }
}

async function stageFor(prompt: string): Promise<Stage> {
  const state: { price: Partial<Price>; onSubmission: ServedResponse | undefined } = { price: {}, onSubmission: undefined }
  const spec = JSON.stringify({ ...JSON.parse(heroSpec()), prompt })
  const w = await world(
    {
      before: async (request: ServedRequest) => (isExecute(request) ? state.onSubmission : undefined),
      after: async (request: ServedRequest, response: ServedResponse) => {
        if (!request.path.startsWith('/v1/sprite-pricing') || !(response.body instanceof Uint8Array)) return response
        const body = new TextEncoder().encode(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(response.body)), ...state.price }))
        return { ...response, headers: { ...response.headers, 'content-length': String(body.length) }, body }
      },
    },
    spec,
  )
  return Object.assign(state, { w, workshop: await w.workshop() })
}

async function fails(work: Promise<unknown>): Promise<void> {
  await expect(work).rejects.toThrow()
}

/** Every state, by its name in a plan, and how a project gets there. */
const states: Readonly<Record<string, { readonly prompt?: string; readonly reach: (stage: Stage) => Promise<unknown> }>> = {
  missing: { reach: async () => {} },
  'missing, taken back': {
    reach: async ({ workshop }) => {
      await approveAll(workshop)
      await workshop.revoke()
    },
  },
  approved: { reach: ({ workshop }) => approveAll(workshop) },
  'approved by another': { reach: async ({ w }) => approveAll(await w.workshop({}, keyEnv(7))) },
  running: {
    reach: async ({ workshop }) => {
      await approveAll(workshop)
      const interrupt = new AbortController()
      const onProgress = ({ phase }: { phase: string }): void => {
        if (phase === 'queued' || phase === 'running' || phase === 'downloading') interrupt.abort()
      }
      await fails(workshop.build({ onProgress, signal: interrupt.signal }))
    },
  },
  question: {
    prompt: 'a small figure [ask]',
    reach: async ({ workshop }) => {
      await approveAll(workshop)
      await fails(workshop.build())
    },
  },
  uncertain: {
    reach: async (stage) => {
      await approveAll(stage.workshop)
      stage.onSubmission = drop
      await fails(stage.workshop.build())
      stage.w.skip(11 * 60_000)
    },
  },
  'failed: refused': {
    reach: async (stage) => {
      await approveAll(stage.workshop)
      stage.onSubmission = refusal(422, 'invalid_request')
      await fails(stage.workshop.build())
    },
  },
  'failed: its execution': {
    prompt: 'a small figure [fail generation_failed]',
    reach: async ({ workshop }) => {
      await approveAll(workshop)
      await fails(workshop.build())
    },
  },
  'failed: given up': {
    reach: async (stage) => {
      await states.uncertain?.reach(stage)
      await stage.workshop.recover({ name: 'hero.walk', decision: 'abandon' })
    },
  },
  'failed: conflict': {
    reach: async (stage) => {
      await approveAll(stage.workshop)
      stage.onSubmission = refusal(409, 'idempotency_conflict')
      await fails(stage.workshop.build())
    },
  },
  lost: {
    reach: async ({ w, workshop }) => {
      await approveAll(workshop)
      await workshop.build()
      await w.project.remove('.spritewright/results')
    },
  },
  bought: {
    reach: async ({ workshop }) => {
      await approveAll(workshop)
      await workshop.build()
    },
  },
}

/** What a command's advice says about the one request: who acts next. */
async function adviceOf(verb: 'plan' | 'status', workshop: Workshop): Promise<NextStep> {
  const { run, out } = createWorld({ workshop: { plan: workshop.plan, status: workshop.status } })
  await run(verb)
  const said = out()
  if (/Next: npx spritewright (?:approve,|plan)/.test(said)) return 'approve'
  if (said.includes('--adopt')) return 'adopt'
  if (said.includes('Next: npx spritewright answer')) return 'answer'
  if (/npx spritewright recover \S+ --(?:replay|abandon)/.test(said)) return 'decide'
  if (said.includes('Everything is bought') || (verb === 'status' && said.includes('1 of 1 animation bought'))) return 'nothing'
  if (said.includes('Next: npx spritewright build')) return 'build'
  throw new Error(`Expected a next step, found:\n${said}`)
}

async function paidInPanel(workshop: Workshop): Promise<PanelPaid> {
  const overview = await workshop.overview()
  const state = toPanelState({
    ...{
      root: '/game',
      folder: '',
      requests: [],
      open: overview.items.map(({ spec }) => spec.name),
      engines: [],
      revision: 1,
      sheets: { sprites: [], atlases: [] },
      errors: [],
      failures: [],
      priceError: undefined,
    },
    ...{ access: { mayAct: true, mayBuy: true, words: '' }, progress: new Map(), urlOf: () => '' },
    overview,
    ledger: await workshop.ledger(),
    prices: await workshop.prices(),
  })
  return state.open[0]?.animations[0] as PanelPaid
}

/** Who has to act after a build stopped with an error. */
const actors: Readonly<Partial<Record<SpritewrightError['code'], NextStep>>> = {
  SW_APPROVAL: 'approve',
  SW_CEILING: 'approve',
  SW_PRICE_VERSION: 'approve',
  SW_REFUSED: 'approve',
  SW_FAILED: 'approve',
  SW_BUYER: 'adopt',
  SW_QUESTION: 'answer',
  SW_UNCERTAIN: 'decide',
  SW_CONFLICT: 'decide',
}

interface Built {
  /** Who had to act, by what the build did. */
  readonly next: NextStep | undefined
  readonly posts: number
  readonly exitCode: number
}

async function buildNow({ w, workshop }: Stage): Promise<Built> {
  const before = [w.posts(), w.service.requests().length]
  const failure = await workshop.build().then(
    () => undefined,
    (error: unknown) => error as SpritewrightError,
  )
  const posts = w.posts() - (before[0] ?? 0)
  if (failure) return { next: actors[failure.code], posts, exitCode: failure.exitCode }
  return { next: w.service.requests().length === before[1] ? 'nothing' : 'build', posts, exitCode: 0 }
}

describe('what plan, status and the panel say is what a build then does', () => {
  test.each(Object.entries(states))('%s, at each price', async (name, { prompt = 'a small figure', reach }) => {
    let stage: Stage | undefined
    for (const price of prices) {
      if (!stage) {
        stage = await stageFor(prompt)
        await reach(stage)
      }
      const { workshop } = stage
      const known = await adviceOf('status', workshop)
      Object.assign(stage, { price, onSubmission: undefined })
      const plan = await adviceOf('plan', workshop)
      const status = await adviceOf('status', workshop)
      const paid = await paidInPanel(workshop)
      const before = (await workshop.status()).items[0]?.state
      const built = await buildNow(stage)

      const wantsPerson = built.next !== 'build' && built.next !== 'nothing'
      expect({ price, before, plan, panel: paid.next, wantsPerson: paid.wantsPerson }).toEqual({
        ...{ price, before: name.split(/\W/)[0] },
        ...{ plan: built.next, panel: built.next, wantsPerson },
      })
      expect(paid.canBeApproved).toBe(built.next === 'approve' || built.next === 'adopt')
      // `status` asks no service: it does not know that the price has changed.
      expect({ price, status }).toEqual({ price, status: paid.state === 'outpriced' ? known : built.next })
      // Only what is approved, and costs what was approved, is sent.
      expect(built.posts).toBe(paid.state === 'approved' ? 1 : 0)
      expect(built.exitCode === 0).toBe(!wantsPerson)
      if (paid.state === 'outpriced') expect(built.exitCode).toBe(3)
      if (built.next === 'build') stage = undefined
    }
  })

  test.each(Object.entries(states))('%s: a build that may not buy lists it exactly if it is unsent', async (_name, state) => {
    const stage = await stageFor(state.prompt ?? 'a small figure')
    await state.reach(stage)
    const paid = await paidInPanel(stage.workshop)
    const posts = stage.w.posts()
    const failure = await stage.workshop.build({ frozen: true }).catch((error: unknown) => error)
    const listed = hasCode(failure, 'SW_MISSING') ? (failure.facts.items as { id: string }[]).map(({ id }) => id) : []
    expect(listed).toEqual(['missing', 'approved', 'adoptable', 'failed'].includes(paid.state) ? ['hero.walk'] : [])
    expect(stage.w.posts()).toBe(posts)
  })
})
