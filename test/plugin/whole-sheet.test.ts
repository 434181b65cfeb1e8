import { expect, test } from 'vitest'
import { findSprite, moduleCode, sourcesOf, toBundling } from '../../plugin/build/bundling.ts'
import { toSheetData, withoutAlternates } from '../../plugin/module.ts'
import { readSheet, spritesByName } from '../../plugin/runtime/shared/sheet.ts'
import type { BuiltAtlas, BuiltSheets, BuiltSprite } from '../../src/index.ts'

const pageOf = (letter: string, extension = 'png') => ({
  ...{ sha256: letter.repeat(64), bytes: new TextEncoder().encode(letter), contentType: `image/${extension}`, extension },
  ...{ width: 64, height: 32 },
})
const place = { page: 0, x: 2, y: 3, width: 4, height: 5, offsetX: 1, offsetY: 2, sourceWidth: 8, sourceHeight: 9 }
const frames = [
  { ...place, name: 'hero/walk/0000', anchor: { x: 0.25, y: 1 }, isTurned: true },
  {
    ...{ ...place, x: 10, name: 'hero/walk/0002', anchor: { x: 0.25, y: 1 }, boxes: { body: [[1, 2, 3.25, 4]] } },
    hull: [
      { x: 1, y: 2 },
      { x: 5, y: 7 },
    ],
  },
  { ...place, x: 20, name: 'hero/idle/0011', anchor: { x: 0.25, y: 1 } },
  { ...place, page: 1, name: 'ui/sword', isStill: true, borders: { left: 1, top: 2, right: 3, bottom: 4 } },
  { ...place, page: 1, x: 30, name: 'badge', isStill: true },
]
const at = (name: string, durationMs: number) => ({ name, durationMs })
const animations = [
  {
    ...{ name: 'hero/walk', sprite: 'hero', fps: 10, loop: true, yoyo: true },
    frames: [at('hero/walk/0002', 50), at('hero/walk/0000', 100)],
  },
  { name: 'hero/idle', sprite: 'hero', fps: 8, loop: false, yoyo: false, frames: [at('hero/idle/0011', 125)] },
]

/** An atlas with each part that one may have. */
const atlas = {
  ...{ name: 'sprites', scale: 2, pixelArt: true, frames, animations, mirrors: { 'hero/left': 'hero/walk' } },
  pages: [pageOf('a'), pageOf('b')],
  alternates: [[pageOf('c', 'webp'), pageOf('d', 'webp')]],
  layers: [
    { kind: 'normals', name: 'normals', sprites: ['hero'], of: [0], pages: [pageOf('e')] },
    { kind: 'variant', name: 'red', sprites: ['hero'], of: [0], pages: [pageOf('f')], alternates: [[pageOf('0', 'webp')]] },
  ],
} as unknown as BuiltAtlas
const size = { atlas: 'sprites', width: 8, height: 9, pixelArt: true, isPlaceholder: false }
const hero: BuiltSprite = {
  ...{ name: 'hero', file: '/game/art/hero.sprite.json', ...size, anchor: { x: 0.25, y: 1 }, animations: ['walk', 'left', 'idle'] },
} as BuiltSprite
const ui = {
  name: 'ui',
  file: '/game/ui.sprite.yaml',
  ...size,
  isPlaceholder: true,
  animations: [],
  pictures: ['sword'],
} as unknown as BuiltSprite
const badge = { name: 'badge', file: '/game/badge.sprite.json', ...size, animations: [], pictures: ['badge'] } as unknown as BuiltSprite
const sprites = [hero, ui, badge]

const urlOf = ({ sha256, extension }: { sha256: string; extension: string }, { name }: BuiltAtlas, index: number): string =>
  `${name} ${index}: ${sha256.charAt(0)}.${extension}`

/** A value in lines of text, each with the path of its part. */
function linesOf(value: unknown, path = ''): string[] {
  const text = JSON.stringify(value)
  if (text.length < 300 || typeof value !== 'object' || value === null) return [`${path}: ${text}`]
  return Object.entries(value).flatMap(([key, part]) => linesOf(part, `${path} ${key}`))
}

