import { readFile, rm, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import type { EmbeddedOptions, HookedRequest } from '../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { LedgerLine, LedgerReport, Workshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { acceptCeilings, keyEnv } from '../kit/keys.ts'
import { heroSpec } from '../kit/project.ts'
import { byLevel } from '../level.ts'
import { mortalPorts } from '../sim/mortal.ts'
import { addSprite, simulatedWorld } from '../sim/world.ts'
import { approveAll, drop, isExecute, type World, world } from './world.ts'

const chainSpec = JSON.stringify({
  reference: { steps: [{ text: 'a knight' }, { edit: 'add a plume' }] },
  prompt: 'a knight',
  animations: { walk: { frames: 7 } },
})

async function bought(options: EmbeddedOptions = {}, spec = heroSpec()): Promise<{ w: World; workshop: Workshop }> {
  const w = await world(options, spec)
  const workshop = await w.workshop()
  await approveAll(workshop)
  await workshop.build()
  return { w, workshop }
}

const shown = (line: LedgerLine): readonly [string, string, string] => [line.id, line.state, formatCredits(line.credits)]
const sums = ({ held, settled, restored, uncertain, elsewhere }: LedgerReport): Record<string, string> =>
  Object.fromEntries(Object.entries({ held, settled, restored, uncertain, elsewhere }).map(([name, sum]) => [name, formatCredits(sum)]))
const none = { held: '0', settled: '0', restored: '0', uncertain: '0', elsewhere: '0' }
const isStatusRead = (request: HookedRequest): boolean => request.method === 'GET' && /^\/v1\/executions\/[^/]+$/.test(request.path)

/** A service whose answers to reads of executions can be changed later. */
function sayingOtherwise(): { options: EmbeddedOptions; say(answer: (() => ServedResponse) | undefined): void } {
  let answer: (() => ServedResponse) | undefined
  return {
    say: (next) => {
      answer = next
    },
    options: { before: async (request) => (isStatusRead(request) ? answer?.() : undefined) },
  }
}

const json = (status: number, body: unknown): ServedResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(JSON.stringify(body)),
})
const refusal = (status: number, reason: string): ServedResponse =>
  json(status, {
    error: {
      code: 'X',
      reason,
      message: 'no',
      category: 'X',
      retryable: false,
      request_id: '00000000-0000-4000-8000-000000000000',
    },
  })

