import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBlobStore, openRecordStore, parseStoreAddress } from '../../src/stores/open.ts'
import { parseS3Address } from '../../src/stores/s3-client.ts'
import { quickPorts } from './quick-ports.ts'

test.each([
  ['s3://studio', { kind: 's3', bucket: 'studio', prefix: '' }],
  ['s3://studio/games/knights/', { kind: 's3', bucket: 'studio', prefix: 'games/knights' }],
  ['/mnt/studio/journal', { kind: 'folder', folder: '/mnt/studio/journal' }],
])('%s is %o', (text, address) => {
  expect(parseStoreAddress(text)).toEqual(address)
})

test.each([
  '',
  'journal',
  's3://',
  's3://Studio/x',
  's3://studio/../x',
  's3://studio//x',
  's3://key:secret@studio/x',
  's3://studio/x?endpoint=https://secret.test',
  's3://studio/x#secret',
  'ftp://secret@host/x',
])('%j is SW_CONFIG with what was expected, and is not repeated', (text) => {
  const parse = (): unknown => parseStoreAddress(text)
  expect(parse).toThrow(expect.objectContaining({ code: 'SW_CONFIG', message: expect.stringContaining('s3://bucket/prefix') }))
  expect(parse).not.toThrow(/secret/)
})

test('an opened store of records is probed before its first write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spritewright-stores-'))
  const store = openRecordStore(quickPorts(), parseStoreAddress(folder))
  expect(await store.putIfAbsent('a/1', new Uint8Array([1]))).toBe('mine')
  expect((await store.get('a/1'))?.bytes).toEqual(new Uint8Array([1]))
  expect(readdirSync(folder)).toEqual(['a', 'probe'])
  rmSync(folder, { recursive: true })
})

test.each([openRecordStore, openBlobStore])('without credentials, S3 is SW_CONFIG when it is opened: %o', (open) => {
  expect(() => open(quickPorts(), parseS3Address('s3://studio'))).toThrow(
    expect.objectContaining({ code: 'SW_CONFIG', facts: { store: 's3://studio', variable: 'AWS_ACCESS_KEY_ID' } }),
  )
})
