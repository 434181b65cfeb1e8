import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { warmFiles } from '../../src/host/warm-files.ts'
import { type KeptFile, openKept, packKept } from '../../src/warm/kept.ts'

const files = warmFiles()
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spritewright-kept-'))
  path = join(folder, 'a.kept')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const parts = [new Uint8Array(70_000).fill(1), new Uint8Array(), Uint8Array.of(2, 3)]

/** With the times of long ago, so that any later change shows in them. */
function open(): KeptFile {
  writeFileSync(path, packKept({ text: 'a text\nof two lines', parts }))
  utimesSync(path, 1, 1)
  return openKept(files, path) as KeptFile
}

test('what was packed is read again, in any order', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.uint8Array({ maxLength: 50 })), fc.boolean(), (text, own, isForNow) => {
      writeFileSync(path, packKept({ text, parts: own }))
      const kept = openKept(files, path) as KeptFile
      expect(kept.text).toBe(text)
      for (let index = own.length - 1; index >= 0; index--) expect([...kept.part(index, isForNow)]).toEqual([...(own[index] as Uint8Array)])
      kept.close()
    }),
  )
})

test('what is read for good stays; what is read for now goes with the next one', () => {
  const kept = open()
  const first = kept.part(0, false)
  const last = kept.part(2, true)
  expect(last).toEqual(parts[2])
  kept.part(0, true)
  expect(last).not.toEqual(parts[2])
  expect(Buffer.compare(first, parts[0] as Uint8Array)).toBe(0)
  kept.close()
})

test('a file that was written to since it was opened is read no more', () => {
  const kept = open()
  expect(kept.part(2, false)).toEqual(parts[2])
  appendFileSync(path, 'more')
  expect(() => kept.part(2, false)).toThrow(expect.objectContaining({ code: 'SW_DISK', facts: { file: path } }))
  kept.close()
})

test('a file whose name is gone, or another file’s, is read on', () => {
  const kept = open()
  rmSync(path)
  expect([...kept.part(0, false)]).toEqual([...(parts[0] as Uint8Array)])
  writeFileSync(path, 'another')
  expect(kept.part(2, false)).toEqual(parts[2])
  kept.close()
})

test('nothing is opened that was not packed whole', () => {
  expect(openKept(files, path)).toBeUndefined()
  const whole = packKept({ text: 'a text', parts: [] })
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length))
    expect(openKept(files, path)).toBeUndefined()
  }
})
