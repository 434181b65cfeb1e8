import { describe, expect, test } from 'vitest'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { keyEnv } from '../kit/keys.ts'
import { failing, type Machine, minutes, sheetOf, specOf, team } from '../sim/two-machines.ts'

/** Keys are remembered for only a minute, so a later second POST is charged again. */
const forgetful = { retentionMs: minutes }

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
