import { afterEach, describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import type { EmbeddedService } from '../../src/embedded/service.ts'
import { nodeNet } from '../../src/host/net.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { fasterClock } from '../kit/faster-clock.ts'
import { keyEnv } from '../kit/keys.ts'
import { figurePng } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { level } from '../level.ts'
import { openPanel, type WholeState } from './panel-client.ts'
import { approveHero, find, openPanelWorld, type PanelWorld, stands, toQuestion } from './panel-world.ts'
import { type Dev, isUpdateOf, startDev } from './server.ts'
import { hostOf, key, noNet, openSource, pluginOf, spec, vites } from './world.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const load = vites[0]?.[1] as (typeof vites)[number][1]

async function world(...setup: Parameters<typeof openPanelWorld>): Promise<PanelWorld> {
  const opened = await openPanelWorld(...setup)
  open.push(() => opened.close())
  return opened
}

const digestOf = (state: WholeState, name: string): string => state.sprites.find((sprite) => sprite.name === name)?.digest ?? ''
const posts = (service: EmbeddedService): number =>
  service.requests().filter(({ method, path }) => method === 'POST' && !path.includes('asset')).length
const isArt = (message: Dev['told']['all'][number]): boolean =>
  isUpdateOf('hero')(message) && message.data?.sprites.find(({ name }) => name === 'hero')?.isPlaceholder === false

describe('the terminal of a dev server', () => {
  test('lists once what is a placeholder, and tells a broken spec', async () => {
    const { start } = await world({ 'sprites/broken.sprite.json': '{ "prompt": 3 }' })
    const { log, server } = await start()
    await log.next((line) => line.includes('2 of 2 animations are placeholders: coin.spin, hero.walk.'))
    expect(log.all.filter((line) => line.includes('broken.sprite.json'))).toHaveLength(1)
    server.printUrls()
    expect(log.all.filter((line) => line.includes('are placeholders'))).toHaveLength(1)
  })
})

describe('buying from the panel', () => {
  test('placeholder, price, offer, approval, progress, real art: without a word of the key', async () => {
    const { start, service, game } = await world()
    const { panel, crawl, told, log } = await start()
    await crawl('/src/main.js')
    const first = await panel.state()
    expect(first).toMatchObject({ access: { mayAct: true, mayBuy: true, words: '' }, service: { mode: 'unasked' }, errors: [] })
    expect(find(first, 'hero.walk')).toMatchObject({ state: 'missing', isPlaceholder: true, fps: 8, take: 1 })
    expect(find(first, 'hero.walk').price).toBeUndefined()
    expect(find(first, 'hero.walk').played).toHaveLength(7)
    expect(service.requests()).toEqual([])
    const { url = '' } = first.sprites.find(({ name }) => name === 'hero')?.pages[0] ?? {}
    expect((await panel.get(url)).headers['content-type']).toBe('image/png')

    await panel.act('quote', {})
    const priced = await panel.state()
    expect(priced.service).toMatchObject({ mode: 'test', balance: '100', words: '' })
    const { price } = find(priced, 'hero.walk')
    expect(price?.words).toBe(`${price?.credits} credits will be held.`)
    const offer = await panel.act('offer', { ids: ['hero'] })
    expect(offer.lines).toEqual([
      {
        id: 'hero.walk',
        operation: 'sprite_sheet',
        hash: expect.any(String),
        prompt: expect.any(String),
        price: price?.credits,
        ceiling: price?.credits,
      },
    ])
    expect(offer.balance).toBe('100')
    expect(await game.list()).not.toContain('sprites.lock.json')

    await panel.act('approve', { ids: ['hero'], lines: offer.lines, sum: offer.sum })
    await told.next(isArt)
    const bought = await panel.stateWhere((state) => stands('hero.walk', 'bought')(state) && state.ledger.settled !== '0')
    expect(find(bought, 'hero.walk')).toMatchObject({ isPlaceholder: false, spent: offer.sum, words: 'Bought.' })
    expect(find(bought, 'coin.spin')).toMatchObject({ state: 'missing' })
    expect(bought.ledger).toMatchObject({ settled: offer.sum, held: '0' })
    await log.next((line) => line.includes(`hero.walk: bought for ${offer.sum} credits`))
    expect(service.charges()).toHaveLength(1)
    expect(panel.events.all.some(({ event }) => event === 'progress')).toBe(true)
    expect([...panel.texts, ...log.all, JSON.stringify(told.all)].filter((text) => text.includes(key))).toEqual([])
    expect(log.all.filter((line) => line.includes(panel.token))).toHaveLength(1)
    expect(panel.texts.filter((text) => text.includes(panel.token))).toEqual([])
  })

  test('shows what programs ask the person: an approval ends that request, and another one is dismissed', async () => {
    const { start, service, game } = await world()
    const { panel } = await start()
    const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }
    const agent = await createWorkshop({ root: game.root, host: hostOf(game, env) })
    open.push(() => agent.close())
    const ask = { verb: 'approve', names: ['hero'], credits: '1.6', why: 'The level needs\na hero.', from: 'mcp' } as const
    const asked = await agent.requests.add(ask)
    const other = await agent.requests.add({ ...ask, verb: 'recover' })
    const { requests } = await panel.state()
    expect(requests).toEqual([asked, other].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)))
    expect(requests[0]?.why).toBe('The level needs\\na hero.')
    await approveHero(panel)
    expect((await panel.stateWhere((state) => state.requests.length === 1)).requests).toEqual([other])
    await panel.act('dismiss', { id: other.id })
    expect((await panel.state()).requests).toEqual([])
    expect(await panel.refused('dismiss', { id: '../hosts' })).toMatchObject({ status: 400 })
  })

  if (level !== 'quick')
    test('bought art plays on when its prompt is edited: the panel marks it, and the terminal says so once', async () => {
      const { start, game } = await world()
      const { panel, crawl, log } = await start()
      await crawl('/src/main.js')
      await approveHero(panel)
      await panel.stateWhere((state) => stands('hero.walk', 'bought')(state) && !find(state, 'hero.walk').isPlaceholder)
      await game.write('sprites/hero.sprite.json', spec({ prompt: 'a large figure' }))
      // The panel is told of the spec first, and then of the art.
      const edited = await panel.stateWhere((state) => stands('hero.walk', 'missing')(state) && find(state, 'hero.walk').isSuperseded)
      expect(find(edited, 'hero.walk')).toMatchObject({ isPlaceholder: false })
      expect(find(edited, 'coin.spin')).toMatchObject({ isSuperseded: false, isPlaceholder: true })
      await log.next((line) => line.includes('hero.walk has changed since it was bought. The bought frames play until'))
      await approveHero(panel)
      const bought = await panel.stateWhere((state) => stands('hero.walk', 'bought')(state) && !find(state, 'hero.walk').isSuperseded)
      expect(find(bought, 'hero.walk')).toMatchObject({ isPlaceholder: false })
      expect(log.all.filter((line) => line.includes('has changed since it was bought'))).toHaveLength(1)
    })

  test('a price that has changed since it was seen is refused, with the new one; nothing is written or sent', async () => {
    const { start, service, game } = await world()
    const { panel } = await start()
    const seen = await panel.act('offer', { ids: ['hero', 'coin'] })
    service.setPricing({ first_tier_cents: 90 })
    const { status, text } = await panel.refused('approve', { ids: ['hero', 'coin'], lines: seen.lines, sum: seen.sum })
    const refusal = JSON.parse(text)
    expect([status, refusal.error.code]).toEqual([409, 'SW_CHANGED'])
    expect(refusal.offer.sum).not.toBe(seen.sum)
    expect(await game.list()).not.toContain('sprites.lock.json')
    expect(posts(service)).toBe(0)
    for (const wrong of [
      { ids: ['hero'], lines: refusal.offer.lines, sum: refusal.offer.sum },
      { ids: ['hero', 'coin'], lines: refusal.offer.lines, sum: seen.sum },
      { ids: ['hero', 'coin'], lines: refusal.offer.lines, sum: refusal.offer.sum, ceiling: '50' },
    ])
      expect(await panel.refused('approve', wrong)).toMatchObject({ status: 409 })
    expect(await game.list()).not.toContain('sprites.lock.json')
    await panel.act('approve', { ids: ['hero', 'coin'], lines: refusal.offer.lines, sum: refusal.offer.sum })
    await panel.stateWhere((state) => stands('hero.walk', 'bought')(state) && stands('coin.spin', 'bought')(state))
    expect(service.charges()).toHaveLength(2)
  })

  if (level !== 'quick')
    test('an approval that waits for a place is taken back: nothing is bought on it, and another one is', async () => {
      let release = (): void => {}
      const gate = new Promise<void>((resolve) => {
        release = resolve
      })
      const until = (): Promise<void> => gate
      open.push(() => release())
      const { start, service, game } = await world(
        { 'spritewright.config.json': '{"limits":{"activeJobs":1}}' },
        { makers: quickMakers({ until }) },
      )
      const { panel } = await start()
      const approve = async (name: string): Promise<void> => {
        const { lines, sum } = await panel.act('offer', { ids: [name] })
        await panel.act('approve', { ids: [name], lines, sum })
      }
      const revoke = async (id: string): Promise<string> => {
        const { hash = '' } = find(await panel.state(), id)
        return (await panel.act('revoke', { id, hash })).words
      }
      await approve('coin')
      await panel.stateWhere(stands('coin.spin', 'running'))
      await approve('hero')
      await panel.stateWhere(stands('hero.walk', 'approved'))
      expect(await panel.refused('revoke', { id: 'hero.walk', hash: '0'.repeat(64) })).toMatchObject({ status: 409 })
      expect(await revoke('hero.walk')).toBe('Taken back: hero.walk. Nothing is bought on what was approved before.')
      await panel.stateWhere(stands('hero.walk', 'missing'))
      const [entry] = Object.values(JSON.parse(await game.read('sprites.lock.json')).animations['hero.walk'])
      expect(entry).not.toHaveProperty('approval')
      expect(await revoke('coin.spin')).toContain('Sent already, so it goes on, and is not sent again if it fails: coin.spin.')
      release()
      const state = await panel.stateWhere(stands('coin.spin', 'bought'))
      expect([find(state, 'hero.walk').state, state.errors, service.charges().length]).toEqual(['missing', [], 1])
      await approve('hero')
      await panel.stateWhere(stands('hero.walk', 'bought'))
      expect(service.charges()).toHaveLength(2)
    })

  test('a question is asked in the panel, and answered there', async () => {
    const { start, service } = await world({ 'sprites/hero.sprite.json': spec({ prompt: 'a figure [ask]' }) })
    const { panel, log } = await start()
    await approveHero(panel)
    const asked = await panel.stateWhere((state) => find(state, 'hero.walk').question !== undefined)
    expect(find(asked, 'hero.walk')).toMatchObject({ state: 'question', question: { requiresAsset: false } })
    expect(asked.errors).toEqual([])
    await panel.act('answer', { ...toQuestion(find(asked, 'hero.walk')), text: 'to the left' })
    await panel.stateWhere(stands('hero.walk', 'bought'))
    expect(service.charges()).toHaveLength(1)
    expect(log.all.some((line) => /hero\.walk.*waits for an answer/.test(line))).toBe(true)
  })

  test('what fails is told with its words, is not tried again by itself, and goes when it is approved anew', async () => {
    let isBroken = true
    const { start, service } = await world(
      {},
      {
        verdict: ({ stage }) =>
          isBroken && stage === 'job' ? { reason: 'generation_failed', message: 'It could not be made.', retryable: false } : undefined,
      },
    )
    const { panel, log } = await start()
    await approveHero(panel)
    const failed = await panel.stateWhere(
      (state) => stands('hero.walk', 'failed')(state) && state.errors.length > 0 && state.ledger.held === '0',
    )
    expect(failed.errors).toMatchObject([{ code: 'SW_FAILED', id: 'hero.walk' }])
    expect(failed.ledger.settled).toBe('0')
    await log.next((line) => line.includes('It could not be made'))
    const sent = posts(service)
    await panel.act('quote', {})
    await panel.state()
    expect(posts(service)).toBe(sent)
    isBroken = false
    await approveHero(panel)
    const mended = await panel.stateWhere(stands('hero.walk', 'bought'))
    expect(mended.errors).toEqual([])
    expect(service.charges()).toHaveLength(1)
  })
})

