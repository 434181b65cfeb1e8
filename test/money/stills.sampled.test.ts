import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodePng, encodePng } from '../../atlas/index.ts'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { boughtElsewhere } from '../../src/job/records/bought-elsewhere.ts'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import { expectCount } from '../kit/expect-count.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { byLevel, level } from '../level.ts'
import { approveAll, drop, isExecute, type World, world } from './world.ts'

const base = [{ text: 'a fantasy icon on white, thick outline' }]
const spec = (fields: object): string => JSON.stringify(fields)
const icons = (pictures: object, over: object = {}): string => spec({ reference: { steps: base }, pictures, ...over })
const cut = (words: string) => [{ edit: words }, { removeBackground: words }]

/** A world with one spec `hero`, which is bought. */
async function bought(text: string): Promise<World> {
  const w = await world({}, text)
  const workshop = await w.workshop()
  await approveAll(workshop)
  await workshop.build()
  return w
}

describe('a set of icons', () => {
  const count = byLevel({ quick: 8, full: 24, long: 24 })
  /** Of each icon the edit and the cut-out, and their reference. */
  const purchases = 2 * count + 1
  const names = Array.from({ length: count }, (_, index) => `icon${String(index).padStart(2, '0')}`)
  const set = icons(Object.fromEntries(names.map((name) => [name, cut(`icon ${name}`)])), { size: 64 })

  test('C13, C34: is priced by the step, approved once, bought once, and lies on one page', async () => {
    const w = await world({}, set)
    const workshop = await w.workshop()
    const plan = await workshop.plan()
    expect([plan.items.length, plan.steps.length]).toEqual([count, 1 + count])
    expect(formatCredits(plan.total)).toBe(`${purchases}`)
    expect(plan.items.every(({ quote, changed }) => quote?.credits === parseCredits('1') && changed.length === 0)).toBe(true)
    let asked = 0
    await workshop.approve({
      names: ['hero'],
      confirm: async (lines) => {
        asked += lines.length
        return true
      },
    })
    expect(asked).toBe(purchases)
    const { sheets, ...report } = await workshop.build()
    expect(report.bought.map(({ credits }) => formatCredits(credits))).toEqual(Array.from({ length: purchases }, () => '1'))
    expectCount(w.service.charges(), purchases)
    const [atlas] = sheets.atlases
    expect([sheets.atlases.length, atlas?.pages.length]).toEqual([1, 1])
    expect(atlas?.frames.map(({ name, isStill }) => [name, isStill])).toEqual(names.map((name) => [`hero/${name}`, true]))
    expect(sheets.sprites[0]).toMatchObject({ name: 'hero', animations: [], pictures: names, isPlaceholder: false })
    const requests = w.service.requests().length
    const again = await (await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })).build()
    expect([again.bought, again.fromVault]).toEqual([[], count])
    expectCount(w.service.requests(), requests)
    const ledger = await workshop.ledger()
    expect(formatCredits(ledger.settled)).toBe(`${purchases}`)
    expect(ledger.lines.every(({ isPicture }) => isPicture)).toBe(true)
  })
})

describe('each operation that makes a picture buys one', () => {
  test.each<[string, object, readonly string[]]>([
    ['text_to_image', { reference: { steps: base } }, ['hero']],
    ['image_to_image', { reference: './hero.png', pictures: { face: [{ edit: 'its face' }] } }, ['hero.face']],
    ['background_remove', { reference: './hero.png', pictures: { face: [{ removeBackground: 'it' }] } }, ['hero.face']],
    ['upscale', { reference: { steps: [{ image: './hero.png' }, { upscale: 'it' }] } }, ['hero']],
    ['text_to_image', { reference: { steps: base }, pictures: { plain: [] } }, ['hero.plain']],
  ])('%s: %j', async (operation, fields, ids) => {
    const w = await world({}, spec(fields))
    const workshop = await w.workshop()
    await approveAll(workshop)
    const { bought: paid, sheets } = await workshop.build()
    expect(paid.map(({ id, credits }) => [id, formatCredits(credits)])).toEqual(ids.map((id) => [id, '1']))
    expect(w.service.requests().filter(isExecute)).toHaveLength(1)
    const { animations } = JSON.parse(await readFile(join(w.project.root, 'sprites.lock.json'), 'utf8')) as {
      animations: Record<string, object>
    }
    expect(Object.values(animations[ids[0] as string] ?? {})).toMatchObject([{ asked: { operation }, result: {} }])
    expect(sheets.atlases[0]?.frames.map(({ name }) => name)).toEqual(ids.map((id) => id.replace('.', '/')))
  })
})

