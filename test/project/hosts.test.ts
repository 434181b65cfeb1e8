import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import { Secret } from '../../src/options/credentials.ts'
import { resolveOptions } from '../../src/options/options.ts'
import { openContext } from '../../src/project/context.ts'
import { askQuotes } from '../../src/project/quotes.ts'
import { createConnection, readRoute } from '../../src/project/session.ts'
import { checkRoute, openTrustedHosts } from '../../src/project/trust/hosts.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryRecordStore } from '../kit/memory-record-store.ts'
import { json, scriptedNet } from '../kit/scripted-net.ts'
import { capabilitiesBody } from '../service/fixtures.ts'

const open = (disk = new MemoryDisk()) =>
  openTrustedHosts({ disk, random: countingRandom(), clock: new ManualClock(), stateFolder: '/state' })
const [one, other] = ['https://one.example.com', 'https://other.example.com']

test('an address is confirmed for one key; another key or address takes nothing from it', async () => {
  const hosts = open()
  for (const [origin, key] of [
    [one, 'a'],
    [one, 'b'],
    [other, 'a'],
    [one, 'a'],
  ] as const)
    await hosts.add({ origin, key })
  expect((await hosts.list()).map(({ origin, key }) => `${origin} ${key}`)).toEqual([`${one} b`, `${other} a`, `${one} a`])
})

test.each([
  [true, 'In CI, set SPRITEWRIGHT_BASE_URL or SPRITEWRIGHT_TRUSTED_HOSTS in the environment.'],
  [
    false,
    `If that is your service, confirm it once: npx spritewright trust ${one}. Or set SPRITEWRIGHT_BASE_URL beside the key, or SPRITEWRIGHT_TRUSTED_HOSTS in the environment.`,
  ],
])('a route that nobody trusts is refused with both sources and what to do (in CI: %s)', (isCi, advice) => {
  const sources = { addressSource: 'spritewright.config.mjs', keySource: 'environment' }
  const route = { origin: one!, key: 'k1', ...sources }
  let refused: unknown
  try {
    checkRoute({ ...route, trust: 'none' }, isCi)
  } catch (error) {
    refused = error
  }
  expect(refused).toMatchObject({
    code: 'SW_UNTRUSTED_HOST',
    message: `Expected the address of the service from the source of the API key, or one that you have confirmed. Found ${one} in spritewright.config.mjs, and the key k1 in the environment. Nothing was sent. ${advice}`,
    facts: route,
  })
  for (const trust of ['bound', 'environment', 'confirmed'] as const) expect(checkRoute({ ...route, trust }, isCi)).toBeUndefined()
})

test('an address is removed with one key or with all, and the number is told', async () => {
  const hosts = open()
  for (const key of ['a', 'b', 'c']) await hosts.add({ origin: one, key })
  await hosts.add({ origin: other, key: 'a' })
  expect([await hosts.remove(one, 'a'), await hosts.remove(one, 'a'), await hosts.remove(one), await hosts.remove(one)]).toEqual([
    1, 0, 2, 0,
  ])
  expect(await hosts.list()).toMatchObject([{ origin: other, key: 'a' }])
})

test('a list that is not as it was written is no list: nothing is confirmed, and nothing is replaced', async () => {
  const disk = new MemoryDisk()
  disk.files.set('/state/trusted-hosts.json', Buffer.from('{'))
  await expect(open(disk).list()).rejects.toMatchObject({ code: 'SW_CONFIG', facts: { file: '/state/trusted-hosts.json' } })
  await expect(open(disk).add({ origin: one, key: 'a' })).rejects.toMatchObject({ code: 'SW_CONFIG' })
  expect(disk.calls).toEqual([])
})

