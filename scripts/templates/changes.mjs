// What a person changes in each template after `init`, by the README. `knight` on the page is for the checks only.

const embedded = [["// service: 'embedded'", "service: 'embedded'"]]
const embeddedPrettier = [["// service: 'embedded'", 'service: "embedded"']]

const preloader = [
  [
    "import { Scene } from 'phaser';",
    "import { Scene } from 'phaser';\nimport { preloadSprites } from 'spritewright/phaser';\nimport hero from '../../../sprites/hero.sprite.json';",
  ],
  ["this.load.image('logo', 'logo.png');", "this.load.image('logo', 'logo.png');\n        preloadSprites(this, [hero]);"],
]
const figure = `
        const { hero: knight } = createSprites(this, [hero], { x: 200, y: 200 });
        knight?.setDepth(200).play('hero/walk');
        Object.assign(globalThis, { knight });
`
const phaserImports = "import { createSprites } from 'spritewright/phaser';\nimport hero from '../../../sprites/hero.sprite.json';"
const phaserPictures = {
  'public/favicon.png': { width: 16, height: 16 },
  'public/assets/bg.png': { width: 1024, height: 768 },
  'public/assets/logo.png': { width: 300, height: 150 },
}

/**
 * `engines`: engine and Vite, together the lowest and the newest of each major version that package.json
 * promises. The templates of Phaser name their chunks as Vite 8 does not take them. `checks`: npm's arguments
 * before Vite has run. `build`: how the template builds. `changes`: texts to replace, by file.
 */
export const templates = [
  {
    name: 'phaser-ts',
    engines: ['phaser@3.90.0 vite@6.4.0', 'phaser@4.0.0 vite@7.0.0'],
    dev: 'dev-nolog',
    checks: [['exec', '--', 'tsc', '--noEmit']],
    build: [['run', 'build-nolog']],
    pictures: phaserPictures,
    changes: {
      'spritewright.config.ts': embedded,
      'src/game/scenes/Preloader.ts': preloader,
      'src/game/scenes/MainMenu.ts': [
        ["import { Scene, GameObjects } from 'phaser';", `import { Scene, GameObjects } from 'phaser';\n${phaserImports}`],
        ["        this.input.once('pointerdown'", `${figure}\n        this.input.once('pointerdown'`],
      ],
    },
  },
  {
    name: 'phaser-react-ts',
    engines: ['phaser@3.90.0 vite@6', 'phaser@4 vite@7'],
    dev: 'dev-nolog',
    checks: [['exec', '--', 'tsc', '--noEmit']],
    build: [['run', 'build-nolog']],
    pictures: { ...phaserPictures, 'public/assets/star.png': { width: 64, height: 64 } },
    changes: {
      'spritewright.config.ts': embedded,
      'src/game/scenes/Preloader.ts': preloader,
      'src/game/scenes/MainMenu.ts': [
        ["import { GameObjects, Scene } from 'phaser';", `import { GameObjects, Scene } from 'phaser';\n${phaserImports}`],
        ["        EventBus.emit('current-scene-ready', this);", `${figure}\n        EventBus.emit('current-scene-ready', this);`],
      ],
    },
  },
  {
    name: 'pixi-vite',
    engines: ['pixi.js@8.0.0 vite@8.0.0', 'pixi.js@8 vite@8'],
    // PixiJS before 8.8 cannot swap in place.
    reloads: ['pixi.js@8.0.0 vite@8.0.0'],
    dev: 'dev',
    checks: [
      ['run', 'lint', '--', '--max-warnings', '0'],
      ['exec', '--', 'tsc'],
    ],
    build: [['run', 'build']],
    pictures: { 'public/favicon.png': { width: 16, height: 16 }, 'public/assets/bunny.png': { width: 26, height: 37 } },
    changes: {
      'spritewright.config.ts': embeddedPrettier,
      'src/main.ts': [
        [
          'import { Application, Assets, Sprite } from "pixi.js";',
          'import { Application, Assets, Sprite } from "pixi.js";\nimport { loadSprites } from "spritewright/pixi";\nimport hero from "../sprites/hero.sprite.json";',
        ],
        [
          '  // Listen for animate update',
          '  const [sprites] = await loadSprites([hero]);\n  const knight = sprites.create("walk");\n  knight.position.set(200, 200);\n  app.stage.addChild(knight);\n  Object.assign(globalThis, { knight });\n\n  // Listen for animate update',
        ],
      ],
    },
  },
]
