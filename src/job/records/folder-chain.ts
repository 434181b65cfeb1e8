import { dirname, join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { publish, syncNames } from '../../host/publish.ts'
import { type ChainPlaces, type ChainPorts, type ChainView, fileName, isOwn, linkUp, type RecordChains, sealingKey } from './chain.ts'
import { type ChainedRecord, formatRecord, parseRecord, recordSum, sealText } from './file.ts'

/**
 * How often an unreadable last record is read again, and how many milliseconds apart, before it counts as incomplete.
 */
const tornReads = 5
const tornPauseMs = 200

/** Opens the chains of this machine. */
export function createFolderChains<R extends ChainedRecord>(ports: ChainPorts, places: ChainPlaces): RecordChains<R> {
  const { disk, random, clock, keys } = ports
  const { folder, copy } = places
  const known = new Map<string, KnownChain<R>>()
  const knownOf = (name: string): KnownChain<R> => {
    const chain = known.get(name) ?? { records: new Map(), compared: 0, isForeign: false, uncopied: new Set() }
    known.set(name, chain)
    return chain
  }
  let hasWarned = false
  const tryCopy = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!hasWarned)
        places.warn?.(`The journal's second copy in ${copy} could not be written: ${(error as Error).message}. The first one is whole.`)
      hasWarned = true
    }
  }
  const put = (place: string, name: string, n: number, bytes: Uint8Array): Promise<boolean> =>
    publish(disk, random, join(place, name, fileName(n)), bytes)
  /** The record is remembered until it is written, because another append of this process may be running. */
  const putCopy = async (name: string, record: R, bytes: Uint8Array): Promise<boolean> => {
    const { uncopied } = knownOf(name)
    uncopied.add(record)
    const isWritten = await put(copy as string, name, record.n, bytes)
    uncopied.delete(record)
    return isWritten
  }
  const rooted = new Set<string>()
  const makeRooted = async (name: string): Promise<void> => {
    if (rooted.has(name)) return
    if (rooted.size === 0) await syncNames(disk, folder, places.root ?? dirname(folder))
    await disk.syncFolder(folder)
    rooted.add(name)
  }
  const writeLacking = async (name: string, view: ChainView<R>): Promise<void> => {
    for (const { folder: place, record } of view.lacking ?? []) {
      if (place === copy) await tryCopy(() => put(place, name, record.n, formatRecord(record)))
      else await put(place, name, record.n, formatRecord(record))
    }
  }
  const read = async (name: string): Promise<ChainView<R>> => {
    const readAll = (): Promise<FoundChain<R>> => findRecords<R>(disk, places, name, knownOf(name))
    let found = await readAll()
    // Without hard links a record's file is copied, and another process may be copying it at this moment.
    for (let reads = 0; reads < tornReads && isTorn(found); reads++) {
      await clock.sleep(tornPauseMs)
      found = await readAll()
    }
    const key = await keys?.read()
    const { differing } = knownOf(name)
    if (key && differing && !isOwn(differing.record, name, key) && isOwn(differing.copied, name, key)) {
      throw replacedError(join(folder, name), copy ?? '', differing.record.n)
    }
    if (knownOf(name).isForeign) places.warn?.(`The journal's second copy in ${copy} is not of this checkout and is left alone.`)
    const linked = linkUp(found.records, join(folder, name), copy && join(copy, name))
    const own = new Set(key ? linked.records.filter((record) => isOwn(record, name, key)) : [])
    return { ...linked, own, lacking: found.lacking }
  }
  return {
    names: async () => {
      const all = copy === undefined ? await disk.list(folder) : [...(await disk.list(folder)), ...(await disk.list(copy))]
      return [...new Set(all)].sort()
    },
    read,
    peek: read,
    append: async (name, view, type, body) => {
      await writeLacking(name, view)
      const open = { v: 1 as const, n: view.next.n, prev: view.next.prev, type, at: clock.wall(), mono: clock.mono(), body }
      const summed = { ...open, sum: recordSum(open) }
      const key = await sealingKey(keys)
      const record = { ...summed, ...(key ? { seal: key.seal(sealText(name, summed)) } : {}) } as unknown as R
      const bytes = formatRecord(record)
      places.check?.(bytes, join(folder, name, fileName(record.n)))
      if (!(await put(folder, name, record.n, bytes))) return undefined
      await makeRooted(name)
      if (copy !== undefined && !knownOf(name).isForeign) {
        const { uncopied } = knownOf(name)
        // Earlier records that could not be written go first, because a copy without its first records would show
        // only that something was sent.
        for (const earlier of [...uncopied]) await tryCopy(() => putCopy(name, earlier, formatRecord(earlier)))
        await tryCopy(async () => {
          if (await putCopy(name, record, bytes)) return
          const other = await readRecord<R>(disk, join(copy, name), record.n)
          if (other !== undefined && other.sum !== record.sum) knownOf(name).isForeign = true
        })
      }
      const own = key ? new Set([...view.own, record]) : view.own
      return { records: [...view.records, record], next: { n: record.n + 1, prev: record.sum }, own }
    },
  }
}

