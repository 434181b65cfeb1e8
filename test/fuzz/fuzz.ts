import JSZip from 'jszip'
import { PNG } from 'pngjs'
import { type ArchiveEntry, AtlasError, type Bitmap, decodePng, readArchive } from '../../atlas/index.ts'
import { createChance, damage } from './chance.ts'
import { pngCase } from './png-case.ts'
import { zipCase } from './zip-case.ts'

/** A tested reader. */
export type FuzzedReader = 'zip' | 'png'

/** The results of fuzzing. */
export interface FuzzTotals {
  cases: number
  accepted: number
  /** Accepted cases that another reader reads too, with the same content. */
  agreed: number
  /** How often each rule refused. */
  readonly rules: Map<string, number>
}

export function noFuzz(): FuzzTotals {
  return { cases: 0, accepted: 0, agreed: 0, rules: new Map() }
}

/** A case in which a reader broke a promise. */
export class FuzzFailure extends Error {
  readonly bytes: Uint8Array

  constructor(message: string, bytes: Uint8Array, cause?: unknown) {
    super(message, { cause })
    this.bytes = bytes
  }
}

/** Most CPU time that a strict reader may take for one case, in milliseconds. */
const patienceMs = 2_000

/**
 * Tests one case: built from the seed, or a known file with a little damage. A reader must read it with the
 * same content as another reader, or refuse it by the name of a rule.
 *
 * @param known Files to start from.
 * @default none
 * @param cpuMs CPU time of this process so far, in milliseconds.
 * @throws {FuzzFailure}
 */
export async function fuzzOnce(
  reader: FuzzedReader,
  seed: number,
  totals: FuzzTotals,
  cpuMs: () => number,
  known: readonly Uint8Array[] = [],
): Promise<void> {
  const chance = createChance(seed)
  let bytes: Uint8Array
  if (known.length > 0 && chance.is(0.4)) {
    bytes = chance.pick(known)
    for (let times = 1 + chance.under(3); times > 0; times--) bytes = damage(chance, bytes)
  } else bytes = reader === 'zip' ? zipCase(chance) : pngCase(chance)
  totals.cases++
  const fail = (message: string, cause?: unknown): never => {
    throw new FuzzFailure(`${reader}, seed ${seed}: ${message}`, bytes, cause)
  }
  const started = cpuMs()
  let read: readonly ArchiveEntry[] | Bitmap
  try {
    read = reader === 'zip' ? readArchive(bytes) : decodePng(bytes, { maxPixels: 2 ** 22 })
  } catch (error) {
    const rule = error instanceof AtlasError ? error.facts.rule : undefined
    if (typeof rule !== 'string') return fail(`expected a refusal with the name of a rule, found ${String(error)}`, error)
    totals.rules.set(rule, (totals.rules.get(rule) ?? 0) + 1)
    return
  } finally {
    if (cpuMs() - started > patienceMs) fail(`expected at most ${patienceMs} ms of work, found ${Math.round(cpuMs() - started)}`)
  }
  totals.accepted++
  const difference = 'data' in read ? differsFromPngjs(bytes, read) : await differsFromJszip(bytes, read)
  if (difference === undefined) totals.agreed++
  else if (difference !== 'unread') fail(difference)
}

/**
 * Compares an accepted archive with another reader's content. Returns `unread` if the other reader cannot
 * read it completely, and `undefined` if the content is the same.
 */
export async function differsFromJszip(bytes: Uint8Array, entries: readonly ArchiveEntry[]): Promise<string | undefined> {
  const zip = await JSZip.loadAsync(bytes).catch(() => undefined)
  if (!zip) return 'unread'
  // It trusts the DOS bit for a folder although Unix says that the entry is a file, and then reads no
  // content.
  if (entries.some(({ name }) => zip.files[`${name}/`]?.dir)) return 'unread'
  const theirs = Object.values(zip.files).filter((file) => !(file.unsafeOriginalName ?? file.name).endsWith('/'))
  if (theirs.length !== entries.length) return `expected ${entries.length} entries, another reader finds ${theirs.length}`
  for (const { name, bytes: content } of entries) {
    const other = theirs.find((file) => file.unsafeOriginalName === name || file.name === name)
    if (!other) return `expected the entry ${JSON.stringify(name)}, another reader finds none`
    if (Buffer.compare(await other.async('uint8array'), content) !== 0)
      return `expected the same content of ${JSON.stringify(name)} from another reader`
  }
  return undefined
}

function differsFromPngjs(bytes: Uint8Array, bitmap: Bitmap): string | undefined {
  const isDeep = bytes[24] === 16
  let theirs: PNG
  try {
    theirs = PNG.sync.read(Buffer.from(bytes), isDeep ? { skipRescale: true } : {})
  } catch {
    return 'unread'
  }
  if (theirs.width !== bitmap.width || theirs.height !== bitmap.height)
    return `expected ${bitmap.width} × ${bitmap.height} pixels, another reader finds ${theirs.width} × ${theirs.height}`
  for (let at = 0; at < bitmap.data.length; at++) {
    const value = isDeep ? (theirs.data as unknown as Uint16Array)[at]! >> 8 : theirs.data[at]!
    // Colour under alpha 0 is never visible, and the other reader drops some of it.
    if (bitmap.data[at | 3] !== 0 && value !== bitmap.data[at])
      return `expected byte ${at} of the pixels to be ${bitmap.data[at]}, another reader finds ${value}`
    if ((at & 3) === 3 && value !== bitmap.data[at])
      return `expected alpha ${bitmap.data[at]} at pixel ${at >> 2}, another reader finds ${value}`
  }
  return undefined
}
