import { type Approval, type ApprovalVerdict, isLapsed, judgeApproval, type NewestApproval } from '../credit/approval.ts'
import { approverWords } from '../credit/approval-words.ts'
import { hasCode, SpritewrightError } from '../errors.ts'
import { clauseOf } from '../service/reasons.ts'
import type { PublicError, SubmissionOutcome } from '../service/wire.ts'
import type { StopReason, UncertainBecause } from './decision.ts'
import { commandName, type JobPorts, type Order } from './order.ts'
import { isTurnedAway } from './records/submission.ts'

/**
 * Checks the right to buy: the run may buy, and the user's own key, or a key that the user trusts, signed an
 * approval that has neither ended nor been taken back.
 *
 * If it throws, nothing was sent.
 *
 * @param newest The newest approval that the journal remembers.
 * @param sent The approval under which the same bytes were sent before. If `sent` is given, the run needs
 * only the right to replay. If today's approval is missing or not valid, a valid `sent` counts instead.
 * @throws `SW_MISSING`, `SW_APPROVAL`, `SW_BUYER`.
 */
export function authorise(
  ports: Pick<JobPorts, 'mayBuy' | 'approvers' | 'clock'> & Partial<Pick<JobPorts, 'mayReplay'>>,
  order: Order,
  newest: NewestApproval | undefined,
  sent?: Approval | undefined,
): Approval {
  const { id } = order.request
  const name = commandName(id)
  if (!ports.mayBuy && !(sent && ports.mayReplay)) throw notNowError(id)
  const verdictOn = (one: Approval, life: Parameters<typeof judgeApproval>[4]): ApprovalVerdict =>
    judgeApproval(one, order.hash, order.identity, ports.approvers, life)
  const life = { now: ports.clock.wall(), newest }
  const isCovered = order.approval !== undefined && verdictOn(order.approval, life) === 'valid'
  // The record of `sent` is in this journal, so the checkout's name, which may have changed, is not compared.
  const isSentValid = sent !== undefined && verdictOn(sent, 'used') === 'valid'
  if (sent && isSentValid && !isCovered) return sent
  const { approval } = order
  if (!approval) {
    throw new SpritewrightError('SW_APPROVAL', {
      message: `"${id}" has no approval. See the price: npx spritewright plan. Approve it: npx spritewright approve ${name}`,
      facts: { id },
    })
  }
  const verdict = verdictOn(approval, life)
  if (verdict === 'valid') return approval
  if (isLapsed(approval, verdict, ports.approvers)) {
    throw new SpritewrightError('SW_APPROVAL', {
      message: `"${id}" was approved ${approverWords(approval, verdict)}. Nothing was sent. See the price: npx spritewright plan. Approve it again: npx spritewright approve ${name}`,
      facts: { id, verdict },
    })
  }
  throw notYoursError([id], approval, verdict, name)
}

const ends: Readonly<Record<Exclude<ApprovalVerdict, 'valid'>, string>> = {
  unsigned: ', so its author is unknown',
  forged: '',
  unenrolled: ' (npx spritewright trust --touch KEY enrols it, SPRITEWRIGHT_TOUCH_KEYS names it)',
  elsewhere: ', or with a journal that is gone',
  replaced: '',
  revoked: '',
  expired: '',
  project: '',
  given: ', in a way that approval.accept or SPRITEWRIGHT_APPROVALS does not allow here',
  other: ', not by you',
}

/**
 * The error for approvals that do not count here.
 *
 * @param ids The requests of the approvals.
 * @param names Names for the command that takes the approvals over.
 */
export function notYoursError(
  ids: readonly string[],
  approval: Pick<Approval, 'buyer' | 'given' | 'expires' | 'project'>,
  verdict: Exclude<ApprovalVerdict, 'valid'>,
  names: string,
): SpritewrightError {
  const { project } = approval
  const howToName =
    verdict !== 'project'
      ? ''
      : project === undefined
        ? ' It names no project, because an earlier version gave it: approve it again where it was approved.'
        : ` If this is its project (npx spritewright doctor shows the id where it was approved), set SPRITEWRIGHT_PROJECT=${project} in the environment of this machine, once.`
  const words = `approved ${approverWords(approval, verdict)}${ends[verdict]}`
  return new SpritewrightError('SW_BUYER', {
    message: `${ids.map((id) => `"${id}"`).join(', ')}: ${words}. Nothing was sent.${howToName} Build where it was approved and commit sprites.lock*. Or look at the price and take the purchase over, after making sure that it was not bought there: npx spritewright approve ${names} --adopt`,
    facts: { ids, verdict, buyer: approval.buyer, ...(project === undefined ? {} : { project }) },
  })
}

