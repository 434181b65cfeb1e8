import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { SigningKey } from '../../src/credit/signing-key.ts'
import { signSubmission } from '../../src/job/body.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import type { ApproveRequest } from '../../src/workshop.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { failing, listening, type Machine, minutes, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

/** Keys are remembered for only a minute, so a later second POST is charged again. */
const forgetful = { retentionMs: minutes }

/** Other bytes, with the hash that fits them. */
const bytesOf = (body: string) => ({ body, bodySha256: createHash('sha256').update(body).digest('hex') })
const attemptOf = (machine: Machine): LockEntry['submission'] => machine.entry('hero.walk').submission

/** Changes the only entry of the hero. */
function editHero(machine: Machine, change: (entry: LockEntry) => LockEntry): void {
  machine.edit((lock) => {
    const requests = lock.animations['hero.walk'] ?? {}
    for (const [hash, entry] of Object.entries(requests)) requests[hash] = change(entry)
  })
}

describe('an attempt is taken over from the lock file', () => {
  test('the second one: two machines under one key, of which one has no journal, go on from it and pay once', async () => {
    const { first, clone, wait, run, posts, charged } = await team({ ...forgetful, ...failing('for good') })
    const init = { env: keyEnv(5) }
    await first.approve({}, init)
    await expect(first.build({}, init)).rejects.toMatchObject({ code: 'SW_FAILED' })
    await first.approve({}, init)
    expect(attemptOf(first)?.attempt).toBe(2)
    expect(first.entry('hero.walk').execution).toBeUndefined()
    const second = clone(first)
    // Longer than the service remembers a key, so that the first one's would buy again.
    await wait(2 * minutes)
    const named = { env: { ...init.env, SPRITEWRIGHT_PROJECT: `${first.entry('hero.walk').approval?.project}` } }
    const workshops = await Promise.all([first.open(init), second.open(named)])
    await run(Promise.all(workshops.map((workshop) => workshop.build({ buyOnly: true }))))
    expect([posts(), charged()]).toEqual([3, ['a knight walk']])
    expect([first.results(), second.results()]).toEqual([[sheetOf('a knight walk')], [sheetOf('a knight walk')]])
    expect(attemptOf(second)).toEqual(attemptOf(first))
    const { lines } = await run((await second.open(init)).ledger())
    expect(lines.map(({ attempt, state, origin }) => [attempt, state, origin])).toEqual([[2, 'settled', 'here']])
  })

  test('the second one, over an own first that failed: it is fetched for free, and costs what its own bytes say', async () => {
    const { first, copy, run, posts, charged } = await team(failing('for good'))
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    const second = copy(first)
    await second.approve()
    await second.build()
    const sent = posts()
    first.pull(second)
    editHero(first, ({ result: _result, ...entry }) => ({
      ...entry,
      approval: { ...(entry.approval as NonNullable<LockEntry['approval']>), buyer: 'elsewhere' },
      submission: { ...(entry.submission as NonNullable<LockEntry['submission']>), maxCredits: '9' },
    }))
    await first.build()
    expect(first.results()).toEqual([sheetOf('a knight walk')])
    expect([posts() - sent, charged()]).toEqual([0, ['a knight walk']])
    const { lines, settled, elsewhere } = await run((await first.open()).ledger())
    expect(lines.map(({ attempt, state, origin, credits }) => [attempt, state, origin, credits])).toEqual([
      [1, 'restored', 'here', 16_000n],
      [2, 'settled', 'elsewhere', 90_000n],
    ])
    expect([settled, elsewhere]).toEqual([0n, 90_000n])
    const kept = new TextDecoder().decode(first.disk.files.get('/game/.spritewright/ledger.jsonl'))
    expect(
      kept
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ attempt, type }) => [attempt, type]),
    ).toEqual([
      [1, 'held'],
      [1, 'restored'],
    ])
  })

  test('of the same number, that failed here and runs on another machine: it is followed, not approved anew', async () => {
    const { first, clone, wait, posts, charged } = await team({ ...forgetful, ...failing('for good') })
    await first.approve()
    const second = clone(first)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    await wait(2 * minutes)
    await second.approve({ adopt: true })
    await second.dieBuilding(
      () => second.records().some(({ type }) => type === 'accepted') && second.entry('hero.walk').execution !== undefined,
    )
    first.pull(second)
    expect(attemptOf(first)?.attempt).toBe(1)
    expect(await first.states()).toEqual(['running'])
    expect(await first.approve({ adopt: true })).toMatchObject({ approved: [], untouched: ['hero.walk'] })
    await first.build()
    await second.build()
    expect([first.results(), second.results()]).toEqual([[sheetOf('a knight walk')], [sheetOf('a knight walk')]])
    expect([posts(), charged()]).toEqual([2, ['a knight walk']])
    expect(first.entry('hero.walk')).toEqual(second.entry('hero.walk'))
  })
})

const isAnswer = (call: string): boolean => call.startsWith('link') && call.includes('/0004.json')

/** A machine dies with its submission under way, and nothing of it is left but the committed files. */
async function lostMachine(): Promise<Team & { readonly second: Machine; readonly sent: ReturnType<typeof listening>['sent'] }> {
  const made = await team()
  const { net, sent } = listening(made)
  await made.first.approve()
  await made.first.dieBuilding(isAnswer, { net })
  const second = made.clone(made.first)
  return { ...made, sent, second: { ...second, build: (request, init) => second.build(request, { net, ...init }) } }
}

