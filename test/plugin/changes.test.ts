import { describe, expect, test, vi } from 'vitest'
import { compareSheets, newlySuperseded } from '../../plugin/dev/changes.ts'
import { hotModule } from '../../plugin/dev/hot-module.ts'
import { createMessenger } from '../../plugin/dev/messenger.ts'
import { SpritewrightError } from '../../src/errors.ts'
import type { BuiltAtlas, BuiltSheets, Preview } from '../../src/index.ts'

/** An atlas at one scale, as each packing makes it. */
const pack = (name: string, scale: number): BuiltAtlas => ({ name, scale }) as BuiltAtlas

/** Sheets with a sprite for each name. A sprite's atlas is its first letter. */
function sheets(names: readonly string[], atlases: readonly BuiltAtlas[], width = 8): BuiltSheets {
  return { sprites: names.map((name) => ({ name, atlas: name.charAt(0), width })), atlases } as unknown as BuiltSheets
}

const [a1, a2, b1] = [pack('a', 1), pack('a', 0.5), pack('b', 1)]
const before = sheets(['ant', 'ape', 'bee'], [a1, a2, b1])

/** Names of the sprites that changed, and of those that are gone. */
function changes(after: BuiltSheets): readonly (readonly string[])[] {
  const { changed, gone } = compareSheets(before, after)
  return [changed, gone].map((sprites) => sprites.map(({ name }) => name))
}

test.each([
  ['nothing', [a1, a2, b1], []],
  ['the first of two', [pack('a', 1), a2, b1], ['ant', 'ape']],
  ['the second of two', [a1, pack('a', 0.5), b1], ['ant', 'ape']],
  ['an added one', [a1, a2, pack('a', 0.25), b1], ['ant', 'ape']],
  ['an atlas of another sprite', [a1, a2, pack('b', 1)], ['bee']],
])('if %s is packed again, exactly the sprites in it have changed', (_what, atlases, changed) => {
  expect(changes(sheets(['ant', 'ape', 'bee'], atlases))).toEqual([changed, []])
})

test('a sprite that has changed itself, a new one and one that is gone are told apart', () => {
  expect(changes(sheets(['ant', 'bee', 'bug'], [a1, a2, b1]))).toEqual([['bug'], ['ape']])
  expect(changes(sheets(['ant', 'ape', 'bee'], [a1, a2, b1], 9))).toEqual([['ant', 'ape', 'bee'], []])
})

test('art of before a change is told once, by sprite and animation', () => {
  const withOld = (...superseded: readonly string[]): BuiltSheets =>
    ({ sprites: [{ name: 'ant', superseded }, { name: 'bee' }], atlases: [] }) as unknown as BuiltSheets
  expect(newlySuperseded(undefined, withOld('walk'))).toEqual(['ant.walk'])
  expect(newlySuperseded(withOld('walk'), withOld('walk', 'run'))).toEqual(['ant.run'])
  expect(newlySuperseded(withOld('walk'), withOld())).toEqual([])
})

interface PageSprite {
  readonly name: string
  readonly variants: Readonly<Record<string, PageSprite>>
  readonly [field: string]: unknown
}
const sprite = (name: string, fields: object = {}, variants: Readonly<Record<string, PageSprite>> = {}): PageSprite => ({
  ...{ name, ...fields },
  variants,
})

/** Runs the link to the dev server as a page has it; without a document as a server that renders pages has it. */
function openPage(document: object | null = { querySelectorAll: () => [] }) {
  const handlers: Record<string, (data: unknown) => void> = {}
  const told: unknown[] = []
  const hot = {
    on: (event: string, then: (data: unknown) => void) => Object.assign(handlers, { [event]: then }),
    send: (event: string, data: unknown) => told.push([event, data]),
  }
  const location = { reload: () => told.push('reload') }
  const page: Record<symbol, { listeners: Set<(update: unknown) => void>; isHot: boolean; reload?: (why: string) => void }> = {}
  const code = hotModule()
    .replace(/^import .*$/m, '')
    .replaceAll('import.meta.hot', 'hot')
    .replaceAll('export function', 'function')
  const run = new Function('globalThis', 'hot', 'document', 'location', 'readSheet', `${code}\nreturn { keepUpToDate, keepAll }`)
  const { keepUpToDate, keepAll } = run(page, hot, document ?? undefined, location, (sheet: readonly PageSprite[]) => sheet) as {
    keepUpToDate(sprites: readonly PageSprite[], stamps: object): void
    keepAll(sprites: Record<string, PageSprite>): void
  }
  const update = (sprites: readonly PageSprite[], more: object = {}): void =>
    handlers['spritewright:update']?.({ sheets: sprites.map((one) => [one]), ...more })
  return { told, keepUpToDate, keepAll, update, handlers, bus: page[Symbol.for('spritewright.updates')]! }
}

