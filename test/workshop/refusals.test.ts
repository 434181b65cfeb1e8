import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { SpritewrightError } from '../../src/errors.ts'
import { asking, type Machine, specOf, type Team, team } from '../sim/two-machines.ts'

type Refusal = readonly [code: string, message: string, facts?: object]

/** The error that some work ends with. */
async function refused(work: Promise<unknown>): Promise<Refusal> {
  try {
    return ['nothing', JSON.stringify(await work, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))]
  } catch (error) {
    const { code, message, facts } = error as SpritewrightError
    return [code, message, facts]
  }
}

/** A project of two sprites that cost 1.6 credits each. */
async function twoSprites(options: Parameters<typeof team>[0] = {}): Promise<Team> {
  const made = await team(options)
  made.first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  return made
}

/** The identifier of the key that this machine signs with. */
const buyerOf = (machine: Machine): string => machine.entry('hero.walk').approval?.buyer ?? ''

describe('an approval is refused with the figures', () => {
  test('of each line, of their sum, and of the project', async () => {
    const { first } = await twoSprites()
    const lines = ['hero.walk', 'rogue.walk'].map((id) => ({ id, quote: '1.6', ceiling: '1' }))
    expect(await refused(first.approve({ max: parseCredits('1') }))).toEqual([
      'SW_CEILING',
      'The wanted ceiling is under the price: hero.walk costs 1.6, its ceiling would be 1; rogue.walk costs 1.6, its ceiling would be 1. Nothing was written. Give a higher ceiling (--max).',
      { lines },
    ])
    expect(await refused(first.approve({ total: parseCredits('3') }))).toEqual([
      'SW_CEILING',
      'The ceilings add up to 3.2 credits, --total allows 3. Nothing was written. Approve fewer at a time, or raise --total.',
      { sum: '3.2', total: '3' },
    ])
    await first.approve({ names: ['hero'] })
    await first.build({ names: ['hero'] })
    expect(await refused(first.approve({ max: parseCredits('1.7') }, { options: { approval: { total: '3.2' } } }))).toEqual([
      'SW_CEILING',
      "The ceilings add up to 1.7 credits; with the 1.6 that this project has settled, holds or may have spent, that is above the project's total of 3.2. Nothing was written. Raise approval.total in spritewright.config, or approve less.",
      { sum: '1.7', committed: '1.6', total: '3.2' },
    ])
    expect(
      await first.approve({ max: parseCredits('1.6'), total: parseCredits('1.6') }, { options: { approval: { total: '3.2' } } }),
    ).toMatchObject({
      confirmed: true,
    })
  })

  test('of bytes that were frozen elsewhere, which it may take over or not', async () => {
    const { first, clone, world } = await twoSprites()
    await first.approve()
    const second = clone(first)
    const asked: unknown[] = []
    const look = async (lines: readonly { readonly id: string; readonly warning?: string }[]): Promise<boolean> => {
      asked.push(lines.map(({ id, warning }) => [id, warning]))
      return asked.length > 1
    }
    const buyer = buyerOf(first)
    const { untouched, others } = await second.approve()
    expect([untouched, others]).toEqual([
      ['hero.walk', 'rogue.walk'],
      ['hero.walk', 'rogue.walk'],
    ])
    await second.approve({ names: ['hero'], adopt: true, confirm: look })
    expect(await refused(second.build())).toEqual([
      'SW_BUYER',
      `"hero.walk", "rogue.walk": approved by ${buyer.slice(0, 8)} (unattended), not by you. Nothing was sent. Build where it was approved and commit sprites.lock*. Or look at the price and take the purchase over, after making sure that it was not bought there: npx spritewright approve hero.walk rogue.walk --adopt`,
      { ids: ['hero.walk', 'rogue.walk'], verdict: 'other', buyer, project: first.entry('hero.walk').approval?.project },
    ])
    world.service.setPricing({ first_tier_cents: 90 })
    const words =
      "the frozen bytes in the lock file no longer match the spec, its author and today's price. If they were sent before, the service refuses different bytes as a conflict, and their result cannot be found."
    expect(await refused(second.approve({ adopt: true, confirm: look }))).toEqual([
      'SW_APPROVAL',
      `hero.walk, rogue.walk: ${words} Nothing was written. Restore sprites.lock* from version control, or decide at a terminal, without --yes.`,
      { ids: ['hero.walk', 'rogue.walk'] },
    ])
    const frozen = first.entry('hero.walk').submission
    const again = `hero.walk: attempt 1 may have been sent. Its bytes are sent again, under the same idempotency key: frozen by ${buyer.slice(0, 8)}, uploaded picture ${frozen?.referenceId}.`
    expect(asked).toEqual([[['hero.walk', again]], ['hero.walk', 'rogue.walk'].map((id) => [id, `${id}: ${words}`])])
  })
})

