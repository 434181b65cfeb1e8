import { describe, expect, test } from 'vitest'
import type { SpritewrightError } from '../../src/errors.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { SpecEditRequest, Workshop } from '../../src/workshop.ts'
import { figurePng } from '../kit/project.ts'
import { addSprite, type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

type Refusal = readonly [code: string, message: string, facts: object]

/** A project with a sprite from a picture, `hero`, and one from a chain, `rogue`. */
async function desk(): Promise<{ world: SimulatedWorld; workshop: Workshop; files: () => readonly string[] }> {
  const world = await simulatedWorld(0)
  addSprite(world, 'hero', 1)
  const chain = { reference: { steps: [{ text: 'x' }] }, prompt: 'x', animations: { walk: {} } }
  world.write('sprites/rogue.sprite.json', JSON.stringify(chain))
  const files = () => [...world.disk.files.keys()].filter((path) => path.startsWith('/game/sprites/')).sort()
  return { world, files, workshop: await world.workshop() }
}

async function refusalsOf(works: readonly (() => Promise<unknown>)[]): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (const work of works)
    await work().then(
      () => found.push('nothing'),
      ({ code, message, facts }: SpritewrightError) => found.push([code, message, facts]),
    )
  return found
}

const textOf = ({ disk }: SimulatedWorld, name: string): string =>
  new TextDecoder().decode(disk.files.get(`/game/sprites/${name}.sprite.json`))
const digestOf = (world: SimulatedWorld, name: string): string => sha256(new TextEncoder().encode(textOf(world, name)))
const nothing = new Uint8Array(3)

test('an edit is refused with the file and the reason, and nothing is written', async () => {
  const { world, workshop, files } = await desk()
  const edit =
    (sprite: string, more: Partial<SpecEditRequest> = {}) =>
    () =>
      workshop.editSpec({ sprite, digest: digestOf(world, sprite), edit: () => [], ...more })
  const hero = 'sprites/hero.sprite.json'
  const changed = `${hero} has changed since it was looked at. Nothing was written; look at it again, and repeat the change.`
  const overtaken = (): readonly { path: string[]; value: string }[] => {
    world.write(hero, '{ }')
    return [{ path: ['prompt'], value: 'y' }]
  }
  const before = [files(), textOf(world, 'hero')]
  const rows: readonly (readonly [() => Promise<unknown>, Refusal])[] = [
    [edit('nobody'), ['SW_USAGE', 'Expected the name of a sprite whose spec is in order, found "nobody".', { name: 'nobody' }]],
    [edit('hero', { digest: 'x' }), ['SW_CHANGED', changed, { file: `/game/${hero}` }]],
    [
      edit('rogue', { picture: figurePng() }),
      [
        'SW_USAGE',
        'Expected a reference that is one picture, found a chain of steps. Edit the chain in sprites/rogue.sprite.json. Nothing was written.',
        { file: '/game/sprites/rogue.sprite.json' },
      ],
    ],
    [
      edit('hero', { picture: nothing }),
      [
        'SW_REFERENCE',
        'Expected a PNG, JPEG or WebP picture for "hero", found a file of another kind. Nothing was written.',
        { sprite: 'hero' },
      ],
    ],
    [
      () => workshop.undoSpecEdit({ sprite: 'hero', digest: digestOf(world, 'hero') }),
      ['SW_USAGE', `Expected an edit of ${hero} that was made here, found none. Nothing was written.`, { file: `/game/${hero}` }],
    ],
  ]
  expect(await refusalsOf(rows.map(([work]) => work))).toEqual(rows.map(([, refusal]) => refusal))
  expect([files(), textOf(world, 'hero')]).toEqual(before)
  expect(await refusalsOf([edit('hero', { edit: overtaken })])).toEqual([['SW_CHANGED', changed, { file: `/game/${hero}` }]])
  expect([files(), textOf(world, 'hero')]).toEqual([before[0], '{ }'])
})