test('frames of what is bought are looked over, and flagged with the words of the service too; a placeholder never is', async () => {
  const quick = quickMakers()
  const makers: typeof quick = {
    ...quick,
    sheet: async (...asked) => {
      const made = await quick.sheet(...asked)
      return 'reason' in made || !made.review ? made : { ...made, review: { ...made.review, sourceShiftedFrames: [5] } }
    },
  }
  const { start } = await world({}, { makers })
  const { panel } = await start()
  await approveHero(panel)
  // The service's report is in the lock file, which is written last.
  const state = await panel.stateWhere((now) => find(now, 'hero.walk').flags.some(({ from }) => from === 'service'))
  const { flags } = find(state, 'hero.walk')
  expect(flags.find(({ from }) => from === 'service')).toMatchObject({ fault: 'shifted', frames: [5] })
  expect(flags.some(({ from }) => from === 'frames')).toBe(true)
  expect(find(state, 'coin.spin').flags).toEqual([])

  // What is meant to be so is not remarked again, until it is to be checked again.
  const mark = async (meant: readonly string[] | null): Promise<unknown> => {
    const { digest } = (await panel.state()).sprites.find(({ name }) => name === 'hero')!
    return panel.act('edit', { sprite: 'hero', digest, animations: { walk: { meant } } })
  }
  const own = [...new Set(flags.map(({ fault }) => fault))]
  await mark(own)
  await panel.stateWhere((now) => find(now, 'hero.walk').flags.length === 0 && find(now, 'hero.walk').meant.length === own.length)
  await mark(null)
  await panel.stateWhere((now) => find(now, 'hero.walk').flags.length === flags.length)
})

