import { z } from 'zod'
import { isCreditsText } from '../credit/credits.ts'
import { waysOfGiving } from '../credit/given.ts'

/**
 * The field of `sprites.lock.json` that says that `sprites.lock/` has further entries. Versions that do not read that
 * folder refuse the field, so they cannot buy again what only the folder records. It stands first in the file, so
 * that it makes no conflict in merges.
 */
export const alsoField = 'a newer spritewright is needed: more is in sprites.lock/'

const hex64 = z.string().regex(/^[0-9a-f]{64}$/)
const credits = z.string().refine(isCreditsText, 'expected a decimal like 2.4')
const indices = z.array(z.int().min(0))
/** One request of one animation: its approval and its purchase. */
const entrySchema = z.strictObject({
  service: z.strictObject({ host: z.string().min(1), keyMode: z.enum(['test', 'live']), apiVersion: z.string() }),
  /** Fields of the request, from which a later plan finds the changed paid field. */
  asked: z.strictObject({
    prompt: z.string(),
    /** Content hash of the reference file, or request hash of the step that makes the reference. */
    reference: hex64.optional(),
    /** Operation of a step or picture; absent for an animation, which has the fields below. */
    operation: z.string().optional(),
    frames: z.int().optional(),
    background: z.enum(['remove', 'keep']).optional(),
    options: z.record(z.string(), z.unknown()).optional(),
    take: z.int().min(1).optional(),
  }),
  /**
   * The ceiling is decimal text; the other fields are as in `Approval`. Approvals of earlier versions have no
   * signature.
   */
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
  /** The frozen bytes, which everyone who builds this commit sends under one key. */
  submission: z
    .strictObject({
      attempt: z.int().min(1),
      key: z.string(),
      body: z.string(),
      bodySha256: hex64,
      maxCredits: credits,
      /** The service's id of the uploaded picture in the body; absent if there is none. */
      referenceId: z.string().optional(),
      /** Key of the person who froze the bytes. Missing in bytes of earlier versions, which are made again. */
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
  /** Fingerprint of the entry in `sprites.lock.json` that this entry was made from. Only in files; see `lock-parts.ts`. */
  continues: hex64.optional(),
})
/** The only reader of a lock file. */
export const lockForm = z.strictObject({
  [alsoField]: z.literal(true).optional(),
  version: z.literal(1),
  animations: z.record(z.string(), z.record(hex64, entrySchema)),
  steps: z.record(hex64, entrySchema).optional(),
})

/** Parsed JSON, which nobody changes. */
type Fixed<T> = T extends readonly (infer Item)[]
  ? readonly Fixed<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Fixed<T[Name]> }
    : T

/** One request of one animation: its approval and its purchase. */
export type LockEntry = Fixed<z.output<typeof entrySchema>>

/** Fields of the request, from which a later plan finds the changed paid field. */
export type AskedFields = LockEntry['asked']

/**
 * The lock file: the requests of each animation by id (`hero.walk`) and hash. The paid steps of reference chains are
 * listed by hash alone, because sprites may share them. Committed; contains no API key. On disk, it is joined from
 * `sprites.lock.json` and the files of `sprites.lock/`, one for each sprite and each step. All have this form.
 */
export type LockFile = Fixed<z.output<typeof lockForm>>