/**
 * The error for a run that must not submit anything, not even again: the service may never have received the
 * first POST.
 */
export function notNowError(id: string): SpritewrightError {
  return new SpritewrightError('SW_MISSING', {
    message: `"${id}" is not bought, and this run must not submit anything (--frozen, CI, or build.generate "never"). Build where buying is allowed, and commit sprites.lock* and the results.`,
    facts: { id },
  })
}

/** Evidence for a person's decision. */
export interface Evidence {
  /** Available credits before the first POST and now, decimal texts. */
  readonly before?: string | undefined
  readonly now?: string
  /** Whether an answer to a question is uncertain, not a purchase. */
  readonly isAnswer?: boolean
}

/** The error for a purchase that cannot continue without a person. */
export function stopError(ports: Pick<JobPorts, 'windowMs'>, order: Order, why: StopReason, evidence: Evidence = {}): SpritewrightError {
  const id = order.request.id
  switch (why.kind) {
    case 'refused':
      return refusedError(id, why.status, why.error)
    case 'failed':
      return new SpritewrightError('SW_FAILED', {
        message: `${endedWords(id, why)} ${againWords(id, why)}`,
        facts: { id, status: why.status, reason: why.error?.reason, retryable: why.error?.retryable, requestId: why.error?.requestId },
      })
    case 'conflict':
      return new SpritewrightError('SW_CONFLICT', {
        message: `The service knows the submission of "${id}" with other bytes: another checkout has sent its own. Nothing was bought here and nothing more is sent. Pull sprites.lock* from the machine that bought it, then build again. If there is no such machine: npx spritewright recover ${id} --replay asks once more, --abandon gives this attempt up.`,
        facts: { id, hash: order.hash },
      })
    case 'abandoned':
      return new SpritewrightError('SW_APPROVAL', {
        message: `"${id}" was given up with npx spritewright recover. Nothing is sent. To buy it after all, approve it again: npx spritewright approve ${commandName(id)}`,
        facts: { id, hash: order.hash },
      })
    case 'uncertain':
      return uncertainError(order, why, ports.windowMs, evidence)
  }
}

/** Adds to an error of the network that the watched execution continues at the service. */
export function goesOnError({ id, operation }: Order['request'], executionId: string, error: unknown): unknown {
  if (!hasCode(error, 'SW_UNREACHABLE')) return error
  const held = operation === 'sprite_sheet' ? ', its credits stay held' : ''
  return new SpritewrightError(error.code, {
    message: `${error.message} "${id}" goes on at the service as execution ${executionId}${held}, and nothing is lost: the next run follows it.`,
    facts: { ...error.facts, id, execution: executionId },
    cause: error,
  })
}

function againWords(id: string, why: StopReason & { kind: 'failed' }): string {
  if (isTurnedAway(why)) return 'Run the same command again when other jobs of this account have ended: the approval stays.'
  return `To try again, approve it again: npx spritewright approve ${commandName(id)}`
}

function endedWords(id: string, { status, error }: StopReason & { kind: 'failed' }): string {
  if (status === 'cancelled' && !error) return `The execution of "${id}" was cancelled. It is not charged.`
  const reason = error ? `${clauseOf(error)} (${error.reason})` : 'the service gives no reason'
  return `The execution of "${id}" ${status === 'cancelled' ? 'was cancelled' : 'failed'}: ${reason}. Its hold is restored.`
}

function uncertainError(order: Order, why: StopReason & { kind: 'uncertain' }, windowMs: number, evidence: Evidence): SpritewrightError {
  const { id } = order.request
  const facts = { id, hash: order.hash, since: why.since, because: why.because, balanceBefore: evidence.before, balanceNow: evidence.now }
  if (evidence.isAnswer) {
    return new SpritewrightError('SW_UNCERTAIN', {
      message: `Whether the answer to "${id}" arrived is unknown: ${uncertainWords(why.because, windowMs)} Nothing more is sent for it. Decide: npx spritewright recover ${id} --replay sends the same answer again, --abandon takes it back, so that another one can be given.`,
      facts,
    })
  }
  if (why.because === 'records') {
    return new SpritewrightError('SW_UNCERTAIN', {
      message: `Whether "${id}" was bought is unknown: ${uncertainWords('records', windowMs)} Nothing is sent because of them. If a worker or a colleague wrote them, name that key in SPRITEWRIGHT_APPROVERS: npx spritewright doctor shows it there. Records do not belong into version control. Otherwise give up the purchase that they describe: npx spritewright recover ${id} --abandon (a charge, if there was one, stays), then approve it again.`,
      facts,
    })
  }
  const balances =
    evidence.before === undefined || evidence.now === undefined
      ? ''
      : ` The balance was ${evidence.before} credits before, now it is ${evidence.now} (whatever else was bought with the account is in it too).`
  return new SpritewrightError('SW_UNCERTAIN', {
    message: `Whether "${id}" was bought is unknown: ${uncertainWords(why.because, windowMs)} Its whole ceiling counts as spent, and nothing more is sent for it.${balances} Decide: npx spritewright recover ${id} --replay sends the same bytes under the same key (the result, if it was bought; a second charge, if it was and the service has forgotten the key), --abandon gives it up (a charge, if there was one, stays).`,
    facts,
  })
}

