import { describe, expect, test } from 'vitest'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import { type ApprovedOrder, toApprovalChange } from '../../src/project/orders.ts'
import type { Session } from '../../src/project/session.ts'
import type { ApprovalLine } from '../../src/workshop.ts'
import { order } from '../job/bench.ts'
import { expectCount } from '../kit/expect-count.ts'
import { answering, failing, lost, type Machine, minutes, specOf, team } from '../sim/two-machines.ts'

const at = (machine: Machine, id: string): number => Date.parse(machine.entry(id).approval?.at ?? '')
const idsOf = (lines: readonly ApprovalLine[]): readonly string[] => lines.map(({ id }) => id)
const isWritten = (machine: Machine): boolean => machine.disk.files.has('/game/sprites.lock.json')

/** A project of two sprites that cost 1.6 credits each. */
async function twoSprites() {
  const made = await team()
  made.first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  return made
}

describe('what a person is asked', () => {
  test('is one line for each request, with price and ceiling, and the balance; a no writes nothing', async () => {
    const { first } = await twoSprites()
    const asked: (readonly [readonly ApprovalLine[], bigint])[] = []
    const report = await first.approve({
      confirm: async (lines, balance) => {
        asked.push([lines, balance])
        return false
      },
    })
    expect(report).toEqual({ approved: [], untouched: [], others: [], undecided: [], confirmed: false })
    const [[lines, balance] = [[], 0n]] = asked
    expect(asked).toHaveLength(1)
    expect(lines.map(({ id, quote, ceiling }) => [id, formatCredits(quote), formatCredits(ceiling)])).toEqual([
      ['hero.walk', '1.6', '1.6'],
      ['rogue.walk', '1.6', '1.6'],
    ])
    expect([balance, isWritten(first)]).toEqual([parseCredits('1000000'), false])
  })

  test('is nothing where all is bought or approved: the question is not put', async () => {
    const { first } = await twoSprites()
    await first.approve({ names: ['hero'] })
    await first.build({ names: ['hero'] })
    await first.approve()
    const confirm = async (): Promise<boolean> => {
      throw new Error('asked')
    }
    const report = await first.approve({ confirm })
    expect(report).toEqual({ approved: [], untouched: ['hero.walk', 'rogue.walk'], others: [], undecided: [], confirmed: true })
  })

  test('is one line for twins', async () => {
    const { first, charged } = await team()
    first.write('sprites/twin.sprite.json', specOf('a knight', 'hero'))
    const { approved, untouched } = await first.approve()
    expect([idsOf(approved), untouched]).toEqual([['hero.walk'], []])
    await first.build()
    expect(await first.states()).toEqual(['bought', 'bought'])
    expectCount(charged(), 1)
  })
})

