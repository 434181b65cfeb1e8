import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { serve } from './dev-project.ts'

const ofSprite = (name: string) => ({ kind: 'sprite', file: `${name}.sprite.json` }) as const
const ofAtlas = (name: string) => ({ kind: 'atlas', name }) as const

describe('a dev server', () => {
  test('makes what a module imports, writes its typings before the page has it, and makes nothing twice', async () => {
    const { sprites, since } = await serve({ ant: 1, bee: 2 })
    expect(since()).toEqual(['watch /game'])
    const codes = [await sprites.moduleOf(ofSprite('ant')), await sprites.moduleOf(ofAtlas('ant'))]
    expect(since()).toEqual(['read all for ', 'typings ant,bee', 'read  for ant', 'watch /art/ant,/art/ant.png'])
    expect(codes[0]).toMatchInlineSnapshot(`
      "import { sprites } from "virtual:spritewright/atlas/ant"
      export default sprites[0]
      "
    `)
    expect(codes[1]).toMatchInlineSnapshot(`
      "import { readSheet } from "virtual:spritewright/sheet"
      import { keepUpToDate } from "virtual:spritewright/hot"
      export const sprites = /* @__PURE__ */ readSheet({ ...JSON.parse('{"columns":"page x y width height offsetX offsetY sourceWidth sourceHeight anchorX anchorY","sprites":[{"name":"ant","texture":"ant","width":1,"height":1,"animations":[]}]}'), atlases: [{ ...JSON.parse('{"key":"ant","scale":1,"pixelArt":false,"version":"0000000000000000","animations":{}}'), pages: [{"url":"/@spritewright/00000000000000000000000000000000000000000000000000000000000025e5.png","width":1,"height":1,"format":"png"}] }] })
      keepUpToDate(sprites, {"ant":"x_cuLqCaETuoYjgx"})
      "
    `)
    expect(await sprites.moduleOf({ kind: 'all' })).toMatchInlineSnapshot(`
      "import { spritesByName } from "virtual:spritewright/sheet"
      import { keepAll } from "virtual:spritewright/hot"
      import { sprites as s0 } from "virtual:spritewright/atlas/ant"
      import { sprites as s1 } from "virtual:spritewright/atlas/bee"
      export const sprites = /* @__PURE__ */ spritesByName([s0, s1])
      keepAll(sprites)
      export default sprites
      "
    `)
    expect(since()).toEqual(['read  for all', 'watch /art/bee,/art/bee.png'])
    expect(await sprites.moduleOf({ kind: 'hot' })).toContain('export function keepAll')
    expect(since()).toEqual([])
  })

  test('reads a saved spec, tells pages of it, forgets its modules, and writes its typings last', async () => {
    const { sprites, since, save, told } = await serve({ ant: 1, bee: 2 })
    await sprites.moduleOf(ofSprite('ant'))
    since()
    expect(await save({ ant: 3, bee: 2 }, 'ant')).toMatchInlineSnapshot(`
      [
        "read /game/ant.sprite.json for ant",
        "watch /art/ant,/art/ant.png",
        "forget spritewright/all",
        "forget spritewright/sprite/ant.sprite.json/module",
        "forget spritewright/atlas/ant",
        "send spritewright:update",
        "typings ant",
      ]
    `)
    expect(told[0]).toMatchInlineSnapshot(`
      {
        "sheets": [
          {
            "atlases": [
              {
                "animations": {},
                "key": "ant",
                "pages": [
                  {
                    "format": "png",
                    "height": 1,
                    "url": "/@spritewright/00000000000000000000000000000000000000000000000000000000000025e7.png",
                    "width": 3,
                  },
                ],
                "pixelArt": false,
                "scale": 1,
                "version": "0000000000000000",
              },
            ],
            "columns": "page x y width height offsetX offsetY sourceWidth sourceHeight anchorX anchorY",
            "sprites": [
              {
                "animations": [],
                "height": 1,
                "isPlaceholder": undefined,
                "name": "ant",
                "pixelArt": undefined,
                "texture": "ant",
                "width": 3,
              },
            ],
          },
        ],
      }
    `)
    expect(await save({ ant: 9, bee: 2 }, 'ant')).toMatchInlineSnapshot(`
      [
        "read /game/ant.sprite.json for ant",
        "print ant.walk has changed since it was bought. The bought frames play until the new ones are here.",
        "watch /art/ant,/art/ant.png",
        "forget spritewright/all",
        "forget spritewright/sprite/ant.sprite.json/module",
        "forget spritewright/atlas/ant",
        "send spritewright:update",
        "typings ant",
      ]
    `)
    expect(await save({ ant: 9, bee: 4 }, 'bee')).toMatchInlineSnapshot(`
      [
        "read /game/bee.sprite.json for ant",
        "typings bee",
      ]
    `)
    expect(await save({ ant: 9, bee: 4, cat: 5 }, 'cat')).toMatchInlineSnapshot(`
      [
        "read /game/cat.sprite.json for ant",
        "typings cat",
        "print cat.walk: new, and a placeholder until it is bought. See the price in the panel, or: npx spritewright plan",
      ]
    `)
    expect(await save({ bee: 4, cat: 5 }, 'ant')).toMatchInlineSnapshot(`
      [
        "read /game/ant.sprite.json for ant",
        "forget spritewright/all",
        "forget spritewright/sprite/ant.sprite.json/module",
        "forget spritewright/atlas/ant",
        "read /game/ant.sprite.json for ant",
        "send spritewright:update",
        "typings bee",
      ]
    `)
  })

  test('reads a broken spec twice, tells its error, and its end', async () => {
    const { sprites, since, save, told } = await serve({ ant: 1 }, { state: 'bought' })
    await sprites.moduleOf(ofSprite('ant'))
    since()
    expect(await save({ ant: null }, 'ant')).toMatchInlineSnapshot(`
      [
        "read /game/ant.sprite.json for ant",
        "forget spritewright/all",
        "forget spritewright/sprite/ant.sprite.json/module",
        "forget spritewright/atlas/ant",
        "read /game/ant.sprite.json for ant",
        "send error",
        "print ant is broken",
      ]
    `)
    await expect(sprites.moduleOf(ofSprite('ant'))).rejects.toThrow('ant is broken')
    since()
    expect(await save({ ant: 1 }, 'ant')).toMatchInlineSnapshot(`
      [
        "read /game/ant.sprite.json for ant",
        "watch /art/ant,/art/ant.png",
        "forget spritewright/all",
        "forget spritewright/sprite/ant.sprite.json/module",
        "forget spritewright/atlas/ant",
        "send full-reload",
        "typings ant",
      ]
    `)
    expect(told.map((one) => (one as { readonly type?: string }).type)).toEqual(['error', 'full-reload'])
  })

  test('has no module of what is not in the project', async () => {
    const { sprites } = await serve({ ant: 1 })
    await expect(sprites.moduleOf(ofAtlas('fox'))).rejects.toThrow('Expected an atlas fox, found none.')
    await expect(sprites.moduleOf(ofSprite('fox'))).rejects.toMatchObject({ code: 'SW_SPEC', facts: { file: '/game/fox.sprite.json' } })
  })

  test.each([
    ['/', {}, '/@spritewright/'],
    ['/tower/', {}, '/tower/@spritewright/'],
    ['./', {}, '/@spritewright/'],
    ['/', { origin: 'http://cdn.example' }, 'http://cdn.example/@spritewright/'],
  ])('of base %j and %j serves pages at %s, under their hashes alone', async (base, own, prefix) => {
    const { sprites, ask } = await serve({ ant: 1 }, { config: { base, server: { watch: null, ...own } } })
    const [url = ''] = (await sprites.moduleOf(ofAtlas('ant'))).match(/[^"]+@spritewright\/[^"]+/) ?? []
    expect(url).toBe(`${prefix}${(9701).toString(16).padStart(64, '0')}.png`)
    const path = url.replace('http://cdn.example', '')
    const found = { ETag: expect.any(String), 'Cache-Control': 'no-cache', 'Content-Type': 'image/png', 'Content-Length': 1 }
    expect(await ask(path)).toEqual([200, found, new Uint8Array([1])])
    expect([await ask(path.replace('25e5', '25e6')), await ask('/src/main.ts')]).toEqual([[404, {}, undefined], 'next'])
  })

  test('gives out no file of its store and its cache, by no name', async () => {
    const { sprites, ask } = await serve({ ant: 1 })
    const files = [
      '.spritewright/results/a.zip',
      'node_modules/.cache/spritewright/a',
      '.spritewrights/a',
      'node_modules/.cache/other',
      'src/a.ts',
    ]
    expect(files.map((file) => sprites.isOwnFile(`/game/${file}`))).toEqual([true, true, false, false, false])
    expect(await Promise.all(files.map((file) => ask(`/${file}`)))).toEqual([
      [404, {}, undefined],
      [404, {}, undefined],
      'next',
      'next',
      'next',
    ])
  })

  test.each([
    ['8.7.9', ['print PixiJS 8.7.9 reloads the page for every change of a sprite; 8.8 and newer swap it in place.']],
    ['8.8.0', []],
  ])('says once that PixiJS %s reloads pages if it does', async (version, lines) => {
    const disk = new MemoryDisk()
    disk.files.set('/game/node_modules/pixi.js/package.json', new TextEncoder().encode(JSON.stringify({ name: 'pixi.js', version })))
    const { since } = await serve({}, { disk, config: { resolve: { dedupe: ['pixi.js'] } } })
    expect(since()).toEqual([...lines, 'watch /game'])
    const other = await serve({}, { disk })
    expect(other.since()).toEqual(['watch /game'])
  })

  test('tells the end of an error that no file has told, and forgets what has changed meanwhile but nothing new', async () => {
    const { sprites, since, save, set } = await serve({ ant: 1, bee: 2, cat: 3 }, { state: 'bought' })
    await sprites.moduleOf(ofSprite('ant'))
    await save({ ant: 1, bee: null, cat: 3 }, 'bee')
    set({ ant: 4, bee: 2, cat: 3 })
    since()
    await sprites.moduleOf(ofSprite('cat'))
    expect(since()).toMatchInlineSnapshot(`
      [
        "read  for ant,cat",
        "typings ant,bee",
        "watch /art/ant,/art/ant.png,/art/cat,/art/cat.png",
        "forget spritewright/all",
        "forget spritewright/sprite/ant.sprite.json/module",
        "forget spritewright/atlas/ant",
        "send spritewright:mended",
        "send spritewright:update",
      ]
    `)
    await sprites.moduleOf(ofSprite('bee'))
    expect(since()).toMatchInlineSnapshot(`
      [
        "read  for ant,cat,bee",
        "watch /art/bee,/art/bee.png",
      ]
    `)
  })

  test('has a panel that knows all sprites, serves the pages of the game, and looks for purchases once it is open', async () => {
    const { sprites, since, lock, openPanel, save, clock } = await serve({ bee: 2, ant: 1 })
    lock()
    await nextTurn()
    expect(since()).toEqual(['watch /game'])
    const { get, close } = await openPanel()
    since()
    const { text } = await get('api/names')
    await sprites.moduleOf(ofAtlas('ant'))
    const { status, body } = await get(`pages/${(9701).toString(16).padStart(64, '0')}.png`)
    expect([JSON.parse(text), status, [...body]]).toEqual([['ant', 'bee'], 200, [1]])
    expect(since().filter((line) => line.startsWith('look'))).toEqual([])
    lock()
    await nextTurn()
    expect(since()).toContain('look at .spritewright')
    expect((await save({ bee: 2, ant: 3 }, 'ant')).filter((line) => line.startsWith('look'))).toEqual([])
    await clock.advance(1000)
    expect(since()).toEqual(['look at /game/ant.sprite.json'])
    close()
    await sprites.close()
    await expect(get('api/names')).rejects.toThrow('ECONNREFUSED')
  })

  test('is closed when the read that runs has ended', async () => {
    const { sprites, hold, save, since } = await serve({ ant: 1 })
    await sprites.moduleOf(ofSprite('ant'))
    const end = hold()
    const saved = save({ ant: 2 }, 'ant')
    await nextTurn()
    since()
    const closing = sprites.close()
    let isClosed = false
    void closing.then(() => {
      isClosed = true
    })
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    expect(isClosed).toBe(false)
    end()
    await closing
    expect(since().slice(-2)).toEqual(['send spritewright:update', 'typings ant'])
    await saved
  })
})