/**
 * Ends a run whose POST was accepted with an answer that cannot be read. Another POST would get the same answer.
 *
 * @throws `SW_WIRE`
 */
export function checkRead(id: string, outcome: SubmissionOutcome | undefined): void {
  if (outcome?.kind !== 'unknown' || outcome.isUnread !== true) return
  throw new SpritewrightError('SW_WIRE', {
    message: `The service accepted "${id}" (status ${outcome.status}), and its answer cannot be read: ${outcome.message} Nothing more is sent in this run, and the answer is kept in the journal. Correct service.profile soon and run the command again: it sends the same bytes under the same key, so it is paid once.`,
    facts: { id, status: outcome.status, isUnread: true },
  })
}

/** The error for a POST that was refused and started nothing. */
export function refusedError(id: string, status: number, error: PublicError): SpritewrightError {
  const facts = { id, status, reason: error.reason, retryable: error.retryable, requestId: error.requestId, details: error.details }
  if (status === 401) {
    return new SpritewrightError('SW_KEY_REFUSED', {
      message: `The service refused the API key: ${clauseOf(error)}. Check SPRITEWRIGHT_API_KEY; nothing was bought.`,
      facts,
    })
  }
  if (error.details?.field === 'max_credits') {
    return new SpritewrightError('SW_CEILING', {
      message: `"${id}" costs more than the price it was submitted at${typeof error.details.current_credits === 'string' ? `: ${error.details.current_credits} credits now` : ''}. Nothing was bought. Check the new price and approve it: npx spritewright approve ${commandName(id)}`,
      facts,
    })
  }
  if (error.details?.field === 'reference_asset_id') {
    return new SpritewrightError('SW_REFUSED', {
      message: `The service refused the uploaded picture of "${id}": ${clauseOf(error)}. Nothing was bought. Approve it again, which uploads the picture anew: npx spritewright approve ${commandName(id)}`,
      facts,
    })
  }
  if (status === 429) {
    return new SpritewrightError('SW_REFUSED', {
      message: `The service's rate limit kept turning "${id}" away. Nothing was bought. Wait a minute and run the command again.`,
      facts,
    })
  }
  return new SpritewrightError(error.reason === 'feature_unavailable' ? 'SW_CAPABILITY' : 'SW_REFUSED', {
    message: `The service refused "${id}" (${error.reason}): ${clauseOf(error)}. Nothing was bought. Mend what it names, then approve it again: npx spritewright approve ${commandName(id)}`,
    facts,
  })
}

function uncertainWords(because: UncertainBecause, windowMs: number): string {
  const age = windowMs < 60_000 ? `${windowMs / 1000} seconds` : `${Math.round(windowMs / 6_000) / 10} minutes`
  switch (because) {
    case 'window':
      return `a submission was sent and never answered, more than ${age} ago, so that repeating it might buy it twice.`
    case 'clock':
      return 'a submission was sent and never answered, and the clock has gone back since, so its age is unknown.'
    case 'key':
      return 'a submission was sent under another API key and never answered.'
    case 'refused':
      return 'a submission was sent and never answered, and its repetition was refused, which proves nothing about the first.'
    case 'records':
      return 'its journal holds records that were not written with your key, nor with one that SPRITEWRIGHT_APPROVERS names: by an earlier version, under another user, or by somebody else.'
  }
}

/** The error for an answer that the service refused. Its question is still open. */
export function refusedAnswerError(id: string, status: number, error: PublicError): SpritewrightError {
  if (status === 401) return refusedError(id, status, error)
  return new SpritewrightError(error.reason === 'feature_unavailable' ? 'SW_CAPABILITY' : 'SW_REFUSED', {
    message: `The service refused the answer for "${id}" (${error.reason}): ${clauseOf(error)}. Its question is still open, and nothing was charged. Mend what it names, then answer again: npx spritewright answer ${commandName(id)} "…"`,
    facts: { id, status, reason: error.reason, retryable: error.retryable, requestId: error.requestId, details: error.details },
  })
}
