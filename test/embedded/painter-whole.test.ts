import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap } from '../../atlas/index.ts'
import { restyle } from '../../src/embedded/images/restyle.ts'
import { chosenColours, lightOf, parseColour, shadeOf, toHex } from '../../src/embedded/painter/colours.ts'
import { toSvg } from '../../src/embedded/painter/drawing.ts'
import { paint } from '../../src/embedded/painter/painter.ts'
import { pieces } from '../../src/embedded/painter/pieces.ts'
import { subjects } from '../../src/embedded/painter/subjects.ts'
import { render, toImage } from '../../src/embedded/svg/render.ts'

test('the drawing of each subject and of each shared piece has these very shapes, names and colours', () => {
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)
  const colours = { main: [200, 40, 40], second: [40, 200, 40], skin: [40, 40, 200] } as const
  const rows = subjects.map(({ names, main, second, head, rows }) => {
    const drawing = toSvg(rows, colours)
    return `${names}: ${toHex(main)} ${toHex(second)}, head ${head}, ${drawing.length} ${digest(drawing)}`
  })
  const shared = pieces.map(({ name, words, colour, rows }) => `${name}: ${words} ${colour} ${digest(toSvg(rows, colours))}`)
  expect([...rows, ...shared].join('\n')).toMatchInlineSnapshot(`
    "knight,paladin,warrior,soldier: #3d74dc #e8404f, head 128 52 0.91, 12626 7117e7ff
    wizard,mage,sorcerer: #7054ce #ffc233, head , 11926 cc87969f
    slime,blob,jelly: #48cc80 #ffffff, head 128 70 0.69, 2268 5959ee4a
    dragon,wyvern,drake: #54be70 #e86054, head 128 46 0.65, 11559 7d15a598
    monster: #786edc #ffc850, head 128 62 0.76, 6551 987b8538
    sword: sword undefined 29b72bfc
    staff: staff undefined 7de374f7
    hat: hat,cap #7054ce 41f964ad
    crown: crown #ffc233 7e1129d0
    plume: plume,feather #e8404f 58ad8bad
    far-arm: far-arm undefined e47a32f5
    near-arm: near-arm undefined 32fe25a9
    hands: hands undefined 7858f299
    legs: legs undefined 3df4f2df
    coat: coat undefined 5910c898
    robe: robe undefined ff649128
    belt: belt undefined 442e18df
    head: head undefined 99028162"
  `)
})

describe('a prompt', () => {
  const rowsOf = (name: string): string => subjects.find(({ names }) => names.includes(name))?.rows ?? ''
  const plain = 'translate(15.360000000000014 30.400000000000034) scale(1.88)'
  const hatted = 'translate(56.31999999999999 109.75999999999999) scale(1.56)'

  test.each<[prompt: string, transform: string, rows: string, main: string, second: string]>([
    ['two soldiers', plain, rowsOf('knight'), '#3d74dc', '#e8404f'],
    ['a golden slime, pink', plain, rowsOf('slime'), '#ffc233', '#ff8cb8'],
    ['an odd thing', plain, rowsOf('monster'), '#f5943a', '#58c878'],
    ['a knight with a red cap', hatted, `${rowsOf('knight')}\nuse hat #e23e46 128 52 0.91`, '#3d74dc', '#e8404f'],
    ['a plume on a teal dragon', hatted, `${rowsOf('dragon')}\nuse plume #e8404f 128 46 0.65`, '#2aa8a8', '#e86054'],
  ])('%j is painted in this place, with this subject, accessory and colours', async (prompt, transform, rows, main, second) => {
    const palette = { main: parseColour(main), second: parseColour(second), skin: chosenColours(prompt).skin }
    const expected = await render(`<g transform="${transform}">${toSvg(rows, palette)}</g>`, 512, 512)
    expect(Buffer.from((await paint(prompt)).data).equals(expected.data)).toBe(true)
  })

  test('with a background is painted before a ground that gets darker downwards, whose word is no colour of the figure', async () => {
    const green = parseColour('#48c474')
    const ground = `<linearGradient id="ground" x2="0" y2="1"><stop stop-color="${toHex(lightOf(green, 0.1))}"/><stop offset="1" stop-color="${toHex(shadeOf(green, 0.1))}"/></linearGradient><rect width="100%" height="100%" fill="url(#ground)"/>`
    const [{ main, second }] = subjects.filter(({ names }) => names.includes('slime')) as [(typeof subjects)[number]]
    const prompt = 'a slime on a green background'
    const drawn = toSvg(rowsOf('slime'), { main, second, skin: chosenColours(prompt).skin })
    const expected = await render(`${ground}<g transform="${plain}">${drawn}</g>`, 512, 512)
    expect(Buffer.from((await paint(prompt)).data).equals(expected.data)).toBe(true)
  })

  /** A figure of 40 × 60 pixels: a narrow head over a wide body in two reds, with a gray and a dark and a green part. */
  function figure(): Bitmap {
    const picture = createBitmap(40, 60)
    const parts: readonly (readonly [left: number, top: number, width: number, height: number, colour: readonly number[]])[] = [
      [14, 20, 10, 12, [220, 40, 40, 255]],
      [8, 32, 24, 24, [120, 20, 30, 255]],
      [10, 34, 4, 4, [130, 130, 130, 255]],
      [16, 34, 4, 4, [60, 0, 10, 255]],
      [22, 34, 6, 4, [40, 200, 60, 255]],
      [10, 42, 6, 4, [255, 170, 170, 255]],
    ]
    for (const [left, top, width, height, colour] of parts)
      for (let y = top; y < top + height; y++) for (let x = left; x < left + width; x++) picture.data.set(colour, (y * 40 + x) * 4)
    return picture
  }
  const coloursOf = ({ data }: Bitmap): readonly string[] => {
    const pixels = Array.from({ length: data.length / 4 }, (_, at) => Buffer.from(data.subarray(at * 4, at * 4 + 4)).toString('hex'))
    return [...new Set(pixels)].toSorted()
  }

  test('gives its colour to the strongest hue alone, each pixel as light as it was', async () => {
    const [blue, own] = [await restyle(figure(), 'a blue one'), await restyle(figure(), 'an odd thing')]
    expect([coloursOf(figure()), coloursOf(blue), coloursOf(own)]).toMatchInlineSnapshot(`
      [
        [
          "00000000",
          "28c83cff",
          "3c000aff",
          "78141eff",
          "828282ff",
          "dc2828ff",
          "ffaaaaff",
        ],
        [
          "00000000",
          "28c83cff",
          "294d8fff",
          "3c000aff",
          "457ee8ff",
          "828282ff",
          "bfd2f7ff",
        ],
        [
          "00000000",
          "28c83cff",
          "3c000aff",
          "828282ff",
          "975b24ff",
          "f5963dff",
          "fcdbbcff",
        ],
      ]
    `)
  })

  test('puts an accessory on the head of a picture, in its place and size, and changes no colour then', async () => {
    const expected = await render(`${toImage(figure())}${toSvg('use crown #e23e46 19 22.16 0.08181818181818182', {})}`, 40, 60)
    expect(Buffer.from((await restyle(figure(), 'with a red crown')).data).equals(expected.data)).toBe(true)
  })
})
