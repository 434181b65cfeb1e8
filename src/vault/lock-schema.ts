import { z } from 'zod'
import { isCreditsText } from '../credit/credits.ts'
import { waysOfGiving } from '../credit/given.ts'
import { SpritewrightError } from '../errors.ts'
import { toEditorSchema } from '../sprite-spec/fields.ts'
import { parseReviewedJson } from '../sprite-spec/json-text.ts'
import { mergeLocks, readConflict } from './lock-merge.ts'
import { alsoField, type LockFile } from './lockfile.ts'

const hex64 = z.string().regex(/^[0-9a-f]{64}$/)
const credits = z.string().refine(isCreditsText, 'expected a decimal like 2.4')
const indices = z.array(z.int().min(0))
const entrySchema = z.strictObject({
  service: z.strictObject({ host: z.string().min(1), keyMode: z.enum(['test', 'live']), apiVersion: z.string() }),
  asked: z.strictObject({
    prompt: z.string(),
    reference: hex64.optional(),
    operation: z.string().optional(),
    frames: z.int().optional(),
    background: z.enum(['remove', 'keep']).optional(),
    options: z.record(z.string(), z.unknown()).optional(),
    take: z.int().min(1).optional(),
  }),
  approval: z
    .strictObject({
      ceiling: credits,
      priceVersion: z.string(),
      buyer: z.string().min(1),
      at: z.string(),
      given: z.enum(waysOfGiving).optional(),
      checkout: z.string().optional(),
      project: z.string().optional(),
      expires: z.string().optional(),
      touch: z
        .strictObject({
          credential: z.string(),
          authenticatorData: z.string(),
          clientData: z.string(),
          signature: z.string(),
          proof: z.array(z.string()),
        })
        .optional(),
      publicKey: z.string().optional(),
      signature: z.string().optional(),
    })
    .optional(),
  submission: z
    .strictObject({
      attempt: z.int().min(1),
      key: z.string(),
      body: z.string(),
      bodySha256: hex64,
      maxCredits: credits,
      referenceId: z.string().optional(),
      publicKey: z.string().optional(),
      signature: z.string().optional(),
    })
    .optional(),
  execution: z.strictObject({ id: z.string().min(1), conversation: z.string().nullable() }).optional(),
  result: z
    .strictObject({
      sha256: hex64,
      bytes: z.int().min(0),
      review: z
        .strictObject({
          frameCount: z.int().nullable(),
          background: z.string().nullable(),
          keptBackgroundFrames: indices,
          inspectionFrames: indices,
          sourceShiftedFrames: indices,
        })
        .optional(),
    })
    .optional(),
  continues: hex64.optional(),
})
const fileSchema = z.strictObject({
  [alsoField]: z.literal(true).optional(),
  version: z.literal(1),
  animations: z.record(z.string(), z.record(hex64, entrySchema)),
  steps: z.record(hex64, entrySchema).optional(),
})

/** Advice for entries that both sides changed. */
export const howToChoose =
  'Keep the entries of one side: npx spritewright merge --ours, or --theirs; with names, only those. A purchase is kept in any case'

/** The JSON Schema of `sprites.lock.json`. */
export function lockJsonSchema(): object {
  return toEditorSchema(fileSchema, {
    title: 'spritewright lock file',
    description: 'Approvals and purchases. spritewright writes this file: do not edit it by hand.',
  })
}

/** The error for a lock file. */
export function unreadable(path: string, what: string, cause?: unknown): SpritewrightError {
  return new SpritewrightError('SW_LOCKFILE', {
    message: `${path} cannot be read: ${what}. It holds approvals and purchases: restore it from version control; do not delete it.`,
    facts: { file: path, what },
    cause,
  })
}

/**
 * Parses a lock file's text. A merge conflict is resolved if both sides agree; see `mergeLocks`.
 *
 * @throws `SW_LOCKFILE` with the faulty place.
 */
export function parseLockFile(text: string, path: string): LockFile {
  const fail = (what: string, cause?: unknown): never => {
    throw unreadable(path, what, cause)
  }
  const sides = readConflict(text)
  const merged = sides && mergeLocks(parseLockFile(sides.ours, path), parseLockFile(sides.theirs, path))
  if (merged) {
    const shared = findSharedExecution(merged.lock)
    if (merged.conflicts.length > 0)
      return fail(`it has a merge conflict, and both sides changed ${merged.conflicts.join(', ')}. ${howToChoose}`)
    return shared === undefined ? merged.lock : fail(shared)
  }
  if (/^(<{7}|={7}|>{7})/m.test(text)) return fail('it has an unresolved merge conflict')
  let json: unknown
  try {
    json = parseReviewedJson(text)
  } catch (error) {
    return fail(`expected JSON, found ${(error as Error).message}`, error)
  }
  const parsed = fileSchema.safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return fail(`${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not a lock file'}`)
  }
  const twice = findSharedExecution(parsed.data)
  return twice === undefined ? parsed.data : fail(twice)
}

/**
 * Finds two requests that name the same execution. An execution belongs to only one request, so the other
 * would get a result that was paid for the first.
 *
 * @returns A sentence about the two requests; `undefined` if no execution is shared.
 */
export function findSharedExecution(lock: LockFile): string | undefined {
  const owners = new Map<string, { readonly hash: string; readonly id: string }>()
  for (const [id, requests] of [...Object.entries(lock.animations), ['a step', lock.steps ?? {}] as const]) {
    for (const [hash, { execution }] of Object.entries(requests)) {
      const other = execution && owners.get(execution.id)
      if (other && other.hash !== hash) return `${other.id} and ${id} name the same execution (${execution.id}) for different requests`
      if (execution) owners.set(execution.id, { hash, id })
    }
  }
  return undefined
}