describe('ceilings', () => {
  test('of exactly the price, and sums of exactly the total, are enough', async () => {
    const { first } = await twoSprites()
    const { approved } = await first.approve({ max: parseCredits('1.6'), total: parseCredits('3.2') })
    expect(idsOf(approved)).toEqual(['hero.walk', 'rogue.walk'])
  })

  test('under a price are refused with each such line', async () => {
    const { first } = await twoSprites()
    const line = { quote: '1.6', ceiling: '1.5999' }
    const approving = first.approve({ max: parseCredits('1.5999') })
    await expect(approving).rejects.toMatchObject({
      code: 'SW_CEILING',
      facts: {
        lines: [
          { id: 'hero.walk', ...line },
          { id: 'rogue.walk', ...line },
        ],
      },
    })
    expect(isWritten(first)).toBe(false)
  })

  test('that add up to more than the total are refused with both amounts', async () => {
    const { first } = await twoSprites()
    const approving = first.approve({ total: parseCredits('3.1999') })
    await expect(approving).rejects.toMatchObject({ code: 'SW_CEILING', facts: { sum: '3.2', total: '3.1999' } })
    await expect(first.approve({ max: parseCredits('2'), total: parseCredits('3.9999') })).rejects.toMatchObject({
      facts: { sum: '4', total: '3.9999' },
    })
    expect(isWritten(first)).toBe(false)
  })

  test('count with what the project has bought against its own total, to the last credit', async () => {
    const { first } = await twoSprites()
    const init = (total: string) => ({ options: { approval: { total } } })
    await first.accept(init('3.2'))
    await first.approve({ names: ['hero'] }, init('3.2'))
    await first.build({ names: ['hero'] }, init('3.2'))
    await expect(first.approve({ max: parseCredits('1.6001') }, init('3.2'))).rejects.toMatchObject({
      code: 'SW_CEILING',
      facts: { sum: '1.6001', committed: '1.6', total: '3.2' },
    })
    expect(idsOf((await first.approve({}, init('3.2'))).approved)).toEqual(['rogue.walk'])
  })

  test('that are wanted otherwise replace an approval; equal ones leave it as it is', async () => {
    const { first, wait } = await team()
    await first.approve({ max: parseCredits('2') })
    const before = first.entry('hero.walk').approval
    await wait(minutes)
    expect((await first.approve()).untouched).toEqual(['hero.walk'])
    expect((await first.approve({ max: parseCredits('2') })).untouched).toEqual(['hero.walk'])
    expect(first.entry('hero.walk').approval).toEqual(before)
    expect(idsOf((await first.approve({ max: parseCredits('3') })).approved)).toEqual(['hero.walk'])
    expect(first.entry('hero.walk').approval?.ceiling).toBe('3')
  })
})

describe('the record of an approval', () => {
  test('has how it was given', async () => {
    const { first } = await twoSprites()
    await first.approve({ names: ['hero'], given: 'typed' })
    await first.approve({ names: ['rogue'] })
    expect(first.entry('hero.walk').approval?.given).toBe('typed')
    expect(first.entry('rogue.walk').approval?.given).toBe('unattended')
  })

  test('is later than each one before, whatever the clock says', async () => {
    const { first, world, run } = await team(failing('for good', 'for good'))
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    const before = at(first, 'hero.walk')
    const { clock } = world
    const early = { wall: () => before - 60 * minutes, mono: () => clock.mono(), sleep: clock.sleep.bind(clock) }
    const workshop = await world.workshop({}, { clock: early as never })
    await run(workshop.approve({ names: [], confirm: async () => true }))
    expect(at(first, 'hero.walk')).toBe(before + 1)
  })

  test('freezes the bytes of a request whose picture is here, and of no step that needs one first', async () => {
    const { first } = await team()
    const chain = { reference: { steps: [{ text: 'a rogue' }] }, prompt: 'a rogue', animations: { walk: { frames: 7 } } }
    first.write('sprites/rogue.sprite.json', JSON.stringify(chain))
    await first.approve()
    expect(first.entry('hero.walk').submission).toMatchObject({ attempt: 1, maxCredits: '1.6' })
    expect(first.entry('rogue.walk').submission).toBeUndefined()
    expect(Object.values(first.lock().steps ?? {}).map(({ submission }) => submission?.maxCredits)).toEqual(['1'])
  })
})

test('what a person has to decide about first gets no approval, and is named', async () => {
  const { first, wait } = await team({ ...answering(Array.from({ length: 6 }, () => lost)) })
  first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  await first.approve({ names: ['hero'] })
  await expect(first.build({ names: ['hero'] })).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
  await wait(11 * minutes)
  const report = await first.approve()
  expect(report).toMatchObject({ undecided: ['hero.walk'], untouched: ['hero.walk'], others: [] })
  expect(idsOf(report.approved)).toEqual(['rogue.walk'])
})

test('an approval is written over an earlier one, and never over one that another process has given later', () => {
  const change = (at: string) => {
    const approved = { ...order, approval: { ...order.approval, at } } as ApprovedOrder
    return toApprovalChange({ identity: order.identity } as Session, approved).change
  }
  const [first, second] = ['2026-10-01T10:00:00.000Z', '2026-10-01T10:00:01.000Z']
  const [earlier, later] = [change(first)(undefined), change(second)(undefined)]
  expect([change(second)(earlier), change(first)(later)]).toEqual([later, later])
})
