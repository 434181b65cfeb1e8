import { expect, test } from 'vitest'
import { canSwapIn, createNewest } from '../../plugin/runtime/shared/swap.ts'

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

test.each([
  ['8.0.0', false],
  ['8.7.3', false],
  ['8.8.0', true],
  ['8.10.1', true],
  ['8.22.0-rc.1', true],
  ['9.0.0', true],
])('PixiJS %s swaps in place: %s', (version, canSwap) => {
  expect(canSwapIn(version)).toBe(canSwap)
})
