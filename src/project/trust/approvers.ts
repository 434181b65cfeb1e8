import { join } from 'node:path'
import { z } from 'zod'
import { type Approvers, type Given, waysOfGiving } from '../../credit/approval.ts'
import { isFingerprint, type KeyRing } from '../../credit/signing-key.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import type { CheckoutName } from './checkout.ts'
import { signingKeyName } from './key-ring.ts'

/** Environment variable with fingerprints of further keys whose approvals allow purchases on this machine. */
export const approversName = 'SPRITEWRIGHT_APPROVERS'
/** Environment variable with the ways of giving that count. */
export const approvalsName = 'SPRITEWRIGHT_APPROVALS'

/** The sources that {@link readApprovers} reads. */
export interface ApproverPorts {
  readonly host: Pick<Host, 'disk' | 'env' | 'stateFolder'>
  readonly keys: KeyRing
  readonly checkout: CheckoutName
}

const settingsSchema = z.object({ approvers: z.optional(z.array(z.string())) })

/**
 * Reads the approvers whose approvals count: the user, and the keys that the environment or the user's own
 * settings name. The settings are `settings.json` in the state folder: `{ "approvers": ["<fingerprint>"] }`.
 * No file of a project can add an approver.
 *
 * @throws `SW_CONFIG` for a text that is no fingerprint, or no way of giving.
 */
export async function readApprovers({ host, keys, checkout }: ApproverPorts): Promise<Approvers> {
  const { env } = host
  const others = [...listOf(env[approversName]), ...(await readSettings(host))]
  for (const one of others) if (!isFingerprint(one)) throw notA('a fingerprint of 40 hex digits, as npx spritewright doctor shows it', one)
  const ways = listOf(env[approvalsName])
  for (const way of ways) if (!isWay(way)) throw notA(`one of ${waysOfGiving.join(', ')} in ${approvalsName}`, way)
  return {
    own: (await keys.read())?.fingerprint,
    others: new Set(others),
    // A key from the environment lets this machine buy, whatever journal of its own it has.
    ...(env[signingKeyName]?.trim() && !checkout.isShared ? {} : { checkout: (await checkout.read()) ?? 'none' }),
    isShared: checkout.isShared,
    ...(ways.length === 0 ? {} : { given: new Set(ways as readonly Given[]) }),
  }
}

async function readSettings({ disk, stateFolder }: Pick<Host, 'disk' | 'stateFolder'>): Promise<readonly string[]> {
  const path = join(stateFolder, 'settings.json')
  if (!(await disk.stat(path))) return []
  try {
    return settingsSchema.parse(JSON.parse(new TextDecoder().decode(await disk.read(path)))).approvers ?? []
  } catch (cause) {
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected ${path} to be JSON like { "approvers": ["<fingerprint>"] }, found something else. Mend it, or remove it.`,
      facts: { file: path },
      cause,
    })
  }
}

/** Splits at commas and white space. */
function listOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter((one) => one !== '')
}

function isWay(text: string): text is Given {
  return waysOfGiving.some((way) => way === text)
}

function notA(expected: string, found: string): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', {
    message: `Expected ${expected}, found ${JSON.stringify(found.slice(0, 80))}. Look at ${approversName}, ${approvalsName} and settings.json in your state folder.`,
    facts: { expected, found: found.slice(0, 80) },
  })
}
