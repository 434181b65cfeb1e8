import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createPageShelf } from '../../../plugin/http/pages.ts'
import { accessOf } from '../../../plugin/panel/server/access.ts'
import { createEventHub } from '../../../plugin/panel/server/events.ts'
import { createRecordReader } from '../../../plugin/panel/server/ledger.ts'
import { bodyLimit, isAction, parseRequest } from '../../../plugin/panel/server/request-schemas.ts'
import { withSums } from '../../../plugin/panel/ui/views/chart-steps.ts'
import type { ActionName } from '../../../plugin/protocol/actions.ts'
import { toPanelAtlases } from '../../../plugin/protocol/state/atlas.ts'
import { toJson } from '../../../plugin/protocol/state/json.ts'
import { toPanelFrames } from '../../../plugin/protocol/state/sprite.ts'
import type { BuiltPage, BuiltSheets, LedgerReport, Overview } from '../../../src/index.ts'

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const hash = 'a'.repeat(64)
const line = { id: 'hero.walk', hash, price: '1.6', ceiling: '2' }

describe('the body of an action', () => {
  test.each<readonly [ActionName, unknown]>([
    ['quote', {}],
    ['offer', { ids: [] }],
    ['offer', { ids: ['hero'], ceiling: '1.25', adopt: true }],
    ['approve', { ids: ['hero'], lines: [line], sum: '1.6' }],
    ['answer', { id: 'hero.walk', hash, questionId: 'q', text: 'left', asset: { name: 'a.png', base64: 'AAAA' } }],
    ['take', { id: 'hero.walk', digest: hash }],
    ['use', { id: 'hero.walk', digest: hash, use: null }],
    ['edit', { sprite: 'hero', digest: hash, size: { figure: 4 }, anchor: null, animations: { walk: { fps: null, meant: ['loop'] } } }],
    ['reword', { sprite: 'hero', digest: hash, animations: { walk: { prompt: null, frames: 8 } } }],
    ['recover', { id: 'hero.walk', hash, decision: 'abandon', attempt: 1, about: 'answer' }],
    ['cancel', { id: 'hero#1', hash }],
  ])('%s takes %j as it is', (action, body) => {
    expect(parseRequest(action, bytesOf(body))).toEqual(body)
  })

  test.each<readonly [ActionName, unknown]>([
    ['quote', ''],
    ['quote', '{'],
    ['quote', { more: 1 }],
    ['offer', {}],
    ['offer', { ids: ['hero'], more: 1 }],
    ['offer', { ids: [''] }],
    ['offer', { ids: ['h'.repeat(401)] }],
    ['offer', { ids: Array.from({ length: 10_001 }, String) }],
    ['approve', { ids: [], lines: [{ ...line, hash: 'A'.repeat(64) }], sum: '1' }],
    ['approve', { ids: [], lines: [{ ...line, hash: `${hash}0` }], sum: '1' }],
    ['approve', { ids: [], lines: [{ ...line, hash: `0${hash}` }], sum: '1' }],
    ['approve', { ids: [], lines: [line] }],
    ...['-1', '1,5', '1.23456', '.5', '1.', '1e3', ' 1', '1 ', '1234567890123456', ''].map((sum): [ActionName, unknown] => [
      'approve',
      { ids: [], lines: [], sum },
    ]),
    ['answer', { id: 'hero.walk', hash, questionId: 'q', text: '' }],
    ['answer', { id: 'hero.walk', hash, questionId: 'q', text: 'x'.repeat(20_001) }],
    ['answer', { id: 'hero.walk', hash, questionId: 'q', text: 'x', asset: { name: 'a', base64: 'no base64!' } }],
    ['take', { id: 'hero.walk', digest: 'short' }],
    ['recover', { id: 'hero.walk', hash, decision: 'both', attempt: 1, about: 'answer' }],
    ['recover', { id: 'hero.walk', hash, decision: 'replay', attempt: 0, about: 'answer' }],
    ['recover', { id: 'hero.walk', hash, decision: 'replay', attempt: 1.5, about: 'answer' }],
    ['cancel', { id: 'hero#1' }],
  ])('%s refuses %j', (action, body) => {
    expect(() => parseRequest(action, bytesOf(body))).toThrow(expect.objectContaining({ code: 'SW_USAGE', facts: { action } }))
  })

  test('with a picture of 8 MiB is taken', () => {
    const picture = Buffer.alloc(8 * 2 ** 20).toString('base64')
    expect(parseRequest('create', bytesOf({ name: 'hero', prompt: 'a hero', picture }))).toHaveProperty('picture.length', picture.length)
  })

  test('that is no UTF-8 is refused, not read as something like it', () => {
    const bytes = bytesOf({ ids: ['xx'] })
    bytes[bytes.indexOf(0x78)] = 0xff
    expect(() => parseRequest('offer', bytes)).toThrow(expect.objectContaining({ code: 'SW_USAGE' }))
  })

  test('with a picture may be large, one with lines less, any other little', () => {
    for (const action of ['answer', 'create', 'reword'] as const) expect(bodyLimit(action)).toBeGreaterThan(11_184_812)
    expect(bodyLimit('approve')).toBeLessThan(bodyLimit('create'))
    for (const action of ['quote', 'offer', 'cancel', 'edit'] as const) expect(bodyLimit(action)).toBeLessThanOrEqual(256 * 1024)
  })

  test('is of an action by its own name alone', () => {
    expect(['approve', 'choose-take', 'undo'].map(isAction)).toEqual([true, true, true])
    expect(['', 'toString', '__proto__', 'constructor', 'Approve'].map(isAction)).toEqual([false, false, false, false, false])
  })
})

