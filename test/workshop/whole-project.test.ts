import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { Context } from '../../src/project/context.ts'
import type { ServiceConnection } from '../../src/project/session.ts'
import type { Survey } from '../../src/project/survey.ts'
import { refuseDecision } from '../../src/workshop/recovery/recover.ts'
import { withoutUnbought, withWholeResults } from '../../src/workshop/recovery/whole.ts'
import type { BuildReport, BuildRequest } from '../../src/workshop.ts'
import { type Game, openShelf, type Shelf, spec } from '../plugin/world.ts'

let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf.close())

const placeholders = { build: { unbought: 'placeholder' } } as const

/** Approves these names and builds as asked. */
async function build(game: Game, request: BuildRequest = {}, options: object = {}, approved: readonly string[] = []): Promise<BuildReport> {
  const workshop = await shelf.workshop(game, options)
  try {
    if (approved.length > 0) await workshop.approve({ names: approved, confirm: async () => true })
    return await workshop.build(request)
  } finally {
    await workshop.close()
  }
}

const spritesOf = ({ sheets }: BuildReport): string[] => sheets.sprites.map(({ name }) => name)
const standInsOf = ({ sheets }: BuildReport): string[] => sheets.sprites.filter((one) => one.isPlaceholder).map(({ name }) => name)