test('a remark on a picture is marked as meant by the name of the picture, in a set and alone', async () => {
  const picture = encodePng(createBitmap(8, 8))
  const { start, game } = await world({
    'sprites/icons.sprite.json': '{ "source": "./icons/", "check": true }',
    'sprites/badge.sprite.json': '{ "source": "./badge.png", "check": true }',
  })
  for (const file of ['icons/sword', 'badge']) await game.write(`sprites/${file}.png`, picture)
  const { panel } = await start()
  for (const [sprite, name, id] of [
    ['icons', 'sword', 'icons.sword'],
    ['badge', 'badge', 'badge'],
  ] as const) {
    const mark = async (meant: readonly string[] | null): Promise<unknown> => {
      const { digest } = (await panel.state()).sprites.find((one) => one.name === sprite)!
      return panel.act('edit', { sprite, digest, animations: { [name]: { meant } } })
    }
    await panel.stateWhere(
      (now) =>
        find(now, id)
          .flags.map(({ fault }) => fault)
          .join() === 'blank',
    )
    await mark(['blank'])
    await panel.stateWhere((now) => find(now, id).flags.length === 0 && find(now, id).meant.join() === 'blank')
    expect(JSON.parse(await game.read(`sprites/${sprite}.sprite.json`))).toMatchObject({ meant: { [name]: ['blank'] } })
    await mark(null)
    await panel.stateWhere((now) => find(now, id).flags.length === 1 && find(now, id).meant.length === 0)
  }
})

