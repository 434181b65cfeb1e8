import { expect, test } from 'vitest'
import type { ServedResponse } from '../../src/host/server.ts'
import { answering, asking, lost, refusal, team } from '../sim/two-machines.ts'

function asksFor(seconds: number, response: ServedResponse): ServedResponse {
  return { ...response, headers: { ...response.headers, 'retry-after': String(seconds) } }
}

const rateLimited = refusal(429, 'rate_limited')

test.each([
  ['a rate limit', 8, rateLimited],
  ['a rate limit', 75, rateLimited],
  ['a rate limit', 290, rateLimited],
  ['an answer that says nothing', 75, lost],
])('C29: %s that asks for %i seconds: the submission comes back no sooner, and is paid once', async (_what, seconds, response) => {
  const times: number[] = []
  const made = await team({
    ...answering([asksFor(seconds, response)]),
    onRequest: ({ method, path }) => {
      if (method === 'POST' && path === '/v1/execute') times.push(made.world.clock.mono())
    },
  })
  await made.first.approve()
  await made.first.build()
  expect(times).toHaveLength(2)
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1000 * seconds)
  expect(made.charged()).toEqual(['a knight walk'])
})

test('C29: a pause shorter than our own does not shorten it', async () => {
  const times: number[] = []
  const made = await team({
    ...answering([asksFor(1, rateLimited)]),
    onRequest: ({ method, path }) => {
      if (method === 'POST' && path === '/v1/execute') times.push(made.world.clock.mono())
    },
  })
  await made.first.approve()
  await made.first.build()
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(2500)
})

test('C29: a rate limit that asks for more than a run waits ends it, with the time of the next try, and nothing is lost', async () => {
  const made = await team(answering([asksFor(3600, rateLimited)]))
  await made.first.approve()
  const begun = made.world.clock.wall()
  await expect(made.first.build()).rejects.toMatchObject({
    code: 'SW_REFUSED',
    message: expect.stringContaining(`not to try again before ${new Date(begun + 3_600_000).toISOString().slice(0, 13)}`),
  })
  expect(made.posts()).toBe(1)
  await made.wait(3_600_000)
  await made.first.build()
  expect([made.posts(), made.charged()]).toEqual([2, ['a knight walk']])
})

test('C29: an answer waits as long as a submission', async () => {
  const times: number[] = []
  const left = [asksFor(12, rateLimited)]
  const made = await team({
    ...asking,
    before: async ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/answers')) return undefined
      times.push(made.world.clock.mono())
      return left.shift()
    },
  })
  await made.first.approve()
  await expect(made.first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
  await made.run((await made.first.open()).answer({ name: 'hero', text: 'the left one' }))
  await made.first.build()
  expect(times).toHaveLength(2)
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(12_000)
})
