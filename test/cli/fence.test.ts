import { expect, onTestFinished, test, vi } from 'vitest'
import { createPaint, type Ink } from '../../src/cli/view/ink.ts'
import { adoptCommand, answerCommand } from '../../src/cli/view/next.ts'
import type { Printer } from '../../src/cli/view/printer.ts'
import { printRequests } from '../../src/cli/view/requests.ts'
import { startEmbeddedService } from '../../src/embedded/service.ts'
import { errorCodes, SpritewrightError } from '../../src/errors.ts'
import { agentShell, agentVariables } from '../../src/host/agent-shell.ts'
import { nodeHost } from '../../src/host/host.ts'
import { nodeRandom } from '../../src/host/random.ts'
import { openPersonRequests } from '../../src/project/requests.ts'
import type { PersonRequest, PersonRequests, Workshop } from '../../src/workshop.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { startHere } from '../kit/program.ts'
import { createProject, serviceEnv } from '../kit/project.ts'
import { createWorld, planItem, type World } from './world.ts'

const commands: readonly (readonly string[])[] = [
  ['approve', 'hero.walk', '--yes'],
  ['approve', '--standing', '--yes'],
  ['recover', 'hero.walk', '--replay'],
  ['trust', 'api.example.com'],
  ['answer', 'hero.walk', "it's left"],
]

function shell(
  env: Record<string, string> = { CLAUDECODE: '1' },
  workshop: Partial<Workshop> = {},
): { world: World; requests: PersonRequests } {
  const ports = { disk: new MemoryDisk(), clock: new ManualClock(), random: nodeRandom(), stateFolder: '/state' }
  const requests = openPersonRequests(ports, 'place')
  // A question of any kind is answered with yes: only the variable decides.
  return { world: createWorld({ env, canAsk: true, answer: true, workshop: { requests, ...workshop } }), requests }
}

test.each(Object.keys(agentVariables))('%s marks the shell of an agent', async (name) => {
  expect(agentShell({ [name]: 'yes' })).toBe(name)
  const { world, requests } = shell({ [name]: 'yes' })
  expect(await world.run('recover', 'hero.walk', '--replay')).toBe(3)
  expect(await requests.list()).toMatchObject([{ verb: 'recover', why: expect.stringContaining(`(${name})`) }])
})

test.each(['', ' ', '0', 'false', 'NO', 'off'])('%j in a variable marks nothing', (value) => {
  expect(agentShell({ CLAUDECODE: value })).toBeUndefined()
})

test.each(commands)('%s %s writes a request instead of acting, also at a terminal', async (...argv: readonly string[]) => {
  const { world, requests } = shell()
  expect(await world.run(...argv)).toBe(3)
  const [request, ...more] = await requests.list()
  expect(more).toEqual([])
  expect(request).toMatchObject({ verb: argv[0], from: 'shell', names: argv[1] === '--standing' ? [] : [argv[1]] })
  expect([world.questions, world.err()]).toEqual([[], ''])
  expect(world.out()).toContain('This shell belongs to a coding agent: CLAUDECODE.')
  expect(world.out()).toContain('A request to a person was written. It is open for a day.')
  expect(world.out()).toContain('--i-am-a-person')
})

test.each(commands)('%s %s with --i-am-a-person is done, and nobody is asked instead', async (...argv: readonly string[]) => {
  const done: string[] = []
  const doing = (verb: string) => async (): Promise<never> => {
    done.push(verb)
    throw new SpritewrightError('SW_USAGE', { message: 'Not in this test.' })
  }
  const trust = { route: async () => undefined, confirm: doing('trust') } as unknown as Workshop['trust']
  const { world, requests } = shell(undefined, {
    ...{ approve: doing('approve'), acceptStanding: doing('approve'), recover: doing('recover'), answer: doing('answer'), trust },
  })
  await world.run(...argv, '--i-am-a-person')
  expect([done, await requests.list()]).toEqual([[argv[0]], []])
})

test('the printed command is one that a person can copy: no --yes, and foreign text in single quotes', async () => {
  const { world, requests } = shell()
  await world.run('answer', 'hero.walk', "it's $(left)", '--quiet')
  await world.run('approve', '--yes', '--max', '2', '--root=.')
  const reasons = (await requests.list()).map(({ why }) => why.replace('A coding agent (CLAUDECODE) ran: npx spritewright ', ''))
  expect(reasons.sort()).toEqual([String.raw`answer hero.walk 'it'\''s $(left)'`, 'approve --max 2'])
})

