import { join, relative, resolve } from 'node:path'
import { clauses } from '../contract/clauses.ts'
import { compareOpenapi, type OpenapiDifference } from '../contract/openapi/openapi.ts'
import { type ContractLine, contractChecks, runContract } from '../contract/suite.ts'
import { isPlayable, waysWords } from '../credit/given.ts'
import { SpritewrightError } from '../errors.ts'
import { decodeText } from '../host/project-style.ts'
import { publish } from '../host/publish.ts'
import { refuseKey } from '../key-search.ts'
import type { Context } from '../project/context.ts'
import type { ServiceConnection } from '../project/session.ts'
import { readApprovers } from '../project/trust/approvers.ts'
import { resolveProfile } from '../service/profile.ts'
import type { ContractFinding, ContractRequest } from './api/reports.ts'

/**
 * Checks the configured service, clause by clause. Each submission is first written to `contract/` of the
 * store. Paid results are stored beside it.
 *
 * @throws `SW_NO_SERVICE`, `SW_NO_KEY`, `SW_UNREACHABLE`, and `SW_APPROVAL` for `spend` where only touches count
 */
export async function checkContract(
  context: Context,
  connection: ServiceConnection,
  request: ContractRequest,
  signal: AbortSignal,
): Promise<readonly ContractFinding[]> {
  const { disk, random } = context.host
  const folder = join(context.storeFolder, 'contract')
  if (request.spend !== undefined) await refuseWithoutTouch(context)
  const lines = await runContract(context.host, {
    ...(await connection.reach()),
    profile: profileOf(context),
    limits: { ...context.options.limits },
    signal,
    spend: request.spend,
    onCheck: request.onCheck,
    record: async (intent) => {
      const text = JSON.stringify({ ...intent, at: new Date(context.host.clock.wall()).toISOString() }, null, 2)
      const path = join(folder, `${String(intent.key)}.json`)
      refuseKey(context.keySearch, text, path)
      await publish(disk, random, path, new TextEncoder().encode(`${text}\n`))
    },
    keep: async (bytes, executionId) => void (await publish(disk, random, join(folder, `${fileName(executionId)}.zip`), bytes)),
  })
  return [...lines, ...unlooked(lines, request.spend !== undefined)].sort((a, b) => rank(a.clause) - rank(b.clause))
}

/** A purchase of the check has no approval, so no touch is for it. */
async function refuseWithoutTouch(context: Context): Promise<void> {
  const { given } = await readApprovers(context)
  if (given === undefined || isPlayable([...given])) return
  throw new SpritewrightError('SW_APPROVAL', {
    message: `Expected approvals to count that are not touched, because --spend buys without one; found that only these count: ${waysWords(given)}. Nothing was sent. Check the service from another project.`,
    facts: { accepted: [...given] },
  })
}

/**
 * Compares the description in a file with the requests that are sent and the replies that are read.
 *
 * @throws `SW_USAGE` if the file is missing or is no such description.
 */
export async function compareWithDescription(context: Context, file: string): Promise<readonly OpenapiDifference[]> {
  const path = resolve(context.host.workingFolder, file)
  const shown = relative(context.host.workingFolder, path) || file
  const bytes = await context.host.disk.read(path).catch((error: unknown) => {
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected a file at ${JSON.stringify(shown)} for --openapi, found none that can be read.`,
      facts: { option: '--openapi', file: shown },
      cause: error,
    })
  })
  return compareOpenapi(decodeText(bytes), shown, profileOf(context))
}

function profileOf({ options }: Context): ReturnType<typeof resolveProfile> {
  return resolveProfile(options.service === 'embedded' ? {} : options.service?.profile)
}

/** Makes a line for each clause without a check. */
function unlooked(lines: readonly ContractLine[], isSpending: boolean): ContractFinding[] {
  const seen = new Set(lines.map(({ clause }) => clause))
  return clauses
    .filter(({ id }) => !seen.has(id))
    .map(({ id, title }) => {
      const isPaid = !isSpending && contractChecks.some(({ clause }) => clause === id)
      const words = isPaid ? 'Needs an execution: --spend gives it a ceiling.' : ''
      return { clause: id, title, verdict: 'not checked', words, profilePart: '' }
    })
}

/** Sorts clauses by number, then assumptions by number. */
function rank(clause: string): number {
  return (clause.startsWith('N') ? 1000 : 0) + Number(clause.slice(1))
}

/** Turns an id of the service into a file name. */
function fileName(id: string): string {
  return id.replace(/[^\w-]/g, '_').slice(0, 100)
}