describe('the ledger is made from the journal', () => {
  test('a lost ledger.jsonl shows the same money, and is written anew with the times of the journal', async () => {
    const { w, workshop } = await bought()
    const file = `${w.project.root}/.spritewright/ledger.jsonl`
    const before = await workshop.ledger()
    expect(before.repaired).toBe(0)
    await rm(file)
    const after = await (await w.workshop()).ledger()
    expect(after).toEqual({ ...before, repaired: 2 })
    expect(sums(after)).toEqual({ ...none, settled: '1.6' })
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(2)
    expect((await (await w.workshop()).ledger()).repaired).toBe(0)
  })

  test('a ledger.jsonl that is torn anywhere shows the same money, and is mended', async () => {
    const { w, workshop } = await bought()
    const file = `${w.project.root}/.spritewright/ledger.jsonl`
    const before = await workshop.ledger()
    const whole = await readFile(file)
    const later = await w.workshop()
    // The last byte is the end of a line. Without it, nothing is lost.
    for (let bytes = 0; bytes < whole.length - 1; bytes += byLevel({ quick: 1021, full: 41, long: 7 })) {
      await writeFile(file, whole.subarray(0, bytes))
      const after = await later.ledger()
      expect(after.lines).toEqual(before.lines)
      expect(after.repaired, `torn after ${bytes} bytes`).toBeGreaterThan(0)
      expect((await later.ledger()).repaired).toBe(0)
    }
  })

  test('where ledger.jsonl cannot be written the figures are right, and it is said', async () => {
    const w = await simulatedWorld(0)
    addSprite(w, 'hero', 0)
    const buying = await w.workshop({ approval: { perSprite: '9' } })
    await w.clock.run(acceptCeilings(buying))
    await w.clock.run(buying.build({ buyOnly: true }))
    await w.disk.remove('/game/.spritewright/ledger.jsonl')
    w.disk.fault = { call: 'append /game/.spritewright/ledger.jsonl', code: 'EROFS' }
    const report = await (await w.workshop()).ledger()
    expect(sums(report)).toEqual({ ...none, settled: '1.6' })
    expect(report.warnings.join()).toContain('EROFS')
  })

  test('what only ledger.jsonl knows counts too', async () => {
    const { w, workshop } = await bought()
    const before = await workshop.ledger()
    await rm(`${w.project.root}/.spritewright/submissions`, { recursive: true })
    await rm(`${w.project.root}/.state/journals`, { recursive: true, force: true })
    expect(sums(await (await w.workshop()).ledger())).toEqual(sums(before))
  })

  test('a line names its take, unless it is the first', async () => {
    const { w, workshop } = await bought()
    await w.project.write('sprites/hero.sprite.json', heroSpec().replace('"frames":7', '"frames":7,"take":2'))
    await approveAll(workshop)
    await workshop.build()
    expect((await workshop.ledger()).lines.map(({ id, take }) => [id, take])).toEqual([
      ['hero.walk', undefined],
      ['hero.walk', 2],
    ])
  })

  test('a failed attempt and the one that follows it are two lines', async () => {
    let failures = 0
    const { workshop } = await bought({
      verdict: ({ stage }) =>
        stage === 'job' && failures++ === 0 ? { reason: 'generation_failed', message: 'no', retryable: true } : undefined,
    })
    const report = await workshop.ledger()
    expect(report.lines.map((line) => [line.attempt, ...shown(line)])).toEqual([
      [1, 'hero.walk', 'restored', '1.6'],
      [2, 'hero.walk', 'settled', '1.6'],
    ])
    expect(sums(report)).toEqual({ ...none, settled: '1.6', restored: '1.6' })
  })
})

describe('steps of reference chains', () => {
  test('C13: they show by their own ids, one credit each, and add up with their sprite', async () => {
    const { w, workshop } = await bought({}, chainSpec)
    const report = await workshop.ledger()
    expect(report.lines.map(shown).sort()).toEqual([
      ['hero#1', 'settled', '1'],
      ['hero#2', 'settled', '1'],
      ['hero.walk', 'settled', '1.6'],
    ])
    expect(
      report.lines
        .filter((line) => line.isPicture)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['hero#1', 'hero#2'])
    expect(report.sprites.map(({ sprite, settled }) => [sprite, formatCredits(settled)])).toEqual([['hero', '3.6']])
    await rm(`${w.project.root}/.spritewright/ledger.jsonl`)
    const again = await (await w.workshop()).ledger()
    expect(again.lines.map(shown).sort()).toEqual(report.lines.map(shown).sort())
  })

  test('an unanswered one is uncertain under its own id, also where its spec is gone', async () => {
    const w = await world({ after: async (request, response) => (isExecute(request) ? drop : response) }, chainSpec)
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    expect((await workshop.ledger()).lines.map(shown)).toEqual([['hero#1', 'uncertain', '1']])
    await w.project.write('sprites/hero.sprite.json', heroSpec())
    expect((await (await w.workshop()).ledger()).lines[0]?.id).toBe('hero#1')
  })
})