/**
 * The error for a first copy that somebody else wrote, while the user wrote the second. The user's spending must not
 * be forgotten because of the replacement.
 */
function replacedError(folder: string, copy: string, n: number): SpritewrightError {
  return new SpritewrightError('SW_JOURNAL', {
    message: `The journal in ${folder} has been replaced: record ${n} there is not yours, and the second copy in ${copy} has one that is. Nothing was sent. Delete ${folder}: the next run restores it from the copy.`,
    facts: { folder, record: n },
  })
}

async function listRecords(disk: Disk, folder: string): Promise<readonly number[]> {
  return (await disk.list(folder)).filter((name) => /^\d{4,}\.json$/.test(name)).map((name) => Number.parseInt(name, 10))
}

function readRecord<R extends ChainedRecord>(disk: Disk, folder: string, n: number): Promise<R | undefined> {
  return disk.read(join(folder, fileName(n))).then((bytes) => parseRecord<R>(bytes))
}

/** The part of a chain that this process has read. */
interface KnownChain<R extends ChainedRecord> {
  /** Records never change, so each file is read once. */
  readonly records: Map<number, R>
  /** Number of the last record that is equal in both places; 0 for none. */
  compared: number
  /**
   * Whether the copy belongs to another checkout that had the same path. If so, the copy is ignored, and the records
   * here count.
   */
  isForeign: boolean
  /** The records of the two places under one number, if they differ. */
  differing?: { readonly record: R; readonly copied: R }
  /** Records of this process that the second place did not accept. */
  readonly uncopied: Set<R>
}

/** The records that were found in both places. */
interface FoundChain<R extends ChainedRecord> {
  /** By number; `record` is `undefined` if its file cannot be read. */
  readonly records: readonly { readonly n: number; readonly record: R | undefined }[]
  readonly lacking: readonly { readonly folder: string; readonly record: R }[]
}

function isTorn({ records }: FoundChain<ChainedRecord>): boolean {
  const last = records.at(-1)
  return last !== undefined && last.record === undefined
}

/** Reads both places together: if a record is missing or incomplete in the first, the second may have it. */
async function findRecords<R extends ChainedRecord>(
  disk: Disk,
  places: ChainPlaces,
  name: string,
  known: KnownChain<R>,
): Promise<FoundChain<R>> {
  const { folder } = places
  const own = new Set(await listRecords(disk, join(folder, name)))
  const others = new Set(places.copy === undefined || known.isForeign ? [] : await listRecords(disk, join(places.copy, name)))
  const common = [...own].filter((n) => others.has(n))
  if (places.copy !== undefined) await compare(disk, join(folder, name), join(places.copy, name), common, known)
  const copy = known.isForeign ? undefined : places.copy
  const records: { n: number; record: R | undefined }[] = []
  const lacking: { folder: string; record: R }[] = []
  const readOne = async (place: string, n: number): Promise<R | undefined> =>
    known.records.get(n) ?? readRecord<R>(disk, join(place, name), n)
  for (const n of [...new Set([...own, ...(copy === undefined ? [] : others)])].sort((a, b) => a - b)) {
    let record = own.has(n) ? await readOne(folder, n) : undefined
    if (record !== undefined && copy !== undefined && !others.has(n)) lacking.push({ folder: copy, record })
    if (record === undefined && copy !== undefined && others.has(n)) {
      record = await readOne(copy, n)
      if (record !== undefined && !own.has(n)) lacking.push({ folder, record })
    }
    if (record !== undefined) known.records.set(n, record)
    records.push({ n, record })
  }
  return { records, lacking }
}

/**
 * Checks whether the copy belongs to another checkout. Each record's hash covers all earlier records, so the last
 * record that both places have is enough.
 */
async function compare<R extends ChainedRecord>(
  disk: Disk,
  folder: string,
  copy: string,
  common: readonly number[],
  known: KnownChain<R>,
): Promise<void> {
  for (const n of common.toSorted((a, b) => b - a)) {
    if (n === known.compared) return
    const own = known.records.get(n) ?? (await readRecord<R>(disk, folder, n))
    const other = await readRecord<R>(disk, copy, n)
    if (!own || !other) continue
    known.records.set(n, own)
    known.isForeign = own.sum !== other.sum
    if (known.isForeign) known.differing = { record: own, copied: other }
    known.compared = n
    return
  }
}
