import { describe, expect, test } from 'vitest'
import { formatTouchKey, wordOf } from '../../src/credit/touch.ts'
import { lostFinding } from '../../src/workshop/doctor.ts'
import type { DoctorFinding } from '../../src/workshop.ts'
import { planItem } from '../cli/world.ts'
import { testAuthenticator } from '../kit/authenticator.ts'
import { asking, type Machine, type ProcessInit, refusal, type Team, team } from '../sim/two-machines.ts'
import { simulatedWorld } from '../sim/world.ts'

async function findings(env: Record<string, string>): Promise<readonly DoctorFinding[]> {
  const world = await simulatedWorld(0)
  const workshop = await world.workshop({}, { env: { ...world.env, ...env } })
  return (await workshop.doctor()).filter(({ check }) => check === 'proxy')
}

test('doctor says nothing about proxies where none is set', async () => {
  expect(await findings({})).toEqual([])
})

test('doctor tells the proxy of requests and its exceptions, without a password', async () => {
  const env = { HTTPS_PROXY: 'http://artist:secret@proxy.example.com:3128', NO_PROXY: '.internal' }
  const found = 'http://proxy.example.com:3128 from HTTPS_PROXY, but not for .internal from NO_PROXY'
  expect(await findings(env)).toEqual([{ check: 'proxy', verdict: 'good', found, advice: '' }])
})

test('doctor tells a proxy that cannot be used', async () => {
  const [finding, ...others] = await findings({ HTTP_PROXY: 'socks5://secret:1080' })
  expect(others).toEqual([])
  expect(finding).toMatchObject({ verdict: 'bad', found: 'SW_CONFIG', advice: expect.stringContaining('HTTP_PROXY') })
  expect(finding?.advice).not.toContain('secret')
})

test('doctor lists the authenticators whose touches approve, with their source and date, in one finding', async () => {
  const world = await simulatedWorld(0)
  const [one, other] = [testAuthenticator('ES256').key, testAuthenticator('RS256').key]
  const workshop = await world.workshop({}, { env: { ...world.env, SPRITEWRIGHT_TOUCH_KEYS: formatTouchKey(one) } })
  const find = async () => (await workshop.doctor()).filter(({ check }) => check === 'touch keys')
  expect(await find()).toMatchObject([{ verdict: 'good', found: expect.stringMatching(`^${wordOf(one)} from SPRITEWRIGHT_TOUCH_KEYS`) }])
  // A variable names no key where a person has enrolled one.
  await workshop.trust.enrol(formatTouchKey(other))
  expect(await find()).toMatchObject([{ verdict: 'good', found: expect.stringMatching(`^${wordOf(other)} enrolled \\d{4}-`) }])
  expect(await workshop.trust.unenrol(formatTouchKey(other))).toBe(true)
  await expect(workshop.trust.enrol('ES256.a.b')).rejects.toMatchObject({ code: 'SW_USAGE' })
})

describe('doctor on Vite', () => {
  async function viteFindings(files: Readonly<Record<string, string>>): Promise<readonly DoctorFinding[]> {
    const world = await simulatedWorld(0)
    for (const [path, text] of Object.entries(files)) world.write(path, text)
    return (await (await world.workshop()).doctor()).filter(({ check }) => check === 'vite')
  }
  const onVite = { 'package.json': '{ "devDependencies": { "vite": "^8.0.0" } }' }
  const withPlugin = "import spritewright from 'spritewright/vite'"

  test('says nothing in a project without Vite', async () => {
    expect(await viteFindings({})).toEqual([])
  })

  test('names the configuration that has the plugin', async () => {
    const finding = { check: 'vite', verdict: 'good', found: 'the plugin is in vite.config.ts', advice: '' }
    expect(await viteFindings({ ...onVite, 'vite.config.ts': withPlugin })).toEqual([finding])
  })

  test.each([
    ['no configuration', {}, 'no vite.config'],
    ['a configuration without the plugin', { 'vite.config.js': 'export default {}' }, 'vite.config.js without the plugin'],
  ])('warns of %s, before the import of a spec fails', async (_what, files, found) => {
    const advice = 'A game that imports a spec needs the plugin, or the import fails. Add it: npx spritewright init'
    expect(await viteFindings({ ...onVite, ...files })).toEqual([{ check: 'vite', verdict: 'warning', found, advice }])
  })
})

/** The verdict of each check, or of each finding of one. */
const verdicts = (found: readonly DoctorFinding[]): readonly string[] => found.map(({ check, verdict }) => `${check}: ${verdict}`)

