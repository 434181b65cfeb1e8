import { expect, test } from 'vitest'
import { mirrorWords } from '../../src/cli/view/plan.ts'
import { parseCredits } from '../../src/credit/credits.ts'
import type { ApproveRequest, PlanReport } from '../../src/workshop.ts'
import { heroSpec } from '../kit/project.ts'
import { approveAll, world } from '../money/world.ts'
import { createWorld, planItem } from './world.ts'

const item = (id: string, price: string, usd?: string) =>
  planItem(id, { quote: { credits: parseCredits(price), priceVersion: 'v1', ...(usd === undefined ? {} : { usd }) } })
const report: PlanReport = {
  ...{ items: [item('hero.walk', '2.4', '0.24'), item('hero#1', '1')], own: [], steps: [], warnings: [] },
  ...{ total: parseCredits('3.4'), usd: '0.34', balance: parseCredits('20') },
}

test('plan has the USD of a price and of the total beside the credits, marked as not binding', async () => {
  const text = createWorld({ workshop: { plan: async () => report } })
  await text.run('plan')
  expect(text.out()).toMatch(/hero\.walk .* 2\.4 ≈ 0\.24 USD/)
  expect(text.out()).toMatch(/hero#1 +missing +12 +1 /)
  expect(text.out()).toContain('2 of 2 animations to buy: 3.4 credits ≈ 0.34 USD (estimate, not binding)')
  const markdown = createWorld({ workshop: { plan: async () => report } })
  await markdown.run('plan', '--markdown')
  expect(markdown.out()).toContain('### Sprites: 2 animations not bought, 3.4 credits ≈ 0.34 USD\n')
  expect(markdown.out()).toContain('| 2.4 ≈ 0.24 USD |')
})

test('plan says what mirror images save: today the price of their sources, and later what those cost at most', async () => {
  const spec = { ...JSON.parse(heroSpec(['walk', 'idle'])), mirror: { left: 'walk', again: 'walk' } }
  const w = await world({}, JSON.stringify(spec))
  const workshop = await w.workshop()
  const expected = [
    { id: 'hero.left', of: 'hero.walk', credits: 16_000n },
    { id: 'hero.again', of: 'hero.walk', credits: 16_000n },
  ]
  const planned = await workshop.plan()
  expect(planned.mirrored).toEqual(expected)
  const text = createWorld({ workshop: { plan: async () => planned } })
  await text.run('plan')
  expect(text.out()).toContain('2 mirror images save 3.2 credits: hero.left (of hero.walk), hero.again (of hero.walk)')
  const single = createWorld({ workshop: { plan: async () => ({ ...planned, mirrored: expected.slice(0, 1) }) } })
  await single.run('plan')
  expect(single.out()).toContain('1 mirror image saves 1.6 credits: hero.left (of hero.walk)')
  const markdown = createWorld({ workshop: { plan: async () => planned } })
  await markdown.run('plan', '--markdown')
  expect(markdown.out()).toContain('2 mirror images save 3.2 credits: hero.left &#40;of hero.walk&#41;')
  await approveAll(workshop)
  await workshop.build()
  expect((await workshop.plan()).mirrored).toEqual(expected)
})

test('approve shows the USD of each price and of all of them', async () => {
  const line = { operation: 'sprite_sheet', hash: 'ab', prompt: 'x', quote: 24_000n, ceiling: 24_000n } as const
  const approve = async ({ confirm }: ApproveRequest) => {
    const confirmed = await confirm(
      [
        { ...line, id: 'hero.walk', usd: '0.24' },
        { ...line, id: 'hero.idle', usd: '1.00' },
      ],
      200_000n,
    )
    return { approved: [], untouched: [], others: [], undecided: [], confirmed }
  }
  const { out, run } = createWorld({ canAsk: true, answer: false, workshop: { approve } })
  expect(await run('approve')).toBe(3)
  expect(out()).toMatch(/hero\.walk +2\.4 ≈ 0\.24 USD +2\.4 /)
  expect(out()).toContain('Prices are estimates, in all ≈ 1.24 USD;')
})

test("the USD are those of the service's estimate, of a picture by its rate; play money has none", async () => {
  const w = await world({}, heroSpec(['walk', 'idle']))
  const workshop = await w.workshop()
  const { items, usd, total } = await workshop.plan()
  expect(items.map(({ quote }) => [quote?.usd, quote?.referenceUsd])).toEqual([
    ['0.40', '0.40'],
    ['0.40', '0.40'],
  ])
  expect([usd, total]).toEqual(['0.80', 32_000n])
  const prices = await workshop.prices()
  expect(prices.usd([{ credits: 10_000n }, { credits: 1n }])).toBe('0.26')
  await approveAll(workshop)
  await workshop.build()
  expect([(await workshop.ledger()).usd, (await workshop.verifyLedger()).usd]).toEqual([undefined, '0.80'])
  const play = await w.workshop({ service: 'embedded', specs: ['sprites/hero.sprite.json'] })
  expect((await play.plan()).usd).toBeUndefined()
})

test.each([
  [8, /\(of hero\.walk\)$/],
  [9, /m7 \(of hero\.walk\), …$/],
])('of %i mirror images at most eight are named, and a sign says if there are more', (count, end) => {
  const mirrored = Array.from({ length: count }, (_, index) => ({ id: `hero.m${index}`, of: 'hero.walk' }))
  expect(mirrorWords({ items: [], own: [], steps: [], total: 0n, warnings: [], mirrored })).toEqual([expect.stringMatching(end)])
})