test('a sheet has all that an atlas has, and a page reads all of it', () => {
  const sheet = toSheetData([atlas], sprites, urlOf)
  expect(linesOf(sheet).join('\n')).toMatchInlineSnapshot(`
    " columns: "page x y width height offsetX offsetY sourceWidth sourceHeight anchorX anchorY"
     sprites 0: {"name":"hero","texture":"sprites","width":8,"height":9,"anchor":{"x":0.25,"y":1},"pixelArt":true,"isPlaceholder":false,"animations":["walk","left","idle"]}
     sprites 1: {"name":"ui","texture":"sprites","width":8,"height":9,"pixelArt":true,"isPlaceholder":true,"animations":[],"pictures":["sword"]}
     sprites 2: {"name":"badge","texture":"sprites","width":8,"height":9,"pixelArt":true,"isPlaceholder":false,"animations":[],"pictures":["badge"]}
     atlases 0 key: "sprites"
     atlases 0 scale: 2
     atlases 0 pixelArt: true
     atlases 0 version: "aaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbb"
     atlases 0 turned: ["hero/walk/0000"]
     atlases 0 borders: {"ui/sword":[1,2,3,4]}
     atlases 0 outlines: {"hero/walk/0002":[[1,2],[5,7]]}
     atlases 0 boxes: {"hero/walk/0002":{"body":[[1,2,3.25,4]]}}
     atlases 0 pages: [{"url":"sprites 0: a.png","normals":"sprites.normals 0: e.png","width":64,"height":32,"format":"png","also":[{"url":"sprites 0: c.webp","format":"webp"}]},{"url":"sprites 1: b.png","width":64,"height":32,"format":"png","also":[{"url":"sprites 1: d.webp","format":"webp"}]}]
     atlases 0 mirrors: {"hero/left":"hero/walk"}
     atlases 0 animations: {"hero/walk":{"fps":10,"loop":true,"yoyo":true,"play":[2,0],"durations":[50,100],"numbers":[0,2],"rows":[[0,2,3,4,5,1,2,8,9,0.25,1],[0,10,3,4,5,1,2,8,9,0.25,1]]},"hero/idle":{"fps":8,"loop":false,"yoyo":false,"play":[11],"numbers":[11],"rows":[[0,20,3,4,5,1,2,8,9,0.25,1]]}}
     atlases 0 pictures: {"ui/sword":[1,2,3,4,5,1,2,8,9],"badge":[1,30,3,4,5,1,2,8,9]}
     variants red columns: "page x y width height offsetX offsetY sourceWidth sourceHeight anchorX anchorY"
     variants red sprites: [{"name":"hero.red","texture":"sprites.red","width":8,"height":9,"anchor":{"x":0.25,"y":1},"pixelArt":true,"isPlaceholder":false,"animations":["walk","left","idle"]}]
     variants red atlases 0 key: "sprites.red"
     variants red atlases 0 scale: 2
     variants red atlases 0 pixelArt: true
     variants red atlases 0 version: "ffffffffffffffff"
     variants red atlases 0 turned: ["hero.red/walk/0000"]
     variants red atlases 0 outlines: {"hero.red/walk/0002":[[1,2],[5,7]]}
     variants red atlases 0 boxes: {"hero.red/walk/0002":{"body":[[1,2,3.25,4]]}}
     variants red atlases 0 pages: [{"url":"sprites.red 0: f.png","normals":"sprites.red.normals 0: e.png","width":64,"height":32,"format":"png","also":[{"url":"sprites.red 0: 0.webp","format":"webp"}]}]
     variants red atlases 0 mirrors: {"hero.red/left":"hero.red/walk"}
     variants red atlases 0 animations: {"hero.red/walk":{"fps":10,"loop":true,"yoyo":true,"play":[2,0],"durations":[50,100],"numbers":[0,2],"rows":[[0,2,3,4,5,1,2,8,9,0.25,1],[0,10,3,4,5,1,2,8,9,0.25,1]]},"hero.red/idle":{"fps":8,"loop":false,"yoyo":false,"play":[11],"numbers":[11],"rows":[[0,20,3,4,5,1,2,8,9,0.25,1]]}}"
  `)
  const [first, ...others] = readSheet(sheet)
  expect(linesOf(first).join('\n')).toMatchInlineSnapshot(`
    " name: "hero"
     texture: "sprites"
     width: 8
     height: 9
     anchor: {"x":0.25,"y":1}
     pixelArt: true
     isPlaceholder: false
     animations walk: {"name":"hero/walk","frames":["hero/walk/0002","hero/walk/0000"],"durations":[50,100],"fps":10,"loop":true,"yoyo":true}
     animations left: {"name":"hero/left","frames":["hero/left/0002","hero/left/0000"],"durations":[50,100],"fps":10,"loop":true,"yoyo":true}
     animations idle: {"name":"hero/idle","frames":["hero/idle/0011"],"durations":[125],"fps":8,"loop":false,"yoyo":false}
     order: ["walk","left","idle"]
     pictures: {}
     frames: ["hero/idle/0011","hero/left/0000","hero/left/0002","hero/walk/0000","hero/walk/0002"]
     atlases 0 key: "sprites"
     atlases 0 scale: 2
     atlases 0 pixelArt: true
     atlases 0 version: "aaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbb"
     atlases 0 turned: ["hero/walk/0000","hero/left/0000"]
     atlases 0 borders: {"ui/sword":[1,2,3,4]}
     atlases 0 outlines: {"hero/walk/0002":[[1,2],[5,7]],"hero/left/0002":[[3,7],[7,2]]}
     atlases 0 boxes: {"hero/walk/0002":{"body":[[1,2,3.25,4]]},"hero/left/0002":{"body":[[3.75,2,3.25,4]]}}
     atlases 0 pages: [{"url":"sprites 0: a.png","normals":"sprites.normals 0: e.png","width":64,"height":32,"format":"png","also":[{"url":"sprites 0: c.webp","format":"webp"}]},{"url":"sprites 1: b.png","width":64,"height":32,"format":"png","also":[{"url":"sprites 1: d.webp","format":"webp"}]}]
     atlases 0 mirrored: ["hero/left/0000","hero/left/0002"]
     atlases 0 frames: {"hero/walk/0000":[0,2,3,4,5,1,2,8,9,0.25,1],"hero/walk/0002":[0,10,3,4,5,1,2,8,9,0.25,1],"hero/idle/0011":[0,20,3,4,5,1,2,8,9,0.25,1],"hero/left/0000":[0,2,3,4,5,3,2,8,9,0.75,1],"hero/left/0002":[0,10,3,4,5,3,2,8,9,0.75,1],"ui/sword":[1,2,3,4,5,1,2,8,9],"badge":[1,30,3,4,5,1,2,8,9]}
     atlases 0 animations: {"hero/walk":{"frames":[["hero/walk/0002",50],["hero/walk/0000",100]],"fps":10,"loop":true,"yoyo":true},"hero/idle":{"frames":[["hero/idle/0011",125]],"fps":8,"loop":false,"yoyo":false},"hero/left":{"frames":[["hero/left/0002",50],["hero/left/0000",100]],"fps":10,"loop":true,"yoyo":true}}
     variants red name: "hero.red"
     variants red texture: "sprites.red"
     variants red width: 8
     variants red height: 9
     variants red anchor: {"x":0.25,"y":1}
     variants red pixelArt: true
     variants red isPlaceholder: false
     variants red animations walk: {"name":"hero.red/walk","frames":["hero.red/walk/0002","hero.red/walk/0000"],"durations":[50,100],"fps":10,"loop":true,"yoyo":true}
     variants red animations left: {"name":"hero.red/left","frames":["hero.red/left/0002","hero.red/left/0000"],"durations":[50,100],"fps":10,"loop":true,"yoyo":true}
     variants red animations idle: {"name":"hero.red/idle","frames":["hero.red/idle/0011"],"durations":[125],"fps":8,"loop":false,"yoyo":false}
     variants red order: ["walk","left","idle"]
     variants red pictures: {}
     variants red frames: ["hero.red/idle/0011","hero.red/left/0000","hero.red/left/0002","hero.red/walk/0000","hero.red/walk/0002"]
     variants red atlases 0 key: "sprites.red"
     variants red atlases 0 scale: 2
     variants red atlases 0 pixelArt: true
     variants red atlases 0 version: "ffffffffffffffff"
     variants red atlases 0 turned: ["hero.red/walk/0000","hero.red/left/0000"]
     variants red atlases 0 outlines: {"hero.red/walk/0002":[[1,2],[5,7]],"hero.red/left/0002":[[3,7],[7,2]]}
     variants red atlases 0 boxes: {"hero.red/walk/0002":{"body":[[1,2,3.25,4]]},"hero.red/left/0002":{"body":[[3.75,2,3.25,4]]}}
     variants red atlases 0 pages: [{"url":"sprites.red 0: f.png","normals":"sprites.red.normals 0: e.png","width":64,"height":32,"format":"png","also":[{"url":"sprites.red 0: 0.webp","format":"webp"}]}]
     variants red atlases 0 mirrored: ["hero.red/left/0000","hero.red/left/0002"]
     variants red atlases 0 frames: {"hero.red/walk/0000":[0,2,3,4,5,1,2,8,9,0.25,1],"hero.red/walk/0002":[0,10,3,4,5,1,2,8,9,0.25,1],"hero.red/idle/0011":[0,20,3,4,5,1,2,8,9,0.25,1],"hero.red/left/0000":[0,2,3,4,5,3,2,8,9,0.75,1],"hero.red/left/0002":[0,10,3,4,5,3,2,8,9,0.75,1]}
     variants red atlases 0 animations hero.red/walk: {"frames":[["hero.red/walk/0002",50],["hero.red/walk/0000",100]],"fps":10,"loop":true,"yoyo":true}
     variants red atlases 0 animations hero.red/idle: {"frames":[["hero.red/idle/0011",125]],"fps":8,"loop":false,"yoyo":false}
     variants red atlases 0 animations hero.red/left: {"frames":[["hero.red/left/0002",50],["hero.red/left/0000",100]],"fps":10,"loop":true,"yoyo":true}
     variants red variants: {}"
  `)
  expect(linesOf(others.map(({ atlases: _, ...own }) => own)).join('\n')).toMatchInlineSnapshot(`
    " 0: {"name":"ui","texture":"sprites","width":8,"height":9,"pixelArt":true,"isPlaceholder":true,"animations":{},"order":[],"pictures":{"sword":"ui/sword"},"frames":["ui/sword"],"variants":{}}
     1: {"name":"badge","texture":"sprites","width":8,"height":9,"pixelArt":true,"isPlaceholder":false,"animations":{},"order":[],"pictures":{"badge":"badge"},"frames":["badge"],"variants":{}}"
  `)
  for (const { atlases } of others) expect(atlases).toBe(first?.atlases)
})

