import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodePng } from '../../atlas/png/read.ts'
import { createArgs } from '../../src/cli/arguments.ts'
import type { ProgramParts } from '../../src/cli/context.ts'
import { askFirst, type Drawer } from '../../src/cli/first-answers.ts'
import { drawFirstPicture } from '../../src/cli/first-picture.ts'
import { configText, firstSpecText } from '../../src/cli/first-project.ts'
import { createWorld, type World, type WorldInit } from './world.ts'

const plainVite = "import { defineConfig } from 'vite'\nexport default defineConfig({})\n"
const [vite, phaser] = ['{ "devDependencies": { "vite": "8" } }', '{ "dependencies": { "phaser": "4" } }']

/** What `init` did, as paths with a word, and what it says comes next. */
function steps(world: World): { readonly files: readonly string[]; readonly next: unknown } {
  const { files, next } = world.json() as { files: { path: string; done: string; lacksPlugin?: boolean }[]; next: unknown }
  return { files: files.map(({ path, done, lacksPlugin }) => `${path} ${done}${lacksPlugin === undefined ? '' : ` ${lacksPlugin}`}`), next }
}

const bought = ['.gitignore written', '.gitattributes written', 'sprites.lock.json written']
const first = ['sprites/hero.sprite.json written', 'sprites/hero.png written']

test('all files of a game in TypeScript on Vite are told in the order of their making, and the picture is made before its spec', async () => {
  const typed: string[] = []
  const init: WorldInit = {
    files: {
      '/game/package.json': vite,
      '/game/tsconfig.json': '{ "compilerOptions": {} }',
      '/game/vite.config.ts': plainVite,
      '/game/vite/config.prod.mjs': 'export default {}\n',
    },
    workshop: { writeTypings: async () => void typed.push('typings') } as never,
  }
  const world = createWorld(init)
  expect(await world.run('init', '--json')).toBe(0)
  const buy = ['npx spritewright plan', 'npx spritewright approve', 'npx spritewright build --buy-only']
  expect(world.json()).toMatchObject({ root: '/game' })
  expect(steps(world)).toEqual({
    files: [
      'spritewright.config.ts written',
      ...bought,
      'src/vite-env.d.ts written',
      'vite/config.prod.mjs kept true',
      'vite.config.ts extended',
      'tsconfig.json extended',
      ...first,
    ],
    next: buy,
  })
  const made = [...world.files.keys()].filter((file) => file.includes('/hero'))
  expect([made, typed, world.closed]).toEqual([['/game/sprites/hero.png', '/game/sprites/hero.sprite.json'], ['typings'], 1])
  const again = createWorld({ ...init, files: Object.fromEntries([...world.files.keys()].map((file) => [file, world.text(file)])) })
  expect(await again.run('init', '--json')).toBe(0)
  expect(steps(again)).toEqual({
    files: [
      ...['spritewright.config.ts', '.gitignore', '.gitattributes', 'sprites.lock.json', 'src/vite-env.d.ts'].map((path) => `${path} kept`),
      'vite/config.prod.mjs kept true',
      'vite.config.ts kept',
      'tsconfig.json kept',
      'sprites/hero.sprite.json kept',
    ],
    next: buy,
  })
  const failing = createWorld({ ...init, workshop: { writeTypings: () => Promise.reject(new Error('no typings')) } as never })
  expect([await failing.run('init'), failing.err()]).toEqual([0, expect.stringContaining('no typings')])
})

