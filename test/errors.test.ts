import { expect, test } from 'vitest'
import { type ErrorCode, errorCodes, filesOf, hasCode, mayPass, SpritewrightError, sourcesOf } from '../src/errors.ts'

const errorOf = (code: ErrorCode, facts?: Readonly<Record<string, unknown>>): SpritewrightError =>
  new SpritewrightError(code, { message: 'x', ...(facts ? { facts } : {}) })

test.each<[exit: number, codes: string]>([
  [1, 'INTERNAL DISK JOURNAL VAULT STORE QUEUE BUILD ORIGIN'],
  [
    2,
    'USAGE GUARD SPEC SPEC_NAME REFERENCE OVERRIDE SOURCE CONFIG LOCKFILE LAYOUT STORE_UNSAFE NO_KEY KEY_EXPOSED NO_SERVICE ORDER UNTRUSTED_HOST',
  ],
  [3, 'APPROVAL CEILING PRICE_VERSION BALANCE MISSING BUYER CHANGED'],
  [4, 'UNREACHABLE REFUSED KEY_REFUSED CAPABILITY WIRE FAILED DELIVERY CONFLICT'],
  [5, 'QUESTION'],
  [6, 'UNCERTAIN'],
  [130, 'INTERRUPTED'],
])('exit code %i is that of these codes and of no other', (exit, codes) => {
  const own = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => errorOf(code).exitCode === exit)
  expect(own).toEqual(codes.split(' ').map((code) => `SW_${code}`))
})

test('only a store, a queue or a service that is away or busy may pass', () => {
  expect((Object.keys(errorCodes) as ErrorCode[]).filter((code) => mayPass(errorOf(code)))).toEqual([
    'SW_STORE',
    'SW_QUEUE',
    'SW_UNREACHABLE',
  ])
  const refusals = [true, false, undefined, 'true'].map((retryable) => mayPass(errorOf('SW_REFUSED', { retryable })))
  expect(refusals).toEqual([true, false, false, false])
  expect(mayPass(Object.assign(new Error('x'), { code: 'SW_STORE' }))).toBe(true)
  expect(mayPass(Object.assign(new Error('x'), { code: 'ECONNRESET' }))).toBe(false)
})

test('an error of another copy of the package has its code, and what is no error has none', () => {
  expect(hasCode(Object.assign(new Error('x'), { code: 'SW_SPEC' }), 'SW_SPEC')).toBe(true)
  for (const other of [errorOf('SW_SPEC_NAME'), { code: 'SW_SPEC' }, undefined, null, 'SW_SPEC'])
    expect(hasCode(other, 'SW_SPEC')).toBe(false)
})

test('the files and the sources of an error are those of its facts, and of anything else there are none', () => {
  expect(filesOf(errorOf('SW_SPEC', { file: '/a' }))).toEqual(['/a'])
  expect(filesOf(errorOf('SW_SPEC_NAME', { files: ['/b', '/c'] }))).toEqual(['/b', '/c'])
  expect(filesOf(errorOf('SW_SPEC_NAME', { file: '/a', files: ['/b', 3] }))).toEqual(['/a', '/b'])
  expect(sourcesOf(errorOf('SW_SOURCE', { file: '/a', sources: ['/b', '/c'] }))).toEqual(['/b', '/c'])
  for (const other of [errorOf('SW_SPEC'), new Error('x'), undefined]) expect([filesOf(other), sourcesOf(other)]).toEqual([[], []])
})

test('as JSON an error has its code, message and facts, and neither its stack nor its cause', () => {
  const cause = new Error('a secret')
  const error = new SpritewrightError('SW_DISK', { message: 'm', facts: { file: '/a' }, cause })
  expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'SW_DISK', message: 'm', facts: { file: '/a' } })
  expect(error.cause).toBe(cause)
  expect(errorOf('SW_DISK').facts).toEqual({})
})
