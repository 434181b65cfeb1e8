import { parseCredits } from '../../credit/credits.ts'
import { parseJson } from '../../service/json.ts'
import { defaultProfile, type Profile, type ProfileRequest } from '../../service/profile.ts'
import { readCapabilities, readEnvelope, readEstimate, readExecution } from '../../service/replies.ts'
import type { ProfilePart } from '../check.ts'
import { type FieldKind, isRecord, type RecordFields, records, statuses } from '../records.ts'
import { type DescribedOperation, parseDescription, type Schema } from './document.ts'
import { membersOf, sampleOf, schemaFaults, typesOf, valuesOf } from './schema.ts'

/** One difference between a description and the expectations of spritewright. */
export interface OpenapiDifference {
  /** E.g. `POST /v1/execute`. */
  readonly where: string
  /** A sentence for a person. */
  readonly words: string
  /** Whether spritewright would fail at this difference. If false, the difference is for information only. */
  readonly matters: boolean
  /** The part of `service.profile` to replace, if that would help; otherwise empty. */
  readonly profilePart: ProfilePart | ''
}

interface ExpectedOperation {
  readonly method: string
  readonly path: string
  /** Headers and query parameters that spritewright sends. */
  readonly sends: readonly string[]
  /** Accepted statuses of success. `2` and `3` mean a whole class. */
  readonly success: readonly string[]
  readonly body?: unknown
  readonly reader?: {
    readonly fields?: RecordFields
    readonly isClosed?: boolean
    readonly read: (body: ReturnType<typeof bodyOf>) => unknown
  }
  readonly profilePart?: ProfilePart
}

/**
 * Compares an OpenAPI description of the service with the requests and readers of spritewright: paths,
 * methods, parameters, headers, and bodies. Bodies of answers are compared twice: field by field, and by
 * passing bodies in the described form to the readers of the service's answers.
 *
 * @param file Names it in errors.
 * @returns The differences, in the order of the interface; empty if there are none.
 * @throws `SW_USAGE` for a text that is not an OpenAPI description.
 */
export async function compareOpenapi(text: string, file: string, profile: Profile = defaultProfile): Promise<readonly OpenapiDifference[]> {
  const description = parseDescription(text, file)
  const expected = [...shownOperations(profile), ...(await assumedOperations(profile))]
  const found: OpenapiDifference[] = []
  if (!description.hasBearer)
    found.push({ where: 'security', words: 'Expected a bearer key as security scheme, found none.', matters: true, profilePart: '' })
  for (const one of expected) {
    const operation = description.operations.find(({ method, path }) => method === one.method && path === one.path)
    if (operation === undefined) found.push(missing(one, description.operations))
    else found.push(...compare(one, operation))
  }
  const further = description.operations.filter(({ method, path }) => !expected.some((one) => one.method === method && one.path === path))
  for (const { method, path } of further)
    found.push({ where: `${method} ${path}`, words: 'It is described, and spritewright does not use it.', matters: false, profilePart: '' })
  return found
}

/** The operations that the interface shows. */
function shownOperations(profile: Profile): readonly ExpectedOperation[] {
  const managed = ['Service-Version']
  const execution = { fields: records.execution, read: (body: ReturnType<typeof bodyOf>) => readExecution(body.value) }
  const read = { method: 'GET', sends: [] as string[], success: ['200'] }
  return [
    { ...read, path: '/v1/capabilities', reader: { fields: records.capabilities, read: readCapabilities } },
    { ...read, path: '/v1/balance', reader: { read: (body) => parseCredits(profile.readBalance(body)) }, profilePart: 'readBalance' },
    {
      ...read,
      path: '/v1/sprite-pricing',
      sends: ['frame_count', 'background'],
      reader: { fields: records.estimate, isClosed: true, read: (body) => readEstimate(body.value) },
    },
    {
      method: 'POST',
      path: '/v1/execute',
      sends: [...managed, 'Idempotency-Key'],
      success: ['202'],
      body: profile.executeBody(exampleSubmission),
      reader: { read: (body) => profile.readAccepted(body).executionId },
      profilePart: 'executeBody',
    },
    { ...read, path: '/v1/executions/{}', sends: managed, reader: execution },
    { ...read, path: '/v1/executions/{}/events', sends: [...managed, 'Last-Event-ID'] },
    {
      method: 'POST',
      path: '/v1/executions/{}/cancel',
      sends: managed,
      success: ['2'],
      profilePart: 'cancellable',
      reader: { fields: records.cancel_result, read: () => {} },
    },
    { method: 'DELETE', path: '/v1/conversations/{}', sends: managed, success: ['2'] },
    { ...read, path: '/v1/image-jobs/{}/asset', success: ['3'] },
  ]
}

