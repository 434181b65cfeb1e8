import { describe, expect, test, vi } from 'vitest'
import { compareSheets, newlySuperseded } from '../../plugin/dev/changes.ts'
import { hotModule } from '../../plugin/dev/hot-module.ts'
import type { BuiltAtlas, BuiltSheets } from '../../src/index.ts'

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
