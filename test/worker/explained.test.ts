import { describe, expect, test } from 'vitest'
import { type ErrorCode, errorCodes, SpritewrightError } from '../../src/errors.ts'
import { searchFor } from '../../src/key-search.ts'
import { formatFailure } from '../../src/queue/messages.ts'
import { failureEvent, masked, troubleEvent, type WorkerEvent } from '../../src/workshop/worker/events.ts'
import { explained } from '../../src/workshop/worker/explained.ts'
import { systemError } from '../cli/world.ts'

const facts = { id: 'hero.walk' }
const failure = (code: ErrorCode, message: string): SpritewrightError => new SpritewrightError(code, { message, facts })

describe('an error of the worker says to its client', () => {
  test.each([
    ['SW_UNCERTAIN', 'Decide: npx spritewright recover hero.walk --replay sends it again.'],
    ['SW_JOURNAL', 'Give it up: npx spritewright recover hero.walk --abandon, then approve it again.'],
    ['SW_QUESTION', 'Which hand? Answer it with: npx spritewright answer hero.walk "…"'],
  ] as const)('that a person decides or answers in the clone of the worker (%s)', (code, message) => {
    const error = explained(failure(code, message))
    expect(error).toMatchObject({ code, facts })
    expect((error as Error).message).toContain(`${message} Do that in the clone of the worker, after git pull there`)
  })

  test.each(['ENOSPC', 'EROFS', 'EACCES'])('that the disk of the worker failed (%s)', (code) => {
    const error = explained(systemError(code, 'open', '/game/.spritewright/submissions/a'))
    expect(error).toMatchObject({
      code: 'SW_DISK',
      message: expect.stringMatching(new RegExp(`^The disk of the worker failed: ${code}: `)),
    })
  })

  test('that a wrong setting is to be corrected on its machine', () => {
    const message = 'Expected /state/settings.json to be JSON, found something else.'
    expect(explained(failure('SW_CONFIG', message))).toMatchObject({
      code: 'SW_CONFIG',
      message: `The worker cannot go on. On its machine: ${message}`,
      facts,
    })
  })

  test('that the worker must not buy, in the words of its clone', () => {
    expect(explained(failure('SW_MISSING', 'Build with --buy.'))).toMatchObject({
      code: 'SW_MISSING',
      message: expect.stringMatching(/^The worker must not buy: build\.generate is "never" in its clone/),
      facts,
    })
  })

  test.each([
    ['other', 'approved by sw-key. Nothing was sent. If that key may approve, name it in SPRITEWRIGHT_APPROVERS where the worker runs'],
    [
      'given',
      'Nothing was sent. approval.accept or SPRITEWRIGHT_APPROVALS of the worker does not allow the way in which it was given. Somebody whom',
    ],
    [
      'unenrolled',
      'If that authenticator is one of a person who may approve, name its key in SPRITEWRIGHT_TOUCH_KEYS where the worker runs',
    ],
    ['revoked', 'approved earlier, and that approval was taken back. Nothing was sent. Somebody whom the worker knows approves it'],
    ['expired', 'approved earlier, and that approval has expired. Nothing was sent. Somebody whom the worker knows approves it'],
  ])('who may approve what it does not buy: verdict %s', (verdict, words) => {
    const asked = { ids: ['hero#2', 'hero.walk'], verdict, buyer: 'sw-key' }
    const error = explained(new SpritewrightError('SW_BUYER', { message: 'Approve it with --adopt.', facts: asked }))
    expect(error).toMatchObject({ code: 'SW_BUYER', facts: asked })
    const { message } = error as Error
    expect(message).toMatch(/^The worker does not buy "hero#2", "hero\.walk", approved /)
    expect(message).toContain(words)
    expect(message).toContain('npx spritewright approve hero hero.walk --adopt. Then commit sprites.lock*, push, and build.')
  })

  test.each([failure('SW_REFUSED', 'The service refused "hero.walk".'), new TypeError('x is not a function'), 'a text'])(
    'nothing else than it says itself: %s',
    (error) => expect(explained(error)).toBe(error),
  )
})

describe('the event of a failure', () => {
  const order = { id: 'hero.walk', hash: 'a'.repeat(64), commit: 'c'.repeat(40), file: 'sprites/hero.sprite.json', project: 'castle' }
  const kinds: { readonly [code in ErrorCode]?: string } = {
    ...{ SW_QUESTION: 'question', SW_UNCERTAIN: 'decision', SW_CONFLICT: 'decision' },
    ...{ SW_CEILING: 'limit', SW_BALANCE: 'limit', SW_PRICE_VERSION: 'limit' },
    ...{ SW_APPROVAL: 'refused', SW_BUYER: 'refused', SW_ORDER: 'refused' },
  }

  test.each(Object.keys(errorCodes) as ErrorCode[])('%s has the kind by which the hook is called or not, and names its order', (code) => {
    const { file: _file, ...fields } = order
    expect(failureEvent(order, formatFailure(failure(code, 'It is so.')))).toEqual({
      kind: kinds[code] ?? 'failed',
      message: 'castle: Refused or failed: It is so.',
      fields: { ...fields, code },
    })
  })

  test('of data that is no order has no words of that data', () => {
    const event = failureEvent({ ...order, hash: 'short' }, formatFailure(failure('SW_ORDER', 'It is none.')))
    expect(event).toEqual({ kind: 'refused', message: 'Refused or failed: It is none.', fields: { code: 'SW_ORDER' } })
  })

  test('after which the worker tries again has its code', () => {
    expect(troubleEvent(failure('SW_STORE', 'It is away.'))).toMatchObject({ kind: 'trouble', fields: { code: 'SW_STORE' } })
  })

  test('of any kind never has the API key', () => {
    const told: WorkerEvent[] = []
    const key = 'sk_test_0123456789abcdef'
    masked((event) => told.push(event), searchFor(key))({ kind: 'warning', message: `found ${key}`, fields: { project: 'castle' } })
    expect(told).toMatchObject([{ kind: 'warning', fields: { project: 'castle' } }])
    expect(told[0]?.message).not.toContain(key)
  })
})
