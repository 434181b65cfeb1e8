import { expect, test } from 'vitest'
import { heroSpec } from '../kit/project.ts'
import { approveAll, world } from '../money/world.ts'

const ask = { verb: 'approve', why: 'The level needs it.', from: 'mcp' } as const

test('an approval ends the requests of which nothing needs an approval any more', async () => {
  const w = await world({}, heroSpec(['walk', 'idle']))
  const workshop = await w.workshop()
  for (const names of [['hero.walk'], ['hero'], [], ['nobody']]) await workshop.requests.add({ ...ask, names })
  const left = async (): Promise<unknown> => (await workshop.requests.list()).map(({ names }) => names.join()).sort()
  await workshop.approve({ names: ['hero.walk'], confirm: async () => false })
  expect(await left()).toEqual(['', 'hero', 'hero.walk', 'nobody'])
  await approveAll(workshop, { names: ['hero.walk'] })
  expect(await left()).toEqual(['', 'hero', 'nobody'])
  await approveAll(workshop)
  expect(await left()).toEqual(['nobody'])
  expect(w.service.charges()).toEqual([])
})

test('a request that comes after the approval ends with the next look of a person', async () => {
  const workshop = await (await world()).workshop()
  await approveAll(workshop)
  await workshop.requests.add({ ...ask, names: ['hero'] })
  await approveAll(workshop)
  expect(await workshop.requests.list()).toEqual([])
})
