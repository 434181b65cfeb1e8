import { describe, expect, test } from 'vitest'
import { hasCode } from '../../src/errors.ts'
import { nodeRandom } from '../../src/host/random.ts'
import { openPersonRequests } from '../../src/project/requests.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const day = 24 * 3_600_000
const asked = { verb: 'approve', names: ['hero.walk'], credits: '2.4', why: 'The level needs a hero.', from: 'mcp' } as const

function open() {
  const disk = new MemoryDisk()
  const clock = new ManualClock()
  return { disk, clock, requests: openPersonRequests({ disk, clock, random: nodeRandom(), stateFolder: '/state' }, 'place') }
}

describe('requests to a person', () => {
  test('lists what was asked, the oldest first, until a day later', async () => {
    const { clock, requests } = open()
    const first = await requests.add(asked)
    await clock.advance(1000)
    const second = await requests.add({ ...asked, names: [] })
    expect(await requests.list()).toEqual([first, second])
    await clock.advance(day - 1000)
    expect(await requests.list()).toEqual([second])
    await requests.remove(second.id)
    expect(await requests.list()).toEqual([])
  })

  test('drops one that was made by a clock a day ahead, and keeps one by a clock that was less', async () => {
    const { disk, clock, requests } = open()
    const { id } = await requests.add(asked)
    const path = `/state/requests/place/${id}.json`
    const made = JSON.parse(new TextDecoder().decode(await disk.read(path))) as object
    const madeAt = (at: number): void => void disk.files.set(path, new TextEncoder().encode(JSON.stringify({ ...made, at })))
    madeAt(clock.wall() + day - 1)
    expect(await requests.list()).toHaveLength(1)
    madeAt(clock.wall() + day)
    expect([await requests.list(), await disk.list('/state/requests/place')]).toEqual([[], []])
  })

  test('keeps an equal request once, and no sixth', async () => {
    const { disk, requests } = open()
    const made = await Promise.all([1, 2, 3, 4].map((index) => requests.add({ ...asked, names: [`hero.walk${index}`] })))
    expect(await requests.add({ ...asked, names: ['hero.walk2'] })).toEqual(made[1])
    await requests.add(asked)
    const sixth = await requests.add({ ...asked, why: 'more' }).catch((error: unknown) => error)
    expect(hasCode(sixth, 'SW_USAGE') && sixth.message).toContain('at most 5 open requests')
    expect(await disk.list('/state/requests/place')).toHaveLength(5)
  })

  test('shows texts of a program as text: escaped, and at most 500 characters', async () => {
    const { requests } = open()
    await requests.add({ ...asked, names: ['he\u001b[2Jro'], why: `\u202egood\nApproved.${'x'.repeat(600)}` })
    const [one] = await requests.list()
    expect(one?.names).toEqual(['he\\x1b[2Jro'])
    expect(one?.why.startsWith('\\u202egood\\nApproved.xxx')).toBe(true)
    expect(one?.why).toHaveLength(500 + 6)
  })

  test('passes over a file that is no request, or that bears the name of another', async () => {
    const { disk, requests } = open()
    const { id } = await requests.add(asked)
    const text = await disk.read(`/state/requests/place/${id}.json`)
    for (const name of ['other.json', 'x.json']) await disk.writeTemp(`/state/requests/place/${name}`, text)
    await disk.writeTemp('/state/requests/place/torn.json', text.slice(0, 20))
    expect((await requests.list()).map((one) => one.id)).toEqual([id])
  })
})
