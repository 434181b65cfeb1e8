import { createBitmap, encodePng } from '../../atlas/index.ts'
import type { Credits } from '../credit/credits.ts'
import type { Clock } from '../host/clock.ts'
import type { Net } from '../host/net.ts'
import type { Random } from '../host/random.ts'
import { parseJson } from '../service/json.ts'
import { type Limits, statusPollMs } from '../service/limits/limits.ts'
import { type Profile, type RequestPort, resolveProfile } from '../service/profile.ts'
import { type Caller, createCaller, type Reply } from './caller.ts'
import type { ContractCheck, ContractContext, Finding, ProfilePart } from './check.ts'
import { accountChecks } from './checks/account.ts'
import { doorChecks, refusalChecks } from './checks/door.ts'
import { priceChecks } from './checks/price.ts'
import { errorOf } from './envelope.ts'
import { lifeChecks } from './life/checks.ts'
import { liveOnce } from './life/life.ts'
import type { LifeOutcome } from './outcome.ts'

/** All checks, in the order in which they run. Checks over all refusals come last. */
export const contractChecks: readonly ContractCheck[] = [...doorChecks, ...accountChecks, ...priceChecks, ...lifeChecks, ...refusalChecks]

/** The service to check, and how far the checks go. */
export interface ContractOptions {
  /** Base URL of the service. */
  readonly baseUrl: string
  readonly key: string
  /**
   * The assumed shapes.
   *
   * @default the default profile
   */
  readonly profile?: Profile
  /**
   * The most credits that one execution may cost. Without it nothing is submitted, and the checks that need
   * an execution are skipped.
   */
  readonly spend?: Credits
  /**
   * The service's rate limits, which the suite respects.
   *
   * @default those of the interface
   */
  readonly limits?: Partial<Limits>
  /**
   * Wait between two reads of the execution, in milliseconds.
   *
   * @default 2000
   */
  readonly pollMs?: number
  /**
   * Longest wait for the execution, in milliseconds.
   *
   * @default 1800000
   */
  readonly longestMs?: number
  /**
   * Called with a summary of the submission before it is sent. If it rejects, nothing is sent.
   *
   * @default nothing is recorded
   */
  readonly record?: (intent: Readonly<Record<string, unknown>>) => Promise<void>
  /**
   * Called with the paid file.
   *
   * @default the file is dropped
   */
  readonly keep?: (bytes: Uint8Array, executionId: string) => Promise<void>
  /** Called before each check, for progress. */
  readonly onCheck?: (check: ContractCheck) => void
  readonly signal?: AbortSignal
}

/** The ports of the world that the suite uses. */
export interface ContractPorts {
  readonly net: Net
  readonly clock: Clock
  readonly random: Random
}

/** The result of one check. */
export interface ContractLine {
  readonly clause: string
  readonly title: string
  readonly verdict: 'kept' | 'broken' | 'not checkable'
  /** For a person; empty if there is nothing to add. */
  readonly words: string
  /** The part of `service.profile` to replace, if that would help; otherwise empty. */
  readonly profilePart: ProfilePart | ''
}

/**
 * Checks the promises of a service, one after the other. A check that fails does not stop the others.
 *
 * @returns One line for each check, in the order of {@link contractChecks}. Without `spend` the checks that
 * need an execution are left out.
 * @throws `SW_CONFIG`, `SW_NO_KEY` before anything is sent; `SW_UNREACHABLE` if no answer comes at all; the
 * signal's reason.
 */
export async function runContract(ports: ContractPorts, options: ContractOptions): Promise<readonly ContractLine[]> {
  const context = createContext(ports, options)
  // If the service does not answer, no promise can be checked.
  await context.capabilities()
  const lines: ContractLine[] = []
  for (const check of contractChecks) {
    if (check.needs === 'spend' && options.spend === undefined) continue
    options.signal?.throwIfAborted()
    options.onCheck?.(check)
    const line = toLine(check, await make(check, context, options.signal))
    lines.push({ ...line, words: context.caller.hide(line.words) })
  }
  return lines
}

async function make(check: ContractCheck, context: ContractContext, signal: AbortSignal | undefined): Promise<Finding> {
  try {
    return await check.run(context)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    return { broken: (error as Error).message }
  }
}

function toLine({ clause, title }: ContractCheck, finding: Finding): ContractLine {
  const about = { clause, title, words: '', profilePart: '' } as const
  if (finding === 'kept' || finding === 'not checkable') return { ...about, verdict: finding }
  if ('kept' in finding) return { ...about, verdict: 'kept', words: finding.kept }
  if ('notCheckable' in finding) return { ...about, verdict: 'not checkable', words: finding.notCheckable }
  return { ...about, verdict: 'broken', words: finding.broken, profilePart: finding.profilePart ?? '' }
}

function createContext(ports: ContractPorts, options: ContractOptions): ContractContext {
  const { clock, random } = ports
  const profile = options.profile ?? resolveProfile()
  const caller = createCaller(ports, options.baseUrl, options.key, options.limits, options.signal)
  const canaries: string[] = []
  let capabilities: Promise<Reply> | undefined
  let reference: Promise<string> | undefined
  let life: Promise<LifeOutcome> | undefined
  const context: ContractContext = {
    caller,
    profile,
    clock,
    random,
    ceiling: options.spend,
    canaries,
    canary: () => {
      const canary = `canary-${random.uuid()}`
      canaries.push(canary)
      return canary
    },
    capabilities: () => {
      capabilities ??= caller.call({ path: '/v1/capabilities', isManaged: false })
      return capabilities
    },
    reference: () => {
      reference ??= profile.uploadReference(requestPort(caller), { bytes: drawReference(), contentType: 'image/png' })
      return reference
    },
    life: () => {
      life ??= liveOnce(context, {
        record: options.record ?? (async () => {}),
        keep: options.keep ?? (async () => {}),
        pollMs: options.pollMs ?? statusPollMs,
        longestMs: options.longestMs ?? 30 * 60_000,
      })
      return life
    },
  }
  return context
}

/** The port through which a profile uses the caller. */
function requestPort(caller: Caller): RequestPort {
  return async ({ method, path, body, contentType, idempotencyKey, isManaged = false }) => {
    const headers = {
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const reply = await caller.call({ method, path, headers, isManaged, ...(body === undefined ? {} : { body }) })
    if (reply.status < 200 || reply.status > 299) {
      const { reason } = errorOf(reply)
      throw new Error(
        `Expected ${method} ${path} to be taken, found ${reply.status}${typeof reason === 'string' ? ` ${reason.slice(0, 60)}` : ''}.`,
      )
    }
    return { status: reply.status, body: parseJson(reply.bytes, `the answer to ${method} ${path}`) }
  }
}

/** A round creature on a transparent background, 96 pixels square. */
function drawReference(): Uint8Array {
  const bitmap = createBitmap(96, 96)
  for (let y = 0; y < 96; y++)
    for (let x = 0; x < 96; x++) {
      const isBody = (x - 48) ** 2 + (y - 52) ** 2 < 34 ** 2
      const isEye = (x - 60) ** 2 + (y - 42) ** 2 < 6 ** 2
      if (isBody) bitmap.data.set(isEye ? [20, 20, 40, 255] : [90, 150 + Math.round(y / 3), 90, 255], (y * 96 + x) * 4)
    }
  return encodePng(bitmap)
}