describe('the link of a page to the dev server', () => {
  test('tells of all modules that load in one task in one message, and of later ones in another', async () => {
    const { told, keepUpToDate, keepAll } = openPage()
    keepUpToDate([sprite('ant')], { ant: '1' })
    keepAll({ ant: sprite('ant') })
    keepUpToDate([sprite('bee')], { bee: '2' })
    await Promise.resolve()
    keepUpToDate([sprite('cat')], { cat: '3' })
    await Promise.resolve()
    expect(told).toEqual([
      ['spritewright:have', { stamps: { ant: '1', bee: '2' }, all: ['ant'] }],
      ['spritewright:have', { stamps: { cat: '3' }, all: undefined }],
    ])
  })

  test('changes each copy of a sprite in place, its variants too, before the game hears of it', () => {
    const { keepUpToDate, update, bus } = openPage()
    const red = sprite('ant.red', { width: 1 })
    const [first, second, other] = [sprite('ant', { width: 1, anchor: 7 }, { red }), sprite('ant'), sprite('bee')]
    for (const one of [first, second, other]) keepUpToDate([one], {})
    const heard: unknown[] = []
    bus.listeners.add((news) => heard.push([first.width, (news as { readonly gone?: unknown }).gone]))
    const blue = sprite('ant.blue')
    update([sprite('ant', { width: 2 }, { red: sprite('ant.red', { width: 2 }), blue })], { gone: ['cat'] })
    expect(heard).toEqual([[2, ['cat']]])
    expect(first).toEqual({ name: 'ant', width: 2, variants: { red: { name: 'ant.red', width: 2, variants: {} }, blue } })
    expect(first.variants.red).toBe(red)
    expect(second.width).toBe(2)
    expect(other).toEqual(sprite('bee'))
    update([sprite('ant', { width: 3 })])
    expect(first.variants).toEqual({})
  })

  test('keeps the list of all sprites complete, sorted, and with the objects of their modules', () => {
    const { keepUpToDate, keepAll, update } = openPage()
    const [ant, cat] = [sprite('ant'), sprite('cat')]
    keepUpToDate([ant, cat], {})
    const all: Record<string, PageSprite> = { ant, cat }
    keepAll(all)
    const bee = sprite('bee')
    update([sprite('cat', { width: 2 }), bee], { gone: ['ant'] })
    expect(Object.keys(all)).toEqual(['bee', 'cat'])
    expect([all.bee, all.cat]).toEqual([bee, cat])
    expect(all.cat).toBe(cat)
    update([sprite('bee', { width: 9 })])
    expect(bee.width).toBe(9)
  })

  test('says why the page reloads before it does, and takes away the overlays of this plugin alone', () => {
    const overlay = (text: string) => ({ remove: vi.fn(), shadowRoot: { textContent: text } })
    const overlays = [overlay('[plugin:spritewright] broken'), overlay('[plugin:vue] broken')]
    const { told, bus, handlers } = openPage({ querySelectorAll: () => overlays })
    bus.reload?.('too new')
    expect(told).toEqual([['spritewright:reload', { why: 'too new' }], 'reload'])
    handlers['spritewright:mended']?.({})
    expect(overlays.map(({ remove }) => remove.mock.calls.length)).toEqual([1, 0])
    expect(bus.isHot).toBe(true)
  })

  test('says nothing where there is no page', async () => {
    const { told, keepUpToDate, handlers, bus } = openPage(null)
    keepUpToDate([sprite('ant')], { ant: '1' })
    await Promise.resolve()
    expect([told, Object.keys(handlers), bus.isHot]).toEqual([[], [], false])
  })
})