test('a sheet has no part that its atlas lacks', () => {
  const row = { ...place, x: 20, name: 'hero/idle/0011' }
  const plain = { name: 'sprites', scale: 1, pixelArt: false, pages: [pageOf('a')], frames: [row], animations: [] } as unknown as BuiltAtlas
  const { anchor: __, ...idle } = hero
  const sheet = toSheetData([plain], [{ ...idle, animations: ['idle'] }], urlOf)
  expect(JSON.parse(JSON.stringify(sheet))).toStrictEqual(sheet)
  expect(linesOf(sheet).join('\n')).toMatchInlineSnapshot(`
    " columns: "page x y width height offsetX offsetY sourceWidth sourceHeight anchorX anchorY"
     sprites: [{"name":"hero","texture":"sprites","width":8,"height":9,"pixelArt":true,"isPlaceholder":false,"animations":["idle"]}]
     atlases: [{"key":"sprites","scale":1,"pixelArt":false,"version":"aaaaaaaaaaaaaaaa","pages":[{"url":"sprites 0: a.png","width":64,"height":32,"format":"png"}],"animations":{"hero/idle":{"fps":12,"loop":true,"yoyo":false,"play":[],"numbers":[11],"rows":[[0,20,3,4,5,1,2,8,9]]}}}]"
  `)
})

