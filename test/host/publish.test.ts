import { expect, test } from 'vitest'
import { replaceFile, replaceLightly } from '../../src/host/publish.ts'
import { FaultDisk } from '../kit/fault-disk.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('the new bytes of a replaced file survive a loss of power', async () => {
  const disk = new FaultDisk()
  disk.put('/game/sprites.lock.json', 'old')
  await replaceFile(disk, countingRandom(), '/game/sprites.lock.json', bytes('new'))
  disk.crash('nothing')
  expect(disk.peek('/game/sprites.lock.json')).toEqual(bytes('new'))
})

test.each(['write', 'move'])('a file that cannot be replaced (%s) stays as it was, and no other one is left', async (call) => {
  for (const replace of [replaceFile, replaceLightly]) {
    const disk = new MemoryDisk()
    disk.files.set('/game/page.png', bytes('old'))
    disk.fault = { call, code: 'ENOSPC' }
    await expect(replace(disk, countingRandom(), '/game/page.png', bytes('new'))).rejects.toMatchObject({ code: 'ENOSPC' })
    expect([...disk.files]).toEqual([['/game/page.png', bytes('old')]])
  }
})
