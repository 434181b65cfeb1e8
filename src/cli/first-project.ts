import type { FirstAnswers } from './first-answers.ts'

/** Ignore lines for secrets and for files of one machine. */
export const ignoreLines: readonly string[] = [
  '.spritewright/submissions/',
  '.spritewright/contract/',
  '.spritewright/quarantine/',
  '.spritewright/ledger.jsonl',
  '.spritewright/uploads/',
  '.spritewright/checkout.json',
  '.spritewright/embedded/',
  '.spritewright/orders/',
  '.env',
  '.env.local',
]

/**
 * Paid results are binary: if git changed a line ending in a result, its hash would be wrong. The files of the lock
 * file have a merge driver; a clone without this driver merges them as text.
 */
export const attributeLines: readonly string[] = [
  '.spritewright/results/** binary',
  'sprites.lock.json merge=spritewright',
  'sprites.lock/*.json merge=spritewright',
]

/** The config. TypeScript and JavaScript have the same text. */
export function configText({ drawer, engine }: Pick<FirstAnswers, 'drawer' | 'engine'>): string {
  const plain = drawer === 'own' ? ownConfig : plainConfig
  const text = engine === undefined ? plain : plain.replace('({\n', `({\n  engine: '${engine}',\n\n`)
  return drawer === 'embedded' ? text.replace("// service: 'embedded'", "service: 'embedded'") : text
}

const plainConfig = `import { defineConfig } from 'spritewright'

// Every option has a default; the key never belongs in here but in .env.local.
export default defineConfig({
  // Try everything free of charge, without a key: demo art from a service on this machine.
  // service: 'embedded',

  // Credits that one sprite, and all of them, may cost without an approval for each.
  // Accept that first: npx spritewright approve --standing
  // approval: { perSprite: '3', total: '20' },
})
`

const ownConfig = `import { defineConfig } from 'spritewright'

// Every option has a default.
export default defineConfig({
  // An Aseprite file and a folder NAME.sprites are sprites by themselves.
  specs: ['**/*.sprite.{json,yaml,yml}', '**/*.sprites/**', '**/*.aseprite'],
})
`

/** The configuration of Vite for a game that has none. */
export const viteConfigText: string = `import { defineConfig } from 'vite'
import spritewright from 'spritewright/vite'

export default defineConfig({
  plugins: [spritewright()],
})
`

/** Name of the first spec in its folder. */
export const firstSpecName: string = 'hero.sprite.json'
/** Name of the reference picture of the first spec. */
export const firstPictureName: string = 'hero.png'

/**
 * The first spec. Its comments show which fields cost credits, if any do.
 *
 * @param schema Path of the JSON Schema from the spec; `undefined` if the package is not installed.
 * @param isOwn Whether people draw.
 * @default false
 */
export function firstSpecText(schema: string | undefined, isOwn = false): string {
  const text = isOwn ? ownSpecText : specText
  return schema === undefined ? text : text.replace('{\n', `{\n  "$schema": ${JSON.stringify(schema)},\n`)
}

const specText = `{
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
`

const ownSpecText = `{
  // Your art: a picture, an Aseprite file, a folder of pictures, or a sheet with its JSON.
  "source": "./hero.png",

  "pixelArt": true,
  "anchor": [0.5, 1]
}
`

/** The file with references to types in games on Vite, relative to the root. */
export const viteTypesPath: string = 'src/vite-env.d.ts'

/**
 * Types imports of specs. This reference adds to the types that TypeScript finds by itself; the option `types` of a
 * tsconfig.json would replace them.
 */
export const typesLine: string = '/// <reference types="spritewright/client" />'