describe('a build is refused with what is missing', () => {
  test('if the balance does not cover the sum of what it would send', async () => {
    const { first } = await twoSprites({ accounts: [{ name: 'studio', credits: '3.1', keys: [{ key: 'sw_test_simulated' }] }] })
    await first.approve()
    expect(await refused(first.build())).toEqual([
      'SW_BALANCE',
      'This run would cost 3.2 credits, the account has 3.1 available. Nothing was sent. Add credits, or build fewer sprites at a time: npx spritewright build NAME',
      { price: '3.2', balance: '3.1' },
    ])
  })

  test('if standing ceilings are not accepted, are others, do not count or do not cover a sprite', async () => {
    const { first, run } = await twoSprites()
    const approval = { perSprite: '2', total: '5' }
    const messageOf = async (options: object, names: readonly string[] = ['hero']): Promise<string> =>
      (await refused(first.build({ names }, { options })))[1]
    const open =
      "1 animation of the project is not bought and not approved, together 1.6 credits by today's estimate (not binding):\n  hero.walk  1.6 credits  new\n"
    const end = '\nNothing was bought. Approve with: npx spritewright approve hero'
    const ceilings = (why: string): string =>
      `${open}The standing ceilings of the configuration (approval.perSprite) ${why}, so nothing is bought under them. Check their limits, and accept them: npx spritewright approve --standing${end}`
    expect(await messageOf({ approval })).toBe(ceilings('have not been accepted by you'))
    const missing = ['hero.walk', 'rogue.walk'].map((id) => ({ id, quote: parseCredits('1.6') }))
    const service = { host: '127.0.0.1:1', keyMode: 'test' }
    const offered: unknown[] = []
    const confirm = async (offer: unknown): Promise<boolean> => offered.push(offer) > 1
    const offer = { ceilings: { perSprite: parseCredits('2'), total: parseCredits('5') }, service, missing, total: parseCredits('3.2') }
    const workshop = await first.open({ options: { approval } })
    expect(await run(workshop.acceptStanding({ confirm }))).toEqual({ offer, confirmed: false })
    expect(await messageOf({ approval })).toBe(ceilings('have not been accepted by you'))
    expect([await run(workshop.acceptStanding({ confirm })), offered]).toEqual([{ offer, confirmed: true }, [offer, offer]])
    expect(await messageOf({ approval: { perSprite: '3', total: '5' } })).toBe(ceilings('are not those that you have accepted'))
    const two = { reference: './hero.png', prompt: 'a rogue', animations: { walk: { frames: 7 }, run: { frames: 7 } } }
    first.write('sprites/rogue.sprite.json', JSON.stringify(two))
    const big = await messageOf({ approval }, ['rogue'])
    expect(big).toContain('\nThe standing approval does not cover "rogue": 3.2 is above approval.perSprite 2.\n')
    expect((await first.build({ names: ['hero'] }, { options: { approval } })).bought).toEqual([
      { id: 'hero.walk', credits: parseCredits('1.6') },
    ])
  })

  test('if only ways of giving count that no ceiling has', async () => {
    const { first } = await team()
    const options = { approval: { perSprite: '2', accept: ['typed'] } } as const
    expect((await refused(first.build({}, { options })))[1]).toContain(
      '\nStanding ceilings buy nothing here: approval.accept or SPRITEWRIGHT_APPROVALS lets only these ways count: typed.\n',
    )
  })

  test('if results are not here and the service cannot be asked for them', async () => {
    const { first, clone } = await team()
    await first.approve()
    await first.build()
    const second = clone(first)
    const env = { SPRITEWRIGHT_API_KEY: '', CI: '1' }
    const found = 'The paid results of hero.walk are not here'
    expect(await refused(second.build({}, { env }))).toEqual([
      'SW_VAULT',
      `${found}. Commit .spritewright/results on a machine that has them, or share them by store.shared.`,
      { ids: ['hero.walk'], store: undefined },
    ])
    const shared = '/share/none'
    for (const CI of ['1', ''])
      expect(await refused(second.build({}, { env: { ...env, CI }, options: { store: { shared } } }))).toEqual([
        'SW_VAULT',
        `${found}, and not in the shared store ${shared}. On a machine that has them: npx spritewright store push.`,
        { ids: ['hero.walk'], store: shared },
      ])
    expect((await refused(second.build({}, { env: { ...env, CI: '' } })))[0]).toBe('SW_NO_KEY')
  })
})

