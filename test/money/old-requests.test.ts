import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { Net } from '../../src/host/net.ts'
import { expectCount } from '../kit/expect-count.ts'
import type { CallGuard } from '../kit/guarded-disk.ts'
import { answering, asking, lost, type Machine, minutes, type ProcessInit, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

const isAccepted = (machine: Machine): boolean => machine.records().some(({ type }) => type === 'accepted')
const budget = { approval: { perSprite: '9' } }

/** The request of the hero's earlier prompt is in flight, and the current one is bought. */
async function inFlight(options: EmbeddedOptions = {}): Promise<Team> {
  const made = await team(options)
  const { first } = made
  await first.approve()
  await first.dieBuilding(() => isAccepted(first))
  first.write('sprites/hero.sprite.json', specOf('a knight in armour', 'hero'))
  return made
}

/** Runs some work, and returns the requests that it made. */
async function listen({ world }: Team, work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = world.service.requests().length
  await work()
  return world.service
    .requests()
    .slice(before)
    .map(({ method, path }) => `${method} ${path}`)
}

describe('an old request in flight, and all of today bought', () => {
  const bought = async (): Promise<Team> => {
    const made = await inFlight({ verdict: waiting() })
    await made.first.accept({ options: budget })
    await made.first.build({}, { options: budget })
    expect(made.first.results()).toEqual([sheetOf('a knight in armour walk')])
    return made
  }
  /** The first job waits in the queue for a quarter of an hour. */
  function waiting(): NonNullable<EmbeddedOptions['verdict']> {
    return ({ stage, prompt, attempt }) =>
      stage === 'admission' && !prompt.includes('armour') && attempt <= 900
        ? { reason: 'generation_failed', message: 'not yet', retryable: true }
        : undefined
  }

  test('keeps no offline build from ending well: it is told', async () => {
    const { first, posts } = await bought()
    const offline: Net = {
      close: async () => {},
      request: async () => {
        throw Object.assign(new Error('offline'), { code: 'ENOTFOUND' })
      },
    }
    const { warnings } = await first.build({}, { net: offline })
    expect(warnings.join()).toContain('are still at the service, which could not be asked')
    expect(posts()).toBe(2)
  })

  test('is asked for by no --frozen build, and needs no key', async () => {
    const made = await bought()
    const { first } = made
    const keyless: ProcessInit = { env: { SPRITEWRIGHT_API_KEY: '' } }
    expect(await listen(made, () => first.build({ frozen: true }))).toEqual([])
    expect(await listen(made, () => first.build({ frozen: true }, keyless))).toEqual([])
    expect(await listen(made, () => first.build({}, keyless))).toEqual([])
  })

  test('is looked at by a build that names its sprite, and left alone by one that names another', async () => {
    const made = await bought()
    const { first, wait } = made
    first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
    await first.accept({ options: budget })
    await first.build({ names: ['rogue'] }, { options: budget })
    await wait(16 * minutes)
    expect(await listen(made, () => first.build({ names: ['rogue'] }))).toEqual([])
    expect(first.results()).toHaveLength(2)
    await first.build({ names: ['hero.walk'] })
    expect(first.results().toSorted()).toEqual(['a knight in armour walk', 'a knight walk', 'a rogue walk'].map(sheetOf))
    expect(await listen(made, () => first.build())).toEqual([])
  })

  test('costs a build two reads while it runs, and no time', async () => {
    const made = await bought()
    const before = made.world.clock.mono()
    const requests = await listen(made, () => made.first.build())
    expect(requests).toEqual([expect.stringContaining('GET /v1/capabilities'), expect.stringContaining('GET /v1/executions/')])
    expect(made.world.clock.mono() - before).toBe(0)
  })
})

describe('an old request that waits for a person', () => {
  test('with a question is answered by its name, and fetched by the build after', async () => {
    const made = await inFlight(asking)
    const { first, run, wait, posts, charged } = made
    await wait(1 * minutes)
    await first.accept({ options: budget })
    await expect(first.build({}, { options: budget })).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await run((await first.open()).answer({ name: 'hero', text: 'right' }))
    const { warnings } = await first.build()
    expect(warnings.join()).toContain('waits for an answer: Which hand? Answer it with: npx spritewright answer hero.walk "…"')
    // A later build does not ask the service about it again.
    expect(await listen(made, () => first.build())).toEqual([])
    await expect(run((await first.open()).recover({ name: 'hero.walk', decision: 'abandon' }))).rejects.toMatchObject({ code: 'SW_USAGE' })
    await run((await first.open()).answer({ name: 'hero.walk', text: 'left' }))
    await wait(1 * minutes)
    expect((await first.build()).warnings).toEqual([])
    expect(first.results()).toHaveLength(2)
    expect([posts(), charged().length]).toEqual([2, 2])
  })

  test('without an answer counts against approval.total until it is given up by its name, and after', async () => {
    const { first, run, wait, posts, charged } = await team(answering(Array.from({ length: 6 }, () => lost)))
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    await wait(11 * minutes)
    first.write('sprites/hero.sprite.json', specOf('a knight in armour', 'hero'))
    const sent = posts()
    const under = (total: string): ProcessInit => ({ options: { approval: { perSprite: '9', total } } })
    await first.accept(under('3.1999'))
    await expect(first.build({}, under('3.1999'))).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    await first.accept(under('3.2'))
    const { warnings } = await first.build({}, under('3.2'))
    expect(warnings.join()).toContain(
      'was sent and never answered. A build does not send it again; to decide: npx spritewright recover hero.walk --replay',
    )
    expect([posts() - sent, charged()]).toEqual([1, ['a knight in armour walk']])
    expect((await run((await first.open()).recover({ name: 'hero.walk', decision: 'abandon' }))).decided).toMatchObject([
      { ceiling: 16_000n },
    ])
    expect((await first.build()).warnings).toEqual([])
    first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
    await expect(first.build({}, under('3.2'))).rejects.toMatchObject({ code: 'SW_APPROVAL' })
  })
})

describe('a broken chain of an old request', () => {
  /**
   * The hero's earlier request is bought, its records are broken in both places, and its spec has changed.
   */
  const broken = async (): Promise<Team> => {
    const made = await team()
    const { first } = made
    await first.approve()
    await first.build()
    const paths = [...first.disk.files.keys()].filter((path) => /submissions\/[0-9a-f]{64}\/0002\.json$/.test(path))
    expect(paths).toHaveLength(2)
    for (const path of paths) first.disk.files.delete(path)
    first.edit((lock) => {
      for (const entry of Object.values(lock.animations['hero.walk'] ?? {})) delete entry.result
    })
    first.write('sprites/hero.sprite.json', specOf('a knight in armour', 'hero'))
    return made
  }

  test('stops neither status nor the purchase of today', async () => {
    const { first, charged } = await broken()
    expect(await first.states()).toEqual(['missing'])
    await first.approve()
    await first.build()
    expect(await first.states()).toEqual(['bought'])
    expect(charged()).toEqual(['a knight walk', 'a knight in armour walk'])
  })

  test('counts in full against approval.total', async () => {
    const { first, charged } = await broken()
    const under = (total: string): ProcessInit => ({ options: { approval: { total } } })
    await expect(first.approve({}, under('3.1999'))).rejects.toMatchObject({ code: 'SW_CEILING', facts: { committed: '1.6' } })
    await first.approve({}, under('3.2'))
    await first.build({}, under('3.2'))
    expect(charged()).toEqual(['a knight walk', 'a knight in armour walk'])
  })

  test('of the request of today stops the build, and nothing is sent', async () => {
    const { first, posts } = await broken()
    first.write('sprites/hero.sprite.json', specOf('a knight', 'hero'))
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_JOURNAL', facts: { record: 3 } })
    expect(posts()).toBe(1)
  })
})

test('what was reserved for an old request and never sent is free again after a minute, and its spec of before is bought as ever', async () => {
  const { first, run, wait, charged } = await team()
  const init: ProcessInit = { options: { approval: { total: '2' } } }
  await first.approve({}, init)
  const full: CallGuard = (call) => {
    if (call.startsWith('link ') && /submissions\/[0-9a-f]{64}\/0003\.json$/.test(call))
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    return undefined
  }
  await expect(first.build({}, { ...init, guard: full })).rejects.toMatchObject({ code: 'ENOSPC' })
  first.write('sprites/hero.sprite.json', specOf('a knight in armour', 'hero'))
  await expect(first.approve({}, init)).rejects.toMatchObject({ code: 'SW_CEILING', facts: { committed: '1.6' } })
  await wait(1 * minutes + 1)
  await first.approve({}, init)
  await first.build({}, init)
  expect(charged()).toEqual(['a knight in armour walk'])
  first.write('sprites/hero.sprite.json', specOf('a knight', 'hero'))
  await expect(first.build({}, init)).rejects.toMatchObject({ code: 'SW_CEILING', facts: { committed: '1.6' } })
  const higher: ProcessInit = { options: { approval: { total: '3.2' } } }
  // A raised total needs a person.
  await expect(first.build({}, higher)).rejects.toMatchObject({ code: 'SW_CEILING', facts: { total: '2' } })
  await first.accept(higher)
  await first.build({}, higher)
  expect(charged()).toEqual(['a knight in armour walk', 'a knight walk'])
  const { lines } = await run((await first.open()).ledger())
  expect(lines.map(({ attempt, state, credits }) => [attempt, state, credits])).toEqual([
    [1, 'settled', 16_000n],
    [1, 'settled', 16_000n],
  ])
})

test('an old request of a test key is asked for by no build with a live key', async () => {
  const keys = [{ key: 'sw_test_simulated' }, { key: 'sw_live_simulated', mode: 'live' as const }]
  const made = await inFlight({ accounts: [{ name: 'studio', credits: '1000', keys }] })
  const { first, wait, charged } = made
  const live: ProcessInit = { env: { SPRITEWRIGHT_API_KEY: 'sw_live_simulated' }, options: budget }
  await first.accept(live)
  await first.build({}, live)
  await wait(1 * minutes)
  expect(await listen(made, () => first.build({}, live))).toEqual([])
  expect(first.results()).toEqual([sheetOf('a knight in armour walk')])
  expectCount(charged(), 2)
})

test('another project at the same path, by its own name, has none of the ledger of the one before, and its own total', async () => {
  const { first, run, charged } = await team()
  const init: ProcessInit = { options: { approval: { total: '2' } } }
  await first.approve({}, init)
  await first.build({}, init)
  for (const path of [...first.disk.files.keys()]) if (path.startsWith('/game/') && !path.endsWith('.png')) first.disk.files.delete(path)
  first.write('package.json', '{"name":"another-game"}')
  first.write('sprites/villain.sprite.json', specOf('a villain', 'hero'))
  expect((await run((await first.open()).ledger())).lines).toEqual([])
  expect((await first.approve({}, init)).approved).toHaveLength(1)
  await first.build({}, init)
  expect(charged()).toEqual(['a knight walk', 'a villain walk'])
})
