import { expect, test } from 'vitest'
import { type AskTouch, createTouching } from '../../../plugin/panel/server/touching.ts'
import { testAuthenticator } from '../../kit/authenticator.ts'
import { ManualClock } from '../../kit/manual-clock.ts'

const origin = 'http://localhost:20000'
const { assert } = testAuthenticator()
const challenge = (name: string) => ({ challenge: name, credentials: ['AA'] })

/** A panel's server, and an approval of each name that is written once it is touched. */
function server() {
  const clock = new ManualClock()
  const closing = new AbortController()
  const touching = createTouching({ clock }, () => origin, closing.signal)
  const written: string[] = []
  const approve =
    (name: string) =>
    async (ask: AskTouch): Promise<void> => {
      const answer = await ask(challenge(name))
      written.push(`${name} ${answer.assertion.credential} ${answer.origin}`)
    }
  return { clock, closing, touching, written, approve }
}

test('an approval waits for the answer of the authenticator, and is given the origin of this server', async () => {
  const { touching, written, approve } = server()
  expect(await touching.begin(approve('one'))).toEqual(challenge('one'))
  expect(written).toEqual([])
  await touching.answer(assert('one'))
  expect(written).toEqual([`one ${assert('one').credential} ${origin}`])
  await expect(touching.answer(assert('one'))).rejects.toMatchObject({ code: 'SW_CHANGED' })
})

test('an approval without a touch is written at once, and the error of one that is refused comes back', async () => {
  const { touching } = server()
  expect(await touching.begin(async () => {})).toBeUndefined()
  await expect(touching.begin(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('after two minutes, after another approval and at the end of the server, an answer writes nothing', async () => {
  for (const end of ['time', 'another', 'close'] as const) {
    const { clock, closing, touching, written, approve } = server()
    await touching.begin(approve('one'))
    if (end === 'time') await clock.advance(120_000)
    if (end === 'another') await touching.begin(approve('two'))
    if (end === 'close') closing.abort()
    if (end === 'another') {
      await touching.answer(assert('two'))
      expect(written.map((line) => line.slice(0, 3))).toEqual(['two'])
      continue
    }
    await expect(touching.answer(assert('one'))).rejects.toMatchObject({ code: 'SW_CHANGED' })
    expect(written).toEqual([])
  }
})

test('just before two minutes, an answer counts', async () => {
  const { clock, touching, written, approve } = server()
  await touching.begin(approve('one'))
  await clock.advance(119_999)
  await touching.answer(assert('one'))
  expect(written).toHaveLength(1)
})
