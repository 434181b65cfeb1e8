import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AtlasData } from '../../plugin/runtime/shared/data.ts'
import { isOffered } from '../kit/extras.ts'
import { openBrowser } from './browser.ts'
import { moved, openRuntime, type RuntimePage } from './runtime-page.ts'

const engines = (
  [
    { name: 'Phaser 4', engine: 'phaser' },
    { name: 'Phaser 3.90', engine: 'phaser3' },
  ] as const
).filter(({ engine }) => isOffered(engine))

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const before = moved('before', { version: 'before' })
const after = moved('after', { version: 'after' })
/** The sprite after a change that takes its first frame away. */
const without = moved('after', { version: 'without', frames: onlyLast(after.atlases[0]?.frames ?? {}) })

function onlyLast(frames: AtlasData['frames']): AtlasData['frames'] {
  return Object.fromEntries(Object.entries(frames).slice(1))
}

describe.each(engines)('$name: a swap reaches whatever was made from a frame', ({ engine }) => {
  let page: RuntimePage
  const call: RuntimePage['call'] = (...args) => page.call(...args)
  beforeAll(async () => {
    page = await openRuntime(browser, 'phaser-swap', engine)
  })
  beforeEach(async () => {
    await page.reload()
    await call('start', before)
    page.forget()
  })
  afterAll(() => page?.close())

  test.each([
    ['dynamic', 16, 24],
    ['scaled', 32, 48],
    ['static', 16, 24],
    ['static in a group', 16, 24],
    ['in a group', 16, 24],
  ])('a body that is %s has the size of the frame, and stays on its object', async (kind, small, large) => {
    expect(await call('body', kind, before)).toEqual({ size: [small, small], offset: [0, 0], isOnObject: true })
    await call('swap', after)
    expect(await call('look')).toEqual({ size: [large, large], offset: [0, 0], isOnObject: true })
    await call('swap', before)
    expect(await call('look')).toEqual({ size: [small, small], offset: [0, 0], isOnObject: true })
  })

  test.each([['of its own size'], ['round']])('a body that the game made %s keeps it', async (kind) => {
    const own = await call('body', kind, before)
    await call('swap', after)
    expect(await call('look')).toMatchObject({ size: (own as { size: unknown }).size, offset: (own as { offset: unknown }).offset })
  })

  test('a body that the game moved by an offset keeps the offset', async () => {
    await call('body', 'moved by an offset', before)
    await call('swap', after)
    expect(await call('look')).toMatchObject({ size: [24, 24], offset: [3, 5] })
  })

  test.each([
    ['by name', before.frames[0]],
    ['in a list', [before.frames[0]]],
    ['in a cycle', { frames: [before.frames[0]], cycle: true }],
  ])('an emitter whose frame, given %s, is gone draws the missing picture, with one warning, until it is back', async (_, frame) => {
    const warnings: string[] = []
    page.page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
    expect(Object.keys(await call('emit', before, frame))).toEqual(['200,0,0'])
    await call('swap', without)
    const shown = Object.keys(await call('count'))
    expect(shown).toContain('0,255,0')
    expect(shown).not.toContain('0,0,200')
    expect(warnings.filter((text) => !text.includes('GPU stall'))).toEqual([expect.stringContaining('hero/walk/0000')])
    expect(await call('frames', before)).toEqual(['hero/walk/0001'])
    await call('swap', after)
    expect(Object.keys(await call('count'))).toEqual(['0,200,0'])
    expect(await call('frames', before)).toEqual(['hero/walk/0000', 'hero/walk/0001'])
  })
})