const tsconfig = { '/game/tsconfig.json': '{}' }

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['TypeScript alone', tsconfig, []],
  ['Vite among the dependencies', { ...tsconfig, '/game/package.json': vite }, ['src/vite-env.d.ts written', 'vite.config.ts written']],
  ['Vite installed', { ...tsconfig, '/game/node_modules/vite/package.json': '{}' }, ['src/vite-env.d.ts written']],
  ['a configuration', { ...tsconfig, '/game/vite.config.ts': plainVite }, ['src/vite-env.d.ts written', 'vite.config.ts extended']],
  ['types', { ...tsconfig, '/game/src/vite-env.d.ts': '' }, ['src/vite-env.d.ts extended']],
  ['Vite in JavaScript', { '/game/package.json': vite }, ['vite.config.mjs written']],
  ['Vite in JavaScript with types', { '/game/src/vite-env.d.ts': '' }, []],
])('a game with %s gets its part of Vite, and no other', async (_what, files, expected) => {
  const world = createWorld({ files })
  expect(await world.run('init', '--json')).toBe(0)
  const found = steps(world).files.filter((step) => step.includes('vite'))
  expect([found, world.text('/game/src/vite-env.d.ts').split('spritewright/client').length]).toEqual([
    expected,
    expected.some((step) => step.startsWith('src/')) ? 2 : 1,
  ])
})

test.each<[string, string, string]>([
  ['with other blanks and a slash', '/.spritewright/results/** binary\nsprites.lock.json \t merge=spritewright  \n', '\n'],
  ['without a last line end', '.spritewright/results/** binary\n sprites.lock.json merge=spritewright', '\n\n'],
  ['of Windows', '.spritewright/results/** binary\r\nsprites.lock.json merge=spritewright\r\n', '\r\n'],
])('lines that a file has %s are not added again', async (_how, before, lead) => {
  const world = createWorld({ files: { '/game/.gitattributes': before } })
  await world.run('init', '--json')
  const end = before.includes('\r') ? '\r\n' : '\n'
  const added = `${lead}# spritewright${end}sprites.lock/*.json merge=spritewright${end}`
  expect([world.text('/game/.gitattributes'), steps(world).files[2]]).toEqual([before + added, '.gitattributes extended'])
})

test('an empty file of git begins with the lines, and a file that has all stays', async () => {
  const world = createWorld({ files: { '/game/.gitattributes': '' } })
  await world.run('init', '--json')
  const lines =
    '# spritewright\n.spritewright/results/** binary\nsprites.lock.json merge=spritewright\nsprites.lock/*.json merge=spritewright\n'
  expect([world.text('/game/.gitattributes'), steps(world).files[2]]).toEqual([lines, '.gitattributes extended'])
  const ignored = [...'submissions/ contract/ quarantine/ ledger.jsonl uploads/ checkout.json embedded/ orders/'.split(' ')]
  expect(world.text('/game/.gitignore')).toBe(
    `# spritewright\n${ignored.map((name) => `.spritewright/${name}\n`).join('')}.env\n.env.local\n`,
  )
})

test.each<[string, object | undefined, boolean]>([
  ['all is drawn', { items: [], own: [{ name: 'ui' }] }, false],
  ['some of it is bought', { items: [{}], own: [{ name: 'ui' }] }, true],
  ['nothing is drawn', { items: [], own: [] }, true],
  ['the project cannot be read', undefined, true],
])('a project of sprites is prepared for purchases unless all is drawn: %s', async (_what, report, isPrepared) => {
  const status = async (): Promise<object> => report ?? Promise.reject(new Error('cannot be read'))
  const init = { files: { '/game/b.sprite.json': '{}', '/game/a.sprite.yaml': '' }, workshop: { status } as never }
  const world = createWorld(init)
  expect(await world.run('init', '--json')).toBe(0)
  expect(steps(world)).toEqual({
    files: ['spritewright.config.mjs written', ...(isPrepared ? bought : []), 'a.sprite.yaml kept'],
    next: isPrepared ? ['npx spritewright plan', 'npx spritewright approve', 'npx spritewright build'] : ['npx spritewright build'],
  })
  const none = createWorld({ workshop: { status: () => expect.fail('a project without sprites is not asked') } as never })
  expect([await none.run('init', '--json'), none.opened]).toEqual([0, []])
})

