import { expect, test } from 'vitest'
import { answers, orderMessage } from '../../src/queue/messages.ts'

const order = { id: 'hero.walk', hash: 'a'.repeat(64), commit: 'b'.repeat(40), file: 'sprites/hero.sprite.json' }

test('an order names a file of the project, and nothing above it or of git', () => {
  for (const one of [order, { ...order, project: 'castle', folder: 'games/castle' }]) expect(orderMessage.parse(one)).toEqual(one)
  for (const id of ['badge', 'icons.sword']) expect(orderMessage.parse({ ...order, id }).id).toBe(id)
  for (const id of ['icons#1', 'a.b.c', '']) expect(orderMessage.safeParse({ ...order, id }).success, id).toBe(false)
  for (const file of [
    '.git/config',
    'sub/.git/config',
    '../hero.json',
    './hero.json',
    '/hero.json',
    'a//b.json',
    'a\\b.json',
    'C:b.json',
    '',
  ])
    for (const name of ['file', 'folder']) expect(orderMessage.safeParse({ ...order, [name]: file }).success, `${name} ${file}`).toBe(false)
})

test.each(['host\u001b[2J', 'host\u202e', 'host\n'])('a text in an answer that a terminal would obey is no answer: %j', (words) => {
  const estimate = { priceVersion: 'v1', frameCount: 7, background: 'remove', credits: '1.6', referenceUsd: '1', referenceCreditCents: 1 }
  expect(answers.estimate.safeParse(estimate).success).toBe(true)
  expect(answers.estimate.safeParse({ ...estimate, priceVersion: words }).success).toBe(false)
})
