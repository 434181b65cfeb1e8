import { isAbsolute } from 'node:path'
import type { Host } from '../host/host.ts'
import type { BlobStore } from './blob-store.ts'
import { addressError } from './failures.ts'
import { openFolderRecords } from './folder.ts'
import { type HttpCacheAddress, openHttpCache, parseHttpCacheAddress } from './http-cache.ts'
import { openPostgresRecords, type PostgresPorts } from './postgres.ts'
import { type PostgresAddress, parsePostgresAddress } from './postgres-address.ts'
import { probedRecords } from './probe.ts'
import type { RecordStore } from './record-store.ts'
import { openS3Blobs, openS3Records } from './s3.ts'
import { parseS3Address, type S3Address } from './s3-client.ts'

/** Ports of the shared stores. */
export type StorePorts = PostgresPorts & Pick<Host, 'net'>

/** The place of a shared store. The path of a folder is absolute. */
export type StoreAddress = S3Address | PostgresAddress | HttpCacheAddress | { readonly kind: 'folder'; readonly folder: string }

/** The addresses that a store of records can have, in words. */
const recordForms = 's3://bucket/prefix, postgres://host/database or an absolute folder'
const blobForms = 's3://bucket/prefix, https://host/path or an absolute folder'

/**
 * Parses the address of a shared store.
 *
 * @param text `s3://bucket/prefix`, `postgres://host:port/database`, `https://host/path`, or an absolute folder.
 * @throws `SW_CONFIG` for any other text. The message does not repeat the text, which may contain a password.
 */
export function parseStoreAddress(text: string): StoreAddress {
  if (text.startsWith('s3:')) return parseS3Address(text)
  if (/^postgres(?:ql)?:/.test(text)) return parsePostgresAddress(text)
  if (/^https?:/.test(text)) return parseHttpCacheAddress(text)
  if (isAbsolute(text)) return { kind: 'folder', folder: text }
  throw addressError('s3://bucket/prefix, postgres://host/database, https://host/path or an absolute folder', 'something else')
}

/**
 * Opens a store of records. Nothing is sent before its first call. The store is probed before its first write.
 *
 * @param root Folder of the project, in which optional packages are searched.
 * @throws `SW_CONFIG` if the store cannot keep records, or if credentials are missing; `SW_UNTRUSTED_HOST` for a
 * database that the environment does not trust.
 */
export function openRecordStore(ports: StorePorts, address: StoreAddress, root: string): RecordStore {
  return probedRecords(openRecords(ports, address, root), ports)
}

function openRecords(ports: StorePorts, address: StoreAddress, root: string): RecordStore {
  if (address.kind === 's3') return openS3Records(ports, ports.env, address)
  if (address.kind === 'postgres') return openPostgresRecords(ports, address, root)
  if (address.kind === 'folder') return openFolderRecords(ports, address.folder)
  throw addressError(`${recordForms} for the journal`, 'an HTTP cache, where nothing can be written only if its name is free')
}

/**
 * Opens a store of results. The vault itself handles folders of results.
 *
 * @throws `SW_CONFIG` if the store cannot keep results, or if credentials are missing.
 */
export function openBlobStore(ports: StorePorts, address: StoreAddress): BlobStore {
  if (address.kind === 's3') return openS3Blobs(ports, ports.env, address)
  if (address.kind === 'http-cache') return openHttpCache(ports, address)
  const found = address.kind === 'postgres' ? 'a database, which is for the journal' : 'a folder'
  throw addressError(`${blobForms} for results`, found)
}
