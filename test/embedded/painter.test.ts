import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, encodePng, readPicture } from '../../atlas/index.ts'
import { cutOut } from '../../src/embedded/artist/background.ts'
import { restyle } from '../../src/embedded/images/restyle.ts'
import { upscale } from '../../src/embedded/images/upscale.ts'
import { takeAccessories, toRows } from '../../src/embedded/painter/accessories.ts'
import { chosenColours, coloursIn, lightOf, parseColour, shadeOf, toHex } from '../../src/embedded/painter/colours.ts'
import { readSubjects, toSvg } from '../../src/embedded/painter/drawing.ts'
import { paint, paintedWords } from '../../src/embedded/painter/painter.ts'

/** Share of a picture's visible pixels whose colour passes a test. */
function share(picture: Bitmap, holds: (red: number, green: number, blue: number) => boolean): number {
  let [visible, found] = [0, 0]
  for (let at = 0; at < picture.data.length; at += 4) {
    if (picture.data[at + 3]! < 200) continue
    visible++
    if (holds(picture.data[at]!, picture.data[at + 1]!, picture.data[at + 2]!)) found++
  }
  return found / visible
}

const isBlue = (red: number, _: number, blue: number): boolean => blue > red + 60
const isRed = (red: number, green: number, blue: number): boolean => red > green + 60 && red > blue + 60

/** Difference of two pictures' alpha: the share of pixels that differ by more than a third. */
function alphaApart(a: Bitmap, b: Bitmap): number {
  let apart = 0
  for (let at = 3; at < a.data.length; at += 4) if (Math.abs(a.data[at]! - b.data[at]!) > 85) apart++
  return apart / (a.width * a.height)
}

describe('text_to_image', () => {
  test('the same prompt gives the same pixels; another gives others', async () => {
    const areEqual = async (one: string, other: string): Promise<boolean> =>
      Buffer.from((await paint(one)).data).equals((await paint(other)).data)
    expect(await areEqual('a knight', 'a knight')).toBe(true)
    expect(await areEqual('a knight', 'a wizard')).toBe(false)
    expect(await areEqual('an odd thing', 'a strange thing')).toBe(false)
  })

  test.each([...paintedWords])('%s fills a good part of 512 × 512 and touches no border', async (word) => {
    const picture = await paint(`a ${word}`)
    expect([picture.width, picture.height]).toEqual([512, 512])
    let [visible, onBorder] = [0, 0]
    for (let at = 3, pixel = 0; at < picture.data.length; at += 4, pixel++) {
      if (picture.data[at]! < 128) continue
      visible++
      const [x, y] = [pixel % 512, Math.floor(pixel / 512)]
      if (x === 0 || y === 0 || x === 511 || y === 511) onBorder++
    }
    expect(visible / 512 ** 2).toBeGreaterThan(0.07)
    expect(onBorder).toBe(0)
  })

  test('a colour in the prompt is the colour of the picture', async () => {
    expect(share(await paint('a red slime'), isRed)).toBeGreaterThan(0.4)
    expect(share(await paint('a blue slime'), isBlue)).toBeGreaterThan(0.4)
    expect(share(await paint('a blue slime with a red hat'), isRed)).toBeGreaterThan(0.04)
  })

  test('the ground is clear, or opaque where a background is asked for', async () => {
    expect((await paint('a wizard')).data[3]).toBe(0)
    const picture = await paint('a wizard on a blue background')
    expect(picture.data.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true)
  })
})