describe('a project that is opened', () => {
  const key = 'sw_test_0123456789'
  const address = 'https://api.example.com/v'
  const here = { baseUrl: address, baseUrlSource: 'environment', key: new Secret(key), keySource: 'environment' }

  /** A project in memory, and the service of its configuration or environment. */
  function project({ options = {}, name = 'game', credentials = here, tracked = [], answers = [] }: Partial<Opened> = {}) {
    const disk = new MemoryDisk()
    const clock = new ManualClock()
    const left = [...answers]
    const net = scriptedNet(() => json(200, { ...capabilitiesBody, ...left.shift() }))
    const closed: string[] = []
    const ports = { disk, clock, random: countingRandom(), env: {}, stateFolder: '/state', tempFolder: '/tmp' }
    const host = {
      ...{ ...ports, net: { ...net, close: async () => void closed.push('net') } },
      trackedFiles: async () => tracked,
    } as unknown as Host
    const resolved = resolveOptions(options, { root: '/work/game', isCi: false, dependencies: [] })
    const context = openContext(host, resolved, credentials, { name, configSource: 'spritewright.config.ts' })
    const team = Object.assign(new MemoryRecordStore(clock), { close: async () => void closed.push('journal') })
    return { disk, clock, net, closed, context, team, shared: { ...context, sharedJournal: team } }
  }
  interface Opened {
    readonly options: Parameters<typeof resolveOptions>[0]
    readonly name: string
    readonly credentials: Parameters<typeof openContext>[2]
    readonly tracked: readonly string[]
    readonly answers: readonly object[]
  }

  test('has its files where the next version looks for them, and a copy of its journal outside by its path and name', () => {
    const places = (over: Partial<Opened>) => {
      const { name, storeFolder, copyFolder, configSource } = project(over).context
      return [name, storeFolder, copyFolder, configSource]
    }
    const own = ['/work/game/.spritewright', '/state/journals/c09f865ae3cd2873', 'spritewright.config.ts']
    expect(places({})).toEqual(['game', ...own])
    expect(places({ name: 'other' })[2]).not.toBe(own[1])
    expect(places({ options: { service: 'embedded' } })[2]).toBeUndefined()
  })

  test('tells a warning once, in the order of the first', () => {
    const { warn, warnings } = project().context
    for (const one of ['b', 'a', 'b']) warn(one)
    expect(warnings).toEqual(['b', 'a'])
  })

  test('asks its service once, with its key, and warns of an interface that it does not know', async () => {
    const { context, net } = project({ answers: [{ api_version: '2' }] })
    const connection = createConnection(context)
    const session = await connection.open()
    expect(await connection.open()).toBe(session)
    expect(session.identity).toEqual({ host: 'api.example.com/v', keyMode: 'test', apiVersion: '2' })
    expect(net.requests.map(({ url, headers }) => [url, headers?.authorization])).toEqual([[`${address}/v1/capabilities`, `Bearer ${key}`]])
    expect(context.warnings).toEqual([expect.stringContaining('version 2, spritewright knows version 1')])
  })

  test('asks with the profile of its configuration, within limits that are shared, and nothing after an interruption', async () => {
    const { context, disk, net } = project({ options: { service: { baseUrl: address, profile: { readBalance: () => '7' } } } })
    await expect(createConnection(context).open(AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted')
    expect(net.requests).toEqual([])
    const { client, capabilities } = await createConnection(context).open()
    expect([await client.balance(), capabilities.keyMode]).toEqual([70_000n, 'test'])
    expect([...disk.files.keys()].some((path) => /^\/state\/limits\/[0-9a-f]{16}\/get\//.test(path))).toBe(true)
  })

  test('warns of what the service leaves out, and of nothing else', async () => {
    const { context } = project({ answers: [{ api_version: undefined, operations: undefined }] })
    await createConnection(context).open()
    expect(context.warnings).toEqual([expect.stringContaining('leaves api_version and operations out of its capabilities')])
    const whole = project()
    await createConnection(whole.context).open()
    expect(whole.context.warnings).toEqual([])
  })

  test('asks again after a service that could not be asked', async () => {
    const { context, net } = project({ answers: [{ api_version: 7 }, {}] })
    const connection = createConnection(context)
    await expect(connection.open()).rejects.toMatchObject({ code: 'SW_WIRE' })
    expect((await connection.open()).identity.apiVersion).toBe('1')
    expect(net.requests).toHaveLength(2)
  })

  test('asks nothing while git tracks its records, or its key is for another address', async () => {
    const tracked = project({ tracked: ['.spritewright/ledger.jsonl'] })
    await expect(createConnection(tracked.context).open()).rejects.toMatchObject({ code: 'SW_JOURNAL' })
    const elsewhere = project({ options: { service: { baseUrl: 'https://other.example.com' } } })
    await expect(createConnection(elsewhere.context).open()).rejects.toMatchObject({ code: 'SW_UNTRUSTED_HOST' })
    expect([...tracked.net.requests, ...elsewhere.net.requests]).toEqual([])
  })

  test('sends its key to an address of the environment, which the configuration may repeat but not replace', async () => {
    const routeOf = async (baseUrl: string | undefined) => {
      const options = baseUrl === undefined ? {} : { service: { baseUrl } }
      const route = await readRoute(project({ options }).context)
      return [route?.origin, route?.addressSource, route?.trust]
    }
    expect(await Promise.all([undefined, address, other].map(routeOf))).toEqual([
      ['https://api.example.com', 'environment', 'bound'],
      ['https://api.example.com', 'environment', 'bound'],
      [other, 'spritewright.config.ts', 'none'],
    ])
  })

  test('takes a place of its account, on this machine and in the journal of its team', async () => {
    const { context, shared, disk, team } = project()
    const job = { key: 'sw1-hero', id: 'hero.walk' }
    const never = new AbortController().signal
    const own = await createConnection(context).open()
    await own.places.take(job, never, () => {})
    const [path] = [...disk.files.keys()].filter((one) => one.endsWith('/job/s0.g1'))
    expect(path).toMatch(/^\/state\/limits\/[0-9a-f]{16}\/job\/s0\.g1$/)
    expect(JSON.parse(new TextDecoder().decode(disk.files.get(path as string)))).toMatchObject({ ...job, project: 'game' })
    const { places, client } = await createConnection(shared).open()
    expect(await places.take(job, never, () => {})).toBe('taken')
    const tag = client.keyTag(JSON.stringify(['places', 'api.example.com/v', 'test']))
    expect([...team.files.keys()]).toEqual([`places/${tag}/s0.g1`])
  })

  test('closes its client, then the journal of its team, then the network, after a failure too', async () => {
    const { shared, closed } = project({ answers: [{ api_version: 7 }] })
    const connection = createConnection(shared)
    await expect(connection.open()).rejects.toThrow()
    await connection.close()
    expect(closed).toEqual(['net', 'journal', 'net'])
  })
})

test.each([
  ['api.example.com', '0.32'],
  ['embedded', undefined],
])('each price of %s is asked for once, and 3.2 credits of it are %s USD', async (host, usd) => {
  const asked: unknown[] = []
  const client = {
    estimate: async (frames: number, background: string) => {
      asked.push([frames, background])
      return { credits: 16_000n, priceVersion: '1', referenceUsd: '0.16', referenceCreditCents: 10 }
    },
  }
  const session = { client, identity: { host } } as unknown as Parameters<typeof askQuotes>[0]
  const quotes = askQuotes(session, new AbortController().signal)
  expect(quotes.usd([])).toBeUndefined()
  for (const frames of [7, 8, 7]) for (const background of ['remove', 'keep'] as const) await quotes.ofSheet(frames, background)
  expect(asked).toEqual(
    [7, 8].flatMap((frames) => [
      [frames, 'remove'],
      [frames, 'keep'],
    ]),
  )
  expect(quotes.usd([{ credits: 32_000n }])).toBe(usd)
})
