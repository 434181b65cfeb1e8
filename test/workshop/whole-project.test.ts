import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    const broken = { 'sprites/owl.sprite.json': '{', 'sprites/fox.sprite.json': '{ "prompt": 1 }', 'sprites/hero.v2.sprite.json': '[' }
    const game = await shelf.game({ ...broken, 'sprites/hero.sprite.json': heroThatJumps })
    const warning = '3 other specs are broken; npx spritewright plan names the faults.'
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
