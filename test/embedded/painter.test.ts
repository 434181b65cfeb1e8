import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, encodePng, readPicture } from '../../atlas/index.ts'
import { cutOut } from '../../src/embedded/artist/background.ts'
import { restyle } from '../../src/embedded/images/restyle.ts'
import { upscale } from '../../src/embedded/images/upscale.ts'
import { toSvg } from '../../src/embedded/painter/drawing.ts'
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