test('the request of approve has the price of what needs an approval', async () => {
  const items = [planItem('hero.walk', { price: '2.4' }), planItem('hero.idle', { price: '1', state: 'approved', ceiling: 10_000n })]
  const plan = { items, own: [], steps: [], total: 34_000n, warnings: [] }
  const { world, requests } = shell(undefined, { plan: async () => plan })
  expect(await world.run('approve', 'hero', '--json')).toBe(3)
  expect(await requests.list()).toMatchObject([{ names: ['hero'], credits: '2.4' }])
  expect(world.json()).toMatchObject({
    requested: { verb: 'approve', credits: '2.4' },
    reason: expect.stringContaining('Only a person decides'),
  })
})

test('nothing is asked of a person where nothing needs an approval', async () => {
  const plan = { items: [planItem('hero.walk', { state: 'bought', result: 'ab' })], own: [], steps: [], total: 0n, warnings: [] }
  const { world, requests } = shell(undefined, { plan: async () => plan })
  expect(await world.run('approve')).toBe(0)
  expect([world.out(), await requests.list()]).toEqual(['Nothing needs an approval.\n', []])
})

test.each([
  ['approve', '--standing'],
  ['approve', 'hero', '--adopt'],
  ['approve', 'hero', '--max', '2'],
])('a person is asked about %s %s although nothing needs an approval', async (...argv) => {
  const plan = { items: [planItem('hero.walk', { state: 'bought', result: 'ab' })], own: [], steps: [], total: 0n, warnings: [] }
  const { world, requests } = shell(undefined, { plan: async () => plan })
  expect(await world.run(...argv.filter((one) => one !== undefined))).toBe(3)
  const credits = argv[1] === '--standing' ? undefined : '0'
  expect((await requests.list()).map((one) => [one.verb, one.credits])).toEqual([['approve', credits]])
})

test('the price of one request that two animations share is asked once', async () => {
  const items = ['hero.walk', 'hero.run'].map((id) => planItem(id, { price: '2.4', hash: 'ab' }))
  const { world, requests } = shell(undefined, { plan: async () => ({ items, own: [], steps: [], total: 24_000n, warnings: [] }) })
  await world.run('approve')
  expect(await requests.list()).toMatchObject([{ credits: '2.4' }])
})

test.each([
  ['is away', 'SW_UNREACHABLE', false, 3, 1],
  ['does not know the name', 'SW_USAGE', false, 2, 0],
  ['is interrupted', 'SW_UNREACHABLE', true, errorCodes.SW_UNREACHABLE.exit, 0],
] as const)(
  'if the plan for a request of an agent %s (%s), its price is left out, or nothing is asked',
  async (_, code, isOver, exit, count) => {
    const plan = async (): Promise<never> => {
      if (isOver) world.interrupt.abort()
      throw new SpritewrightError(code, { message: 'No prices.' })
    }
    const { world, requests } = shell(undefined, { plan })
    expect(await world.run('approve', 'hero')).toBe(exit)
    const asked = await requests.list()
    expect([asked.length, asked[0]?.credits]).toEqual([count, undefined])
  },
)

test('a sixth request is not added, says so, and ends with 3 too', async () => {
  const { world, requests } = shell()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) expect(await world.run('recover', name, '--abandon')).toBe(3)
  expect((await requests.list()).map(({ names }) => names[0]).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(world.out()).toContain('Expected at most 5 open requests to a person, found 5. Nothing was added.')
})

test('what spends nothing stays free: --revoke, trust without an address, trust --remove', async () => {
  const desk = {
    route: async () => undefined,
    list: async () => [],
    touchKeys: async () => [],
    remove: async () => 1,
    unenrol: async () => true,
  }
  const trust = desk as unknown as Workshop['trust']
  const { world, requests } = shell(undefined, { trust, revoke: async () => ({ revoked: [], inFlight: [] }) })
  for (const argv of [['approve', '--revoke'], ['trust'], ['trust', 'a.example', '--remove'], ['trust', '--touch', 'KEY', '--remove']])
    expect(await world.run(...argv)).toBe(0)
  expect(await requests.list()).toEqual([])
})

test('what buys at once is refused, and a check that spends nothing is not', async () => {
  const contract = vi.fn(async () => [])
  const { world } = shell(undefined, { contract })
  expect(await world.run('doctor', '--contract', '--spend', '2')).toBe(3)
  expect(contract).not.toHaveBeenCalled()
  expect(world.err()).toContain('found the shell of a coding agent: CLAUDECODE')
  expect(await world.run('doctor', '--contract')).toBe(0)
  expect(await world.run('doctor', '--contract', '--spend', '2', '--i-am-a-person')).toBe(0)
})

test('no address is confirmed in the shell of an agent by the way, in another command', async () => {
  const plan = async (): Promise<never> => {
    throw new SpritewrightError('SW_UNTRUSTED_HOST', { message: 'Not confirmed.' })
  }
  const { world } = shell(undefined, { plan })
  expect(await world.run('plan')).not.toBe(0)
  expect(world.questions).toEqual([])
})

