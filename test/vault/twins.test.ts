import { describe, expect, test } from 'vitest'
import {
  approvedIds,
  findEntry,
  findOwnEntry,
  formatLockFile,
  type LockEntry,
  type LockFile,
  requestsOf,
  unnamedStepId,
} from '../../src/vault/lockfile.ts'

const hash = 'b'.repeat(64)
const asked: LockEntry = {
  service: { host: 'api.example.com', keyMode: 'test', apiVersion: '1' },
  asked: { prompt: 'a knight', reference: 'c'.repeat(64), frames: 12, background: 'remove', take: 1 },
}
const approval = { ceiling: '2.4', priceVersion: 'v', buyer: 'b', at: 't' }
const approved: LockEntry = { ...asked, approval }
const sent: LockEntry = { ...asked, execution: { id: 'e1', conversation: null } }
const bought: LockEntry = { ...asked, execution: { id: 'e2', conversation: null }, result: { sha256: 'd'.repeat(64), bytes: 7 } }

/** A lock file with this request under these ids. */
function lockOf(entries: Readonly<Record<string, LockEntry>>, steps?: LockFile['steps']): LockFile {
  const animations = Object.fromEntries(Object.entries(entries).map(([id, entry]) => [id, { [hash]: entry }]))
  return { version: 1, animations, ...(steps ? { steps } : {}) }
}

describe('a request under several ids', () => {
  test('is bought under each of them, as soon as it is bought under one', () => {
    const lock = lockOf({ 'a.walk': asked, 'b.walk': sent, 'c.walk': bought })
    expect(findEntry(lock, 'a.walk', hash)).toEqual(bought)
    expect(findEntry(lock, 'new.walk', hash)).toEqual(bought)
  })

  test('keeps its own approval beside the purchase under the other id', () => {
    expect(findEntry(lockOf({ 'a.walk': approved, 'b.walk': bought }), 'a.walk', hash)).toEqual({ ...bought, approval })
    expect(findEntry(lockOf({ 'a.walk': asked, 'b.walk': { ...bought, approval } }), 'a.walk', hash)).toEqual({ ...bought, approval })
  })

  test('is in flight under each of them, if none is bought', () => {
    const lock = lockOf({ 'a.walk': approved, 'b.walk': asked, 'c.walk': sent })
    expect(findEntry(lock, 'a.walk', hash)).toEqual({ ...sent, approval })
    expect(findEntry(lock, 'new.walk', hash)).toEqual(sent)
  })

  test('keeps its own purchase and its own execution, whatever another id has', () => {
    expect(findEntry(lockOf({ 'a.walk': sent, 'b.walk': bought }), 'a.walk', hash)).toEqual(sent)
    const withoutExecution: LockEntry = { ...asked, result: { sha256: 'e'.repeat(64), bytes: 1 } }
    expect(findEntry(lockOf({ 'a.walk': withoutExecution, 'b.walk': bought }), 'a.walk', hash)).toEqual(withoutExecution)
  })

  test('is found with nothing but an approval: its own, or the first other one', () => {
    const lock = lockOf({ 'a.walk': asked, 'b.walk': approved })
    expect(findEntry(lock, 'b.walk', hash)).toEqual(approved)
    expect(findEntry(lock, 'new.walk', hash)).toEqual(asked)
    expect(findEntry(lock, 'a.walk', 'f'.repeat(64))).toBeUndefined()
  })
})

describe('a paid step', () => {
  test('is found by its hash, and as the picture of a game that it is elsewhere', () => {
    const lock = lockOf({ 'a.sword': bought }, { [hash]: sent })
    expect(findEntry(lock, 'b#1', hash)).toEqual(sent)
    expect(findEntry(lock, 'a.sword', hash)).toEqual(bought)
    expect(findEntry(lockOf({ 'a.sword': bought }, { [hash]: approved }), 'b#1', hash)).toEqual({ ...bought, approval })
    expect(findEntry(lockOf({ 'a.sword': bought }), 'b#1', hash)).toEqual(bought)
    expect(findEntry(lockOf({ 'a.sword': asked }, { [hash]: bought }), 'a.sword', hash)).toEqual(bought)
    expect(approvedIds(lockOf({ 'a.sword': approved }, { [hash]: approved }), hash)).toEqual(['a.sword', unnamedStepId(hash)])
  })

  test('that no spec names has a short name of its own', () => {
    const [one, two] = [unnamedStepId('0123456789abcdef'), unnamedStepId('0123456700000000')]
    expect([one, two]).toEqual(['step#01234567', 'step#01234567'])
  })
})

test('a name of JavaScript’s own is no id and no hash', () => {
  const lock = lockOf({ 'a.walk': bought })
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(findOwnEntry(lock, name, hash)).toBeUndefined()
    expect(findOwnEntry(lock, 'a.walk', name)).toBeUndefined()
    expect(findEntry(lock, `${name}#1`, name)).toBeUndefined()
  }
})

test('a file without steps has no member for them, as one whose steps are gone', () => {
  const text = formatLockFile(lockOf({ 'a.walk': bought }))
  expect(text).not.toContain('steps')
  expect(formatLockFile(lockOf({ 'a.walk': bought }, {}))).toBe(text)
  expect(Object.keys(JSON.parse(formatLockFile(lockOf({}, { [hash]: sent }))))).toEqual(['animations', 'steps', 'version'])
})

test('of several entries of a request the one that is furthest counts, with the name of a picture if it has one', () => {
  const of = (lock: LockFile) => Object.fromEntries(requestsOf(lock))
  expect(of(lockOf({ 'a.walk': approved, 'b.walk': sent, 'c.walk': bought, 'd.walk': asked }))).toEqual({
    [hash]: { id: 'c.walk', entry: bought },
  })
  expect(of(lockOf({ 'a.walk': sent, 'b.walk': { ...sent, approval } }))).toEqual({ [hash]: { id: 'a.walk', entry: sent } })
  expect(of(lockOf({ 'a.sword': asked }, { [hash]: bought }))).toEqual({ [hash]: { id: 'a.sword', entry: bought } })
  expect(of(lockOf({ 'a.sword': bought }, { [hash]: asked }))).toEqual({ [hash]: { id: 'a.sword', entry: bought } })
  expect(of(lockOf({}, { [hash]: sent }))).toEqual({ [hash]: { id: undefined, entry: sent } })
  expect(of(lockOf({}))).toEqual({})
})
