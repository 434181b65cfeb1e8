import type { Host } from '../host/host.ts'
import type { BlobStore } from '../stores/blob-store.ts'
import { openBlobStore, openRecordStore, parseStoreAddress } from '../stores/open.ts'
import type { Patience } from '../stores/patience.ts'
import type { RecordStore } from '../stores/record-store.ts'

/**
 * Opens the store of a shared journal at its first use. So a build that buys nothing needs no credentials.
 *
 * @param address `store.journal` of the options.
 * @param root Folder of the project, absolute. The client of the store may be one of its packages.
 * @param patience Repeats calls that may succeed later.
 */
export function openSharedJournal(host: Host, address: string, root: string, patience: Patience): RecordStore {
  const patiently = patience.of(address)
  let opened: RecordStore | undefined
  const open = (): RecordStore => {
    opened ??= openRecordStore(host, parseStoreAddress(address), root)
    return opened
  }
  return {
    address,
    putIfAbsent: (name, bytes) => patiently(async () => open().putIfAbsent(name, bytes)),
    get: (name) => patiently(async () => open().get(name)),
    close: async () => opened?.close(),
  }
}

/**
 * Opens the place of shared results at its first use. So a build whose results are all here needs no credentials.
 *
 * @param address `store.shared` of the options.
 * @param patience Repeats calls that may succeed later.
 * @returns The path itself for a folder, because the vault works on folders directly.
 * @throws `SW_CONFIG` at once if the address is not valid.
 */
export function openSharedResults(host: Host, address: string, patience: Patience): BlobStore | string {
  if (!address.includes('://')) return address
  const where = parseStoreAddress(address)
  const patiently = patience.of(address)
  let opened: BlobStore | undefined
  const open = (): BlobStore => {
    opened ??= openBlobStore(host, where)
    return opened
  }
  return {
    address,
    get: (sha256) => patiently(async () => open().get(sha256)),
    has: (sha256) => patiently(async () => open().has(sha256)),
    put: (sha256, bytes) => patiently(async () => open().put(sha256, bytes)),
    remove: (sha256) => patiently(async () => open().remove(sha256)),
    list: () => patiently(async () => open().list()),
  }
}