describe('a picture of a game and a step of another sprite', () => {
  const badge = spec({ reference: { steps: base } })
  const walker = spec({ reference: { steps: base }, prompt: 'a walker', animations: { walk: { frames: 7 } } })

  test('that are one request are priced, approved and paid once, whichever comes first', async () => {
    const w = await world({}, walker)
    await w.project.write('sprites/badge.sprite.json', badge)
    const workshop = await w.workshop()
    const plan = await workshop.plan()
    // The step of the walker stands among the items, so the prices in the table add up to the total.
    expect([plan.items.map(({ id }) => id), plan.steps]).toEqual([['badge', 'hero.walk'], []])
    expect((await workshop.overview()).steps).toHaveLength(0)
    expect((await workshop.plan(['hero'])).steps.map(({ id }) => id)).toEqual(['hero#1'])
    expect(formatCredits(plan.total)).toBe(formatCredits(parseCredits('1') + (plan.items[1]?.quote?.credits ?? 0n)))
    expect(await approveAll(workshop)).toMatchObject({ approved: [{ id: 'hero#1' }, { id: 'hero.walk' }], untouched: [] })
    await workshop.build()
    expectCount(w.service.charges(), 2)
    expect((await (await w.workshop()).plan()).items.map(({ state }) => state)).toEqual(['bought', 'bought'])
  })

  if (level !== 'quick')
    test('is bought already where the other was bought before', async () => {
      for (const [first, second] of [
        [walker, badge],
        [badge, walker],
      ] as const) {
        const w = await bought(first)
        const paid = w.service.charges().length
        await w.project.write('sprites/other.sprite.json', second)
        const workshop = await w.workshop()
        await approveAll(workshop)
        await workshop.build()
        expectCount(w.service.charges(), paid + (second === badge ? 0 : 1))
      }
    })

  test('loses its approval under both names, once it is taken back', async () => {
    const w = await world({}, walker)
    await w.project.write('sprites/badge.sprite.json', badge)
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.revoke(['badge'])
    const states = new Map((await (await w.workshop()).plan()).items.map(({ id, state }) => [id, state]))
    expect(states.get('badge')).toBe('missing')
    const refusal = await (await w.workshop()).build({ names: ['hero'] }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'SW_APPROVAL' })
    expect(w.posts()).toBe(0)
  })
})

describe('a picture that is a step of another one', () => {
  let number = 0
  /** No two results are equal. */
  const image: EmbeddedOptions = {
    makers: {
      ...rememberedMakers,
      image: async (_request, _prompt, tools) => {
        await tools.onStep(1, 0)
        const bytes = encodePng({ width: 4, height: 4, data: new Uint8Array(64).fill(++number) })
        return { bytes, contentType: 'image/png', width: 4, height: 4, review: null }
      },
    },
  }
  const set = (take: number): string =>
    spec({ reference: { steps: [{ text: 'an icon', take }] }, pictures: { plain: [], sword: [{ edit: 'a sword' }] } })

  if (level !== 'quick')
    test('keeps its takes when others are pruned', async () => {
      const w = await world(image, set(1))
      for (const take of [1, 2]) {
        await w.project.write('sprites/hero.sprite.json', set(take))
        const workshop = await w.workshop()
        await approveAll(workshop)
        await workshop.build()
      }
      const { store } = await w.workshop()
      const uses = (await store.list()).results.flatMap((one) => one.uses.map(({ id }) => `${id} ${one.state}`))
      expect(uses.filter((use) => use.endsWith('take'))).toEqual(['hero.plain take'])
    })

  test('I3: counts once for another machine, whichever of its names has the purchase', async () => {
    const w = await world({}, spec({ reference: { steps: base }, prompt: 'a walker', animations: { walk: { frames: 7 } } }))
    await w.project.write('sprites/badge.sprite.json', spec({ reference: { steps: base } }))
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build({ names: ['badge'] })
    const lock = parseLockFile(await readFile(join(w.project.root, 'sprites.lock.json'), 'utf8'), 'sprites.lock.json')
    const sum = await boughtElsewhere(
      lock,
      new Map(),
      async () => false,
      async () => 0,
    )
    expect(formatCredits(sum)).toBe('1')
  })
})