describe('the shelf of pages', () => {
  const page = (name: string): BuiltPage => ({ sha256: name }) as BuiltPage
  const found = (shelf: ReturnType<typeof createPageShelf>, names: string): string => [...names].filter((name) => shelf.find(name)).join('')

  test('keeps what is shown, and the latest of what is not', () => {
    const shelf = createPageShelf(2)
    for (const shown of ['ab', 'cd', 'e']) shelf.put([...shown].map(page))
    expect(found(shelf, 'abcde')).toBe('cde')
    shelf.put([])
    expect(found(shelf, 'abcde')).toBe('de')
  })

  test('takes a page that is shown again for a new one', () => {
    const shelf = createPageShelf(1)
    for (const shown of ['a', 'b', 'a', 'c']) shelf.put([page(shown)])
    expect(found(shelf, 'abc')).toBe('ac')
  })

  test('drops nothing that is shown, however little it keeps', () => {
    const shelf = createPageShelf(0)
    shelf.put([...'abc'].map(page))
    expect(found(shelf, 'abc')).toBe('abc')
  })
})

describe('what a page may do', () => {
  const token = 'secret'
  const server = (address: string, isOvertaken = false) =>
    ({
      token,
      isOvertaken,
      listening: {
        httpServer: { address: () => ({ address, port: 5173 }) },
        resolvedUrls: { local: [], network: [] },
        config: { server: {} },
      },
    }) as unknown as Parameters<typeof accessOf>[0]
  const request = (host: string, given = token) => ({ headers: { host, 'x-spritewright-token': given } })
  const may = (...args: Parameters<typeof accessOf>): string => {
    const { mayAct, mayBuy, words } = accessOf(...args)
    expect(words === '').toBe(mayBuy)
    return `${mayAct ? 'act' : 'show'}${mayBuy ? ' and buy' : ''}`
  }

  test('is decided by token, address, reach of the server, and the project', () => {
    const local = server('127.0.0.1')
    expect(may(local, request('localhost:5173'), true)).toBe('act and buy')
    expect(may(local, request('127.0.0.1:5173'), true)).toBe('act and buy')
    expect(may(local, request('localhost:5173', 'guess'), true)).toBe('show')
    expect(may(local, request('localhost:5174'), true)).toBe('show')
    expect(may(local, request('evil.example'), true)).toBe('show')
    expect(may(local, request('localhost:5173'), false)).toBe('act')
    expect(may(server('0.0.0.0'), request('localhost:5173'), true)).toBe('act')
    expect(may(server('127.0.0.1', true), request('localhost:5173'), true)).toBe('show')
  })

  test('is the same where the authority replaces Host', () => {
    const headers = { ':authority': 'localhost:5173', 'x-spritewright-token': token }
    expect(may(server('127.0.0.1'), { headers }, true)).toBe('act and buy')
  })
})

