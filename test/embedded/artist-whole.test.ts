import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng } from '../../atlas/index.ts'
import { animate, type Commission } from '../../src/embedded/artist/artist.ts'
import { cutOut } from '../../src/embedded/artist/background.ts'
import { measureFigure } from '../../src/embedded/artist/figure.ts'

/** A drawing of the examples, smaller: the pixels of `side` rows, the first of them `skip` pixels from the top. */
function small(path: string, side: number, skip: number): Bitmap {
  const { width, height, data } = decodePng(readFileSync(new URL(`../../examples/${path}.png`, import.meta.url)))
  const step = height / side
  const picture = createBitmap(Math.floor(width / step), side)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < picture.width; x++) {
      const from = (Math.floor(y * step + skip) * width + Math.floor(x * step + skip)) * 4
      picture.data.set(data.subarray(from, from + 4), (y * picture.width + x) * 4)
    }
  return picture
}

const pictures = new Map([
  ['hero', small('phaser/sprites/hero', 72, 1)],
  ['slime', small('phaser/sprites/slime', 64, 0)],
  ['fox', small('pixi/sprites/fox', 90, 0)],
  ['three', small('pixi/sprites/fox', 64, 0)],
  ['ghost', small('pixi/sprites/ghost', 64, 0)],
  ['bat', small('prebuild/sprites/bat', 64, 0)],
])
const pictureOf = (name: string): Bitmap => pictures.get(name) as Bitmap

/** The picture before an uneven sky that reaches the border. */
function outdoors(picture: Bitmap): Bitmap {
  const { width, height, data } = picture
  const scene = createBitmap(width, height)
  for (let at = 0; at < data.length; at += 4) {
    const sky = [90 + Math.floor(at / 4 / width), 160, 220]
    const share = (data[at + 3] ?? 0) / 255
    for (const [channel, value] of sky.entries())
      scene.data[at + channel] = Math.round((data[at + channel] ?? 0) * share + value * (1 - share))
    scene.data[at + 3] = 255
  }
  return scene
}

function digest(frames: readonly Bitmap[]): string {
  const hash = createHash('sha256')
  for (const frame of frames) hash.update(`${frame.width}x${frame.height}`).update(frame.data)
  return `${frames.length} ${frames[0]?.width}x${frames[0]?.height} ${hash.digest('hex').slice(0, 12)}`
}

const round = (value: number): number => Math.round(value * 1000) / 1000

test('each drawing has these very measures: its trunk, its legs with their steps, its wings and what it holds', () => {
  const rows = [...pictures].map(([name, picture]) => {
    const figure = measureFigure(picture)
    if (!figure) return name
    const { bitmap, outline, legs, held, ...rest } = figure
    const feet = legs.map(({ left, right, ...leg }) => ({ ...leg, left: left[bitmap.height - 2], right: right[bitmap.height - 2] }))
    const hand = held && { ...held, mask: held.mask.reduce((sum, one) => sum + one, 0) }
    const values = JSON.stringify({ ...rest, outline: outline.length, feet, hand }, (_, one) =>
      typeof one === 'number' ? round(one) : one,
    )
    return `${name} ${values.replaceAll('"', '')}`
  })
  expect(rows).toMatchInlineSnapshot(`
    [
      "hero {left:7,top:12,right:65,bottom:71,height:59,centreX:34.404,coreLeft:18,coreRight:45,hasWings:false,isPixelArt:false,outline:234,feet:[{hip:62,footX:27.5,homeX:33.75,phase:0,shade:88.094,left:20,right:34},{hip:62,footX:40,homeX:33.75,phase:0.5,shade:64.557,left:34,right:47}],hand:{mask:382,pivotX:51.571,pivotY:51.429,reach:29.951}}",
      "slime {left:10,top:28,right:55,bottom:64,height:36,centreX:32.424,coreLeft:15,coreRight:50,hasWings:false,isPixelArt:false,outline:162,feet:[]}",
      "fox {left:4,top:23,right:90,bottom:90,height:67,centreX:47.077,coreLeft:47,coreRight:47,hasWings:false,isPixelArt:false,outline:306,feet:[{hip:77,footX:26.5,homeX:33.25,phase:0,shade:60.196,left:19,right:33},{hip:77,footX:40,homeX:33.25,phase:0.5,shade:53.503,left:33,right:45},{hip:77,footX:52,homeX:58.5,phase:0.35,shade:57.499,left:45,right:59},{hip:77,footX:65,homeX:58.5,phase:0.85,shade:53.683,left:59,right:72}]}",
      "three {left:3,top:16,right:63,bottom:64,height:48,centreX:33.47,coreLeft:33,coreRight:33,hasWings:false,isPixelArt:false,outline:216,feet:[{hip:55,footX:19,homeX:19,phase:0,shade:58.939,left:13,right:23},{hip:55,footX:33,homeX:33,phase:0.333,shade:55.99,left:23,right:42},{hip:55,footX:46.5,homeX:46.5,phase:0.667,shade:55.681,left:42,right:52}]}",
      "ghost {left:9,top:14,right:57,bottom:60,height:46,centreX:32.552,coreLeft:15,coreRight:49,hasWings:false,isPixelArt:false,outline:188,feet:[]}",
      "bat {left:2,top:16,right:63,bottom:54,height:38,centreX:32.451,coreLeft:21,coreRight:44,hasWings:true,isPixelArt:false,outline:198,feet:[]}",
    ]
  `)
})

