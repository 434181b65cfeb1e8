import { waysOfGiving } from '../credit/approval.ts'
import { isCreditsText } from '../credit/credits.ts'
import { isFields } from '../spec/plain-json.ts'
import type { LockFile } from './lockfile.ts'

/**
 * Reads the text of a lock file that is plainly in order, without the schema, which takes longer to load than a hundred entries to read.
 *
 * What it takes, `parseLockFile` reads as the very same, fields in the same order. What it does not take, that one explains.
 */
export function readPlainLock(text: string): LockFile | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const lock = readFile(json)
  return lock === refused || findSharedExecution(lock as LockFile) !== undefined ? undefined : (lock as LockFile)
}

/** Answers what it is given, objects as copies, or that it does not take it. */
type Reader = (value: unknown) => unknown
const refused: unique symbol = Symbol('refused')
type Readers = Readonly<Record<string, Reader>>

const that =
  (isRight: (value: unknown) => boolean): Reader =>
  (value) =>
    isRight(value) ? value : refused

/** No other fields than these; JSON has none that is undefined. */
function object(required: Readers, optional: Readers = {}): Reader {
  const must = Object.entries(required)
  const may = Object.entries(optional)
  return (value) => {
    if (!isFields(value)) return refused
    const copy: Record<string, unknown> = {}
    let count = 0
    for (const [name, read] of must) {
      if (!Object.hasOwn(value, name)) return refused
      copy[name] = read(value[name])
      if (copy[name] === refused) return refused
      count += 1
    }
    for (const [name, read] of may) {
      if (!Object.hasOwn(value, name)) continue
      copy[name] = read(value[name])
      if (copy[name] === refused) return refused
      count += 1
    }
    return count === Object.keys(value).length ? copy : refused
  }
}

/** Fields of any name, but of none that means more than itself. */
function record(read: Reader, isName: (name: string) => boolean = () => true): Reader {
  return (value) => {
    if (!isFields(value)) return refused
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      if (name === '__proto__' || !isName(name)) return refused
      copy[name] = read(value[name])
      if (copy[name] === refused) return refused
    }
    return copy
  }
}

const anything: Reader = (value) => value
const text = that((value) => typeof value === 'string')
const filled = that((value) => typeof value === 'string' && value !== '')
const whole = that((value) => Number.isSafeInteger(value))
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const count = that(isCount)
const ordinal = that((value) => isCount(value) && value !== 0)
const isHash = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const hash = that(isHash)
const credits = that((value) => typeof value === 'string' && isCreditsText(value))
const indices = that((value) => Array.isArray(value) && value.every(isCount))

const review = object({
  frameCount: that((value) => value === null || Number.isSafeInteger(value)),
  background: that((value) => value === null || typeof value === 'string'),
  keptBackgroundFrames: indices,
  inspectionFrames: indices,
  sourceShiftedFrames: indices,
})
const entry = object(
  {
    service: object({ host: filled, keyMode: that((value) => value === 'test' || value === 'live'), apiVersion: text }),
    asked: object(
      { prompt: text },
      {
        reference: hash,
        operation: text,
        frames: whole,
        background: that((value) => value === 'remove' || value === 'keep'),
        options: record(anything),
        take: ordinal,
      },
    ),
  },
  {
    approval: object(
      { ceiling: credits, priceVersion: text, buyer: filled, at: text },
      { given: that((value) => waysOfGiving.some((way) => way === value)), checkout: text, publicKey: text, signature: text },
    ),
    submission: object(
      { attempt: ordinal, key: text, body: text, bodySha256: hash, maxCredits: credits },
      { referenceId: text, publicKey: text, signature: text },
    ),
    execution: object({ id: filled, conversation: that((value) => value === null || typeof value === 'string') }),
    result: object({ sha256: hash, bytes: count }, { review }),
  },
)
const requests = record(entry, isHash)
const readFile = object({ version: that((value) => value === 1), animations: record(requests) }, { steps: requests })

/** Says which two requests name the same execution, which makes one: one of them would be given what the other paid for. Undefined where none do. */
export function findSharedExecution(lock: LockFile): string | undefined {
  const owners = new Map<string, { readonly hash: string; readonly id: string }>()
  for (const [id, requests] of [...Object.entries(lock.animations), ['a step', lock.steps ?? {}] as const]) {
    for (const [hash, { execution }] of Object.entries(requests)) {
      const other = execution && owners.get(execution.id)
      if (other && other.hash !== hash) return `${other.id} and ${id} name the same execution (${execution.id}) for different requests`
      if (execution) owners.set(execution.id, { hash, id })
    }
  }
  return undefined
}
