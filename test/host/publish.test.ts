import { expect, test } from 'vitest'
import { replaceFile } from '../../src/host/publish.ts'
import { FaultDisk } from '../kit/fault-disk.ts'
import { countingRandom } from '../kit/memory-disk.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('the new bytes of a replaced file survive a loss of power', async () => {
  const disk = new FaultDisk()
  disk.put('/game/sprites.lock.json', 'old')
  await replaceFile(disk, countingRandom(), '/game/sprites.lock.json', bytes('new'))
  disk.crash('nothing')
  expect(disk.peek('/game/sprites.lock.json')).toEqual(bytes('new'))
})
