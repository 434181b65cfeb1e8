import { describe, expect, test } from 'vitest'
import { addSprite, type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

const limits = { post: 1000, get: 10_000, download: 1000 }

/** A project of one sprite, with takes of it bought in this order. */
async function bought(...takes: readonly number[]): Promise<SimulatedWorld> {
  const world = await simulatedWorld(0, { limits })
  addSprite(world, 'hero', 1)
  for (const take of takes) {
    choose(world, take)
    const workshop = await world.workshop({ limits })
    await world.clock.run(workshop.approve({ names: [], confirm: async () => true }))
    await world.clock.run(workshop.build({ buyOnly: true }))
  }
  return world
}

/** Writes a take, and other fields of the animation, into the spec. */
function choose(world: SimulatedWorld, take: number, more: object = {}, prompt = 'a figure hero'): void {
  const animations = { walk: { frames: 7, take, ...more } }
  world.write('sprites/hero.sprite.json', JSON.stringify({ reference: './hero.png', prompt, animations }))
}

const takesOf = async (world: SimulatedWorld) => {
  const workshop = await world.workshop({ limits })
  return (await world.clock.run(workshop.overview())).items[0]?.takes
}
const delivered = async (world: SimulatedWorld, take?: number, id = 'hero.walk') => {
  const workshop = await world.workshop({ limits })
  return world.clock.run(workshop.delivered(id, take))
}

describe('the takes of an animation', () => {
  test('are those that were bought and the chosen one, by number', async () => {
    const world = await bought(3, 1)
    choose(world, 2)
    expect(await takesOf(world)).toEqual([
      { take: 1, state: 'bought' },
      { take: 2, state: 'missing' },
      { take: 3, state: 'bought' },
    ])
    choose(world, 3)
    expect(await takesOf(world)).toEqual([
      { take: 1, state: 'bought' },
      { take: 3, state: 'bought' },
    ])
  })

  test('are each what the spec would ask for: with other words no earlier take counts', async () => {
    const world = await bought(1, 2)
    choose(world, 1, {}, 'another figure')
    const takes = await takesOf(world)
    expect(takes).toContainEqual({ take: 1, state: 'missing' })
    expect(takes?.some(({ state }) => state === 'bought')).toBe(false)
  })

  test('are those of the service that is set', async () => {
    const world = await bought(1, 2)
    const workshop = await world.workshop({ limits }, { env: { ...world.env, SPRITEWRIGHT_BASE_URL: 'https://other.example' } })
    expect((await world.clock.run(workshop.overview())).items[0]?.takes).toEqual([{ take: 2, state: 'missing' }])
  })

  test('of a sprite that was never bought are the chosen one alone', async () => {
    const world = await bought()
    expect(await takesOf(world)).toEqual([{ take: 1, state: 'missing' }])
  })
})

describe('all frames of a take', () => {
  test('are the delivered ones in their order, whichever of them the spec plays and at whichever scale', async () => {
    const world = await bought(1)
    choose(world, 1, { use: [3, 0], durations: [50, 70] })
    const { take, sheets, quality } = await delivered(world)
    expect(take).toBe(1)
    const [atlas] = sheets.atlases
    expect(sheets.atlases).toHaveLength(1)
    expect(atlas?.scale).toBe(1)
    expect(atlas?.animations.map(({ frames }) => frames.map(({ name }) => Number(name.slice(-4))))).toEqual([[0, 1, 2, 3, 4, 5, 6]])
    expect(quality?.id).toBe('hero.walk')
    expect(sheets.sprites[0]).toMatchObject({ name: 'hero', isPlaceholder: false })
  })

  test('of another take than the chosen one are its own, and of one that is not bought a placeholder', async () => {
    const world = await bought(1, 2)
    const flags = async (take: number): Promise<unknown> => {
      const { sheets, ...found } = await delivered(world, take)
      return [found.take, sheets.sprites[0]?.isPlaceholder, found.quality !== undefined]
    }
    expect(await flags(1)).toEqual([1, false, true])
    expect(await flags(2)).toEqual([2, false, true])
    expect(await flags(3)).toEqual([3, true, false])
  })

  test('of an unknown animation are refused by its name; those of a broken spec with its error', async () => {
    const world = await bought()
    await expect(delivered(world, undefined, 'hero.run')).rejects.toMatchObject({ code: 'SW_USAGE' })
    await expect(delivered(world, undefined, 'hero')).rejects.toMatchObject({ code: 'SW_USAGE', facts: { name: 'hero' } })
    world.write('sprites/hero.sprite.json', '{')
    await expect(delivered(world)).rejects.toMatchObject({ code: 'SW_SPEC' })
  })
})
