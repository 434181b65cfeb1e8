import { describe, expect, test } from 'vitest'
import { formatCredits } from '../../src/credit/credits.ts'
import { Refusal } from '../../src/embedded/http/http.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { type EmbeddedOptions, resolveOptions } from '../../src/embedded/options/options.ts'
import { defaultPricing, estimateOf, priceOf, readEstimateQuery } from '../../src/embedded/options/pricing.ts'
import { failureIn, questionIn } from '../../src/embedded/options/prompt-words.ts'
import type { ExecutionRecord, Status } from '../../src/embedded/store/records.ts'

const id = '00000000-0000-4000-8000-00000000000a'

/** What a reader returns, or the words and details of its refusal. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [error.reason, error.message, error.details]
  }
}

/** A text for a value, in which a long prompt is its length. */
const short = (value: unknown): string => `${JSON.stringify(value)}`.replace(/a{9,}/, (long) => `${long.length} a`)

describe('the words of a prompt', () => {
  const prompts = [
    'a knight',
    '[fail insufficient_credits]',
    '[fail too_many_active_jobs]',
    '[fail quota_exceeded]',
    '[fail content_refused at job]',
    '[fail prompt_policy_blocked retryable]',
    '[fail generation_failed]',
    '[fail generation_failed at admission retryable]',
    '[fail insufficient_frames]',
    '[fail temporarily_unavailable]',
    '[fail access_denied]',
    '[fail unheard_of]',
    '[fail generation_failed at night]',
    '[busy 2]',
    '[busy 2] [fail content_refused]',
    '[busy 1000]',
  ]

  test('ask for these failures at the first three attempts of admission, and at the job', () => {
    const rows = prompts.map((prompt) => {
      const words = [1, 2, 3].map((attempt) => failureIn(prompt, 'admission', attempt)).concat(failureIn(prompt, 'job', 1))
      return [prompt, ...words.map((one) => one && `${one.reason}${one.retryable ? ', again' : ''}: ${one.message}`)].join(' | ')
    })
    expect(rows.join('\n')).toMatchInlineSnapshot(`
      "a knight |  |  |  | 
      [fail insufficient_credits] | insufficient_credits: There are too few credits for this. | insufficient_credits: There are too few credits for this. | insufficient_credits: There are too few credits for this. | 
      [fail too_many_active_jobs] | too_many_active_jobs: This account runs as many jobs as it may. | too_many_active_jobs: This account runs as many jobs as it may. | too_many_active_jobs: This account runs as many jobs as it may. | 
      [fail quota_exceeded] | quota_exceeded: The quota of this account is used up. | quota_exceeded: The quota of this account is used up. | quota_exceeded: The quota of this account is used up. | 
      [fail content_refused at job] |  |  |  | content_refused: The content of this request was refused.
      [fail prompt_policy_blocked retryable] | prompt_policy_blocked, again: The prompt is against the policy of the service. | prompt_policy_blocked, again: The prompt is against the policy of the service. | prompt_policy_blocked, again: The prompt is against the policy of the service. | 
      [fail generation_failed] |  |  |  | generation_failed: The result could not be made.
      [fail generation_failed at admission retryable] | generation_failed, again: The result could not be made. | generation_failed, again: The result could not be made. | generation_failed, again: The result could not be made. | 
      [fail insufficient_frames] |  |  |  | insufficient_frames: Too few usable frames were made.
      [fail temporarily_unavailable] |  |  |  | temporarily_unavailable: The service is not available now.
      [fail access_denied] | access_denied: The prompt asked for this failure. | access_denied: The prompt asked for this failure. | access_denied: The prompt asked for this failure. | 
      [fail unheard_of] | invalid_request: Expected one of the public reasons in [fail …]: invalid_request, authentication_failed, access_denied, resource_not_found, insufficient_credits, conflict, too_many_active_jobs, rate_limited, quota_exceeded, content_refused, temporarily_unavailable, generation_failed, insufficient_frames, prompt_policy_blocked, feature_unavailable. | invalid_request: Expected one of the public reasons in [fail …]: invalid_request, authentication_failed, access_denied, resource_not_found, insufficient_credits, conflict, too_many_active_jobs, rate_limited, quota_exceeded, content_refused, temporarily_unavailable, generation_failed, insufficient_frames, prompt_policy_blocked, feature_unavailable. | invalid_request: Expected one of the public reasons in [fail …]: invalid_request, authentication_failed, access_denied, resource_not_found, insufficient_credits, conflict, too_many_active_jobs, rate_limited, quota_exceeded, content_refused, temporarily_unavailable, generation_failed, insufficient_frames, prompt_policy_blocked, feature_unavailable. | 
      [fail generation_failed at night] |  |  |  | 
      [busy 2] | temporarily_unavailable, again: The service is busy; it tries again by itself. | temporarily_unavailable, again: The service is busy; it tries again by itself. |  | 
      [busy 2] [fail content_refused] | temporarily_unavailable, again: The service is busy; it tries again by itself. | temporarily_unavailable, again: The service is busy; it tries again by itself. | content_refused: The content of this request was refused. | 
      [busy 1000] |  |  |  | "
    `)
  })

  test('ask for these questions', () => {
    const asked = ['[ask]', '[ask asset]', 'an Ambiguous one', 'unambiguous', 'a knight? ', 'a knight? yes', 'a knight'].map(questionIn)
    expect(asked.map(short).join('\n')).toMatchInlineSnapshot(`
      "{"text":"The prompt can be read in more than one way. What is meant?","requiresAsset":false}
      {"text":"Which picture should this look like? Send one with the answer.","requiresAsset":true}
      {"text":"The prompt can be read in more than one way. What is meant?","requiresAsset":false}
      undefined
      {"text":"The prompt can be read in more than one way. What is meant?","requiresAsset":false}
      undefined
      undefined"
    `)
  })
})

