import type { Caller } from '../accounts/accounts.ts'
import { invalid, Refusal } from '../http/http.ts'
import type { ExecutionRecord } from '../store/records.ts'
import { isOver } from './executions.ts'
import type { Ground } from './ground.ts'
import type { Jobs } from './jobs.ts'

type ConversationsGround = Pick<Ground, 'executions'> & { readonly jobs: Jobs }

/**
 * Cancels an image execution that is queued, running or waiting for an answer. Nothing is charged. An ended
 * execution stays as it is; its status shows that.
 *
 * @throws {Refusal} `invalid_request` for a sprite, which customers cannot cancel; `conflict` if an answer
 *   has started another execution; else as `Executions.owned`.
 */
export function cancelExecution({ executions, jobs }: ConversationsGround, caller: Caller, id: string): ExecutionRecord {
  const execution = executions.owned(caller, id)
  if (execution.request.operation === 'sprite_sheet') throw invalid('operation', 'an image operation: a sprite cannot be cancelled')
  if (execution.followedBy !== null)
    throw new Refusal('conflict', 'This execution was answered; the one that goes on can be cancelled.', { field: 'execution_id' })
  if (isOver(execution)) return execution
  const cancelled = executions.advance(id, { status: 'cancelled', money: 'none' }, [{ kind: 'done', message: 'Cancelled.' }])
  jobs.drop(id)
  return cancelled
}

/**
 * Deletes a conversation: clients can no longer reach its executions, questions and files. Running images are
 * cancelled, the hold of a waiting sprite is released, and settled charges stay.
 *
 * @throws {Refusal} `conflict` while a sprite is queued or runs, because customers cannot cancel it; else as
 *   `Executions.ofConversation`.
 */
export function deleteConversation({ executions, jobs }: ConversationsGround, caller: Caller, conversationId: string): void {
  const conversation = executions.ofConversation(caller, conversationId)
  const isBusy = ({ request, status }: ExecutionRecord): boolean =>
    request.operation === 'sprite_sheet' && (status === 'queued' || status === 'running')
  if (conversation.some(isBusy))
    throw new Refusal('conflict', 'A sprite of this conversation is being made. Wait for its end.', { field: 'conversation_id' })
  for (const execution of conversation) {
    const money = { none: 'none', due: 'none', held: 'restored', settled: 'settled', restored: 'restored', moved: 'moved' } as const
    const gone = { isDeleted: true, money: money[execution.money], request: { ...execution.request, prompt: '' }, answers: [] }
    if (isOver(execution)) executions.advance(execution.id, gone, [])
    else executions.advance(execution.id, { ...gone, status: 'cancelled' }, [{ kind: 'done', message: 'Deleted.' }])
    jobs.drop(execution.id)
  }
}
