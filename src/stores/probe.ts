import type { Host } from '../host/host.ts'
import { isEqual, readSettled } from './exchange.ts'
import { unsafeStore } from './failures.ts'
import type { RecordStore, StoredFile } from './record-store.ts'

/**
 * Wraps a store, so that it is probed before its first write in this process. A machine that only reads needs no
 * right to write. The probe leaves a small file below `probe/`, because nothing is ever removed from a store of
 * records.
 *
 * The store's calls throw `SW_STORE_UNSAFE` if the store ignores or refuses the condition.
 */
export function probedRecords(store: RecordStore, ports: Pick<Host, 'clock' | 'random'>): RecordStore {
  let isProbed: Promise<void> | undefined
  return {
    ...store,
    putIfAbsent: async (name, bytes) => {
      isProbed ??= probeRecords(store, ports)
      await isProbed.catch((error: unknown) => {
        // An unreachable store may be reachable at the next call.
        isProbed = undefined
        throw error
      })
      return store.putIfAbsent(name, bytes)
    },
  }
}

/**
 * Writes a random name twice. The first write must succeed, the second write, with other bytes, must find the name
 * taken, and a read must return the first bytes, after some seconds at the latest.
 *
 * @throws `SW_STORE_UNSAFE` if the store behaves differently; `SW_STORE` if it cannot be reached.
 */
export async function probeRecords(store: RecordStore, { clock, random }: Pick<Host, 'clock' | 'random'>): Promise<void> {
  const name = `probe/${random.uuid()}`
  const [first, second] = ['first', 'second'].map((word) => new TextEncoder().encode(`${word} ${random.uuid()}\n`)) as [
    Uint8Array,
    Uint8Array,
  ]
  const answers = [await store.putIfAbsent(name, first), await store.putIfAbsent(name, second)]
  if (answers.join() !== 'mine,taken')
    throw unsafeStore(store.address, `"${answers.join('" and "')}" for two writes of the name ${name}`, { name, answers })
  const isFirst = (found: StoredFile | undefined): boolean => found !== undefined && isEqual(found.bytes, first)
  const found = await readSettled(
    clock,
    () => store.get(name),
    (one) => !isFirst(one),
  )
  if (!isFirst(found))
    throw unsafeStore(store.address, `${found ? 'other bytes' : 'nothing'} under the name ${name} after two writes`, { name })
}