describe('a new sprite', () => {
  const fox = { name: 'fox', prompt: 'a red fox', picture: figurePng(20) }

  test('is refused with the name or the file that is in the way', async () => {
    const { world, workshop, files } = await desk()
    world.write('sprites/fox.png', figurePng(3))
    const before = files()
    const rows: readonly (readonly [object, string, string, object?])[] = [
      [
        { name: 'HERO' },
        'SW_USAGE',
        'Expected a new name, found "HERO", which sprites/hero.sprite.json has. Take another one, or edit that file.',
      ],
      [
        { name: '../x' },
        'SW_USAGE',
        'Expected a name of letters, digits, _ and -, beginning with a letter or digit, and none that Windows reserves (con, prn, aux, nul, com1, lpt1 …) as the name of a sprite, found "../x". Nothing was written.',
      ],
      [
        { picture: nothing },
        'SW_REFERENCE',
        'Expected a PNG, JPEG or WebP picture for "fox", found a file of another kind. Nothing was written.',
        { sprite: 'fox' },
      ],
      [{}, 'SW_USAGE', 'Expected no other picture at sprites/fox.png, found one. Take another name, or move that file away.'],
    ]
    const works = rows.map(
      ([change]) =>
        () =>
          workshop.createSprite({ ...fox, ...change }),
    )
    expect(await refusalsOf(works)).toEqual(rows.map(([, code, message, facts = {}]) => [code, message, facts]))
    expect(files()).toEqual(before)
  })

  test('has one short animation, or those of its edits; a new picture gets a name of its own, and undoing keeps it', async () => {
    const { world, workshop, files } = await desk()
    world.write('sprites/fox.png', fox.picture)
    const first = {
      reference: './fox.png',
      prompt: 'a red fox',
      animations: { idle: { frames: 8, fps: 8 } },
      size: { figure: 128 },
      anchor: [0.5, 1],
    }
    expect(await workshop.createSprite(fox)).toEqual({ file: '/game/sprites/fox.sprite.json', picture: '/game/sprites/fox.png' })
    expect(textOf(world, 'fox')).toBe(`${JSON.stringify(first, null, 2)}\n`)
    const edits = [
      { path: ['animations', 'fly'], value: { frames: 12 } },
      { path: ['size'], value: 64 },
    ]
    await workshop.createSprite({ ...fox, name: 'owl', edits })
    const owl = { ...first, reference: './owl.png', animations: { fly: { frames: 12 } }, size: 64 }
    expect(JSON.parse(textOf(world, 'owl'))).toEqual(owl)
    const target = (sprite: string) => ({ sprite, digest: digestOf(world, sprite) })
    const edit = () => [{ path: ['prompt'], value: 'y' }]
    const report = await workshop.editSpec({ ...target('fox'), edit, picture: figurePng(9) })
    expect(report).toEqual({ file: '/game/sprites/fox.sprite.json', digest: digestOf(world, 'fox') })
    expect(JSON.parse(textOf(world, 'fox'))).toEqual({ ...first, reference: './fox-2.png', prompt: 'y' })
    expect(await workshop.undoSpecEdit(target('fox'))).toEqual({ ...report, digest: digestOf(world, 'fox') })
    expect(JSON.parse(textOf(world, 'fox'))).toEqual(first)
    const added = [
      'fox-2.png',
      'fox.png',
      'fox.sprite.json',
      'hero.png',
      'hero.sprite.json',
      'owl.png',
      'owl.sprite.json',
      'rogue.sprite.json',
    ]
    expect(files()).toEqual(added.map((name) => `/game/sprites/${name}`))
    expect(world.disk.files.get('/game/sprites/fox-2.png')).toEqual(figurePng(9))
  })
})

test('the trust of a project names its route, lists and removes what was confirmed, and refuses what is no address or key', async () => {
  const { world, workshop } = await desk()
  const { trust } = workshop
  const route = { addressSource: 'environment', key: 'e02fca91c50a04fd', keySource: 'environment', trust: 'bound' }
  expect(await trust.route()).toEqual({ origin: 'http://127.0.0.1:1', ...route })
  expect(await trust.confirm('https://api.test/v1')).toBe('https://api.test')
  const at = new Date(world.clock.wall()).toISOString()
  expect(await trust.list()).toEqual([{ origin: 'https://api.test', key: route.key, at }])
  expect([await trust.remove('api.test'), await trust.remove('api.test'), await trust.list()]).toEqual([1, 0, []])
  const keyless = await world.workshop({}, { env: { ...world.env, SPRITEWRIGHT_API_KEY: '' } })
  const approve = { names: [], given: 'touched', confirm: async () => true } as const
  expect(
    await refusalsOf([
      () => trust.confirm('no address'),
      () => keyless.trust.confirm('https://api.test'),
      () => trust.enrol('x'),
      () => world.clock.run(workshop.approve({ ...approve, names: ['hero'] })),
    ]),
  ).toEqual([
    [
      'SW_USAGE',
      'Expected an address like api.example.com, or a base URL like https://api.example.com, without name, password, query, fragment or `$`, found something else.',
      {},
    ],
    [
      'SW_NO_KEY',
      'Expected an API key that the address may get, found none. Set SPRITEWRIGHT_API_KEY in the environment or in .env.local first.',
      {},
    ],
    [
      'SW_USAGE',
      'Expected a key like ES256.CREDENTIAL.SPKI, as the panel and npx spritewright trust show it, found "x". Correct it, in SPRITEWRIGHT_TOUCH_KEYS or on the command line.',
      { found: 'x' },
    ],
    ['SW_APPROVAL', 'Expected an enrolled authenticator, found none. The panel shows how to enrol one. Nothing was approved.', {}],
  ])
})