test('without further encodings an atlas and its layers keep all else', () => {
  const { alternates: _, layers = [], ...rest } = atlas
  const [normals, red] = layers
  const { alternates: __, ...alone } = red as typeof red & { alternates?: unknown }
  expect(withoutAlternates(atlas)).toStrictEqual({ ...rest, layers: [normals, alone] })
  expect(withoutAlternates({ ...rest, alternates: [] } as never)).toStrictEqual(rest)
})

test('all sprites are by name, sorted, whatever sheet they are from', () => {
  const of = (...names: readonly string[]) => names.map((name) => ({ name })) as never
  expect(Object.entries(spritesByName([of('c', 'a'), of('d', 'b')]))).toEqual(['a', 'b', 'c', 'd'].map((name) => [name, { name }]))
})

test('a bundle has a module for each sheet and each spec, its pages once, and the files to watch', () => {
  const other = {
    ...atlas,
    name: 'other',
    layers: [],
    alternates: [],
    frames: [],
    animations: [],
    pages: [pageOf('9')],
  } as unknown as BuiltAtlas
  const fox = {
    name: 'fox',
    file: '/game/fox.sprite.json',
    ...size,
    atlas: 'other',
    animations: [],
    picture: '/game/fox.png',
    overridePaths: ['/game/fox.frames'],
  }
  const sheets = { sprites: [...sprites, fox], atlases: [atlas, { ...atlas, scale: 1 }, other] } as unknown as BuiltSheets
  const bundlingOf = (engine: string) => toBundling(sheets, '/game', { engine, notes: ['a note'] } as never)
  const bundling = bundlingOf('pixi')
  expect({
    sheets: bundling.sheets.map(({ name, files }) => ({ name, files })),
    pages: bundling.pages.map(({ name, contentType, bytes }) => `${name} ${contentType} ${new TextDecoder().decode(bytes)}`),
    files: bundling.files,
    notes: bundling.notes,
    phaser: bundlingOf('phaser').pages.map(({ name }) => name),
  }).toMatchInlineSnapshot(`
    {
      "files": [
        "/game/art/hero.sprite.json",
        "/game/ui.sprite.yaml",
        "/game/badge.sprite.json",
        "/game/fox.sprite.json",
        "/game/fox.png",
        "/game/fox.frames",
      ],
      "notes": [
        "a note",
      ],
      "pages": [
        "sprites.red-0@2x.webp image/webp 0",
        "sprites.red-0@2x.png image/png f",
        "sprites.red.normals-0@2x.png image/png e",
        "sprites.red-0.webp image/webp 0",
        "sprites.red-0.png image/png f",
        "sprites.red.normals-0.png image/png e",
        "sprites-0@2x.webp image/webp c",
        "sprites-0@2x.png image/png a",
        "sprites.normals-0@2x.png image/png e",
        "sprites-1@2x.webp image/webp d",
        "sprites-1@2x.png image/png b",
        "sprites-0.webp image/webp c",
        "sprites-0.png image/png a",
        "sprites.normals-0.png image/png e",
        "sprites-1.webp image/webp d",
        "sprites-1.png image/png b",
        "other-0@2x.png image/png 9",
      ],
      "phaser": [
        "sprites.red-0@2x.png",
        "sprites.red.normals-0@2x.png",
        "sprites.red-0.png",
        "sprites.red.normals-0.png",
        "sprites-0@2x.png",
        "sprites.normals-0@2x.png",
        "sprites-1@2x.png",
        "sprites-0.png",
        "sprites.normals-0.png",
        "sprites-1.png",
        "other-0@2x.png",
      ],
      "sheets": [
        {
          "files": [
            "art/hero.sprite.json",
            "ui.sprite.yaml",
            "badge.sprite.json",
          ],
          "name": "sprites",
        },
        {
          "files": [
            "fox.sprite.json",
          ],
          "name": "other",
        },
      ],
    }
  `)
  const code = (id: Parameters<typeof moduleCode>[1]): string => moduleCode(bundling, id, '/game', ({ name }) => name)
  expect([
    code({ kind: 'hot' }),
    code({ kind: 'all' }),
    code({ kind: 'sprite', file: 'badge.sprite.json' }),
    code({ kind: 'sprite', file: 'fox.sprite.json' }),
    code({ kind: 'atlas', name: 'other' }),
  ]).toMatchInlineSnapshot(`
    [
      "export {}
    ",
      "import { spritesByName } from "virtual:spritewright/sheet"
    import { sprites as s0 } from "virtual:spritewright/atlas/sprites"
    import { sprites as s1 } from "virtual:spritewright/atlas/other"
    export const sprites = /* @__PURE__ */ spritesByName([s0, s1])
    export default sprites
    ",
      "import { sprites } from "virtual:spritewright/atlas/sprites"
    export default sprites[2]
    ",
      "import { sprites } from "virtual:spritewright/atlas/other"
    export default sprites[0]
    ",
      "import { readSheet } from "virtual:spritewright/sheet"
    export const sprites = /* @__PURE__ */ readSheet({ ...JSON.parse('{"columns":"page x y width height offsetX offsetY sourceWidth sourceHeight anchorX anchorY","sprites":[{"name":"fox","texture":"other","width":8,"height":9,"pixelArt":true,"isPlaceholder":false,"animations":[]}]}'), atlases: [{ ...JSON.parse('{"key":"other","scale":2,"pixelArt":true,"version":"9999999999999999","mirrors":{"hero/left":"hero/walk"},"animations":{}}'), pages: [{"url":"other-0@2x.png","width":64,"height":32,"format":"png"}] }] })
    ",
    ]
  `)
  expect([sourcesOf(fox as never), findSprite(sheets, '/game/fox.sprite.json').name]).toEqual([
    ['/game/fox.sprite.json', '/game/fox.png', '/game/fox.frames'],
    'fox',
  ])
  expect(() => code({ kind: 'sprite', file: 'drafts/cat.sprite.json' })).toThrowErrorMatchingInlineSnapshot(
    `[SpritewrightError: /game/drafts/cat.sprite.json is imported, but it is no spec of this project. Expected a file that is there and matches "specs" of the configuration: by default spec files (NAME.sprite.json, .yaml, .yml) and folders NAME.sprites. For Aseprite files add "**/*.aseprite".]`,
  )
})