describe('the messages of a dev server to its pages', () => {
  const page = { sha256: 'a'.repeat(64), bytes: new Uint8Array(), width: 8, height: 8, contentType: '', extension: 'png' }
  const previewOf = (widths: Readonly<Record<string, number>>, ...broken: readonly string[]): Preview => {
    const names = Object.keys(widths)
    const made = names.map((name) => ({
      name,
      file: `/game/${name}.sprite.json`,
      atlas: name,
      width: widths[name],
      height: 1,
      animations: [],
    }))
    const atlases = names.map((name) => ({ name, scale: 1, pixelArt: false, pages: [page], frames: [], animations: [] }))
    const errors = broken.map((file) => new SpritewrightError('SW_SPEC', { message: 'broken', facts: { file } }))
    return { specs: names.map((name) => ({ name })), sheets: { sprites: made, atlases }, errors } as unknown as Preview
  }

  /** @param importers The modules that import `/game/ant.sprite.json`. */
  function serve(importers: readonly { readonly file: string | null }[] = []) {
    const sent: unknown[] = []
    const errors: unknown[] = []
    const warned: string[] = []
    const listeners: Record<string, (data: unknown, client: object) => void> = {}
    const brief = (data: unknown): unknown => {
      const { sheets, gone } = data as { sheets?: readonly { sprites: readonly { name: string }[] }[]; gone?: readonly string[] }
      return sheets ? { changed: sheets.map(({ sprites }) => sprites[0]?.name), ...(gone ? { gone } : {}) } : {}
    }
    const send = (to: string) => (event: string | { readonly type: string; readonly err?: unknown }, data?: unknown) => {
      if (typeof event !== 'string' && event.type === 'error') errors.push(event.err)
      sent.push([to, typeof event === 'string' ? event : event.type, ...(data === undefined ? [] : [brief(data)])])
    }
    const hot = {
      on: (event: string, then: (data: unknown, client: object) => void) => Object.assign(listeners, { [event]: then }),
      send: send('all'),
    }
    const getModuleById = (id: string) => (id.includes('ant.sprite.json') ? { importers: new Set(importers) } : undefined)
    const logger = { warn: (line: string) => warned.push(line), info: () => {}, error: () => {} }
    const server = { environments: { client: { hot, moduleGraph: { getModuleById } } }, config: { logger, logLevel: 'info' } }
    const messenger = createMessenger(server as never, '/game', () => 'a.png')
    const have = (stamps: object, all?: readonly string[]): void => listeners['spritewright:have']?.({ stamps, all }, { send: send('one') })
    const reload = (data: unknown): void => listeners['spritewright:reload']?.(data, {})
    return { messenger, sent, errors, warned, have, reload }
  }

  test('are the sprites that pages have asked for and that have changed, whole, and the names of those that are gone', () => {
    const { messenger, sent } = serve()
    messenger.note(previewOf({ ant: 1, bee: 1, cat: 1 }), ['ant', 'bee'])
    messenger.send(previewOf({ ant: 2, bee: 1, cat: 2 }))
    messenger.send(previewOf({ ant: 2, cat: 2 }))
    messenger.send(previewOf({ ant: 2, cat: 3 }))
    messenger.note(previewOf({ ant: 2, cat: 3 }), 'all')
    messenger.send(previewOf({ ant: 2, cat: 3, dog: 1 }))
    const update = (changed: readonly string[], more: object = {}) => ['all', 'spritewright:update', { changed, ...more }]
    expect(sent).toEqual([update(['ant']), update([], { gone: ['bee'] }), update(['dog'])])
  })

  test('keep a change that another import is the first to see', () => {
    const { messenger, sent } = serve()
    messenger.note(previewOf({ ant: 1 }), ['ant'])
    messenger.note(previewOf({ ant: 2, bee: 1 }), ['bee'])
    messenger.send(previewOf({ ant: 2, bee: 1 }))
    expect(sent).toEqual([['all', 'spritewright:update', { changed: ['ant'] }]])
  })

  test('tell an error, and its end; what is broken is not gone; a page that has failed is loaded anew', () => {
    const { messenger, sent } = serve()
    messenger.note(previewOf({ ant: 1 }), ['ant'])
    messenger.send(previewOf({}, '/game/ant.sprite.json'))
    messenger.send(previewOf({ ant: 1 }))
    messenger.pageHasFailed()
    messenger.send(previewOf({}, '/game/ant.sprite.json'))
    messenger.send(previewOf({ ant: 1 }))
    messenger.send(previewOf({ ant: 1 }))
    expect(sent).toEqual([
      ['all', 'error'],
      ['all', 'spritewright:mended', {}],
      ['all', 'error'],
      ['all', 'full-reload'],
    ])
  })

  test('bring a page that loads later what it has missed, and the error of now', () => {
    const { messenger, sent, have } = serve()
    messenger.note(previewOf({ ant: 1, bee: 1 }), ['ant'])
    have({ ant: 'old', bee: 'never sent', cat: 'gone' })
    have({}, ['bee'])
    have({})
    have({ ant: 7 })
    messenger.send(previewOf({ ant: 1 }, '/game/bee.sprite.json'))
    have({})
    expect(sent).toEqual([
      ['one', 'spritewright:update', { changed: ['ant'], gone: ['cat'] }],
      ['one', 'spritewright:update', { changed: ['ant'] }],
      ['all', 'error'],
      ['one', 'error'],
    ])
  })

  test('bring a page the sprites that one import asked for first, beside those of another', () => {
    const { messenger, sent, have } = serve()
    messenger.note(previewOf({ ant: 1 }), ['ant'])
    messenger.note(previewOf({ ant: 1, bee: 1 }), ['ant', 'bee'])
    have({ bee: 'old' })
    messenger.note(previewOf({ ant: 1, bee: 1 }), 'all')
    messenger.note(previewOf({ ant: 1, bee: 1, cat: 1 }), ['ant'])
    messenger.send(previewOf({ ant: 1, bee: 1, cat: 1 }))
    expect(sent).toEqual([
      ['one', 'spritewright:update', { changed: ['bee'] }],
      ['all', 'spritewright:update', { changed: ['cat'] }],
    ])
  })

  test('have an error whole, in the overlay of the moment and in that of a page that comes later', () => {
    const { messenger, errors, have } = serve()
    messenger.send(previewOf({}, '/game/bee.sprite.json', '/game/cat.sprite.json'))
    have({})
    const file = '/game/bee.sprite.json'
    const error = {
      code: 'SW_SPEC',
      message: 'SW_SPEC: broken',
      id: file,
      loc: { file, line: 1, column: 1 },
      stack: '',
      plugin: 'spritewright',
    }
    expect(errors).toEqual([error, error])
  })

  test('name the first file that imports a spec which is gone, until it is back', () => {
    const { messenger, sent, errors } = serve([
      { file: null },
      { file: '\0virtual:ant' },
      { file: '/game/src/main.ts' },
      { file: '/game/b.ts' },
    ])
    messenger.note(previewOf({ ant: 1, bee: 1 }), 'all')
    messenger.send(previewOf({}))
    messenger.send(previewOf({ ant: 1 }))
    expect(errors).toEqual([
      {
        message: 'src/main.ts imports ant.sprite.json, which is not there any more. Put the spec back, or take the import out.',
        ...{ stack: '', id: '/game/src/main.ts', plugin: 'spritewright' },
      },
    ])
    expect(sent).toEqual([
      ['all', 'error'],
      ['all', 'spritewright:update', { changed: [], gone: ['ant', 'bee'] }],
      ['all', 'spritewright:mended', {}],
      ['all', 'spritewright:update', { changed: ['ant'] }],
    ])
    const free = serve()
    free.messenger.note(previewOf({ ant: 1 }), 'all')
    free.messenger.send(previewOf({}))
    expect(free.errors).toEqual([])
  })

  test('are answered by the reason of a reload, which is one line of the terminal, and by nothing that is none', () => {
    const { warned, reload } = serve()
    reload({ why: 'the page\nis too old' })
    for (const data of [undefined, null, 'why', {}, { why: '' }, { why: 7 }, { why: 'x'.repeat(1001) }]) reload(data)
    expect(warned).toEqual([expect.stringContaining('a page says why it reloads: the page is too old')])
  })
})
