import { expect, test } from 'vitest'
import type { JobProgress } from '../../src/job/order.ts'
import {
  answers,
  formatFailure,
  inquiryMessage,
  leaseNote,
  orderMessage,
  parseFailure,
  progressMessage,
  toMessage,
} from '../../src/queue/messages.ts'

const order = { id: 'hero.walk', hash: 'a'.repeat(64), commit: 'b'.repeat(40), file: 'sprites/hero.sprite.json' }

test('an order names a file of the project, and nothing above it or of git', () => {
  for (const one of [order, { ...order, project: 'castle', folder: 'games/castle' }]) expect(orderMessage.parse(one)).toEqual(one)
  for (const id of ['badge', 'icons.sword']) expect(orderMessage.parse({ ...order, id }).id).toBe(id)
  for (const id of ['icons#1', 'a.b.c', '']) expect(orderMessage.safeParse({ ...order, id }).success, id).toBe(false)
  for (const file of [
    '.git/config',
    'sub/.git/config',
    '../hero.json',
    './hero.json',
    '/hero.json',
    'a//b.json',
    'a\\b.json',
    'C:b.json',
    '',
  ])
    for (const name of ['file', 'folder']) expect(orderMessage.safeParse({ ...order, [name]: file }).success, `${name} ${file}`).toBe(false)
})

test.each(['host\u001b[2J', 'host\u202e', 'host\n'])('a text in an answer that a terminal would obey is no answer: %j', (words) => {
  const estimate = { priceVersion: 'v1', frameCount: 7, background: 'remove', credits: '1.6', referenceUsd: '1', referenceCreditCents: 1 }
  expect(answers.estimate.safeParse(estimate).success).toBe(true)
  expect(answers.estimate.safeParse({ ...estimate, priceVersion: words }).success).toBe(false)
})

test('a failure arrives with its code and its words, without what a terminal would obey', () => {
  const arrived = (error: unknown, facts = {}) => parseFailure(formatFailure(error), facts)
  expect(arrived({ code: 'SW_CEILING', message: 'Too\u001b[2J dear.' }, { order: 'o' })).toMatchObject({
    ...{ code: 'SW_CEILING', message: 'Too [2J dear.' },
    facts: { order: 'o', from: 'worker' },
  })
  for (const code of [undefined, 5, ['SW_CEILING'], 'EIO', 'toString', 'constructor'])
    expect(arrived({ code, message: 'x' })).toMatchObject({ code: 'SW_ORDER', message: 'x' })
  expect(arrived({ code: 'SW_CEILING', message: 'x'.repeat(5000) }).message).toHaveLength(4000)
  expect(/x+$/.exec(parseFailure('x'.repeat(900)).message)?.[0]).toHaveLength(500)
  expect(JSON.parse(formatFailure({ code: 'SW_CEILING', message: 'a\nb' }))).toEqual({ code: 'SW_CEILING', message: 'a b' })
})

test.each(['job stalled\u001b[2J', '{"code":"toString","message":"job stalled"}', '{"code":"SW_CEILING","message":5,"why":"job stalled"}'])(
  'a failure in another form is one of the order, and its text is shown: %j',
  (failure) => {
    const error = parseFailure(failure)
    expect([error.code, error.message.includes('job stalled'), error.message.includes('\u001b')]).toEqual(['SW_ORDER', true, false])
    expect(parseFailure('{"code":"SW_CEILING","message":"a\\u001bb"}').message).toBe('a b')
  },
)

test.each<[object, boolean]>([
  [{ ask: 'capabilities' }, true],
  [{ ask: 'balance' }, true],
  [{ ask: 'estimate', frames: 1, background: 'keep' }, true],
  [{ ask: 'estimate', frames: 1000, background: 'remove' }, true],
  [{ ask: 'estimate', frames: 0, background: 'remove' }, false],
  [{ ask: 'estimate', frames: 1001, background: 'remove' }, false],
  [{ ask: 'estimate', frames: 1.5, background: 'remove' }, false],
  [{ ask: 'estimate', frames: 7 }, false],
  [{ ask: 'balance', frames: 7 }, false],
  [{ ask: 'submit' }, false],
])('%j is a question that a worker answers: %s', (message, isOne) => {
  expect(inquiryMessage.safeParse(message).success).toBe(isOne)
})

test('amounts go as decimal texts and come back as amounts', () => {
  const told = { id: 'hero.walk', phase: 'bought', settled: 24_000n, held: 0n } as const
  expect(toMessage(told)).toEqual({ ...told, settled: '2.4', held: '0' })
  expect(progressMessage.parse(toMessage(told))).toEqual(told)
  expect(answers.balance.parse(toMessage({ credits: 1n }))).toEqual({ credits: 1n })
})

test('progress is a part of one, and its words are cut and plain', () => {
  const running = { id: 'hero.walk', phase: 'running' } as const
  for (const progress of [0, 0.5, 1]) expect(progressMessage.parse({ ...running, progress }).progress).toBe(progress)
  for (const wrong of [{ progress: -0.1 }, { progress: 1.1 }, { phase: 'stolen' }, { id: 'a\u001b' }, { held: 'much' }, { more: 1 }])
    expect(progressMessage.safeParse({ ...running, ...wrong }).success, JSON.stringify(wrong)).toBe(false)
  expect(progressMessage.parse({ ...running, message: `a\u001b${'x'.repeat(600)}` }).message).toBe(`a ${'x'.repeat(498)}`)
})