describe('the body of a submission', () => {
  const sheet = { operation: 'sprite_sheet', prompt: ' a ', reference_asset_id: id, max_credits: '2.4' }
  const animation = { frame_count: 7, background: 'keep' }

  const bodies: readonly (readonly [string, unknown])[] = [
    ['a list', []],
    ['null', null],
    ['no known operation', { operation: 'draw', prompt: 'a' }],
    ['a blank prompt', { operation: 'text_to_image', prompt: ' ' }],
    ['a prompt that is no text', { operation: 'text_to_image', prompt: 7 }],
    ['4000 characters', { operation: 'text_to_image', prompt: 'a'.repeat(4000) }],
    ['4001 characters', { operation: 'text_to_image', prompt: 'a'.repeat(4001) }],
    ['a null for a picture', { operation: 'text_to_image', prompt: 'a', reference_asset_id: null }],
    ['a picture for a text', { operation: 'text_to_image', prompt: 'a', reference_asset_id: id }],
    ['no picture', { operation: 'upscale', prompt: 'a' }],
    ['a picture that is no UUID', { operation: 'upscale', prompt: 'a', reference_asset_id: 'x' }],
    ['a picture', { operation: 'upscale', prompt: 'a', reference_asset_id: id.toUpperCase() }],
    ['a sheet', { ...sheet, animation }],
    ['a ceiling as a number', { ...sheet, animation, max_credits: 2 }],
    ['a ceiling of five places', { ...sheet, animation, max_credits: '0.00001' }],
    ['no animation', { ...sheet, animation: [] }],
    ['a text of frames', { ...sheet, animation: { ...animation, frame_count: '7' } }],
    ['half a frame', { ...sheet, animation: { ...animation, frame_count: 7.5 } }],
    ['another background', { ...sheet, animation: { ...animation, background: 'blue' } }],
  ]

  test('is read or refused in these words', () => {
    const read = bodies.map(([what, body]) => `${what} | ${short(outcomeOf(() => defaultShapes.readSubmission(body)))}`)
    expect(read.join('\n')).toMatchInlineSnapshot(`
      "a list | ["invalid_request","Expected body as a JSON object.",{"field":"body","expected":"a JSON object"}]
      null | ["invalid_request","Expected body as a JSON object.",{"field":"body","expected":"a JSON object"}]
      no known operation | ["invalid_request","Expected operation as one of text_to_image, image_to_image, background_remove, upscale, sprite_sheet.",{"field":"operation","expected":"one of text_to_image, image_to_image, background_remove, upscale, sprite_sheet"}]
      a blank prompt | ["invalid_request","Expected prompt as a text of 1 to 4000 characters.",{"field":"prompt","expected":"a text of 1 to 4000 characters"}]
      a prompt that is no text | ["invalid_request","Expected prompt as a text of 1 to 4000 characters.",{"field":"prompt","expected":"a text of 1 to 4000 characters"}]
      4000 characters | {"operation":"text_to_image","prompt":"4000 a","referenceId":null}
      4001 characters | ["invalid_request","Expected prompt as a text of 1 to 4000 characters.",{"field":"prompt","expected":"a text of 1 to 4000 characters"}]
      a null for a picture | {"operation":"text_to_image","prompt":"a","referenceId":null}
      a picture for a text | ["invalid_request","Expected reference_asset_id as not given: text_to_image takes no reference.",{"field":"reference_asset_id","expected":"not given: text_to_image takes no reference"}]
      no picture | ["invalid_request","Expected reference_asset_id as the id of an uploaded reference.",{"field":"reference_asset_id","expected":"the id of an uploaded reference"}]
      a picture that is no UUID | ["invalid_request","Expected reference_asset_id as the id of an uploaded reference.",{"field":"reference_asset_id","expected":"the id of an uploaded reference"}]
      a picture | {"operation":"upscale","prompt":"a","referenceId":"00000000-0000-4000-8000-00000000000A"}
      a sheet | {"operation":"sprite_sheet","prompt":" a ","referenceId":"00000000-0000-4000-8000-00000000000a","frames":7,"background":"keep","maxCredits":"2.4"}
      a ceiling as a number | ["invalid_request","Expected max_credits as a decimal text with at most four places, the approved ceiling.",{"field":"max_credits","expected":"a decimal text with at most four places, the approved ceiling"}]
      a ceiling of five places | ["invalid_request","Expected max_credits as a decimal text with at most four places, the approved ceiling.",{"field":"max_credits","expected":"a decimal text with at most four places, the approved ceiling"}]
      no animation | ["invalid_request","Expected animation as an object.",{"field":"animation","expected":"an object"}]
      a text of frames | ["invalid_request","Expected animation.frame_count as an integer.",{"field":"animation.frame_count","expected":"an integer"}]
      half a frame | ["invalid_request","Expected animation.frame_count as an integer.",{"field":"animation.frame_count","expected":"an integer"}]
      another background | ["invalid_request","Expected animation.background as remove or keep.",{"field":"animation.background","expected":"remove or keep"}]"
    `)
  })

  test('of an answer is read or refused in these words', () => {
    const answer = { question_id: id, text: 'left' }
    const answers: readonly unknown[] = [
      'left',
      answer,
      { ...answer, asset_id: id },
      { ...answer, asset_id: null },
      { ...answer, asset_id: 7 },
      { ...answer, asset_id: 'x' },
      { text: 'left' },
      { ...answer, question_id: 'x' },
      { ...answer, text: ' ' },
      { ...answer, text: 7 },
      { ...answer, text: 'a'.repeat(4000) },
      { ...answer, text: 'a'.repeat(4001) },
    ]
    expect(answers.map((body) => short(outcomeOf(() => defaultShapes.readAnswer(body)))).join('\n')).toMatchInlineSnapshot(`
      "["invalid_request","Expected body as a JSON object.",{"field":"body","expected":"a JSON object"}]
      {"questionId":"00000000-0000-4000-8000-00000000000a","text":"left","assetId":null}
      {"questionId":"00000000-0000-4000-8000-00000000000a","text":"left","assetId":"00000000-0000-4000-8000-00000000000a"}
      {"questionId":"00000000-0000-4000-8000-00000000000a","text":"left","assetId":null}
      ["invalid_request","Expected asset_id as the id of an uploaded reference.",{"field":"asset_id","expected":"the id of an uploaded reference"}]
      ["invalid_request","Expected asset_id as the id of an uploaded reference.",{"field":"asset_id","expected":"the id of an uploaded reference"}]
      ["invalid_request","Expected question_id as the id of the question.",{"field":"question_id","expected":"the id of the question"}]
      ["invalid_request","Expected question_id as the id of the question.",{"field":"question_id","expected":"the id of the question"}]
      ["invalid_request","Expected text as a text of 1 to 4000 characters.",{"field":"text","expected":"a text of 1 to 4000 characters"}]
      ["invalid_request","Expected text as a text of 1 to 4000 characters.",{"field":"text","expected":"a text of 1 to 4000 characters"}]
      {"questionId":"00000000-0000-4000-8000-00000000000a","text":"4000 a","assetId":null}
      ["invalid_request","Expected text as a text of 1 to 4000 characters.",{"field":"text","expected":"a text of 1 to 4000 characters"}]"
    `)
  })
})

