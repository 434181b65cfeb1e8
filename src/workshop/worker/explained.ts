import type { ApprovalVerdict } from '../../credit/approval.ts'
import { approverWords } from '../../credit/approval-words.ts'
import { hasCode, SpritewrightError } from '../../errors.ts'
import { commandName } from '../../job/order.ts'

/** On a client, some errors of a worker would mislead: approvers, options, disk and API key are those of the worker. */
export function explained(error: unknown): unknown {
  const { syscall, message } = error as { syscall?: unknown; message?: unknown }
  if (typeof syscall === 'string') {
    return new SpritewrightError('SW_DISK', {
      message: `The disk of the worker failed: ${String(message)}. Make room there, or make the folder writable, and build again.`,
      cause: error,
    })
  }
  if (hasCode(error, 'SW_MISSING')) {
    return new SpritewrightError('SW_MISSING', {
      message: `The worker must not buy: build.generate is "never" in its clone, or it runs in CI without SPRITEWRIGHT_APPROVERS. Nothing was sent. Change that where it runs, start it again, and build again.`,
      facts: error.facts,
    })
  }
  if (hasCode(error, 'SW_CONFIG')) {
    return new SpritewrightError('SW_CONFIG', {
      message: `The worker cannot go on. On its machine: ${error.message}`,
      facts: error.facts,
      cause: error,
    })
  }
  if (hasCode(error, 'SW_BUYER')) return notTheirsError(error)
  if (error instanceof SpritewrightError && /npx spritewright (?:recover|answer) /.test(error.message)) {
    return new SpritewrightError(error.code, {
      message: `${error.message} Do that in the clone of the worker, after git pull there: only its API key and its SPRITEWRIGHT_APPROVERS show what was sent.`,
      facts: error.facts,
      cause: error,
    })
  }
  return error
}

function notTheirsError(error: SpritewrightError): SpritewrightError {
  const { ids, verdict, buyer } = error.facts as {
    readonly ids: readonly string[]
    readonly verdict: Exclude<ApprovalVerdict, 'valid'>
    readonly buyer: string
  }
  const cures: { readonly [one in typeof verdict]?: string } = {
    other:
      'If that key may approve, name it in SPRITEWRIGHT_APPROVERS where the worker runs, and start the worker again; settings.json of its user counts without that. Then build again. Else somebody',
    unenrolled:
      'If that authenticator is one of a person who may approve, name its key in SPRITEWRIGHT_TOUCH_KEYS where the worker runs, start the worker again, and build again. Else somebody',
    given: 'approval.accept or SPRITEWRIGHT_APPROVALS of the worker does not allow the way in which it was given. Somebody',
  }
  const why = verdict === 'other' ? `by ${buyer}` : approverWords({ buyer, given: undefined }, verdict)
  const names = [...new Set(ids.map(commandName))].join(' ')
  return new SpritewrightError('SW_BUYER', {
    message: `The worker does not buy ${ids.map((id) => `"${id}"`).join(', ')}, approved ${why}. Nothing was sent. ${cures[verdict] ?? 'Somebody'} whom the worker knows approves it: npx spritewright approve ${names} --adopt. Then commit sprites.lock*, push, and build.`,
    facts: error.facts,
    cause: error,
  })
}