const id = '00000000-0000-4000-8000-000000000001'
const exampleSubmission = {
  operation: 'sprite_sheet',
  prompt: 'a knight',
  referenceId: id,
  frames: 12,
  background: 'remove',
  maxCredits: parseCredits('2.4'),
} as const

/**
 * The operations that the profile assumes. Its own functions are called with a port that records a request
 * and sends nothing.
 */
async function assumedOperations(profile: Profile): Promise<readonly ExpectedOperation[]> {
  const answer = { executionId: id, conversationId: id, text: 'left', idempotencyKey: 'key' }
  return [
    ...(await sentBy('uploadReference', (request) =>
      profile.uploadReference(request, { bytes: new Uint8Array(), contentType: 'image/png' }),
    )),
    ...(await sentBy('answer', (request) => profile.answer(request, { questionId: id }, answer))),
  ]
}

async function sentBy(
  profilePart: 'uploadReference' | 'answer',
  use: (request: (sent: ProfileRequest) => Promise<never>) => Promise<unknown>,
): Promise<readonly ExpectedOperation[]> {
  const sent: ProfileRequest[] = []
  const nowhere = async (request: ProfileRequest): Promise<never> => {
    sent.push(request)
    throw new Error('This request goes nowhere.')
  }
  await use(nowhere).catch(() => {})
  return sent.slice(0, 1).map(({ method, path, body, contentType, idempotencyKey, isManaged }) => ({
    method,
    path: path.replace(/\?.*$/s, '').replaceAll(id, '{}'),
    sends: [...(isManaged ? ['Service-Version'] : []), ...(idempotencyKey === undefined ? [] : ['Idempotency-Key'])],
    success: ['2'],
    profilePart,
    ...(contentType === 'application/json' && body ? { body: JSON.parse(new TextDecoder().decode(body)) as unknown } : {}),
  }))
}

function missing({ method, path, profilePart }: ExpectedOperation, described: readonly DescribedOperation[]): OpenapiDifference {
  const others = described.filter((one) => one.path === path).map((one) => one.method)
  const isAssumed = profilePart === 'uploadReference' || profilePart === 'answer'
  const words = others.length > 0 ? `Expected ${method}, found ${others.join(', ')} for this path.` : 'It is not described.'
  const hint = isAssumed ? ' If it has another path, set that in the profile.' : ''
  return { where: `${method} ${path}`, words: words + hint, matters: true, profilePart: isAssumed ? profilePart : '' }
}

function compare(expected: ExpectedOperation, described: DescribedOperation): OpenapiDifference[] {
  const where = `${expected.method} ${expected.path}`
  const part = expected.profilePart ?? ''
  const difference = (words: string, matters: boolean, profilePart: ProfilePart | '' = ''): OpenapiDifference => ({
    where,
    words,
    matters,
    profilePart,
  })
  return [
    ...parameterDifferences(expected, described).map(({ words, matters }) => difference(words, matters)),
    ...requestFaults(expected, described).map((words) => difference(words, true, part)),
    ...answerDifferences(expected, described).map(({ words, matters }) =>
      difference(words, matters, part === 'executeBody' ? 'readAccepted' : part),
    ),
    ...envelopeFaultsOf(described).map((words) => difference(words, true)),
  ]
}

type Difference = Pick<OpenapiDifference, 'words' | 'matters'>

/** Headers that every HTTP client sends by itself, or that spritewright always sends. */
const always = ['authorization', 'accept', 'content-type', 'content-length', 'host', 'user-agent']

function parameterDifferences({ sends }: ExpectedOperation, { parameters }: DescribedOperation): Difference[] {
  const sent = sends.map((name) => name.toLowerCase())
  const named = parameters.filter((one) => one.in === 'header' || one.in === 'query')
  const unsent = named.filter(
    ({ name, isRequired }) => isRequired && !sent.includes(name.toLowerCase()) && !always.includes(name.toLowerCase()),
  )
  const undescribed = sends.filter((name) => !named.some((one) => one.name.toLowerCase() === name.toLowerCase()))
  return [
    ...unsent.map((one) => ({
      words: `The ${one.in} parameter ${one.name} is required, and spritewright does not send it.`,
      matters: true,
    })),
    ...undescribed.map((name) => ({ words: `spritewright sends ${name}, which is not described.`, matters: false })),
  ]
}

