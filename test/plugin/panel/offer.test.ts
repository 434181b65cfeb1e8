import { describe, expect, test } from 'vitest'
import { approveOffer, OfferChanged, readOffer } from '../../../plugin/panel/server/approval-offer.ts'
import type { ActionRequest, PanelOffer } from '../../../plugin/protocol/actions.ts'
import { type Machine, specOf, type Team, team } from '../../sim/two-machines.ts'

/** Two animations and one picture to approve. */
async function twoSprites(credits = '1000'): Promise<Team> {
  const made = await team({ accounts: [{ name: 'studio', credits, keys: [{ key: 'sw_test_simulated' }] }] })
  const steps = { reference: { steps: [{ text: 'a rogue' }] }, prompt: 'a rogue', animations: { walk: { frames: 7 } } }
  made.first.write('sprites/rogue.sprite.json', JSON.stringify(steps))
  return made
}

const offerOf = async ({ run, first }: Team, ask: ActionRequest<'offer'> = { ids: [] }): Promise<PanelOffer> =>
  run(readOffer(await first.open(), ask))

/** What the panel sends of an offer that it has shown. */
const shown = ({ lines, sum }: PanelOffer, ids: readonly string[] = []): ActionRequest<'approve'> => ({
  ids,
  sum,
  lines: lines.map(({ id, hash, price, ceiling }) => ({ id, hash, price, ceiling })),
})

const isApproved = (machine: Machine): boolean => machine.disk.files.has('/game/sprites.lock.json')

describe('an offer', () => {
  test('has a line for each request, their sums, the balance, and writes nothing', async () => {
    const made = await twoSprites()
    const offer = await offerOf(made)
    expect(offer.lines.map(({ id }) => id).sort()).toEqual(['hero.walk', 'rogue#1', 'rogue.walk'])
    expect(offer).toMatchObject({ sum: '4.2', ceilings: '4.2', balance: '1000', untouched: [] })
    expect(offer.lines.every(({ price, ceiling }) => price === ceiling)).toBe(true)
    expect([isApproved(made.first), made.posts()]).toEqual([false, 0])
  })

  test('of one name has its lines alone; a ceiling is the limit of each', async () => {
    const made = await twoSprites()
    const offer = await offerOf(made, { ids: ['hero'], ceiling: '5' })
    expect(offer).toMatchObject({ lines: [{ id: 'hero.walk', price: '1.6', ceiling: '5' }], sum: '1.6', ceilings: '5' })
  })

  test('of more than the balance has both, so that the page can say that it is not enough', async () => {
    expect(await offerOf(await twoSprites('1'))).toMatchObject({ sum: '4.2', balance: '1' })
  })

  test('of what is bought has no line, and names it as untouched', async () => {
    const made = await team()
    await made.first.approve()
    await made.first.build()
    expect(await offerOf(made)).toMatchObject({ lines: [], sum: '0', ceilings: '0', balance: '999998.4', untouched: ['hero.walk'] })
  })
})

describe('an approval from the panel', () => {
  test('of what was shown is written as clicked, for these requests', async () => {
    const made = await twoSprites()
    const offer = await offerOf(made, { ids: ['hero'] })
    await made.run(approveOffer(await made.first.open(), shown(offer, ['hero']), { given: 'clicked' }))
    expect(made.first.entry('hero.walk').approval).toMatchObject({ ceiling: '1.6', given: 'clicked' })
    expect(Object.keys(made.first.lock().animations)).toEqual(['hero.walk'])
  })

  test('takes equal amounts that are written another way', async () => {
    const made = await team()
    const ask = shown(await offerOf(made))
    const lines = ask.lines.map((line) => ({ ...line, price: '1.60', ceiling: '1.6000' }))
    await made.run(approveOffer(await made.first.open(), { ...ask, lines, sum: '1.600' }, { given: 'unattended' }))
    expect(made.first.entry('hero.walk').approval?.given).toBe('unattended')
  })

  test.each<readonly [string, (ask: ActionRequest<'approve'>) => ActionRequest<'approve'>]>([
    ['a line less than there are', ({ lines, ...ask }) => ({ ...ask, lines: lines.slice(1) })],
    ['a line more', ({ lines, ...ask }) => ({ ...ask, lines: [...lines, { ...lines[0]!, id: 'other.walk' }] })],
    ['another name', ({ lines: [first, ...rest], ...ask }) => ({ ...ask, lines: [{ ...first!, id: 'other.walk' }, ...rest] })],
    ['another request', ({ lines: [first, ...rest], ...ask }) => ({ ...ask, lines: [{ ...first!, hash: 'f'.repeat(64) }, ...rest] })],
    ['another price', ({ lines: [first, ...rest], ...ask }) => ({ ...ask, lines: [{ ...first!, price: '0.0001' }, ...rest] })],
    ['another ceiling', ({ lines: [first, ...rest], ...ask }) => ({ ...ask, lines: [{ ...first!, ceiling: '100' }, ...rest] })],
    ['another sum', (ask) => ({ ...ask, sum: '4.1999' })],
    ['another ceiling than was shown', (ask) => ({ ...ask, ceiling: '7' })],
  ])('of %s writes nothing, and its refusal has the offer of now', async (_what, change) => {
    const made = await twoSprites()
    const offer = await offerOf(made)
    const approving = made.run(approveOffer(await made.first.open(), change(shown(offer)), { given: 'clicked' }))
    const refusal = await approving.then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refusal).toBeInstanceOf(OfferChanged)
    expect(refusal).toMatchObject({ code: 'SW_CHANGED', facts: { sum: '4.2', ids: offer.lines.map(({ id }) => id) } })
    expect(isApproved(made.first)).toBe(false)
  })

  test('of a request whose words were edited since names it', async () => {
    const made = await twoSprites()
    const ask = shown(await offerOf(made))
    made.first.write('sprites/hero.sprite.json', specOf('a knight with a plume', 'hero'))
    const approving = made.run(approveOffer(await made.first.open(), ask, { given: 'clicked' }))
    await expect(approving).rejects.toMatchObject({ message: expect.stringMatching(/changed: hero\.walk\. /), offer: { sum: '4.2' } })
    expect(isApproved(made.first)).toBe(false)
  })
})
