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
