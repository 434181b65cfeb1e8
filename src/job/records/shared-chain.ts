import { join } from 'node:path'
import { type Approvers, isTrustedKey } from '../../credit/approval.ts'
import { isSignatureOf, type SigningKey } from '../../credit/signing-key.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import { publish } from '../../host/publish.ts'
import { readSettled } from '../../stores/exchange.ts'
import type { RecordStore, StoredFile } from '../../stores/record-store.ts'
import { type ChainPlaces, type ChainPorts, fileName, isOwn, linkUp, type RecordChains, type SharedJournal, sealingKey } from './chain.ts'
import { type ChainedRecord, formatRecord, parseRecord, recordSum, sealText, signedText } from './file.ts'
import { createFolderChains } from './folder-chain.ts'

/** A record, with the time of its writing by this machine's clocks. */
interface AgedRecord<R> {
  readonly record: R
  readonly at: number
  readonly mono: number
}

/** Longest chain that is read completely from the store. Of a longer chain, only the end is read there. */
const shortChain = 16

/**
 * Opens chains that several machines share. The store counts. The folder has a copy, which `peek` reads.
 *
 * A record is returned with `at` and `mono` of this machine's clocks: now, minus its age by the store's clock.
 * So no decision compares the clocks of two machines.
 */
export function createSharedChains<R extends ChainedRecord>(
  ports: ChainPorts,
  places: ChainPlaces,
  { store, approvers }: SharedJournal,
): RecordChains<R> {
  const { disk, random, clock, keys } = ports
  const { folder, check } = places
  const copy = createFolderChains<R>(ports, { ...places, shared: undefined })
  const known = new Map<string, readonly AgedRecord<R>[]>()
  const nameOf = (name: string, n: number): string => `${name}/${fileName(n)}`
  /** @param isKnown Whether the store must have the record, although it may show it some seconds late. */
  const get = async (name: string, n: number, isKnown = false): Promise<AgedRecord<R> | undefined> => {
    const file = await readSettled(
      clock,
      () => store.get(nameOf(name, n)),
      (found) => (found ? !parseRecord<R>(found.bytes) : isKnown),
    )
    if (!file) return undefined
    const record = parseRecord<R>(file.bytes)
    // A store writes a file whole or not at all, so this is no torn write.
    if (!record) throw lostError(store, nameOf(name, n), 'a record that cannot be read')
    return { record, ...writtenAt(file, clock) }
  }
  /** Reads up to the first number without a record, because no listing of a store is trusted. */
  const readStore = async (name: string, copied: readonly R[]): Promise<readonly AgedRecord<R>[]> => {
    const before = known.get(name)
    const found = [...(before ?? (await readEnd(name, copied)))]
    // Records with a nonce were in the store once.
    const lastKnown = copied.findLast(({ nonce }) => nonce !== undefined)?.n ?? 0
    // Several records of a new chain are read at a time, since each read is a round trip.
    for (let atOnce = before ? 1 : 4; ; atOnce = Math.min(2 * atOnce, 32)) {
      const next = await Promise.all(
        Array.from({ length: atOnce }, (_, index) => found.length + 1 + index).map((n) => get(name, n, n <= lastKnown)),
      )
      const end = next.indexOf(undefined)
      found.push(...(next.slice(0, end < 0 ? atOnce : end) as AgedRecord<R>[]))
      if (end < 0) continue
      if (!next.slice(end).some((one) => one !== undefined)) break
      // A record follows a missing one. Other machines wrote both between these reads, or the store has lost one.
      const missing = found.length + 1
      if (!(await get(name, missing, true))) throw lostError(store, nameOf(name, missing), 'nothing')
    }
    known.set(name, found)
    return found
  }
  /** The hash of the last record covers all earlier records, so only the last record is read again. */
  const readEnd = async (name: string, copied: readonly R[]): Promise<readonly AgedRecord<R>[]> => {
    const last = copied.at(-1)
    const same = last && copied.length > shortChain ? await get(name, last.n) : undefined
    if (!same || same.record.sum !== last?.sum) return []
    return [...copied.slice(0, -1).map((record) => ({ record, at: record.at, mono: record.mono })), same]
  }
  /** Number of the last record that the copy has, by chain. */
  const kept = new Map<string, number>()
  /** Writes the copy, in order. If that fails, only reading without a network is affected. */
  const keep = async (name: string, records: readonly R[]): Promise<void> => {
    try {
      for (const record of records) {
        if (record.n !== (kept.get(name) ?? 0) + 1) continue
        await publish(disk, random, join(folder, name, fileName(record.n)), formatRecord(record))
        kept.set(name, record.n)
      }
    } catch {
      // The next read tries again.
    }
  }
  return {
    names: () => copy.names(),
    peek: (name) => copy.peek(name),
    read: async (name) => {
      const copied = (await copy.read(name)).records
      const aged = await readStore(name, copied)
      checkCopy(store, join(folder, name), name, copied, aged)
      const stored = aged.map(({ record }) => record)
      kept.set(name, copied.length)
      await keep(name, stored)
      // These records are from before the journal was shared. The next append writes them to the store first.
      const lacking = copied.slice(stored.length)
      const all = [...stored, ...lacking]
      const found = all.map((record) => ({ n: record.n, record }))
      const { next } = linkUp(found, `${store.address}/${name}`)
      const isTrusted = toTrust(name, await keys?.read(), await approvers())
      const records = all.map((record, index) => (aged[index] ? toAged(record, aged[index]) : record))
      const own = new Set(records.filter((_record, index) => isTrusted(all[index] as R)))
      return { records, next, own, lacking: lacking.map((record) => ({ folder: store.address, record })) }
    },
    append: async (name, view, type, body) => {
      const planted = view.lacking?.find(({ record }) => !view.own.has(record))
      if (planted) throw strangeError(store, join(folder, name), planted.record.n)
      for (const { record } of view.lacking ?? [])
        if ((await store.putIfAbsent(nameOf(name, record.n), formatRecord(record))) === 'taken') return undefined
      const open = { v: 1 as const, n: view.next.n, prev: view.next.prev, type, at: clock.wall(), mono: clock.mono(), body }
      const written = { ...open, sum: recordSum(open), nonce: random.uuid() }
      const record = { ...written, ...sealed(name, written, await sealingKey(keys)) } as unknown as R
      const bytes = formatRecord(record)
      check?.(bytes, `${store.address}/${nameOf(name, record.n)}`)
      if ((await store.putIfAbsent(nameOf(name, record.n), bytes)) === 'taken') {
        // The caller reads again at once, and shall find the record that was first.
        await get(name, record.n, true)
        return undefined
      }
      const back = await get(name, record.n, true)
      if (back?.record.sum !== record.sum || back.record.nonce !== record.nonce)
        throw lostError(store, nameOf(name, record.n), back ? 'another record' : 'nothing')
      await keep(name, [record])
      const before = known.get(name)
      if (before?.length === record.n - 1) known.set(name, [...before, back])
      const aged = toAged(record, back)
      const own = record.signed ? new Set([...view.own, aged]) : view.own
      return { records: [...view.records, aged], next: { n: record.n + 1, prev: record.sum }, own }
    },
  }
}

