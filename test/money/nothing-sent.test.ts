import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions, HookedRequest } from '../../src/embedded/options/options.ts'
import { expectCount } from '../kit/expect-count.ts'
import { figurePng } from '../kit/project.ts'
import {
  answering,
  asking,
  failing,
  isSubmission,
  lost,
  type Machine,
  minutes,
  type ProcessInit,
  refusal,
  specOf,
  type Team,
  team,
} from '../sim/two-machines.ts'

/** Builds that must not buy. */
const modes: readonly (readonly [string, { readonly frozen?: boolean }, ProcessInit])[] = [
  ['--frozen', { frozen: true }, {}],
  ['generate "never"', {}, { options: { build: { generate: 'never' } } }],
  ['generate "never" with placeholders', {}, { options: { build: { generate: 'never', unbought: 'placeholder' } } }],
  ['CI', {}, { env: { CI: 'true' } }],
  ['CI that may buy and is not named as a buyer', {}, { env: { CI: 'true' }, options: { build: { generate: 'approved' } } }],
]

/** The state of a request when such a build begins. */
interface Standing {
  readonly state: string
  readonly service?: EmbeddedOptions
  readonly init?: ProcessInit
  prepare(made: Team): Promise<unknown>
  /** Code of the error if a placeholder is not enough; `undefined` if the build ends well. */
  readonly code?: string
}

/** Approves and builds, as far as the service allows. */
const tried = async ({ first }: Team): Promise<void> => {
  await first.approve()
  await first.build().catch(() => {})
}
const submissionsLost = (count: number): EmbeddedOptions => answering(Array.from({ length: count }, () => lost))
/** The service receives the first submissions, but its answers get lost. */
function answersLost(count: number): EmbeddedOptions {
  let seen = 0
  return { after: async (request, response) => (isSubmission(request) && ++seen <= count ? lost : response) }
}
const isAnswer = ({ method, path }: HookedRequest): boolean => method === 'POST' && path.includes('answer')
const chainOfTwo = JSON.stringify({
  reference: { steps: [{ text: 'a knight' }, { edit: 'a plume' }] },
  prompt: 'a knight',
  animations: { walk: { frames: 7 } },
})

