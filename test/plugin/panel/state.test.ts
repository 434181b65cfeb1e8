import { describe, expect, test } from 'vitest'
import { withSums } from '../../../plugin/panel/ui/views/chart-steps.ts'
import type { PanelSprite, PanelState } from '../../../plugin/protocol/protocol.ts'
import { toJson } from '../../../plugin/protocol/state/json.ts'
import type { StateParts } from '../../../plugin/protocol/state/parts.ts'
import { toPanelState } from '../../../plugin/protocol/state/state.ts'
import { SpritewrightError } from '../../../src/errors.ts'
import type { PaidRequest } from '../../../src/sprite-spec/request.ts'
import { figurePng } from '../../kit/project.ts'
import { addSprite, type SimulatedWorld, simulatedWorld } from '../../sim/world.ts'

const access = { mayAct: true, mayBuy: true, words: '' }
const limits = { post: 1000, get: 10_000, download: 1000 }

type Whole = Omit<PanelState, 'sprites'> & { readonly sprites: readonly PanelSprite[] }

/** A project in memory, and the parts of its panel's state. */
interface Desk {
  readonly world: SimulatedWorld
  /** Reads all parts anew. */
  parts(own?: Partial<StateParts>): Promise<StateParts>
  /** The state with the details of all sprites in place of the list. */
  state(own?: Partial<StateParts>): Promise<Whole>
  approve(...names: readonly string[]): Promise<unknown>
  build(...names: readonly string[]): Promise<unknown>
}

async function desk(): Promise<Desk> {
  const world = await simulatedWorld(0, {
    limits,
    ask: ({ prompt, answers }) => (prompt.includes('quiz') && answers.length === 0 ? { text: 'Which hand?' } : undefined),
  })
  const open = () => world.workshop({ limits })
  const parts: Desk['parts'] = async (own = {}) => {
    const workshop = await open()
    const { sheets } = await world.clock.run(workshop.preview())
    const prices = await world.clock.run(workshop.prices())
    const overview = await world.clock.run(workshop.overview())
    return {
      ...{
        root: '/game',
        folder: '',
        engines: [],
        revision: 7,
        errors: [],
        priceError: undefined,
        progress: new Map(),
        failures: [],
        access,
        requests: [],
        sheets,
        prices,
      },
      overview,
      open: [...overview.items, ...overview.own].map(({ spec }) => spec.name),
      ledger: await world.clock.run(workshop.ledger()),
      urlOf: ({ sha256 }) => `/pages/${sha256.slice(0, 4)}`,
      ...own,
    }
  }
  return {
    world,
    parts,
    state: async (own) => {
      const { open, ...state } = JSON.parse(JSON.stringify(toPanelState(await parts(own))))
      return { ...state, sprites: open }
    },
    approve: async (...names) => world.clock.run((await open()).approve({ names, confirm: async () => true })),
    build: async (...names) => world.clock.run((await open()).build({ names, buyOnly: true })),
  }
}

const animationOf = ({ sprites }: Whole, name: string) => {
  const found = sprites.find((sprite) => sprite.name === name)?.animations[0]
  if (!found) throw new Error(`Expected a sprite ${name}.`)
  return found
}

/** The state of one sprite that is bought, one that is approved, one that is neither, and one that asks. */
async function fourStates(): Promise<Whole> {
  const { world, state, approve, build } = await desk()
  for (const name of ['bought', 'approved', 'missing', 'quiz']) addSprite(world, name, name.length)
  await approve('bought', 'quiz')
  await build('bought')
  await build('quiz').catch(() => {})
  await approve('approved')
  return state()
}

