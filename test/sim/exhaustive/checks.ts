import type { Order } from '../../../src/job/order.ts'
import { BrokenInvariant, checkEnd, checkKept, checkQuiet, type OracleExecution } from '../invariants.ts'
import { type ProcessEnd, SimulatedProcess } from './process.ts'
import { type Checkout, isResultPath, resultSha256 } from './project.ts'
import type { PlayedWorld } from './world.ts'

/**
 * Checks the promises at the end of a process that nothing killed.
 *
 * @returns How it ended.
 */
export function checkRun(process: SimulatedProcess, played: PlayedWorld, end: ProcessEnd): string {
  const now = process.clock.now
  played.checkMoney(now)
  const words = end.kind === 'done' ? checkEnd(undefined) : checkEnd(end.code, end.message)
  const executions = played.oracle(now)
  // Another machine may not know what the first has in flight. It must not buy, and it cannot do more.
  const isBarred = played.isElsewhere && end.kind === 'error' && end.code === 'SW_BUYER'
  const isAsked = words === 'needs decision' || isBarred
  checkKept(
    executions,
    () => hasResult(process),
    ({ id }) => names(process, id) || played.isNamedElsewhere(id),
    () => isAsked,
  )
  const isPaid = executions.some(({ money }) => money === 'held' || money === 'settled')
  if (isBarred && isPaid && executions.some(({ id }) => names(process, id)))
    throw new BrokenInvariant('I4', 'another machine stops before an execution that its lock file names')
  if (words === 'failed' && isPaid) throw new BrokenInvariant('I4', 'a run ended as failed, and an execution of it is paid')
  if (words === 'done') checkDone(process, executions, end)
  return words
}

function checkDone(process: SimulatedProcess, executions: readonly OracleExecution[], end: ProcessEnd): void {
  const isRight = end.kind === 'done' && end.purchase.sha256 === resultSha256
  const isSafe = hasResult(process) || executions.some(({ id, isCompleted }) => isCompleted && names(process, id))
  if (!isRight || !isSafe) throw new BrokenInvariant('I4', 'a run was done, and what it bought would not survive a power loss')
  if (!executions.some(({ money }) => money === 'settled')) throw new BrokenInvariant('I9', 'a run was done, and nothing was bought')
}

/** I10: the next build finds the result and makes no request. */
export async function checkQuietAfter(done: SimulatedProcess, played: PlayedWorld, order: Order, checkout: Checkout): Promise<void> {
  const requests: string[] = []
  const again = new SimulatedProcess(done.outside(done.disk.image()), 4, {
    request: (_process, { method, url }) => {
      requests.push(`${method} ${url}`)
      throw new Error('Nothing is to be asked for.')
    },
    onChange: () => {},
  })
  const end = await again.run(order, checkout)
  checkQuiet(requests)
  checkRun(again, played, end)
}

/** Whether the whole result would survive a power loss now. */
function hasResult({ disk }: SimulatedProcess): boolean {
  for (const { path, content } of disk.survivingFiles()) if (isResultPath(path) && content.bytes.length > 0) return true
  return false
}

/** Whether a file that would survive a power loss names the execution. */
function names({ disk }: SimulatedProcess, id: string): boolean {
  for (const { content } of disk.survivingFiles()) if (content.text.includes(id)) return true
  return false
}
