import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { isCreditsText, parseCredits } from '../../credit/credits.ts'
import { isFingerprint } from '../../credit/signing-key.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { isLoopbackHost } from '../../host/net/address-blocks.ts'
import { parseReviewedJson } from '../../sprite-spec/json-text.ts'

/** The settings of a machine's owner: `settings.json` in the state folder. No file of a project is part of them. */
export type Settings = z.output<typeof settingsSchema>

/** A budget. A field with a wrong name would be a budget that counts nothing, so it is refused. */
const budget = z.strictObject({
  credits: z
    .string()
    .refine(isCreditsText, 'Expected credits as a decimal text, like "200"')
    .transform((text) => parseCredits(text)),
  per: z.enum(['month', 'ever']),
  /** Name of a project of `worker.projects`: its `name`, or the name of its folder. */
  project: z.optional(z.string()),
  /** Fingerprint of the key that signed the approvals. */
  approver: z.optional(z.string().refine(isFingerprint, 'Expected a fingerprint of 40 hex digits, as npx spritewright doctor shows it')),
})

const settingsSchema = z.object({
  /** Fingerprints of further keys whose approvals count on this machine. */
  approvers: z.optional(z.array(z.string())),
  /** Names of people for the ledger, by the fingerprints of their keys. */
  names: z.optional(z.record(z.string(), z.string())),
  /** What a worker of this user does, and what this machine may buy. A field with a wrong name would limit nothing. */
  worker: z.optional(
    z.strictObject({
      /** Called for each event that needs a person: an address gets a POST, a program gets JSON on its stdin. */
      onEvent: z.optional(
        z.union([
          z.strictObject({ url: z.string().refine(isPrivate) }),
          z.strictObject({ command: z.array(z.string()).min(1).readonly() }),
        ]),
      ),
      /** Projects that it serves beside the one in which it starts. `dir` is a clone, an absolute path; `name` is the owner's. */
      projects: z.optional(
        z.array(
          z.object({
            dir: z
              .string()
              .refine((dir) => isAbsolute(dir))
              .transform((dir) => resolve(dir)),
            name: z.optional(z.string().min(1).max(100)),
          }),
        ),
      ),
      /** Limits of all purchases that this machine sends. */
      budgets: z.optional(z.array(budget)),
    }),
  ),
})

/**
 * Reads the settings. Without a file, they are empty. The file is read at each call, so a change counts at once.
 *
 * @throws `SW_CONFIG` if the file has another form.
 */
export async function readSettings({ disk, stateFolder }: Pick<Host, 'disk' | 'stateFolder'>): Promise<Settings> {
  const path = join(stateFolder, 'settings.json')
  if (!(await disk.stat(path))) return {}
  try {
    return settingsSchema.parse(parseReviewedJson(new TextDecoder().decode(await disk.read(path))))
  } catch (cause) {
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected ${path} to be JSON like { "approvers": ["<fingerprint>"] }, found something else${placeOf(cause)}. Correct it, or remove it. Its fields: docs/studio.md.`,
      facts: { file: path },
      cause,
    })
  }
}

/** Whether only the two ends of a connection can read it. */
function isPrivate(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
}

/** Names the first wrong field. Its value may be a secret, e.g. the address of a chat's webhook. */
function placeOf(cause: unknown): string {
  const path = cause instanceof z.ZodError ? cause.issues[0]?.path.join('.') : ''
  return path ? ` at ${path}` : ''
}