/** The record, with times by this machine's clocks. */
function toAged<R extends ChainedRecord>(record: R, { at, mono }: Omit<AgedRecord<R>, 'record'>): R {
  return { ...record, at, mono, writtenAt: record.at }
}

/** When a file was written, by this machine's clocks. */
function writtenAt({ ageMs }: StoredFile, clock: Clock): { readonly at: number; readonly mono: number } {
  return { at: clock.wall() - ageMs, mono: clock.mono() - ageMs }
}

/** The seal of a record, for this user's machines, and its signature, for people who trust the user. */
function sealed(chain: string, record: Unsigned, key: SigningKey | undefined): Pick<ChainedRecord, 'seal' | 'signed'> {
  if (!key) return {}
  const signed = { publicKey: key.publicKey, signature: key.sign(signedText(chain, record)) }
  return { seal: key.seal(sealText(chain, record)), signed }
}

type Unsigned = Pick<ChainedRecord, 'sum' | 'nonce'>

/** Returns a function that decides which records of a chain count like the user's own. */
export function toTrust(chain: string, key: SigningKey | undefined, approvers: Approvers): (record: ChainedRecord) => boolean {
  return (record) =>
    (key !== undefined && isOwn(record, chain, key)) ||
    (record.signed !== undefined &&
      isTrustedKey(record.signed.publicKey, approvers) &&
      isSignatureOf(record.signed, signedText(chain, record)))
}

/**
 * Compares the copy with the store. A record with a nonce was in the store once.
 *
 * @throws `SW_JOURNAL` if the store has lost it, or has another history.
 */
function checkCopy(
  store: RecordStore,
  folder: string,
  name: string,
  copied: readonly ChainedRecord[],
  aged: readonly AgedRecord<ChainedRecord>[],
): void {
  for (const [index, record] of copied.entries()) {
    const place = `${name}/${fileName(record.n)}`
    const stored = aged[index]?.record
    if (stored === undefined && record.nonce !== undefined) throw lostError(store, place, 'nothing')
    if (stored === undefined || stored.sum === record.sum) continue
    if (record.nonce !== undefined) throw lostError(store, place, 'another record than this machine has')
    throw new SpritewrightError('SW_JOURNAL', {
      message: `Expected the records in ${folder}, from before the journal was shared, to begin the ones in ${store.address}, found that another machine has begun others. Nothing was sent for this request. Look at npx spritewright ledger, make sure that nothing of it is in flight, and move the folder away.`,
      facts: { store: store.address, folder, record: place },
    })
  }
}

/**
 * The error for a record in the project's folder that anybody may have written. Such a record is not copied into the
 * shared store, where it would stop the whole team. It stops only this request on this machine.
 */
function strangeError(store: RecordStore, folder: string, n: number): SpritewrightError {
  return new SpritewrightError('SW_JOURNAL', {
    message: `Expected the records in ${folder}, from before the journal was shared, to be written with your key, found that record ${n} is not. They are not carried into ${store.address}, and nothing was sent for this request. If they are not yours, move the folder away.`,
    facts: { store: store.address, folder, record: n },
  })
}

/** The error for a store that has lost a record. It may have lost more, so nothing is sent. */
function lostError(store: RecordStore, name: string, found: string): SpritewrightError {
  return new SpritewrightError('SW_JOURNAL', {
    message: `Expected ${store.address} to keep the record ${name} of the shared journal, found ${found}. Nothing was sent. Restore the store from a backup. If another team wrote into it, give each project a prefix of its own in store.journal.`,
    facts: { store: store.address, record: name },
  })
}