const standings: readonly Standing[] = [
  { state: 'new', prepare: async () => {}, code: 'SW_MISSING' },
  {
    state: 'new, under a standing approval',
    init: { options: { approval: { perSprite: '100' } } },
    prepare: async () => {},
    code: 'SW_MISSING',
  },
  { state: 'approved', prepare: ({ first }) => first.approve(), code: 'SW_MISSING' },
  {
    state: 'approved by another machine',
    prepare: async ({ first, clone }) => {
      const other = clone(first)
      await other.approve()
      first.pull(other)
    },
    code: 'SW_MISSING',
  },
  { state: 'sent, the request lost', service: submissionsLost(6), prepare: tried, code: 'SW_MISSING' },
  { state: 'sent, the answer lost', service: answersLost(6), prepare: tried, code: 'SW_MISSING' },
  {
    state: 'sent and never answered, longer ago than the window',
    service: submissionsLost(6),
    prepare: async (made) => {
      await tried(made)
      await made.wait(11 * minutes)
    },
    code: 'SW_UNCERTAIN',
  },
  { state: 'refused for its key (401)', service: answering([refusal(401, 'authentication_failed')]), prepare: tried, code: 'SW_MISSING' },
  { state: 'refused for its rights (403)', service: answering([refusal(403, 'permission_denied')]), prepare: tried, code: 'SW_MISSING' },
  {
    state: 'turned away by the rate limit (429)',
    service: answering(Array.from({ length: 13 }, () => refusal(429, 'rate_limited'))),
    prepare: tried,
    code: 'SW_MISSING',
  },
  {
    state: 'refused for its key, its approval withdrawn since',
    service: answering([refusal(401, 'authentication_failed')]),
    prepare: async (made) => {
      await tried(made)
      made.first.disk.files.delete('/game/sprites.lock.json')
    },
    code: 'SW_MISSING',
  },
  {
    state: 'a conflict, once',
    service: answering([refusal(409, 'conflict')]),
    prepare: async ({ first }) => {
      await first.approve()
      await first.dieBuilding(() => first.records().some(({ type }) => type === 'refused'))
    },
    code: 'SW_MISSING',
  },
  {
    state: 'a conflict that stayed one',
    service: answering([refusal(409, 'conflict'), refusal(409, 'conflict')]),
    prepare: tried,
    code: 'SW_MISSING',
  },
  {
    state: 'in flight, and about to fail retryably',
    service: failing('retryable'),
    prepare: async ({ first }) => {
      await first.approve()
      await first.dieBuilding(() => first.records().some(({ type }) => type === 'accepted'))
    },
    code: 'SW_MISSING',
  },
  {
    state: 'failed retryably',
    service: failing('retryable'),
    prepare: async ({ first }) => {
      await first.approve()
      await first.dieBuilding(() => first.records().some(({ type }) => type === 'failed'))
    },
    code: 'SW_MISSING',
  },
  {
    state: 'failed for good, and approved anew',
    service: failing('for good'),
    prepare: async (made) => {
      await tried(made)
      await made.wait(1_000)
      await made.first.approve()
    },
    code: 'SW_MISSING',
  },
  {
    state: 'given up, and approved anew',
    service: submissionsLost(6),
    prepare: async (made) => {
      await tried(made)
      await made.wait(11 * minutes)
      await made.run((await made.first.open()).recover({ name: 'hero', decision: 'abandon' }))
      await made.first.approve()
    },
    code: 'SW_MISSING',
  },
  { state: 'a question', service: asking, prepare: tried, code: 'SW_QUESTION' },
  {
    state: 'a question whose answer was sent and not confirmed',
    service: { ...asking, ...answering([lost], isAnswer) },
    prepare: async (made) => {
      await tried(made)
      await made.run((await made.first.open()).answer({ name: 'hero', text: 'left' })).catch(() => {})
    },
    code: 'SW_MISSING',
  },
  {
    state: 'a chain of which the first step is bought',
    prepare: async ({ first, world }) => {
      first.write('sprites/hero.sprite.json', chainOfTwo)
      await first.approve()
      await first.dieBuilding(() => world.service.charges().length === 1 && first.records().some(({ type }) => type === 'stored'))
    },
    code: 'SW_MISSING',
  },
  {
    state: 'bought, its result lost',
    prepare: async (made) => {
      await tried(made)
      for (const path of made.first.disk.files.keys()) if (path.includes('/results/')) made.first.disk.files.delete(path)
    },
  },
  {
    state: 'sent without an answer for a sprite that is gone from the project',
    service: submissionsLost(6),
    prepare: async (made) => {
      await tried(made)
      made.first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
      made.first.disk.files.delete('/game/sprites/hero.sprite.json')
      await made.first.approve()
      await made.first.build({ names: ['rogue'] })
    },
  },
]

describe('a build that must not buy sends nothing', () => {
  test.each(standings.map((one) => [one.state, one] as const))('%s', async (_state, { service, init = {}, prepare, code }) => {
    const made = await team(service)
    await prepare(made)
    const sent = (): number => made.world.service.requests().filter(({ method }) => method !== 'GET').length
    const before = sent()
    for (const [mode, request, own] of modes) {
      const machine: Machine = made.copy(made.first)
      const options = { ...init.options, ...own.options }
      const ended = await machine.build(request, { ...own, options }).then(
        () => undefined,
        (error: { code?: string }) => error.code ?? String(error),
      )
      const allowed = mode.endsWith('placeholders') ? [code, undefined] : [code]
      expect(allowed, `${mode} ended with ${ended}`).toContain(ended)
      expect(sent() - before, mode).toBe(0)
    }
  })
})

/** Another process of this machine approves ten sprites. Their uploads use up all POSTs of the minute. */
async function useUpTheMinute({ first }: Team): Promise<void> {
  const names = Array.from({ length: 10 }, (_, n) => `extra${n}`)
  for (const [n, name] of names.entries()) {
    first.write(`sprites/${name}.png`, figurePng(100 + n))
    first.write(`sprites/${name}.sprite.json`, specOf(`an extra ${n}`, name))
  }
  await first.approve({ names })
}

