import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { keyEnv } from '../kit/keys.ts'
import { isSubmission, lost, minutes, specOf, type Team, team } from '../sim/two-machines.ts'

const key = 'sw_test_simulated'
const other = 'sw_test_another_one'

/** The service has accepted the submission, and its answers got lost. Six minutes have passed. */
async function unanswered(): Promise<Team> {
  let seen = 0
  const options: EmbeddedOptions = {
    accounts: [{ name: 'studio', credits: '1000', keys: [{ key }, { key: other }] }],
    after: async (request, response) => (isSubmission(request) && ++seen <= 6 ? lost : response),
  }
  const made = await team(options)
  await made.first.approve()
  await expect(made.first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
  await made.wait(6 * minutes)
  return made
}

describe('a submission without an answer, inside the window', () => {
  test('is sent again by the same user', async () => {
    const { first, posts, charged } = await unanswered()
    expect((await first.build()).bought).toHaveLength(1)
    expect([posts(), charged()]).toEqual([7, ['a knight walk']])
  })

  test('is not sent again under another signing key, which has not written its records: a person is asked', async () => {
    const { first, posts } = await unanswered()
    const init = { env: keyEnv(5) }
    await expect(first.build({}, init)).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'records' } })
    expect(posts()).toBe(6)
  })

  test('is not sent again under another API key, also of the same account: a person is asked', async () => {
    const { first, run, posts } = await unanswered()
    const init = { env: { SPRITEWRIGHT_API_KEY: other } }
    await expect(first.build({}, init)).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'key' } })
    expect(posts()).toBe(6)
    await run((await first.open(init)).recover({ name: 'hero', decision: 'replay' }))
    expect(posts()).toBe(7)
  })
})

test('the fingerprint of the API key in the records is another one for each request, and the same for each POST of one', async () => {
  const { first } = await team({ after: async (request, response) => (isSubmission(request) ? lost : response) })
  first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  await first.approve()
  await first.build().catch(() => {})
  const tags = first.records().flatMap(({ type, body }) => (type === 'sent' ? [body.keyTag] : []))
  expect(tags).toHaveLength(12)
  expect(new Set(tags).size).toBe(2)
})
