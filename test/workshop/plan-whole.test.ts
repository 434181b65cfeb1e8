import { expect, test } from 'vitest'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import type { PlanReport, PlanStep, Quote } from '../../src/workshop.ts'
import { figurePng } from '../kit/project.ts'
import { minutes, specOf, team } from '../sim/two-machines.ts'

const quoteOf = ({ quote }: { readonly quote?: Quote }): unknown => quote && [formatCredits(quote.credits), quote.usd]
const summary = ({ items, steps }: Pick<PlanReport, 'items' | 'steps'>): unknown =>
  [...items, ...steps].map((one) => [one.id, one.state, quoteOf(one), 'ids' in one ? (one as PlanStep).ids : one.changed])

test('a plan has what everything costs, twins and shared steps once, and warns of what no spec asks for and of names', async () => {
  const { first, run, wait } = await team()
  await first.approve()
  await first.dieBuilding(() => first.entry('hero.walk').execution !== undefined)
  const chain = {
    reference: { steps: [{ text: 'a person' }] },
    prompt: 'a rogue',
    animations: { run: { frames: 9 } },
    mirror: { back: 'run' },
  }
  const files = {
    'hero.sprite.json': specOf('a king', 'hero'),
    'rogue.sprite.json': JSON.stringify(chain),
    'twin.sprite.json': JSON.stringify(chain),
    'mage.json': JSON.stringify({ prompt: 'x', animations: {} }, null, 1),
    'notes.json': '{}',
    'badge.sprite.json': JSON.stringify({ source: './badge.png' }),
    'badge.png': figurePng(5),
  }
  for (const [name, text] of Object.entries(files)) first.write(`sprites/${name}`, text)
  await wait(minutes)
  const plan = await run((await first.open()).plan())
  const { items: _items, steps: _steps, warnings, own, ...rest } = plan
  expect(summary(plan)).toEqual([
    ['hero.walk', 'missing', ['1.6', '0.40'], ['prompt']],
    ['rogue.run', 'missing', ['1.8', '0.45'], []],
    ['twin.run', 'missing', ['1.8', '0.45'], []],
    ['rogue#1', 'missing', ['1', '0.25'], ['rogue#1', 'twin#1']],
  ])
  const credits = parseCredits('1.8')
  expect([own.map(({ name }) => name), rest]).toEqual([
    ['badge'],
    {
      mirrored: ['rogue', 'twin'].map((name) => ({ id: `${name}.back`, of: `${name}.run`, credits })),
      total: parseCredits('4.4'),
      usd: '1.10',
      balance: parseCredits('999998.4'),
      service: { host: '127.0.0.1:1', keyMode: 'test' },
    },
  ])
  expect(warnings).toEqual([expect.stringContaining('hero.walk'), expect.stringContaining('mage.sprite.json')])
})