async function examined({ run }: Team, machine: Machine, init: ProcessInit = {}): Promise<readonly DoctorFinding[]> {
  return run((await machine.open(init)).doctor())
}

/** What one check has found. */
async function found(made: Team, machine: Machine, check: string, init: ProcessInit = {}): Promise<readonly DoctorFinding[]> {
  return (await examined(made, machine, init)).filter((one) => one.check === check)
}

describe('doctor on a project', () => {
  test('with everything in place has one good line for each check, counts, and spends nothing', async () => {
    const made = await team()
    const init: ProcessInit = { options: { engine: 'phaser' } }
    await made.first.approve()
    await made.first.build()
    const posts = made.posts()
    const all = await examined(made, made.first, init)
    expect(verdicts(all)).toEqual(
      ['specs', 'engine', 'key', 'address', 'service', 'operations', 'balance', 'journal', 'clock'].map((check) => `${check}: good`),
    )
    expect(all.every(({ advice }) => advice === '')).toBe(true)
    const words = Object.fromEntries(all.map(({ check, found }) => [check, found]))
    expect(words).toMatchObject({ specs: '1 sprite, 1 animation', engine: 'phaser' })
    expect(words.operations).toContain('sprite_sheet')
    expect(words.balance).toBe('999998.4 credits available')
    const buyer = made.first.entry('hero.walk').approval?.buyer ?? 'none'
    expect(words.journal).toContain(buyer)
    expect(made.posts()).toBe(posts)
  })

  test('counts the sprites and animations of several, and lists each broken spec beside them', async () => {
    const made = await team()
    const rogue = { reference: './hero.png', prompt: 'a rogue', animations: { walk: { frames: 7 }, run: { frames: 7 } } }
    made.first.write('sprites/rogue.sprite.json', JSON.stringify(rogue))
    made.first.write('sprites/bad.sprite.json', '{')
    made.first.write('sprites/worse.sprite.json', '{}')
    const specs = await found(made, made.first, 'specs')
    expect(verdicts(specs)).toEqual(['specs: bad', 'specs: bad', 'specs: good'])
    expect(specs.map(({ found }) => found)).toEqual(['SW_SPEC', 'SW_SPEC', '2 sprites, 3 animations'])
    expect(specs.map(({ advice }) => advice).join()).toContain('bad.sprite.json')
  })

  test('without any spec says how to begin', async () => {
    const made = await team()
    made.first.disk.files.delete('/game/sprites/hero.sprite.json')
    expect(await found(made, made.first, 'specs')).toMatchObject([{ verdict: 'warning', found: '0 sprites, 0 animations' }])
    expect((await found(made, made.first, 'specs'))[0]?.advice).toContain('init')
  })

  test('whose specs are all broken names them and does not advise to write a first one', async () => {
    const made = await team()
    made.first.write('sprites/hero.sprite.json', '{')
    const specs = await found(made, made.first, 'specs')
    expect(verdicts(specs)).toEqual(['specs: bad', 'specs: good'])
    expect(specs[1]?.advice).toBe('')
  })

  test('whose bought results are gone names each, and how to have them again', async () => {
    const made = await team()
    await made.first.approve()
    await made.first.build()
    expect(await found(made, made.first, 'results')).toEqual([])
    const second = made.clone(made.first)
    const [lost, ...others] = await found(made, second, 'results')
    expect(others).toEqual([])
    expect(lost).toMatchObject({ verdict: 'warning', found: '1 bought result not here: hero.walk' })
    expect(lost?.advice).toContain('npx spritewright build')
    expect(lost?.advice).not.toContain('--abandon')
  })

  test('that lacks results of two checkouts advises to fetch them only if the service gives every one of them', () => {
    const own = planItem('hero.walk', { state: 'lost' })
    const elsewhere = planItem('hero.idle', { state: 'lost', note: 'in the checkout that bought it' })
    const advise = (...lost: Parameters<typeof lostFinding>[0]): readonly string[] => lostFinding(lost).map(({ advice }) => advice)
    expect(advise(own, own)).toEqual([expect.stringContaining('Fetch them again, for free')])
    const there = [expect.stringMatching(/commit \.spritewright\/results\/ there.* recover hero\.idle --abandon/)]
    expect([advise(own, elsewhere), advise(elsewhere, own), advise(elsewhere)]).toEqual([there, there, there])
  })

  test('with an execution in flight names it, and how to go on', async () => {
    const made = await team(asking)
    await made.first.approve()
    await expect(made.first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    const [journal] = await found(made, made.first, 'journal')
    expect(journal).toMatchObject({ verdict: 'warning', found: 'hero.walk question' })
    expect(journal?.advice).toContain('npx spritewright build')
  })

  test('without an approval yet has no key, and says when it is made', async () => {
    const made = await team()
    expect(await found(made, made.first, 'journal')).toMatchObject([{ verdict: 'good', found: expect.stringContaining('first approval') }])
  })

  test('whose clock is behind its newest record says by how much', async () => {
    const made = await team()
    await made.first.approve()
    await made.first.build()
    const newest = Math.max(...made.first.records().map(({ at }) => at))
    const back = async (ms: number): Promise<DoctorFinding | undefined> => {
      const { clock } = made.world
      const workshop = await made.world.workshop(
        {},
        { clock: { ...clock, wall: () => newest + ms, mono: () => clock.mono() } as typeof clock },
      )
      return (await made.run(workshop.doctor())).find(({ check }) => check === 'clock')
    }
    expect(await back(0)).toMatchObject({ verdict: 'good', advice: '' })
    expect(await back(-90_000)).toMatchObject({ verdict: 'bad', found: expect.stringContaining('90 s') })
  })
})

describe('doctor on the service', () => {
  test('without an address or without a key does not ask it, and says what to set', async () => {
    const made = await team()
    const requests = made.world.service.requests().length
    const noKey = await examined(made, made.first, { env: { SPRITEWRIGHT_API_KEY: '' } })
    expect(verdicts(noKey)).toEqual(['specs: good', 'engine: warning', 'key: warning', 'service: warning', 'journal: good', 'clock: good'])
    const nowhere = await examined(made, made.first, { env: { SPRITEWRIGHT_BASE_URL: '' } })
    const adviceOf = (all: readonly DoctorFinding[], check: string): string => all.find((one) => one.check === check)?.advice ?? ''
    expect(adviceOf(noKey, 'key')).toContain('SPRITEWRIGHT_API_KEY')
    expect(adviceOf(nowhere, 'service')).toContain('SPRITEWRIGHT_BASE_URL')
    expect(adviceOf(noKey, 'service')).toBe('')
    expect(made.world.service.requests().length).toBe(requests)
  })

  test('that refuses the key, or cannot be reached, is bad, and the other checks go on', async () => {
    const made = await team({ before: async () => refusal(401, 'access_denied') })
    const all = await examined(made, made.first)
    expect(verdicts(all).slice(-3)).toEqual(['service: bad', 'journal: good', 'clock: good'])
    expect(all.find(({ check }) => check === 'service')?.found).toBe('SW_KEY_REFUSED')
  })

  test('that has no credits left says to add some', async () => {
    const made = await team({ accounts: [{ name: 'studio', credits: '0', keys: [{ key: 'sw_test_simulated' }] }] })
    expect(await found(made, made.first, 'balance')).toMatchObject([{ verdict: 'warning', found: '0 credits available' }])
  })

  test('that makes no sheets for the account is bad, before anybody approves one', async () => {
    const keys = [{ key: 'sw_test_simulated' }]
    const made = await team({ accounts: [{ name: 'studio', keys, operations: ['text_to_image', 'upscale'] }] })
    const all = await examined(made, made.first)
    expect(all.find(({ check }) => check === 'operations')).toMatchObject({ verdict: 'bad', found: 'text_to_image, upscale' })
    expect(all.find(({ check }) => check === 'service')).toMatchObject({ verdict: 'good', advice: '' })
  })

  test('of another version of the interface is a warning, and is named', async () => {
    const made = await team({
      after: async ({ path }, response) => {
        if (!path.endsWith('/capabilities')) return response
        const body = { ...JSON.parse(new TextDecoder().decode(response.body as Uint8Array)), api_version: '2' }
        return { ...response, body: new TextEncoder().encode(JSON.stringify(body)) }
      },
    })
    expect(await found(made, made.first, 'service')).toMatchObject([
      { verdict: 'warning', found: expect.stringContaining('API version 2') },
    ])
  })

  test('the embedded one needs no key', async () => {
    const made = await team()
    const init: ProcessInit = { options: { service: 'embedded' }, env: { SPRITEWRIGHT_API_KEY: '', SPRITEWRIGHT_BASE_URL: '' } }
    const workshop = await made.first.open(init)
    try {
      const all = await made.run(workshop.doctor())
      expect(all.filter(({ check }) => check === 'key' || check === 'address')).toMatchObject([{ check: 'key', verdict: 'good' }])
    } finally {
      await workshop.close()
    }
  })
})
