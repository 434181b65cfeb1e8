import { expect, test } from 'vitest'
import { check, key, origin } from './sound-service.ts'

test('the free checks are made in this order, and these are their requests', async () => {
  const checks: string[] = []
  const { lines, net } = await check((_request, reply) => reply, { onCheck: ({ clause, title }) => checks.push(`${clause} ${title}`) })
  expect(lines.map(({ clause, title }) => `${clause} ${title}`)).toEqual(checks)
  expect(
    lines.map(({ clause, title, verdict, words }) => [clause, title, verdict, words].filter(Boolean).join(' | ')),
  ).toMatchInlineSnapshot(`
    [
      "C1 | a request without Authorization is 422 invalid_request | kept",
      "C1 | a key that was never given is 401 authentication_failed, for reads and for submissions | kept",
      "C1 | what is not ours is refused: 403 or 404 | kept",
      "C2 | a managed request without Service-Version: 1 is 422 | kept",
      "C12 | a conversation that is not ours cannot be deleted: 404 or 403 | kept",
      "C26 | an asset that is not ours is refused, and none is given without a key | kept",
      "C16 | the capabilities have the fields of the interface, each of its kind | kept | Without managed_execute, server_sent_events, interactive_questions, maximum_input_bytes, maximum_input_dimension, staged_input_uploads, maximum_source_input_bytes, supported_input_extensions, sprite_sheet_credits, sprite_pricing, which may be missing.",
      "C16 | an unknown query parameter changes nothing of the capabilities | kept",
      "C38 | API version 1, a test or live key, and whether test mode uses credits | kept",
      "C13 | an image costs one credit | kept",
      "C17 | an estimate is given exactly where the operations list sprite_sheet | kept",
      "C20 | the balance can be read as credits (N5) | kept",
      "C42 | no operation of the account is one that the interface does not show | kept",
      "N1 | a picture can be uploaded, free of charge | kept",
      "C18 | an estimate has exactly its seven fields, for the least and the most frames and either background | kept",
      "C18 | an estimate is private and not to be stored | kept",
      "C18 | an estimate outside of its rules is refused | kept",
      "C18 | an estimate takes no account selector | kept",
      "C18 | an estimate moves no credit | kept",
      "C19 | the price has the version sprite-base-frame-20261017-v1 | kept",
      "C27 | every refusal is the error envelope: one key, six fields, three headers | kept",
      "C27 | no refusal repeats a value that was submitted | kept",
      "C28 | every refusal gives one of the fifteen public reasons | kept",
      "C29 | a 429 is RATE_LIMITED, rate_limited, retryable | not checkable | No limit was reached, because the suite respects them.",
      "C40 | no answer repeats the key | kept",
    ]
  `)
  const sent = net.requests.map(({ method, url, headers: { authorization, 'service-version': version } }) => {
    const who = authorization === undefined ? 'nobody' : authorization === `Bearer ${key}` ? 'us' : 'another'
    return `${method} ${url
      .slice(origin.length)
      .replace(/canary-[\w-]+/, 'CANARY')
      .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/, 'ID')} of ${who}${version === undefined ? '' : `, version ${version}`}`
  })
  expect(sent).toMatchInlineSnapshot(`
    [
      "GET /v1/capabilities of us",
      "GET /v1/capabilities of nobody, version 1",
      "POST /v1/execute of nobody, version 1",
      "GET /v1/balance of another, version 1",
      "POST /v1/execute of another, version 1",
      "GET /v1/executions/ID of us, version 1",
      "GET /v1/executions/ID/events of us, version 1",
      "GET /v1/executions/ID of us",
      "GET /v1/executions/ID of us, version 2",
      "DELETE /v1/conversations/ID of us, version 1",
      "GET /v1/image-jobs/ID/asset of us, version 1",
      "GET /v1/image-jobs/ID/asset of nobody, version 1",
      "GET /v1/capabilities?account=CANARY of us, version 1",
      "GET /v1/sprite-pricing of us",
      "GET /v1/balance of us, version 1",
      "POST /v1/reference-assets of us",
      "GET /v1/sprite-pricing of us",
      "GET /v1/sprite-pricing of us",
      "GET /v1/sprite-pricing?frame_count=7&background=keep of us",
      "GET /v1/sprite-pricing?frame_count=100 of us",
      "GET /v1/sprite-pricing of us",
      "GET /v1/sprite-pricing of us",
      "GET /v1/sprite-pricing?frame_count=6 of us",
      "GET /v1/sprite-pricing?frame_count=101 of us",
      "GET /v1/sprite-pricing?frame_count=7.5 of us",
      "GET /v1/sprite-pricing?frame_count=CANARY of us",
      "GET /v1/sprite-pricing?background=CANARY of us",
      "GET /v1/sprite-pricing of us",
      "GET /v1/sprite-pricing?account=CANARY of us",
      "GET /v1/sprite-pricing of us",
      "GET /v1/balance of us, version 1",
      "GET /v1/sprite-pricing?frame_count=100 of us",
      "GET /v1/balance of us, version 1",
      "GET /v1/sprite-pricing of us",
    ]
  `)
})