test('in the shell of an agent nothing is charged; with --i-am-a-person the records say so', async () => {
  const service = await startEmbeddedService({})
  const project = await createProject()
  onTestFinished(async () => {
    await service.close()
    await project.remove()
  })
  const env = { ...serviceEnv(service), CURSOR_AGENT: '1' }
  const { terminal } = nodeHost()
  const run = (...argv: string[]) =>
    startHere(project, argv, env, { terminal: { ...terminal, canAsk: true, write: (text) => void out.push(text), note: () => {} } }).ended
  const out: string[] = []
  const json = (): Record<string, unknown> => JSON.parse(out.splice(0).join(''))
  expect((await run('approve', '--yes', '--json')).code).toBe(3)
  expect(json()).toMatchObject({ requested: { verb: 'approve', names: [], credits: '1.6', from: 'shell' } })
  expect((await run('build', '--buy-only')).code).toBe(3)
  expect(service.charges()).toEqual([])
  expect((await run('doctor', '--json')).code).not.toBe(2)
  out.splice(0, out.length - 1)
  expect(json().findings).toContainEqual(
    expect.objectContaining({ check: 'shell', found: 'This shell belongs to a coding agent: CURSOR_AGENT' }),
  )
  expect((await run('approve', '--yes', '--i-am-a-person')).code).toBe(0)
  out.length = 0
  expect((await run('status', '--json')).code).toBe(0)
  expect(json()).toMatchObject({ items: [{ state: 'approved', approval: { given: 'unattended', shell: 'agent' } }] })
  expect((await run('build', '--buy-only')).code).toBe(0)
  out.length = 0
  expect((await run('ledger', '--json')).code).toBe(0)
  expect(json()).toMatchObject({ lines: [{ given: 'unattended', shell: 'agent', state: 'settled' }] })
})

test('a person sees the open requests above the prices, as text, and status counts them', async () => {
  const { world, requests } = shell(
    {},
    { status: async () => ({ items: [], own: [], steps: [], total: 0n, warnings: [] }), approve: declining },
  )
  await requests.add({ verb: 'approve', names: ['he\u001bro'], credits: '2.4', why: 'Approved.\nSay yes.', from: 'mcp' })
  expect(await world.run('status')).toBe(0)
  expect(world.out()).toContain('1 request waits for your decision: npx spritewright approve\n')
  await requests.add({ verb: 'recover', names: ['hero.walk'], why: 'It stopped.', from: 'shell' })
  expect(await world.run('approve', 'coin')).toBe(3)
  expect(world.out()).toContain('asked approve he\\x1bro, about 2.4 credits, 0 min ago, by a tool of an agent:\n  “Approved.\\nSay yes.”\n')
  expect(world.out()).toContain('asked recover hero.walk, 0 min ago, by a command in the shell of an agent:\n  “It stopped.”\n')
  expect(world.out().indexOf('asked recover')).toBeLessThan(world.out().indexOf('Nothing was approved.'))
  expect(await requests.list()).toHaveLength(2)
})

test('a no to the whole screen is the answer to its requests for an approval', async () => {
  const { world, requests } = shell({}, { approve: declining })
  await requests.add({ verb: 'approve', names: ['hero'], why: 'x', from: 'mcp' })
  await requests.add({ verb: 'recover', names: ['hero.walk'], why: 'It stopped.', from: 'shell' })
  expect(await world.run('approve')).toBe(3)
  expect((await requests.list()).map(({ verb }) => verb)).toEqual(['recover'])
})

const declining: Workshop['approve'] = async () => ({ approved: [], untouched: [], others: [], undecided: [], confirmed: false })

test.each([
  ['just now', 0, '0 min'],
  ['by a clock that went back', -300, '0 min'],
  ['not quite two minutes ago', 100, '2 min'],
  ['not quite two hours ago', 119 * 60, '119 min'],
  ['two hours ago', 120 * 60, '2 h'],
])('a request that was made %s has its age in words', (_, seconds, age) => {
  const lines: string[] = []
  const printer = { line: (...inks: readonly Ink[]) => void lines.push(createPaint(false)(inks)) } as unknown as Printer
  const request: PersonRequest = { id: 'r', verb: 'approve', names: ['hero'], why: 'x', from: 'mcp', at: 1_000_000 }
  printRequests(printer, [request], 1_000_000 + seconds * 1000)
  expect(lines[0]).toBe(`asked approve hero, ${age} ago, by a tool of an agent:`)
})

test('a command names each sprite once, and a file only where a question needs one', () => {
  expect(adoptCommand(['hero#1', 'hero#2', 'coin.spin'])).toBe('npx spritewright approve hero coin.spin --adopt')
  const question = { questionId: 'q', text: 'Which hand?', requiresAsset: false }
  expect(answerCommand(planItem('hero.walk', { question }))).toBe('npx spritewright answer hero.walk "…"')
})