describe('an approval from elsewhere', () => {
  if (level !== 'quick')
    test('of another terminal starts the purchase; one of another checkout does not, until it is taken over', async () => {
      const { start, service, approve } = await world()
      const { panel, told, log, crawl } = await start()
      await crawl('/src/main.js')
      await approve(['hero'])
      await log.next((line) => line.includes('hero.walk: approved up to'))
      await told.next(isArt)
      await approve(['coin'], keyEnv(7))
      const waiting = await panel.stateWhere(stands('coin.spin', 'adoptable'))
      expect(find(waiting, 'coin.spin').words).toContain('not by you')
      expect((await panel.act('offer', { ids: ['coin'] })).untouched).toEqual(['coin.spin'])
      const offer = await panel.act('offer', { ids: ['coin'], adopt: true })
      expect(service.charges()).toHaveLength(1)
      await panel.act('approve', { ids: ['coin'], adopt: true, lines: offer.lines, sum: offer.sum })
      await panel.stateWhere(stands('coin.spin', 'bought'))
      expect(service.charges()).toHaveLength(2)
    })

  test('a server that ends in the middle loses nothing: the next one goes on, and it is paid once', async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const until = (): Promise<void> => {
      begin()
      return gate
    }
    const { start, service } = await world({}, { makers: quickMakers({ until }) })
    const first = await start()
    await approveHero(first.panel)
    await first.panel.stateWhere(stands('hero.walk', 'running'))
    // The state is "running" as soon as the request is sent. An accepted request also has a hold.
    await begun
    expect(service.holds()).toHaveLength(1)
    first.panel.close()
    await first.close()
    const second = await start()
    await second.log.next((line) => line.includes('hero.walk: is under way, and followed.'))
    release()
    await second.panel.stateWhere(stands('hero.walk', 'bought'))
    expect(posts(service)).toBe(1)
    expect(service.charges()).toHaveLength(1)
  })

  if (level !== 'quick')
    test('good sprites are approved and bought beside thirty broken specs, and problems name each of those once', async () => {
      const broken = Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`sprites/broken${at}.sprite.json`, '{ "prompt": 3 }'] as const),
      )
      const { start, game } = await world(broken)
      const { panel } = await start()
      const ids = ['coin.spin', 'hero.walk']
      const offer = await panel.act('offer', { ids })
      expect(offer.lines.map(({ id }) => id)).toEqual(ids)
      await panel.act('approve', { ids, lines: offer.lines, sum: offer.sum })
      const bought = await panel.stateWhere((state) => stands('hero.walk', 'bought')(state) && stands('coin.spin', 'bought')(state))
      expect([bought.errors.map(({ code }) => code), bought.warnings]).toEqual([Array(30).fill('SW_SPEC'), []])
      for (const file of Object.keys(broken)) await game.remove(file)
      await panel.stateWhere((state) => state.errors.length + state.warnings.length === 0)
    })

  if (level !== 'quick')
    test('what failed under one server is a problem under the next one too', async () => {
      const { start } = await world({ 'sprites/hero.sprite.json': spec({ prompt: 'a figure [fail generation_failed]' }) })
      const first = await start()
      await approveHero(first.panel)
      const isTold = ({ errors }: WholeState): boolean => errors.some(({ code, id }) => code === 'SW_FAILED' && id === 'hero.walk')
      expect((await first.panel.stateWhere((state) => stands('hero.walk', 'failed')(state) && isTold(state))).errors).toHaveLength(1)
      first.panel.close()
      await first.close()
      const { panel } = await start()
      const again = await panel.state()
      expect([find(again, 'hero.walk').state, again.errors.map(({ id }) => id)]).toEqual(['failed', ['hero.walk']])
    })

  if (level !== 'quick')
    test('what was approved before the server came is bought when the spec asks for it again', async () => {
      const { start, service, approve, game } = await world()
      await approve(['hero'])
      await game.write('sprites/hero.sprite.json', spec({ prompt: 'something else' }))
      const { panel, log, crawl } = await start()
      await crawl('/src/main.js')
      expect(find(await panel.state(), 'hero.walk').state).toBe('missing')
      expect(service.charges()).toEqual([])
      await game.write('sprites/hero.sprite.json', spec({}, { fps: 8 }))
      await log.next((line) => line.includes('hero.walk: bought for'))
      expect(service.charges()).toHaveLength(1)
    })

  if (level !== 'quick')
    test('play money: the service that another terminal ran has ended, and the dev server goes on with one of its own', async () => {
      const game = await openSource({ 'spritewright.config.json': '{"service":"embedded"}' })
      open.push(() => game.remove())
      const dev = await startDev(await load(), game, pluginOf(game, { net: nodeNet(), clock: fasterClock(5) }))
      open.push(() => dev.close())
      const workshop = await createWorkshop({ root: game.root, host: hostOf(game, {}) })
      await workshop.approve({ names: ['hero'], confirm: async () => true })
      await dev.log.next((line) => line.includes('hero.walk: approved up to'))
      await workshop.close()
      await dev.log.next((line) => line.includes('hero.walk: bought for'))
      const panel = await openPanel(dev)
      open.push(() => panel.close())
      await panel.act('quote', {})
      expect(await panel.state()).toMatchObject({ service: { mode: 'embedded', balance: '98.4' }, ledger: { settled: '1.6' }, errors: [] })
    })

  test('a ledger that cannot be read is told, and the rest is shown', async () => {
    const { start, game } = await world({ '.spritewright/ledger.jsonl': '{"at":"never"}\n' })
    const { panel } = await start()
    const state = await panel.state()
    expect(state).toMatchObject({ ledger: { lines: [] }, errors: [{ code: 'SW_JOURNAL', file: '.spritewright/ledger.jsonl', line: 1 }] })
    expect(state.sprites).toHaveLength(2)
    await game.remove('.spritewright/ledger.jsonl')
    expect((await panel.state()).errors).toEqual([])
  })

  test.each([
    ['CI', { CI: 'true' }, undefined],
    ["build.generate: 'never'", {}, '{"build":{"generate":"never"}}'],
  ])('%s: nothing is bought, and the panel says so', async (_name, env, config) => {
    const { start, service, approve, game } = await world()
    await approve(['hero'])
    if (config) await game.write('spritewright.config.json', config)
    const { panel } = await start(env)
    const state = await panel.state()
    expect(state.access).toMatchObject({ mayAct: true, mayBuy: false })
    expect(state.access.words).toContain('CI')
    const offer = await panel.act('offer', { ids: ['coin'] })
    expect(await panel.refused('approve', { ids: ['coin'], lines: offer.lines, sum: offer.sum })).toMatchObject({ status: 409 })
    expect(find(await panel.state(), 'hero.walk').state).toBe('approved')
    expect(posts(service)).toBe(0)
  })

  test('prices that are told end the words about a request for prices that failed', async () => {
    const { start, service } = await world()
    const { panel } = await start()
    const revoke = (isRevoked: boolean) => service.putAccount({ name: 'test', keys: [{ key, isRevoked }] })
    await revoke(true)
    await panel.refused('quote', {})
    expect((await panel.state()).service.words).not.toBe('')
    await revoke(false)
    await panel.act('quote', {})
    expect(await panel.state()).toMatchObject({ service: { words: '' }, errors: [] })
  })

  test('without a key the service is not asked, and the state says what is missing', async () => {
    const { game } = await world()
    const dev = await startDev(await load(), game, pluginOf(game, { env: { SPRITEWRIGHT_BASE_URL: 'http://127.0.0.1:9' }, net: noNet() }))
    open.push(() => dev.close())
    const panel = await openPanel(dev)
    open.push(() => panel.close())
    expect((await panel.state()).service).toMatchObject({ mode: 'none', host: '127.0.0.1:9' })
    expect(await panel.refused('quote', {})).toMatchObject({ status: 400 })
    expect(await panel.state()).toMatchObject({ service: { mode: 'none' }, errors: [{ code: 'SW_NO_KEY' }] })
  })
})

