import { expect, test } from 'vitest'
import { approverWords, revokedWords } from '../../src/credit/approval-words.ts'
import { commonWays, isPlayable, waysOfGiving, waysWords } from '../../src/credit/given.ts'

test('an approval that has expired says on which day, if it names one', () => {
  const buyer = 'a'.repeat(40)
  expect(approverWords({ buyer, expires: '2026-01-31T12:00:00.000Z' }, 'expired')).toMatch(/^earlier.* has expired \(2026-01-31\)$/)
  expect(approverWords({ buyer }, 'expired')).toMatch(/^earlier.* has expired$/)
})

test('a touch that does not fit is said to be one, and another forged approval is said to have a signature alone', () => {
  expect(approverWords({ buyer: 'a', given: 'touched' }, 'forged')).toContain('touch')
  expect(approverWords({ buyer: 'a', given: 'typed' }, 'forged')).not.toContain('touch')
})

test('what was taken back and what goes on are both said, and nothing else is', () => {
  expect(revokedWords({ revoked: [], inFlight: [] })).toEqual(['No approval is waiting to be used.'])
  const back = 'Taken back: hero.idle, hero.walk. Nothing is bought on what was approved before.'
  const on = 'Sent already, so it goes on, and is not sent again if it fails: coin.spin. The next build fetches it.'
  expect(revokedWords({ revoked: ['hero.idle', 'hero.walk'], inFlight: [] })).toEqual([back])
  expect(revokedWords({ revoked: [], inFlight: ['coin.spin'] })).toEqual([on])
  expect(revokedWords({ revoked: ['hero.idle', 'hero.walk'], inFlight: ['coin.spin'] })).toEqual([back, on])
})

test('ways of giving are listed once each, in the order in which a person sees them', () => {
  expect(waysWords(['standing', 'unattended', 'clicked', 'typed', 'touched', 'typed'])).toBe(
    'touched, typed, clicked, unattended, standing',
  )
  expect(waysWords(new Set())).toBe('none')
})

test('two lists of ways have in common what both have, and a missing list has all', () => {
  expect(commonWays(['typed', 'clicked', 'standing'], ['standing', 'touched', 'typed'])).toEqual(['typed', 'standing'])
  expect(commonWays(undefined, ['typed'])).toEqual(['typed'])
  expect(commonWays(['typed'], undefined)).toEqual(['typed'])
  expect(commonWays(['typed'], [])).toEqual([])
  expect(commonWays(undefined, undefined)).toBe(undefined)
})

test('a program can give an approval by each way but a touch and a ceiling that was accepted before', () => {
  expect(waysOfGiving.filter((way) => isPlayable([way]))).toEqual(['typed', 'clicked', 'unattended'])
  expect(isPlayable(['touched', 'standing', 'unattended'])).toBe(true)
  expect(isPlayable([])).toBe(false)
})
