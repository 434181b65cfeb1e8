import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseHttpCacheAddress } from '../../src/stores/http-cache.ts'
import { openBlobStore, openRecordStore, parseStoreAddress } from '../../src/stores/open.ts'
import { parsePostgresAddress } from '../../src/stores/postgres-address.ts'
import { parseS3Address } from '../../src/stores/s3-client.ts'
import { scriptedNet } from '../kit/scripted-net.ts'
import { quickPorts } from './quick-ports.ts'

test.each([
  ['s3://studio', { kind: 's3', bucket: 'studio', prefix: '' }],
  ['s3://studio/games/knights/', { kind: 's3', bucket: 'studio', prefix: 'games/knights' }],
  ['postgres://db.studio.test/records', { kind: 'postgres', host: 'db.studio.test', database: 'records' }],
  ['postgresql://DB:6432/records', { kind: 'postgres', host: 'db', port: 6432, database: 'records' }],
  ['postgres://[::1]/records', { kind: 'postgres', host: '[::1]', database: 'records' }],
  ['https://cache.studio.test/sprites/', { kind: 'http-cache', base: 'https://cache.studio.test/sprites' }],
  ['http://127.0.0.1:8080', { kind: 'http-cache', base: 'http://127.0.0.1:8080' }],
  ['/mnt/studio/journal', { kind: 'folder', folder: '/mnt/studio/journal' }],
])('%s is %o', (text, address) => {
  expect(parseStoreAddress(text)).toEqual(address)
})

test.each([
  ['', 's3://bucket/prefix'],
  ['journal', 'an absolute folder'],
  ['ftp://secret@host/x', 'https://host/path'],
  ['s3://', 's3://bucket/prefix'],
  ['s3://Studio/x', 's3://bucket/prefix'],
  ['s3://studio/../x', 's3://bucket/prefix'],
  ['s3://studio//x', 's3://bucket/prefix'],
  ['s3://key:secret@studio/x', 's3://bucket/prefix'],
  ['s3://studio/x?endpoint=https://secret.test', 's3://bucket/prefix'],
  ['postgres://anna:secret@db/records', 'PGPASSWORD'],
  ['postgres://secret@db/records', 'PGUSER'],
  ['postgres://db', 'postgres://host/database'],
  ['postgres:///records', 'postgres://host/database'],
  ['postgres://db/records?host=secret.test', 'postgres://host/database'],
  ['http://cache.studio.test/secret', 'http only on this machine'],
  ['https://anna:secret@cache.test/', 'no user name'],
  ['https://cache.test/?secret', 'query'],
])('%j is SW_CONFIG with what was expected (%s), and is not repeated', (text, expected) => {
  const parse = (): unknown => parseStoreAddress(text)
  expect(parse).toThrow(expect.objectContaining({ code: 'SW_CONFIG', message: expect.stringContaining(expected) }))
  expect(parse).not.toThrow(/secret/)
})

test('an HTTP cache keeps no records, and a database no results', () => {
  const refusal = (words: string) => expect.objectContaining({ code: 'SW_CONFIG', message: expect.stringContaining(words) })
  expect(() => openRecordStore(quickPorts(), parseHttpCacheAddress('https://cache.test'), '/games')).toThrow(refusal('for the journal'))
  expect(() => openBlobStore(quickPorts(), parsePostgresAddress('postgres://localhost/a'))).toThrow(refusal('for results'))
})

test('an opened store of records is probed before its first write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spritewright-stores-'))
  const store = openRecordStore(quickPorts(), parseStoreAddress(folder), folder)
  expect(await store.putIfAbsent('a/1', new Uint8Array([1]))).toBe('mine')
  expect((await store.get('a/1'))?.bytes).toEqual(new Uint8Array([1]))
  expect(readdirSync(folder)).toEqual(['a', 'probe'])
  rmSync(folder, { recursive: true })
})

test.each([openRecordStore, openBlobStore])('without credentials, S3 is SW_CONFIG when it is opened: %o', (open) => {
  expect(() => open(quickPorts(), parseS3Address('s3://studio'), '/games')).toThrow(
    expect.objectContaining({ code: 'SW_CONFIG', facts: { store: 's3://studio', variable: 'AWS_ACCESS_KEY_ID' } }),
  )
})

test('results are read from and written to an HTTP cache, one path for each, and 404 is none', async () => {
  const hash = 'a'.repeat(64)
  const kept = new Map<string, Uint8Array>()
  const net = scriptedNet(({ method, url, body }) => {
    if (method === 'PUT' && body) kept.set(url, body)
    const found = kept.get(url)
    return found ? { status: 200, body: found } : { status: 404 }
  })
  const store = openBlobStore({ ...quickPorts(), net }, parseHttpCacheAddress('https://cache.test/sprites'))
  expect([await store.has(hash), await store.get(hash)]).toEqual([false, undefined])
  await store.put(hash, new Uint8Array([1, 2]))
  expect([await store.has(hash), await store.get(hash)]).toEqual([true, new Uint8Array([1, 2])])
  expect([...kept.keys()]).toEqual([expect.stringMatching(/^https:\/\/cache\.test\/sprites\/.*a{64}$/)])
})
