import { join } from 'node:path'
import { z } from 'zod'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { parseReviewedJson } from '../../sprite-spec/json-text.ts'

/** The settings of a machine's owner: `settings.json` in the state folder. No file of a project is part of them. */
export type Settings = z.output<typeof settingsSchema>

const settingsSchema = z.object({
  /** Fingerprints of further keys whose approvals count on this machine. */
  approvers: z.optional(z.array(z.string())),
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
      message: `Expected ${path} to be JSON like { "approvers": ["<fingerprint>"] }, found something else. Correct it, or remove it.`,
      facts: { file: path },
      cause,
    })
  }
}
