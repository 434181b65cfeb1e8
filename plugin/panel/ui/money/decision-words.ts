import type { ActionRequest } from '../../../protocol/actions.ts'
import type { PanelPaid, PanelStep, PanelUndecided } from '../../../protocol/protocol.ts'
import { creditsWords } from '../state/words.ts'

/** The decisions that a person can make about an unknown outcome. */
export type Decision = 'replay' | 'abandon'

/** A decision, and its meaning. */
export interface DecisionWords {
  /** Label of the button. */
  readonly name: string
  /** Question that confirms the decision. */
  readonly title: string
  readonly words: string
}

/** The open case, and its possible decisions. Without `replay` there is nothing to send again. */
export interface OpenWords {
  readonly title: string
  readonly words: string
  readonly replay?: DecisionWords
  readonly abandon: DecisionWords
}

/** Makes a decision about exactly the shown purchase. */
export function toRecover({ id, hash = '', attempt = 1, undecided, executionId }: PanelPaid, decision: Decision): ActionRequest<'recover'> {
  const about = undecided ?? 'submission'
  const isNamed = (about === 'execution' || about === 'answer') && executionId !== undefined
  return { id, hash, attempt, about, decision, ...(isNamed ? { executionId } : {}) }
}

const anew = 'To buy it, approve it again.'

/** The words for a decision about a request. Returns `undefined` if the request waits for none. */
export function openWords({ id, undecided, ceiling }: Pick<PanelPaid, 'id' | 'undecided' | 'ceiling'>): OpenWords | undefined {
  const most = ceiling === undefined ? 'its ceiling' : creditsWords(ceiling)
  return undecided && table[undecided](id, most)
}

/** The words before an approval is taken back, with all approvals that go with it. */
export function revokeWords(id: string, steps: readonly PanelStep[]): DecisionWords {
  // Steps of its own, and those of the reference that all of the sprite share.
  const [sprite] = id.split('.')
  const isNeeded = (step: string): boolean => step.startsWith(`${id}#`) || step.startsWith(`${sprite}#`)
  const needed = steps.filter((step) => step.canBeRevoked && step.ids.some(isNeeded))
  const names = needed.map((step) => step.id).join(', ')
  const too = names && ` This also takes back its steps ${names}: nothing else that needs them is bought.`
  return {
    name: 'Take back',
    title: `Take the approval of ${id} back?`,
    words: `Nothing more is bought for ${id}, neither for its present prompt nor for an earlier one.${too} A request that was sent already continues.`,
  }
}

const table: Readonly<Record<PanelUndecided, (id: string, most: string) => OpenWords>> = {
  submission: (id, most) => ({
    title: 'It is unknown whether this was bought',
    words: `It was sent and never answered. Until this is decided, ${most} count as spent and nothing more is sent.`,
    replay: {
      name: 'Send it again',
      title: `Send ${id} again?`,
      words: `The same bytes go out under the same key. If it was bought and the service knows the key, you get what was bought. If the service has forgotten the key, you pay a second time, at most ${most}.`,
    },
    abandon: {
      name: 'Give it up',
      title: `Give ${id} up?`,
      words: `Nothing more is sent for it. A charge, if there was one, stays, its result is not fetched, and ${most} go on counting as spent. ${anew}`,
    },
  }),
  answer: (id) => ({
    title: 'It is unknown whether the answer arrived',
    words: 'It was sent and never confirmed. Until this is decided nothing more is sent.',
    replay: { name: 'Send it again', title: `Send the answer for ${id} again?`, words: 'The same words go out under the same key.' },
    abandon: {
      name: 'Take it back',
      title: `Take the answer for ${id} back?`,
      words: 'It is not sent again, and you can give another answer. If it did arrive, the service continues with it anyway.',
    },
  }),
  conflict: (id, most) => ({
    title: 'The service knows this key with other bytes',
    words: 'Another checkout has sent its own. Pull sprites.lock* from there; decide here only if there is no such checkout.',
    replay: {
      name: 'Send it again',
      title: `Send ${id} again?`,
      words: `Our bytes are sent once more under the same key. If the service accepts them now, you pay at most ${most}.`,
    },
    abandon: {
      name: 'Give it up',
      title: `Give ${id} up?`,
      words: `Nothing more is sent under this key, and ${most} go on counting as spent, because the request of the other checkout may be charged. ${anew}`,
    },
  }),
  execution: (id, most) => ({
    title: 'The service has lost this',
    words: 'The service had accepted it, and does not know it any more. Check that this is the service and the account that bought it.',
    abandon: {
      name: 'Give it up',
      title: `Give ${id} up?`,
      words: `It is not asked for any more. A charge, if there was one, stays, and ${most} go on counting as spent. ${anew}`,
    },
  }),
}
