import { describe, expect, test } from 'vitest'
import { createFaultPlay } from '../../src/embedded/faults/play.ts'
import { type FaultMatch, parseFaultPlan } from '../../src/embedded/options/fault-plan.ts'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom } from '../kit/memory-disk.ts'

describe('a plan of faults', () => {
  const request = { number: 3, origin: 'api', method: 'POST', path: '/v1/execute?x=/v1/other', signal: new AbortController().signal }

  test.each<[FaultMatch, boolean]>([
    [{}, true],
    [{ number: 3 }, true],
    [{ number: 2 }, false],
    [{ origin: 'api' }, true],
    [{ origin: 'assets' }, false],
    [{ method: 'post' }, true],
    [{ method: 'GET' }, false],
    [{ path: '/v1/execute' }, true],
    [{ path: '/v1/*' }, true],
    [{ path: '*' }, true],
    [{ path: '/v1/exec' }, false],
    [{ path: 'v1/execute' }, false],
    [{ path: '/v1.execute' }, false],
    [{ path: '*/other' }, false],
    [{ number: 3, origin: 'api', method: 'POST', path: '/v1/execute', nth: 1, times: 1 }, true],
    [{ number: 3, origin: 'api', method: 'POST', path: '/v1/other' }, false],
  ])('with the rule %j is for a POST or not: %s', (when, applies) => {
    const play = createFaultPlay({ rules: [{ when, do: { garbage: true } }] }, new ManualClock(), countingRandom())
    expect(play.deedFor(request as unknown as HookedRequest)).toEqual(applies ? { garbage: true } : undefined)
  })

  test('counts the requests of each rule, from the n-th and for as many as it says; the earlier of two rules wins', () => {
    const plan = {
      rules: [
        { when: { nth: 2, times: 2 }, do: { delayMs: 1, cutBodyAt: 1 } },
        { when: { times: 1, method: 'GET' }, do: { delayMs: 9 } },
        { when: { nth: 3 }, do: { delayMs: 2, garbage: true } },
      ],
    }
    const play = createFaultPlay(plan, new ManualClock(), countingRandom())
    const deeds = Array.from({ length: 5 }, () => play.deedFor(request as unknown as HookedRequest))
    expect(deeds).toEqual([
      undefined,
      { delayMs: 1, cutBodyAt: 1 },
      { delayMs: 1, cutBodyAt: 1, garbage: true },
      { delayMs: 2, garbage: true },
      { delayMs: 2, garbage: true },
    ])
  })

  test('is refused with the place and the form of its first fault', () => {
    const rule = (deed: unknown, when?: unknown): unknown => ({ rules: [{ do: {} }, { do: deed, ...(when ? { when } : {}) }] })
    const plans: readonly unknown[] = [
      ...[[], {}, { rules: {} }, { rules: [7] }, { rules: [], more: 1 }, rule({ delay: 1 }), rule({ delayMs: -1 }), rule({ status: 600 })],
      ...[rule({ drop: 'now' }), rule({ stream: 'x' }), rule({ file: 'x' }), rule({ garbage: 1 }), rule({ unknownStatus: 1 })],
      ...[rule({ moment: 'after' }), rule({ retryAfter: 1 }), rule({ afterEvents: 1 }), rule({ retryAfter: 86_401, status: 429 })],
      ...[{ number: 0 }, { origin: 'x' }, { method: 1 }, { path: 1 }, { nth: 0 }, { times: 1.5 }, 'x'].map((when) => rule({}, when)),
    ]
    const words = plans.map((plan) => {
      try {
        return parseFaultPlan(JSON.stringify(plan), 'plan.json')
      } catch (error) {
        const { code, facts, message } = error as { readonly code: string; readonly facts: object; readonly message: string }
        return [code, JSON.stringify(facts), message.replace(' A plan of faults is {"rules": [{"when": {…}, "do": {…}}]}.', '')].join(' ')
      }
    })
    expect(words.join('\n')).toMatchInlineSnapshot(`
      "SW_CONFIG {"file":"plan.json","path":""} plan.json: Expected an object: rules at the top.
      SW_CONFIG {"file":"plan.json","path":"rules"} plan.json: Expected a list of rules at rules.
      SW_CONFIG {"file":"plan.json","path":"rules"} plan.json: Expected a list of rules at rules.
      SW_CONFIG {"file":"plan.json","path":"rules[0]"} plan.json: Expected an object: when, do at rules[0].
      SW_CONFIG {"file":"plan.json","path":"more"} plan.json: Expected nothing by this name at more.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.delay"} plan.json: Expected nothing by this name at rules[1].do.delay.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.delayMs"} plan.json: Expected a whole number from 0 to 86400000 at rules[1].do.delayMs.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.status"} plan.json: Expected a whole number from 400 to 599 at rules[1].do.status.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.drop"} plan.json: Expected "before" or "after" at rules[1].do.drop.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.stream"} plan.json: Expected "cut", "silent", "duplicated" or "reordered" at rules[1].do.stream.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.file"} plan.json: Expected "damaged", "half", "damaged-frame" or "odd-frame" at rules[1].do.file.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.garbage"} plan.json: Expected true or false at rules[1].do.garbage.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.unknownStatus"} plan.json: Expected a status that the interface does not have at rules[1].do.unknownStatus.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do"} plan.json: Expected "moment" beside "status" only at rules[1].do.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do"} plan.json: Expected "retryAfter" beside "status" only at rules[1].do.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do"} plan.json: Expected "afterEvents" beside "stream" only at rules[1].do.
      SW_CONFIG {"file":"plan.json","path":"rules[1].do.retryAfter"} plan.json: Expected a whole number from 0 to 86400 at rules[1].do.retryAfter.
      SW_CONFIG {"file":"plan.json","path":"rules[1].when.number"} plan.json: Expected a whole number from 1 to 1000000000 at rules[1].when.number.
      SW_CONFIG {"file":"plan.json","path":"rules[1].when.origin"} plan.json: Expected "api" or "assets" at rules[1].when.origin.
      SW_CONFIG {"file":"plan.json","path":"rules[1].when.method"} plan.json: Expected a method like "POST" at rules[1].when.method.
      SW_CONFIG {"file":"plan.json","path":"rules[1].when.path"} plan.json: Expected a path like "/v1/executions/*", * standing for anything at rules[1].when.path.
      SW_CONFIG {"file":"plan.json","path":"rules[1].when.nth"} plan.json: Expected a whole number from 1 to 1000000000 at rules[1].when.nth.
      SW_CONFIG {"file":"plan.json","path":"rules[1].when.times"} plan.json: Expected a whole number from 1 to 1000000000 at rules[1].when.times.
      SW_CONFIG {"file":"plan.json","path":"rules[1].when"} plan.json: Expected an object: number, origin, method, path, nth, times at rules[1].when."
    `)
  })
})