test.each<[readonly string[], WorldInit, readonly string[], readonly string[]]>([
  [[], {}, ['loadSprites([hero])', 'No key yet?', 'With one:', 'Commit'], ['preloadSprites', 'Later']],
  [
    ['--embedded'],
    { files: { '/game/package.json': phaser } },
    ['preloadSprites(this, [hero])', 'Later, with a key'],
    ['No key', 'With one'],
  ],
  [['--engine', 'phaser'], {}, ['preloadSprites(this, [hero])'], ['loadSprites([']],
  [['--engine', 'pixi'], { files: { '/game/package.json': phaser } }, ['await loadSprites([hero])'], ['preloadSprites']],
  [['--own'], { files: { '/game/package.json': vite } }, ['Next: npx vite, which packs'], ['Commit', 'key', 'spritewright plan']],
  [[], { files: { '/game/a-b-c.sprite.yml': '' } }, ["import a_b_c from './a-b-c.sprite.yml'"], ['hero']],
  [['--own'], { files: { '/game/u.sprites/v.sprites/x.png': '' } }, ["import u from './u.sprites'"], ['hero']],
  [[], { files: { '/game/goblin.aseprite': '' } }, ["import hero from './sprites/hero.sprite.json'"], ['goblin']],
])('what comes next fits the choices %j of the project %j', async (options, init, said, unsaid) => {
  const world = createWorld(init)
  expect(await world.run('init', ...options)).toBe(0)
  for (const words of said) expect(world.out()).toContain(words)
  for (const words of unsaid) expect(world.out()).not.toContain(words)
})

test('a file is told with what was done to it', async () => {
  const world = createWorld({ files: { '/game/.gitignore': 'x\n', '/game/sprites.lock.json': '{}' } })
  await world.run('init')
  const lines = world.out().split('\n').slice(0, 4)
  expect(lines).toEqual([
    '  ✓ spritewright.config.mjs',
    '  ✓ .gitignore  extended',
    '  ✓ .gitattributes',
    '  · sprites.lock.json  existed already, unchanged',
  ])
})

/** Asks a person who chooses by the labels, and says which questions there were. */
async function asked(labels: readonly string[], options: Readonly<Record<string, string | boolean>> = {}, env: object = {}, canAsk = true) {
  const left = [...labels]
  const questions: string[] = []
  const parts = {
    host: { terminal: { canAsk }, env, disk: { stat: async () => undefined } },
    choose: async (question: string, choices: readonly { value: string; label: string }[]) => {
      questions.push(`${question} ${choices.map(({ label }) => label).join(' / ')}`)
      const label = left.shift()
      return choices.find((one) => one.label === label)?.value
    },
    askText: async (question: string, preset: string) => {
      questions.push(`${question} ${preset}`)
      return left.shift()
    },
  }
  return { answers: await askFirst(parts as unknown as ProgramParts, '/game', [], createArgs([], options), async () => true), questions }
}

const [who, engine, where] = [
  'Who draws the sprites?',
  'Which engine draws the game? Phaser / PixiJS / Both, or another',
  'In which folder',
]
const [machineFirst, serviceFirst] = [`${who} This machine / A service / I do`, `${who} A service / This machine / I do`]

test.each<[readonly string[], object, object, object, readonly string[]]>([
  [['A service', 'Phaser', 'art'], {}, {}, { drawer: 'service', engine: 'phaser', folder: 'art' }, [machineFirst, engine, where]],
  [
    ['This machine', 'PixiJS', './a//b/'],
    {},
    { SPRITEWRIGHT_BASE_URL: 'https://x' },
    { drawer: 'embedded', engine: 'pixi', folder: 'a/b' },
    [serviceFirst, engine, where],
  ],
  [['I do', 'Both, or another', 'x'], {}, { SPRITEWRIGHT_API_KEY: '' }, { drawer: 'own', folder: 'x' }, [machineFirst, engine, where]],
  [['I do', 'y'], { engine: 'pixi' }, {}, { drawer: 'own', engine: 'pixi', folder: 'y' }, [machineFirst, where]],
  [['Phaser'], { own: true, folder: 'z/' }, {}, { drawer: 'own', engine: 'phaser', folder: 'z' }, [engine]],
])('a person who says %j with the options %j is asked for the rest', async (labels, options, env, answers, expected) => {
  const found = await asked(labels, options as Record<string, string>, env)
  expect(found.answers).toEqual(answers)
  expect(found.questions.map((one) => one.replace(/ does the first sprite go\? sprites$/, ''))).toEqual(expected)
})

