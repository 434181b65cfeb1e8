import { parseCredits } from '../../credit/credits.ts'
import type { JobPorts, Order } from '../order.ts'
import type { JournalView } from '../records/journal.ts'
import type { RecordBodies } from '../records/record.ts'
import type { Stray } from '../records/strays.ts'
import { rescuedError } from './deliver.ts'
import { isEnded } from './follow.ts'
import { compareWithAsset } from './inspect.ts'

type StrayPorts = Pick<JobPorts, 'client' | 'journal' | 'vault' | 'ledger' | 'clock' | 'warn' | 'signal'>

/**
 * The state of a stray. `open`: its execution has not ended. `asking`: its execution waits for an answer that
 * this machine cannot give.
 */
export type StrayFound =
  | { readonly is: 'open' }
  | { readonly is: 'asking'; readonly question: string }
  /** The question was answered elsewhere. The service does not name the new execution. */
  | { readonly is: 'left' }
  | { readonly is: 'failed' }
  | { readonly is: 'stored'; readonly sha256: string }

/**
 * Reads an execution of an attempt that later attempts have replaced. If the execution has finished, the
 * function fetches its result into the vault and appends records of that attempt. No run waits for a stray.
 * The present state of the request, here and in the lock file, does not change. Sends only GET requests;
 * repeatable.
 *
 * @throws `SW_REFUSED` with status 404 if the service no longer knows the execution or its file.
 */
export async function fetchStray(ports: StrayPorts, order: Order, stray: Stray): Promise<StrayFound> {
  const { attempt, executionId } = stray
  const execution = await ports.client.execution(executionId, ports.signal)
  if (execution.question !== null) return { is: 'asking', question: execution.question.text }
  if (execution.status === 'needs_input') return { is: 'left' }
  const asset = execution.assets[0]
  if (!isEnded(execution) || (execution.status === 'completed' && !asset)) return { is: 'open' }
  if (!asset || execution.status !== 'completed') {
    await say(ports, order, stray, 'failed', { attempt, executionId, status: execution.status, error: execution.error })
    await note(ports, order, stray, 'restored')
    return { is: 'failed' }
  }
  const { bytes } = await ports.client.download(asset.downloadUrl, ports.signal)
  const sha256 = await ports.vault.put(bytes)
  // Nothing is recorded, so the next build fetches the result again, into the project.
  if (ports.vault.rescued.length > 0) throw rescuedError(ports, order.request.id)
  for (const warning of compareWithAsset(order.request, asset, bytes)) ports.warn(warning)
  const { downloadUrl, contentType, width, height } = asset
  await say(ports, order, stray, 'completed', { attempt, executionId, downloadUrl, contentType, width, height, review: execution.review })
  await say(ports, order, stray, 'stored', { attempt, executionId, sha256, bytes: bytes.length })
  await note(ports, order, stray, 'settled')
  return { is: 'stored', sha256 }
}

/** Appends a record, unless the chain has it already or the stray has ended in another way. */
async function say<T extends 'completed' | 'failed' | 'stored'>(
  ports: StrayPorts,
  { hash }: Order,
  { executionId }: Stray,
  type: T,
  body: RecordBodies[T],
): Promise<void> {
  const isRecorded = ({ records, submission }: JournalView): boolean =>
    submission.strays?.find((one) => one.executionId === executionId)?.end !== undefined ||
    records.some((record) => record.type === type && record.body.executionId === executionId)
  for (;;) {
    const view = await ports.journal.read(hash)
    if (isRecorded(view) || (await ports.journal.append(hash, view, type, body))) return
  }
}

async function note(
  ports: StrayPorts,
  { hash, request }: Order,
  { attempt, executionId }: Stray,
  type: 'settled' | 'restored',
): Promise<void> {
  const { records } = await ports.journal.read(hash)
  const frozen = records.findLast((record) => record.type === 'frozen' && record.body.attempt === attempt)
  if (frozen?.type !== 'frozen') return
  const move = { id: request.id, hash, attempt, executionId, credits: parseCredits(frozen.body.maxCredits), at: ports.clock.wall() }
  await ports.ledger.ensureAll([
    { ...move, type: 'held' },
    { ...move, type },
  ])
}
