import { expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { type AnswerWords, freezeAnswer } from '../../src/job/answer.ts'
import type { JournalView } from '../../src/job/records/journal.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { jobPorts, numberedOrder, ownKey } from '../sim/exhaustive/project.ts'

const price = parseCredits('2.4')
const order = numberedOrder(1, price)
const net = { request: async () => Promise.reject(new Error('no request')), close: async () => {} }

test('an answer that is under way is the same answer only with its words and its picture', async () => {
  const world = { disk: new MemoryDisk(), clock: new ManualClock(), random: countingRandom(), net }
  const ports = jobPorts(world, { total: price, hasCopy: false, key: ownKey })
  const { journal } = ports
  const accepted = { attempt: 1, executionId: 'e', conversationId: 'c' }
  const answer = async (view: JournalView, words: AnswerWords) => freezeAnswer(ports, order, view, 'c', 'q', words)
  const known = (await journal.append(order.hash, await journal.read(order.hash), 'accepted', accepted)) as JournalView
  const frozen = (await answer(known, { text: 'left', assetId: 'a' })) as JournalView
  const sent = (await journal.append(order.hash, frozen, 'answerSent', { attempt: 1, send: 1, keyTag: 'k' })) as JournalView
  expect(await answer(sent, { text: 'left', assetId: 'a' })).toBe(sent)
  for (const words of [
    { text: 'right', assetId: 'a' },
    { text: 'left', assetId: 'b' },
    { text: 'left', assetId: undefined },
  ])
    await expect(answer(sent, words)).rejects.toMatchObject({ code: 'SW_USAGE', facts: { sent: 'left' } })
})
