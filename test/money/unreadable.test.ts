import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import type { FaultDeed } from '../../src/embedded/options/fault-plan.ts'
import type { Makers } from '../../src/embedded/options/options.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { PruneLine } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { approveAll, type World, world } from './world.ts'

const text = JSON.stringify({ reference: './hero.png', prompt: 'a small figure', animations: { walk: { frames: 7 } } })

/** Makers of a small sheet. */
const makers: Makers = {
  image: () => Promise.reject(new Error('Expected no picture to be bought.')),
  sheet: async () => {
    const frames = Array.from({ length: 7 }, (_, index) => createBitmap(8, 8, new Uint8Array(256).fill(30 * (index + 1))))
    const { zip, width, height } = await packDelivery(frames, defaultShapes.names)
    return { bytes: zip, contentType: 'application/zip', width, height, review: null }
  },
}

/** A world whose service spoils the first downloads, and then gives them whole. */
const spoiling = async (file: FaultDeed['file'], times: number): Promise<World> => {
  const w = await world({ makers, faults: { rules: [{ when: { origin: 'assets', times }, do: { file } }] } }, text)
  await approveAll(await w.workshop())
  return w
}

const folder = (w: World): string => join(w.project.root, '.spritewright/results')
const hashesOf = async (w: World): Promise<string[]> => (await readdir(folder(w))).map((name) => name.slice(0, 64)).sort()
/** SHA-256 of the result in the lock file. */
async function resultOf(w: World): Promise<string> {
  type Lock = { readonly animations: Readonly<Record<string, Readonly<Record<string, { result?: { sha256: string } }>>>> }
  const lock = JSON.parse(await readFile(join(w.project.root, 'sprites.lock.json'), 'utf8')) as Lock
  return Object.values(lock.animations['hero.walk'] ?? {})[0]?.result?.sha256 ?? ''
}

const downloads = (w: World): number => w.service.requests().filter(({ origin }) => origin === 'assets').length

/** Every copy has the bytes of its name. */
async function expectNothingOverwritten(w: World): Promise<void> {
  for (const name of await readdir(folder(w))) expect(sha256(await readFile(join(folder(w), name)))).toBe(name.slice(0, 64))
}

