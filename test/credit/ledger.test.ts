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
  expect(await ledger.ensureAll([move, settled, { ...move, attempt: 2 }])).toBe(1)
  expect(await ledger.read()).toEqual([move, settled, { ...move, attempt: 2 }])
  expect(text().split('\n')).toHaveLength(4)
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

test.each(['{}', 'null', '5', JSON.stringify({ ...move, credits: 2.4 }), JSON.stringify({ ...move, credits: '2.4', type: 'lost' })])(
  'the line %s is named with its number',
  async (line) => {
    const { ledger } = desk(`${JSON.stringify({ ...move, credits: '2.4' })}\n${line}\n`)
    await expect(ledger.read()).rejects.toMatchObject({
      code: 'SW_JOURNAL',
      message: expect.stringContaining(`${path}:2 is no movement`),
      facts: { file: path, line: 2 },
    })
  },
)
