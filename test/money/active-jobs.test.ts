import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions, HookedRequest } from '../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { JobProgress } from '../../src/workshop.ts'
import { asking, isSubmission, lost, type Machine, minutes, type Team, team } from '../sim/two-machines.ts'

const names = ['walk', 'idle', 'jump']
const animations = Object.fromEntries(names.map((name) => [name, { frames: 7 }]))
const ids = names.map((name) => `hero.${name}`)

/** A spec whose prompt no other project has. */
const heroOf = (project: string): string => JSON.stringify({ reference: './hero.png', prompt: `a knight of ${project}`, animations })

/** A team whose first project has three animations, approved once. It notes what the service turns away. */
async function studio(options: EmbeddedOptions = {}): Promise<Team & { readonly turnedAway: () => number }> {
  const seen = new Set<string>()
  const after = async (request: HookedRequest, response: ServedResponse): Promise<ServedResponse> => {
    const text = response.body instanceof Uint8Array ? Buffer.from(response.body).toString() : ''
    if (request.method === 'GET' && text.includes('too_many_active_jobs')) seen.add(request.path)
    return options.after ? options.after(request, response) : response
  }
  const made = await team({ jobMs: 3 * minutes, ...options, after })
  made.first.write('sprites/hero.sprite.json', heroOf('the first game'))
  await made.first.approve()
  return { ...made, turnedAway: () => seen.size }
}

/** Builds one animation in a process of its own. */
const buy = async (machine: Machine, name: string, seen: JobProgress[] = []): Promise<unknown> => {
  const workshop = await machine.open()
  return workshop.build({ names: [`hero.${name}`], buyOnly: true, onProgress: (progress) => seen.push(progress) })
}

/** Another game of the same person on the same machine, with three approvals of its own. */
async function otherGame({ neighbour, first }: Team, name: string): Promise<Machine> {
  const game = neighbour(first, name)
  game.write('sprites/hero.sprite.json', heroOf(name))
  await game.approve()
  return game
}

describe('C31: at most two jobs of an account are active', () => {
  test('if a dev server buys three approvals one after another', async () => {
    const { first, run, turnedAway, charged, posts } = await studio()
    const server = await first.open()
    await run(Promise.all(ids.map((id) => server.build({ names: [id], buyOnly: true }))))
    expect([turnedAway(), posts(), new Set(charged()).size]).toEqual([0, 3, 3])
  })

  test('if two builds and a dev server buy at the same time', async () => {
    const { first, run, turnedAway, charged, posts } = await studio()
    await run(Promise.all(names.map((name) => buy(first, name))))
    expect([turnedAway(), posts(), new Set(charged()).size]).toEqual([0, 3, 3])
  })

  test('if three projects with one key build at the same time', async () => {
    const made = await studio()
    const games = [made.first, await otherGame(made, 'second'), await otherGame(made, 'third')]
    await made.run(Promise.all(games.map(async (game) => (await game.open()).build({ buyOnly: true }))))
    expect([made.turnedAway(), made.posts(), new Set(made.charged()).size]).toEqual([0, 9, 9])
    for (const game of games) expect(await game.states()).toEqual(['bought', 'bought', 'bought'])
  })

  test('if a person answers a question while two others run', async () => {
    const made = await studio({ ask: (asked) => (asked.prompt.endsWith('walk') ? asking.ask?.(asked) : undefined) })
    await expect(made.run(buy(made.first, 'walk'))).rejects.toMatchObject({ code: 'SW_QUESTION' })
    const others = [buy(made.first, 'idle'), buy(made.first, 'jump')]
    await made.wait(minutes)
    const workshop = await made.first.open()
    await made.run(workshop.answer({ name: 'hero.walk', text: 'the left one' }))
    await made.run(Promise.all(others))
    await made.first.build()
    expect([made.turnedAway(), new Set(made.charged()).size]).toEqual([0, 3])
  })
})

