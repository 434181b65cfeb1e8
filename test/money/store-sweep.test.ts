import { describe, expect, test } from 'vitest'
import type { DiskStat } from '../../src/host/disk.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { addSprite, type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

const dayMs = 24 * 60 * 60_000
const mark = '0123456789abcdef'

/** A disk whose files have times of change. */
class TimedDisk extends MemoryDisk {
  readonly changed: Map<string, number> = new Map()

  override async stat(path: string): Promise<DiskStat | undefined> {
    const found = await super.stat(path)
    return found && { ...found, changedMs: this.changed.get(path) ?? 0 }
  }
}

const limits = { post: 1000, get: 10_000, download: 1000 }

/** A project with one bought sprite, on a disk with times. */
async function bought(): Promise<{ world: SimulatedWorld; disk: TimedDisk; verify: () => Promise<readonly string[]>; put: typeof put }> {
  const world = await simulatedWorld(0, { limits })
  addSprite(world, 'hero', 0)
  const workshop = await world.workshop({ approval: { perSprite: '100' }, limits })
  await world.clock.run(acceptCeilings(workshop))
  await world.clock.run(workshop.build({ buyOnly: true }))
  const disk = new TimedDisk()
  for (const [path, bytes] of world.disk.files) disk.files.set(path, bytes)
  const put = (path: string, bytes: Uint8Array | string, ageMs = dayMs + 1): string => {
    disk.files.set(path, typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)
    disk.changed.set(path, world.clock.wall() - ageMs)
    return path
  }
  const verify = async (): Promise<readonly string[]> => {
    const workshop = await world.workshop({ limits, store: { shared: '/shared' } }, { disk })
    return [...(await world.clock.run(workshop.store.verify())).swept].sort()
  }
  return { world, disk, verify, put }
}

const store = '/game/.spritewright'
const [whole, hash] = [new TextEncoder().encode('PK whole'), sha256(new TextEncoder().encode('PK whole'))]
const requestOf = (disk: MemoryDisk): string => [...disk.files.keys()].find((path) => path.includes('/submissions/'))?.split('/')[4] ?? ''