test('a drawing before an uneven sky is cut out with these very pixels, and the sky behind it is filled', () => {
  const cut = ['hero', 'ghost'].map((name) => {
    const { figure, backdrop, isSeparate } = cutOut(outdoors(pictureOf(name)))
    return [digest([figure]), backdrop && digest([backdrop]), isSeparate]
  })
  expect(cut).toMatchInlineSnapshot(`
    [
      [
        "1 72x72 92cb1ac8ecd2",
        "1 72x72 547923aef280",
        true,
      ],
      [
        "1 64x64 91567e871ad3",
        "1 64x64 c15c92d78048",
        true,
      ],
    ]
  `)
})

const motions: readonly (readonly [name: string, words: string, more?: Partial<Commission>])[] = [
  ['hero', 'walk'],
  ['hero', 'attack', { frames: 7 }],
  ['hero', 'jump', { frames: 7 }],
  ['hero', 'cast'],
  ['hero', 'spin', { frames: 5 }],
  ['hero', 'run', { variant: 1 }],
  ['hero', 'dance', { variant: 5 }],
  ['hero', 'idle'],
  ['slime', 'bounce'],
  ['slime', 'attack'],
  ['slime', 'glow'],
  ['ghost', 'float'],
  ['ghost', 'shake'],
  ['bat', 'fly'],
  ['bat', 'attack'],
  ['bat', 'run'],
  ['fox', 'run'],
  ['three', 'walk'],
]

test('each kind of drawing has these very frames in the motions that suit it', async () => {
  const seen: string[] = []
  for (const [name, words, more = {}] of motions) {
    const order: Commission = { reference: pictureOf(name), prompt: `a figure\n${words}`, frames: 4, background: 'remove', ...more }
    seen.push(`${name} ${words}: ${digest(await animate(order))}`)
  }
  for (const background of ['keep', 'remove'] as const) {
    const order: Commission = { reference: outdoors(pictureOf('hero')), prompt: 'a figure\nwalk', frames: 2, background }
    seen.push(`outdoors ${background}: ${digest(await animate(order))}`)
  }
  expect(seen).toMatchInlineSnapshot(`
    [
      "hero walk: 4 114x84 336a17eff44e",
      "hero attack: 7 114x84 c1649247b11f",
      "hero jump: 7 114x84 026f943e33dc",
      "hero cast: 4 114x84 a2d2d40b1168",
      "hero spin: 5 114x84 a610b66d8548",
      "hero run: 4 114x84 6ad5c29f2e00",
      "hero dance: 4 114x84 ab5216e6a75c",
      "hero idle: 4 114x84 410d8fe86a10",
      "slime bounce: 4 64x64 98e23628a5f7",
      "slime attack: 4 64x64 26f6d2182fdb",
      "slime glow: 4 64x64 7c6f5fcc0aca",
      "ghost float: 4 70x68 6f0678d07d87",
      "ghost shake: 4 70x68 1a17b7a74392",
      "bat fly: 4 74x64 27321662bada",
      "bat attack: 4 74x64 b02206ab02fa",
      "bat run: 4 74x64 e4673ee00fbd",
      "fox run: 4 104x94 73bf4e1c3e74",
      "three walk: 4 74x68 90f5ed04537d",
      "outdoors keep: 2 88x82 0322c1ec2c90",
      "outdoors remove: 2 88x82 868f485e1084",
    ]
  `)
})
