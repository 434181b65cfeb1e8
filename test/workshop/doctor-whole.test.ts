import { expect, test } from 'vitest'
import { asking, type Machine, type ProcessInit, type Team, team } from '../sim/two-machines.ts'

/** The findings of a project, a line each, with its advice. */
async function linesOf({ run }: Team, machine: Machine, init: ProcessInit = {}): Promise<readonly string[]> {
  const all = await run((await machine.open(init)).doctor())
  return all.map(({ check, verdict, found, advice }) => `${check} ${verdict}: ${found}${advice && ` > ${advice}`}`)
}

const engine =
  "engine warning: none, or more than one > Data for Phaser and PixiJS is written. Name one: engine: 'phaser' or 'pixi' in spritewright.config."
const noKey =
  'key warning: none > Builds from what is bought need none. To price and buy, set SPRITEWRIGHT_API_KEY in the environment or in .env.local.'
const fresh = 'journal good: nothing in flight; your signing key is made at the first approval'
const clock = 'clock good: later than every record of the journal'
const service = [
  'key good: from environment',
  'address good: key e02fca91c50a04fd from the environment → http://127.0.0.1:1 from the environment (bound)',
  'service good: 127.0.0.1:1, test key, API version 1',
  'operations good: text_to_image, image_to_image, background_remove, upscale, sprite_sheet',
]
const vite = 'vite good: the plugin is in vite.config.ts'

test('doctor says of a new project what is set, what is not, and what to do', async () => {
  const made = await team()
  const { first } = made
  const specs = 'specs good: 1 sprite, 1 animation'
  expect(await linesOf(made, first)).toEqual([specs, engine, ...service, 'balance good: 1000000 credits available', fresh, clock])
  const env = { SPRITEWRIGHT_API_KEY: '' }
  expect(await linesOf(made, first, { env: { ...env, CLAUDECODE: '1' } })).toEqual([
    ...[specs, engine, noKey, 'service warning: not asked: no key', fresh, clock],
    'shell good: This shell belongs to a coding agent: CLAUDECODE',
  ])
  expect(await linesOf(made, first, { env: { ...env, SPRITEWRIGHT_BASE_URL: '' } })).toEqual([
    ...[specs, engine, noKey],
    "service warning: none configured > Set SPRITEWRIGHT_BASE_URL, or service: 'embedded' to try.",
    ...[fresh, clock],
  ])
  const [, , key] = await linesOf(made, first, { options: { service: 'embedded' } })
  expect(key).toBe('key good: none needed: the embedded service')
})

test('doctor says of a project with stores what they are, what was bought, and what is lost in a clone', async () => {
  const made = await team()
  const { first, clone } = made
  const stores: ProcessInit = { options: { engine: 'pixi', store: { shared: '/share/results', journal: '/share/journal' } } }
  const rogue = { reference: { steps: [{ text: 'a person' }] }, prompt: 'x', animations: { walk: {} }, pictures: { face: [{ edit: 'x' }] } }
  first.write('sprites/rogue.sprite.json', JSON.stringify(rogue))
  first.write('vite.config.ts', "import spritewright from 'spritewright/vite'")
  expect(await linesOf(made, first, stores)).toEqual([
    ...[
      'specs good: 2 sprites, 2 animations, 1 picture',
      'engine good: pixi',
      vite,
      ...service,
      'balance good: 1000000 credits available',
      fresh,
    ],
    'shared results good: /share/results',
    'shared journal good: /share/journal, empty: it begins with the first approval',
    clock,
  ])
  first.disk.files.delete('/game/sprites/rogue.sprite.json')
  await first.approve({}, stores)
  await first.build({}, stores)
  const { buyer, checkout = '', project } = first.entry('hero.walk').approval ?? {}
  const balance = 'balance good: 999998.4 credits available'
  const journal = `journal good: nothing in flight; you approve and buy as ${buyer}; the project is ${project}`
  const specs = 'specs good: 1 sprite, 1 animation'
  expect(await linesOf(made, first, stores)).toEqual([
    ...[specs, 'engine good: pixi', vite, ...service, balance, journal],
    'shared results good: /share/results',
    `shared journal good: /share/journal, journal ${checkout.slice(0, 8)}`,
    clock,
  ])
  expect(await linesOf(made, clone(first))).toEqual([
    specs,
    'results warning: 1 bought result not here: hero.walk > Fetch them again, for free: npx spritewright build',
    ...[engine, vite, ...service, balance, `${fresh}; the project is ${project}`, clock],
  ])
  first.disk.files.delete('/game/sprites/hero.sprite.json')
  const [empty] = await linesOf(made, first)
  expect(empty).toBe('specs warning: 0 sprites, 0 animations > Write a first spec: npx spritewright init')
  first.write('sprites/badge.sprite.json', JSON.stringify({ source: './hero.png' }))
  const drawn = clone(first)
  const badge = 'specs good: 1 sprite, 0 animations, 1 picture'
  const none = { SPRITEWRIGHT_API_KEY: '', SPRITEWRIGHT_BASE_URL: '' }
  expect(await linesOf(made, drawn, { env: none })).toEqual([badge, engine, vite])
  expect(await linesOf(made, drawn, { env: { SPRITEWRIGHT_BASE_URL: '' } })).toHaveLength(7)
})

test('doctor says what is in flight, what credits are left, and how far the clock is behind', async () => {
  const accounts = [{ name: 'studio', credits: '1.6', keys: [{ key: 'sw_test_simulated' }] }]
  const made = await team({ ...asking, accounts })
  const { first, run, world } = made
  await first.approve()
  await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
  const newest = Math.max(...first.records().map(({ at }) => at))
  const late = { ...world.clock, wall: () => newest - 85_400, mono: () => world.clock.mono(), sleep: world.clock.sleep.bind(world.clock) }
  const workshop = await world.workshop({}, { disk: first.disk, clock: late as typeof world.clock })
  expect((await run(workshop.doctor())).slice(-3)).toEqual([
    { check: 'balance', verdict: 'warning', found: '0 credits available', advice: "Add credits in the service's console before buying." },
    { check: 'journal', verdict: 'warning', found: 'hero.walk question', advice: 'Continue it with: npx spritewright build' },
    {
      check: 'clock',
      verdict: 'bad',
      found: '85 s behind the newest record of the journal',
      advice: 'Correct the clock: unanswered submissions are not replayed while it is behind.',
    },
  ])
})
