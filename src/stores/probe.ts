import type { Random } from '../host/random.ts'
import { isEqual } from './exchange.ts'
import { unsafeStore } from './failures.ts'
import type { RecordStore } from './record-store.ts'

/**
 * Wraps a store, so that it is probed before its first write in this process. A machine that only reads needs no
 * right to write. The probe leaves a small file below `probe/`, because nothing is ever removed from a store of
 * records.
 *
 * The store's calls throw `SW_STORE_UNSAFE` if the store ignores or refuses the condition.
 */
export function probedRecords(store: RecordStore, random: Random): RecordStore {
  let isProbed: Promise<void> | undefined
  return {
    ...store,
    putIfAbsent: async (name, bytes) => {
      isProbed ??= probeRecords(store, random)
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
 * taken, and a read must return the first bytes.
 *
 * @throws `SW_STORE_UNSAFE` if the store behaves differently; `SW_STORE` if it cannot be reached.
 */
export async function probeRecords(store: RecordStore, random: Random): Promise<void> {
  const name = `probe/${random.uuid()}`
  const [first, second] = ['first', 'second'].map((word) => new TextEncoder().encode(`${word} ${random.uuid()}\n`)) as [
    Uint8Array,
    Uint8Array,
  ]
  const answers = [await store.putIfAbsent(name, first), await store.putIfAbsent(name, second)]
  if (answers.join() !== 'mine,taken')
    throw unsafeStore(store.address, `"${answers.join('" and "')}" for two writes of the name ${name}`, { name, answers })
  const found = await store.get(name)
  if (found === undefined || !isEqual(found.bytes, first))
    throw unsafeStore(store.address, `${found ? 'other bytes' : 'nothing'} under the name ${name} after two writes`, { name })
}