describe('frozen bytes are taken over with the approval', () => {
  test('C32: if the machine that sent them is lost, the same bytes lead to its execution: paid once', async () => {
    const { first, second, sent, charged } = await lostMachine()
    const frozen = first.entry('hero.walk').submission
    let warning: string | undefined
    const confirm: ApproveRequest['confirm'] = async ([line]) => {
      warning = line?.warning
      return true
    }
    expect((await second.approve({ adopt: true, confirm })).approved).toHaveLength(1)
    expect(warning).toContain(`uploaded picture ${frozen?.referenceId}`)
    await second.build()
    expect(sent).toHaveLength(2)
    expect(sent[1]).toEqual(sent[0])
    expect([charged(), second.results()]).toEqual([['a knight walk'], [sheetOf('a knight walk')]])
  })

  test('also those of an animation whose picture was bought', async () => {
    const made = await team()
    const { first, clone, charged } = made
    first.write(
      'sprites/hero.sprite.json',
      JSON.stringify({ ...JSON.parse(specOf('a knight', 'hero')), reference: { steps: [{ text: 'a knight' }] } }),
    )
    await first.approve()
    const { net, sent } = listening(made)
    await first.dieBuilding((call) => isAnswer(call) && sent.length === 2, { net })
    const second = clone(first)
    await second.approve({ adopt: true })
    await second.build({}, { net })
    expect(sent.map(({ key }) => key)).toEqual([sent[0]?.key, sent[1]?.key, sent[1]?.key])
    expect(sent[2]).toEqual(sent[1])
    expect(charged()).toEqual(['a knight', 'a knight walk'])
    expect(second.results()).toContain(sheetOf('a knight walk'))
  })

  test('after a later price they cannot be sent: a person has to agree to others', async () => {
    const { second, world, posts } = await lostMachine()
    world.service.setPricing({ first_tier_cents: 90 })
    await expect(second.approve({ adopt: true })).rejects.toMatchObject({ code: 'SW_APPROVAL', facts: { ids: ['hero.walk'] } })
    await expect(second.build()).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(1)
  })

  type Frozen = NonNullable<LockEntry['submission']>
  const signed = (hash: string, frozen: Frozen, change: Partial<Frozen>, key: SigningKey): Frozen =>
    signSubmission(key, hash, { ...frozen, ...change })
  const other = '00000000-0000-4000-8000-0000000000aa'
  test.each<readonly [string, (frozen: Frozen, hash: string) => Frozen]>([
    [
      'the id of another picture',
      (frozen) => ({ ...frozen, referenceId: other, ...bytesOf(frozen.body.replace(frozen.referenceId ?? '', other)) }),
    ],
    [
      'another picture, signed by a stranger',
      (frozen, hash) =>
        signed(hash, frozen, { referenceId: other, ...bytesOf(frozen.body.replace(frozen.referenceId ?? '', other)) }, testKey(66)),
    ],
    ['another attempt, signed by a stranger', (frozen, hash) => signed(hash, frozen, { attempt: 2, key: 'sw1-other' }, testKey(66))],
    ['no signature', ({ signature: _signature, ...frozen }) => frozen],
  ])('%s in the lock file: nothing is sent, unless a person agrees to the request’s own bytes', async (_what, change) => {
    const { second, charged, posts, sent } = await lostMachine()
    second.edit((lock) => {
      for (const [hash, entry] of Object.entries(lock.animations['hero.walk'] ?? {}))
        entry.submission = change(entry.submission as Frozen, hash)
    })
    const before = second.lock()
    await expect(second.approve({ adopt: true })).rejects.toMatchObject({ code: 'SW_APPROVAL', facts: { ids: ['hero.walk'] } })
    expect(second.lock()).toEqual(before)
    await expect(second.build()).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(1)
    await second.approve({ adopt: true, given: 'typed' })
    await expect(second.build()).rejects.toMatchObject({ code: 'SW_CONFLICT' })
    expect(sent.slice(1).map(({ body }) => body.reference_asset_id)).not.toContain(other)
    expect(charged()).toHaveLength(1)
  })
})

describe('twins: one request under two names', () => {
  test('each approved on a machine of its own, one bought: after the merge the other is bought too, with nothing sent', async () => {
    const { first, clone, wait, posts, charged } = await team(forgetful)
    const second = clone(first)
    await second.approve()
    first.rename('sprites/hero.sprite.json', 'sprites/knight.sprite.json')
    await first.approve()
    await first.build()
    second.write('sprites/knight.sprite.json', specOf('a knight', 'hero'))
    second.edit((lock) => {
      lock.animations['knight.walk'] = { ...first.lock().animations['knight.walk'] }
    })
    for (const [path, bytes] of first.disk.files) if (path.includes('/results/')) second.disk.files.set(path, bytes)
    await wait(2 * minutes)
    const { approval } = second.entry('hero.walk')
    expect(await second.states()).toEqual(['bought', 'bought'])
    await second.build()
    expect(second.entry('hero.walk')).toMatchObject({ approval, result: first.entry('knight.walk').result })
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('count once against approval.total, on a machine that has them from the lock file', async () => {
    const { first, clone, posts } = await team()
    await first.approve()
    await first.build()
    first.rename('sprites/hero.sprite.json', 'sprites/knight.sprite.json')
    await first.build()
    expect(Object.keys(first.lock().animations)).toEqual(['hero.walk', 'knight.walk'])
    const second = clone(first, 'results')
    second.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
    const under = (total: string) => second.approve({ names: ['rogue'] }, { options: { approval: { total } } })
    await expect(under('3.1999')).rejects.toMatchObject({ code: 'SW_CEILING', facts: { committed: '1.6' } })
    expect((await under('3.2')).approved).toHaveLength(1)
    expect(posts()).toBe(1)
  })
})
