import { isAbsolute } from 'node:path'
import type { Host } from '../host/host.ts'
import type { BlobStore } from './blob-store.ts'
import { addressError } from './failures.ts'
import { openFolderRecords } from './folder.ts'
import { probedRecords } from './probe.ts'
import type { RecordStore } from './record-store.ts'
import { openS3Blobs, openS3Records } from './s3.ts'
import { parseS3Address, type S3Address } from './s3-client.ts'

/** Ports of the shared stores. */
export type StorePorts = Pick<Host, 'clock' | 'disk' | 'env' | 'net' | 'random'>

/** Where a shared store is. A folder is absolute. */
export type StoreAddress = S3Address | { readonly kind: 'folder'; readonly folder: string }

/**
 * Parses the address of a shared store.
 *
 * @param text `s3://bucket/prefix`, or an absolute folder.
 * @throws `SW_CONFIG` for any other text. It is not repeated, because it may have a password in it.
 */
export function parseStoreAddress(text: string): StoreAddress {
  if (text.startsWith('s3:')) return parseS3Address(text)
  if (isAbsolute(text)) return { kind: 'folder', folder: text }
  throw addressError('s3://bucket/prefix or an absolute folder', 'something else')
}

/**
 * Opens a store of records. Nothing is sent before its first call. It is probed before its first write.
 *
 * @throws `SW_CONFIG` if the store cannot keep records, or lacks credentials.
 */
export function openRecordStore(ports: StorePorts, address: StoreAddress): RecordStore {
  const store = address.kind === 's3' ? openS3Records(ports, ports.env, address) : openFolderRecords(ports, address.folder)
  return probedRecords(store, ports.random)
}

/**
 * Opens a store of results. A folder of results is a part of the vault.
 *
 * @throws `SW_CONFIG` if the store cannot keep results, or lacks credentials.
 */
export function openBlobStore(ports: StorePorts, address: S3Address): BlobStore {
  return openS3Blobs(ports, ports.env, address)
}