test.each<JobProgress['phase']>([
  ...(['checking', 'uploading', 'submitting', 'queued', 'running', 'waiting', 'downloading', 'bought', 'failed'] as const),
])('a job that is %s is told to the client', (phase) => {
  expect(progressMessage.parse({ id: 'hero.walk', phase })).toEqual({ id: 'hero.walk', phase })
})

test('a note has times of a date, or none', () => {
  for (const note of [{ state: 'free' }, { state: 'held', by: 'desk 7', since: 0, seen: 8.64e15 }, { state: 'released' }])
    expect(leaseNote.parse(note)).toEqual(note)
  for (const wrong of [{ state: 'gone' }, { state: 'held', seen: -1 }, { state: 'held', since: 8.64e15 + 2 }, { state: 'held', by: 'a\n' }])
    expect(leaseNote.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false)
})

const facts = {
  ...{ apiVersion: '1', keyMode: 'live', operations: ['sprite_sheet'], assumed: ['operations'], imageCredits: 10_000n },
  ...{ maximumInputBytes: 1, maximumInputDimension: 2, maximumSourceInputBytes: 3, supportedInputExtensions: ['png'] },
  ...{ serverSentEvents: true, managedExecute: false, interactiveQuestions: true, stagedInputUploads: false, testModeUsesCredits: true },
  ...{ minimumFrames: 7, maximumFrames: 100 },
}
const price = {
  ...{ priceVersion: 'v1', frameCount: 7, background: 'keep', credits: 16_000n, referenceUsd: '0.16', referenceCreditCents: 10 },
}
const longest = 'x'.repeat(500)
const many = Array.from({ length: 100 }, () => 'x')
const whole = { ...order, hash: '0123456789abcdef'.repeat(4), commit: 'f'.repeat(64), reference: 'c'.repeat(64), project: longest }

test('each message arrives whole, with every part of it that is set, missing or null', () => {
  const unknown = Object.fromEntries(Object.keys(facts).map((name) => [name, null]))
  const least = { ...unknown, apiVersion: '', keyMode: 'test', operations: [], assumed: [] }
  for (const capabilities of [facts, least, { ...facts, operations: many, assumed: many, supportedInputExtensions: many }])
    expect(answers.capabilities.parse(toMessage({ host: longest, capabilities }))).toEqual({ host: longest, capabilities })
  expect(answers.estimate.parse(toMessage(price))).toEqual(price)
  const long = 'a'.repeat(200)
  for (const one of [whole, { ...order, id: `${long}.${long}` }, { ...order, file: `a/${'b'.repeat(998)}`, folder: '.a/..b' }])
    expect(orderMessage.parse(one)).toEqual(one)
  const told = { id: longest, phase: 'waiting', progress: 0.25, message: 'm', held: 1n, settled: 2n } as const
  expect(progressMessage.parse(toMessage(told))).toEqual(told)
  expect(leaseNote.parse({ state: 'held', by: longest, since: 1, seen: 2, more: 3 })).toEqual({
    state: 'held',
    by: longest,
    since: 1,
    seen: 2,
  })
})

test.each<[string, { safeParse(value: unknown): { success: boolean } }, object, readonly object[]]>([
  [
    'an order',
    orderMessage,
    whole,
    [
      ...[{ hash: 'a'.repeat(63) }, { hash: 'A'.repeat(64) }, { hash: undefined }, { commit: 'b'.repeat(41) }, { commit: undefined }],
      ...[{ reference: 'c' }, { project: `${longest}x` }, { project: 'a\u202e' }, { id: 'a'.repeat(201) }, { id: `a.${'b'.repeat(201)}` }],
      ...[{ file: `a/${'b'.repeat(999)}` }, { file: 'a\u0000' }, { file: 'a/./b' }, { file: 'a/' }, { more: 1 }],
    ],
  ],
  [
    'the facts of an account',
    answers.capabilities,
    { host: 'h', capabilities: { ...facts, imageCredits: '1' } },
    [
      ...[{ host: `${longest}x` }, { host: undefined }, { more: 1 }],
      ...Object.keys(facts).map((name) => ({ capabilities: { ...facts, imageCredits: '1', [name]: undefined } })),
      ...['operations', 'assumed', 'supportedInputExtensions'].map((name) => ({
        capabilities: { ...facts, imageCredits: '1', [name]: [...many, 'x'] },
      })),
      ...[
        { keyMode: 'other' },
        { imageCredits: 1 },
        { operations: null },
        { minimumFrames: '7' },
        { serverSentEvents: 1 },
        { more: 1 },
      ].map((other) => ({ capabilities: { ...facts, imageCredits: '1', ...other } })),
    ],
  ],
  [
    'a price',
    answers.estimate,
    { ...price, credits: '1.6' },
    [
      ...[{ referenceCreditCents: 0 }, { referenceCreditCents: 1.5 }, { background: 'other' }, { credits: '-1' }, { referenceUsd: 1 }],
      ...[{ referenceUsd: 'a\n' }, { frameCount: '7' }, { more: 1 }],
      ...Object.keys(price).map((name) => ({ [name]: undefined })),
    ],
  ],
  ['a balance', answers.balance, { credits: '1' }, [{ credits: 1 }, { credits: '' }, { more: 1 }]],
])('%s that is not in its form is none', (_, reader, right, wrong) => {
  expect(reader.safeParse(right).success).toBe(true)
  for (const other of wrong) expect(reader.safeParse({ ...right, ...other }).success, JSON.stringify(other)).toBe(false)
})
