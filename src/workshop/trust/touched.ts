import { approvalText } from '../../credit/approval.ts'
import { challengeFor, counterOf, type TouchAnswer, type TouchChallenge, verifyTouch } from '../../credit/touch.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Order } from '../../job/order.ts'
import type { Context } from '../../project/context.ts'
import type { ApprovedOrder } from '../../project/orders.ts'
import { type ApprovedTerms, openSigner, record, timeAfter, timesOf } from './approvals.ts'

/**
 * Gives approvals by one touch. All terms are fixed before the person is asked, and the touch is verified before
 * anything is recorded.
 *
 * @throws `SW_APPROVAL` if no authenticator is enrolled, or none of the enrolled ones was touched for exactly these
 *   approvals; `SW_CHANGED` if another process has decided about one meanwhile. Then no new approval is in the lock file; an older one of these requests may have ended.
 */
export async function giveTouched(
  context: Context,
  wanted: readonly { readonly order: Order; readonly terms: ApprovedTerms }[],
  touch: ((challenge: TouchChallenge) => Promise<TouchAnswer>) | undefined,
): Promise<readonly ApprovedOrder[]> {
  const { journal, touchKeys, host } = context
  const keys = await touchKeys.list()
  if (keys.length === 0 || !touch) throw touchError('an enrolled authenticator, found none. The panel shows how to enrol one')
  const sign = await openSigner(context, 'touched')
  const drafts = await Promise.all(
    wanted.map(async ({ order, terms }) => {
      const times = timesOf(await journal.read(order.hash), order.approval?.at)
      return sign(order, terms, timeAfter(host.clock.wall(), times))
    }),
  )
  const texts = drafts.map(({ hash, identity, approval }) => approvalText(hash, identity, approval))
  const { challenge, proofs } = challengeFor(texts)
  const { assertion, origin } = await touch({ challenge, credentials: keys.map(({ credential }) => credential) })
  const known = await touchKeys.list()
  const touches = proofs.map((proof) => ({ ...assertion, proof }))
  const verdicts = touches.map((one, at) => verifyTouch(one, { text: texts[at] ?? '' }, known, origin))
  if (verdicts.includes('unenrolled')) throw touchError('a touch of an enrolled authenticator, found one of another')
  if (verdicts.includes('forged')) throw touchError('a touch for exactly these approvals, found another answer. Approve again')
  const newest =
    drafts
      .map(({ approval }) => approval.at)
      .sort()
      .at(-1) ?? ''
  await touchKeys.see(assertion.credential, counterOf(assertion), newest)
  for (const { hash, approval, request } of drafts) {
    if (await record(context, hash, 'approved', [], () => true, approval.at)) continue
    throw new SpritewrightError('SW_CHANGED', {
      message: `Expected that nobody decides about "${request.id}" before your touch, found a newer decision. Nothing was approved. Check it, and approve again.`,
      facts: { id: request.id },
    })
  }
  return drafts.map((draft, at) => ({ ...draft, approval: { ...draft.approval, touch: touches[at] } }))
}

function touchError(words: string): SpritewrightError {
  return new SpritewrightError('SW_APPROVAL', { message: `Expected ${words}. Nothing was approved.` })
}
