import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { isLoopbackHost } from '../../host/net/address-blocks.ts'
import { parseReviewedJson } from '../../sprite-spec/json-text.ts'

/** The settings of a machine's owner: `settings.json` in the state folder. No file of a project is part of them. */
export type Settings = z.output<typeof settingsSchema>

const settingsSchema = z.object({
  /** Fingerprints of further keys whose approvals count on this machine. */
  approvers: z.optional(z.array(z.string())),
  /** What a worker of this user does. */
  worker: z.optional(
    z.object({
      /** Called for each event that needs a person: an address gets a POST, a program gets JSON on its stdin. */
      onEvent: z.optional(
        z.union([
          z.strictObject({ url: z.string().refine(isPrivate) }),
          z.strictObject({ command: z.array(z.string()).min(1).readonly() }),
        ]),
      ),
      /** Projects that it serves beside the one in which it starts. `dir` is a clone, an absolute path. */
      projects: z.optional(z.array(z.object({ dir: z.string().refine((dir) => isAbsolute(dir)) }))),
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
