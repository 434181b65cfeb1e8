import { describe, expect, test } from 'vitest'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import type { ApprovalLine, ApproveRequest } from '../../src/workshop.ts'
import { figurePng } from '../kit/project.ts'
import { type Machine, minutes, refusal, specOf, team } from '../sim/two-machines.ts'
import { watch } from './acts.ts'

const hashOf = (machine: Machine, id: string): string => Object.keys(machine.lock().animations[id] ?? {}).join()
const chain = (prompt: string): string =>
  JSON.stringify({ reference: { steps: [{ text: `a picture of ${prompt}` }] }, prompt, animations: { walk: { frames: 9 } } })

describe('approving everything', () => {
  test('asks with whole lines, records, writes, tells, uploads and freezes, in this order', async () => {
    const made = await team()
    const { first } = made
    first.write('sprites/rogue.sprite.json', chain('a rogue'))
    const { init, note, all } = watch(made)
    let seen: unknown
    const confirm: ApproveRequest['confirm'] = async (lines, balance, ...rest) => {
      note('asked')
      seen = [lines, formatCredits(balance), rest]
      return true
    }
    const ceiling = parseCredits('3')
    const request = { max: ceiling, total: parseCredits('9'), given: 'typed', confirm, onWritten: () => note('told') } as const
    const report = await first.approve(request, init)
    const [hero, rogue, step] = [hashOf(first, 'hero.walk'), hashOf(first, 'rogue.walk'), Object.keys(first.lock().steps ?? {}).join()]
    const [one, sheet, long] = ['1', '1.6', '1.8'].map((text) => parseCredits(text)) as [
      ApprovalLine['quote'],
      ApprovalLine['quote'],
      ApprovalLine['quote'],
    ]
    const lines: readonly ApprovalLine[] = [
      { id: 'rogue#1', operation: 'text_to_image', hash: step, prompt: 'a picture of a rogue', quote: one, usd: '0.25', ceiling },
      { id: 'hero.walk', operation: 'sprite_sheet', hash: hero, prompt: 'a knight\nwalk', quote: sheet, usd: '0.40', ceiling },
      { id: 'rogue.walk', operation: 'sprite_sheet', hash: rogue, prompt: 'a rogue\nwalk', quote: long, usd: '0.45', ceiling },
    ]
    expect(seen).toEqual([lines, '1000000', [undefined]])
    expect(report).toEqual({ approved: lines, untouched: [], others: [], undecided: [], confirmed: true })
    expect(all()).toEqual([
      'GET balance',
      'asked',
      'record approved',
      'record approved',
      'record approved',
      'lock',
      'told',
      'POST reference-assets',
      'lock',
    ])
  })

  test('keeps the bytes that were frozen before an upload failed', async () => {
    let uploads = 0
    const made = await team({
      before: async ({ path }) => (path === '/v1/reference-assets' && ++uploads === 2 ? refusal(400, 'bad_picture') : undefined),
    })
    const { first } = made
    first.write('sprites/rogue.png', figurePng(2))
    first.write('sprites/rogue.sprite.json', specOf('a rogue', 'rogue'))
    const { init, all } = watch(made)
    await expect(first.approve({}, init)).rejects.toMatchObject({ code: 'SW_REFUSED' })
    expect([first.entry('hero.walk').submission?.attempt, first.entry('rogue.walk').submission]).toEqual([1, undefined])
    expect(first.entry('rogue.walk').approval?.ceiling).toBe('1.6')
    const sent = ['POST reference-assets', 'POST reference-assets']
    expect(all()).toEqual(['GET balance', 'record approved', 'record approved', 'lock', ...sent, 'lock'])
  })

  test('replaces an approval that does not cover the price of today, and its bytes', async () => {
    const { first, world, wait } = await team()
    await first.approve()
    await wait(minutes)
    world.service.setPricing({ first_tier_cents: 90 })
    const { approved, untouched } = await first.approve()
    const after = first.entry('hero.walk')
    const [line] = approved
    expect([approved.length, untouched, line?.quote, line?.ceiling]).toEqual([1, [], parseCredits('3.6'), parseCredits('3.6')])
    expect([after.approval?.ceiling, after.submission?.maxCredits, after.submission?.attempt]).toEqual(['3.6', '3.6', 1])
    expect(JSON.parse(after.submission?.body ?? '')).toMatchObject({ max_credits: '3.6' })
    world.service.setPricing({ first_tier_cents: 40 })
    expect(await first.approve()).toMatchObject({ approved: [], untouched: ['hero.walk'] })
    expect(first.entry('hero.walk')).toEqual(after)
  })
})
