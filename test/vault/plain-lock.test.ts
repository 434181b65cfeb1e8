import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import { formatLockFile, type LockEntry, type LockFile } from '../../src/vault/lockfile.ts'
import { readPlainLock } from '../../src/vault/plain-lock.ts'
import { changedData } from '../kit/changed-data.ts'

const [first, second, third] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string]
const bare: LockEntry = { service: { host: 'api.example.com', keyMode: 'live', apiVersion: '1' }, asked: { prompt: 'a knight' } }
const full: LockEntry = {
  service: { host: 'api.example.com', keyMode: 'test', apiVersion: '1' },
  asked: {
    prompt: 'a knight\nwalks',
    reference: third,
    operation: 'upscale',
    frames: 12,
    background: 'keep',
    options: { style: ['a', { b: null }] },
    take: 2,
  },
  approval: { ceiling: '2.4', priceVersion: 'v', buyer: 'b', at: 't' },
  submission: { attempt: 1, key: 'k', body: '{}', bodySha256: third, maxCredits: '2.4', referenceId: 'r' },
  execution: { id: 'e1', conversation: null },
  result: {
    sha256: third,
    bytes: 7,
    review: { frameCount: 12, background: null, keptBackgroundFrames: [0, 1], inspectionFrames: [], sourceShiftedFrames: [3] },
  },
}
const lock: LockFile = {
  version: 1,
  animations: { 'hero.walk': { [first]: full, [second]: bare }, 'ant.walk': { [first]: full } },
  steps: { [third]: bare },
}

/** Fields with their order; undefined for what is refused. */
function slowly(text: string): string | undefined {
  try {
    return JSON.stringify(parseLockFile(text, 'sprites.lock.json'))
  } catch {
    return undefined
  }
}

describe('a lock file that is plainly in order', () => {
  test('is read without the schema: full, bare and empty', () => {
    for (const one of [lock, { version: 1, animations: {} } as const]) {
      const text = formatLockFile(one)
      expect(readPlainLock(text)).toEqual(one)
      expect(JSON.stringify(readPlainLock(text))).toBe(slowly(text))
    }
  })

  test('is what the schema makes of the same text, whatever has been changed in it', () => {
    let taken = 0
    fc.assert(
      fc.property(changedData(lock), (changed) => {
        const text = JSON.stringify(changed)
        const plain = readPlainLock(text)
        if (!plain) return
        taken += 1
        expect(JSON.stringify(plain)).toBe(slowly(text))
      }),
      { numRuns: 500 },
    )
    expect(taken).toBeGreaterThan(50)
  })

  test('that is refused for nothing is rare: what the schema takes as it is, is taken', () => {
    fc.assert(
      fc.property(changedData(lock), (changed) => {
        const text = JSON.stringify(changed)
        if (text.includes('"__proto__"') || slowly(text) === undefined) return
        expect(readPlainLock(text)).toBeDefined()
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['a merge conflict', `<<<<<<< ours\n${formatLockFile(lock)}`],
    ['two requests of one execution', formatLockFile({ version: 1, animations: { a: { [first]: full }, b: { [second]: full } } })],
    ['a request under a name that is no hash', formatLockFile({ version: 1, animations: { a: { nothash: bare } } })],
    ['a field that is not known', JSON.stringify({ version: 1, animations: { a: { [first]: { ...bare, more: 1 } } } })],
  ])('is none with %s', (_, text) => {
    expect(readPlainLock(text)).toBeUndefined()
    expect(slowly(text)).toBeUndefined()
  })
})
