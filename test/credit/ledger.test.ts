import { expect, test } from 'vitest'
import { createLedger, type LedgerMove } from '../../src/credit/ledger.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const move: LedgerMove = { at: 5, type: 'held', id: 'hero.walk', hash: 'h', attempt: 1, executionId: 'e1', credits: 24_000n }
const path = '/p/ledger.jsonl'

function desk(text?: string) {
  const disk = new MemoryDisk()
  if (text !== undefined) disk.files.set(path, new TextEncoder().encode(text))
  return { disk, ledger: createLedger(disk, path), text: () => new TextDecoder().decode(disk.files.get(path)) }
}

test('each movement of an attempt is written once, however often it is ensured', async () => {
  const { ledger, text } = desk()
  const settled = { ...move, type: 'settled' as const }
  await Promise.all([ledger.ensure(move), ledger.ensure({ ...move, at: 9 }), ledger.ensure(settled)])
  const others = [
    { ...move, attempt: 2 },
    { ...move, hash: 'h2' },
  ]
  expect(await ledger.ensureAll([move, settled, ...others])).toBe(2)
  expect(await ledger.ensureAll([move, settled, ...others])).toBe(0)
  expect(await ledger.read()).toEqual([move, settled, ...others])
  expect(text().split('\n')).toHaveLength(5)
})

test('a torn last line is skipped, and the next one does not become part of it', async () => {
  const { ledger } = desk('{"at":5,"type":"he')
  await ledger.ensure(move)
  expect(await ledger.read()).toEqual([move])
})

test('of two lines of one movement the first counts', async () => {
  const line = (at: number): string => `${JSON.stringify({ ...move, at, credits: '2.4' })}\n`
  expect(await desk(`${line(5)}${line(9)}`).ledger.read()).toEqual([move])
})

test('a folder that was deleted is made again before a movement is written', async () => {
  const { disk, ledger } = desk()
  disk.makeFolder = async (...folders: readonly string[]) => {
    await new Promise(setImmediate)
    disk.calls.push(`makeFolder ${folders.join()}`)
  }
  await ledger.ensure(move)
  expect(disk.calls).toEqual(['makeFolder /p', `append ${path}`])
})

const written = { ...move, credits: '2.4' }

test.each([
  ...['{}', 'null', '5', '"held"'],
  ...Object.keys(move).map((field) => JSON.stringify({ ...written, [field]: undefined })),
  ...[
    { at: '5' },
    { attempt: '1' },
    { id: 7 },
    { hash: 7 },
    { executionId: null },
    { credits: 2.4 },
    { credits: '2,4' },
    { type: 'lost' },
  ].map((wrong) => JSON.stringify({ ...written, ...wrong })),
])('the line %s is named with its number, before a read and before a write', async (line) => {
  const fault = {
    code: 'SW_JOURNAL',
    message: `${path}:2 is no movement of credits. Restore the file, or move it away: it is written again from the journal.`,
    facts: { file: path, line: 2 },
  }
  const text = `${JSON.stringify(written)}\n${line}\n`
  const { ledger, ...after } = desk(text)
  await expect(ledger.read()).rejects.toMatchObject(fault)
  await expect(ledger.ensure({ ...move, attempt: 3 })).rejects.toMatchObject(fault)
  expect(after.text()).toBe(text)
})

test.each(['held', 'settled', 'restored'] as const)('a movement of the type "%s" is read as it was written', async (type) => {
  const { ledger } = desk()
  await ledger.ensure({ ...move, type })
  expect(await ledger.read()).toEqual([{ ...move, type }])
})
