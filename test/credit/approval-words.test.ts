import { expect, test } from 'vitest'
import { approverWords } from '../../src/credit/approval-words.ts'

test('an approval that has expired says on which day, if it names one', () => {
  const buyer = 'a'.repeat(40)
  expect(approverWords({ buyer, expires: '2026-01-31T12:00:00.000Z' }, 'expired')).toMatch(/^earlier.* has expired \(2026-01-31\)$/)
  expect(approverWords({ buyer }, 'expired')).toMatch(/^earlier.* has expired$/)
})
