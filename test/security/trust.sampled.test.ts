import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeNet } from '../../src/host/net.ts'
import type { Workshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { startDev } from '../plugin/server.ts'
import { configOf, openShelf, pluginOf, type Shelf, vites } from '../plugin/world.ts'
import { team } from '../sim/two-machines.ts'
import { api, type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

const theirs = 'https://attacker.example'
const apiKey = 'sw_test_simulated'

/** The hosts to which a key was sent. */
function listening(world: SimulatedWorld): { readonly net: SimulatedWorld['net']; readonly hosts: Set<string> } {
  const hosts = new Set<string>()
  const net: SimulatedWorld['net'] = {
    close: async () => {},
    request: (wanted) => {
      if (Object.values(wanted.headers ?? {}).some((value) => String(value).includes(apiKey))) hosts.add(new URL(wanted.url).host)
      return world.net.request({ ...wanted, url: wanted.url.replace(theirs, api) })
    },
  }
  return { net, hosts }
}

interface Place {
  readonly how: string
  /** Files of the pull request. */
  readonly files: Readonly<Record<string, string>>
  /** The owner's own settings. */
  readonly env?: Readonly<Record<string, string>>
  readonly own?: Readonly<Record<string, string>>
  readonly mode?: string
}

const address = `SPRITEWRIGHT_BASE_URL=${theirs}\n`
const keyLine = `SPRITEWRIGHT_API_KEY=${apiKey}\n`
const places: readonly Place[] = [
  { how: '.env', files: { '.env': address } },
  { how: '.env.development', files: { '.env.development': address } },
  { how: '.env.production', files: { '.env.production': address }, mode: 'production' },
  { how: '.env.local', files: { '.env.local': address } },
  { how: '.env.development.local', files: { '.env.development.local': address } },
  { how: 'spritewright.config.json', files: { 'spritewright.config.json': JSON.stringify({ service: { baseUrl: theirs } }) } },
  { how: '.env beside a key in .env.local', files: { '.env': address }, env: {}, own: { '.env.local': keyLine } },
  { how: '.env.development beside a key in .env.local', files: { '.env.development': address }, env: {}, own: { '.env.local': keyLine } },
  {
    how: '.env.development.local beside a key in .env.local',
    files: { '.env.development.local': address },
    env: {},
    own: { '.env.local': keyLine },
  },
  // The file names another variable as the key and has an address too, so the key does not come from the file
  // alone.
  {
    how: '.env.development that takes its key out of the environment',
    files: { '.env.development': `SPRITEWRIGHT_API_KEY=$DEPLOY_TOKEN\n${address}` },
    env: { DEPLOY_TOKEN: apiKey },
  },
  {
    how: '.env.development that takes its key out of .env.local',
    files: { '.env.development': `SPRITEWRIGHT_API_KEY=\${OTHER:-$MY_KEY}\n${address}` },
    env: {},
    own: { '.env.local': `MY_KEY=${apiKey}\n${keyLine}SPRITEWRIGHT_BASE_URL=${api}\n` },
  },
  {
    how: 'the config over the address of .env.local',
    files: { 'spritewright.config.json': JSON.stringify({ service: { baseUrl: theirs } }) },
    env: {},
    own: { '.env.local': `${keyLine}SPRITEWRIGHT_BASE_URL=${api}\n` },
  },
  {
    how: 'the config over the address of the environment',
    files: { 'spritewright.config.json': JSON.stringify({ service: { baseUrl: theirs } }) },
    env: { SPRITEWRIGHT_API_KEY: apiKey, SPRITEWRIGHT_BASE_URL: api },
  },
  // A file of the project cannot trust a host.
  { how: '.env that trusts itself', files: { '.env': `${address}SPRITEWRIGHT_TRUSTED_HOSTS=${theirs}\n` } },
]

const verbs: readonly (readonly [string, (workshop: Workshop) => Promise<unknown>])[] = [
  ['plan', (workshop) => workshop.plan()],
  ['approve', (workshop) => workshop.approve({ names: [], confirm: async () => true })],
  ['build', (workshop) => workshop.build({ buyOnly: true })],
  ['build --frozen', (workshop) => workshop.build({ buyOnly: true, frozen: true })],
  ['ledger --verify', (workshop) => workshop.verifyLedger()],
  ['doctor --contract', (workshop) => workshop.contract()],
]

async function open(
  world: SimulatedWorld,
  place: Place,
  env: Readonly<Record<string, string>>,
  net: SimulatedWorld['net'],
): Promise<Workshop> {
  world.write(
    'sprites/hero.sprite.json',
    JSON.stringify({ reference: { steps: [{ text: 'a knight' }] }, prompt: 'a knight', animations: { walk: {} } }),
  )
  for (const [path, text] of Object.entries({ ...place.own, ...place.files })) world.write(path, text)
  return world.workshop({}, { env: { ...(place.env ?? { SPRITEWRIGHT_API_KEY: apiKey }), ...env }, net }, place.mode)
}

describe('H1: the key goes only where its owner said', () => {
  test.each(places.flatMap((place) => verbs.map(([verb, run]) => [verb, place.how, place, run] as const)))(
    'H1: %s sends it to no address from %s',
    async (_verb, _how, place, run) => {
      const world = await simulatedWorld(0)
      const { net, hosts } = listening(world)
      const workshop = await open(world, place, {}, net)
      const outcome = await world.clock.run(
        run(workshop).then(
          () => 'done',
          (error: { code: string }) => error.code,
        ),
      )
      expect(outcome).toBe('SW_UNTRUSTED_HOST')
      expect([...hosts]).toEqual([])
      expect((await workshop.doctor()).find(({ check }) => check === 'address')).toMatchObject({ verdict: 'bad' })
      expect([...hosts]).toEqual([])
    },
  )

  test("H1: a configuration that repeats the environment's own address, e.g. for a profile, changes nothing", async () => {
    for (const written of ['https://api.example.com/v', 'https://API.example.com/v/', 'https://elsewhere.example']) {
      const world = await simulatedWorld(0)
      const { net, hosts } = listening(world)
      const place = { how: 'the configuration', files: { 'spritewright.config.json': JSON.stringify({ service: { baseUrl: written } }) } }
      const workshop = await open(world, place, { SPRITEWRIGHT_BASE_URL: 'https://api.example.com/v' }, net)
      const isSame = written !== 'https://elsewhere.example'
      expect((await workshop.trust.route())?.trust).toBe(isSame ? 'bound' : 'none')
      // There is no service at that address: what counts is where the key went.
      await world.clock.run(workshop.plan().catch(() => {}))
      expect([...hosts]).toEqual(isSame ? ['api.example.com'] : [])
    }
  })

  test.each(places)('H1: once a person has confirmed it, it is used from $how, with that key alone', async (place) => {
    const world = await simulatedWorld(0)
    const { net, hosts } = listening(world)
    const first = await open(world, place, {}, net)
    expect((await first.trust.route())?.trust).toBe('none')
    expect(await first.trust.confirm('attacker.example')).toBe(theirs)
    const workshop = await open(world, place, {}, net)
    expect((await workshop.trust.route())?.trust).toBe('confirmed')
    await world.clock.run(workshop.plan())
    expect([...hosts]).toEqual(['attacker.example'])
    // Another key needs a new decision.
    const rotated = { ...place, own: { ...place.own, '.env.local': keyLine.replace(apiKey, 'sw_test_another_key') } }
    const other = await open(world, place.own ? rotated : place, place.own ? {} : { SPRITEWRIGHT_API_KEY: 'sw_test_another_key' }, net)
    if (Object.keys(place.files)[0] !== '.env.local') expect((await other.trust.route())?.trust).toBe('none')
    expect(await workshop.trust.remove(theirs)).toBe(1)
    await expect(world.clock.run((await open(world, place, {}, net)).plan())).rejects.toMatchObject({ code: 'SW_UNTRUSTED_HOST' })
  })

  test.each([
    ['the environment names both', { SPRITEWRIGHT_API_KEY: apiKey, SPRITEWRIGHT_BASE_URL: api }, {}],
    ['.env.local names both', {}, { '.env.local': `${keyLine}SPRITEWRIGHT_BASE_URL=${api}\n` }],
    ['the environment names the address of a key in .env.local', { SPRITEWRIGHT_BASE_URL: api }, { '.env.local': keyLine }],
    [
      'the environment trusts the address of a config',
      { SPRITEWRIGHT_API_KEY: apiKey, SPRITEWRIGHT_TRUSTED_HOSTS: `https://other.example, ${api}` },
      { 'spritewright.config.json': JSON.stringify({ service: { baseUrl: api } }) },
    ],
  ])('H1: nobody is asked where %s', async (_how, env, own) => {
    const world = await simulatedWorld(0)
    const { net, hosts } = listening(world)
    const workshop = await open(world, { how: '', files: {}, env, own }, {}, net)
    await world.clock.run(workshop.plan())
    expect([...hosts]).toEqual([new URL(api).host])
  })

  test('H1: a host alone, another port and another scheme are other addresses', async () => {
    const world = await simulatedWorld(0)
    const place = places.find(({ how }) => how === '.env') as Place
    const { net } = listening(world)
    for (const near of ['https://attacker.example:8443', 'https://attacker.example.org', 'https://sub.attacker.example']) {
      const workshop = await open(world, place, {}, net)
      await workshop.trust.confirm(near)
      expect((await workshop.trust.route())?.trust).toBe('none')
    }
  })
})

describe('H2: a total that was accepted', () => {
  const accepted = { options: { approval: { perSprite: '2', total: '1' } } }

  test.each([
    ['raises it without perSprite', { total: '50' }],
    ['drops every ceiling', {}],
  ])('H2: ends approving where the configuration %s, and is replaced as the error says', async (_how, approval) => {
    const { first, run, world } = await team()
    await first.accept(accepted)
    const later = { options: { approval } }
    await expect(first.approve({}, later)).rejects.toMatchObject({
      code: 'SW_CEILING',
      facts: { sum: '1.6', committed: '0', total: '1' },
      message: expect.stringContaining('npx spritewright approve --standing'),
    })
    const workshop = await first.open(later)
    const { offer } = await run(workshop.acceptStanding({ confirm: async () => true }))
    expect(offer).toMatchObject({ acceptedTotal: 10_000n })
    expect(offer.ceilings.perSprite).toBeUndefined()
    // It leads to no standing purchase.
    await expect(first.build({}, later)).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    await first.approve({}, later)
    await first.build({}, later)
    expectCount(world.service.charges(), 1)
  })

  test('H2: ends a build of what was approved before it, with the same advice', async () => {
    const { first, world } = await team()
    await first.approve()
    await first.accept(accepted)
    await expect(first.build({}, { options: { approval: { total: '50' } } })).rejects.toMatchObject({
      code: 'SW_CEILING',
      facts: { total: '1' },
      message: expect.stringContaining('npx spritewright approve --standing'),
    })
    expect(world.service.charges()).toEqual([])
  })

  test.each([
    ['the configured total is the lower one', { total: '1.5' }, { perSprite: '2', total: '2' }, ['Raise approval.total'], ['--standing']],
    ['both are the same', { perSprite: '2', total: '1' }, accepted.options.approval, ['Raise approval.total', '--standing'], []],
  ])('H2: the advice names what limits where %s', async (_how, approval, before, named, unnamed) => {
    const { first } = await team()
    await first.accept({ options: { approval: before } })
    const refusal = await first.approve({}, { options: { approval } }).catch((error: Error) => error)
    for (const words of named) expect(refusal).toMatchObject({ code: 'SW_CEILING', message: expect.stringContaining(words) })
    for (const words of unnamed) expect((refusal as Error).message).not.toContain(words)
  })

  test('H2: with no ceilings at all, and none accepted before, there is nothing to accept', async () => {
    const { first, run } = await team()
    const workshop = await first.open()
    await expect(run(workshop.acceptStanding({ confirm: async () => true }))).rejects.toMatchObject({ code: 'SW_USAGE' })
  })
})

describe.each(vites)('H1: %s on a project of a pull request', (_version, load) => {
  /** The attacker's own service, which has the purchases of the attacker's lock file. */
  let shelf: Shelf
  beforeAll(async () => {
    shelf = await openShelf()
  })
  afterAll(() => shelf.close())

  test('neither `vite build` nor `vite` sends the key to the address of a committed .env file', async () => {
    const vite = await load()
    const lines = `SPRITEWRIGHT_BASE_URL=${shelf.url}\n`
    const game = await shelf.game({ '.env.development': lines, '.env.production': lines })
    // Without results, so that a build requests them.
    await game.remove('.spritewright')
    await game.remove('.state')
    const before = shelf.requests().length
    const setup = { env: { SPRITEWRIGHT_API_KEY: 'the-key-of-the-victim' }, net: nodeNet() }
    await expect(vite.build(configOf(game, pluginOf(game, setup)))).rejects.toThrow('Nothing was sent.')
    const dev = await startDev(vite, game, pluginOf(game, setup))
    await dev.log.next((line) => line.includes('Nothing was sent.'))
    await dev.close()
    expectCount(shelf.requests(), before)
  })
})