describe('what another checkout bought', () => {
  const elsewhere = async (env: Record<string, string> = {}): Promise<{ w: World; here: World; workshop: Workshop }> => {
    const w = await world()
    const buyer = await w.workshop({}, env)
    await approveAll(buyer)
    await buyer.build()
    const here = await world()
    await here.project.write('sprites.lock.json', await readFile(`${w.project.root}/sprites.lock.json`))
    return {
      w,
      here,
      workshop: await here.workshop({}, { ...env, SPRITEWRIGHT_BASE_URL: w.service.url, SPRITEWRIGHT_API_KEY: w.service.key }),
    }
  }

  test('is shown as bought elsewhere, with the maximum of its frozen submission, and counted apart', async () => {
    const { workshop } = await elsewhere()
    const report = await workshop.ledger()
    expect(report.lines).toMatchObject([{ id: 'hero.walk', origin: 'elsewhere', state: 'settled', credits: parseCredits('1.6') }])
    expect(sums(report)).toEqual({ ...none, elsewhere: '1.6' })
  })

  test('stays so when this checkout has fetched it', async () => {
    const { w, workshop } = await elsewhere()
    const posts = w.posts()
    await workshop.build()
    expect(w.posts()).toBe(posts)
    const report = await workshop.ledger()
    expect(report.lines).toHaveLength(1)
    expect(sums(report)).toEqual({ ...none, elsewhere: '1.6' })
  })

  test('is our own where the approval is of this very key: then it is our journal that is gone', async () => {
    const { workshop } = await elsewhere(keyEnv(7))
    expect(sums(await workshop.ledger())).toEqual({ ...none, settled: '1.6' })
  })

  test('looking at the ledger names no checkout', async () => {
    const w = await world()
    await (await w.workshop()).ledger()
    await expect(readFile(`${w.project.root}/.spritewright/checkout.json`)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('I3: after a kill at any change of the disk the ledger shows no less than the service has charged and holds', () => {
  test.each(['ok', 'lostResponse'] as const)('first POST: %s; with and without ledger.jsonl', async (outcome) => {
    let schedules = 0
    // Every change in the long run. The short run takes one in six, with another start if the answer is lost.
    const step = byLevel({ quick: 192, full: 6, long: 1 })
    for (let at = outcome === 'ok' ? 1 : 4; ; at += step) {
      let posts = 0
      const w = await simulatedWorld(500, {
        after: async (request, response) =>
          isExecute(request) && ++posts === 1 && outcome === 'lostResponse' ? { ...drop, status: 500 } : response,
      })
      addSprite(w, 'hero', 0)
      await w.clock.run(acceptCeilings(await w.workshop({ approval: { perSprite: '100' } })))
      const ports = mortalPorts(w, at, 'after')
      const building = (await w.workshop({ approval: { perSprite: '100' } }, ports)).build({ buyOnly: true })
      building.catch(() => {})
      await w.clock.run(Promise.race([building.then(() => {}), ports.died]))
      const spent = [...w.service.charges(), ...w.service.holds()].reduce((sum, { credits }) => sum + credits, 0n)
      for (const isLost of [false, true]) {
        if (isLost) await w.disk.remove('/game/.spritewright/ledger.jsonl')
        const report = await w.clock.run((await w.workshop()).ledger())
        expect(report.held + report.settled + report.uncertain, `killed after change ${at}`).toBeGreaterThanOrEqual(spent)
        expect(report.held + report.settled + report.uncertain).toBeLessThanOrEqual(parseCredits('1.6'))
        schedules++
      }
      if (!ports.isDead()) break
    }
    expect(schedules * step).toBeGreaterThan(60)
  })
})

describe('ledger --verify', () => {
  test('agrees with the service, and sends nothing but reads', async () => {
    const { w, workshop } = await bought()
    const before = w.service.requests().length
    const found = await workshop.verifyLedger()
    expect(found).toMatchObject({ isAgreed: true, balance: parseCredits('98.4'), checks: [{ verdict: 'agrees', service: 'completed' }] })
    const methods = w.service
      .requests()
      .slice(before)
      .map(({ method }) => method)
    expect(new Set(methods)).toEqual(new Set(['GET']))
  })

  test('a question that waits and a hold agree; a failure and a restored hold too', async () => {
    const asking = await world({ ask: () => ({ text: 'Which hand?' }) })
    const workshop = await asking.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    expect((await workshop.verifyLedger()).checks).toMatchObject([{ verdict: 'agrees', service: 'needs_input', line: { state: 'held' } }])
    const failing = await world({
      verdict: ({ stage }) => (stage === 'job' ? { reason: 'content_refused', message: 'no', retryable: false } : undefined),
    })
    const other = await failing.workshop()
    await approveAll(other)
    await expect(other.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    expect((await other.verifyLedger()).checks).toMatchObject([{ verdict: 'agrees', service: 'failed', line: { state: 'restored' } }])
  })

  test('the service says otherwise of what is settled: both are said, and what to do', async () => {
    const service = sayingOtherwise()
    const { workshop } = await bought(service.options)
    const { executionId } = (await workshop.ledger()).lines[0] as LedgerLine
    for (const status of ['failed', 'cancelled', 'running', 'queued', 'needs_input']) {
      service.say(() => json(200, { execution_id: executionId, status }))
      const found = await workshop.verifyLedger()
      expect(found.isAgreed).toBe(false)
      expect(found.checks[0]).toMatchObject({ verdict: 'differs', service: status })
      expect(found.checks[0]?.words).toContain(`The ledger says settled, the service says ${status}. `)
      expect(found.checks[0]?.words).toContain('console')
    }
  })

  test('a hold whose execution is delivered differs, and the way on is a build, which is free', async () => {
    const service = sayingOtherwise()
    const w = await world({ ...service.options, ask: () => ({ text: 'Which hand?' }) })
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build().catch(() => {})
    const { executionId } = (await workshop.ledger()).lines[0] as LedgerLine
    service.say(() => json(200, { execution_id: executionId, status: 'completed' }))
    expect((await workshop.verifyLedger()).checks[0]).toMatchObject({
      verdict: 'differs',
      words: expect.stringMatching(/ledger says held, the service says completed\..*npx spritewright build/),
    })
  })

  test('an unknown status is told and proves nothing', async () => {
    const service = sayingOtherwise()
    const { workshop } = await bought(service.options)
    const { executionId } = (await workshop.ledger()).lines[0] as LedgerLine
    service.say(() => json(200, { execution_id: executionId, status: 'archived' }))
    expect(await workshop.verifyLedger()).toMatchObject({ isAgreed: true, checks: [{ verdict: 'unread', service: 'archived' }] })
  })

  test('an execution that the service has forgotten is no loss while its result is here, and one when it is not', async () => {
    const service = sayingOtherwise()
    const { w, workshop } = await bought(service.options)
    service.say(() => refusal(404, 'resource_not_found'))
    expect(await workshop.verifyLedger()).toMatchObject({ isAgreed: true, checks: [{ verdict: 'gone', service: 'gone' }] })
    await rm(`${w.project.root}/.spritewright/results`, { recursive: true })
    const lost = await workshop.verifyLedger()
    expect(lost).toMatchObject({ isAgreed: false, checks: [{ verdict: 'differs', service: 'gone' }] })
    expect(lost.checks[0]?.words).toContain('restore .spritewright/results')
  })

  test('an uncertain submission is open: not agreed, nothing read', async () => {
    const w = await world({ after: async (request, response) => (isExecute(request) ? drop : response) })
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build().catch(() => {})
    expect(await workshop.verifyLedger()).toMatchObject({ isAgreed: false, checks: [{ verdict: 'open' }] })
    expect(w.service.requests().filter(({ path }) => path.startsWith('/v1/executions/'))).toEqual([])
  })

  test('what a person gave up stays counted beside the attempt that follows it, and is open no more', async () => {
    let posts = 0
    const w = await world({ before: async (request) => (isExecute(request) && ++posts <= 6 ? drop : undefined) })
    const first = await w.workshop()
    await approveAll(first)
    await first.build().catch(() => {})
    w.skip(3_600_000)
    const later = await w.workshop()
    expect((await later.ledger()).lines).toMatchObject([{ state: 'uncertain', balanceBefore: parseCredits('100') }])
    await later.recover({ name: 'hero', decision: 'abandon' })
    expect(await later.verifyLedger()).toMatchObject({ isAgreed: true, checks: [{ verdict: 'unread', line: { decision: 'abandon' } }] })
    w.skip(1000)
    await approveAll(later)
    await (await w.workshop()).build()
    const report = await (await w.workshop()).ledger()
    expect(sums(report)).toEqual({ ...none, settled: '1.6', uncertain: '1.6' })
    expect(report.lines.map(({ attempt, decision, state }) => [attempt, state, decision])).toEqual([
      [1, 'uncertain', 'abandon'],
      [2, 'settled', undefined],
    ])
  })

  test('C38: what was bought with a test key is not looked for with a live one, where it would seem lost', async () => {
    const accounts = [
      {
        name: 'studio',
        keys: [
          { key: 'test-key-of-the-studio', mode: 'test' as const },
          { key: 'live-key-of-the-studio', mode: 'live' as const },
        ],
      },
    ]
    const { w } = await bought({ accounts })
    const before = w.service.requests().filter(({ path }) => path.startsWith('/v1/executions/')).length
    const live = await w.workshop({}, { SPRITEWRIGHT_API_KEY: 'live-key-of-the-studio' })
    expect(await live.verifyLedger()).toMatchObject({ isAgreed: true, checks: [{ verdict: 'unread' }] })
    expectCount(
      w.service.requests().filter(({ path }) => path.startsWith('/v1/executions/')),
      before,
    )
  })

  test('a key of another account sees nothing, and it is said', async () => {
    const { w } = await bought({
      accounts: [
        { name: 'ours', keys: [{ key: 'key-of-our-account' }] },
        { name: 'theirs', keys: [{ key: 'key-of-their-account' }] },
      ],
    })
    const theirs = await w.workshop({}, { SPRITEWRIGHT_API_KEY: 'key-of-their-account' })
    expect((await theirs.verifyLedger()).checks).toMatchObject([{ verdict: 'unread', words: expect.stringContaining('another account') }])
  })
})

describe('the balance around a run', () => {
  test('C20: shows what was charged, as the ledger says', async () => {
    const w = await world({}, heroSpec(['walk', 'idle']))
    const workshop = await w.workshop()
    await approveAll(workshop)
    const report = await workshop.build()
    expect(report.balance).toMatchObject({ before: parseCredits('100'), after: parseCredits('96.8'), isExplained: true })
    expect(report.balance?.words).toBe('balance 100 → 96.8: 3.2 charged, as the ledger says')
    expect((await (await w.workshop()).build()).balance).toBeUndefined()
  })

  test('says plainly where it does not fit, and fails nothing', async () => {
    let spend: (() => Promise<void>) | undefined
    const w = await world({
      after: async (request, response) => {
        if (isExecute(request)) await spend?.()
        return response
      },
    })
    spend = () => w.service.putAccount({ name: 'demo', credits: '95' })
    const workshop = await w.workshop()
    await approveAll(workshop)
    const { balance, bought: list } = await workshop.build()
    expect(list).toHaveLength(1)
    expect(balance?.isExplained).toBe(false)
    expect(balance?.words).toMatch(/^balance 100 → 93\.4: 6\.6 taken, the ledger says 1\.6\. Others may use this account/)
  })

  test('counts what was in flight before the run as taken before or in it', async () => {
    let isLost = true
    const w = await world(
      { after: async (request, response) => (isExecute(request) && isLost ? drop : response) },
      heroSpec(['walk', 'idle']),
    )
    const first = await w.workshop()
    await approveAll(first)
    await first.build({ names: ['hero.walk'] }).catch(() => {})
    isLost = false
    const { balance } = await (await w.workshop()).build()
    expect(balance).toMatchObject({ isExplained: true, said: { least: parseCredits('1.6'), most: parseCredits('3.2') } })
  })

  test('a balance that cannot be read afterwards is a warning', async () => {
    let reads = 0
    let isBought = false
    const w = await world({
      before: async (request) => {
        if (isExecute(request)) isBought = true
        return isBought && request.path === '/v1/balance' && ++reads > 0 ? refusal(422, 'invalid_request') : undefined
      },
    })
    const workshop = await w.workshop()
    await approveAll(workshop)
    const report = await workshop.build()
    expect(report.bought).toHaveLength(1)
    expect(report.balance).toBeUndefined()
    expect(report.warnings.join()).toContain('The balance after this run could not be read')
    expect(reads).toBe(1)
  })
})
