import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createBitmap, encodePng, pictureInfo } from '../../atlas/index.ts'
import { digestFolder } from '../e2e/vite-process.ts'
import { type Dev, type HotMessage, isUpdateOf, startDev } from './server.ts'
import { configOf, createHappenings, type Game, key, openShelf, pluginOf, type Shelf, spec, vites } from './world.ts'

let shelf: Shelf
const open: { close(): Promise<unknown> }[] = []
beforeAll(async () => {
  shelf = await openShelf()
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => shelf.close())

/** A frame of the hero in one grey, by default as large as the delivered frames. */
async function greyFrame(game: Game, shade: number, side?: number): Promise<Uint8Array> {
  const workshop = await shelf.workshop(game)
  const { sheets } = await workshop.preview()
  await workshop.close()
  const hero = sheets.sprites.find(({ name }) => name === 'hero') as { width: number; height: number }
  const frame = createBitmap(side ?? hero.width, side ?? hero.height)
  frame.data.fill(shade)
  return encodePng(frame)
}

/** An export of Aseprite: only frame 3, on a sheet of its own size. */
function asExport({ width: w, height: h }: { readonly width: number; readonly height: number }): string {
  const whole = { x: 0, y: 0, w, h }
  const frame = { frame: whole, rotated: false, trimmed: false, spriteSourceSize: whole, sourceSize: { w, h }, duration: 100 }
  return JSON.stringify({ frames: { 'hero 3.aseprite': frame }, meta: { image: 'walk.png' } })
}

const pagesOf = ({ data }: HotMessage): string => (data?.sprites[0]?.atlases[0]?.pages ?? []).map(({ url }) => url).join()

describe('touched-up frames in a project', () => {
  test('survive a rebuild, are in the build alone, and cost nothing: neither service, vault nor papers know of them', async () => {
    const game = await shelf.game()
    const asked = shelf.requests().length
    const papers = async (): Promise<unknown> => [await digestFolder(game.path('.spritewright')), await game.read('sprites.lock.json')]
    const before = await papers()
    const pages = async (options = {}): Promise<readonly string[]> => {
      const workshop = await shelf.workshop(game, options)
      const { sheets, bought } = await workshop.build()
      expect(bought).toEqual([])
      expect(await workshop.plan()).toMatchObject({ total: 0n })
      expect((await workshop.status()).items.every(({ state }) => state === 'bought')).toBe(true)
      await workshop.close()
      return sheets.atlases.flatMap((atlas) => atlas.pages.map(({ sha256 }) => sha256))
    }
    const bare = await pages()
    await game.write('sprites/hero.frames/walk/0003.png', await greyFrame(game, 200))
    const touched = await pages()
    expect(touched).not.toEqual(bare)
    await game.remove('node_modules')
    expect(await pages()).toEqual(touched)
    await game.write('sprites/hero.sprite.json', spec({}, { use: [0, 1, 2], fps: 8 }))
    const short = await pages()
    await game.remove('sprites/hero.frames')
    expect(await pages()).toEqual(short)
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 8 }))
    expect(await pages()).toEqual(bare)
    expect(await papers()).toEqual(before)
    expect(shelf.requests()).toHaveLength(asked)
  })

  test('are named by their frames, whole pictures and exports alike; those of a placeholder are not', async () => {
    const game = await shelf.game()
    const grey = await greyFrame(game, 90)
    await game.write('sprites/hero.frames/walk/0005.png', grey)
    await game.write('sprites/hero.frames/walk.png', grey)
    await game.write('sprites/hero.frames/walk.json', asExport(pictureInfo(grey)))
    const touchedUp = async (): Promise<unknown> => {
      const workshop = await shelf.workshop(game)
      const { sheets } = await workshop.preview()
      await workshop.close()
      return sheets.sprites.map((sprite) => [sprite.name, sprite.touchedUp])
    }
    expect(await touchedUp()).toEqual([
      ['coin', undefined],
      ['hero', { walk: [3, 5] }],
    ])
    await game.remove('sprites.lock.json')
    await game.remove('.spritewright')
    expect(await touchedUp()).toEqual([
      ['coin', undefined],
      ['hero', undefined],
    ])
  })

  test('begin with what was delivered: those frames, laid over themselves, change nothing, at whatever size the game has them', async () => {
    const game = await shelf.game({ 'sprites/hero.sprite.json': spec({ size: 40, stabilize: true }, { use: [3, 4], fps: 8 }) })
    const workshop = await shelf.workshop(game)
    const pages = async (): Promise<readonly string[]> => {
      const { sheets } = await workshop.build()
      return sheets.atlases.flatMap((atlas) => atlas.pages.map(({ sha256 }) => sha256))
    }
    const bare = await pages()
    const originals = await workshop.originals('hero')
    expect(originals.map(({ file }) => file)).toEqual(Array.from({ length: 7 }, (_, at) => `walk/000${at}.png`))
    for (const { file, bytes } of originals) await game.write(`sprites/hero.frames/${file}`, bytes)
    expect(await pages()).toEqual(bare)
    expect((await workshop.review('hero.walk')).animations).toHaveLength(1)
    await expect(workshop.originals('nobody')).rejects.toMatchObject({ code: 'SW_USAGE' })
    await workshop.close()
  })

  test('that do not fit fail a build and a review; a preview goes on without them and tells; status passes over them', async () => {
    const game = await shelf.game()
    await game.write('sprites/hero.frames/walk/0003.png', await greyFrame(game, 200, 8))
    await game.write('sprites/coin.frames/run/0003.png', await greyFrame(game, 200))
    const workshop = await shelf.workshop(game)
    const told = { code: 'SW_OVERRIDE', facts: { file: game.path('sprites/coin.frames/run') } }
    await expect(workshop.build()).rejects.toMatchObject(told)
    await expect(workshop.review('coin')).rejects.toMatchObject(told)
    await expect(workshop.review('hero')).rejects.toMatchObject({ facts: { found: { width: 8, height: 8 } } })
    const { sheets, errors } = await workshop.preview()
    expect(errors.map(({ facts }) => facts.file)).toEqual([told.facts.file, game.path('sprites/hero.frames/walk/0003.png')])
    expect(sheets.sprites.map(({ name, isPlaceholder }) => [name, isPlaceholder])).toEqual([
      ['coin', false],
      ['hero', false],
    ])
    expect((await workshop.delivered('hero.walk')).sheets.sprites.map(({ name }) => name)).toEqual(['hero'])
    expect((await workshop.status()).quality?.map(({ id }) => id)).toEqual(['coin.spin'])
    await workshop.close()
  })
})