test.each([
  ['the engine that the dependencies name', '{"name":"game","type":"module","dependencies":{"phaser":"4.0.0"}}', ['phaser']],
  ['both engines where none is named', '{"name":"game","type":"module"}', ['phaser', 'pixi']],
])('the state has %s', async (_what, manifest, engines) => {
  const { start } = await world({ 'package.json': manifest })
  const { panel } = await start()
  expect((await panel.state()).engines).toEqual(engines)
})

describe('new actions of the panel', () => {
  test('write nothing without the token, from another origin, or with rubbish', async () => {
    const { start, game } = await world()
    const { panel } = await start()
    const original = await game.read('sprites/hero.sprite.json')
    const { digest = '' } = (await panel.state()).sprites.find(({ name }) => name === 'hero') ?? {}
    const asks = {
      create: { name: 'fox', prompt: 'a fox', picture: Buffer.from(figurePng()).toString('base64') },
      reword: { sprite: 'hero', digest, prompt: 'another' },
      undo: { sprite: 'hero', digest },
      add: { sprite: 'hero', digest, name: 'jump', prompt: 'jumps', frames: 8 },
    }
    for (const [name, ask] of Object.entries(asks)) {
      const url = `http://127.0.0.1:${panel.port}${panel.prefix}api/${name}`
      const own = { 'content-type': 'application/json', origin: `http://127.0.0.1:${panel.port}` }
      for (const headers of [
        own,
        { ...own, 'x-spritewright-token': 'x' },
        { ...own, 'x-spritewright-token': panel.token, origin: 'http://evil.test' },
      ])
        expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(ask) })).status, name).toBeGreaterThanOrEqual(400)
      expect((await panel.refused(name as 'create', { ...ask, more: 1 })).status).toBe(400)
    }
    expect((await panel.refused('create', { ...asks.create, name: '../../fox' })).text).toContain('as the name of a sprite')
    expect((await panel.refused('undo', asks.undo)).text).toContain('Expected an edit of sprites/hero.sprite.json that was made here')
    expect(await game.read('sprites/hero.sprite.json')).toBe(original)
    expect((await game.list()).filter((path) => path.includes('fox'))).toEqual([])
  })

  test.each([
    ['JSON', 'sprites/hero.sprite.json', 'hero', 'walk'],
    ['YAML', 'sprites/coin.sprite.yaml', 'coin', 'spin'],
  ])(
    'another animation is written into a spec in %s, and undone; one that is there is not overwritten',
    async (_what, file, sprite, taken) => {
      const { start, game, service } = await world()
      const { panel } = await start()
      const original = await game.read(file)
      const { digest = '' } = (await panel.state()).sprites.find(({ name }) => name === sprite) ?? {}
      const ask = { sprite, digest, name: 'jump', prompt: 'jumps: high', frames: 9 }
      const refused = await panel.refused('add', { ...ask, name: taken })
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Expected a new name of an animation')])
      expect((await panel.refused('add', { ...ask, name: 'a b' })).status).toBe(400)
      expect((await panel.refused('add', { ...ask, frames: 3 })).status).toBe(400)
      expect(await game.read(file)).toBe(original)
      const added = await panel.act('add', ask)
      expect(added.id).toBe(`${sprite}.jump`)
      expect(find(await panel.stateWhere((state) => state.revision >= added.revision), `${sprite}.jump`)).toMatchObject({
        state: 'missing',
        isPlaceholder: true,
        frames: 9,
        prompt: 'jumps: high',
      })
      await panel.act('undo', { sprite, digest: added.digest })
      expect(await game.read(file)).toBe(original)
      expect(posts(service)).toBe(0)
    },
  )

  test('edits are undone one after another, byte for byte, in YAML too; not over the change of another', async () => {
    const yaml = '# mine\nreference: ./figure.png\nprompt: a fox   # small\nanimations:\n  run: { frames: 7 }\n'
    const { start, game } = await world({ 'sprites/fox.sprite.yaml': yaml })
    const { panel } = await start()
    const read = (): Promise<string> => game.read('sprites/fox.sprite.yaml')
    const first = digestOf(await panel.state(), 'fox')
    const one = await panel.act('reword', { sprite: 'fox', digest: first, prompt: 'a grey "fox": #1' })
    const two = await panel.act('reword', { sprite: 'fox', digest: one.digest, animations: { run: { frames: 9, prompt: 'runs' } } })
    expect(await read()).toMatch(/prompt: "a grey \\"fox\\": #1" {3}# small/)
    const back = await panel.act('undo', { sprite: 'fox', digest: two.digest })
    expect(back.digest).toBe(one.digest)
    expect((await panel.act('undo', { sprite: 'fox', digest: back.digest })).digest).toBe(first)
    expect(await read()).toBe(yaml)
    const again = await panel.act('reword', { sprite: 'fox', digest: first, prompt: 'x' })
    await game.write('sprites/fox.sprite.yaml', `${await read()}# theirs\n`)
    expect(JSON.parse((await panel.refused('undo', { sprite: 'fox', digest: again.digest })).text).error.code).toBe('SW_CHANGED')
    expect(await read()).toContain('# theirs')
  })
})

