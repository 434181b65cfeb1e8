import { expect, test } from 'vitest'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { PaidRequest } from '../../src/sprite-spec/request.ts'
import type { PendingPurchase } from '../../src/workshop.ts'
import { asking, failing, minutes, specOf, team } from '../sim/two-machines.ts'

const chain = (words: string): string =>
  JSON.stringify({ reference: { steps: [{ text: 'a person' }, { edit: words }] }, prompt: words, animations: { walk: { frames: 9 } } })

test('an overview and prices have every request with its state, each step once, and the facts of project and service', async () => {
  const { first, run, wait, world } = await team(failing('for good'))
  await first.approve()
  await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
  await first.approve()
  await first.dieBuilding(() => first.entry('hero.walk').execution !== undefined)
  const texts = { broken: '{', hero: specOf('a king', 'hero'), mage: chain('a mage'), rogue: chain('a rogue') }
  for (const [name, text] of Object.entries(texts)) first.write(`sprites/${name}.sprite.json`, text)
  await wait(minutes)
  await first.approve({ names: ['rogue', 'mage'] })
  const workshop = await first.open()
  const { items, steps, orphans, errors, digests, ...rest } = await run(workshop.overview())
  expect(items.map(({ id, state, changed, takes, ceiling }) => [id, state, changed, takes, ceiling && formatCredits(ceiling)])).toEqual([
    ['hero.walk', 'missing', ['prompt'], [{ take: 1, state: 'missing' }], undefined],
    ['mage.walk', 'approved', [], [{ take: 1, state: 'approved' }], '1.8'],
    ['rogue.walk', 'approved', [], [{ take: 1, state: 'approved' }], '1.8'],
  ])
  expect(steps.map(({ id, state, sprites, ids, request }) => [id, state, sprites, ids, request.prompt])).toEqual([
    ['mage#1', 'approved', ['mage', 'rogue'], ['mage#1', 'rogue#1'], 'a person'],
    ['mage#2', 'approved', ['mage'], ['mage#2'], 'a mage'],
    ['rogue#2', 'approved', ['rogue'], ['rogue#2'], 'a rogue'],
  ])
  const [hash = ''] = Object.keys(first.lock().animations['hero.walk'] ?? {})
  const running = { id: 'hero.walk', hash, state: 'running', attempt: 2, executionId: first.entry('hero.walk').execution?.id }
  expect(orphans).toEqual([expect.objectContaining(running)])
  expect(orphans[0]?.request).toMatchObject({ operation: 'sprite_sheet', id: 'hero.walk', prompt: 'a knight\nwalk', frames: 7, take: 1 })
  expect(errors.map(({ code, facts }) => [code, facts.file])).toEqual([['SW_SPEC', '/game/sprites/broken.sprite.json']])
  const all = Object.entries(texts).map(
    ([name, text]) => [`/game/sprites/${name}.sprite.json`, sha256(new TextEncoder().encode(text))] as const,
  )
  expect([...digests]).toEqual(all)
  expect(rest).toEqual({ own: [], warnings: [], mayBuy: true, service: { kind: 'remote', host: '127.0.0.1:1', canAsk: true } })

  const { of, usd, ...prices } = await run(workshop.prices())
  const priceOf = ({ request }: { readonly request: PaidRequest }): unknown => {
    const { credits, referenceUsd } = of(request) ?? {}
    return [credits && formatCredits(credits), referenceUsd]
  }
  expect(items.map(priceOf)).toEqual([
    ['1.6', '0.40'],
    ['1.8', '0.45'],
    ['1.8', '0.45'],
  ])
  expect(steps.map(priceOf)).toEqual([
    ['1', undefined],
    ['1', undefined],
    ['1', undefined],
  ])
  expect(usd([{ credits: parseCredits('3') }, { credits: parseCredits('1') }])).toBe('1.00')
  expect(prices).toEqual({
    newSprite: { frames: 8, background: 'remove', credits: parseCredits('1.6') },
    balance: parseCredits('999998.4'),
    service: { host: '127.0.0.1:1', keyMode: 'test' },
    at: world.clock.wall(),
  })
})

test('a pending purchase has a mark that changes with each decision and event, of its steps too, and one of decisions alone', async () => {
  const { first, run, wait } = await team(asking)
  first.write('sprites/hero.sprite.json', chain('a rogue'))
  const pending = async () => run((await first.open()).pending())
  expect(await pending()).toEqual({ orders: [], mayBuy: true, canAsk: true })
  const seen: PendingPurchase[] = []
  const look = async (): Promise<void> => void seen.push(...(await pending()).orders)
  await first.approve()
  await look()
  await wait(minutes)
  await first.approve({ names: ['hero'], max: parseCredits('3') })
  await look()
  await first.dieBuilding(() => first.records().some(({ type }) => type === 'accepted'))
  await look()
  await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
  await look()
  expect(seen.map(({ id, state, ceiling }) => [id, state, ceiling && formatCredits(ceiling)])).toEqual([
    ['hero.walk', 'approved', '1.8'],
    ...Array.from({ length: 3 }, () => ['hero.walk', 'approved', '3']),
  ])
  const [, again, ...later] = seen.map(({ approved }) => approved)
  expect([new Set(seen.map(({ mark }) => mark)).size, new Set(seen.map(({ approved }) => approved)).size]).toEqual([4, 2])
  expect(later).toEqual([again, again])
})
