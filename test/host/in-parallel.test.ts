import { expect, test } from 'vitest'
import { inParallel } from '../../src/host/in-parallel.ts'

test('after a failure no further task begins, and those that run come to their end', async () => {
  const seen: string[] = []
  const run = inParallel(
    [0, 1, 2, 3],
    async (item) => {
      seen.push(`begin ${item}`)
      if (item === 0) throw new Error('the first')
      await Promise.resolve()
      seen.push(`end ${item}`)
    },
    2,
  )
  await expect(run).rejects.toThrow('the first')
  expect(seen).toEqual(['begin 0', 'begin 1', 'end 1'])
})

test('of several failures the first is told', async () => {
  const ends: (() => void)[] = []
  const run = inParallel(['a', 'b'], (item) => new Promise((_, reject) => ends.unshift(() => reject(new Error(item)))), 2)
  for (const end of ends) end()
  await expect(run).rejects.toThrow('b')
})

test.each([
  [0, 1],
  [2, 2],
  [9, 5],
  [undefined, 5],
])('with %s at once, %i of 5 run at the same time, and the results have the order of the items', async (atOnce, most) => {
  let [running, seen] = [0, 0]
  const results = await inParallel(
    [5, 4, 3, 2, 1],
    async (item, index) => {
      seen = Math.max(seen, ++running)
      for (let turn = 0; turn < item; turn++) await Promise.resolve()
      running--
      return `${index}:${item}`
    },
    atOnce,
  )
  expect(results).toEqual(['0:5', '1:4', '2:3', '3:2', '4:1'])
  expect(seen).toBe(most)
  expect(await inParallel([], async () => 1)).toEqual([])
})
