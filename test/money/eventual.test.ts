import { expect, test } from 'vitest'
import type { ServedResponse } from '../../src/host/server.ts'
import { refusal, team } from '../sim/two-machines.ts'

const garbage: ServedResponse = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: new TextEncoder().encode('<html>Please log in to the network.</html>'),
}

/** A service whose first reads of an execution have these answers. */
function reading(responses: readonly ServedResponse[]): Parameters<typeof team>[0] {
  const left = [...responses]
  return {
    before: async ({ method, path }) => (method === 'GET' && /^\/v1\/executions\/[^/]+$/.test(path) ? left.shift() : undefined),
  }
}

const unknown = refusal(404, 'resource_not_found')

test.each([
  ['is not known right after its 202', [unknown]],
  ['is not known for a while', [unknown, unknown, unknown]],
  ['is read through something that answers in its place', [garbage, garbage, garbage, garbage]],
])('an execution that %s is followed to its end, and paid once', async (_what, responses) => {
  const made = await team(reading(responses))
  await made.first.approve()
  expect((await made.first.build()).bought).toHaveLength(1)
  expect([made.posts(), made.charged()]).toEqual([1, ['a knight walk']])
})

test('an execution that stays unknown is for a person after half a minute; answers that nobody can read end the run', async () => {
  const gone = await team(reading(Array.from({ length: 200 }, () => unknown)))
  await gone.first.approve()
  const begun = gone.world.clock.mono()
  await expect(gone.first.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN', exitCode: 6 })
  expect(gone.world.clock.mono() - begun).toBeGreaterThanOrEqual(30_000)
  const garbled = await team(reading(Array.from({ length: 200 }, () => garbage)))
  await garbled.first.approve()
  await expect(garbled.first.build()).rejects.toMatchObject({ code: 'SW_WIRE', exitCode: 4 })
  await garbled.wait(10_000)
  expect([garbled.posts(), garbled.charged()]).toEqual([1, ['a knight walk']])
})