describe('a build of names', () => {
  test('makes the sheets of the whole project, with the bytes of a build of everything', async () => {
    const game = await shelf.game()
    const all = await build(game)
    const named = await build(game, { names: ['hero'] })
    expect(spritesOf(named)).toEqual(['coin', 'hero'])
    expect(named.sheets.atlases).toEqual(all.sheets.atlases)
    expect(named.warnings).toEqual([])
    expect(named.fromVault).toBe(1)
  })

  test('buys only what is named, and leaves out what is neither named nor bought, with one warning', async () => {
    const fox = { 'sprites/fox.sprite.json': spec({ prompt: 'a fox' }), 'sprites/owl.sprite.json': spec({ prompt: 'an owl' }) }
    const game = await shelf.game({ ...fox, 'sprites/hero.sprite.json': heroThatJumps })
    const report = await build(game, { names: ['fox'] }, {}, ['fox', 'owl'])
    expect(report.bought.map(({ id }) => id)).toEqual(['fox.walk'])
    expect(spritesOf(report)).toEqual(['coin', 'fox', 'hero'])
    expect(report.warnings).toEqual(['Left out of the atlases, since not bought: hero.jump, owl.'])
    // Nothing that is not named has to be there, under --frozen too.
    expect(spritesOf(await build(game, { names: ['fox'], frozen: true }))).toEqual(['coin', 'fox', 'hero'])
    await expect(build(game, { names: ['owl'], frozen: true })).rejects.toMatchObject({ code: 'SW_MISSING' })
  })

  test('goes on beside broken specs of others, with one warning; the broken one itself is an error', async () => {
    const broken = {
      'sprites/owl.sprite.json': '{',
      'sprites/fox.sprite.json': '{ "prompt": 1 }',
      'sprites/hero.v2.sprite.json': '[',
      'sprites/her.sprite.json': '[',
    }
    const game = await shelf.game({ ...broken, 'sprites/hero.sprite.json': heroThatJumps })
    const warning = '4 other specs are broken; npx spritewright plan names the faults.'
    const report = await build(game, { names: ['hero.jump'], buyOnly: true }, {}, ['hero'])
    expect(report.bought.map(({ id }) => id)).toEqual(['hero.jump'])
    expect(report.warnings).toEqual([warning])
    const workshop = await shelf.workshop(game)
    try {
      expect((await workshop.plan(['hero'])).warnings).toEqual([warning])
      for (const name of ['owl', 'owl.walk', 'OWL', 'owl#1', 'sprites/owl.sprite.json'])
        await expect(workshop.plan([name])).rejects.toMatchObject({ code: 'SW_SPEC' })
      const unknown = { code: 'SW_USAGE', facts: { unknown: ['wolf'] }, message: expect.stringContaining(warning) }
      await expect(workshop.plan(['hero', 'wolf'])).rejects.toMatchObject(unknown)
      await expect(workshop.plan(['sprites/coin.sprite.json'])).rejects.toThrow('Did you mean coin?')
      await expect(workshop.plan()).rejects.toThrow(AggregateError)
    } finally {
      await workshop.close()
    }
  })

  test.each([false, true])(
    'makes no sheets without a sprite that is broken: what is named is bought, and the rest stays (frozen: %s)',
    async (frozen) => {
      const game = await shelf.game({ 'sprites/hero.sprite.json': heroThatJumps })
      await build(game, {}, {}, ['hero'])
      await game.write('sprites/coin.sprite.yaml', '[')
      await expect(build(game, { names: ['hero'], frozen })).rejects.toMatchObject({ code: 'SW_SPEC' })
      expect((await build(game, { names: ['hero'], buyOnly: true })).fromVault).toBe(2)
    },
  )

  test('names files that look like specs and are passed over', async () => {
    const passed = {
      'sprites/goblin.json': spec({}),
      'sprites/orc.sprites.json': spec({}),
      'sprites/elf.yaml': 'prompt: elf\nanimations:\n  walk: {}\n',
      'sprites/icons.yaml': 'reference: ./hero.png\npictures:\n  face: [edit: a face]\n',
    }
    const others = { 'sprites/data.json': '{ "prompt": "?" }', 'sprites/levels.json/a.txt': 'a folder', 'art/imp.json': spec({}) }
    const game = await shelf.game({ ...passed, ...others })
    await symlink('nowhere', join(game.root, 'sprites/gone.json'))
    const workshop = await shelf.workshop(game)
    try {
      const words = (file: string, name: string): string =>
        `sprites/${file} looks like a spec, but is ignored: name it ${name}.sprite.json or ${name}.sprite.yaml.`
      expect((await workshop.plan()).warnings.toSorted()).toEqual([
        words('elf.yaml', 'elf'),
        words('goblin.json', 'goblin'),
        words('icons.yaml', 'icons'),
        words('orc.sprites.json', 'orc'),
      ])
    } finally {
      await workshop.close()
    }
  })

  test('gives them placeholders if those may be', async () => {
    const game = await shelf.game({ 'sprites/owl.sprite.json': spec({ prompt: 'a white owl' }) })
    const report = await build(game, { names: ['hero'] }, placeholders)
    expect(spritesOf(report)).toEqual(['coin', 'hero', 'owl'])
    expect(standInsOf(report)).toEqual(['owl'])
    expect(report.warnings).toEqual([])
  })

  test('fetches a lost result of another sprite again, and pays nothing', async () => {
    const game = await shelf.game()
    await game.remove('.spritewright/results')
    const report = await build(game, { names: ['hero'] })
    expect(spritesOf(report)).toEqual(['coin', 'hero'])
    expect([report.bought, report.warnings, report.fetched]).toEqual([[], [], ['hero.walk', 'coin.spin']])
    await game.remove('.spritewright/results')
    const posts = (): number => shelf.requests().filter(({ method }) => method === 'POST').length
    const before = posts()
    expect((await build(game, { frozen: true })).fetched).toEqual(['coin.spin', 'hero.walk'])
    expect(posts()).toBe(before)
  })

  test('keeps the layout of the whole project, and writes none if something is left out', async () => {
    const stable = { atlas: { stable: true } }
    const game = await shelf.game()
    await build(game, {}, stable)
    const layout = await game.read('sprites.layout.json')
    expect(layout).toContain('"coin/spin"')
    await build(game, { names: ['hero'] }, stable)
    expect(await game.read('sprites.layout.json')).toBe(layout)
    await game.write('sprites/coin.sprite.yaml', 'reference: ./figure.png\nprompt: another coin\nanimations:\n  spin:\n    frames: 7\n')
    await build(game, { names: ['hero'] }, stable)
    expect(await game.read('sprites.layout.json')).toBe(layout)
  })
})

