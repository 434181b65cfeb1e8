/** A JSON object of a description, which tests may change. */
export interface Member {
  [name: string]: Member | Member[] | string | number | boolean | null | string[]
}

const text: Member = { type: 'string' }
const whole: Member = { type: 'integer' }
const truth: Member = { type: 'boolean' }
const texts: Member = { type: 'array', items: { type: 'string' } }
const numbers: Member = { type: 'array', items: { type: 'integer' } }
const id: Member = { type: 'string', format: 'uuid' }
const orNull = (schema: Member): Member => ({ oneOf: [schema, { type: 'null' }] })
const record = (properties: Record<string, Member>, required: string[] = [], more: Member = {}): Member => ({
  type: 'object',
  properties,
  required,
  ...more,
})
const named = (name: string): Member => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: Member): Member => ({ content: { 'application/json': { schema } } })
const header = (name: string, required = true): Member => ({ name, in: 'header', required, schema: text })
const path = (name: string): Member => ({ name, in: 'path', required: true, schema: id })
const managed = header('Service-Version')
const refusals: Member = {
  '401': { $ref: '#/components/responses/Refused' },
  '422': { $ref: '#/components/responses/Refused' },
  '429': { $ref: '#/components/responses/Refused' },
}

/** A description of the service by the interface and the default profile. Each call returns a new one. */
export function describedService(): Member {
  const error = record(
    { code: text, reason: text, message: text, category: text, retryable: truth, request_id: id, details: { type: 'object' } },
    ['code', 'reason', 'message', 'category', 'retryable', 'request_id'],
  )
  const failure = record({ reason: text, message: text, retryable: truth }, ['reason', 'message', 'retryable'])
  const schemas: Record<string, Member> = {
    Envelope: record({ error }, ['error'], { additionalProperties: false }),
    Capabilities: record(
      {
        api_version: { const: '1' },
        key_mode: { enum: ['test', 'live'] },
        operations: texts,
        managed_execute: truth,
        server_sent_events: truth,
        interactive_questions: truth,
        maximum_input_bytes: whole,
        maximum_input_dimension: whole,
        staged_input_uploads: truth,
        maximum_source_input_bytes: whole,
        supported_input_extensions: texts,
        live_charge_credits_per_image: { type: 'number' },
        sprite_sheet_credits: { type: 'number' },
        sprite_pricing: record({ minimum_frames: whole, maximum_frames: whole }),
        test_mode_uses_credits: truth,
      },
      ['api_version', 'key_mode', 'operations'],
    ),
    Estimate: record(
      {
        price_version: { const: 'sprite-base-frame-20261017-v1' },
        frame_count: { type: 'integer', minimum: 7, maximum: 100 },
        background: { enum: ['remove', 'keep'] },
        credits: { type: 'string', pattern: '^\\d+(\\.\\d{1,4})?$' },
        reference_usd: { type: 'string', pattern: '^\\d+\\.\\d{2}$' },
        reference_credit_cents: { type: 'integer', minimum: 1 },
        binding: { const: false },
      },
      ['price_version', 'frame_count', 'background', 'credits', 'reference_usd', 'reference_credit_cents', 'binding'],
      { additionalProperties: false },
    ),
    Job: record({
      public_job_id: id,
      status: text,
      finished_assets: {
        type: 'array',
        items: record({ asset_id: id, download_url: text, content_type: text, width: whole, height: whole }),
      },
      sanitized_error: orNull(failure),
      frame_review: orNull(
        record({
          frame_count: whole,
          background: text,
          kept_background_frames: numbers,
          inspection_frames: numbers,
          source_shifted_frames: numbers,
        }),
      ),
    }),
    Execution: record(
      {
        execution_id: id,
        conversation_id: id,
        status: { enum: ['needs_input', 'queued', 'running', 'completed', 'failed', 'cancelled'] },
        image_job: named('Job'),
        question: orNull(record({ question_id: id, text, requires_asset: truth }, ['question_id', 'text', 'requires_asset'])),
        error: orNull(failure),
      },
      ['execution_id', 'status'],
    ),
    Accepted: record({ execution_id: id, conversation_id: id, status: text }, ['execution_id']),
    Submission: record(
      {
        operation: { enum: ['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet'] },
        prompt: text,
        reference_asset_id: id,
        max_credits: { type: 'string', pattern: '^\\d+(\\.\\d{1,4})?$' },
        animation: record({ frame_count: whole, background: { enum: ['remove', 'keep'] } }),
      },
      ['operation', 'prompt'],
    ),
  }
  const execution = '/v1/executions/{execution_id}'
  const posting = (schema: Member): Member => ({ requestBody: { required: true, ...json(schema) } })
  const accepted: Member = { '202': json(named('Accepted')), ...refusals }
  return {
    openapi: '3.1.0',
    info: { title: 'Sprites', version: '1' },
    paths: {
      '/v1/capabilities': { get: { responses: { '200': json(named('Capabilities')), ...refusals } } },
      '/v1/balance': { get: { responses: { '200': json(record({ credits: text }, ['credits'])), ...refusals } } },
      '/v1/sprite-pricing': {
        get: {
          parameters: [
            { name: 'frame_count', in: 'query', schema: whole },
            { name: 'background', in: 'query', schema: text },
          ],
          responses: { '200': json(named('Estimate')), ...refusals },
        },
      },
      '/v1/execute': { post: { parameters: [managed, header('Idempotency-Key')], ...posting(named('Submission')), responses: accepted } },
      [execution]: {
        parameters: [path('execution_id')],
        get: { parameters: [managed], responses: { '200': json(named('Execution')), ...refusals } },
      },
      [`${execution}/events`]: {
        get: {
          parameters: [path('execution_id'), managed, header('Last-Event-ID', false)],
          responses: { '200': { content: { 'text/event-stream': { schema: text } } }, ...refusals },
        },
      },
      [`${execution}/cancel`]: {
        post: {
          parameters: [path('execution_id'), managed],
          responses: { '200': json(record({ execution_id: id, conversation_id: id, status: text })), ...refusals },
        },
      },
      '/v1/conversations/{id}': { delete: { parameters: [path('id'), managed], responses: { '204': {}, ...refusals } } },
      '/v1/image-jobs/{job_id}/asset': { get: { parameters: [path('job_id')], responses: { '302': {}, ...refusals } } },
      '/v1/reference-assets': {
        post: {
          requestBody: { content: { 'image/png': { schema: {} } } },
          responses: { '201': json(record({ asset_id: id })), ...refusals },
        },
      },
      '/v1/conversations/{conversation_id}/answers': {
        post: {
          parameters: [path('conversation_id'), managed, header('Idempotency-Key')],
          ...posting(record({ question_id: id, text, asset_id: id }, ['question_id', 'text'])),
          responses: accepted,
        },
      },
    },
    components: {
      schemas,
      responses: { Refused: json(named('Envelope')) },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ key: [] }],
  } as unknown as Member
}

/** A member by its path, for example `paths`, `/v1/execute`, `post`. */
export function memberAt(document: Member, ...names: readonly string[]): Member {
  return names.reduce<Member>((at, name) => at[name] as Member, document)
}
