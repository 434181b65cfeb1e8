import { expect, test } from 'vitest'
import { createNewest } from '../../plugin/runtime/shared/swap.ts'

test('of the values of a key that come while one is processed, only the last follows; a later one begins anew', async () => {
  const seen: string[] = []
  const push = createNewest<string>(async (value, isOvertaken) => {
    seen.push(`begin ${value}`)
    await Promise.resolve()
    seen.push(`end ${value}${isOvertaken() ? ', overtaken' : ''}`)
  })
  await Promise.all(['a', 'b', 'c'].map((value) => push('hero', value)))
  expect(seen.splice(0)).toEqual(['begin a', 'end a, overtaken', 'begin c', 'end c'])
  await push('hero', 'd')
  expect(seen).toEqual(['begin d', 'end d'])
})