describe('what was right before a long wait for the limits is judged again after it', () => {
  test('a submission that is nine and a half minutes old when the wait begins is not sent again after ten', async () => {
    const made = await team(answersLost(6))
    await tried(made)
    await made.wait(9.5 * minutes)
    await useUpTheMinute(made)
    const sent = made.posts()
    await expect(made.first.build({ names: ['hero'] })).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'window' } })
    expect([sent, made.posts(), made.charged()]).toEqual([6, 6, ['a knight walk']])
  })

  test('it is sent again where the wait ends in time', async () => {
    const made = await team(answersLost(6))
    await tried(made)
    await made.wait(8 * minutes)
    await useUpTheMinute(made)
    await made.first.build({ names: ['hero'] })
    expect([made.posts(), made.charged()]).toEqual([7, ['a knight walk']])
  })

  test('an answer that is nine and a half minutes old when the wait begins is not sent again after ten', async () => {
    const made = await team({ ...asking, ...answering([lost], isAnswer) })
    await tried(made)
    await expect(made.run((await made.first.open()).answer({ name: 'hero', text: 'left' }))).rejects.toMatchObject({
      code: 'SW_UNREACHABLE',
    })
    await made.wait(9.5 * minutes)
    await useUpTheMinute(made)
    const answers = (): number =>
      made.world.service.requests().filter(({ method, path }) => method === 'POST' && path.includes('answer')).length
    await expect(made.first.build({ names: ['hero'] })).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'window' } })
    expect(answers()).toBe(1)
  })
})

describe('where nobody can know, a person decides', () => {
  test('an answer that may have arrived is not replaced by other words', async () => {
    const { first, run, wait, world } = await team({
      ...asking,
      ...answering(
        Array.from({ length: 9 }, () => lost),
        isAnswer,
      ),
    })
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await expect(run((await first.open()).answer({ name: 'hero', text: 'left' }))).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    await wait(11 * minutes)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN' })
    await expect(run((await first.open()).answer({ name: 'hero', text: 'right' }))).rejects.toMatchObject({
      code: 'SW_USAGE',
      facts: { sent: 'left' },
    })
    expect(await first.states()).toEqual(['uncertain'])
    expectCount(
      world.service.requests().filter(({ path }) => path.includes('answer')),
      1,
    )
  })

  test('an execution that the service does not know any more is not bought again, nor offered for approval', async () => {
    let isForgotten = false
    const gone: EmbeddedOptions = {
      before: async ({ method, path }) =>
        isForgotten && method === 'GET' && path.startsWith('/v1/executions/') ? refusal(404, 'resource_not_found') : undefined,
    }
    const { first, posts } = await team(gone)
    await first.approve()
    await first.dieBuilding(() => first.records().some(({ type }) => type === 'accepted'))
    isForgotten = true
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { status: 404 } })
    expect(await first.approve()).toMatchObject({ approved: [], untouched: ['hero.walk'] })
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN' })
    expect(posts()).toBe(1)
  })
})

describe('a price that rises after the approval', () => {
  test('of a picture, under a workshop that stays open, is seen before anything is sent', async () => {
    let credits = 1
    const dearer: EmbeddedOptions = {
      after: async ({ path }, response) => {
        if (!path.startsWith('/v1/capabilities') || !(response.body instanceof Uint8Array)) return response
        const said = { ...JSON.parse(new TextDecoder().decode(response.body)), live_charge_credits_per_image: credits }
        const body = new TextEncoder().encode(JSON.stringify(said))
        return { ...response, headers: { ...response.headers, 'content-length': String(body.length) }, body }
      },
    }
    const { first, run, posts } = await team(dearer)
    first.write('sprites/hero.sprite.json', chainOfTwo)
    const workshop = await first.open()
    await run(workshop.approve({ names: [], confirm: async () => true }))
    credits = 9
    await expect(run(workshop.build({ buyOnly: true }))).rejects.toMatchObject({ code: 'SW_CEILING', facts: { id: 'hero#1' } })
    expect(posts()).toBe(0)
  })

  test('of a sheet, while it waits for the limits, is refused by the service under the price that was approved', async () => {
    const made = await team()
    const { first, run, wait, world, posts, charged } = made
    await first.approve()
    await wait(2 * minutes)
    await useUpTheMinute(made)
    const waiting = (await first.open()).build({ names: ['hero'], buyOnly: true })
    const dearer = world.clock.sleep(1_000).then(() => world.service.setPricing({ first_tier_cents: 500 }))
    await expect(run(Promise.all([waiting, dearer]))).rejects.toMatchObject({ code: 'SW_CEILING' })
    expect([posts(), charged()]).toEqual([1, []])
  })
})
