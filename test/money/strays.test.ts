import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { Net } from '../../src/host/net.ts'
import { expectCount } from '../kit/expect-count.ts'
import { type CallGuard, readOnly } from '../kit/guarded-disk.ts'
import { failing, isSubmission, type Machine, minutes, places, refusal, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

/** A network on which the answer to the first submission is delayed. */
function slowAnswer({ world }: Team): { readonly net: Net; arrive(): void } {
  let arrive = (): void => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  let isFirst = true
  const request: Net['request'] = async (wanted) => {
    const response = await world.net.request(wanted)
    if (isFirst && wanted.method === 'POST' && wanted.url.endsWith('/v1/execute')) {
      isFirst = false
      await arrived
    }
    return response
  }
  return { net: { ...world.net, request }, arrive: () => arrive() }
}

const hero = { names: ['hero'] }

/**
 * The service accepts the first submission, but its answer takes longer than the window. A person gives it up
 * and approves it again. After the second attempt is bought, the answer arrives at the first process, which
 * is still waiting for it.
 *
 * @param isSurvivor Whether that process goes on. Otherwise it dies right after it has recorded the answer.
 */
async function strayed(options: EmbeddedOptions = {}, isSurvivor = false): Promise<Team> {
  // The bytes contain the number of their execution.
  let count = 0
  const makers: EmbeddedOptions['makers'] = {
    sheet: async (_request, prompt, tools) => {
      const mark = ++count
      await tools.onStep(1, tools.jobMs)
      const bytes = new TextEncoder().encode(`${sheetOf(prompt)} ${mark}`)
      const review = {
        frameCount: 7,
        background: 'remove' as const,
        keptBackgroundFrames: [],
        inspectionFrames: [],
        sourceShiftedFrames: [],
      }
      return { bytes, contentType: 'application/zip', width: 4, height: 4, review }
    },
    image: () => Promise.reject(new Error('No picture is asked for here.')),
  }
  const made = await team({ makers, ...options })
  const { first, run, wait } = made
  await first.approve()
  const { net, arrive } = slowAnswer(made)
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const guard: CallGuard = () => {
    if (isSurvivor || !isTaken(first)) return undefined
    end()
    return new Promise<never>(() => {})
  }
  const waiting = (await first.open({ net, guard })).build({ buyOnly: true, ...hero })
  waiting.then(end, end)
  await wait(11 * minutes)
  await run((await first.open()).recover({ name: 'hero', decision: 'abandon' }))
  await first.approve()
  await first.build(hero)
  arrive()
  await run(ended)
  expect(isTaken(first)).toBe(true)
  return made
}

/** Whether the late answer is recorded. */
const isTaken = (machine: Machine): boolean => {
  const types = machine.records().map(({ type, body }) => `${type} ${body.attempt}`)
  return types.includes('accepted 1') && types.includes('accepted 2')
}

const linesOf = async ({ run }: Team, machine: Machine) => (await run((await machine.open()).ledger())).lines
const reads = async ({ world }: Team, work: () => Promise<unknown>): Promise<number> => {
  const before = world.service.requests().length
  await work()
  return world.service.requests().length - before
}
/** How a stray is told, by the ledger's line of its attempt. */
const nameOf = async (made: Team): Promise<string> => {
  const [line] = await linesOf(made, made.first)
  return `"hero.walk", attempt 1: answered by the service after another purchase had taken its place (execution ${line?.executionId})`
}
const first = `${sheetOf('a knight walk')} 1`
const second = `${sheetOf('a knight walk')} 2`

describe('an execution whose answer came after its attempt had been given up and another had begun', () => {
  test('is told by status and ledger, and fetched by the next build beside the purchase that stands', async () => {
    const made = await strayed()
    const { first: machine, run, posts, charged } = made
    expect(machine.results()).toEqual([second])
    const bought = machine.entry('hero.walk')
    const status = await run((await machine.open()).status())
    expect(status.items.map(({ state }) => state)).toEqual(['bought'])
    expect(status.warnings).toEqual([`${await nameOf(made)}: the first build after its end fetches it.`])
    expect((await linesOf(made, machine)).map(({ attempt, state }) => [attempt, state])).toEqual([
      [1, 'held'],
      [2, 'settled'],
    ])
    const { warnings } = await machine.build()
    const { result } = (await linesOf(made, machine))[0] ?? {}
    expect(warnings).toEqual([
      `${await nameOf(made)}. It is paid, and now in the vault as ${result}. The sprite is still built from its valid purchase.`,
    ])
    expect(machine.results().toSorted()).toEqual([first, second])
    expect(machine.entry('hero.walk')).toEqual(bought)
    const lines = await linesOf(made, machine)
    expect(lines.map(({ attempt, state, decision, credits }) => [attempt, state, decision, credits])).toEqual([
      [1, 'settled', 'abandon', 16_000n],
      [2, 'settled', undefined, 16_000n],
    ])
    expect(new Set(lines.map(({ result }) => result)).size).toBe(2)
    const { checks, isAgreed } = await run((await machine.open()).verifyLedger())
    expect([isAgreed, ...checks.map(({ verdict, words }) => [verdict, words])]).toEqual([true, ['agrees', ''], ['agrees', '']])
    expect([posts(), charged()]).toEqual([2, ['a knight walk', 'a knight walk']])
    // From then on, there are no questions and no warnings.
    expect(await reads(made, async () => expect((await machine.build()).warnings).toEqual([]))).toBe(0)
    expect((await run((await machine.open()).status())).warnings).toEqual([])
  })

  test('is left alone by --frozen and by a build of another sprite, and keeps no offline build from ending well', async () => {
    const made = await strayed()
    const { first: machine } = made
    machine.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
    await machine.approve()
    await machine.build({ names: ['rogue'] })
    expect(await reads(made, () => machine.build({ frozen: true }))).toBe(0)
    expect(machine.results()).toHaveLength(2)
    const request: Net['request'] = async () => {
      throw Object.assign(new Error('offline'), { code: 'ENOTFOUND' })
    }
    expect((await machine.build({}, { net: { ...made.world.net, request } })).warnings.join()).toContain('which could not be asked')
    await machine.build()
    expect(machine.results()).toHaveLength(3)
  })

  test('is fetched too where no spec asks for its request any more', async () => {
    const made = await strayed()
    const { first: machine, charged } = made
    machine.write('sprites/hero.sprite.json', specOf('a knight in armour', 'hero'))
    await machine.approve()
    await machine.build()
    expect(machine.results().toSorted()).toEqual([`${sheetOf('a knight in armour walk')} 3`, first, second])
    expectCount(charged(), 3)
  })

  test('is fetched at once by the process that got the answer, where it lives', async () => {
    const { first: machine } = await strayed({}, true)
    expect(machine.results().toSorted()).toEqual([first, second])
  })

  test('is fetched once it is finished, and waited for by nobody before', async () => {
    const ids = new Set<string>()
    let isHeld = true
    const made = await strayed({
      verdict: ({ stage, executionId }) => {
        ids.add(executionId)
        const isFirst = [...ids][0] === executionId
        return stage === 'admission' && isFirst && isHeld ? { reason: 'generation_failed', message: 'not yet', retryable: true } : undefined
      },
    })
    const { first: machine, world, wait } = made
    const before = world.clock.mono()
    expect((await machine.build()).warnings).toEqual([])
    expect([world.clock.mono() - before, machine.results().length]).toEqual([0, 1])
    isHeld = false
    await wait(10_000)
    await machine.build()
    expect(machine.results()).toHaveLength(2)
  })

  test('that failed costs nothing, and is told so once', async () => {
    const made = await strayed(failing('for good'))
    const { first: machine, run, charged } = made
    const words = `${await nameOf(made)}. It has ended without a result and costs nothing.`
    expect((await machine.build()).warnings).toEqual([words])
    expect((await linesOf(made, machine)).map(({ attempt, state }) => [attempt, state])).toEqual([
      [1, 'restored'],
      [2, 'settled'],
    ])
    expect((await run((await machine.open()).verifyLedger())).isAgreed).toBe(true)
    expect(await reads(made, async () => expect((await machine.build()).warnings).toEqual([]))).toBe(0)
    expect(charged()).toEqual(['a knight walk'])
  })

  test('that the service has forgotten is told with the command that gives it up, and after that no more', async () => {
    let gone: string | undefined
    const made = await strayed({
      before: async ({ method, path }) =>
        gone !== undefined && method === 'GET' && path.includes(gone) ? refusal(404, 'resource_not_found') : undefined,
    })
    const { first: machine, run, posts } = made
    gone = (await linesOf(made, machine))[0]?.executionId
    expect((await machine.build()).warnings.join()).toContain('npx spritewright recover hero.walk --abandon')
    await expect(run((await machine.open()).recover({ name: 'hero', decision: 'replay' }))).rejects.toMatchObject({ code: 'SW_USAGE' })
    const { decided } = await run((await machine.open()).recover({ name: 'hero.walk', decision: 'abandon' }))
    expect(decided).toMatchObject([{ id: 'hero.walk', about: 'execution', ceiling: 16_000n }])
    expect(await reads(made, async () => expect((await machine.build()).warnings).toEqual([]))).toBe(0)
    expect((await linesOf(made, machine)).map(({ state, decision }) => [state, decision])).toEqual([
      ['held', 'abandon'],
      ['settled', undefined],
    ])
    expect(await machine.states()).toEqual(['bought'])
    expect(posts()).toBe(2)
  })

  test('is not recorded while the project takes no files, and the next build stores it there', async () => {
    const made = await strayed()
    const { first: machine } = made
    const { warnings } = await machine.build({}, { guard: readOnly(new Set([places.results])) })
    expect(warnings.join()).toContain(`could not be fetched: ${places.results} takes no more files`)
    expect(machine.results()).toEqual([second])
    expect((await linesOf(made, machine)).map(({ state }) => state)).toEqual(['held', 'settled'])
    await machine.build()
    expect(machine.results().toSorted()).toEqual([first, second])
    expect((await linesOf(made, machine)).map(({ state }) => state)).toEqual(['settled', 'settled'])
  })

  test('is fetched by one of two builds at once, or by both, and recorded once', async () => {
    const made = await strayed()
    const { first: machine, run } = made
    const workshops = await Promise.all([machine.open(), machine.open()])
    await run(Promise.all(workshops.map((workshop) => workshop.build({ buyOnly: true }))))
    expect(machine.results()).toHaveLength(2)
    expect(machine.records().filter(({ type, body }) => type === 'stored' && body.attempt === 1)).toHaveLength(1)
    expectCount(made.world.service.requests().filter(isSubmission), 2)
  })

  test.each(['writeTemp', 'link', 'syncFolder'])('is fetched again by the next build where one dies at its %s', async (call) => {
    const made = await strayed()
    const { first: machine } = made
    await machine.dieBuilding((seen) => seen.startsWith(`${call} `) && seen.includes('/results'))
    await machine.build()
    // A temporary file may be left.
    expect([...new Set(machine.results())].toSorted()).toEqual([first, second])
    expect((await linesOf(made, machine)).map(({ state }) => state)).toEqual(['settled', 'settled'])
  })
})