function requestFaults({ body }: ExpectedOperation, { request }: DescribedOperation): string[] {
  const types = Object.keys(request)
  if (body === undefined || types.length === 0) return []
  const schema = request['application/json']
  if (schema === undefined) return [`The body must be ${types.join(' or ')}, ours is application/json.`]
  const faults = schemaFaults(schema, body)
  const { properties, isClosed } = membersOf(schema)
  const unknown =
    isRecord(body) && !isClosed && Object.keys(properties).length > 0
      ? Object.keys(body).filter((name) => !Object.hasOwn(properties, name))
      : []
  return [...new Set([...faults, ...unknown.map((name) => `${name} is not described, ours has it`)])].map(
    (fault) => `Of the body, ${fault}.`,
  )
}

function answerDifferences({ success, reader }: ExpectedOperation, { responses }: DescribedOperation): Difference[] {
  const described = Object.keys(responses).filter((status) => /^[23]/.test(status))
  const taken = described.filter((status) => success.some((one) => status.startsWith(one) || (status === '2XX' && one.startsWith('2'))))
  if (taken.length === 0) {
    const wanted = success.map((one) => (one.length === 1 ? `${one}xx` : one)).join(' or ')
    return [{ words: `Expected success as ${wanted}, found ${described.join(', ') || 'none'}.`, matters: true }]
  }
  const schema = responses[taken[0] ?? '']?.['application/json']
  if (schema === undefined || reader === undefined) return []
  return [...fieldDifferences(schema, reader.fields ?? {}, reader.isClosed ?? false), ...readerFaults(schema, reader.read)]
}

/**
 * Compares fields by name and kind. The readers cover the fields inside an execution's job, question and
 * error.
 */
function fieldDifferences(schema: Schema, fields: RecordFields, isClosed: boolean): Difference[] {
  const { properties } = membersOf(schema)
  if (Object.keys(properties).length === 0) return []
  const lacking = Object.keys(fields).filter((field) => !Object.hasOwn(properties, field))
  const wrong = Object.entries(fields).flatMap(([field, kind]) => {
    const types = typesOf(properties[field] ?? {})
    return types.length === 0 || types.some((type) => jsonTypes[kind].includes(type))
      ? []
      : [`Expected ${field} as ${kind}, found ${types.join(' or ')}.`]
  })
  const further = isClosed ? Object.keys(properties).filter((field) => !Object.hasOwn(fields, field)) : []
  const strange = valuesOf(properties.status ?? {}).filter((status) => typeof status === 'string' && !statuses.includes(status))
  return [
    ...lacking.map((field) => ({ words: `${field} is not described; it counts as missing.`, matters: isClosed })),
    ...wrong.map((words) => ({ words, matters: true })),
    ...further.map((field) => ({
      words: `${field} is described, and no other field than the ${Object.keys(fields).length} of the interface is taken.`,
      matters: true,
    })),
    ...strange.map((status) => ({
      words: `The status ${String(status).slice(0, 40)} is described; it would be shown and waited out.`,
      matters: false,
    })),
  ]
}

const jsonTypes: Readonly<Record<FieldKind, readonly string[]>> = {
  string: ['string'],
  boolean: ['boolean'],
  integer: ['integer', 'number'],
  number: ['number', 'integer'],
  strings: ['array'],
  integers: ['array'],
  objects: ['array'],
  object: ['object'],
}

function readerFaults(schema: Schema, read: (body: ReturnType<typeof bodyOf>) => unknown): Difference[] {
  for (const [size, words] of [
    ['full', 'with all of its fields'],
    ['least', 'with the required fields alone'],
  ] as const) {
    try {
      read(bodyOf(sampleOf(schema, size)))
    } catch (error) {
      return [{ words: `A body as described, ${words}, cannot be read: ${(error as Error).message}`, matters: true }]
    }
  }
  return []
}

/** Checks that the reader of envelopes accepts each described refusal. */
function envelopeFaultsOf({ responses }: DescribedOperation): string[] {
  const refusals = Object.entries(responses).filter(([status]) => /^[45]|^default$/.test(status))
  const unread = refusals.filter(([, content]) => {
    const schema = content['application/json']
    return schema !== undefined && Object.keys(membersOf(schema).properties).length > 0 && readEnvelope(sampleOf(schema, 'full')) === null
  })
  return unread.length === 0
    ? []
    : [
        `The refusals ${unread.map(([status]) => status).join(', ')} are not described as the error envelope, so spritewright could not read them.`,
      ]
}

function bodyOf(value: unknown): ReturnType<typeof parseJson> {
  return parseJson(new TextEncoder().encode(JSON.stringify(value)), 'the described body')
}