test('events, files and jobs have these names', () => {
  const { eventId, eventNumber, names, jobStatus, event } = defaultShapes
  const statuses: readonly Status[] = ['needs_input', 'queued', 'running', 'completed', 'failed', 'cancelled']
  expect(statuses.map((status) => jobStatus({ status } as ExecutionRecord))).toEqual([
    ...['waiting', 'waiting', 'drawing', 'delivered', 'failed', 'cancelled'],
  ])
  expect([eventId(12), ['event-12', 'event-1234567890', 'event-x', '12', ''].map(eventNumber)]).toEqual(['event-12', [12, 0, 0, 0, 0]])
  expect([names.frame(7), names.frame(1234), names.sheet, names.atlas, names.preview]).toEqual([
    ...['frames/frame_007.png', 'frames/frame_1234.png', 'sheet.png', 'atlas.json', 'preview.gif'],
  ])
  const failure = { reason: 'conflict', message: 'no', retryable: false } as const
  const whole = { kind: 'progress', status: 'running', progress: 0.5, message: 'half', failure } as const
  const bare = { ...whole, progress: null, message: null, failure: null }
  expect([whole, { ...bare, progress: 0 }, bare].map((one) => event({ id: 'e' } as ExecutionRecord, one))).toEqual([
    { execution_id: 'e', status: 'running', progress: 0.5, message: 'half', error: failure },
    { execution_id: 'e', status: 'running', progress: 0 },
    { execution_id: 'e', status: 'running' },
  ])
})

