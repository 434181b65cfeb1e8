import { expect, test } from 'vitest'
import { exitCodeOf, type Failure, toFailures, weightiest } from '../../src/cli/failure.ts'
import { SpritewrightError } from '../../src/errors.ts'

const mistake = 'This is a mistake in spritewright itself: please report it with the lines below.'
const broken =
  'The installed spritewright is incomplete, or was replaced while it ran: run the command again. If that does not help, run npm install. No paid result is lost.'
const withCode = (code: unknown, facts?: unknown): Error => Object.assign(new Error('words'), { code, facts, stack: 'a stack' })
const full = (code: string, exit: number, facts: object = {}): object => ({ code, message: 'words', facts, exit })
const internal = (message: string, stack?: unknown): object => ({ code: 'SW_INTERNAL', message, facts: {}, exit: 1, stack })

test.each<[string, unknown, object]>([
  ['an error of ours', withCode('SW_CEILING', { quoted: 1 }), full('SW_CEILING', 3, { quoted: 1 })],
  ['a delivery that cannot be read', withCode('SW_PNG'), full('SW_PNG', 4)],
  ['another code of the atlas', withCode('SW_PAGE', 'text'), full('SW_PAGE', 1)],
  ['a name that objects have', withCode('SW_toString', null), full('SW_toString', 1)],
  ['a mistake of ours', withCode('SW_INTERNAL'), { ...full('SW_INTERNAL', 1), stack: 'a stack' }],
  [
    'an abort',
    Object.assign(withCode(undefined), { name: 'AbortError' }),
    { code: 'SW_INTERRUPTED', message: 'Interrupted.', facts: {}, exit: 130 },
  ],
  ['a module that is missing', withCode('ERR_MODULE_NOT_FOUND'), internal(`words. ${broken}`, 'a stack')],
  ['a module of CommonJS', withCode('MODULE_NOT_FOUND'), internal(`words. ${broken}`, 'a stack')],
  ['an error of others', withCode('EWHATEVER'), internal(`words ${mistake}`, 'a stack')],
  ['no words', Object.assign(withCode(7), { message: '' }), internal(`An error without a message. ${mistake}`, 'a stack')],
  ['a number', 7, internal(`Expected an error, found number: 7 ${mistake}`)],
])('%s becomes a failure with a code, words, facts and an exit code', (_what, thrown, failure) => {
  expect(toFailures(thrown)).toEqual([failure])
})

test('equal failures of several are one, in the order of the last word of each; the weightiest has the exit code', () => {
  const one = (code: 'SW_CEILING' | 'SW_SPEC' | 'SW_INTERRUPTED', message: string) => new SpritewrightError(code, { message })
  const inner = new AggregateError([one('SW_SPEC', 'b'), one('SW_CEILING', 'a')])
  const failures = toFailures(new AggregateError([one('SW_INTERRUPTED', 'x'), one('SW_SPEC', 'a'), inner, one('SW_SPEC', 'a')]))
  const words = ({ code, message }: Failure): string => `${code} ${message}`
  expect(failures.map(words)).toEqual(['SW_INTERRUPTED x', 'SW_SPEC a', 'SW_SPEC b', 'SW_CEILING a'])
  expect(exitCodeOf(failures)).toBe(Math.max(...failures.map(({ exit }) => exit).filter((exit) => exit !== 130)))
  expect([exitCodeOf([]), weightiest([]), weightiest(failures)]).toEqual([1, undefined, failures[3]])
  expect(weightiest(failures.slice(0, 1))?.code).toBe('SW_INTERRUPTED')
  expect(toFailures(new AggregateError([], 'none'))).toMatchObject([{ code: 'SW_INTERNAL', message: `none ${mistake}` }])
})