const heroThatJumps = JSON.stringify({
  reference: './figure.png',
  prompt: 'a small figure',
  animations: { walk: { frames: 7, fps: 8 }, jump: { frames: 7 } },
})

describe("with unbought: 'placeholder', a purchase without an end", () => {
  test.each([
    ['fails', '[fail generation_failed]', 'SW_FAILED', 'SW_MISSING'],
    ['asks a question', '[ask]', 'SW_QUESTION', 'SW_QUESTION'],
  ])('that %s is told, and has a placeholder in its place', async (_what, words, code, frozenCode) => {
    const game = await shelf.game({
      'sprites/owl.sprite.json': spec({ prompt: `an owl ${words}` }),
      'sprites/fox.sprite.json': spec({ prompt: `a fox beside ${code}` }),
    })
    const report = await build(game, {}, placeholders, ['owl', 'fox'])
    expect(report.failures).toEqual([expect.objectContaining({ code })])
    expect(report.bought.map(({ id }) => id)).toEqual(['fox.walk'])
    expect(spritesOf(report)).toEqual(['coin', 'fox', 'hero', 'owl'])
    expect(standInsOf(report)).toEqual(['owl'])
    await expect(build(game, { frozen: true }, placeholders)).rejects.toMatchObject({ code: frozenCode })
    await expect(build(game, { buyOnly: true }, placeholders)).rejects.toMatchObject({ code })
    await expect(build(game)).rejects.toMatchObject({ code })
  })

  test('shows the superseded art of a sprite whose new purchase fails', async () => {
    const game = await shelf.game({ 'sprites/hero.sprite.json': spec({ prompt: 'a figure [fail content_refused at job]' }) })
    const report = await build(game, {}, placeholders, ['hero'])
    expect(report.failures).toEqual([expect.objectContaining({ code: 'SW_FAILED' })])
    expect(report.sheets.sprites).toMatchObject([{ name: 'coin' }, { name: 'hero', superseded: ['walk'], isPlaceholder: false }])
  })

  test('does not hide an error of the project', async () => {
    const game = await shelf.game({ 'sprites/owl.sprite.json': '{' })
    await expect(build(game, {}, placeholders)).rejects.toMatchObject({ code: 'SW_SPEC' })
  })
})

describe('the part of a project that is shipped', () => {
  const found = (...ids: readonly string[]): Survey => {
    const items = ids.map((text) => {
      const [id = '', state] = text.split(' ')
      return { id, state, spec: { name: id.split('.')[0] } }
    })
    return { items, wanted: items.map(({ id }) => `wanted ${id}`), lock: 'as it is' } as unknown as Survey
  }
  const shipped = (unbought: string, ...ids: readonly string[]): object => {
    const context = { options: { build: { unbought } }, warnings: [] as string[] }
    const { survey, isPartial } = withoutUnbought(context as unknown as Context, found(...ids))
    return { survey, isPartial, warnings: context.warnings }
  }
  const all = ['hero.walk bought', 'hero.run lost', 'owl.fly missing', 'owl.sit approved', 'fox.run bought'] as const

  test('is what is bought, and one warning names each animation or whole sprite that is left out', () => {
    const warnings = ['Left out of the atlases, since not bought: hero.run, owl.']
    expect(shipped('error', ...all)).toEqual({ survey: found(all[0], all[4]), isPartial: true, warnings })
  })

  test('is everything if all of it is bought, or has a placeholder', () => {
    expect(shipped('error', all[0], all[4])).toEqual({ survey: found(all[0], all[4]), isPartial: false, warnings: [] })
    expect(shipped('placeholder', ...all)).toEqual({ survey: found(...all), isPartial: false, warnings: [] })
  })
})