test('the credits that are settled so far grow with own settled purchases alone, up to the sum beside them', () => {
  const lines = [
    ['settled', 'here', 10_000n],
    ['settled', 'elsewhere', 20_000n],
    ['held', 'here', 30_000n],
    ['restored', 'here', 40_000n],
    ['uncertain', 'here', 50_000n],
    ['held', 'elsewhere', 60_000n],
    ['settled', 'here', 5_000n],
  ] as const
  const ledger = {
    lines: lines.map(([state, origin, credits], at) => ({ id: `hero.${at}`, attempt: 1, state, origin, credits, at })),
    ...{ settled: 15_000n, held: 30_000n, restored: 40_000n, uncertain: 50_000n, elsewhere: 80_000n },
  } as unknown as LedgerReport
  const { lines: shown, settled } = toJson(ledger)
  const sums = withSums(shown).map(({ soFar }) => soFar)
  expect(sums).toEqual(['1', '1', '1', '1', '1', '1', '1.5'])
  expect(sums.at(-1)).toBe(settled)
})

describe('overview and ledger', () => {
  const overviewOf = (own: Partial<Overview>): Overview => ({ errors: [], ...own }) as Overview
  const world = (overview: () => Partial<Overview> = () => ({})) => {
    const calls: (readonly string[] | 'all' | 'ledger')[] = []
    let ledger: () => LedgerReport = () => ({ settled: 1n }) as LedgerReport
    const reader = createRecordReader({
      overview: async (changed) => {
        calls.push(changed ?? 'all')
        return overviewOf(overview())
      },
      ledger: async () => {
        calls.push('ledger')
        return ledger()
      },
    })
    return {
      calls,
      breakLedger: (error: Error) => {
        ledger = () => {
          throw error
        }
      },
      changed: reader.changed,
      /** What a read has read. */
      read: async (isWhole = false) => {
        calls.length = 0
        await reader.read(isWhole)
        return [...calls]
      },
      reader,
    }
  }
  const spec = '/game/sprites/hero.sprite.json'

  test('are read whole once, and again only as far as something has changed', async () => {
    const { read, changed } = world()
    expect(await read()).toEqual(['all', 'ledger'])
    expect(await read()).toEqual([])
    changed([spec])
    expect(await read()).toEqual([[spec]])
    changed(['/game/sprites.lock.json'])
    expect(await read()).toEqual([['/game/sprites.lock.json'], 'ledger'])
    changed([spec])
    changed([])
    changed(['/game/x.png', spec])
    expect(await read()).toEqual([[spec, '/game/x.png'], 'ledger'])
    changed([spec])
    changed()
    expect(await read()).toEqual(['all', 'ledger'])
    expect(await read(true)).toEqual(['all', 'ledger'])
    expect(await read()).toEqual([])
  })

  test('with an error are read again, though nothing was saved', async () => {
    const { read } = world(() => ({ errors: [new Error('x')] as never }))
    await read()
    expect(await read()).not.toEqual([])
  })

  test('that could not be read leave nothing to go on from', async () => {
    let isBroken = false
    const { read, changed } = world(() => {
      if (isBroken) throw new Error('EIO')
      return {}
    })
    await read()
    isBroken = true
    changed([spec])
    await expect(read()).rejects.toThrow('EIO')
    isBroken = false
    expect(await read()).toEqual(['all', 'ledger'])
  })

  test('a ledger that cannot be read is an error beside the overview, with no amounts', async () => {
    const { reader, breakLedger } = world()
    const error = new Error('torn')
    breakLedger(error)
    const { ledger, errors } = await reader.read(true)
    expect(errors).toEqual([error])
    expect(ledger).toMatchObject({ held: 0n, settled: 0n, restored: 0n, uncertain: 0n, elsewhere: 0n, lines: [], warnings: [] })
  })
})

