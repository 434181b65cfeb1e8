import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { EmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { expectCount } from '../kit/expect-count.ts'
import { acceptCeilings, keyEnv } from '../kit/keys.ts'
import { heroSpec } from '../kit/project.ts'
import { approveAll, drop, isExecute, world } from './world.ts'

/** Plays one fault for each submission, in order; later ones are `ok`. */
function submissionFaults(plan: readonly ('ok' | 'lostRequest' | 'lostResponse' | '500before' | '500after')[]): EmbeddedOptions {
  let before = 0
  let after = 0
  const five: ServedResponse = { status: 500, headers: {}, body: new Uint8Array() }
  return {
    before: async (request) => {
      if (!isExecute(request)) return undefined
      const fault = plan[before++]
      if (fault === 'lostRequest' || fault === '500before') after++
      return fault === 'lostRequest' ? drop : fault === '500before' ? five : undefined
    },
    after: async (request, response) => {
      if (!isExecute(request)) return response
      const fault = plan[after++]
      return fault === 'lostResponse' ? drop : fault === '500after' ? five : response
    },
  }
}

describe('C3, C32: whatever happens to a submission, it is paid once', () => {
  test.each([
    ['lostRequest'],
    ['lostResponse'],
    ['500before'],
    ['500after'],
    ['lostResponse', 'lostResponse', 'lostRequest'],
    ['500after', 'lostRequest', '500before'],
  ] as const)('%s %s %s', async (...plan) => {
    const w = await world(submissionFaults(plan))
    const workshop = await w.workshop()
    await approveAll(workshop)
    const report = await workshop.build()
    expect(report.bought).toEqual([{ id: 'hero.walk', credits: w.service.charges()[0]?.credits }])
    expectCount(w.service.charges(), 1)
    expect(w.service.holds()).toEqual([])
    expect(w.posts()).toBe(plan.length + 1)
  })

  test('C32: a service that never answers is given up, and the next run, inside the window, pays once', async () => {
    const w = await world(submissionFaults(Array(6).fill('lostResponse') as 'lostResponse'[]))
    const first = await w.workshop()
    await approveAll(first)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    const report = await (await w.workshop()).build()
    expect(report.bought).toHaveLength(1)
    expectCount(w.service.charges(), 1)
  })

  test('a service that goes away meanwhile ends no purchase: the error says so, and the next run pays nothing again', async () => {
    let isAway = true
    const w = await world({
      before: async ({ method, path }) => (isAway && method === 'GET' && path.startsWith('/v1/executions/') ? drop : undefined),
    })
    const first = await w.workshop()
    await approveAll(first)
    const phases: string[] = []
    const ended: unknown = await first
      .build({ onProgress: ({ phase, message }) => void phases.push(`${phase} ${message ?? ''}`) })
      .catch((error: unknown) => error)
    expect(ended).toMatchObject({ code: 'SW_UNREACHABLE', facts: { id: 'hero.walk' } })
    expect((ended as Error).message).toMatch(
      /"hero\.walk" goes on at the service as execution \S+, its credits stay held, and nothing is lost/,
    )
    expect(phases.at(-1)).toBe('waiting the service does not answer')
    isAway = false
    expect((await (await w.workshop()).build()).bought).toHaveLength(1)
    expectCount(w.service.charges(), 1)
  })

  test('C32: beyond the window nothing is sent: exit 6, and the whole ceiling counts as uncertain', async () => {
    const w = await world(submissionFaults(Array(6).fill('lostRequest') as 'lostRequest'[]))
    const first = await w.workshop()
    await approveAll(first)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    const posts = w.posts()
    w.skip(11 * 60_000)
    const later = await w.workshop()
    await expect(later.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN', exitCode: 6 })
    expect(w.posts()).toBe(posts)
    expect((await later.ledger()).uncertain).toBe(parseCredits('1.6'))
    expect((await later.status()).items[0]?.state).toBe('uncertain')
  })
})

describe('no price above the ceiling is ever paid', () => {
  test('C15: the price went up after the approval: nothing is sent, exit 3', async () => {
    const w = await world()
    const workshop = await w.workshop()
    await approveAll(workshop)
    w.service.setPricing({ first_tier_cents: 999 })
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_CEILING', exitCode: 3 })
    expect(w.posts()).toBe(0)
  })

  test('C15: a price that moved within the ceiling is frozen anew and paid as it is now', async () => {
    const w = await world()
    const workshop = await w.workshop()
    await approveAll(workshop, { max: parseCredits('50') })
    const before = (await workshop.plan()).total
    w.service.setPricing({ first_tier_cents: 50 })
    const report = await workshop.build()
    expect(report.bought[0]?.credits).not.toBe(before)
    expect(w.service.charges()[0]?.credits).toBe(report.bought[0]?.credits)
  })

  test('C15: a price that goes up after the key was refused asks for another approval, which buys at the new price', async () => {
    const refused = {
      error: { code: 'X', reason: 'authentication_failed', message: 'no', category: 'X', retryable: false, request_id: 'r' },
    }
    const envelope: ServedResponse = { status: 401, headers: {}, body: new TextEncoder().encode(JSON.stringify(refused)) }
    let isRefused = true
    const w = await world({ before: async (request) => (isExecute(request) && isRefused ? envelope : undefined) })
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_KEY_REFUSED' })
    isRefused = false
    w.service.setPricing({ first_tier_cents: 50 })
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_CEILING' })
    await approveAll(workshop)
    expect((await workshop.build()).bought).toHaveLength(1)
    expectCount(w.service.charges(), 1)
  })

  test('C15, N11: the price goes up between the check and the submission: the service refuses, nothing is held, exit 3', async () => {
    let service: EmbeddedService | undefined
    const w = await world({
      before: async (request) => {
        if (isExecute(request)) service?.setPricing({ first_tier_cents: 999 })
        return undefined
      },
    })
    service = w.service
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_CEILING', exitCode: 3 })
    expect(w.service.holds()).toEqual([])
    expect(w.service.charges()).toEqual([])
    // A new approval, at the new price, makes a new attempt under a new key.
    await approveAll(workshop)
    expect((await workshop.build()).bought).toHaveLength(1)
    expectCount(w.service.charges(), 1)
  })

  test('C20: a balance that does not cover the run: both figures, nothing sent', async () => {
    const w = await world({ accounts: [{ name: 'poor', credits: '1', keys: [{ key: 'test-key-of-the-poor' }] }] })
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_BALANCE', facts: { price: '1.6', balance: '1' } })
    expect(w.posts()).toBe(0)
  })

  test('C17: an account without the operation: exit 4, nothing sent', async () => {
    const w = await world({ accounts: [{ name: 'plain', operations: [], keys: [{ key: 'test-key-without-sheets' }] }] })
    const workshop = await w.workshop({ approval: { perSprite: '10' } })
    await expect(workshop.build()).rejects.toMatchObject({ exitCode: 4 })
    expect(w.posts()).toBe(0)
  })
})

describe('approvals', () => {
  test('C15: without one nothing is sent, and the refusal names price and command', async () => {
    const w = await world()
    const workshop = await w.workshop()
    const refusal = await workshop.build().catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'SW_APPROVAL', exitCode: 3 })
    expect((refusal as Error).message).toContain('1.6 credits')
    expect((refusal as Error).message).toContain('npx spritewright approve hero')
    expect(w.service.requests().filter((note) => note.method === 'POST')).toEqual([])
  })

  test('a changed paid field needs a new approval and says which field changed; a free one needs nothing', async () => {
    const w = await world()
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build()
    await w.project.write('sprites/hero.sprite.json', heroSpec().replace('"frames":7', '"frames":7,"fps":24'))
    expect((await workshop.status()).items[0]).toMatchObject({ state: 'bought' })
    await w.project.write('sprites/hero.sprite.json', heroSpec().replace('"frames":7', '"frames":9'))
    expect((await workshop.plan()).items[0]).toMatchObject({ state: 'missing', changed: ['frames'] })
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expectCount(w.service.charges(), 1)
  })

  test('a standing ceiling buys what fits under it, and nothing else', async () => {
    const w = await world({}, heroSpec(['walk', 'idle']))
    await expect((await w.workshop({ approval: { perSprite: '3.1' } })).build()).rejects.toMatchObject({
      code: 'SW_APPROVAL',
      message: expect.stringContaining('have not been accepted by you, so nothing is bought under them'),
    })
    expect(w.posts()).toBe(0)
    const tight = await acceptCeilings(await w.workshop({ approval: { perSprite: '3.1' } }))
    await expect(tight.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(w.posts()).toBe(0)
    const report = await (await acceptCeilings(await w.workshop({ approval: { perSprite: '3.2' } }))).build()
    expect(report.bought).toHaveLength(2)
  })

  test('another checkout is the buyer: nothing is sent until the approval is adopted', async () => {
    const w = await world()
    await approveAll(await w.workshop({}, keyEnv(1)))
    const workshop = await w.workshop({}, keyEnv(2))
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_BUYER', exitCode: 3 })
    expect(w.posts()).toBe(0)
    await approveAll(workshop, { adopt: true })
    expect((await workshop.build()).bought).toHaveLength(1)
  })

  test('CI buys nothing, not even what is approved, unless it is the named buyer and told to', async () => {
    const w = await world()
    await approveAll(await w.workshop({}, keyEnv(3)))
    await expect((await w.workshop({}, { CI: 'true' })).build()).rejects.toMatchObject({ code: 'SW_MISSING', exitCode: 3 })
    await expect((await w.workshop({ build: { generate: 'approved' } }, { CI: 'true' })).build()).rejects.toMatchObject({
      code: 'SW_MISSING',
    })
    expect(w.posts()).toBe(0)
    const told = await w.workshop({ build: { generate: 'approved' } }, { CI: 'true', ...keyEnv(3) })
    expect((await told.build()).bought).toHaveLength(1)
  })
})

describe('what was paid stays', () => {
  test('a second build makes no request at all, and gives the same bytes', async () => {
    const w = await world()
    const first = await w.workshop()
    await approveAll(first)
    const cold = await first.build()
    const before = w.service.requests().length
    const warm = await (await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })).build()
    expect(w.service.requests().length).toBe(before)
    expect(warm.sheets).toEqual(cold.sheets)
  })

  test('a lost result is fetched again without a POST', async () => {
    const w = await world()
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build()
    const posts = w.posts()
    const base = nodeHost()
    await base.disk.remove(`${w.project.root}/.spritewright/results`)
    expect((await workshop.status()).items[0]?.state).toBe('lost')
    await (await w.workshop()).build({ frozen: true })
    expect(w.posts()).toBe(posts)
    // The same without the whole journal. The lock file alone leads back to the execution.
    await base.disk.remove(`${w.project.root}/.spritewright`)
    await (await w.workshop()).build({ frozen: true })
    expect(w.posts()).toBe(posts)
    expectCount(w.service.charges(), 1)
  })

  test('C14: an execution that fails for good restores its hold and stops; one that may be retried is, at most twice', async () => {
    let failures = 0
    const w = await world({
      verdict: ({ stage }) =>
        stage === 'job' && failures++ < 1 ? { reason: 'generation_failed', message: 'the brush broke', retryable: true } : undefined,
    })
    const workshop = await w.workshop()
    await approveAll(workshop)
    expect((await workshop.build()).bought).toHaveLength(1)
    expect(w.posts()).toBe(2)
    expectCount(w.service.charges(), 1)
    const ledger = await workshop.ledger()
    expect([ledger.settled, ledger.restored, ledger.held]).toEqual([parseCredits('1.6'), parseCredits('1.6'), 0n])
  })

  test('C36: a failure that is not retryable is told with its reason, and is not tried again by itself', async () => {
    const w = await world({
      verdict: ({ stage }) => (stage === 'job' ? { reason: 'content_refused', message: 'no swords', retryable: false } : undefined),
    })
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_FAILED', exitCode: 4, facts: { reason: 'content_refused' } })
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    expect(w.posts()).toBe(1)
    expect(w.service.charges()).toEqual([])
  })
})
