import { expect, test } from 'vitest'
import { createWorkshop } from '../../src/workshop.ts'
import { lockable } from '../kit/lockable-disk.ts'
import { figurePng } from '../kit/project.ts'
import { hostOf, openGame, spec } from '../plugin/world.ts'

/**
 * A hero and a coin, each with its own picture. The disk can lock one file, as virus scanners and editors on
 * Windows do for a moment.
 */
async function world() {
  const game = await openGame()
  await game.write('package.json', '{"name":"game","private":true}')
  for (const name of ['hero', 'coin']) {
    await game.write(`${name}.png`, figurePng())
    await game.write(`${name}.sprite.json`, spec({ reference: `./${name}.png` }))
  }
  const { disk, lock, read } = lockable()
  const workshop = await createWorkshop({ root: game.root, options: {}, host: hostOf(game, {}, { disk }) })
  const look = async (...names: readonly string[]) => {
    const changed = names.map((name) => game.path(name))
    const [preview, overview] = [await workshop.preview(changed), await workshop.overview(changed)]
    return {
      shown: preview.sheets.sprites.map(({ name }) => name),
      told: overview.items.map(({ id }) => id),
      errors: [...preview.errors, ...overview.errors].map(({ code }) => code),
    }
  }
  return {
    game,
    read,
    look,
    lock: (name: string | undefined) => lock(name === undefined ? undefined : game.path(name)),
    close: async () => {
      await workshop.close()
      await game.remove()
    },
  }
}

test.each(['hero.png', 'hero.sprite.json'])(
  '%s that is locked for a moment is read with the next file that is saved, and its error is gone',
  async (name) => {
    const { lock, look, read, game, close } = await world()
    await look()
    lock(name)
    const { errors, shown } = await look(name)
    expect(new Set(errors)).toEqual(new Set(['SW_DISK']))
    expect(errors).toHaveLength(2)
    expect(shown).toEqual(['coin'])
    // As long as it is locked, each preview reports it.
    expect((await look('coin.sprite.json')).errors).toEqual(errors)
    lock(undefined)
    expect(await look('coin.sprite.json')).toEqual({ shown: ['coin', 'hero'], told: ['coin.walk', 'hero.walk'], errors: [] })
    read.length = 0
    await look('coin.sprite.json')
    expect(read).not.toContain(game.path(name))
    await close()
  },
)
