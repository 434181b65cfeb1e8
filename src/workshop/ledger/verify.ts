import { hasCode } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import type { Session } from '../../project/session.ts'
import { readRate } from './account-report.ts'
import { readAccounts } from './accounts.ts'
import type { LedgerCheck, LedgerLine, LedgerState, LedgerVerification, LedgerVerifyRequest } from './report.ts'

/**
 * Reads every execution of the ledger again at the service and compares. Sends nothing but reads.
 *
 * @throws `SW_UNREACHABLE`, `SW_KEY_REFUSED`, `SW_WIRE` if the service cannot be asked.
 */
export async function verifyAccounts(
  context: Context,
  session: Session,
  request: LedgerVerifyRequest,
  signal: AbortSignal,
): Promise<LedgerVerification> {
  const report = await readAccounts(context, true)
  const isAsked = (line: LedgerLine): boolean => line.executionId !== undefined && isOfSession(line, session)
  const of = report.lines.filter(isAsked).length
  const checks: LedgerCheck[] = []
  let number = 0
  for (const line of report.lines) {
    if (isAsked(line)) request.onRead?.(++number, of)
    checks.push(await checkLine(context, session, line, signal))
  }
  const balance = await session.client.balance(signal)
  const isAgreed = checks.every(({ verdict }) => verdict !== 'differs' && verdict !== 'open')
  const toUsd = await readRate(session, signal).catch(() => undefined)
  return { ...report, usd: toUsd?.(report.settled), checks, balance, host: session.client.host, isAgreed }
}

async function checkLine(context: Context, session: Session, line: LedgerLine, signal: AbortSignal): Promise<LedgerCheck> {
  // If the result of such an attempt has arrived all the same, the attempt is a purchase like any other.
  const isGivenUp = line.decision === 'abandon' && line.result === undefined
  if (line.state === 'uncertain' && line.origin === 'unverified') return { line, verdict: 'unread', words: unverifiedWords }
  if (line.state === 'uncertain' && line.isReplaced) return { line, verdict: 'unread', words: replacedWords }
  if (line.state === 'uncertain')
    return isGivenUp ? { line, verdict: 'unread', words: givenUpWords } : { line, verdict: 'open', words: openWords(line) }
  const { executionId } = line
  if (executionId === undefined) return { line, verdict: 'unread', words: 'No record names its execution, so it cannot be read again.' }
  if (!isOfSession(line, session)) return { line, verdict: 'unread', words: otherServiceWords(line, session) }
  const status = await readStatus(session, executionId, signal)
  if (status === 'gone') return checkGone(context, line)
  if (status === 'refused') {
    const words = 'The service refuses to show it to this key: it belongs to another account.'
    return { line, verdict: 'unread', service: status, words: `${words} Verify with a key of the account that bought it.` }
  }
  const said = stateOf(status)
  if (said === undefined) {
    const words = `The service says ${JSON.stringify(status.slice(0, 60))}, which this version does not know. Check again later.`
    return { line, verdict: 'unread', service: status, words }
  }
  if (isGivenUp) {
    const words = `${givenUpWords} The service says ${status}.`
    return {
      line,
      verdict: 'agrees',
      service: status,
      words: said === 'settled' && line.state === 'held' ? `${words} ${strayWords}` : words,
    }
  }
  if (said === line.state) return { line, verdict: 'agrees', service: status, words: '' }
  return { line, verdict: 'differs', service: status, words: `${bothWords(line, status)} ${adviceFor(line.state, said)}` }
}

/** Excludes executions of other services: this service does not know them, so they would look lost. */
function isOfSession({ service }: LedgerLine, { identity }: Session): boolean {
  return service === undefined || (service.host === identity.host && service.keyMode === identity.keyMode)
}

async function readStatus(session: Session, executionId: string, signal: AbortSignal): Promise<string> {
  try {
    return (await session.client.execution(executionId, signal)).status
  } catch (error) {
    if (!hasCode(error, 'SW_REFUSED')) throw error
    const { reason, status } = error.facts
    if (reason === 'resource_not_found' || status === 404) return 'gone'
    if (reason === 'access_denied' || status === 403) return 'refused'
    throw error
  }
}

