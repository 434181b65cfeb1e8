import type { Approvers } from '../../credit/approval.ts'
import { commonWays, type Given, waysOfGiving } from '../../credit/given.ts'
import { isFingerprint, type KeyRing } from '../../credit/signing-key.ts'
import type { EnrolledKey } from '../../credit/touch.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { parseLife } from '../../options/values.ts'
import type { CheckoutName } from './checkout.ts'
import { signingKeyName } from './key-ring.ts'
import type { ProjectMemory } from './project-memory.ts'
import { readSettings } from './settings.ts'

/** Environment variable with fingerprints of further keys whose approvals allow purchases on this machine. */
export const approversName = 'SPRITEWRIGHT_APPROVERS'
/** Environment variable with the ways of giving an approval that count. */
export const approvalsName = 'SPRITEWRIGHT_APPROVALS'

/** Environment variable with the id of the project for which approvals from elsewhere count. */
const projectVariable = 'SPRITEWRIGHT_PROJECT'
/** Environment variable with the longest life of an unused approval. */
const validForVariable = 'SPRITEWRIGHT_VALID_FOR'
const defaultLifeMs = 30 * 24 * 3_600_000

/** Environment variable with the branches by which a worker judges approvals. */
const branchesName = 'SPRITEWRIGHT_BRANCHES'

/** The sources that {@link readApprovers} reads. */
export interface ApproverPorts {
  readonly host: Pick<Host, 'disk' | 'env' | 'stateFolder'>
  readonly keys: KeyRing
  readonly checkout: CheckoutName
  readonly memory: Pick<ProjectMemory, 'read'>
  readonly touchKeys: { list(): Promise<readonly EnrolledKey[]> }
  readonly options: Pick<ResolvedOptions, 'approvalAccept'>
}

/**
 * Reads the approvers whose approvals count: the user, and the keys that the environment or the user's own
 * settings name. The settings are `settings.json` in the state folder: `{ "approvers": ["<fingerprint>"] }`.
 * No file of a project can add an approver or an authenticator. The ways of giving that count are those of the
 * environment, the configuration and the project's memory: each only takes ways away.
 *
 * @throws `SW_CONFIG` for an invalid fingerprint or an unknown way of giving.
 */
export async function readApprovers({ host, keys, checkout, memory, touchKeys, options }: ApproverPorts): Promise<Approvers> {
  const { env } = host
  const others = [...listOf(env[approversName]), ...((await readSettings(host)).approvers ?? [])]
  for (const one of others) if (!isFingerprint(one)) throw notA('a fingerprint of 40 hex digits, as npx spritewright doctor shows it', one)
  const ways = listOf(env[approvalsName])
  for (const way of ways) if (!isWay(way)) throw notA(`one of ${waysOfGiving.join(', ')} in ${approvalsName}`, way)
  const facts = await memory.read()
  const remembered = facts === 'damaged' ? undefined : facts?.accept
  const fromEnv = ways.length === 0 ? undefined : (ways as readonly Given[])
  const accepted = commonWays(commonWays(fromEnv, options.approvalAccept), remembered)
  return {
    own: (await keys.read())?.fingerprint,
    others: new Set(others),
    checkout: (await checkout.read()) ?? 'none',
    isKeyFromEnvironment: Boolean(env[signingKeyName]?.trim()),
    project: projectName(host),
    isShared: checkout.isShared,
    // If somebody else has changed the memory, no approval may stay valid longer because of it.
    ...(facts === 'damaged' ? { latest: Number.POSITIVE_INFINITY } : {}),
    ...(facts === undefined || facts === 'damaged' ? {} : { oldUntil: facts.firstRun + defaultLifeMs, latest: facts.latest }),
    ...(accepted === undefined ? {} : { given: new Set(accepted) }),
    touchKeys: await touchKeys.list(),
  }
}

/** Reads the branches by which a worker judges approvals. Empty means the remote's default branch. */
export function branchNames({ env }: Pick<Host, 'env'>): readonly string[] {
  return listOf(env[branchesName])
}

/**
 * Reads the id of the project that the environment names.
 *
 * @throws `SW_CONFIG` if the variable has no valid id.
 */
export function projectName({ env }: Pick<Host, 'env'>): string | undefined {
  const project = env[projectVariable]?.trim()
  if (!project || /^[0-9a-f]{32}$/.test(project)) return project || undefined
  throw notA(`32 hex digits in ${projectVariable}, as npx spritewright doctor shows them`, project)
}

/**
 * How long a new unused approval stays valid, in milliseconds.
 *
 * @param configured The configured time, which may only shorten it.
 * @throws `SW_CONFIG` if the environment has another text than `30d` or `12h`.
 */
export function validForMs({ env }: Pick<Host, 'env'>, configured: number = Number.POSITIVE_INFINITY): number {
  const text = env[validForVariable]?.trim()
  const longest = text ? parseLife(text) : defaultLifeMs
  if (longest === undefined) throw notA(`a time like 90d or 12h in ${validForVariable}`, text ?? '')
  return Math.min(longest, configured)
}

/** Splits the value of an environment variable at commas and white space. */
export function listOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter((one) => one !== '')
}

function isWay(text: string): text is Given {
  return waysOfGiving.some((way) => way === text)
}

function notA(expected: string, found: string): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', {
    message: `Expected ${expected}, found ${JSON.stringify(found.slice(0, 80))}. Look at ${approversName}, ${approvalsName}, ${projectVariable}, ${validForVariable} and settings.json in your state folder.`,
    facts: { expected, found: found.slice(0, 80) },
  })
}
