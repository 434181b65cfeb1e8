import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions, HookedRequest } from '../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { byLevel } from '../level.ts'
import { mortalPorts } from './mortal.ts'
import { addSprite, addStill, type SimulatedWorld, simulatedWorld } from './world.ts'

// exhaustive.test.ts tries the other outcomes below the workshop, at every moment and in every combination.
const outcomes = ['lostResponse', '500before'] as const
type Outcome = (typeof outcomes)[number]

/** Options of a service at which the first POST of a submission has this outcome. */
function firstPost(outcome: Outcome): EmbeddedOptions {
  let seen = 0
  const is = (request: HookedRequest): boolean => request.method === 'POST' && request.path === '/v1/execute'
  const lost: ServedResponse = { status: 500, headers: { 'content-length': '5' }, body: new Uint8Array() }
  return {
    before: async (request) => {
      if (!is(request) || ++seen > 1) return undefined
      return outcome === '500before' ? lost : undefined
    },
    after: async (request, response) => (is(request) && seen === 1 && outcome === 'lostResponse' ? lost : response),
  }
}

const kinds = { animation: addSprite, picture: addStill }
type Kind = keyof typeof kinds

async function world(outcome: Outcome, kind: Kind): Promise<SimulatedWorld> {
  const made = await simulatedWorld(500, { ...firstPost(outcome), limits: { post: 1000, get: 10_000, download: 1000 } })
  kinds[kind](made, 'hero', 0)
  return made
}

const standing = { approval: { perSprite: '100' }, limits: { post: 1000, get: 10_000, download: 1000 } }

interface Crash {
  readonly hasDied: boolean
  /** For each change of the first process, whether it had sent a request since the change before. */
  readonly sentBefore: readonly boolean[]
  readonly charges: number
}

/** One process dies at its `at`-th change. Then another one runs to its end. */
async function crashOnce(outcome: Outcome, kind: Kind, at: number, moment: 'before' | 'after'): Promise<Crash> {
  const made = await world(outcome, kind)
  await made.clock.run(acceptCeilings(await made.workshop(standing)))
  const ports = mortalPorts(made, at, moment)
  const mortal = await made.workshop(standing, ports)
  const building = mortal.build({ buyOnly: true })
  building.catch(() => {})
  await made.clock.run(Promise.race([building.then(() => {}), ports.died]))
  const survivor = await made.workshop(standing)
  await made.clock.run(survivor.build({ buyOnly: true }))
  const requests = made.service.requests().length
  // I10: a build after "done" makes no request.
  await made.clock.run((await made.workshop(standing)).build({ buyOnly: true }))
  expect(made.service.requests()).toHaveLength(requests)
  const kept = [...made.disk.files.keys()].filter((path) => /^\/game\/\.spritewright\/results\/.*\.(?:zip|png)$/.test(path))
  expect(kept).toHaveLength(1)
  expect(made.service.holds()).toEqual([])
  return { hasDied: ports.isDead(), sentBefore: ports.sentBefore, charges: made.service.charges().length }
}

/**
 * The long run tries every moment. The short run tries every eighth, spread over all of them, because
 * exhaustive.test.ts checks each moment below the workshop.
 */
const stride = byLevel({ quick: 160, full: 8, long: 1 })

describe('I1, I4, I6, I10: a process killed at any change of the disk, then another one', () => {
  const cases = outcomes.flatMap((outcome) => (['animation', 'picture'] as const).map((kind) => [outcome, kind] as const))
  test.each(cases)('whatever becomes of the first POST (%s), one %s is charged once and its result is here', async (outcome, kind) => {
    const crash = async (at: number, moment: 'before' | 'after'): Promise<Crash> => {
      const run = await crashOnce(outcome, kind, at, moment)
      expect(run.charges, `${outcome}, ${kind}, killed ${moment} change ${at}`).toBe(1)
      return run
    }
    const alive = await crash(Number.POSITIVE_INFINITY, 'after')
    expect(alive.hasDied).toBe(false)
    // The moment right before a change equals the one right after the previous change, unless a request was
    // sent in between.
    const moments = alive.sentBefore.flatMap((hasSent, index) => [
      ...(hasSent || index === 0 ? [[index + 1, 'before'] as const] : []),
      [index + 1, 'after'] as const,
    ])
    const chosen = moments.filter((_, index) => index % stride === outcomes.indexOf(outcome) % stride)
    for (const [at, moment] of chosen) expect((await crash(at, moment)).hasDied, `${moment} change ${at}`).toBe(true)
    console.log(`${outcome}, ${kind}: killed at ${chosen.length} of ${moments.length} moments, one charge each`)
    expect(moments.length).toBeGreaterThan(60)
  })
})