test('without a terminal nothing is asked: the project says who draws, unless an option does', async () => {
  expect(await asked([], {}, {}, false)).toEqual({ answers: { drawer: 'own', folder: 'sprites' }, questions: [] })
  const given = { embedded: true, engine: 'phaser', folder: 'a' }
  expect((await asked([], given, {}, false)).answers).toEqual({ drawer: 'embedded', engine: 'phaser', folder: 'a' })
})

test.each(['/', '/art', '..', '../art', 'a/../..', 'C:/art', 'a\\b', 'a\0b'])('%j is no folder of a project', async (folder) => {
  await expect(asked([], { folder }, {}, false)).rejects.toMatchObject({ code: 'SW_USAGE' })
  await expect(asked(['I do', 'PixiJS', folder])).rejects.toMatchObject({ code: 'SW_USAGE' })
})

/** The value of a configuration; with `isWhole`, what is commented out in it counts too. */
function evaluated(text: string, isWhole = false): unknown {
  const lines = text.split('\n').filter((line) => !line.startsWith('import'))
  const code = lines.map((line) => (isWhole ? line.replace(/^ {2}\/\/ (?=\w+: )/, '  ') : line)).join('\n')
  return new Function('defineConfig', code.replace('export default', 'return'))((value: unknown) => value)
}

test.each<[Drawer, object, object]>([
  ['service', {}, { service: 'embedded', approval: { perSprite: '3', total: '20' } }],
  ['embedded', { service: 'embedded' }, { service: 'embedded', approval: { perSprite: '3', total: '20' } }],
  ['own', { specs: ['**/*.sprite.{json,yaml,yml}', '**/*.sprites/**', '**/*.aseprite'] }, {}],
])('a first configuration says that %s draws, names the engine, and is whole with its comments', (drawer, value, whole) => {
  expect(evaluated(configText({ drawer }))).toEqual(value)
  expect(evaluated(configText({ drawer, engine: 'phaser' }))).toEqual({ engine: 'phaser', ...value })
  expect(evaluated(configText({ drawer }), true)).toEqual({ ...value, ...whole })
})

test('the first spec names its schema, and what is bought by it; one of own art names its picture', () => {
  const read = (text: string): unknown => JSON.parse(text.replace(/^ *\/\/.*$/gm, ''))
  const common = { pixelArt: true, anchor: [0.5, 1] }
  const walk = { prompt: 'walks to the right, one full cycle', frames: 12, fps: 12 }
  const idle = { prompt: 'stands and breathes calmly', frames: 8, fps: 8 }
  expect(read(firstSpecText('../schema.json'))).toEqual({
    ...{ $schema: '../schema.json', reference: './hero.png', animations: { idle, walk }, size: { figure: 128 }, ...common },
    prompt: expect.stringContaining('facing right'),
  })
  expect([read(firstSpecText(undefined, true)), read(firstSpecText('x', true))]).toEqual([
    { source: './hero.png', ...common },
    { $schema: 'x', source: './hero.png', ...common },
  ])
})

test('the first picture has the pixels of the knight', () => {
  const { data } = decodePng(drawFirstPicture())
  expect(createHash('sha256').update(data).digest('hex').slice(0, 16)).toBe('28c969990c372bbe')
})