describe('background_remove', () => {
  let knight: Bitmap
  beforeAll(async () => {
    knight = await paint('a knight')
  })
  const on = async (ground: string, quality: number): Promise<Bitmap> => {
    const drawn = `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512">${ground}</svg>`
    const jpeg = await sharp(Buffer.from(drawn))
      .composite([{ input: Buffer.from(encodePng(knight)) }])
      .jpeg({ quality })
      .toBuffer()
    return readPicture(jpeg)
  }
  test.each([
    ['white', '<rect width="512" height="512" fill="#fff"/>', 90],
    ['a flat colour, badly packed', '<rect width="512" height="512" fill="#5ac878"/>', 55],
  ])('C34: %s becomes clear and the figure stays whole, its edge soft', async (_, ground, quality) => {
    const cut = cutOut(await on(ground, quality)).figure
    expect(alphaApart(cut, knight)).toBeLessThan(0.01)
    expect(cut.data.some((value, at) => at % 4 === 3 && value > 20 && value < 235)).toBe(true)
  })

  test('a picture that is cut out already stays as it is; one without a figure to tell is refused', () => {
    expect(Buffer.from(cutOut(knight).figure.data).equals(knight.data)).toBe(true)
    const noise = createBitmap(64, 64)
    for (let at = 0; at < noise.data.length; at++) noise.data[at] = at % 4 === 3 ? 255 : (at * 7919) % 251
    expect(cutOut(noise).isSeparate).toBe(false)
  })
})

describe('upscale', () => {
  test('C33: every side is doubled; the colours of pixel art stay what they were', async () => {
    const art = createBitmap(9, 7)
    for (let at = 0; at < 63; at++)
      if ((at * 5) % 3 > 0)
        art.data.set(
          [
            [200, 30, 60, 255],
            [20, 90, 200, 255],
          ][at % 2]!,
          at * 4,
        )
    const doubled = await upscale(art)
    expect([doubled.width, doubled.height]).toEqual([18, 14])
    const colours = (picture: Bitmap): Set<number> => new Set(new Uint32Array(picture.data.slice().buffer))
    expect([...colours(doubled)].every((colour) => colours(art).has(colour))).toBe(true)
  })

  test('a smooth picture, halved again, is nearly itself, and its edge has no dark rim', async () => {
    const slime = await paint('a slime')
    const doubled = await upscale(slime)
    const halved = await sharp(doubled.data, { raw: { width: 1024, height: 1024, channels: 4 } })
      .resize(512, 512, { kernel: 'linear' })
      .raw()
      .toBuffer()
    let off = 0
    for (let at = 3; at < halved.length; at += 4) off += Math.abs(halved[at]! - slime.data[at]!)
    expect(off / (512 * 512)).toBeLessThan(1)
    const white = createBitmap(16, 16)
    for (let at = 0; at < 256; at++) if (at % 16 > 4 && at % 16 < 11) white.data.set([255, 255, 255, at % 16 === 5 ? 128 : 255], at * 4)
    const { data } = await upscale(white)
    expect(data.every((value, at) => data[at - (at % 4) + 3] === 0 || at % 4 === 3 || value >= 254)).toBe(true)
  })
})

describe('image_to_image', () => {
  test('keeps size and outline and takes the colour that is named', async () => {
    const slime = await paint('a green slime')
    const changed = await restyle(slime, 'a blue slime')
    expect([changed.width, changed.height]).toEqual([512, 512])
    expect(alphaApart(changed, slime)).toBe(0)
    expect(share(changed, isBlue)).toBeGreaterThan(0.4)
  })

  test('puts on what is named, and keeps a flat background', async () => {
    const slime = await paint('a slime on a green background')
    const dressed = await restyle(slime, 'with a red crown')
    expect(dressed.data.subarray(0, 4)).toEqual(slime.data.subarray(0, 4))
    expect(Buffer.from(dressed.data).equals(slime.data)).toBe(false)
    const bare = await paint('a slime')
    for (const word of ['hat', 'crown', 'plume'])
      expect([word, Buffer.from((await restyle(bare, `with a ${word}`)).data).equals(bare.data)]).toEqual([word, false])
  })

  test('turns the colours by the prompt where it names nothing', async () => {
    const slime = await paint('a green slime')
    const [one, other] = [await restyle(slime, 'more like that'), await restyle(slime, 'and another one')]
    expect(Buffer.from(one.data).equals(slime.data)).toBe(false)
    expect(Buffer.from(one.data).equals(other.data)).toBe(false)
  })
})

