import { expect, test } from 'vitest'
import { inTurn } from '../../src/host/file-lock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const path = '/game/.spritewright/turn'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A clock that goes on by each sleep, and what happens meanwhile. */
function world(disk: MemoryDisk, meanwhile: (atMs: number) => void = () => {}) {
  let now = 0
  const sleep = async (ms: number): Promise<void> => {
    now += ms
    meanwhile(now)
  }
  return { ports: { disk, random: countingRandom(), clock: { wall: () => now, mono: () => now, sleep } }, now: () => now }
}

test('work has the turn while it runs, and gives it back, also if it fails', async () => {
  const disk = new MemoryDisk()
  const { ports } = world(disk)
  expect(await inTurn(ports, path, async () => disk.files.has(path))).toBe(true)
  expect(disk.files.has(path)).toBe(false)
  await expect(inTurn(ports, path, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(disk.files.has(path)).toBe(false)
})

test('work waits for the turn of another process', async () => {
  const disk = new MemoryDisk()
  disk.files.set(path, bytes('other'))
  const { ports, now } = world(disk, (atMs) => {
    if (atMs >= 500) disk.files.delete(path)
  })
  expect(await inTurn(ports, path, async () => now())).toBe(500)
})

test('a turn that its owner keeps for more than a second is taken, and owners that change are alive', async () => {
  const disk = new MemoryDisk()
  disk.files.set(path, bytes('dead'))
  const dead = world(disk)
  const taken = await inTurn(dead.ports, path, async () => dead.now())
  expect(taken).toBeGreaterThan(1000)
  expect(taken).toBeLessThan(1100)
  const many = world(disk, (atMs) => {
    if (atMs <= 3000) disk.files.set(path, bytes(`owner ${Math.floor(atMs / 900)}`))
  })
  disk.files.set(path, bytes('owner 0'))
  expect(await inTurn(many.ports, path, async () => many.now())).toBeGreaterThan(3600)
})

test('who has lost the turn leaves it to the one that has it now', async () => {
  const disk = new MemoryDisk()
  await inTurn(world(disk).ports, path, async () => void disk.files.set(path, bytes('successor')))
  expect(disk.files.get(path)).toEqual(bytes('successor'))
})

test('work runs without a turn where no file can be made', async () => {
  const disk = new MemoryDisk()
  disk.fault = { call: `write ${path}`, code: 'EACCES' }
  expect(await inTurn(world(disk).ports, path, async () => 'done')).toBe('done')
})

test('work runs without a turn if the file of a dead owner cannot be removed', async () => {
  const disk = new MemoryDisk()
  disk.files.set(path, bytes('dead'))
  disk.fault = { call: `remove ${path}`, code: 'EPERM' }
  expect(await inTurn(world(disk).ports, path, async () => 'done')).toBe('done')
})