describe('editing from the panel', () => {
  const commented = spec({ size: 64 }, { fps: 8 }).replace('"fps": 8', '// slow\n      "fps": 8 // as it was')

  test('free fields go into the spec, comments kept, and into the running game; a file that has changed is refused', async () => {
    const { start, game, service } = await world({ 'sprites/hero.sprite.json': commented })
    const { panel, crawl, told } = await start()
    await crawl('/src/main.js')
    const state = await panel.state()
    const digest = digestOf(state, 'hero')
    const edited = await panel.act('edit', {
      sprite: 'hero',
      digest,
      size: null,
      anchor: { x: 0.5, y: 0.98765 },
      animations: { walk: { fps: 24, loop: false } },
    })
    await told.next(({ data }) => data?.sprites?.[0]?.atlases[0]?.animations['hero/walk']?.fps === 24)
    const text = await game.read('sprites/hero.sprite.json')
    expect(text).toContain('// slow\n      "fps": 24, // as it was\n      "loop": false')
    expect(text).toContain('"anchor": [0.5, 0.9877]')
    expect(text).not.toContain('size')
    const sized = await panel.act('edit', { sprite: 'hero', digest: edited.digest, size: { figure: 48 } })
    await told.next(() => true)
    expect(await game.read('sprites/hero.sprite.json')).toContain('"size": { "figure": 48 }')
    const figure = (await panel.state()).sprites.find(({ name }) => name === 'hero')
    expect(figure?.size).toEqual({ figure: 48 })
    await panel.act('edit', { sprite: 'hero', digest: sized.digest, size: null })
    expect(await game.read('sprites/hero.sprite.json')).toBe(text)
    const after = await panel.state()
    expect(digestOf(after, 'hero')).toBe(edited.digest)
    expect(find(after, 'hero.walk')).toMatchObject({ fps: 24, loop: false, state: 'missing' })
    expect(JSON.parse((await panel.refused('edit', { sprite: 'hero', digest, size: 32 })).text).error).toMatchObject({
      code: 'SW_CHANGED',
      file: 'sprites/hero.sprite.json',
    })
    expect(await panel.refused('edit', { sprite: 'hero', digest: edited.digest, animations: { run: { fps: 3 } } })).toMatchObject({
      status: 400,
    })
    const tooFast = { sprite: 'hero', digest: edited.digest, animations: { walk: { fps: 241 } } }
    expect(JSON.parse((await panel.refused('edit', tooFast)).text).error).toMatchObject({
      code: 'SW_SPEC',
      message: expect.stringContaining('animations.walk.fps: expected a number above 0, at most 240, found 241'),
    })
    expect(await panel.refused('edit', { sprite: '../hero', digest: edited.digest, size: 3 })).toMatchObject({ status: 400 })
    expect(await panel.refused('edit', { sprite: 'hero', digest: edited.digest, prompt: 'a dragon' })).toMatchObject({ status: 400 })
    expect(await game.read('sprites/hero.sprite.json')).toBe(text)
    expect(service.requests()).toEqual([])
  })

  test('frames are dropped and put in order, in YAML too; durations stay with their frames', async () => {
    const yaml =
      '# a coin\nreference: ./figure.png\nprompt: a coin\nanimations:\n  spin:\n    frames: 7 # few\n    durations: [10, 20, 30, 40, 50, 60, 70]\n'
    const { start, game } = await world({ 'sprites/coin.sprite.yaml': yaml })
    const { panel } = await start()
    const digest = digestOf(await panel.state(), 'coin')
    const { digest: next } = await panel.act('use', { id: 'coin.spin', digest, use: [6, 0, 2] })
    expect(await game.read('sprites/coin.sprite.yaml')).toBe(
      yaml.replace('[10, 20, 30, 40, 50, 60, 70]', '[70, 10, 30]\n    use: [6, 0, 2]'),
    )
    const played = find(await panel.stateWhere((state) => find(state, 'coin.spin').played.length === 3), 'coin.spin').played
    expect(played.map(({ index, durationMs }) => [index, durationMs])).toEqual([
      [6, 70],
      [0, 10],
      [2, 30],
    ])
    const all = await panel.get('api/frames?animation=coin.spin')
    expect(JSON.parse(all.text)).toMatchObject({ take: 1, isPlaceholder: true })
    expect(JSON.parse(all.text).frames.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6])
    await panel.act('use', { id: 'coin.spin', digest: next, use: null })
    expect(await game.read('sprites/coin.sprite.yaml')).not.toContain('use')
    expect(await panel.get('api/frames?animation=nobody.walk')).toMatchObject({ status: 400 })
    expect(await panel.get('api/frames?animation=coin.spin&take=0')).toMatchObject({ status: 400 })
  })

  if (level !== 'quick')
    test('another take is written, bought when it is approved, and the first can be chosen again', async () => {
      const { start, game, service } = await world()
      const { panel } = await start()
      await approveHero(panel)
      const first = await panel.stateWhere(stands('hero.walk', 'bought'))
      const { take, digest } = await panel.act('take', { id: 'hero.walk', digest: digestOf(first, 'hero') })
      expect(take).toBe(2)
      const second = await panel.stateWhere((state) => find(state, 'hero.walk').take === 2)
      expect(find(second, 'hero.walk').takes).toMatchObject([
        { take: 1, state: 'bought', isChosen: false },
        { take: 2, state: 'missing', word: 'not bought', isChosen: true },
      ])
      expect(service.charges()).toHaveLength(1)
      await approveHero(panel)
      await panel.stateWhere(stands('hero.walk', 'bought'))
      const shown = async (number: number): Promise<string> =>
        JSON.parse((await panel.get(`api/frames?animation=hero.walk&take=${number}`)).text).pages[0].url
      const urls = [await shown(1), await shown(2)]
      for (const url of urls) expect((await panel.get(url)).status).toBe(200)
      await panel.act('choose-take', { id: 'hero.walk', digest, take: 1 })
      expect(find(await panel.stateWhere((state) => find(state, 'hero.walk').take === 1), 'hero.walk').takes).toMatchObject([
        { take: 1, state: 'bought', isChosen: true },
        { take: 2, state: 'bought', isChosen: false },
      ])
      expect(await game.read('sprites/hero.sprite.json')).toContain('"take": 1')
      expect(service.charges()).toHaveLength(2)
    })

  test('a broken spec stands in the errors with its place, and goes when it is mended', async () => {
    const { start, game } = await world({ 'sprites/hero.sprite.json': spec({}, { fps: 'fast' }) })
    const { panel } = await start()
    const broken = await panel.state()
    expect(broken.sprites.map(({ name }) => name)).toEqual(['coin'])
    expect(broken.errors).toMatchObject([{ code: 'SW_SPEC', file: 'sprites/hero.sprite.json', line: 7, column: 14 }])
    await game.write('sprites/hero.sprite.json', spec())
    expect((await panel.stateWhere(({ sprites }) => sprites.length === 2)).errors).toEqual([])
  })
})

test('a server that starts anew keeps the address and the token, so that an open panel goes on', async () => {
  const { start } = await world()
  const dev = await start()
  await dev.server.restart()
  const again = await openPanel(dev)
  open.push(() => again.close())
  expect([again.port, again.prefix, again.token]).toEqual([dev.panel.port, dev.panel.prefix, dev.panel.token])
  expect((await again.state()).access.mayAct).toBe(true)
  expect(Buffer.from(again.token, 'base64url')).toHaveLength(32)
})
