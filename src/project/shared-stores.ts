import type { Host } from '../host/host.ts'
import { openRecordStore, parseStoreAddress } from '../stores/open.ts'
import type { RecordStore } from '../stores/record-store.ts'

/**
 * Opens the store of a shared journal at its first use. So a build that buys nothing needs no credentials.
 *
 * @param address `store.journal` of the options.
 * @param root Of the project, absolute. Its own packages may hold a client of the store.
 */
export function openSharedJournal(host: Host, address: string, root: string): RecordStore {
  let opened: RecordStore | undefined
  const open = (): RecordStore => {
    opened ??= openRecordStore(host, parseStoreAddress(address), root)
    return opened
  }
  return {
    address,
    putIfAbsent: async (name, bytes) => open().putIfAbsent(name, bytes),
    get: async (name) => open().get(name),
    close: async () => opened?.close(),
  }
}