describe('a paid delivery that cannot be read', () => {
  test.each(['damaged', 'half'] as const)(
    'I4: a download that comes %s once is fetched again in the same build; both copies are kept',
    async (file) => {
      const w = await spoiling(file, 1)
      const report = await (await w.workshop()).build()
      expect(report.sheets.sprites).toMatchObject([{ name: 'hero', isPlaceholder: false }])
      expect(report.warnings).toEqual([expect.stringMatching(/^hero\.walk: the file could not be read .* fetched again, for free/)])
      expect([w.posts(), w.service.charges().length, downloads(w)]).toEqual([1, 1, 2])
      const hashes = await hashesOf(w)
      expect(hashes).toHaveLength(2)
      expect(hashes).toContain(await resultOf(w))
      await expectNothingOverwritten(w)
      // I10: the next build asks nobody.
      const requests = w.service.requests().length
      expect((await (await w.workshop()).build()).bought).toEqual([])
      expectCount(w.service.requests(), requests)
    },
  )

  test('I9: a service that gives the same unreadable bytes is asked once more, and the error says so', async () => {
    const w = await spoiling('half', 99)
    await expect((await w.workshop()).build()).rejects.toMatchObject({
      code: 'SW_DELIVERY',
      message: expect.stringContaining('It was fetched again, and the service gives the same bytes.'),
    })
    expect([w.posts(), w.service.charges().length, downloads(w)]).toEqual([1, 1, 2])
    expect(await hashesOf(w)).toEqual([await resultOf(w)])
  })

  test('I9: a service that gives other unreadable bytes each time is asked a bounded number of times', async () => {
    let turn = 0
    const after = async (request: { origin: string }, response: { status: number }): Promise<never> =>
      (request.origin === 'assets' && response.status === 200
        ? { status: 200, headers: { 'content-length': '5' }, body: new TextEncoder().encode(`PK ${10 + turn++}`) }
        : response) as never
    const w = await world({ makers, after }, text)
    await approveAll(await w.workshop())
    await expect((await w.workshop()).build()).rejects.toMatchObject({
      code: 'SW_DELIVERY',
      message: expect.stringContaining('2 times more'),
    })
    expect([w.posts(), downloads(w)]).toEqual([1, 3])
    expect(await hashesOf(w)).toHaveLength(3)
    expect(await resultOf(w)).toBe(sha256(new TextEncoder().encode('PK 10')))
    await expectNothingOverwritten(w)
  })

  test('I4: a result that an earlier build has left unreadable needs one build, once the service gives it whole', async () => {
    const w = await spoiling('damaged', 2)
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    const broken = await resultOf(w)
    expect((await (await w.workshop()).build()).sheets.sprites).toMatchObject([{ isPlaceholder: false }])
    expect(await resultOf(w)).not.toBe(broken)
    expect(await hashesOf(w)).toEqual([broken, await resultOf(w)].sort())
    expect([w.posts(), w.service.charges().length]).toEqual([1, 1])
  })

  test('with --frozen it is not fetched again, and the lock file stays as it is', async () => {
    const w = await spoiling('damaged', 2)
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    const lock = await readFile(join(w.project.root, 'sprites.lock.json'), 'utf8')
    const requests = w.service.requests().length
    const error = expect.stringContaining('With --frozen it is not fetched again')
    await expect((await w.workshop()).build({ frozen: true })).rejects.toMatchObject({ code: 'SW_DELIVERY', message: error })
    expect(await readFile(join(w.project.root, 'sprites.lock.json'), 'utf8')).toBe(lock)
    expectCount(w.service.requests(), requests)
  })

  test('I4: another checkout fetches it again by the lock file alone', async () => {
    const w = await spoiling('damaged', 2)
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    for (const gone of ['.state', '.spritewright/submissions']) await rm(join(w.project.root, gone), { recursive: true })
    expect((await (await w.workshop()).build()).sheets.sprites).toMatchObject([{ isPlaceholder: false }])
    expect([w.posts(), w.service.charges().length]).toEqual([1, 1])
    expect(await hashesOf(w)).toHaveLength(2)
  })

  test('without a key, the build names the file and the reason why it was not fetched again', async () => {
    const w = await spoiling('damaged', 2)
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    const result = await resultOf(w)
    const keyless = await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })
    await expect(keyless.build()).rejects.toMatchObject({
      code: 'SW_DELIVERY',
      facts: { id: 'hero.walk', result },
      message: expect.stringContaining('SPRITEWRIGHT_API_KEY'),
    })
  })

  test('what the service has forgotten stays, and nothing is bought in its place', async () => {
    const w = await spoiling('damaged', 2)
    const workshop = await w.workshop()
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    await workshop.forget('hero', async () => true)
    await expect((await w.workshop()).build()).rejects.toMatchObject({
      code: 'SW_DELIVERY',
      message: expect.stringContaining('It could not be fetched again'),
    })
    expect([w.posts(), w.service.charges().length]).toEqual([1, 1])
    expect(await hashesOf(w)).toEqual([await resultOf(w)])
  })
})

describe('a picture of a chain that cannot be read', () => {
  const chain = JSON.stringify({ reference: { steps: [{ text: 'a knight' }] }, prompt: 'a knight', animations: { walk: { frames: 7 } } })
  const chained: Makers = { ...makers, image: rememberedMakers.image }

  test.each([
    ['for good', 99, 1],
    ['once', 1, 2],
  ])('I9: damaged %s, nothing is bought from it before it is whole', async (_, times, charges) => {
    const faults = { rules: [{ when: { origin: 'assets' as const, times }, do: { file: 'damaged' as const } }] }
    const w = await world({ makers: chained, faults }, chain)
    await approveAll(await w.workshop())
    const build = (await w.workshop()).build()
    if (charges === 1)
      await expect(build).rejects.toMatchObject({
        code: 'SW_DELIVERY',
        message: expect.stringContaining('nothing that builds on it was sent'),
      })
    else expect((await build).sheets.sprites).toMatchObject([{ isPlaceholder: false }])
    expect([w.posts(), w.service.charges().length]).toEqual([charges, charges])
  })
})