describe.each(vites)('touched-up frames with %s', (_version, load) => {
  test('are swapped in when they are saved; one that does not fit is told with its file; taken away, the bought ones are back', async () => {
    const game = await shelf.game()
    const dev: Dev = await startDev(await load(), game, pluginOf(game, { env: { SPRITEWRIGHT_API_KEY: key } }))
    open.push(dev)
    await dev.crawl('/src/main.js')
    await game.write('sprites/hero.frames/walk/0003.png', await greyFrame(game, 200))
    const first = pagesOf(await dev.told.next(isUpdateOf('hero')))
    await game.write('sprites/hero.frames/walk/0003.png', await greyFrame(game, 90))
    const second = pagesOf(await dev.told.next((message) => isUpdateOf('hero')(message) && pagesOf(message) !== first))
    const file = game.path('sprites/hero.frames/walk/0003.png')
    await game.write('sprites/hero.frames/walk/0003.png', await greyFrame(game, 90, 8))
    const { err } = await dev.told.next(({ err }) => err?.message.includes('found 8 × 8') === true)
    expect(err).toMatchObject({ plugin: 'spritewright', id: file })
    await game.remove('sprites/hero.frames')
    await dev.told.next(({ event }) => event === 'spritewright:mended')
    // The same frame as an export. Its sheet without the JSON belongs to no frame.
    await game.write('sprites/hero.frames/walk.json', asExport(pictureInfo(await greyFrame(game, 90))))
    await game.write('sprites/hero.frames/walk.png', await greyFrame(game, 90))
    await dev.told.next((message) => isUpdateOf('hero')(message) && pagesOf(message) === second)
    expect(dev.told.all.filter(({ type }) => type === 'full-reload')).toEqual([])
  })

  test('are watched by build --watch, from their first one on, and a new spec beside them too', async () => {
    const game = await shelf.game()
    const events = createHappenings<{ readonly code: string }>()
    const { build } = await load()
    const watcher = (await build(configOf(game, pluginOf(game), { build: { watch: {} } }))) as unknown as {
      on(name: 'event', listener: (event: { code: string }) => void): void
      close(): Promise<void>
    }
    open.push(watcher)
    watcher.on('event', (event) => events.push(event))
    const isEnd = ({ code }: { code: string }): boolean => code === 'END'
    // While a build empties the listed folder, there is no file.
    const page = async (): Promise<string | undefined> => (await game.list('dist').catch(() => [])).find((name) => name.endsWith('.png'))
    const script = async (): Promise<string> => {
      const name = (await game.list('dist').catch(() => [])).find((other) => other.endsWith('.js'))
      return name === undefined ? '' : game.read(name).catch(() => '')
    }
    const pageOtherThan = async (...others: readonly string[]): Promise<string> => {
      for (;;) {
        await events.next(isEnd)
        const now = await page()
        if (now !== undefined && !others.includes(now)) return now
      }
    }
    const bare = await pageOtherThan()
    await game.write('sprites/hero.frames/walk/0003.png', await greyFrame(game, 200))
    const first = await pageOtherThan(bare)
    await game.write('sprites/hero.frames/walk/0003.png', await greyFrame(game, 90))
    await pageOtherThan(bare, first)
    await game.remove('sprites/hero.frames')
    while ((await pageOtherThan()) !== bare);
    await game.write('sprites/twin.sprite.json', await game.read('sprites/hero.sprite.json'))
    while (!(await script()).includes('twin/walk')) await events.next(isEnd)
  })
})