describe('a price', () => {
  test('is that of the first frames and of each further one, in tenths, rounded up, for both backgrounds', () => {
    const prices = [7, 8, 9, 10, 12, 13, 100].map((frames) =>
      [frames, ...(['remove', 'keep'] as const).map((ground) => formatCredits(priceOf(defaultPricing, frames, ground)))].join(' '),
    )
    expect(prices).toEqual(['7 1.6 0.9', '8 1.6 1', '9 1.8 1.1', '10 2 1.2', '12 2.4 1.5', '13 2.6 1.6', '100 20 12'])
    expect(estimateOf({ ...defaultPricing, credit_cents: 7 }, 9, 'keep')).toEqual({
      ...{ price_version: 'sprite-base-frame-20261017-v1', frame_count: 9, background: 'keep', credits: '3.9' },
      ...{ reference_usd: '0.28', reference_credit_cents: 7, binding: false },
    })
  })

  test('is asked for with these queries, and others are refused in these words', () => {
    const queries = [
      ...['', 'frame_count=7', 'frame_count=100&background=keep', 'frame_count=6', 'frame_count=101', 'frame_count=', 'frame_count=7.5'],
      ...[
        'frame_count=07000',
        'background=',
        'background=blue',
        'account=1',
        'frame_count=7&frame_count=7',
        'background=keep&background=keep',
      ],
    ]
    const outcomes = queries.map(
      (query) => `${query} | ${short(outcomeOf(() => readEstimateQuery(new URLSearchParams(query), defaultPricing)))}`,
    )
    expect(outcomes.join('\n')).toMatchInlineSnapshot(`
      " | {"frames":12,"background":"remove"}
      frame_count=7 | {"frames":7,"background":"remove"}
      frame_count=100&background=keep | {"frames":100,"background":"keep"}
      frame_count=6 | ["invalid_request","Expected frame_count as an integer from 7 to 100.",{"field":"frame_count","expected":"an integer from 7 to 100"}]
      frame_count=101 | ["invalid_request","Expected frame_count as an integer from 7 to 100.",{"field":"frame_count","expected":"an integer from 7 to 100"}]
      frame_count= | ["invalid_request","Expected frame_count as an integer from 7 to 100.",{"field":"frame_count","expected":"an integer from 7 to 100"}]
      frame_count=7.5 | ["invalid_request","Expected frame_count as an integer from 7 to 100.",{"field":"frame_count","expected":"an integer from 7 to 100"}]
      frame_count=07000 | ["invalid_request","Expected frame_count as an integer from 7 to 100.",{"field":"frame_count","expected":"an integer from 7 to 100"}]
      background= | ["invalid_request","Expected background as remove or keep.",{"field":"background","expected":"remove or keep"}]
      background=blue | ["invalid_request","Expected background as remove or keep.",{"field":"background","expected":"remove or keep"}]
      account=1 | ["invalid_request","Expected query as frame_count and background alone.",{"field":"query","expected":"frame_count and background alone"}]
      frame_count=7&frame_count=7 | ["invalid_request","Expected frame_count as one value.",{"field":"frame_count","expected":"one value"}]
      background=keep&background=keep | ["invalid_request","Expected background as one value.",{"field":"background","expected":"one value"}]"
    `)
  })
})

test('a service has the paths and the words that its options do not change', () => {
  const { shapes, verdict, ask } = resolveOptions({})
  expect(shapes).toEqual(defaultShapes)
  const own: EmbeddedOptions = { jobMs: 0, pricing: { credit_cents: 1 }, shapes: { uploadPath: '/up' } }
  expect(resolveOptions(own)).toMatchObject({
    ...{ jobMs: 0, retentionMs: 86_400_000, pricing: { ...defaultPricing, credit_cents: 1 } },
    shapes: { uploadPath: '/up', answerPath: '/v1/conversations/*/answers' },
  })
  const about = { prompt: '[ask] [fail content_refused]', attempt: 1, answers: [] }
  expect([
    ask(about as never)?.requiresAsset,
    ask({ ...about, answers: [1] } as never),
    verdict({ ...about, stage: 'job' } as never),
  ]).toEqual([...[false, undefined, undefined]])
})
