import { rename, writeFile } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createBitmap, encodePng, writeAseprite } from '../../atlas/index.ts'
import { toTextures } from '../../plugin/runtime/phaser/data.ts'
import type { AtlasData } from '../../plugin/runtime/shared/data.ts'
import { type Dev, type HotMessage, isUpdateOf, startDev } from './server.ts'
import { type Game, openGame, pluginOf, vites } from './world.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

function grey(shade: number, side = 8): Uint8Array {
  const picture = createBitmap(side, side)
  picture.data.fill(shade)
  return encodePng(picture)
}

function orc(shade: number): Uint8Array {
  const bitmap = createBitmap(8, 8)
  bitmap.data.fill(shade)
  return writeAseprite({ width: 8, height: 8, frames: [{ bitmap, durationMs: 100 }], tags: [], slices: [] })
}

/** A game of own art, without service and key. */
async function drawnGame(more: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Game> {
  const game = await openGame()
  open.push({ close: () => game.remove() })
  const files = {
    'package.json': '{"name":"game","private":true,"type":"module"}',
    'index.html': '<!doctype html><script type="module" src="/src/main.js"></script>',
    'src/main.js': "import ui from '../art/ui.sprite.json'\nglobalThis.sprites = { ui }\n",
    'art/ui.sprite.json': '{ "source": "./ui/" }',
    'art/ui/sword.png': grey(50),
    'art/ui/walk_1.png': grey(60),
    'art/ui/walk_2.png': grey(70),
    ...more,
  }
  for (const [name, content] of Object.entries(files)) await game.write(name, content)
  return game
}

const pagesOf = ({ data }: HotMessage): string => (data?.sprites[0]?.atlases[0]?.pages ?? []).map(({ url }) => url).join()

describe.each(vites)('own art with %s', (_version, load) => {
  test('is swapped in however an editor saves it: in place, by rename, in two writes; new and gone pictures too', async () => {
    const game = await drawnGame()
    const dev: Dev = await startDev(await load(), game, pluginOf(game))
    open.push(dev)
    await dev.crawl('/src/main.js')
    let last = ''
    const next = async (): Promise<HotMessage> => {
      const message = await dev.told.next((one) => isUpdateOf('ui')(one) && pagesOf(one) !== last)
      last = pagesOf(message)
      return message
    }
    const sword = game.path('art/ui/sword.png')
    await game.write('art/ui/sword.png', grey(51))
    const message = await next()
    expect(message.data?.sprites[0]).toMatchObject({ pictures: { sword: 'ui/sword' }, order: ['walk'], isPlaceholder: false })
    await writeFile(`${sword}.tmp`, grey(52))
    await rename(`${sword}.tmp`, sword)
    await next()
    await writeFile(sword, grey(53).subarray(0, 20))
    await writeFile(sword, grey(53))
    await next()
    await game.write('art/ui/shield.png', grey(90))
    expect(Object.keys((await next()).data?.sprites[0]?.pictures ?? {})).toEqual(['shield', 'sword'])
    await game.remove('art/ui/shield.png')
    expect(Object.keys((await next()).data?.sprites[0]?.pictures ?? {})).toEqual(['sword'])
  })

  test('gives borders to the picture that the spec names, in the data of both runtimes', async () => {
    const game = await drawnGame()
    const dev: Dev = await startDev(await load(), game, pluginOf(game))
    open.push(dev)
    await dev.crawl('/src/main.js')
    await game.write('art/ui/panel.png', grey(80))
    await game.write('art/ui.sprite.json', '{ "source": "./ui/", "borders": { "panel": 2 } }')
    const { data } = await dev.told.next((one) => isUpdateOf('ui')(one) && one.data?.sprites[0]?.atlases[0]?.borders !== undefined)
    const atlas = data?.sprites[0]?.atlases[0] as AtlasData
    expect(atlas.borders).toEqual({ 'ui/panel': [2, 2, 2, 2] })
    const sliced = toTextures(atlas).flatMap(({ frames }) => frames.flatMap((one) => (one.scale9Borders ? [one.filename] : [])))
    expect(sliced).toEqual(['ui/panel'])
  })

  test('that is broken is told with its file, what is shown stays, and it comes back when it is whole', async () => {
    const game = await drawnGame()
    const dev: Dev = await startDev(await load(), game, pluginOf(game))
    open.push(dev)
    await dev.crawl('/src/main.js')
    await game.write('art/ui/sword.png', 'no picture')
    const told = await dev.told.next(({ type }) => type === 'error')
    expect(told.err?.message).toContain('sword.png')
    await game.write('art/ui/sword.png', grey(99))
    await dev.told.next(isUpdateOf('ui'))
  })

  test('by a sheet: a changed JSON alone is swapped in', async () => {
    const json = (duration: number): string =>
      JSON.stringify({
        frames: [0, 1].map((x) => ({ filename: `${x}`, frame: { x: x * 4, y: 0, w: 4, h: 8 }, duration })),
        meta: { image: 'goblin.png' },
      })
    const game = await drawnGame({
      'art/ui.sprite.json': '{ "source": "./goblin.json" }',
      'art/goblin.json': json(100),
      'art/goblin.png': grey(5),
    })
    const dev: Dev = await startDev(await load(), game, pluginOf(game))
    open.push(dev)
    await dev.crawl('/src/main.js')
    await game.write('art/goblin.json', json(50))
    const message = await dev.told.next(isUpdateOf('ui'))
    expect(message.data?.sprites[0]?.animations.all).toMatchObject({ fps: 20 })
  })

  test('whose source is not there when the server starts comes when it is saved', async () => {
    const game = await drawnGame({ 'art/ui.sprite.json': '{ "source": "./goblin.json" }', 'art/goblin.png': grey(5) })
    const dev: Dev = await startDev(await load(), game, pluginOf(game))
    open.push(dev)
    await expect(dev.crawl('/src/main.js')).rejects.toThrow('goblin.json: expected a file or folder, found nothing')
    await game.write(
      'art/goblin.json',
      '{ "frames": { "a": { "frame": { "x": 0, "y": 0, "w": 4, "h": 8 } } }, "meta": { "image": "goblin.png" } }',
    )
    await dev.told.next(({ type }) => type === 'full-reload')
    await dev.crawl('/src/main.js')
  })

  test('is imported without a spec: a folder and an Aseprite file, new pictures of the folder too', async () => {
    const game = await drawnGame({
      'src/main.js': "import hud from '../art/hud.sprites'\nimport orc from '../art/orc.aseprite'\nglobalThis.sprites = { hud, orc }\n",
      'art/hud.sprites/heart.png': grey(20),
      'art/orc.aseprite': orc(30),
    })
    const dev: Dev = await startDev(await load(), game, pluginOf(game, { options: { specs: ['**/*.sprites/**', '**/*.aseprite'] } }))
    open.push(dev)
    await dev.crawl('/src/main.js')
    await game.write('art/hud.sprites/star.png', grey(21))
    expect((await dev.told.next(isUpdateOf('hud'))).data?.sprites[0]?.pictures).toEqual({ heart: 'hud/heart', star: 'hud/star' })
    await game.write('art/orc.aseprite', orc(31))
    await dev.told.next(isUpdateOf('orc'))
  })
})
