import { expect, test } from 'vitest'
import { createArgs } from '../../src/cli/arguments.ts'
import type { ProgramParts } from '../../src/cli/context.ts'
import { askFirst } from '../../src/cli/first-answers.ts'
import { configText, firstSpecText, viteConfigText } from '../../src/cli/first-project.ts'
import { createWorld, runColored } from './world.ts'

const projects: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
  ['a service draws', [], {}],
  ['this machine draws', ['--embedded', '--engine', 'phaser', '--folder', 'art'], {}],
  ['a person draws', ['--own'], {}],
  ['there is a configuration, and a spec', [], { '/game/spritewright.config.json': '{}', '/game/a-b.sprite.json': '{}' }],
  [
    'the configuration of Vite has another form',
    [],
    { '/game/vite.config.js': 'export default {}', '/game/package.json': '{ "dependencies": { "phaser": "4", "vite": "8" } }' },
  ],
]

test('init says all that it did, and what comes next', async () => {
  const said: string[] = []
  for (const [what, options, files] of projects) {
    const { text, err } = await runColored({ files }, 'init', ...options)
    said.push(`\n--- ${what}${text}${err}`)
  }
  expect(said.join('')).toMatchInlineSnapshot(`
    "
    --- a service draws
      green{✓} spritewright.config.mjs
      green{✓} .gitignore
      green{✓} .gitattributes
      green{✓} sprites.lock.json
      green{✓} sprites/hero.sprite.json
      green{✓} sprites/hero.png

    Commit sprites.lock* and .spritewright/results: then no paid result has to be bought again.
    No key yet? Set bold{service: 'embedded'} in the config: everything works, free of charge.
    With one: put SPRITEWRIGHT_BASE_URL and SPRITEWRIGHT_API_KEY into .env.local.
    Next: bold{npx spritewright plan}, which shows the price of the first sprite and spends nothing.
    In the game: bold{import hero from './sprites/hero.sprite.json'}, and await loadSprites([hero]) of spritewright/pixi. The README shows it whole.

    --- this machine draws
      green{✓} spritewright.config.mjs
      green{✓} .gitignore
      green{✓} .gitattributes
      green{✓} sprites.lock.json
      green{✓} art/hero.sprite.json
      green{✓} art/hero.png

    Commit sprites.lock* and .spritewright/results: then no paid result has to be bought again.
    Later, with a key: remove service: 'embedded' from the config, and put SPRITEWRIGHT_BASE_URL and SPRITEWRIGHT_API_KEY into .env.local.
    Next: bold{npx spritewright plan}, which shows the price of the first sprite and spends nothing.
    In the game: bold{import hero from './art/hero.sprite.json'}, and preloadSprites(this, [hero]) of spritewright/phaser. The README shows it whole.

    --- a person draws
      green{✓} spritewright.config.mjs
      green{✓} sprites/hero.sprite.json
      green{✓} sprites/hero.png

    Next: bold{npx spritewright build}, which packs your art.
    In the game: bold{import hero from './sprites/hero.sprite.json'}, and await loadSprites([hero]) of spritewright/pixi. The README shows it whole.

    --- there is a configuration, and a spec
      dim{·} dim{spritewright.config.json  existed already, unchanged}
      green{✓} .gitignore
      green{✓} .gitattributes
      green{✓} sprites.lock.json
      dim{·} dim{a-b.sprite.json  existed already, unchanged}

    Commit sprites.lock* and .spritewright/results: then no paid result has to be bought again.
    Next: bold{npx spritewright plan}, which shows the price of the first sprite and spends nothing.
    In the game: bold{import a_b from './a-b.sprite.json'}, and await loadSprites([a_b]) of spritewright/pixi. The README shows it whole.

    --- the configuration of Vite has another form
      green{✓} spritewright.config.mjs
      green{✓} .gitignore
      green{✓} .gitattributes
      green{✓} sprites.lock.json
      dim{·} dim{vite.config.js  existed already, unchanged}
      green{✓} sprites/hero.sprite.json
      green{✓} sprites/hero.png

    Commit sprites.lock* and .spritewright/results: then no paid result has to be bought again.
    No key yet? Set bold{service: 'embedded'} in the config: everything works, free of charge.
    With one: put SPRITEWRIGHT_BASE_URL and SPRITEWRIGHT_API_KEY into .env.local.
    Next: bold{npx spritewright plan}, which shows the price of the first sprite and spends nothing.
    In the game: bold{import hero from './sprites/hero.sprite.json'}, and preloadSprites(this, [hero]) of spritewright/phaser. The README shows it whole.
    yellow{warning} vite.config.js has an unknown form. Add the plugin yourself: import spritewright from 'spritewright/vite', and spritewright() in "plugins".
    "
  `)
})

