import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { atService } from '../../../plugin/panel/server/buyer.ts'
import type { PanelState } from '../../../plugin/protocol/protocol.ts'
import { SpritewrightError } from '../../../src/index.ts'
import { atlasOf, open, opened, prices } from './panel-project.ts'

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

test('each address answers with its own part of the project', async () => {
  const { calls, connect } = opened()
  const { get } = await connect()
  const read = async (path: string): Promise<unknown> => {
    const { status, text } = await get(path)
    return [path, status, text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text]
  }
  const paths = ['api/names', 'api/ledger', 'api/atlases', 'api/frames?animation=hero.walk&take=3', 'api/frames?animation=hero.run']
  const answers = []
  for (const path of paths) answers.push(await read(path))
  const atlas = {
    name: 'hero',
    scale: 1,
    pages: [{ url: `pages/${'c'.repeat(64)}.png`, width: 4, height: 4, bytes: 6, filled: 0 }],
    frames: [],
  }
  const frames = {
    take: 3,
    isPlaceholder: false,
    pages: [{ url: `pages/${'b'.repeat(64)}.png`, width: 4, height: 4 }],
    frames: [],
    flags: [],
  }
  expect(answers).toEqual([
    ['api/names', 200, ['coin', 'hero']],
    ['api/ledger', 200, { held: '0', settled: '2', restored: '0', uncertain: '0', elsewhere: '0', lines: [], repaired: 0, warnings: [] }],
    ['api/atlases', 200, { atlases: [atlas] }],
    ['api/frames?animation=hero.walk&take=3', 200, { id: 'hero.walk', ...frames }],
    ['api/frames?animation=hero.run', 200, { id: 'hero.run', ...frames }],
  ])
  expect(calls).toEqual([['atlases'], ['delivered', 'hero.walk', 3], ['delivered', 'hero.run', undefined]])
  const pages = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => get(`pages/${letter.repeat(64)}.png`)))
  expect(pages.map(({ status, text }) => [status, text])).toEqual([
    ...[200, 200, 200].map((status, at) => [status, `page ${'abc'.charAt(at)}`]),
    [404, ''],
  ])
})

test.each(['0', '01', '-1', 'x', '10000', ''])('a take %j is no number of one, and no frames are read', async (take) => {
  const { calls, connect } = opened()
  const { status, text } = await (await connect()).get(`api/frames?animation=hero.walk&take=${take}`)
  const error = { code: 'SW_USAGE', message: `Expected the number of a take, found ${JSON.stringify(take)}.` }
  expect([status, JSON.parse(text), calls]).toEqual([400, { error }, []])
})

test('a sprite that a person opens is made at once; the other pages hear of it if it was new', async () => {
  const { calls, connect, knowPreview } = opened()
  const { get, events } = await connect()
  const { revision } = JSON.parse((await get('api/state')).text) as PanelState
  const { status, text } = await get('api/sprite?name=hero')
  expect([status, JSON.parse(text)]).toMatchObject([
    200,
    { name: 'hero', prompt: 'a knight', pages: [{ url: `pages/${'a'.repeat(64)}.png` }] },
  ])
  expect((await events.next(() => true)).data).toEqual({ revision: revision + 1 })
  knowPreview()
  const missing = await get('api/sprite?name=fox')
  const error = { code: 'SW_USAGE', message: 'Expected the name of a sprite whose spec is in order, found "fox".' }
  expect([missing.status, JSON.parse(missing.text)]).toEqual([400, { error }])
  expect((JSON.parse((await get('api/state')).text) as PanelState).revision).toBe(revision + 1)
  expect(calls).toEqual([
    ['show', 'hero'],
    ['show', 'fox'],
  ])
})

