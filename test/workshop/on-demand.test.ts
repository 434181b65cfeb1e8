import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Game, openShelf, type Shelf } from '../plugin/world.ts'

const state = vi.hoisted(() => ({ isMissing: false }))
vi.mock('../../src/workshop/on-demand.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../src/workshop/on-demand.ts')>()
  return {
    ...real,
    createPreviewer: (...given: Parameters<typeof real.createPreviewer>) => {
      if (state.isMissing) throw new Error('Cannot find module.')
      return real.createPreviewer(...given)
    },
  }
})

let shelf: Shelf
let game: Game
beforeAll(async () => {
  shelf = await openShelf()
  game = await shelf.game()
})
afterAll(() => shelf.close())

test('what could not be loaded while the package was installed anew is asked for again, and keeps nobody from closing', async () => {
  const workshop = await shelf.workshop(game)
  const other = await shelf.workshop(game)
  state.isMissing = true
  await expect(workshop.preview()).rejects.toThrow('Cannot find module.')
  await expect(other.preview()).rejects.toThrow('Cannot find module.')
  await other.close()
  state.isMissing = false
  expect((await workshop.preview()).specs.map(({ name }) => name)).toContain('hero')
  await workshop.close()
})