describe('a decision is refused', () => {
  test('with its name and the next step, if nothing of that name waits for it', async () => {
    const { first, run } = await twoSprites()
    await first.approve({ names: ['hero'] })
    await first.build({ names: ['hero'] })
    const workshop = await first.open()
    const shown = { hash: 'a'.repeat(64) } as never
    const status = 'found none. See: npx spritewright status'
    const changed = (what: string, outcome: string): Refusal => [
      'SW_CHANGED',
      `Expected ${what}, for "hero"; it has changed since. ${outcome} Check its state, and decide again.`,
      { id: 'hero' },
    ]
    const acts: readonly (readonly [work: () => Promise<unknown>, refusal: Refusal])[] = [
      [
        () => workshop.recover({ name: 'hero', decision: 'replay' }),
        ['SW_USAGE', `Expected a purchase of "hero" that waits for a decision, ${status}`, { name: 'hero' }],
      ],
      [
        () => workshop.recover({ name: 'hero', decision: 'abandon', shown }),
        changed('what was shown as undecided', 'Nothing was decided, and nothing was sent.'),
      ],
      [
        () => workshop.answer({ name: 'hero', text: 'x' }),
        ['SW_USAGE', `Expected a question waiting at "hero", ${status}`, { name: 'hero' }],
      ],
      [
        () => workshop.answer({ name: 'hero', text: 'x', shown: { questionId: 'q', hash: 'b'.repeat(64) } }),
        changed('the question that was shown, which is no longer open', 'No answer was sent.'),
      ],
      [() => workshop.cancel('hero'), ['SW_USAGE', `Expected a picture being made for "hero", ${status}`, { name: 'hero' }]],
      [() => workshop.cancel('hero', undefined, 'c'.repeat(64)), changed('a picture that is being made', 'Nothing was cancelled.')],
      [
        () => workshop.forget('rogue', async () => expect.unreachable()),
        ['SW_USAGE', `Expected executions of "rogue" at the service, ${status}`, { name: 'rogue' }],
      ],
      [
        () => workshop.review('rogue'),
        [
          'SW_MISSING',
          'Expected bought frames of "rogue" to show, found none: rogue.walk is missing. Approve and buy them first: npx spritewright approve rogue, then npx spritewright build rogue',
          { name: 'rogue', states: { 'rogue.walk': 'missing' } },
        ],
      ],
      [
        () => workshop.originals('rogue'),
        [
          'SW_MISSING',
          'Expected bought frames of "rogue" to show, found none: rogue.walk is missing. Approve and buy them first: npx spritewright approve rogue, then npx spritewright build rogue',
          { name: 'rogue', states: { 'rogue.walk': 'missing' } },
        ],
      ],
      [() => workshop.delivered('hero'), ['SW_USAGE', 'Expected the name of an animation or picture, found "hero".', { name: 'hero' }]],
      [
        () => workshop.revoke(['nobody']),
        [
          'SW_USAGE',
          'Expected the name of a sprite, an animation or a picture, found "nobody". There are: hero, hero.walk, rogue, rogue.walk.',
          { unknown: ['nobody'] },
        ],
      ],
      [
        () => workshop.acceptStanding({ confirm: async () => expect.unreachable() }),
        [
          'SW_USAGE',
          'Expected standing ceilings in the configuration (approval.perSprite, perRun, total), found none, and no approval.accept. Without approval.perSprite nothing is bought without an approval of its own.',
          {},
        ],
      ],
    ]
    const found: Refusal[] = []
    for (const [work] of acts) found.push(await refused(run(work())))
    expect(found).toEqual(acts.map(([, refusal]) => refusal))
    const path = [...first.disk.files.keys()].find((one) => one.startsWith('/game/.spritewright/results/')) ?? ''
    first.disk.files.set(path, new TextEncoder().encode('torn'))
    const result = first.entry('hero.walk').result?.sha256
    expect(await refused(run(workshop.forget('hero', async () => expect.unreachable())))).toEqual([
      'SW_VAULT',
      'The result of "hero.walk" is damaged or gone here, and would be lost for good once the service forgets it. Nothing was deleted. Run npx spritewright build first: it fetches it again, for free.',
      { id: 'hero.walk', result },
    ])
    expect(await refused(run(workshop.review('hero')))).toEqual([
      'SW_MISSING',
      'Expected bought frames of "hero" to show, found none: hero.walk is lost. Fetch them again, for free: npx spritewright store verify',
      { name: 'hero', states: { 'hero.walk': 'lost' } },
    ])
  })

  test('while an execution waits for an answer', async () => {
    const { first, run } = await team(asking)
    await first.approve()
    const id = 'hero.walk'
    const executionId = () => first.entry(id).execution?.id
    const [code, message, facts] = await refused(first.build())
    expect([code, message, facts]).toEqual([
      'SW_QUESTION',
      `The execution of "${id}" waits for an answer: Which hand? Answer it with: npx spritewright answer ${id} "…"`,
      { id, executionId: executionId(), question: 'Which hand?', requiresAsset: false },
    ])
    const workshop = await first.open()
    const asset = { path: 'a.txt', bytes: new Uint8Array(9) }
    expect(await refused(run(workshop.answer({ name: 'hero', text: 'x', asset })))).toEqual([
      'SW_REFERENCE',
      'Expected a PNG, JPEG or WebP picture at a.txt, found a file of another kind.',
      { path: 'a.txt', found: 'a file of another kind' },
    ])
    expect(await refused(run(workshop.cancel('hero')))).toEqual([
      'SW_CAPABILITY',
      `"${id}" is a sprite execution; the service does not allow customers to cancel those. It continues; its hold is settled on delivery or restored on failure.`,
      { id, executionId: executionId() },
    ])
    expect(await refused(run(workshop.forget('hero', async () => expect.unreachable())))).toEqual([
      'SW_VAULT',
      `${id}: not in the vault yet, and lost for good once the service forgets it. Run npx spritewright build first.`,
      { ids: [id] },
    ])
  })
})