describe('the state of the panel', () => {
  test('shows each request as the records have it, with what it cost or would cost', async () => {
    const now = await fourStates()
    const states = Object.fromEntries(now.sprites.map(({ name, animations }) => [name, animations.map((one) => one.state)]))
    expect(states).toEqual({ bought: ['bought'], approved: ['approved'], missing: ['missing'], quiz: ['question'] })
    expect(now.totals).toEqual({ counts: { bought: 1, approved: 1, missing: 1, question: 1 }, price: '3.2' })

    expect(animationOf(now, 'bought')).toMatchObject({ spent: '1.6', isPlaceholder: false, isSuperseded: false, ceiling: '1.6' })
    expect(animationOf(now, 'bought').price).toBeUndefined()
    expect(animationOf(now, 'bought').question).toBeUndefined()
    expect(animationOf(now, 'approved')).toMatchObject({ price: { credits: '1.6' }, ceiling: '1.6', isPlaceholder: true })
    expect(animationOf(now, 'approved').spent).toBeUndefined()
    expect(animationOf(now, 'missing')).toMatchObject({ price: { credits: '1.6' }, isPlaceholder: true })
    expect(animationOf(now, 'missing').approved).toBeUndefined()
    expect(animationOf(now, 'missing').executionId).toBeUndefined()
    const quiz = animationOf(now, 'quiz')
    expect(quiz.question).toMatchObject({ text: 'Which hand?', requiresAsset: false })
    expect([quiz.executionId !== undefined, quiz.price]).toEqual([true, undefined])
  })

  test('has the service with its mode, host and balance, and the price of a new sprite', async () => {
    const { world, state } = await desk()
    addSprite(world, 'hero', 1)
    const { service, project, revision } = await state()
    expect({ project, revision }).toEqual({ project: 'game', revision: 7 })
    expect(service).toMatchObject({ mode: 'test', balance: '1000000', words: '' })
    expect(service.newSprite?.credits).toMatch(/^\d/)
    const unasked = await state({ prices: undefined })
    expect(unasked.service.mode).toBe('unasked')
    expect([unasked.service.balance, unasked.totals.price]).toEqual([undefined, undefined])
    expect(animationOf(unasked, 'hero').price).toBeUndefined()
  })

  test('judges an approval by prices that are newer than it, and by no older ones', async () => {
    const { world, parts, state, approve } = await desk()
    addSprite(world, 'hero', 7)
    await approve()
    const { prices } = await parts()
    const from = (at: number) => ({
      prices: { ...prices!, at, of: (one: PaidRequest) => ({ ...prices!.of(one)!, priceVersion: 'another' }) },
    })
    expect(animationOf(await state(from(prices!.at)), 'hero').state).toBe('outpriced')
    expect(animationOf(await state(from(0)), 'hero').state).toBe('approved')
  })

  test('adds a request with two names once to the sum, and two requests twice', async () => {
    const { world, state, approve, build } = await desk()
    addSprite(world, 'first', 0)
    await approve()
    await build()
    addSprite(world, 'hero', 1)
    expect((await state()).totals.price).toBe('1.6')
    // The same words and the same picture are the same request.
    const twin = (prompt: string) => JSON.stringify({ reference: './hero.png', prompt, animations: { walk: { frames: 7 } } })
    world.write('sprites/twin.sprite.json', twin('a figure hero'))
    expect((await state()).totals).toEqual({ counts: { bought: 1, missing: 2 }, price: '1.6' })
    world.write('sprites/twin.sprite.json', twin('a figure of its own'))
    expect((await state()).totals).toEqual({ counts: { bought: 1, missing: 2 }, price: '3.2' })
  })

  test('has a ledger whose lines add up, purchase after purchase', async () => {
    const { world, parts, state, approve, build } = await desk()
    for (const [index, name] of ['a', 'b', 'c'].entries()) addSprite(world, name, index)
    for (const name of ['a', 'b', 'c']) {
      await approve(name)
      await build(name)
    }
    const { ledger } = await state()
    expect(ledger).toEqual({ held: '0', settled: '4.8', restored: '0', uncertain: '0', elsewhere: '0' })
    const report = (await parts()).ledger
    const restored = await state({ ledger: { ...report, lines: report.lines.map((line) => ({ ...line, state: 'restored' as const })) } })
    expect(restored.sprites.map(({ animations: [one] }) => one?.endedAt !== undefined)).toEqual([true, true, true])
    const { lines } = toJson(report)
    expect(withSums(lines).map(({ soFar }) => soFar)).toEqual(['1.6', '3.2', '4.8'])
    expect(lines.every(({ state, credits, origin }) => state === 'settled' && credits === '1.6' && origin === 'here')).toBe(true)
  })

  test('shows the frames that are bought, each on its page, and how long each is played', async () => {
    const { world, state, approve, build } = await desk()
    addSprite(world, 'hero', 1)
    await approve()
    await build()
    const spec = {
      reference: './hero.png',
      prompt: 'a figure hero',
      anchor: [0.5, 1],
      animations: { walk: { frames: 7, fps: 10, use: [2, 0] } },
    }
    world.write('sprites/hero.sprite.json', JSON.stringify(spec))
    const now = await state()
    const [hero] = now.sprites
    expect(hero).toMatchObject({ file: 'sprites/hero.sprite.json', isPlaceholder: false, anchor: { x: 0.5, y: 1 }, size: null })
    expect(hero?.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(hero?.frame).toEqual({ width: 4, height: 4 })
    expect(hero?.pages).toHaveLength(1)
    expect(hero?.pages[0]?.url).toMatch(/^\/pages\//)
    const walk = animationOf(now, 'hero')
    expect(walk.played.map(({ index, durationMs, page }) => [index, durationMs, page])).toEqual([
      [2, 100, 0],
      [0, 100, 0],
    ])
    expect(walk).toMatchObject({ fps: 10, use: [2, 0], frames: 7, take: 1, touchedUp: [], takes: [{ take: 1, isChosen: true }] })
  })

  test('shows pages of the largest scale, and no time of a purchase that another checkout made', async () => {
    const { world, parts, state, approve, build } = await desk()
    addSprite(world, 'hero', 1)
    await approve()
    await build()
    const { sheets, ledger } = await parts()
    const atlases = sheets.atlases.flatMap((atlas) => [atlas, { ...atlas, scale: 0.5, pages: [], frames: [] }])
    const lines = ledger.lines.map((line) => ({ ...line, origin: 'elsewhere' as const }))
    const now = await state({ sheets: { ...sheets, atlases }, ledger: { ...ledger, lines } })
    expect([now.sprites[0]?.pages.length, animationOf(now, 'hero').played.length]).toEqual([1, 7])
    expect(animationOf(now, 'hero')).toMatchObject({ state: 'bought', spent: '1.6' })
    expect(animationOf(now, 'hero').endedAt).toBeUndefined()
  })

  test('shows the sizes that specs ask for as they have them', async () => {
    const { world, state } = await desk()
    const sizes = { box: { width: 64, height: 32 }, figure: { figure: 48 }, longest: 64 }
    for (const [name, size] of Object.entries(sizes))
      world.write(
        `sprites/${name}.sprite.json`,
        JSON.stringify({ reference: './hero.png', prompt: `a figure ${name}`, size, animations: { walk: { frames: 7 } } }),
      )
    world.write('sprites/hero.png', figurePng(1))
    const { errors, sprites } = await state()
    expect([errors, Object.fromEntries(sprites.map(({ name, size }) => [name, size]))]).toEqual([[], sizes])
  })

  test('marks art that was bought before its words were changed', async () => {
    const { world, state, approve, build } = await desk()
    addSprite(world, 'hero', 1)
    await approve()
    await build()
    world.write(
      'sprites/hero.sprite.json',
      JSON.stringify({ reference: './hero.png', prompt: 'another', animations: { walk: { frames: 7 } } }),
    )
    const now = await state()
    expect(animationOf(now, 'hero')).toMatchObject({ state: 'missing', isSuperseded: true, isPlaceholder: false, changed: ['prompt'] })
    expect(now.sprites[0]?.isPlaceholder).toBe(false)
  })

  test('lists each error once, those of specs first, and warnings of both readers once', async () => {
    const { world, parts } = await desk()
    addSprite(world, 'hero', 1)
    const error = (message: string, id?: string) => new SpritewrightError('SW_FAILED', { message, facts: id === undefined ? {} : { id } })
    const whole = await parts()
    const now = toPanelState({
      ...whole,
      overview: { ...whole.overview, errors: [error('of a spec')], warnings: ['one', 'two'] },
      ledger: { ...whole.ledger, warnings: ['two', 'three'] },
      errors: [error('of a sheet'), error('of a spec')],
      failures: [
        { ids: ['hero.walk'], error: error('of a purchase') },
        { ids: ['hero.walk', 'coin.spin'], error: error('of two') },
      ],
      priceError: error('of the prices'),
    })
    expect(now.errors.map(({ message, id }) => [message, id])).toEqual([
      ['of a spec', undefined],
      ['of a sheet', undefined],
      ['of a purchase', 'hero.walk'],
      ['of two', undefined],
      ['of the prices', undefined],
    ])
    expect(now.warnings).toEqual(['one', 'two', 'three'])
  })

  test('lists what has failed, or waits for a decision, by the records alone, and once', async () => {
    const { world, parts } = await desk()
    for (const name of ['hero', 'coin', 'gem', 'bat']) addSprite(world, name, name.length)
    const whole = await parts()
    const states = { hero: { state: 'failed', note: 'refused' }, coin: { state: 'uncertain', undecided: 'submission' }, bat: {} } as const
    const items = whole.overview.items.map((item) => ({
      ...item,
      ...states[item.spec.name as 'hero'],
      ...(item.spec.name === 'gem' ? { state: 'failed' as const, undecided: 'conflict' as const } : {}),
    }))
    const restarted = { ...whole, overview: { ...whole.overview, items } }
    const told = (now: PanelState) => now.errors.map(({ code, id, message }) => [code, id, message.split(/[.:,] /)[0]])
    const failed = ['SW_FAILED', 'hero.walk', 'Failed']
    const others = [
      ['SW_UNCERTAIN', 'coin.walk', 'Sent and never answered'],
      ['SW_CONFLICT', 'gem.walk', 'The service has other bytes under this key'],
    ]
    expect(told(toPanelState(restarted))).toEqual([...others, failed])
    const error = new SpritewrightError('SW_FAILED', { message: 'The prompt was refused.', facts: { id: 'hero.walk' } })
    const seen = toPanelState({ ...restarted, failures: [{ ids: ['hero.walk'], error }] })
    expect(told(seen)).toEqual([['SW_FAILED', 'hero.walk', 'The prompt was refused.'], ...others])
  })

  test('has when each purchase was approved and ended, and what is held for it', async () => {
    const now = await fourStates()
    const times = now.sprites.map(({ animations: [one] }) => [
      one?.id,
      one?.approvedAt !== undefined,
      one?.endedAt !== undefined,
      one?.held,
    ])
    expect(times).toEqual([
      ['approved.walk', true, false, undefined],
      ['bought.walk', true, true, undefined],
      ['missing.walk', false, false, undefined],
      ['quiz.walk', true, false, '1.6'],
    ])
    const { approvedAt = 0, endedAt = 0 } = animationOf(now, 'bought')
    expect([approvedAt > 0, endedAt >= approvedAt]).toEqual([true, true])
  })

  test('shows progress under each request that is in work, without amounts', async () => {
    const { world, state } = await desk()
    addSprite(world, 'hero', 1)
    addSprite(world, 'coin', 2)
    const progress = new Map([['hero.walk', { id: 'hero.walk', phase: 'running' as const, progress: 0.25, message: 'drawing' }]])
    const now = await state({ progress })
    expect(animationOf(now, 'hero').progress).toEqual({ id: 'hero.walk', phase: 'running', progress: 0.25, message: 'drawing' })
    expect(animationOf(now, 'coin').progress).toBeUndefined()
  })

  test('says of each sprite in the list what its details say, and no more', async () => {
    const { world, parts, approve, build } = await desk()
    for (const name of ['hero', 'coin', 'gem']) addSprite(world, name, name.length)
    await approve('hero', 'coin')
    await build('hero')
    const { sprites, open } = toPanelState(await parts({ progress: new Map([['coin.walk', { id: 'coin.walk', phase: 'running' }]]) }))
    expect(sprites.map(({ name }) => name)).toEqual(['coin', 'gem', 'hero'])
    for (const { animations, ...row } of sprites) {
      const details = open.find(({ name }) => name === row.name)
      expect(details).toMatchObject(row)
      expect(animations.map(({ faults: _, ...one }) => one)).toMatchObject(
        animations.map(({ id }) => {
          const {
            hash: _,
            words: __,
            prompt: ___,
            ...one
          } = details?.animations.find((other) => other.id === id) ?? { hash: '', words: '', prompt: '' }
          return Object.fromEntries(Object.entries(one).filter(([key]) => key in (animations[0] ?? {})))
        }),
      )
      expect(Object.keys(animations[0] ?? {})).not.toContain('played')
    }
  })

  test('has details of those sprites that are open, and of none that is gone', async () => {
    const { world, parts } = await desk()
    for (const name of ['hero', 'coin']) addSprite(world, name, name.length)
    expect(toPanelState(await parts({ open: ['hero', 'late'] })).open.map(({ name }) => name)).toEqual(['hero'])
  })
})
