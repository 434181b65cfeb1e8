import { expect, test } from 'vitest'
import { Refusal, toEnvelope } from '../../src/embedded/http/http.ts'
import { heroSpec } from '../kit/project.ts'
import { approveAll, world } from './world.ts'

test('answers that the service refuses have a key each, however many, and the words say what to do', async () => {
  const keys: unknown[] = []
  let refusals = 3
  const w = await world(
    {
      before: async ({ method, path, headers }) => {
        if (method !== 'POST' || !/\/conversations\//.test(path)) return undefined
        keys.push(headers['idempotency-key'])
        if (refusals-- <= 0) return undefined
        return toEnvelope(new Refusal('invalid_request', 'That answer is too short'), 'req_1')
      },
    },
    heroSpec().replace('a small figure', 'a small figure [ask]'),
  )
  const workshop = await w.workshop()
  await approveAll(workshop)
  await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
  const messages: string[] = []
  for (const text of ['a', 'b', 'c']) {
    const failure = await (await w.workshop()).answer({ name: 'hero', text }).catch((error: unknown) => error as Error)
    messages.push((failure as Error).message)
  }
  await (await w.workshop()).answer({ name: 'hero', text: 'with the left hand' })
  expect(messages).toEqual(
    Array.from({ length: 3 }, () => expect.stringMatching(/too short.*still open.*answer again: npx spritewright answer hero\.walk/)),
  )
  expect(new Set(keys).size).toBe(4)
  expect((await (await w.workshop()).build()).bought).toHaveLength(1)
})
