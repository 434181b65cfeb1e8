import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'
import type { ReferenceFile } from '../service/client.ts'
import { type PictureHeader, sniffPicture } from '../sprite-spec/picture.ts'
import type { PaidRequest } from '../sprite-spec/request.ts'
import { mostUpscaledPx } from '../sprite-spec/spec.ts'
import { isGone } from './delivery/deliver.ts'
import type { JobPorts, Order, Purchase } from './order.ts'

/** A picture that is ready to be uploaded. */
export interface UploadPicture {
  readonly sha256: string
  readonly file: ReferenceFile
}

/**
 * Reads the source picture of an order. If an earlier step makes the picture, `purchase` buys that step first.
 * A step is bought once, even if several orders of this run need it. Returns `undefined` for an order without a
 * picture.
 *
 * If it throws, nothing of this order was sent.
 *
 * @throws The error with which the earlier step ended.
 * @throws `SW_DELIVERY` if the result of that step is not a picture that can be read.
 */
export async function readReferencePicture(
  ports: JobPorts,
  order: Order,
  purchase: (ports: JobPorts, order: Order) => Promise<Purchase>,
): Promise<UploadPicture | undefined> {
  const { reference } = order
  if (!reference) return undefined
  return reference.kind === 'file' ? reference : readStep(ports, reference.order, purchase)
}

/** Purchases an order. If this run is already purchasing the order, returns the same purchase. */
export function purchaseOnce(
  ports: JobPorts,
  order: Order,
  purchase: (ports: JobPorts, order: Order) => Promise<Purchase>,
): Promise<Purchase> {
  const other = ports.underWay.get(order.hash)
  if (other) return other
  const run = purchase(ports, order)
  ports.underWay.set(order.hash, run)
  return run
}

async function readStep(
  ports: JobPorts,
  step: Order,
  purchase: (ports: JobPorts, order: Order) => Promise<Purchase>,
): Promise<UploadPicture> {
  const bought = await purchaseOnce(ports, step, purchase)
  if (bought.fault) throw unreadable(step.request, bought.sha256, `${bought.fault.why} ${bought.fault.again}`)
  const bytes = await ports.vault.read(bought.sha256)
  if (!bytes) {
    throw new SpritewrightError('SW_VAULT', {
      message: `The picture of "${step.request.id}" was damaged and has been set aside. Run the command again: it is fetched again, for free.`,
      facts: { id: step.request.id },
    })
  }
  await checkOrigin(ports, step, bought.sha256)
  const header = readPictureHeader(step.request, bytes)
  return { sha256: sha256(bytes), file: { bytes, contentType: header.contentType } }
}

/**
 * Checks the picture of a step against the service, if somebody else may have written the step's records.
 * Such records do not prove which picture the step made, and the next submission costs money. So the picture of
 * the step's execution is read from the service.
 *
 * @throws `SW_JOURNAL` if the service has another picture, or no longer has one.
 */
async function checkOrigin(ports: JobPorts, step: Order, recorded: string): Promise<void> {
  const { isForeign, accepted } = (await ports.journal.read(step.hash)).submission
  if (!isForeign) return
  const made = accepted && (await readMade(ports, accepted.executionId))
  if (made === recorded) return
  const { id } = step.request
  throw new SpritewrightError('SW_JOURNAL', {
    message: `Expected the picture of "${id}" from records that your own runs wrote, or from its execution at the service; found records without your seal, and the service does not give that picture. Nothing that builds on it was sent. Check the picture. If it is right, save it as a file and let the reference name that file.`,
    facts: { id, result: recorded },
  })
}

/**
 * SHA-256 of the result that the service delivers now for an execution. Returns `undefined` if the service
 * delivers none.
 */
async function readMade({ client, signal }: JobPorts, executionId: string): Promise<string | undefined> {
  try {
    const [asset] = (await client.execution(executionId, signal)).assets
    return asset && sha256((await client.download(asset.downloadUrl, signal)).bytes)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/**
 * Reads the header of a step's result.
 *
 * @throws `SW_DELIVERY` if the result is not a PNG. It stays in the vault.
 */
export function readPictureHeader(request: PaidRequest, bytes: Uint8Array): PictureHeader {
  const sniffed = sniffPicture(bytes)
  if ('header' in sniffed && sniffed.header.contentType === 'image/png') return sniffed.header
  throw unreadable(request, sha256(bytes), 'found' in sniffed ? sniffed.found : sniffed.header.contentType)
}

function unreadable({ id, operation }: PaidRequest, result: string, found: string): SpritewrightError {
  return new SpritewrightError('SW_DELIVERY', {
    message: `Expected "${id}" (${operation}) to give a PNG picture, found ${found.replace(/\.$/, '')}. It is kept as ${result}; nothing that builds on it was sent.`,
    facts: { id, result },
  })
}

/**
 * Checks the size of a picture for `upscale` (clause C33), before anything is uploaded.
 *
 * @throws `SW_REFERENCE` if the picture is too large.
 */
export function checkUpscale(order: Order, bytes: Uint8Array): void {
  if (order.request.operation !== 'upscale') return
  const sniffed = sniffPicture(bytes)
  const longest = 'header' in sniffed ? Math.max(sniffed.header.width, sniffed.header.height) : 0
  if (longest <= mostUpscaledPx) return
  throw new SpritewrightError('SW_REFERENCE', {
    message: `"${order.request.id}" would upscale a picture of ${longest} pixels; the service takes at most ${mostUpscaledPx} on the longest side. Nothing was sent. Take the step out of the chain.`,
    facts: { id: order.request.id, found: longest, limit: mostUpscaledPx },
  })
}
