import { describe, expect, test } from 'vitest'
import { openCheckoutName } from '../../src/project/trust/checkout.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const path = '/game/.spritewright/checkout.json'

/** Opens the name of a checkout on a disk, as the user of a key. */
function open(disk: MemoryDisk, user = 1, copy?: string) {
  return openCheckoutName({ clock: leapingClock(), disk, random: countingRandom() }, ringOf(testKey(user)), {
    own: '/game/.spritewright',
    copy,
  })
}

async function named(): Promise<{ disk: MemoryDisk; name: string; write: (changes: object) => void }> {
  const disk = new MemoryDisk()
  const name = await open(disk).readOrMake()
  const whole = JSON.parse(new TextDecoder().decode(disk.files.get(path))) as object
  return { disk, name, write: (changes) => disk.files.set(path, new TextEncoder().encode(JSON.stringify({ ...whole, ...changes }))) }
}

describe('the name of a checkout', () => {
  test('is read again by a later run of its user', async () => {
    const { disk, name } = await named()
    expect(await open(disk).read()).toBe(name)
  })

  test('counts for no other user', async () => {
    const { disk } = await named()
    expect(await open(disk, 2).read()).toBeUndefined()
  })

  test.each(['EROFS', 'EACCES', 'ENOSPC'])('is made although the state folder takes no copy of it (%s)', async (code) => {
    const disk = new MemoryDisk()
    disk.fault = { call: 'write /state/', code }
    const name = await open(disk, 1, '/state/game').readOrMake()
    expect([...disk.files.keys()]).toEqual([path])
    expect(await open(disk, 1, '/state/game').readOrMake()).toBe(name)
  })

  test('is an error if the project itself takes none', async () => {
    const disk = new MemoryDisk()
    disk.fault = { call: 'write /game/', code: 'EROFS' }
    await expect(open(disk, 1, '/state/game').readOrMake()).rejects.toMatchObject({ code: 'EROFS' })
  })

  test.each([path, '/state/game/checkout.json'])('survives the loss of %s, and the next run makes that file again', async (lost) => {
    const disk = new MemoryDisk()
    const name = await open(disk, 1, '/state/game').readOrMake()
    disk.files.delete(lost)
    expect(await open(disk, 1, '/state/game').read()).toBe(name)
    expect(await open(disk, 1, '/state/game').readOrMake()).toBe(name)
    expect([...disk.files.keys()].sort()).toEqual([path, '/state/game/checkout.json'])
  })

  test.each([
    ['another name under the seal of the first', { name: 'clone' }],
    ['a seal that is none', { seal: '' }],
    ['no seal', { seal: undefined }],
    ['the seal of another text', { seal: testKey(1).seal('clone') }],
  ])('does not count with %s', async (_what, changes) => {
    const { disk, write } = await named()
    write(changes)
    expect(await open(disk).read()).toBeUndefined()
  })
})
