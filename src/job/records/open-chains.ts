import type { ChainPlaces, ChainPorts, RecordChains } from './chain.ts'
import type { ChainedRecord } from './file.ts'
import { createFolderChains } from './folder-chain.ts'
import { createSharedChains } from './shared-chain.ts'

/** Opens the chains of a shared journal if there is one, and otherwise the chains of this machine. */
export function createRecordChains<R extends ChainedRecord>(ports: ChainPorts, places: ChainPlaces): RecordChains<R> {
  return places.shared ? createSharedChains(ports, places, places.shared) : createFolderChains(ports, places)
}