/** Files of the places of a machine. */
const placesOf = ({ disk }: Machine): string[] => [...disk.files.keys()].filter((path) => /\/limits\/[^/]+\/job\//.test(path))

describe('the place of a job is that of its present execution', () => {
  test('also if an answer continues what a killed process had sent', async () => {
    const made = await studio({ ask: (asked) => (asked.prompt.endsWith('walk') ? asking.ask?.(asked) : undefined) })
    let isDead = false
    let die = (): void => {}
    const died = new Promise<void>((resolve) => {
      die = resolve
    })
    const guard = (): Promise<never> | undefined => {
      isDead ||= placesOf(made.first).some((path) => path.endsWith('.execution'))
      if (!isDead) return undefined
      die()
      return new Promise<never>(() => {})
    }
    const killed = (await made.first.open({ guard })).build({ names: ['hero.walk'], buyOnly: true })
    killed.catch(() => {})
    await made.run(died)
    await made.wait(minutes)
    await made.run((await made.first.open()).answer({ name: 'hero.walk', text: 'the left one' }))
    await made.run(Promise.all([buy(made.first, 'idle'), buy(made.first, 'jump')]))
    await made.first.build()
    expect([made.turnedAway(), new Set(made.charged()).size]).toEqual([0, 3])
  })

  test('and stays if a run ends that took it, while another process has sent the same submission', async () => {
    const made = await studio()
    const isAccepted = (): boolean => made.first.records().some(({ type }) => type === 'accepted')
    let isPaused = false
    let goOn = (): void => {}
    const paused = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const guard = (call: string): Promise<void> | undefined => {
      if (isPaused || placesOf(made.first).length === 0 || !/^writeTemp .*\/submissions\//.test(call)) return undefined
      isPaused = true
      return paused
    }
    const stop = new AbortController()
    const slow = (await made.first.open({ guard })).build({ names: ['hero.walk'], buyOnly: true, signal: stop.signal })
    slow.catch(() => {})
    while (!isPaused) await made.wait(10)
    const fast = buy(made.first, 'walk')
    while (!isAccepted()) await made.wait(1_000)
    goOn()
    await made.wait(20_000)
    stop.abort()
    await expect(made.run(slow)).rejects.toMatchObject({ code: 'SW_INTERRUPTED' })
    await made.run(Promise.all([fast, buy(made.first, 'idle'), buy(made.first, 'jump')]))
    expect([made.turnedAway(), made.posts(), new Set(made.charged()).size]).toEqual([0, 3, 3])
  })
})

describe('a place delays only what the service certainly does not have', () => {
  test('a submission without an answer is sent again at once, also if others have taken all places', async () => {
    let isLost = false
    const made = await studio({
      jobMs: 15 * minutes,
      limits: { activeJobs: 3 },
      after: async (request, response) => {
        if (isLost || !isSubmission(request)) return response
        isLost = true
        return lost
      },
    })
    const stop = new AbortController()
    const onProgress = ({ phase }: JobProgress): void => {
      if (phase === 'waiting') stop.abort()
    }
    const first = (await made.first.open()).build({ names: ['hero.walk'], buyOnly: true, signal: stop.signal, onProgress })
    await expect(made.run(first)).rejects.toMatchObject({ code: 'SW_INTERRUPTED' })
    for (const path of placesOf(made.first)) made.first.disk.files.delete(path)
    const others = [buy(made.first, 'idle'), buy(made.first, 'jump')]
    await made.wait(minutes)
    await made.run(Promise.all([buy(made.first, 'walk'), ...others]))
    expect(new Set(made.charged()).size).toBe(3)
    expect(made.charged()).toHaveLength(3)
  })

  test('an answer that the service has accepted is recorded before its place', async () => {
    const made = await studio(asking)
    await expect(made.run(buy(made.first, 'walk'))).rejects.toMatchObject({ code: 'SW_QUESTION' })
    let die = (): void => {}
    const died = new Promise<void>((resolve) => {
      die = resolve
    })
    const has = (wanted: string): boolean => made.first.records().some(({ type }) => type === wanted)
    const guard = (call: string): Promise<never> | undefined => {
      if (!has('answerSent') || !/^writeTemp .*\/job\/.*execution/.test(call)) return undefined
      die()
      return new Promise<never>(() => {})
    }
    const killed = (await made.first.open({ guard })).answer({ name: 'hero.walk', text: 'the left one' })
    killed.catch(() => {})
    await made.run(died)
    expect(has('answerAccepted')).toBe(true)
  })

  test('a paid job is followed and its result stored, also if the folder of the places takes no more bytes', async () => {
    const made = await studio()
    const guard = (call: string): undefined => {
      const isFull = made.first.records().some(({ type }) => type === 'sent')
      if (isFull && /^writeTemp .*\/job\//.test(call)) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
      return undefined
    }
    await made.run((await made.first.open({ guard })).build({ names: ['hero.walk'], buyOnly: true }))
    expect(made.first.results()).toHaveLength(1)
  })
})

describe('a run that waits for a place', () => {
  test('says which animations of which project have the places, once', async () => {
    const made = await studio()
    const other = await otherGame(made, 'second')
    const seen: JobProgress[] = []
    const others = [buy(made.first, 'walk'), buy(made.first, 'idle')]
    await made.wait(minutes)
    await made.run(Promise.all([...others, buy(other, 'walk', seen)]))
    const waits = seen.filter(({ phase }) => phase === 'waiting').map(({ message }) => message)
    expect(waits).toEqual([
      expect.stringMatching(
        /^it waits for a place: 2 jobs of the account may be active, now hero\.(walk|idle) of game and hero\.(walk|idle) of game$/,
      ),
    ])
    expect(made.turnedAway()).toBe(0)
  })

  test('says so for an answer too', async () => {
    const made = await studio({ ask: (asked) => (asked.prompt.endsWith('walk') ? asking.ask?.(asked) : undefined) })
    await expect(made.run(buy(made.first, 'walk'))).rejects.toMatchObject({ code: 'SW_QUESTION' })
    const others = [buy(made.first, 'idle'), buy(made.first, 'jump')]
    await made.wait(minutes)
    const sentences: string[] = []
    const workshop = await made.first.open({ onWait: (sentence) => sentences.push(sentence) })
    await made.run(workshop.answer({ name: 'hero.walk', text: 'the left one' }))
    await made.run(Promise.all(others))
    expect(sentences).toContainEqual(expect.stringMatching(/^hero\.walk: it waits for a place: 2 jobs .*\.$/))
  })

  test('checks the price after the wait, and sends nothing above the ceiling', async () => {
    const made = await studio()
    const others = [buy(made.first, 'walk'), buy(made.first, 'idle')]
    await made.wait(minutes)
    const third = buy(made.first, 'jump')
    third.catch(() => {})
    await made.wait(1_000)
    made.world.service.setPricing({ first_tier_cents: 999 })
    await expect(made.run(third)).rejects.toMatchObject({ code: 'SW_CEILING' })
    await made.run(Promise.all(others))
    expect([made.posts(), new Set(made.charged()).size]).toEqual([2, 2])
  })

  test('gives the place back at once if a check fails after the wait', async () => {
    const one = { options: { limits: { activeJobs: 1 } } }
    const made = await studio({ limits: { activeJobs: 1 } })
    const { first, run, wait, world } = made
    const others = await otherGame(made, 'second')
    const build = async (machine: Machine, name: string): Promise<unknown> =>
      (await machine.open(one)).build({ names: [`hero.${name}`], buyOnly: true })
    const walk = build(first, 'walk')
    await wait(minutes)
    const idle = build(first, 'idle')
    idle.catch(() => {})
    await wait(1_000)
    world.service.setPricing({ first_tier_cents: 999 })
    await run(walk)
    await expect(run(idle)).rejects.toMatchObject({ code: 'SW_CEILING' })
    world.service.setPricing({ first_tier_cents: 40 })
    const begun = world.clock.mono()
    await run(build(others, 'walk'))
    expect(world.clock.mono() - begun).toBeLessThan(4 * minutes)
    expect(made.charged()).toHaveLength(2)
  })

  test('ends with Ctrl-C, with nothing sent, and takes no place with it', async () => {
    const made = await studio()
    const others = [buy(made.first, 'walk'), buy(made.first, 'idle')]
    await made.wait(minutes)
    const stop = new AbortController()
    const third = (await made.first.open()).build({ names: ['hero.jump'], buyOnly: true, signal: stop.signal })
    third.catch(() => {})
    await made.wait(1_000)
    stop.abort()
    await expect(made.run(third)).rejects.toMatchObject({ code: 'SW_INTERRUPTED' })
    await made.run(Promise.all(others))
    expect(made.posts()).toBe(2)
    await made.first.build()
    expect([made.turnedAway(), new Set(made.charged()).size]).toEqual([0, 3])
  })
})

describe('the place of a process that was killed', () => {
  const one = { options: { limits: { activeJobs: 1 } } }
  const isAccepted = (machine: Machine): boolean => machine.records().some(({ type }) => type === 'accepted')
  const hasFile = ({ disk }: Machine, end: string): boolean => [...disk.files.keys()].some((path) => path.endsWith(end))

  /** The first game dies while it buys, and another game builds. Returns how long that takes. */
  async function buildAfter(isLast: (call: string, first: Machine) => boolean): Promise<Team & { tookMs: number; other: Machine }> {
    const made = await studio({ limits: { activeJobs: 1 } })
    const other = await otherGame(made, 'second')
    await made.first.dieBuilding((call) => isLast(call, made.first), one)
    const begun = made.world.clock.mono()
    await made.run((await other.open(one)).build({ names: ['hero.walk'], buyOnly: true }))
    expect(made.turnedAway()).toBe(0)
    return { ...made, other, tookMs: made.world.clock.mono() - begun }
  }

  test('stays taken while its execution runs, and is free when the service says that it has ended', async () => {
    const { tookMs, first, charged } = await buildAfter((_call, machine) => hasFile(machine, '.execution'))
    expect(tookMs).toBeGreaterThan(6 * minutes - 30_000)
    expect(tookMs).toBeLessThan(7 * minutes)
    await first.build({}, one)
    expect(new Set(charged()).size).toBe(4)
  })

  test('is free after half an hour if nobody knows its execution', async () => {
    const { tookMs, first, charged } = await buildAfter(
      (call, machine) => call.startsWith('writeTemp') && call.includes('.execution') && isAccepted(machine),
    )
    expect(tookMs).toBeGreaterThan(30 * minutes)
    expect(tookMs).toBeLessThan(35 * minutes)
    await first.build({}, one)
    expect(new Set(charged()).size).toBe(4)
  })

  test('is the next build of its own project, which goes on at once', async () => {
    const made = await studio({ limits: { activeJobs: 1 } })
    await made.first.dieBuilding((call) => call.startsWith('list') && hasFile(made.first, 's0.g1') && call.includes('submissions'), one)
    expect(made.posts()).toBe(0)
    const begun = made.world.clock.mono()
    await made.run((await made.first.open(one)).build({ names: ['hero.walk'], buyOnly: true }))
    expect(made.world.clock.mono() - begun).toBeLessThan(4 * minutes)
    expect([made.turnedAway(), made.charged().length]).toEqual([0, 1])
  })
})

describe('if jobs that are not of this machine fill the account', () => {
  /** Another machine with the same key and a state of its own runs two jobs. */
  async function full(
    options: EmbeddedOptions = {},
  ): Promise<Awaited<ReturnType<typeof studio>> & { second: Machine; done: () => Promise<unknown> }> {
    const made = await studio(options)
    const second = made.clone(made.first)
    second.write('sprites/hero.sprite.json', heroOf('another machine'))
    await second.approve()
    const others = Promise.all([buy(made.first, 'walk'), buy(made.first, 'idle')])
    await made.wait(minutes)
    return { ...made, second, done: () => made.run(others) }
  }

  test('one approval meets the refusal, and the next ones are not sent into it: they need no further approval', async () => {
    const { second, done, posts, charged, turnedAway, run, wait } = await full()
    await expect(run(buy(second, 'walk'))).rejects.toMatchObject({ code: 'SW_FAILED', facts: { reason: 'too_many_active_jobs' } })
    for (const name of ['idle', 'jump'])
      await expect(run(buy(second, name))).rejects.toMatchObject({
        code: 'SW_REFUSED',
        message: expect.stringContaining('Its approval stays'),
        facts: { id: `hero.${name}`, reason: 'too_many_active_jobs', retryable: true },
      })
    expect([turnedAway(), posts()]).toEqual([1, 3])
    await done()
    await wait(5 * minutes)
    await run(Promise.all([buy(second, 'idle'), buy(second, 'jump')]))
    expect([turnedAway(), charged().length]).toEqual([1, 4])
  })

  test('the next approval waits for the end of a job of this machine, if one runs beside them', async () => {
    const made = await studio()
    const second = made.clone(made.first)
    second.write('sprites/hero.sprite.json', heroOf('another machine'))
    await second.approve()
    const others = [buy(made.first, 'walk')]
    await made.wait(minutes)
    others.push(buy(second, 'walk'))
    await made.wait(minutes)
    await expect(made.run(buy(second, 'idle'))).rejects.toMatchObject({ code: 'SW_FAILED' })
    await made.run(Promise.all([...others, buy(second, 'jump')]))
    expect([made.turnedAway(), made.charged().length]).toEqual([1, 3])
  })

  test('a refusal that allows another try is tried again under the same approval, as often as it takes', async () => {
    const again = async (request: HookedRequest, response: ServedResponse): Promise<ServedResponse> => {
      if (request.method !== 'GET' || !(response.body instanceof Uint8Array)) return response
      const text = Buffer.from(response.body).toString()
      if (!text.includes('too_many_active_jobs')) return response
      // The same length.
      return { ...response, body: Buffer.from(text.replaceAll('"retryable":false', '"retryable": true')) }
    }
    const { second, done, run, charged, turnedAway, first } = await full({ after: again })
    const approvals = second.lock()
    await run((await second.open()).build({ buyOnly: true }))
    await done()
    expect(turnedAway()).toBeGreaterThan(2)
    expect([charged().length, new Set(charged()).size]).toEqual([5, 5])
    for (const id of ids) {
      const approvalsOf = (lock: typeof approvals): unknown[] => Object.values(lock.animations[id] ?? {}).map(({ approval }) => approval)
      expect(approvalsOf(second.lock())).toEqual(approvalsOf(approvals))
    }
    await first.build()
    expect(charged()).toHaveLength(6)
  })
})