test('a part whose outline, shade and light are 0 has none of them', () => {
  const svg = toSvg('part #336699 0 0 0: M0 0H9V9Z', {})
  expect(svg).not.toContain('stroke')
  expect(svg.match(/fill="[^"]+"/g)).toEqual(['fill="#336699"'])
})

describe('the words of a prompt', () => {
  test.each<[string, readonly string[]]>([
    ['A red knight, RED and gold', ['#e23e46', '#ffc233']],
    ['gold, golden and icy ice', ['#ffc233', '#ffc233', '#9edcfa', '#9edcfa']],
    ['reddish nothing', []],
    ['grey_gray1blue', ['#969eb4', '#969eb4', '#427ce8']],
  ])('%j names the colours %j', (text, colours) => {
    expect(coloursIn(text).map(toHex)).toEqual(colours)
  })

  test('colours are written with two digits a channel, rounded, and mixed towards shade and light', () => {
    expect([parseColour('#0a80ff'), toHex([9.6, 0, 254.5])]).toEqual([[10, 128, 255], '#0a00ff'])
    expect([shadeOf([100, 100, 100], 0.5), lightOf([100, 100, 100], 0.5)]).toEqual([
      [79, 65, 105],
      [177.5, 175, 167.5],
    ])
    expect([shadeOf([0, 0, 0]), lightOf([0, 0, 0])].map(toHex)).toEqual(['#130a23', '#6b6963'])
  })

  test('a prompt chooses the same colours in any case and with spaces around it, and another prompt others', () => {
    const { main, second, skin } = chosenColours('an odd thing')
    expect([main, second, skin].map(toHex)).toEqual(['#f5943a', '#58c878', '#8e5e42'])
    expect(chosenColours('  An ODD thing ')).toEqual({ main, second, skin })
    expect(chosenColours('another thing')).not.toEqual({ main, second, skin })
  })

  test.each<[string, readonly (readonly [string, string])[], string]>([
    ['a blue knight with a red hat', [['hat', '#e23e46']], 'a blue knight with a'],
    ['hat', [['hat', '#7054ce']], ''],
    [
      'green Cap, white crown and feather',
      [
        ['hat', '#48c474'],
        ['crown', '#f0f4ff'],
        ['plume', '#e8404f'],
      ],
      'and',
    ],
    ['a red hat and a blue cap', [['hat', '#e23e46']], 'a and a'],
    ['a red sword', [], 'a red sword'],
    ['a knight', [], 'a knight'],
  ])('%j puts %j on a head, and leaves %j', (prompt, worn, left) => {
    const { accessories, rest } = takeAccessories(prompt)
    expect([accessories.map(({ name, colour }) => [name, colour]), rest]).toEqual([worn, left])
    expect(toRows(accessories, '1 2 0.5')).toBe(worn.map(([name, colour]) => `use ${name} ${colour} 1 2 0.5`).join('\n'))
  })
})

describe('a drawing', () => {
  const palette = { main: [0, 128, 255], skin: [16, 16, 16] } as const
  const drawn = (...rows: readonly string[]): string => toSvg(rows.join('\n'), palette)

  test('has plain shapes, lines and ellipses in the colours and with the opacity of their rows', () => {
    expect(drawn('  spot main: M0 0H9Z', '', 'spot #010203 0.5: E 10 20 3 4 E 5 5 2')).toBe(
      '<path d=" M0 0H9Z" fill="#0080ff" opacity="1"/>' +
        '<path d=" M7 20a3 4 0 1 0 6 0a3 4 0 1 0 -6 0ZM3 5a2 2 0 1 0 4 0a2 2 0 1 0 -4 0Z" fill="#010203" opacity="0.5"/>',
    )
    const look = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'
    expect(drawn('line red 3: M0 0', 'line skin 2 0.25: M1 1')).toBe(
      `<path d=" M0 0" stroke="#e23e46" stroke-width="3" ${look} opacity="1"/><path d=" M1 1" stroke="#101010" stroke-width="2" ${look} opacity="0.25"/>`,
    )
  })

  test('is moved, mirrored and lit as its rows say', () => {
    expect(drawn('at 1 2', 'spot skin-50: M0', 'end', 'at 3 4 0.5 45', 'spot skin+50: M1', 'end')).toBe(
      '<g transform="translate(1 2) scale(1) rotate(0)"><path d=" M0" fill="#25173f" opacity="1"/></g>' +
        '<g transform="translate(3 4) scale(0.5) rotate(45)"><path d=" M1" fill="#88857e" opacity="1"/></g>',
    )
    const spot = '<path d=" M0" fill="#0080ff" opacity="1"/>'
    expect(drawn('pair spot main: M0')).toBe(`${spot}<g transform="matrix(-1 0 0 1 256 0)">${spot}</g>`)
    const shifts = (row: string): readonly string[] => [...drawn(row).matchAll(/translate\(([^)]+)\)/g)].map(([, by]) => by!)
    expect(shifts('part main 10 5 0: M0')).toEqual(['0 0', '10 -8', '-5 5'])
    expect(shifts('pair part main 10 5 0: M0')).toEqual(['0 0', '10 -8', '-5 5', '0 0', '-10 -8', '5 5'])
  })

  test('has shade, light and an outline of ink on each part', () => {
    const fills = (row: string): unknown => [drawn(row).match(/fill="#\w+"/g), drawn(row).match(/stroke="[^"]+" stroke-width="\d+"/g)]
    expect(fills('part main: M0')).toEqual([['fill="#1361d1"', 'fill="#6bb3f7"', 'fill="#0080ff"'], ['stroke="#2a1e3b" stroke-width="6"']])
    expect(fills('part main 0 3 4: M0')).toEqual([['fill="#6bb3f7"', 'fill="#0080ff"'], ['stroke="#2a1e3b" stroke-width="4"']])
    expect(fills('part main 3 0 0: M0')).toEqual([['fill="#1361d1"', 'fill="#0080ff"'], null])
  })

  test('uses shared pieces in its own colour and place, and has two eyes', () => {
    expect(drawn('use belt skin')).toMatch(/^<g transform="translate\(0 0\) scale\(1\) rotate\(0\)">.*fill="#101010".*<\/g>$/)
    expect(drawn('use belt skin 7 8 0.5 9')).toMatch(/^<g transform="translate\(7 8\) scale\(0.5\) rotate\(9\)">/)
    expect(drawn('eyes 100 50 20 10')).toBe(
      '<path d=" M70 50a10 14 0 1 0 20 0a10 14 0 1 0 -20 0ZM110 50a10 14 0 1 0 20 0a10 14 0 1 0 -20 0Z" fill="#2a1e3b" opacity="1"/>' +
        '<path d=" M78.8 45a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0 -8.4 0ZM118.8 45a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0 -8.4 0Z" fill="#ffffff" opacity="1"/>',
    )
  })

  test('with a colour that nobody knows is a mistake', () => {
    expect(() => drawn('spot mauve: M0')).toThrow('Expected a colour, found mauve.')
  })

  test('is of a subject with names, two colours and a head', () => {
    expect(readSubjects('\n= cat kitten | #010203 gold | 128 50 0.9\n  spot main: M0\n  end\n= dog | red blue\n')).toEqual([
      { names: ['cat', 'kitten'], main: [1, 2, 3], second: [255, 194, 51], head: '128 50 0.9', rows: '  spot main: M0\n  end\n' },
      { names: ['dog'], main: [226, 62, 70], second: [66, 124, 232], head: '', rows: '' },
    ])
  })
})