describe('a result that turns out to be unusable', () => {
  const fault = (code: 'SW_VAULT' | 'SW_DELIVERY' | 'SW_DISK', id = 'hero.walk'): SpritewrightError =>
    new SpritewrightError(code, { message: `${id} is damaged.`, facts: { id, result: 'r' } })
  /** The error of sheets whose result has this fault, and how often the service was asked, which gives no answer. */
  const make = async (error: Error, { frozen = false, fetched = {}, troubles = [] as readonly string[] } = {}) => {
    let opened = 0
    const open = async (): Promise<never> => {
      opened += 1
      if (troubles.length > 0) throw new SpritewrightError('SW_NO_KEY', { message: 'No key.' })
      throw new SpritewrightError('SW_UNREACHABLE', { message: 'Nobody is there.' })
    }
    const survey = { items: [{ id: 'owl.fly' }, { id: 'hero.walk' }], wanted: [], lock: {} } as unknown as Survey
    const known = new Map(Object.entries<string>(fetched))
    const thrown = await withWholeResults(
      { vault: { troubles: new Set(troubles) } } as unknown as Context,
      { open } as unknown as ServiceConnection,
      { survey, known: {}, fetched: known, run: { frozen } },
      () => Promise.reject(error),
    ).catch((reason: unknown) => reason)
    return [opened, thrown]
  }
  const told = (error: SpritewrightError, words: string): object =>
    expect.objectContaining({ code: error.code, facts: error.facts, cause: error, message: `${error.message} ${words}` })

  test('is asked for again, and the error tells why it is not here', async () => {
    for (const error of [fault('SW_VAULT'), fault('SW_DELIVERY')])
      expect(await make(error)).toEqual([1, told(error, 'It could not be fetched again: Nobody is there.')])
    const error = fault('SW_VAULT')
    expect(await make(error, { troubles: ['The store', 'is away.'] })).toEqual([1, told(error, 'The store is away.')])
  })

  test('is not asked for twice in a run', async () => {
    const error = fault('SW_VAULT')
    expect(await make(error, { fetched: { 'hero.walk': 'It was so before.' } })).toEqual([0, told(error, 'It was so before.')])
    expect((await make(error, { fetched: { 'owl.fly': 'It was so before.' } }))[0]).toBe(1)
  })

  test('is not fetched under --frozen if that would change the lock file', async () => {
    const error = fault('SW_DELIVERY')
    const [opened, thrown] = (await make(error, { frozen: true })) as [number, SpritewrightError]
    const words = 'With --frozen it is not fetched again, since the lock file would change: run npx spritewright build.'
    expect([opened, thrown.code, thrown.facts, thrown.message]).toEqual([0, 'SW_DELIVERY', error.facts, `${error.message} ${words}`])
    expect((await make(fault('SW_VAULT'), { frozen: true }))[0]).toBe(1)
  })

  test.each([
    ['another error', fault('SW_DISK')],
    ['a mistake', Object.assign(new Error('no'), { code: 'SW_VAULT', facts: { id: 'hero.walk' } })],
    ['a result of nobody', fault('SW_VAULT', 'fox.run')],
  ])('is none for %s, which is thrown as it is', async (_what, error) => {
    const [opened, thrown] = await make(error)
    expect(opened).toBe(0)
    expect(thrown).toBe(error)
  })
})

test.each(['replay', 'abandon'] as const)(
  'without a key, to %s what a worker has bought is refused, with the command for its machine',
  (decision) => {
    const decide = (isRemote: boolean): void => refuseDecision({ isRemote } as ServiceConnection, { name: 'hero', decision })
    expect(() => decide(false)).not.toThrow()
    const message = expect.stringContaining(`recover hero --${decision}`)
    expect(() => decide(true)).toThrow(expect.objectContaining({ code: 'SW_NO_KEY', facts: { name: 'hero' }, message }))
  },
)
