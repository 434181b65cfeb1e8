import { expect, test } from 'vitest'
import { defaultProfile, guarded, type ProfileRequest, profileParts, resolveProfile } from '../../src/service/profile.ts'
import type { Submission } from '../../src/service/submission.ts'
import type { Execution } from '../../src/service/wire.ts'

/** A port that notes its requests, and answers each by one body. */
function port(value: unknown) {
  const asked: ProfileRequest[] = []
  const request = async (one: ProfileRequest) => {
    asked.push(one)
    return { status: 200, body: { text: JSON.stringify(value), value } }
  }
  return { asked, request }
}

test('a reference is sent as its bytes and kind, and is named by the answer', async () => {
  const { asked, request } = port({ asset_id: 'a1' })
  const bytes = new Uint8Array([1, 2])
  expect(await defaultProfile.uploadReference(request, { bytes, contentType: 'image/webp' })).toBe('a1')
  expect(asked).toEqual([{ method: 'POST', path: '/v1/reference-assets', body: bytes, contentType: 'image/webp' }])
})

test('an answer is sent to its conversation under its key, with what it says alone, and names the next execution', async () => {
  const { asked, request } = port({ execution_id: 'e2', conversation_id: 'c2' })
  const said = { executionId: 'e', conversationId: 'c/1', text: 'left', assetId: 'a1', idempotencyKey: 'k' }
  for (const answer of [said, { ...said, assetId: undefined }])
    expect(await defaultProfile.answer(request, { questionId: 'q' }, answer)).toEqual({ executionId: 'e2', conversationId: 'c2' })
  const path = '/v1/conversations/c%2F1/answers'
  const rest = { method: 'POST', path, contentType: 'application/json', idempotencyKey: 'k', isManaged: true }
  expect(asked.map(({ body, ...other }) => [other, JSON.parse(new TextDecoder().decode(body))])).toEqual([
    [rest, { question_id: 'q', text: 'left', asset_id: 'a1' }],
    [rest, { question_id: 'q', text: 'left' }],
  ])
})

test('a submission names all of its parts, and those of a sheet for a sheet alone', () => {
  const image: Submission = { operation: 'upscale', prompt: 'p', referenceId: 'r' }
  expect(defaultProfile.executeBody(image)).toStrictEqual({ operation: 'upscale', prompt: 'p', reference_asset_id: 'r' })
  expect(defaultProfile.executeBody({ operation: 'text_to_image', prompt: 'p' })).toStrictEqual({ operation: 'text_to_image', prompt: 'p' })
  const options = { seed: 7, frame_count: 1, background: 'x' }
  const sheet = {
    operation: 'sprite_sheet',
    prompt: 'p',
    referenceId: 'r',
    frames: 8,
    background: 'keep',
    maxCredits: 24_001n,
    options,
  } as const
  expect(defaultProfile.executeBody(sheet)).toStrictEqual({
    ...{ operation: 'sprite_sheet', prompt: 'p', reference_asset_id: 'r', max_credits: '2.4001' },
    animation: { seed: 7, frame_count: 8, background: 'keep' },
  })
})

test.each([
  ['queued', true],
  ['running', true],
  ['needs_input', true],
  ['completed', false],
  ['failed', false],
  ['cancelled', false],
  ['other', false],
])('an image whose execution is %s may be cancelled: %s', (status, isSo) => {
  expect(defaultProfile.cancellable({ status } as Execution)).toBe(isSo)
})

test('the parts of a profile keep their object, cannot be changed afterwards, and may include the one without a default', async () => {
  const parts = {
    amount: 'of mine',
    readBalance() {
      return this.amount
    },
  }
  const { readBalance } = parts
  const profile = resolveProfile({ readBalance: readBalance.bind(parts), readDelivery: () => ({ frames: ['a'] }) })
  expect([profile.readBalance({ text: '', value: 0 }), profile.readDelivery?.([])]).toEqual(['of mine', { frames: ['a'] }])
  const own = Object.defineProperty({ readBalance: parts.readBalance }, 'amount', { value: 'of the object', enumerable: false })
  expect(resolveProfile(own as object).readBalance({ text: '', value: 0 })).toBe('of the object')
  expect([Object.isFrozen(profile), resolveProfile().readDelivery]).toEqual([true, undefined])
  const all = ['uploadReference', 'executeBody', 'readAccepted', 'answer', 'readBalance', 'readEvent', 'cancellable', 'readDelivery']
  expect([...profileParts].sort()).toEqual(all.sort())
  // A promise that fails and that nobody waits for ends no process.
  guarded('readBalance', () => Promise.reject(new Error('late')))()
  await new Promise(setImmediate)
})