test('the first files have their comments', () => {
  expect(
    `\n${configText({ drawer: 'service', engine: 'pixi' })}\n${configText({ drawer: 'own' })}\n${viteConfigText}`,
  ).toMatchInlineSnapshot(`
    "
    import { defineConfig } from 'spritewright'

    // Every option has a default; the key never belongs in here but in .env.local.
    export default defineConfig({
      engine: 'pixi',

      // Try everything free of charge, without a key: demo art from a service on this machine.
      // service: 'embedded',

      // Credits that one sprite, and all of them, may cost without an approval for each.
      // Accept that first: npx spritewright approve --standing
      // approval: { perSprite: '3', total: '20' },
    })

    import { defineConfig } from 'spritewright'

    // Every option has a default.
    export default defineConfig({
      // An Aseprite file and a folder NAME.sprites are sprites by themselves.
      specs: ['**/*.sprite.{json,yaml,yml}', '**/*.sprites/**', '**/*.aseprite'],
    })

    import { defineConfig } from 'vite'
    import spritewright from 'spritewright/vite'

    export default defineConfig({
      plugins: [spritewright()],
    })
    "
  `)
  expect(`\n${firstSpecText('../x.json')}\n${firstSpecText(undefined, true)}`).toMatchInlineSnapshot(`
    "
    {
      "$schema": "../x.json",
      // PAID: a change here is a new purchase, which "spritewright plan" prices first.
      "reference": "./hero.png",
      "prompt": "a small knight with a red plume and a sword, side view, facing right",
      "animations": {
        "idle": { "prompt": "stands and breathes calmly", "frames": 8, "fps": 8 },
        "walk": { "prompt": "walks to the right, one full cycle", "frames": 12, "fps": 12 }
      },

      // FREE: size, pixelArt, anchor, fps, packing. Change them at will.
      // "mirror": { "walk-left": "walk" }, // the other direction costs nothing
      "size": { "figure": 128 },
      "pixelArt": true,
      "anchor": [0.5, 1]
    }

    {
      // Your art: a picture, an Aseprite file, a folder of pictures, or a sheet with its JSON.
      "source": "./hero.png",

      "pixelArt": true,
      "anchor": [0.5, 1]
    }
    "
  `)
})

test('a person is asked with these words and hints', async () => {
  const asked: unknown[] = []
  const parts = {
    host: { terminal: { canAsk: true }, env: {}, disk: { stat: async () => undefined } },
    choose: async (question: string, choices: readonly { value: string }[]) => {
      asked.push([question, choices])
      return choices[0]?.value
    },
    askText: async (question: string, preset: string) => {
      asked.push([question, preset])
      return preset
    },
  } as unknown as ProgramParts
  await askFirst(parts, '/game', ['phaser', 'pixi.js'], createArgs([], {}), async () => false)
  expect(asked).toMatchInlineSnapshot(`
    [
      [
        "Who draws the sprites?",
        [
          {
            "hint": "demo art for play money, without an account",
            "label": "This machine",
            "value": "embedded",
          },
          {
            "hint": "its address and your key go into .env.local",
            "label": "A service",
            "value": "service",
          },
          {
            "hint": "Aseprite files and pictures; nothing is bought",
            "label": "I do",
            "value": "own",
          },
        ],
      ],
      [
        "Which engine draws the game?",
        [
          {
            "label": "Phaser",
            "value": "phaser",
          },
          {
            "label": "PixiJS",
            "value": "pixi",
          },
          {
            "hint": "builds write both formats",
            "label": "Both, or another",
            "value": "other",
          },
        ],
      ],
      [
        "In which folder does the first sprite go?",
        "sprites",
      ],
    ]
  `)
})

test.each<[string, readonly string[], Readonly<Record<string, string>>, object]>([
  [
    'an engine that does not exist',
    ['--engine', 'unity'],
    {},
    {
      message: 'Expected --engine to be phaser or pixi, found "unity". Nothing was written.',
      facts: { option: '--engine', found: 'unity' },
    },
  ],
  ['two who draw', ['--embedded', '--own'], {}, { message: 'Expected --embedded or --own, found both. Nothing was written.', facts: {} }],
  [
    'a folder outside',
    ['--folder', '../x'],
    {},
    { message: 'Expected a folder of the project, such as sprites or art/sprites, found "../x". Nothing was written.', facts: {} },
  ],
  ...['--embedded', '--engine=pixi'].map((option): [string, readonly string[], Readonly<Record<string, string>>, object] => [
    `${option} beside a configuration`,
    [option],
    { '/game/spritewright.config.mjs': '', '/game/spritewright.config.json': '' },
    {
      message:
        'Expected no --embedded, no --own and no --engine, because init does not overwrite spritewright.config.mjs. Write these options into that file.',
      facts: { file: 'spritewright.config.mjs' },
    },
  ]),
])('init refuses %s, and writes nothing', async (_what, options, files, error) => {
  const world = createWorld({ files })
  const before = [...world.files.keys()]
  expect(await world.run('init', '--json', ...options)).toBe(2)
  expect([world.json(), [...world.files.keys()]]).toEqual([{ error: { code: 'SW_USAGE', ...error } }, before])
})
