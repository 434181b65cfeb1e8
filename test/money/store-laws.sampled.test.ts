import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { Options } from '../../src/options/options.ts'
import type { StoredResult, Workshop } from '../../src/workshop.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'
import { byLevel } from '../level.ts'
import { mortalPorts } from '../sim/mortal.ts'
import { type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

const limits = { post: 1000, get: 10_000, download: 1000 }
const options: Options = { approval: { perSprite: '100' }, limits, store: { shared: '/shared' } }
const own = '/game/.spritewright/results/'

/** A project with used, superseded and other takes of three sprites, and two objects that nothing names. */
async function template(): Promise<SimulatedWorld> {
  let made = 0
  const sheet = async (): Promise<{ bytes: Uint8Array; contentType: string; width: number; height: number; review: null }> => {
    const frames = Array.from({ length: 7 }, (_, index) => createBitmap(2, 2, new Uint8Array(16).fill(20 * index + (made % 20))))
    made++
    const { zip, width, height } = await packDelivery(frames, { ...defaultShapes.names })
    return {
      bytes: new Uint8Array([...zip, ...new TextEncoder().encode(`${made}`)]),
      contentType: 'application/zip',
      width,
      height,
      review: null,
    }
  }
  const makers = { sheet, image: async () => Promise.reject(new Error('No pictures in this test.')) }
  const world = await simulatedWorld(0, { makers, limits })
  const rounds = [
    { prompt: 'older', take: 1 },
    { prompt: 'newer', take: 1 },
    { prompt: 'newer', take: 2 },
  ]
  world.write('sprites/all.png', figurePng())
  for (const { prompt, take } of rounds) {
    for (const name of ['ant', 'bee', 'cat'])
      world.write(
        `sprites/${name}.sprite.json`,
        JSON.stringify({ reference: './all.png', prompt: `${prompt} ${name}`, animations: { walk: { frames: 7, take } } }),
      )
    const workshop = await world.workshop({ ...options, store: {} })
    await world.clock.run(acceptCeilings(workshop))
    await world.clock.run(workshop.build({ buyOnly: true }))
  }
  for (const text of ['one stray', 'another stray']) {
    const bytes = new TextEncoder().encode(text)
    world.disk.files.set(`${own}${sha256(bytes)}.bin`, bytes)
  }
  return world
}

const world = await template()
const hashOf = (path: string): string => path.split('/').at(-1)?.slice(0, 64) ?? ''
const originals = new Map([...world.disk.files].filter(([path]) => path.startsWith(own)))

/** The same project on a disk of its own. */
function copyDisk(): MemoryDisk {
  const disk = new MemoryDisk()
  for (const [path, bytes] of world.disk.files) disk.files.set(path, bytes)
  return disk
}

const open = (disk: MemoryDisk): Promise<Workshop> => world.workshop(options, { disk })
/** Hashes of the objects under a folder whose content matches their name, sorted. */
function objectsIn(disk: MemoryDisk, folder: string): string[] {
  const found: string[] = []
  for (const [path, bytes] of disk.files) {
    if (!path.startsWith(folder) || path.includes('/quarantine/')) continue
    expect(path, 'no temporary file is left').not.toMatch(/\.tmp$/)
    if (sha256(bytes) === hashOf(path)) found.push(hashOf(path))
  }
  return found.sort()
}

/** The files of the project, without those of one folder. */
function projectOf(files: ReadonlyMap<string, Uint8Array>, but = ' '): string[] {
  return [...files]
    .flatMap(([path, bytes]) => (path.startsWith('/game/') && !path.startsWith(but) ? [`${path} ${sha256(bytes)}`] : []))
    .sort()
}

const results: readonly StoredResult[] = (await (await open(copyDisk())).store.list()).results
const hashesWith = (state: StoredResult['state']): string[] => results.flatMap((one) => (one.state === state ? [one.sha256] : []))
const named = results.filter((one) => one.uses.length > 0).map((one) => one.sha256)
const requests = (): number => world.service.requests().length
const posts = (): number => world.service.requests().filter(({ method }) => method !== 'GET').length

test('the template has every state', () => {
  expect([
    originals.size,
    hashesWith('used').length,
    hashesWith('take').length,
    hashesWith('superseded').length,
    hashesWith('unknown').length,
  ]).toEqual([11, 3, 3, 3, 2])
})

describe('push, then pull into an empty project', () => {
  test('yields equal bytes, whatever was there before and whatever was damaged; a second time copies nothing', async () => {
    const before = requests()
    const paths = [...originals.keys()]
    const some = fc.subarray(paths)
    await fc.assert(
      fc.asyncProperty(some, some, some, async (absent, shared, damaged) => {
        const disk = copyDisk()
        for (const path of shared) disk.files.set(path.replace(own, '/shared/'), originals.get(path) as Uint8Array)
        for (const path of damaged)
          disk.files.set(
            path,
            (originals.get(path) as Uint8Array).map((byte, index) => (index === 3 ? byte ^ 1 : byte)),
          )
        for (const path of absent) disk.files.delete(path)
        const good = paths.filter((path) => (!absent.includes(path) && !damaged.includes(path)) || shared.includes(path)).map(hashOf)
        const workshop = await open(disk)
        const pushed = await workshop.store.push()
        expect(objectsIn(disk, '/shared/')).toEqual(good.sort())
        expect(pushed.copied).toHaveLength(paths.filter((path) => good.includes(hashOf(path)) && !shared.includes(path)).length)
        // Push does not even read a damaged object of which the shared store has a good copy. It stays for
        // verify.
        expect([...disk.files.keys()].filter((path) => path.includes('/quarantine/'))).toHaveLength(
          damaged.filter((path) => !absent.includes(path) && !shared.includes(path)).length,
        )
        for (const path of [...disk.files.keys()]) if (path.startsWith(own)) disk.files.delete(path)
        const pulled = await workshop.store.pull()
        const expected = named.filter((hash) => good.includes(hash))
        expect(objectsIn(disk, own)).toEqual([...expected].sort())
        expect([...pulled.copied].sort()).toEqual(expected.sort())
        expect(pulled.lacking.map((one) => one.sha256).sort()).toEqual(named.filter((hash) => !expected.includes(hash)).sort())
        disk.calls.length = 0
        expect([(await workshop.store.push()).copied, (await workshop.store.pull()).copied, disk.calls]).toEqual([[], [], []])
      }),
      { numRuns: byLevel({ quick: 1, full: 12, long: 40 }) },
    )
    expect(requests()).toBe(before)
  })
})

describe('prune', () => {
  const [used = '', take = '', superseded = '', unknown = ''] = (['used', 'take', 'superseded', 'unknown'] as const).map(
    (state) => hashesWith(state)[0],
  )

  /** Prunes, and checks that what is gone is what was named, or that a refusal has changed nothing. */
  const prune = async (names: readonly string[], force: boolean, says: boolean): Promise<'done' | 'refused'> => {
    const disk = copyDisk()
    const files = new Map(disk.files)
    const workshop = await open(disk)
    const isNamed = (result: StoredResult): boolean =>
      names.some((one) =>
        /^[0-9a-f]{8,}$/.test(one)
          ? result.sha256.startsWith(one)
          : result.state === 'superseded' && result.uses.some(({ id }) => id.startsWith(one)),
      )
    try {
      await world.clock.run(workshop.store.prune({ names, force, confirm: async () => says }))
    } catch (error) {
      if (!(error instanceof SpritewrightError)) throw error
      expect(error.code).toBe('SW_USAGE')
      expect(projectOf(disk.files)).toEqual(projectOf(files))
      return 'refused'
    }
    const gone = results.filter((result) => !objectsIn(disk, own).includes(result.sha256))
    expect(gone).toEqual(says ? results.filter(isNamed) : [])
    expect(gone.filter((result) => result.state === 'used')).toEqual([])
    expect(projectOf(disk.files, own)).toEqual(projectOf(files, own))
    return 'done'
  }

  test.each([
    ['done', ['ant'], false],
    ['done', ['bee.walk', 'cat'], false],
    ['done', [superseded], false],
    ['done', [take.slice(0, 8), 'cat'], false],
    ['done', [unknown], true],
    ['refused', [unknown], false],
    ['refused', [used], true],
    ['refused', ['ant', used.slice(0, 8)], true],
    ['refused', ['cat', 'dog'], true],
    ['refused', ['deadbeef'], true],
  ] as const)('is %s for %j (by force: %s)', async (outcome, names, force) => {
    expect(await prune(names, force, true)).toBe(outcome)
  })

  test('takes nothing away after a no to its question', async () => {
    expect(await prune(['ant', superseded], false, false)).toBe('done')
  })

  test('never takes away what a spec asks for, nor what was not named; a refusal takes nothing away', async () => {
    const hash = fc.constantFrom(...results.map((one) => one.sha256))
    const name = fc.oneof(
      hash,
      hash.map((one) => one.slice(0, 8)),
      fc.constantFrom('ant', 'bee.walk', 'cat', 'dog', 'deadbeef'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean(), async (names, force, says) => {
        await prune(names, force, says)
      }),
      { numRuns: byLevel({ quick: 2, full: 30, long: 100 }) },
    )
  })
})

/** The commands, each with a start, and a check after it has run to its end. */
const cases: readonly {
  readonly name: string
  readonly prepare: (disk: MemoryDisk) => void
  readonly run: (workshop: Workshop) => Promise<unknown>
  readonly isDone: (disk: MemoryDisk) => void
}[] = [
  {
    name: 'push',
    prepare: () => {},
    run: (workshop) => workshop.store.push(),
    isDone: (disk) => expect(objectsIn(disk, '/shared/')).toHaveLength(11),
  },
  {
    name: 'pull',
    prepare: (disk) => {
      for (const [path, bytes] of originals) {
        disk.files.set(path.replace(own, '/shared/'), bytes)
        disk.files.delete(path)
      }
    },
    run: (workshop) => workshop.store.pull(),
    isDone: (disk) => expect(objectsIn(disk, own)).toHaveLength(9),
  },
  {
    name: 'verify, from the service and from the shared store',
    prepare: (disk) => {
      const [first = '', second = ''] = hashesWith('used')
      const [take = ''] = hashesWith('take')
      for (const hash of [first, take]) disk.files.set(`${own}${hash}.zip`, new Uint8Array([1]))
      disk.files.set(`/shared/${first}.zip`, originals.get(`${own}${first}.zip`) as Uint8Array)
      disk.files.delete(`${own}${second}.zip`)
    },
    run: (workshop) => workshop.store.verify(),
    isDone: (disk) => expect(new Set([...objectsIn(disk, own), ...objectsIn(disk, '/shared/')]).size).toBe(11),
  },
  {
    name: 'prune',
    prepare: () => {},
    run: async (workshop) => {
      for (const hash of [...hashesWith('superseded'), ...hashesWith('unknown')])
        await workshop.store.prune({ names: [hash], force: true, confirm: async () => true }).catch(ignoreUnknownName)
    },
    isDone: (disk) => expect(objectsIn(disk, own)).toEqual([...hashesWith('used'), ...hashesWith('take')].sort()),
  },
]

/** A hash that is already gone is no known name any more. */
async function ignoreUnknownName(error: unknown): Promise<void> {
  if (!(error instanceof SpritewrightError) || error.code !== 'SW_USAGE') throw error
}

describe('a crash or a full disk', () => {
  test.each(cases)(
    '$name, killed at any change of the disk, is done by the next one, and no result is torn',
    async ({ prepare, run, isDone }) => {
      const before = posts()
      const stride = byLevel({ quick: 14, full: 1, long: 1 })
      let schedules = 0
      // The disk right after change n equals the disk right before change n + 1.
      for (let at = 1; ; at += stride, schedules++) {
        const disk = copyDisk()
        prepare(disk)
        const intact = objectsIn(disk, own)
        const ports = mortalPorts({ ...world, disk }, at, 'after')
        const killed = run(await world.workshop(options, ports))
        killed.catch(() => {})
        await world.clock.run(Promise.race([killed.then(() => {}), ports.died]))
        if (!ports.isDead()) break
        removeTemps(disk)
        const left = objectsIn(disk, own)
        expect(intact.filter((hash) => hashesWith('used').includes(hash) && !left.includes(hash))).toEqual([])
        await world.clock.run(run(await open(disk)))
        isDone(disk)
      }
      expect(schedules).toBeGreaterThan(byLevel({ quick: 1, full: 4, long: 4 }))
      expect(posts()).toBe(before)
      console.log(`${schedules} kills, no result lost or torn, nothing bought`)
    },
  )

  test.each(cases.slice(0, 3))(
    '$name on a full disk says so or goes on, leaves nothing torn, and is done once there is room',
    async ({ prepare, run, isDone }) => {
      let full = 0
      for (const folder of [own, '/shared/']) {
        const disk = copyDisk()
        prepare(disk)
        disk.fault = { call: `write ${folder}`, code: 'ENOSPC' }
        await world.clock.run(
          run(await open(disk))
            .catch((error: { code?: string }) => expect(error.code).toBe('ENOSPC'))
            .then(() => full++),
        )
        objectsIn(disk, own)
        objectsIn(disk, '/shared/')
        disk.fault = undefined
        await world.clock.run(run(await open(disk)))
        isDone(disk)
      }
      expect(full).toBe(2)
    },
  )
})

/** Removes what a crash left. A sweep does so after a day, and until then it does no harm. */
function removeTemps(disk: MemoryDisk): void {
  for (const path of [...disk.files.keys()]) if (path.endsWith('.tmp')) disk.files.delete(path)
}