describe('a paid delivery with one frame of another size', () => {
  test('is built, with that frame on the canvas of the others, and flagged', async () => {
    const w = await spoiling('odd-frame', 99)
    const { sheets, warnings } = await (await w.workshop()).build()
    expect(
      sheets.atlases.flatMap(({ frames }) => frames.map(({ sourceWidth, sourceHeight }) => `${sourceWidth} × ${sourceHeight}`)),
    ).toEqual(Array.from({ length: 7 }, () => '8 × 8'))
    expect(sheets.quality?.[0]?.flags.filter(({ fault }) => fault === 'frame-size')).toEqual([
      { fault: 'frame-size', from: 'frames', frames: [1], words: expect.stringMatching(/^delivered as 6 × 6 pixels, the others as 8 × 8/) },
    ])
    // It can be read, so it is not fetched again.
    expect([w.posts(), downloads(w), warnings]).toEqual([1, 1, []])
  })
})

describe('the store of a result that cannot be read', () => {
  /** A project with a stored result that cannot be read, at a service that spoils further downloads. */
  const unread = async (more = 0): Promise<{ w: World; broken: string }> => {
    const w = await spoiling('half', 2 + more)
    await expect((await w.workshop()).build({})).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    return { w, broken: await resultOf(w) }
  }

  test('verify opens archives, and replaces one that cannot be read by a readable copy; the old one stays', async () => {
    const { w, broken } = await unread()
    const { store } = await w.workshop()
    expect(await store.verify()).toMatchObject({
      checked: 1,
      good: 0,
      findings: [
        { sha256: broken, ids: ['hero.walk'], outcome: 'mended', words: expect.stringMatching(/cannot be read: .* this copy is kept/) },
      ],
    })
    const whole = await resultOf(w)
    expect(await hashesOf(w)).toEqual([broken, whole].sort())
    // Nobody needs the old copy any more, so it is told and does not fail the check.
    expect((await store.verify()).findings).toMatchObject([
      { sha256: broken, outcome: 'unreadable', words: expect.stringContaining('store prune') },
    ])
    expect((await (await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })).build()).sheets.sprites).toMatchObject([{ isPlaceholder: false }])
    expect([w.posts(), w.service.charges().length]).toEqual([1, 1])
  })

  test('verify says which result cannot be read if the service gives no other bytes, or is not asked', async () => {
    const { w, broken } = await unread(9)
    const finding = { sha256: broken, ids: ['hero.walk'], outcome: 'unmended' }
    expect((await (await w.workshop()).store.verify()).findings).toMatchObject([
      { ...finding, words: expect.stringContaining('the service gives the same bytes') },
    ])
    const keyless = await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })
    expect((await keyless.store.verify()).findings).toMatchObject([{ ...finding, words: expect.stringContaining('SPRITEWRIGHT_API_KEY') }])
    expect(await hashesOf(w)).toEqual([broken])
  })

  test('prune deletes it, by its hash or its name, once a readable copy has taken its place', async () => {
    for (const toName of [(hash: string) => hash, () => 'hero.walk']) {
      const { w, broken } = await unread()
      const seen: string[][] = []
      const confirm = async (lines: readonly PruneLine[]): Promise<boolean> => {
        // The readable copy is here before anything is deleted.
        seen.push(
          lines.map(({ name }) => name),
          await hashesOf(w),
        )
        return true
      }
      expect(await (await w.workshop()).store.prune({ names: [toName(broken)], confirm })).toMatchObject({ isDone: true })
      const whole = await resultOf(w)
      expect(seen).toEqual([[broken], [broken, whole].sort()])
      expect(await hashesOf(w)).toEqual([whole])
      expect((await (await w.workshop()).build()).sheets.sprites).toMatchObject([{ isPlaceholder: false }])
      expect([w.posts(), w.service.charges().length]).toEqual([1, 1])
    }
  })

  test('prune keeps it while no copy can be read', async () => {
    const { w, broken } = await unread(9)
    const prune = (await w.workshop()).store.prune({ names: [broken], force: true, confirm: async () => true })
    await expect(prune).rejects.toMatchObject({ code: 'SW_USAGE', message: expect.stringContaining('cannot be read') })
    expect(await hashesOf(w)).toEqual([broken])
  })
})