test('a state has the folder, the engine, the access of the page, and the prices that were asked for last', async () => {
  const refused = new SpritewrightError('SW_UNREACHABLE', { message: 'nobody answers' })
  let answer: () => Promise<unknown> = async () => prices
  const { connect } = opened({ prices: (() => answer()) as never })
  const { list, act, refused: refuse, events } = await connect()
  const seen = async () => {
    const { project, engines, access, service, errors, revision } = await list()
    return { project, engines, access, service, errors, revision }
  }
  const before = await seen()
  const known = { project: 'game', engines: ['pixi'], access: { mayAct: true, mayBuy: true, words: '' } }
  expect(before).toMatchObject({ ...known, service: { mode: 'unasked', host: 'api.example.com' }, errors: [] })
  const { revision } = await act('quote', {})
  expect(await seen()).toMatchObject({ ...known, service: { mode: 'live', balance: '50', words: '' }, errors: [], revision })
  answer = () => Promise.reject(refused)
  expect(JSON.parse((await refuse('quote', {})).text)).toEqual({ error: { code: 'SW_UNREACHABLE', message: 'nobody answers' } })
  expect(await seen()).toMatchObject({
    service: { mode: 'live', balance: '50' },
    errors: [{ code: 'SW_UNREACHABLE', message: 'nobody answers' }],
  })
  answer = async () => ({ ...prices, balance: 10_000n })
  await act('quote', {})
  expect(await seen()).toMatchObject({ service: { balance: '1', words: '' }, errors: [] })
  expect(events.all.map(({ event }) => event)).toEqual(['state', 'state', 'state', 'state', 'state'])
})

test('a project whose engine nobody knows may have either', async () => {
  const { connect } = opened({}, { panel: {} } as never)
  expect((await (await connect()).list()).engines).toEqual(['phaser', 'pixi'])
})

test('an answer with the key in it is not sent', async () => {
  const { connect } = opened({ atlases: async () => ({ sprites: [], atlases: [{ ...atlasOf('c'), name: 'KEY' }] }) as never })
  const { status, text } = await (await connect()).get('api/atlases')
  expect([status, JSON.parse(text).error.code, text.includes('"KEY"')]).toEqual([500, 'SW_KEY_EXPOSED', false])
})

test('saved files are looked at once, a second after the last of them; approvals and the start of the server at once', async () => {
  const { calls, clock, panel, http } = opened()
  const at = async (ms: number): Promise<unknown[][]> => {
    await clock.advance(ms)
    return calls.splice(0)
  }
  panel.changed(['/game/a.sprite.json'])
  expect(await at(999)).toEqual([])
  panel.changed(['/game/b.sprite.json', '/game/a.sprite.json'])
  expect(await at(999)).toEqual([])
  expect(await at(1)).toEqual([['pending', ['/game/a.sprite.json', '/game/b.sprite.json']]])
  panel.changed(['/game/c.sprite.json'])
  expect(await at(1000)).toEqual([['pending', ['/game/c.sprite.json']]])
  panel.changed(['/game/a.sprite.json'])
  panel.changed(undefined)
  panel.changed(['/game/b.sprite.json'])
  expect(await at(1000)).toEqual([['pending', undefined]])
  panel.approved()
  expect(await at(0)).toEqual([['pending', atService]])
  http.emit('listening')
  http.emit('listening')
  expect(await at(0)).toEqual([['pending', undefined]])
  http.listening = false
  panel.changed(['/game/a.sprite.json'])
  panel.approved()
  expect(await at(5000)).toEqual([])
})

test('the address is printed whenever it is asked for, and the panel is opened for that', async () => {
  const { lines, panel, connect } = opened()
  panel.print()
  await nextTurn()
  expect(lines).toEqual([])
  await connect()
  lines.splice(0)
  panel.print()
  expect(lines).toEqual([expect.stringMatching(/^ {2}➜ {2}Sprites: http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/#token=[\w-]{43}$/)])
})

test('the end of the server ends its streams, its requests for prices and its pause, and it answers nobody', async () => {
  const ended: string[] = []
  let wait = (): void => {}
  const waiting = new Promise<void>((resolve) => {
    wait = resolve
  })
  const { connect, panel, clock, calls } = opened({
    prices: (async (signal: AbortSignal) => {
      signal.addEventListener('abort', () => ended.push('prices'))
      wait()
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }) as never,
  })
  const { act, get } = await connect()
  const asked = act('quote', {}).catch(() => ended.push('answer'))
  await waiting
  panel.changed(['/game/a.sprite.json'])
  await panel.close()
  await asked
  expect(ended).toEqual(['prices', 'answer'])
  await expect(get('api/names')).rejects.toThrow('ECONNREFUSED')
  await clock.advance(5000)
  expect([clock.sleepers, calls]).toEqual([0, []])
})
