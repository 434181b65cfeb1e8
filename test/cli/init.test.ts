import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodePng } from '../../atlas/png/read.ts'
import { drawFirstPicture } from '../../src/cli/first-picture.ts'
import { firstSpecText } from '../../src/cli/first-project.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { alsoField } from '../../src/vault/lockfile.ts'
import { startHere } from '../kit/program.ts'
import type { CliRun } from '../kit/project.ts'
import { windowsTexts } from '../kit/windows-texts.ts'
import { createWorld } from './world.ts'

describe('init', () => {
  test('writes a config, the ignore lines, a first spec and its picture, and says what comes next', async () => {
    const world = createWorld()
    expect(await world.run('init')).toBe(0)
    expect([...world.files.keys()].sort()).toEqual(
      [
        '/game/.gitattributes',
        '/game/.gitignore',
        '/game/package.json',
        '/game/sprites/hero.png',
        '/game/sprites/hero.sprite.json',
        '/game/sprites.lock.json',
        '/game/spritewright.config.mjs',
      ].sort(),
    )
    for (const line of ['.spritewright/submissions/', '.spritewright/ledger.jsonl', '.spritewright/checkout.json', '.env.local']) {
      expect(world.text('/game/.gitignore').split('\n')).toContain(line)
    }
    expect(world.text('/game/.gitignore')).not.toContain('results')
    expect(world.text('/game/.gitattributes')).toContain('.spritewright/results/** binary\n')
    expect(world.out()).toContain('Next: npx spritewright plan')
    expect(world.opened).toEqual([])
  })

  test('a new project begins with a file for each sprite; a project with a lock file keeps its form', async () => {
    const world = createWorld()
    await world.run('init')
    expect(JSON.parse(world.text('/game/sprites.lock.json'))).toEqual({ [alsoField]: true, animations: {}, version: 1 })
    const before = '{ "version": 1, "animations": {} }'
    const older = createWorld({ files: { '/game/sprites.lock.json': before } })
    expect(await older.run('init', '--json')).toBe(0)
    expect(older.json()).toMatchObject({ files: expect.arrayContaining([{ path: 'sprites.lock.json', done: 'kept' }]) })
    expect(older.text('/game/sprites.lock.json')).toBe(before)
  })

  test('a project with a tsconfig.json gets a config in TypeScript', async () => {
    const world = createWorld({ files: { '/game/tsconfig.json': '{}' } })
    await world.run('init')
    expect(world.text('/game/spritewright.config.ts')).toContain("import { defineConfig } from 'spritewright'")
    expect(world.files.has('/game/spritewright.config.mjs')).toBe(false)
  })

  test.each([
    ['is missing', undefined, 'written'],
    ['is there', '/// <reference types="vite/client" />\r\n', 'extended'],
    ['has the line', '/// <reference types="spritewright/client" />\n', 'kept'],
  ] as const)('a game in TypeScript on Vite gets the types of specs where src/vite-env.d.ts %s', async (_what, before, done) => {
    const world = createWorld({
      files: {
        '/game/tsconfig.json': '{}',
        '/game/vite.config.ts': '',
        ...(before === undefined ? {} : { '/game/src/vite-env.d.ts': before }),
      },
    })
    expect(await world.run('init', '--json')).toBe(0)
    expect(world.json()).toMatchObject({ files: expect.arrayContaining([{ path: 'src/vite-env.d.ts', done }]) })
    const line = '/// <reference types="spritewright/client" />'
    expect(world.text('/game/src/vite-env.d.ts')).toBe(
      done === 'kept' ? before : `${line}${before === undefined ? '\n' : '\r\n'}${before ?? ''}`,
    )
  })

  test('adds the plugin and the option of TypeScript; says so where it cannot', async () => {
    const world = createWorld({
      files: {
        '/game/tsconfig.json': '{ "compilerOptions": { "strict": true } }',
        '/game/vite/config.dev.mjs': "import { defineConfig } from 'vite'\nexport default defineConfig({})\n",
        '/game/vite/config.prod.mjs': 'export default {}\n',
      },
    })
    expect(await world.run('init')).toBe(0)
    expect(world.text('/game/vite/config.dev.mjs')).toContain('defineConfig({ plugins: [spritewright()] })')
    expect(world.text('/game/vite/config.prod.mjs')).toBe('export default {}\n')
    expect(world.err()).toContain('vite/config.prod.mjs has an unknown form. Add the plugin yourself')
    expect(JSON.parse(world.text('/game/tsconfig.json'))).toEqual({ compilerOptions: { strict: true, allowArbitraryExtensions: true } })
  })

  test.each([
    ['in TypeScript', 'vite.config.ts', { '/game/tsconfig.json': '{}' }],
    ['in JavaScript', 'vite.config.mjs', {}],
  ])('a game on Vite without a configuration, %s, gets one with the plugin', async (_what, path, files) => {
    const world = createWorld({ files: { '/game/package.json': '{ "devDependencies": { "vite": "^8.0.0" } }', ...files } })
    expect(await world.run('init', '--json')).toBe(0)
    expect(world.json()).toMatchObject({ files: expect.arrayContaining([{ path, done: 'written' }]) })
    expect(world.text(`/game/${path}`)).toBe(
      "import { defineConfig } from 'vite'\nimport spritewright from 'spritewright/vite'\n\nexport default defineConfig({\n  plugins: [spritewright()],\n})\n",
    )
  })

  test('a game on Vite with a configuration gets no second one', async () => {
    const world = createWorld({
      files: { '/game/package.json': '{ "devDependencies": { "vite": "^8.0.0" } }', '/game/vite.config.cjs': 'module.exports = {}\n' },
    })
    expect(await world.run('init')).toBe(0)
    expect(world.text('/game/vite.config.cjs')).toBe('module.exports = {}\n')
    expect([...world.files.keys()].filter((path) => path.includes('vite.config'))).toEqual(['/game/vite.config.cjs'])
    expect(world.err()).toContain('vite.config.cjs has an unknown form. Add the plugin yourself')
  })

  test('takes its answers from options, without a terminal and with one', async () => {
    for (const canAsk of [false, true]) {
      const world = createWorld({ canAsk })
      expect(await world.run('init', '--embedded', '--engine', 'pixi', '--folder', './art/sprites/')).toBe(0)
      expect(world.questions).toEqual([])
      expect(world.text('/game/spritewright.config.mjs')).toMatch(/^ {2}engine: 'pixi',$/m)
      expect(world.text('/game/spritewright.config.mjs')).toMatch(/^ {2}service: 'embedded',$/m)
      expect(world.files.has('/game/art/sprites/hero.sprite.json')).toBe(true)
    }
  })

  test.each([
    ['another engine', ['--engine', 'unity'], {}, 'Expected --engine to be phaser or pixi, found "unity".'],
    ['a folder outside', ['--folder', '../art'], {}, 'Expected a folder of the project'],
    [
      'a choice that the configuration makes',
      ['--embedded'],
      { '/game/spritewright.config.mjs': '' },
      'Write these options into that file.',
    ],
  ])('writes nothing for an option with %s', async (_what, options, files, words) => {
    const world = createWorld({ files })
    const before = [...world.files.keys()]
    expect(await world.run('init', ...options)).toBe(2)
    expect([...world.files.keys()]).toEqual(before)
    expect(world.err()).toContain(words)
  })

  test('says nothing about a key where a configuration is there', async () => {
    const world = createWorld({ files: { '/game/spritewright.config.mjs': "export default { service: 'embedded' }" } })
    expect(await world.run('init')).toBe(0)
    expect(world.out()).not.toMatch(/key|API_KEY/)
    expect(world.out()).toContain('Next: npx spritewright plan')
  })

  const money = /credit|price|cost|paid|buy|bought|purchase|approve|lock|key\b|service|ledger|\.spritewright\//i

  test.each([
    ['--own', { args: ['--own'] }],
    ['the answer that a person draws', { args: [], canAsk: true, chosen: ['own', 'pixi'], typed: 'sprites' }],
  ])('%s makes a project of own art, and says nothing of money', async (_what, { args, ...said }) => {
    const world = createWorld(said)
    const outsideGame = [...world.files.keys()].filter((file) => !file.startsWith('/game/'))
    expect(await world.run('init', ...args)).toBe(0)
    expect(world.out()).toContain('Next: npx spritewright build, which packs your art.')
    const files = [...world.files.keys()].filter((file) => file.startsWith('/game/'))
    expect(files.sort()).toEqual([
      '/game/package.json',
      '/game/sprites/hero.png',
      '/game/sprites/hero.sprite.json',
      '/game/spritewright.config.mjs',
    ])
    for (const file of files.slice(2)) expect(world.text(file)).not.toMatch(money)
    expect(`${world.out()}${world.err()}`).not.toMatch(money)
    expect([...world.files.keys()].filter((file) => !file.startsWith('/game/'))).toEqual(outsideGame)
  })

  test('the first project of own art is built without a word about money, a lock file or a store', async () => {
    const root = await mkdtemp(join(tmpdir(), 'spritewright-own-'))
    try {
      const project = { root, write: async () => {}, remove: async () => {} }
      const run = (...argv: string[]): Promise<CliRun> => startHere(project, argv, {}).ended
      await writeFile(join(root, 'package.json'), '{}')
      expect(await run('init', '--own')).toMatchObject({ code: 0 })
      // It imports the package, which is not installed here.
      await rm(join(root, 'spritewright.config.mjs'))
      const { code, stdout, stderr } = await run('build', '--out', 'out')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).not.toMatch(money)
      const made = (await readdir(root, { recursive: true }))
        .map((file) => file.replaceAll('\\', '/'))
        .filter((file) => !/^(?:out|node_modules|sprites)$|^node_modules/.test(file))
      expect(made.filter((file) => !file.startsWith('out')).sort()).toEqual([
        'package.json',
        'sprites/hero.png',
        'sprites/hero.sprite.json',
      ])
      expect(made).toContain('out/sprites-0.png')
    } finally {
      await rm(root, { recursive: true })
    }
  })

  test('own art and the embedded service are refused together', async () => {
    const world = createWorld()
    expect(await world.run('init', '--own', '--embedded')).toBe(2)
    expect(world.err()).toContain('Expected --embedded or --own, found both. Nothing was written.')
  })

  test('asks at a terminal who draws, for the engine, and for the folder', async () => {
    const world = createWorld({ canAsk: true, chosen: ['embedded', 'pixi'], typed: './art/sprites/' })
    expect(await world.run('init')).toBe(0)
    expect(world.questions).toEqual([
      'Who draws the sprites? This machine / A service / I do',
      'Which engine draws the game? Phaser / PixiJS / Both, or another',
      'In which folder does the first sprite go?',
    ])
    expect(world.text('/game/spritewright.config.mjs')).toMatch(/^ {2}engine: 'pixi',$/m)
    expect(world.text('/game/spritewright.config.mjs')).toMatch(/^ {2}service: 'embedded',$/m)
    expect([...world.files.keys()]).toEqual(expect.arrayContaining(['/game/art/sprites/hero.sprite.json', '/game/art/sprites/hero.png']))
    await world.run('init')
    expect(world.questions).toHaveLength(3)
  })

  test('asks for no engine that the dependencies tell, and offers a service first to who has a key', async () => {
    const world = createWorld({
      canAsk: true,
      chosen: ['service'],
      env: { SPRITEWRIGHT_API_KEY: 'a-key' },
      files: { '/game/package.json': '{ "dependencies": { "phaser": "^4.0.0" } }' },
    })
    expect(await world.run('init')).toBe(0)
    expect(world.questions).toEqual(['Who draws the sprites? A service / This machine / I do', 'In which folder does the first sprite go?'])
    expect(world.text('/game/spritewright.config.mjs')).toMatch(/^ {2}\/\/ service: 'embedded',$/m)
    expect(world.text('/game/spritewright.config.mjs')).not.toContain('engine')
    expect(world.files.has('/game/sprites/hero.png')).toBe(true)
  })

  test('asks for the engine where the dependencies name both', async () => {
    const files = { '/game/package.json': '{ "dependencies": { "phaser": "^4.0.0", "pixi.js": "^8.0.0" } }' }
    const world = createWorld({ canAsk: true, chosen: ['embedded', 'pixi'], files })
    expect(await world.run('init')).toBe(0)
    expect(world.questions[1]).toBe('Which engine draws the game? Phaser / PixiJS / Both, or another')
    expect(world.text('/game/spritewright.config.mjs')).toMatch(/^ {2}engine: 'pixi',$/m)
  })

  test.each([
    ['Ctrl-C at the first question', { chosen: [undefined] }, 130],
    ['Ctrl-C at the second', { chosen: ['embedded', undefined] }, 130],
    ['a folder outside the project', { chosen: ['embedded', 'other'], typed: '../art' }, 2],
    ['an absolute folder', { chosen: ['embedded', 'other'], typed: '/art' }, 2],
  ])('writes nothing after %s', async (_what, said, code) => {
    const world = createWorld({ canAsk: true, ...said })
    const before = [...world.files.keys()]
    expect(await world.run('init')).toBe(code)
    expect([...world.files.keys()]).toEqual(before)
    expect(world.err()).toContain('Nothing was written.')
  })

  test('a game whose configuration of Vite has another place gets the types too', async () => {
    const world = createWorld({
      files: { '/game/tsconfig.json': '{}', '/game/src/vite-env.d.ts': '/// <reference types="vite/client" />\n' },
    })
    await world.run('init')
    expect(world.text('/game/src/vite-env.d.ts')).toMatch(/^\/\/\/ <reference types="spritewright\/client" \/>\n/)
  })

  test.each([
    ['in the project', '/game', '../node_modules/spritewright/schemas/sprite.schema.json'],
    ['above it, as in a monorepo', '', '../../node_modules/spritewright/schemas/sprite.schema.json'],
  ])('the first spec names the schema of a package that is installed %s', async (_, folder, path) => {
    const world = createWorld({ files: { [`${folder}/node_modules/spritewright/schemas/sprite.schema.json`]: '{}' } })
    await world.run('init')
    expect(JSON.parse(world.text('/game/sprites/hero.sprite.json').replace(/\/\/.*$/gm, ''))).toMatchObject({ $schema: path })
  })

  test('a second run changes no byte', async () => {
    const world = createWorld()
    await world.run('init')
    const before = new Map([...world.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]))
    expect(await world.run('init')).toBe(0)
    expect(new Map([...world.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]))).toEqual(before)
  })

  test('a project of an earlier version gets the line that it lacks, and no other one', async () => {
    const world = createWorld()
    await world.run('init')
    const whole = world.text('/game/.gitignore')
    world.files.set('/game/.gitignore', new TextEncoder().encode(whole.replace('.spritewright/checkout.json', '.spritewright/buyer')))
    expect(await world.run('init')).toBe(0)
    expect(world.text('/game/.gitignore')).toBe(`${whole.replace('checkout.json', 'buyer')}\n# spritewright\n.spritewright/checkout.json\n`)
  })

  test.each(windowsTexts('dist\n.env\nlast line'))(
    'an ignore file as Windows writes it is extended in UTF-8, which git reads: %s',
    async (_form, bytes) => {
      const world = createWorld({ files: { '/game/spritewright.config.json': '{}' } })
      world.files.set('/game/.gitignore', bytes)
      expect(await world.run('init', '--json')).toBe(0)
      expect(world.text('/game/.gitignore').split('\r\n').slice(0, 5)).toEqual(['dist', '.env', 'last line', '', '# spritewright'])
      expect(world.text('/game/.gitignore')).toMatch(/^[\r\n\x20-\x7e]*$/)
    },
  )

  test('nothing that is there is overwritten; ignore files are extended in their own line ending', async () => {
    const files = {
      '/game/spritewright.config.json': '{}',
      '/game/.gitignore': 'dist\r\n.env\r\nlast line',
      '/game/sprites/hero.sprite.yaml': 'mine',
    }
    const world = createWorld({ files })
    expect(await world.run('init', '--json')).toBe(0)
    expect(world.text('/game/spritewright.config.json')).toBe('{}')
    expect(world.text('/game/sprites/hero.sprite.yaml')).toBe('mine')
    expect(world.files.has('/game/sprites/hero.png')).toBe(false)
    const lines = world.text('/game/.gitignore').split('\r\n')
    expect(lines.slice(0, 5)).toEqual(['dist', '.env', 'last line', '', '# spritewright'])
    expect(lines.filter((line) => line === '.env')).toHaveLength(1)
    expect(world.text('/game/.gitignore').replaceAll('\r\n', '')).not.toContain('\n')
    expect(world.json()).toMatchObject({
      files: [
        { path: 'spritewright.config.json', done: 'kept' },
        { path: '.gitignore', done: 'extended' },
        { path: '.gitattributes', done: 'written' },
        { path: 'sprites.lock.json', done: 'written' },
        { path: 'sprites/hero.sprite.yaml', done: 'kept' },
      ],
    })
  })

  test('a project that has specs gets no first one, and is told how to use the one that it has', async () => {
    const world = createWorld({ files: { '/game/art/game-screen.sprite.yaml': 'source: ./ui/\n', '/game/package.json': '{}' } })
    expect(await world.run('init', '--own')).toBe(0)
    expect([...world.files.keys()].filter((file) => file.includes('hero'))).toEqual([])
    expect(world.out()).toContain('art/game-screen.sprite.yaml  existed already, unchanged')
    expect(world.out()).toContain("import game_screen from './art/game-screen.sprite.yaml', and await loadSprites([game_screen])")
  })

  test.each([
    ['art/goblin.aseprite', "import goblin from './art/goblin.aseprite'"],
    ['art/ui.sprites/sword.png', "import ui from './art/ui.sprites'"],
  ])('own art that needs no spec counts as one: %s', async (file, hint) => {
    const world = createWorld({ files: { [`/game/${file}`]: 'pixels', '/game/package.json': '{}' } })
    expect(await world.run('init', '--own')).toBe(0)
    expect([...world.files.keys()].filter((name) => name.includes('hero'))).toEqual([])
    expect(world.out()).toContain(hint)
  })

  test('where all art is drawn already, nothing of money is written or said', async () => {
    const workshop = { status: async () => ({ items: [], own: [{ name: 'ui' }] }) }
    const files = { '/game/art/ui.sprite.json': '{ "source": "./ui/" }', '/game/package.json': '{}' }
    const world = createWorld({ files, workshop: workshop as never })
    expect(await world.run('init')).toBe(0)
    expect(world.files.has('/game/.gitignore')).toBe(false)
    expect(world.out()).not.toMatch(/cost|lock|key/)
  })

  test('the first spec is one that the parser takes, with the picture beside it', () => {
    const spec = parseSpec(firstSpecText('../node_modules/spritewright/schemas/sprite.schema.json'), '/game/sprites/hero.sprite.json')
    expect(spec.name).toBe('hero')
    expect(spec.reference).toEqual({ kind: 'file', path: './hero.png' })
    expect(spec.animations.map((animation) => animation.name)).toEqual(['idle', 'walk'])
  })

  test('the first picture is a PNG on a clear ground, under three kilobytes, with the feet at the anchor of its spec, and drawn as pixel art', () => {
    const bytes = drawFirstPicture()
    const picture = decodePng(bytes)
    expect(bytes.length).toBeLessThan(3000)
    expect([picture.width, picture.height]).toEqual([224, 264])
    expect(picture.data[3]).toBe(0)
    const opaque = picture.data.filter((_, index) => index % 4 === 3).filter((alpha) => alpha === 255).length
    expect(opaque / (224 * 264)).toBeGreaterThan(0.2)
    const { anchor, pixelArt } = parseSpec(firstSpecText(undefined), '/game/sprites/hero.sprite.json')
    expect({ anchor, pixelArt }).toEqual({ anchor: { x: 0.5, y: 1 }, pixelArt: true })
    expect(picture.data.subarray(-4 * 224).some((value) => value > 0)).toBe(true)
  })
})
