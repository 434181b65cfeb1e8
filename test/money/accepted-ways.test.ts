import { expect, test } from 'vitest'
import type { Given } from '../../src/credit/given.ts'
import { specOf, team } from '../sim/two-machines.ts'

const accepting = (...accept: Given[]) => ({ options: { approval: { accept } } })

test('an approval in a way that does not count is refused before it is written, and says what to do', async () => {
  const { first } = await team()
  for (const [given, init, advice] of [
    ['typed', accepting('touched'), 'in the panel by a touch'],
    ['typed', accepting('clicked', 'standing'), 'in the panel, which vite serves'],
    ['unattended', accepting('typed'), 'at a terminal, without --yes'],
    ['clicked', accepting('standing'), 'approve --standing'],
    ['typed', { env: { SPRITEWRIGHT_APPROVALS: 'touched' } }, 'in the panel by a touch'],
  ] as const) {
    const asked = first.approve({ given, confirm: () => Promise.reject(new Error('asked')) }, init)
    await expect(asked).rejects.toMatchObject({ code: 'SW_APPROVAL', message: expect.stringContaining(advice) })
  }
  // A caller that names no way is unattended.
  await expect(first.approve({}, accepting('typed'))).rejects.toMatchObject({ code: 'SW_APPROVAL' })
  expect(first.disk.files.has('/game/sprites.lock.json')).toBe(false)
})

test('an approval in a way that does not count buys nothing, and one that counts does', async () => {
  const { first, posts } = await team()
  await first.approve({ given: 'unattended' })
  await expect(first.build({}, accepting('typed', 'clicked'))).rejects.toMatchObject({
    code: 'SW_BUYER',
    message: expect.stringContaining('approval.accept'),
  })
  expect(posts()).toBe(0)
  await first.approve({ given: 'typed', adopt: true }, accepting('typed'))
  await first.build({}, accepting('typed', 'clicked'))
  expect(posts()).toBe(1)
})

test('a wider configuration changes nothing until a person accepts it, and says so', async () => {
  const { first, posts } = await team()
  const open = accepting('typed', 'clicked')
  await first.approve({ given: 'typed' }, accepting('typed'))
  first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  for (const init of [{}, open])
    await expect(first.approve({ given: 'clicked', names: ['rogue'] }, init)).rejects.toMatchObject({ code: 'SW_APPROVAL' })
  const { warnings } = await first.build({ names: ['hero'] }, open)
  expect(warnings).toContainEqual(expect.stringContaining('it was typed, which still counts'))
  const workshop = await first.open(open)
  const { offer } = await workshop.acceptStanding({ confirm: async () => true })
  expect([offer.accept, offer.acceptedWays]).toEqual([['typed', 'clicked'], ['typed']])
  expect(posts()).toBe(1)
  await first.approve({ given: 'clicked' }, open)
  await first.build({}, open)
  expect(posts()).toBe(2)
})

test('standing ceilings buy nothing where their way does not count', async () => {
  const { first, posts } = await team()
  const standing = { options: { approval: { perSprite: '5' } } }
  await first.accept(standing)
  await first.build({}, standing)
  first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  const narrow = { options: { approval: { perSprite: '5', accept: ['touched'] as const } } }
  await expect(first.build({}, narrow)).rejects.toMatchObject({ message: expect.stringContaining('only these ways count: touched') })
  expect(posts()).toBe(1)
})

test('standing ceilings count a request of two names once', async () => {
  const { first, posts } = await team()
  const standing = { options: { approval: { perSprite: '5', total: '2' } } }
  first.write('sprites/twin.sprite.json', specOf('a knight', 'hero'))
  await first.accept(standing)
  const { warnings } = await first.build({}, standing)
  expect([posts(), warnings.filter((one) => one.includes('does not cover'))]).toEqual([1, []])
})