/** The ledger's state for a status. Undefined for an unknown status. */
function stateOf(status: string): LedgerState | undefined {
  if (status === 'completed') return 'settled'
  if (status === 'failed' || status === 'cancelled') return 'restored'
  return status === 'queued' || status === 'running' || status === 'needs_input' ? 'held' : undefined
}

/**
 * The service may forget an execution after a time. That is a loss only if the result is not stored here.
 */
async function checkGone(context: Context, line: LedgerLine): Promise<LedgerCheck> {
  const gone = { line, service: 'gone' }
  const isHere = line.result !== undefined && (await context.vault.has(line.result))
  const isOfOther = line.project !== undefined && line.project !== (await context.limits()).project
  if (line.state === 'settled' && isOfOther && !isHere)
    return {
      ...gone,
      verdict: 'gone',
      words: `The service does not know it any more. Its result is stored in the project ${line.project}.`,
    }
  if (line.state === 'settled' && isHere)
    return { ...gone, verdict: 'gone', words: 'The service does not know it any more. Nothing is lost: its result is in the vault.' }
  if (line.decision === 'abandon') return { ...gone, verdict: 'gone', words: `${givenUpWords} The service does not know it any more.` }
  if (line.state === 'restored') return { ...gone, verdict: 'gone', words: 'The service does not know it any more. It had cost nothing.' }
  const advice =
    line.state === 'settled'
      ? "Its result is not in the vault either: restore .spritewright/results from version control or from the checkout that bought it, or look in the service's console. Nothing is bought anew by itself."
      : "Look in the service's console whether it was delivered. Nothing is sent for it by itself."
  return { ...gone, verdict: 'differs', words: `The ledger says ${stateWords(line)}, the service does not know it any more. ${advice}` }
}

const strayWords = 'If the service accepted it after another attempt had begun, npx spritewright build fetches it, for free.'
const replacedWords =
  'Sent from here and never answered; the result has come from another checkout. Nobody can know whether this was charged as well, so it stays counted.'
const unverifiedWords = 'Only records by keys that this machine does not trust tell of it.'
const givenUpWords = 'A person gave it up; its possible cost stays counted.'

/** The service has no list of executions that could be searched. */
function openWords({ id }: LedgerLine): string {
  const decide = `decide: npx spritewright recover ${id} --replay, or --abandon`
  return `Sent and never answered, so there is no execution to read. Until a person decides, its ceiling counts as spent. Run npx spritewright build. If it is still unanswered then, check in the service's console whether it was bought, and ${decide}.`
}

function otherServiceWords({ service }: LedgerLine, { identity }: Session): string {
  const today = `${identity.host} with a ${identity.keyMode} key`
  return `Bought at ${service?.host ?? 'another service'} with a ${service?.keyMode ?? 'different'} key; today's service is ${today}. Verify it with that one.`
}

function bothWords(line: LedgerLine, status: string): string {
  return `The ledger says ${stateWords(line)}, the service says ${status}.`
}

/** Describes a state. Nothing is held for a picture. */
function stateWords({ isPicture, state }: LedgerLine): string {
  if (!isPicture) return state
  return { held: 'due on delivery', settled: 'charged', restored: 'not charged', uncertain: 'uncertain' }[state]
}

function adviceFor(ledger: LedgerState, service: LedgerState): string {
  if (ledger === 'held')
    return service === 'settled'
      ? 'It is delivered: fetch it, for free, with npx spritewright build.'
      : 'It has ended without a result: npx spritewright build records this.'
  if (ledger === 'settled')
    return "Its delivery is in the journal here. Look in the service's console whether it is charged, and ask the service about it."
  return service === 'settled'
    ? 'The service has delivered after all, and may have charged it. Check its console; nothing is fetched automatically.'
    : 'The service works on it again. Check again later with npx spritewright ledger --verify.'
}