describe('a bought picture', () => {
  const sword = icons({ sword: cut('a sword') })

  if (level !== 'quick')
    test('plays on after a change, which names its field, and another take is bought beside it', async () => {
      const w = await bought(sword)
      await w.project.write('sprites/hero.sprite.json', icons({ sword: [{ edit: 'a long sword' }, { removeBackground: 'a sword' }] }))
      const changed = (await (await w.workshop()).plan()).items[0]
      expect([changed?.state, changed?.changed, changed?.superseded?.frames]).toEqual(['missing', ['reference'], 1])
      const { sheets } = await (await w.workshop({ build: { unbought: 'placeholder' } })).build()
      expect(sheets.sprites[0]).toMatchObject({ superseded: ['sword'], isPlaceholder: false })
      await w.project.write('sprites/hero.sprite.json', icons({ sword: [{ edit: 'a sword' }, { removeBackground: 'a sword', take: 2 }] }))
      const workshop = await w.workshop()
      expect((await workshop.plan()).items[0]?.changed).toEqual(['take'])
      expect((await workshop.overview()).items[0]?.takes.map(({ take, state }) => [take, state])).toEqual([
        [1, 'bought'],
        [2, 'missing'],
      ])
      const before = w.service.charges().length
      await approveAll(workshop)
      await workshop.build()
      expectCount(w.service.charges(), before + 1)
      const kept = (await workshop.store.list()).results.flatMap(({ uses }) => uses.map(({ state }) => state))
      expect(kept.toSorted()).toEqual(['take', 'used', 'used', 'used'])
    })

  test('of the name of an animation is another request, and never shown in its place', async () => {
    const walker = { prompt: 'a walker', reference: './hero.png', animations: { walk: { frames: 7 } } }
    const w = await bought(spec(walker))
    await w.project.write('sprites/hero.sprite.json', spec({ reference: './hero.png', pictures: { walk: [{ edit: 'it walks' }] } }))
    const { sheets } = await (await w.workshop({ build: { unbought: 'placeholder' } })).build()
    expect(sheets.sprites[0]).toMatchObject({ isPlaceholder: true, pictures: ['walk'] })
    expect(sheets.sprites[0]?.superseded).toBeUndefined()
  })

  if (level !== 'quick')
    test('is replaced by a touched-up file of its name', async () => {
      const w = await bought(sword)
      const original = (await (await w.workshop()).originals('hero'))[0]
      expect(original?.file).toBe('sword.png')
      const picture = decodePng(original?.bytes as Uint8Array)
      picture.data.fill(200)
      await w.project.write('sprites/hero.frames/sword.png', encodePng(picture))
      const { sheets } = await (await w.workshop()).build()
      expect(sheets.sprites[0]).toMatchObject({ touchedUp: { sword: [0] } })
      await w.project.write('sprites/hero.frames/shield.png', encodePng(picture))
      await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_OVERRIDE' })
    })

  test('is sent again under its key after a lost answer, and charged once', async () => {
    let lost = 0
    const w = await world({ after: async (request, response) => (isExecute(request) && lost++ === 2 ? drop : response) }, sword)
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build()
    expectCount(w.service.charges(), 3)
    expect(w.posts()).toBe(4)
  })

  test('that cannot be read stops the build, is kept, and is not paid again', async () => {
    const w = await world(
      {
        makers: {
          ...rememberedMakers,
          image: async (_request, _prompt, tools) => {
            await tools.onStep(1, 0)
            const bytes = encodePng({ width: 4, height: 4, data: new Uint8Array(64).fill(90) })
            bytes[40] = (bytes[40] as number) ^ 1
            return { bytes, contentType: 'image/png', width: 4, height: 4, review: null }
          },
        },
      },
      spec({ reference: { steps: base } }),
    )
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    expectCount(w.service.charges(), 1)
  })
})
