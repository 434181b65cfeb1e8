import { describe, expect, test } from 'vitest'
import { brokenPromises, openPromises } from './broken.ts'
import { type Change, type Checked, check, key } from './sound-service.ts'

const results = new Map<Change, Promise<Checked>>()

/** Checks each change once, for all tests. */
function checked(change: Change): Promise<Checked> {
  const result = results.get(change) ?? check(change)
  results.set(change, result)
  return result
}

describe('a free promise that a service breaks is named, and no other is:', () => {
  test.each(brokenPromises)('%s', async (_what, clauses, change) => {
    const { broken, lines } = await checked(change)
    expect([...new Set(broken)].sort()).toEqual([...clauses].sort())
    expect(JSON.stringify(lines)).not.toContain(key)
  })

  test('what a service breaks or leaves open is told in these words, with the part of the profile that would help', async () => {
    const wordsOf = async (change: Change) =>
      (await checked(change)).lines.map(({ clause, verdict, words, profilePart }) =>
        [clause, verdict, words, profilePart].filter(Boolean).join(' | '),
      )
    const usual = await wordsOf((_request, reply) => reply)
    const told: string[] = []
    for (const [what, change] of [...brokenPromises.map(([name, , one]) => [name, one] as const), ...openPromises]) {
      const lines = await wordsOf(change)
      told.push(`${what}:`, ...lines.filter((line, at) => line !== usual[at]).map((line) => `  ${line}`))
    }
    expect(`\n${told.join('\n')}`).toMatchInlineSnapshot(`
      "
      nothing:
      a read without a key is a conflict:
        C1 | broken | Expected 422 invalid_request for GET /v1/capabilities without a key, found 422 conflict.
      a submission without a key is accepted:
        C1 | broken | Expected 422 invalid_request for POST /v1/execute without a key, found 202.
      a submission with a wrong key is accepted:
        C1 | broken | Expected 401 authentication_failed for POST /v1/execute with a wrong key, found 202.
      a read with a wrong key is 403:
        C1 | broken | Expected 401 authentication_failed for GET /v1/balance with a wrong key, found 403 access_denied.
      the events of others are open:
        C1 | broken | Expected 403 or 404 for the events of an execution that is not ours, found 200.
      version 2 is served:
        C2 | broken | Expected 422 invalid_request for Service-Version: 2, found 404 resource_not_found.
      what others said is deleted:
        C12 | broken | Expected 403 or 404 access_denied or resource_not_found for deleting a conversation that is not ours, found 204.
      an asset is given without a key:
        C26 | broken | Expected a refusal for an asset without a key, found 302.
      an asset of others is given:
        C26 | broken | Expected 403 or 404 access_denied or resource_not_found for an asset that is not ours, found 302.
      the capabilities have a limit as text:
        C16 | broken | Expected capabilities.maximum_input_bytes as an integer, found a text.
      the prices have a boundary as text:
        C16 | broken | Expected sprite_pricing.tier_boundary as a number, found a text.
      a query changes the capabilities:
        C16 | broken | Expected the same capabilities or 422 for a query parameter that is not there, found 200 with another body.
      the API version is missing:
        C16 | kept | Without api_version, managed_execute, server_sent_events, interactive_questions, maximum_input_bytes, maximum_input_dimension, staged_input_uploads, maximum_source_input_bytes, supported_input_extensions, sprite_sheet_credits, sprite_pricing, which may be missing.
        C38 | broken | Expected api_version as "1", found none: version 1 is assumed.
      the use of test credits is a text:
        C16 | broken | Expected capabilities.test_mode_uses_credits as a boolean, found a text.
        C38 | broken | Expected test_mode_uses_credits as true or false, found neither.
      an image costs two credits:
        C13 | broken | Expected one credit an image, found 2; plans show what the service says.
      an estimate is given without the operation:
        C17 | broken | Expected an estimate exactly where the operations list sprite_sheet, found 200 for an account that lacks it.
      the balance is a number of another field:
        C20 | broken | Expected the balance as {"credits": "12.5"}, found a body with amount. | readBalance
      the balance is no amount:
        C20 | broken | Expected the balance as {"credits": "12.5"}, found a body with credits. | readBalance
      no picture is taken:
        N1 | broken | Expected POST /v1/reference-assets to be taken, found 403 access_denied. | uploadReference
      an estimate has a further field:
        C18 | broken | Expected seven fields in an estimate, found also discount.
      an estimate is for other frames:
        C18 | broken | Expected an estimate for 100 frames with background remove, found one for 99 and remove.
      an estimate is for another background:
        C18 | broken | Expected an estimate for 7 frames with background keep, found one for 7 and remove.
      an estimate may be kept by proxies:
        C18 | broken | Expected Cache-Control: private, no-store on an estimate, found "no-store".
      an estimate may be stored:
        C18 | broken | Expected Cache-Control: private, no-store on an estimate, found "private, no-cache".
      an estimate is given for frame_count=6:
        C18 | broken | Expected 422 invalid_request for an estimate with frame_count=6, found 200.
      an estimate is given for frame_count=101:
        C18 | broken | Expected 422 invalid_request for an estimate with frame_count=101, found 200.
      an estimate is given for frame_count=7.5:
        C18 | broken | Expected 422 invalid_request for an estimate with frame_count=7.5, found 200.
      an estimate is given for frame_count=canary:
        C18 | broken | Expected 422 invalid_request for an estimate with frame_count=a text that is none of its values, found 200.
      an estimate is given for background=canary:
        C18 | broken | Expected 422 invalid_request for an estimate with background=a text that is none of its values, found 200.
      an estimate is of another account:
        C18 | broken | Expected 422 or the same estimate for an account selector, found 200 with another body.
      a price has another version:
        C19 | broken | Expected price_version as sprite-base-frame-20261017-v1, found "v2"; purchases stop until it is approved.
      an error has a seventh field:
        C27 | broken | GET /v1/capabilities (422): expected six fields and details in error, found also hint. POST /v1/execute (422): expected six fields and details in error, found also hint. GET /v1/balance (401): expected six fields and details in error, found also hint. POST /v1/execute (401): expected six fields and details in error, found also hint. GET /v1/executions/00000000-0000-4000-8000-000000000001 (404): expected six fields and details in error, found also hint. GET /v1/executions/00000000-0000-4000-8000-000000000001/events (404): expected six fields and details in error, found also hint.
      an error lacks its message:
        C27 | broken | GET /v1/capabilities (422): expected error.message, found none. POST /v1/execute (422): expected error.message, found none. GET /v1/balance (401): expected error.message, found none. POST /v1/execute (401): expected error.message, found none. GET /v1/executions/00000000-0000-4000-8000-000000000001 (404): expected error.message, found none. GET /v1/executions/00000000-0000-4000-8000-000000000001/events (404): expected error.message, found none.
      an error has a number as category:
        C27 | broken | GET /v1/capabilities (422): Expected error.category as a text, found a number. POST /v1/execute (422): Expected error.category as a text, found a number. GET /v1/balance (401): Expected error.category as a text, found a number. POST /v1/execute (401): Expected error.category as a text, found a number. GET /v1/executions/00000000-0000-4000-8000-000000000001 (404): Expected error.category as a text, found a number. GET /v1/executions/00000000-0000-4000-8000-000000000001/events (404): Expected error.category as a text, found a number.
      an error has details as a list:
        C27 | broken | GET /v1/capabilities (422): expected error.details as an object, found a list. POST /v1/execute (422): expected error.details as an object, found a list. GET /v1/balance (401): expected error.details as an object, found a list. POST /v1/execute (401): expected error.details as an object, found a list. GET /v1/executions/00000000-0000-4000-8000-000000000001 (404): expected error.details as an object, found a list. GET /v1/executions/00000000-0000-4000-8000-000000000001/events (404): expected error.details as an object, found a list.
      an error has another text as its id:
        C27 | broken | GET /v1/capabilities (422): expected error.request_id as a UUID, found another text. POST /v1/execute (422): expected error.request_id as a UUID, found another text. GET /v1/balance (401): expected error.request_id as a UUID, found another text. POST /v1/execute (401): expected error.request_id as a UUID, found another text. GET /v1/executions/00000000-0000-4000-8000-000000000001 (404): expected error.request_id as a UUID, found another text. GET /v1/executions/00000000-0000-4000-8000-000000000001/events (404): expected error.request_id as a UUID, found another text.
      an error may be stored:
        C27 | broken | GET /v1/executions/00000000-0000-4000-8000-000000000001 (404): expected Cache-Control: no-store, found it missing. GET /v1/executions/00000000-0000-4000-8000-000000000001/events (404): expected Cache-Control: no-store, found it missing. DELETE /v1/conversations/00000000-0000-4000-8000-000000000003 (404): expected Cache-Control: no-store, found it missing. GET /v1/image-jobs/00000000-0000-4000-8000-000000000004/asset (404): expected Cache-Control: no-store, found it missing.
      an error may be cached:
        C27 | broken | GET /v1/executions/00000000-0000-4000-8000-000000000001 (404): expected Pragma: no-cache, found it missing. GET /v1/executions/00000000-0000-4000-8000-000000000001/events (404): expected Pragma: no-cache, found it missing. DELETE /v1/conversations/00000000-0000-4000-8000-000000000003 (404): expected Pragma: no-cache, found it missing. GET /v1/image-jobs/00000000-0000-4000-8000-000000000004/asset (404): expected Pragma: no-cache, found it missing.
      an error has no id in its headers:
        C27 | broken | GET /v1/executions/00000000-0000-4000-8000-000000000001 (404): expected X-Request-ID as a UUID, found another text. GET /v1/executions/00000000-0000-4000-8000-000000000001/events (404): expected X-Request-ID as a UUID, found another text. DELETE /v1/conversations/00000000-0000-4000-8000-000000000003 (404): expected X-Request-ID as a UUID, found another text. GET /v1/image-jobs/00000000-0000-4000-8000-000000000004/asset (404): expected X-Request-ID as a UUID, found another text.
      a header of an error repeats the query:
        C27 | broken | GET /v1/sprite-pricing (422) repeats what was submitted.
      a reason is not public:
        C1 | broken | Expected 403 or 404 access_denied or resource_not_found for the status of an execution that is not ours, found 404 gone.
        C12 | broken | Expected 403 or 404 access_denied or resource_not_found for deleting a conversation that is not ours, found 404 gone.
        C26 | broken | Expected 403 or 404 access_denied or resource_not_found for an asset that is not ours, found 404 gone.
        C28 | broken | Expected a public reason, found "gone"; it would be shown as it is.
      a 429 is not retryable:
        C1 | broken | Expected 403 or 404 for the events of an execution that is not ours, found 429.
        C29 | broken | Expected retryable of a 429 as true, found another.
      the body of the balance repeats the key:
        C40 | broken | Expected the key in no answer, found it in that of GET /v1/balance.
      a header of the balance repeats the key:
        C40 | broken | Expected the key in no answer, found it in that of GET /v1/balance.
      no capabilities:
        C1 | broken | Expected 422 invalid_request for GET /v1/capabilities without a key, found 503 service_unavailable.
        C16 | broken | Expected an answer to GET /v1/capabilities as the interface shows it, found 503 service_unavailable.
        C38 | broken | Expected api_version as "1", found none: version 1 is assumed. Expected key_mode as "test" or "live", found neither: nothing is bought without it. Expected test_mode_uses_credits as true or false, found neither.
        C13 | not checkable | The capabilities do not say what an image costs; nothing that needs one is bought then.
        C17 | not checkable
        C42 | not checkable
        C28 | broken | Expected a public reason, found "service_unavailable"; it would be shown as it is.
      capabilities that are a list:
        C16 | broken | Expected capabilities as an object, found a list.
        C38 | not checkable
        C13 | not checkable | The capabilities do not say what an image costs; nothing that needs one is bought then.
        C17 | not checkable
        C42 | not checkable
      capabilities without modes:
        C16 | broken | Expected capabilities.operations as a list of texts, found a text.
        C38 | broken | Expected api_version as "1", found none: version 1 is assumed. Expected key_mode as "test" or "live", found neither: nothing is bought without it. Expected test_mode_uses_credits as true or false, found neither.
        C13 | not checkable | The capabilities do not say what an image costs; nothing that needs one is bought then.
        C17 | not checkable
        C42 | not checkable
      capabilities of another version and mode:
        C16 | broken | Expected the capabilities in the form of the service's interface, found key_mode: Invalid option: expected one of "test"|"live". A newer version of spritewright may know it.
        C38 | broken | Expected api_version as "1", found another. Expected key_mode as "test" or "live", found neither: nothing is bought without it.
      more operations:
        C42 | kept | The account has video, dance too, which spritewright does not use.
      no operation but an estimate:
        C17 | broken | Expected an estimate exactly where the operations list sprite_sheet, found 200 for an account that lacks it.
      an operation without an estimate:
        C17 | broken | Expected an estimate exactly where the operations list sprite_sheet, found 403 for an account that has it.
        C18 | not checkable | This account is not given estimates.
        C18 | not checkable | This account is not given estimates.
        C18 | not checkable | This account is not given estimates.
        C18 | not checkable | This account is not given estimates.
        C18 | not checkable | This account is not given estimates.
        C19 | not checkable | This account is not given estimates.
      estimates that fail:
        C17 | broken | Expected an estimate exactly where the operations list sprite_sheet, found 500 for an account that has it.
        C18 | broken | Expected an estimate from GET /v1/sprite-pricing, found 500.
        C18 | broken | Expected an estimate from GET /v1/sprite-pricing, found 500.
        C18 | broken | Expected an estimate from GET /v1/sprite-pricing, found 500.
        C18 | broken | Expected an estimate from GET /v1/sprite-pricing, found 500.
        C18 | broken | Expected an estimate from GET /v1/sprite-pricing, found 500.
        C19 | broken | Expected an estimate from GET /v1/sprite-pricing, found 500.
        C28 | broken | Expected a public reason, found "internal_error"; it would be shown as it is.
      a first estimate alone:
        C18 | broken | Expected the estimate in the form of the service's interface, found price_version: Invalid input: expected string, received undefined. A newer version of spritewright may know it.
        C18 | broken | Expected 422 invalid_request for an estimate with frame_count=6, found 200. Expected 422 invalid_request for an estimate with frame_count=101, found 200. Expected 422 invalid_request for an estimate with frame_count=7.5, found 200. Expected 422 invalid_request for an estimate with frame_count=a text that is none of its values, found 200. Expected 422 invalid_request for an estimate with background=a text that is none of its values, found 200.
        C18 | broken | Expected 422 or the same estimate for an account selector, found 200 with another body.
      an estimate without a version:
        C18 | broken | Expected the estimate in the form of the service's interface, found price_version: Invalid input: expected string, received undefined. A newer version of spritewright may know it.
        C19 | broken | Expected price_version as sprite-base-frame-20261017-v1, found none; purchases stop until it is approved.
      an estimate without a word on storing:
        C18 | broken | Expected Cache-Control: private, no-store on an estimate, found none.
        C27 | broken | GET /v1/sprite-pricing (422): expected Cache-Control: no-store, found it missing.
      an empty balance:
        C20 | broken | Expected the balance as {"credits": "12.5"}, found a body with no fields. | readBalance
      a balance that is a list:
        C20 | broken | Expected the balance as {"credits": "12.5"}, found a body. | readBalance
      no balance:
        C20 | broken | Expected an answer to GET /v1/balance as the interface shows it, found 404 gone.
        C28 | broken | Expected a public reason, found "gone"; it would be shown as it is.
      a balance that changes:
        C18 | broken | Expected the same balance before and after an estimate, found another; somebody else may use the account.
      version 1 alone is searched:
        C2 | not checkable | The service searches the execution first; only an execution of our own could show the result.
      no refusal of others:
        C1 | broken | Expected 403 or 404 access_denied or resource_not_found for the status of an execution that is not ours, found 200. Expected 403 or 404 for the events of an execution that is not ours, found 200.
        C12 | broken | Expected 403 or 404 access_denied or resource_not_found for deleting a conversation that is not ours, found 200.
        C26 | broken | Expected 403 or 404 access_denied or resource_not_found for an asset that is not ours, found 200.
      an upload that is strange:
        N1 | broken | Expected the upload in the form of the service's interface, found asset_id: Invalid input: expected string, received undefined. A newer version of spritewright may know it. | uploadReference"
    `)
  })
})
