import { expect, test } from 'vitest'
import { orderMessage } from '../../src/queue/messages.ts'

const order = { id: 'hero.walk', hash: 'a'.repeat(64), commit: 'b'.repeat(40), file: 'sprites/hero.sprite.json' }

test('an order names a file of the project, and nothing above it or of git', () => {
  expect(orderMessage.parse(order)).toEqual(order)
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
    expect(orderMessage.safeParse({ ...order, file }).success, file).toBe(false)
})