describe('what a crash left behind', () => {
  test('goes by the exact name that it was given, older than a day', async () => {
    const { disk, verify, put } = await bought()
    const request = requestOf(disk)
    const old = [
      `/game/sprites.lock.json.${mark}.tmp`,
      `/game/.spritewright/orders/sprites.lock.json.${mark}.tmp`,
      `${store}/checkout.json.${mark}.tmp`,
      `${store}/uploads/${hash}.0123456789ab.json.${mark}.tmp`,
      `${store}/submissions/${request}/0009.json.${mark}.tmp`,
      `${store}/submissions/budget/0002.json.${mark}.tmp`,
      `${store}/results/probe.${mark}.tmp`,
    ]
    for (const path of old) put(path, 'torn')
    expect(await verify()).toEqual(old.sort())
    expect(await verify()).toEqual([])
  })

  test('goes from the second copy of the journal too, and from the marks of what the shared store is owed', async () => {
    const { disk, verify, put } = await bought()
    const request = requestOf(disk)
    const copy = [...disk.files.keys()].find((path) => path.includes('/journals/') && path.endsWith('/checkout.json'))
    const folder = copy?.slice(0, -'/checkout.json'.length)
    const old = [
      `${copy}.${mark}.tmp`,
      `${folder}/submissions/${request}/0009.json.${mark}.tmp`,
      `${folder}/submissions/budget/0002.json.${mark}.tmp`,
      `${store}/submissions/unshared/${hash}.${mark}.tmp`,
    ]
    for (const path of old) put(path, 'torn')
    expect(await verify()).toEqual(old.sort())
  })

  test('stays where it is younger, or dated in the future, or named in any other way, or a folder, or in a folder that is not ours', async () => {
    const { disk, verify, put } = await bought()
    const request = requestOf(disk)
    const kept = [
      put(`/game/sprites.lock.json.${mark}.tmp`, 'young', dayMs - 1),
      put(`${store}/submissions/${request}/0009.json.${mark}.tmp`, 'of tomorrow', -dayMs),
      ...[
        `/game/notes.txt.${mark}.tmp`,
        `/game/sprites.lock.json.tmp`,
        `/game/sprites.lock.json.${mark.slice(1)}.tmp`,
        `/game/sprites.lock.json.${mark.toUpperCase()}.tmp`,
        `/game/sprites.lock.json.${mark}.tmp.bak`,
        `/game/spritesxlock.json.${mark}.tmp`,
        `/game/sub/sprites.lock.json.${mark}.tmp`,
        `/game/sprites.lock.json.${mark}0.tmp`,
        `${store}/results/notes.zip.${mark}.tmp`,
        `${store}/submissions/${request}/notes.json.${mark}.tmp`,
        `${store}/submissions/mine/0001.json.${mark}.tmp`,
        `${store}/submissions/unshared/${hash}0.${mark}.tmp`,
        `${store}/submissions/unshared/0${hash}.${mark}.tmp`,
        `${store}/submissions/unshared/mine.${mark}.tmp`,
        `${store}/submissions/0${request}/0001.json.${mark}.tmp`,
        `${store}/submissions/${request}0/0001.json.${mark}.tmp`,
        `${store}/uploads/0${hash}.0123456789ab.json.${mark}.tmp`,
        `${store}/uploads/${hash}.0123456789ab.json.bak.${mark}.tmp`,
        `${store}/results/0${hash}.zip.${mark}.tmp`,
        `${store}/results/${hash}.zip.bak.${mark}.tmp`,
        `${store}/submissions/budget/2.json.${mark}.tmp`,
        `${store}/ledger.jsonl.${mark}.tmp`,
        `${store}/checkout.json.${mark}.tmp/a-folder`,
        `/shared/${mark}.tmp`,
      ].map((path) => put(path, 'not ours')),
    ]
    const before = [...disk.files.keys()].sort()
    expect(await verify()).toEqual([])
    expect([...disk.files.keys()].sort()).toEqual(before)
    expect(kept.every((path) => disk.files.has(path))).toBe(true)
  })

  test('a whole result that never got its name gets it, in the project and in the shared store', async () => {
    const { disk, verify, put } = await bought()
    const paths = [put(`${store}/results/${hash}.zip.${mark}.tmp`, whole), put(`/shared/${hash}.zip.${mark}.tmp`, whole)]
    expect(await verify()).toEqual(paths.sort())
    expect([disk.files.get(`${store}/results/${hash}.zip`), disk.files.get(`/shared/${hash}.zip`)]).toEqual([whole, whole])
  })

  test('a torn result goes when the whole one is here, and stays when it is not', async () => {
    const { disk, verify, put } = await bought()
    const path = put(`${store}/results/${hash}.zip.${mark}.tmp`, 'PK wh')
    expect(await verify()).toEqual([])
    put(`${store}/results/${hash}.zip`, 'PK damaged')
    expect(await verify()).toEqual([])
    put(`${store}/results/${hash}.zip`, whole)
    expect(await verify()).toEqual([path])
    expect(disk.files.has(`${store}/results/${hash}.zip`)).toBe(true)
  })

  test('a record that was never published stays while its submission waits for an answer: it may hold the answer', async () => {
    const { world, disk, verify, put } = await bought()
    const request = 'e'.repeat(64)
    const journal = createJournal({ disk, random: countingRandom(), clock: world.clock }, `${store}/submissions`)
    const view = await journal.append(request, await journal.read(request), 'sent', { attempt: 1, send: 1, keyTag: 'k' })
    const path = put(`${store}/submissions/${request}/0002.json.${mark}.tmp`, '{"type":"accepted"}')
    expect(await verify()).toEqual([])
    if (view)
      await journal.append(request, view, 'accepted', { attempt: 1, executionId: 'x', conversationId: null, approvedAt: null } as never)
    expect(await verify()).toEqual([path])
  })
})