describe('the events of pages', () => {
  /** A page that listens, and what it has got. */
  const listener = () => {
    const page = Object.assign(new EventEmitter(), {
      got: [] as string[],
      isEnded: false,
      setHeader: () => {},
      write: (text: string) => void page.got.push(text),
      end: () => {
        page.isEnded = true
      },
    })
    return page
  }
  const asResponse = (page: object) => page as ServerResponse

  test('go to every page that is open, and to none that is gone; a text that may not leave goes to none', () => {
    const hub = createEventHub((text) => !text.includes('secret'))
    const [one, two] = [listener(), listener()]
    for (const page of [one, two]) hub.add(asResponse(page))
    hub.send('state', { revision: 1 })
    hub.send('progress', 'secret')
    one.emit('close')
    hub.send('state', { revision: 2 })
    const sent = (revision: number) => `event: state\ndata: {"revision":${revision}}\n\n`
    expect([one.got.slice(1), two.got.slice(1)]).toEqual([[sent(1)], [sent(1), sent(2)]])
    expect(hub.isHeard()).toBe(true)
    two.emit('close')
    expect(hub.isHeard()).toBe(false)
  })

  test('end with the server, also for a page that comes after', () => {
    const hub = createEventHub(() => true)
    const [before, after] = [listener(), listener()]
    hub.add(asResponse(before))
    hub.close()
    hub.add(asResponse(after))
    expect([before.isEnded, after.isEnded, hub.isHeard()]).toEqual([true, true, false])
  })
})

test('frames of a take come with their remarks, and those of no sprite are placeholders', () => {
  const flags = [{ fault: 'blank', frames: [1], from: 'frames' }]
  const delivered = (sprites: readonly object[]) => ({ take: 2, sheets: { sprites, atlases: [] }, quality: { flags } }) as never
  const shown = (sprites: readonly object[]) => toPanelFrames('hero.walk', delivered(sprites), () => '')
  expect(shown([{ isPlaceholder: false }])).toEqual({ id: 'hero.walk', take: 2, isPlaceholder: false, pages: [], frames: [], flags })
  expect(shown([]).isPlaceholder).toBe(true)
})

describe('packed atlases for the panel', () => {
  const sheets = (frames: readonly object[]): BuiltSheets =>
    ({
      sprites: [],
      atlases: [{ name: 'hero', scale: 1, pages: [{ width: 20, height: 10, bytes: new Uint8Array(5), sha256: 'p' }], frames }],
    }) as unknown as BuiltSheets
  const plain = { page: 0, x: 2, y: 3, width: 4, height: 5, offsetX: 1, offsetY: 2, sourceWidth: 8, sourceHeight: 9 }
  const atlasOf = (...frames: readonly object[]) => toPanelAtlases(sheets(frames), ({ sha256 }) => `/${sha256}`).atlases[0]!

  test('say how much of a page is filled; equal frames fill it once', () => {
    const other = { ...plain, x: 10, width: 2, height: 5 }
    const { pages } = atlasOf({ ...plain, name: 'a' }, { ...plain, name: 'b' }, { ...other, name: 'c' })
    expect(pages).toEqual([{ url: '/p', width: 20, height: 10, bytes: 5, filled: (20 + 10) / 200 }])
  })

  test('place hull and borders on the page, turned frames too', () => {
    const hull = [
      { x: 1, y: 2 },
      { x: 5, y: 7 },
    ]
    const borders = { left: 2, top: 3, right: 4, bottom: 3 }
    const { frames } = atlasOf({ ...plain, name: 'a', hull, borders }, { ...plain, name: 'b', hull, borders, isTurned: true })
    expect(frames[0]).toMatchObject({
      ...{ x: 2, y: 3, width: 4, height: 5, isTurned: false },
      hull: [
        { x: 2, y: 3 },
        { x: 6, y: 8 },
      ],
      slices: { x: [3, 5], y: [4, 7] },
    })
    // Turned clockwise: the top left corner of the frame is the top right one on the page.
    expect(frames[1]).toMatchObject({
      ...{ x: 2, y: 3, width: 5, height: 4, isTurned: true },
      hull: [
        { x: 7, y: 3 },
        { x: 2, y: 7 },
      ],
      slices: { x: [6, 3], y: [4, 6] },
    })
    expect(atlasOf({ ...plain, name: 'c' }).frames[0]?.hull).toBeUndefined()
  })
})
