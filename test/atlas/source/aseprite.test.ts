import { describe, expect, test } from 'vitest'
import { AtlasError } from '../../../atlas/errors.ts'
import { type AsepriteFile, type AsepriteLimits, readAseprite } from '../../../atlas/index.ts'
import { AsepriteBudget } from '../../../atlas/source/aseprite/budget.ts'
import { type BuiltFile, bytes, chunk, file, image, layer, link, palette, pixels, rawImage, tiles, tileset, usualMasks } from './ase.ts'

const [red, green, blue, yellow, clear] = [0xff0000ff, 0x00ff00ff, 0x0000ffff, 0xffff00ff, 0]
const four = pixels(red, green, blue, yellow)

/** Pixels of a frame as numbers: 0xrrggbbaa. */
function shown(read: AsepriteFile, frame = 0): readonly number[] {
  const { data } = read.frames[frame]!.bitmap
  const view = new DataView(data.buffer, data.byteOffset)
  return Array.from({ length: data.length / 4 }, (_, at) => view.getUint32(4 * at))
}

function drawn(built: BuiltFile): readonly number[] {
  return shown(readAseprite(file(built)))
}

/** The rule that refuses a file; `read` if none does. */
function rule(source: Uint8Array, limits?: AsepriteLimits): unknown {
  try {
    readAseprite(source, limits)
    return 'read'
  } catch (error) {
    if (!(error instanceof AtlasError) || error.code !== 'SW_ASEPRITE') throw error
    expect(error.message).toMatch(/^The Aseprite file breaks the rule ".+": expected .+/s)
    return error.facts.rule
  }
}

/** The rule that refuses a file of one frame with these chunks. */
function ruleOf(...chunks: readonly Buffer[]): unknown {
  return rule(file({ frames: [{ chunks }] }))
}

describe('pixels', () => {
  test('raw and compressed RGBA cels give their pixels, colours under alpha 0 too', () => {
    const odd = pixels(0x12345600, red, green, 0x80808080)
    expect(drawn({ frames: [{ chunks: [layer(), rawImage(2, 2, odd)] }] })).toEqual([0x12345600, red, green, 0x80808080])
    expect(drawn({ frames: [{ chunks: [layer(), image(2, 2, odd)] }] })).toEqual([0x12345600, red, green, 0x80808080])
  })

  test('grey pixels are value and alpha', () => {
    expect(drawn({ depth: 16, frames: [{ chunks: [layer(), image(2, 1, Uint8Array.of(7, 255, 9, 128))] }] })).toEqual([
      0x070707ff, 0x09090980, 0, 0,
    ])
  })

  test('indexed pixels take the palette of their frame, and the clear index and an index without a colour draw nothing', () => {
    const cel = image(2, 2, Uint8Array.of(0, 1, 2, 3))
    const read = readAseprite(
      file({
        depth: 8,
        clearIndex: 2,
        frames: [
          { chunks: [palette([red, green, blue]), layer(), cel] },
          { chunks: [palette([yellow], 3, 1), link(0)] },
          { chunks: [link(0)] },
        ],
      }),
    )
    expect(shown(read, 0)).toEqual([red, green, clear, clear])
    expect(shown(read, 1)).toEqual([red, yellow, clear, clear])
    expect(shown(read, 2)).toEqual([red, yellow, clear, clear])
  })

  test('a background shows the colour of the clear index, outside of its cel too, unless it is hidden', () => {
    const built = (flags: number): readonly number[] =>
      drawn({ depth: 8, clearIndex: 1, frames: [{ chunks: [palette([red, green]), layer({ flags }), image(2, 1, Uint8Array.of(0, 1))] }] })
    expect(built(9)).toEqual([red, green, green, green])
    expect(built(1)).toEqual([red, clear, clear, clear])
    expect(built(8)).toEqual([clear, clear, clear, clear])
    const above = [palette([red, green]), layer({ flags: 9 }), layer(), image(2, 1, Uint8Array.of(0, 1), { layer: 1 })]
    expect(drawn({ depth: 8, clearIndex: 1, frames: [{ chunks: above }] })).toEqual([red, green, green, green])
    expect(drawn({ frames: [{ chunks: [palette([red, green]), layer({ flags: 9 }), image(1, 1, pixels(blue))] }] })).toEqual([
      blue,
      clear,
      clear,
      clear,
    ])
  })

  test('old palettes have 256 or 64 levels, by the numbers of the page and of FLI, and are ignored after a new one', () => {
    const old = (type: number, ...colour: readonly number[]): Buffer =>
      chunk(
        type,
        bytes()
          .word(1)
          .byte(0, 1, ...colour),
      )
    const built = (...palettes: readonly Buffer[]): number | undefined =>
      drawn({ depth: 8, clearIndex: 9, frames: [{ chunks: [...palettes, layer(), image(1, 1, Uint8Array.of(0))] }] })[0]
    expect(built(old(0x0004, 1, 2, 3))).toBe(0x010203ff)
    expect(built(old(0x000b, 1, 32, 63))).toBe(0x0482ffff)
    expect(built(old(0x0011, 1, 32, 63))).toBe(0x0482ffff)
    expect(built(palette([yellow]), old(0x0004, 1, 2, 3))).toBe(yellow)
    expect(built()).toBe(0x000000ff)
  })

  test('a cel may lie outside of the canvas, in part and as a whole', () => {
    const at = (x: number, y: number): readonly number[] => drawn({ frames: [{ chunks: [layer(), image(2, 2, four, { x, y })] }] })
    expect(at(-1, -1)).toEqual([yellow, clear, clear, clear])
    expect(at(1, 1)).toEqual([clear, clear, clear, red])
    expect(at(1, -1)).toEqual([clear, blue, clear, clear])
    expect(at(2, 0)).toEqual([clear, clear, clear, clear])
    expect(at(-32768, -32768)).toEqual([clear, clear, clear, clear])
  })

  test('a cel without pixels draws nothing', () => {
    for (const [width, height] of [[0, 5] as const, [5, 0] as const])
      expect(drawn({ frames: [{ chunks: [layer(), rawImage(width, height, new Uint8Array())] }] })).toEqual([clear, clear, clear, clear])
  })
})

describe('frames', () => {
  test('a linked cel draws the image of an earlier frame at its own place and opacity', () => {
    const read = readAseprite(
      file({ frames: [{ chunks: [layer(), image(2, 2, four)] }, { chunks: [link(0)] }, { chunks: [link(1, { x: 1, opacity: 128 })] }] }),
    )
    expect(shown(read, 1)).toEqual(shown(read, 0))
    expect(shown(read, 2)).toEqual([clear, 0xff000080, clear, 0x0000ff80])
  })

  test('a frame without a duration takes the speed of the header, and none is shorter than a millisecond', () => {
    const times = (speed: number): readonly number[] =>
      readAseprite(file({ speed, frames: [{ duration: 7, chunks: [] }, { chunks: [] }] })).frames.map(({ durationMs }) => durationMs)
    expect(times(50)).toEqual([7, 50])
    expect(times(0)).toEqual([7, 1])
  })

  test('either count of chunks counts them', () => {
    const built = (counts: readonly [number, number]): readonly number[] =>
      drawn({ frames: [{ chunks: [layer(), image(2, 2, four)], counts }] })
    expect(built([2, 0])).toEqual([red, green, blue, yellow])
    expect(built([0xffff, 2])).toEqual([red, green, blue, yellow])
  })

  test('unknown chunks and user data are skipped', () => {
    expect(ruleOf(chunk(0x1234, bytes().dword(1)), chunk(0x2020, bytes().dword(7)), chunk(0x2017, bytes()))).toBe('read')
  })
})

describe('layers', () => {
  const one = (colour: number): Uint8Array => pixels(colour)
  const pixel = (built: Omit<BuiltFile, 'frames'>, ...chunks: readonly Buffer[]): number | undefined =>
    drawn({ width: 1, height: 1, ...built, frames: [{ chunks }] })[0]

  test('a hidden layer, the layers of a hidden group and reference layers are not drawn, nor is their image unpacked', () => {
    const broken = (at: number): Buffer => rawImage(9, 9, new Uint8Array(1), { layer: at })
    expect(pixel({}, layer({ flags: 0 }), broken(0))).toBe(clear)
    expect(pixel({}, layer({ flags: 65 }), broken(0))).toBe(clear)
    const group = [layer({ type: 1, flags: 0 }), layer({ type: 1, level: 1 }), layer({ level: 2 }), layer()]
    expect(pixel({}, ...group, broken(2), image(1, 1, one(red), { layer: 3 }))).toBe(red)
  })

  test('the opacities of layer and cel are multiplied, that of a layer only if the header says so', () => {
    const chunks = [layer({ opacity: 128 }), image(1, 1, one(red), { opacity: 128 })]
    expect(pixel({ flags: 1 }, ...chunks)).toBe(0xff000040)
    expect(pixel({ flags: 0 }, ...chunks)).toBe(0xff000080)
  })

  test('a background has no opacity and no blend mode', () => {
    expect(pixel({}, layer({ flags: 9, opacity: 0, blend: 99 }), image(1, 1, one(red)))).toBe(red)
  })

  test('the z-index of a cel moves it by layers, and of two at one place the higher index is drawn later', () => {
    const built = (z0: number, z1: number, z2: number): number | undefined =>
      pixel(
        {},
        layer(),
        layer(),
        layer(),
        image(1, 1, one(red), { layer: 0, z: z0 }),
        image(1, 1, one(green), { layer: 1, z: z1 }),
        image(1, 1, one(blue), { layer: 2, z: z2 }),
      )
    expect(built(0, 0, 0)).toBe(blue)
    expect(built(0, 1, 0)).toBe(green)
    expect(built(0, 0, -1)).toBe(green)
    expect(built(2, 1, 0)).toBe(red)
    expect(built(3, 0, 0)).toBe(red)
    expect(built(1, 1, 0)).toBe(green)
  })

  test('a background is drawn first, whatever its z-index', () => {
    expect(pixel({}, layer({ flags: 9 }), layer(), image(1, 1, one(red), { z: 5 }), image(1, 1, one(green), { layer: 1 }))).toBe(green)
  })

  test('a group counts as a layer for the z-index', () => {
    const layers = [layer(), layer({ type: 1 }), layer({ level: 1 })]
    const built = (z: number): number | undefined =>
      pixel({}, ...layers, image(1, 1, one(red), { layer: 0, z }), image(1, 1, one(green), { layer: 2 }))
    expect(built(1)).toBe(green)
    expect(built(2)).toBe(red)
  })

  test('a group that is composed alone shows nothing of another one, nor of a frame before', () => {
    const layers = [layer({ type: 1 }), layer({ level: 1 }), layer({ type: 1 }), layer({ level: 1 })]
    const read = readAseprite(
      file({
        flags: 3,
        width: 2,
        height: 1,
        frames: [
          { chunks: [...layers, image(1, 1, one(red), { layer: 1 }), image(1, 1, one(green), { layer: 3, x: 1 })] },
          { chunks: [image(1, 1, one(blue), { layer: 3, x: 1, opacity: 128 })] },
        ],
      }),
    )
    expect([shown(read, 0), shown(read, 1)]).toEqual([
      [red, green],
      [clear, 0x0000ff80],
    ])
  })

  test('opacity and mode of a group count only if the header says so', () => {
    const chunks = [layer({ type: 1, opacity: 128, blend: 99 }), layer({ level: 1 }), image(1, 1, one(red), { layer: 1 })]
    expect(pixel({ flags: 1 }, ...chunks)).toBe(red)
    expect(rule(file({ flags: 3, frames: [{ chunks }] }))).toBe('blend-mode')
  })
})

// The scenes and their colours are those of Aseprite's own test, tests/scripts/compose_groups.lua.
describe('groups that are composed as a whole', () => {
  const scene = (group: { opacity?: number; blend?: number }, opacity: number, ...chunks: readonly Buffer[]): readonly number[] => {
    const layers = [layer(), layer({ type: 1, ...group }), layer({ level: 1, opacity }), layer()]
    return drawn({ flags: 3, frames: [{ chunks: [...layers, image(2, 2, four, { layer: 2 }), ...chunks] }] })
  }
  const top = image(1, 1, pixels(0xff00ffff), { layer: 3 })

  test('the opacity of a group applies to its layers', () => {
    expect(scene({}, 255)).toEqual([red, green, blue, yellow])
    expect(scene({ opacity: 128 }, 255)).toEqual([0xff000080, 0x00ff0080, 0x0000ff80, 0xffff0080])
    expect(scene({ opacity: 128 }, 128)).toEqual([0xff000040, 0x00ff0040, 0x0000ff40, 0xffff0040])
    expect(scene({ opacity: 128 }, 128, top)).toEqual([0xff00ffff, 0x00ff0040, 0x0000ff40, 0xffff0040])
  })

  test('the blend mode of a group applies to all of it, and not to layers above', () => {
    const black = image(2, 2, pixels(255, 255, 255, 255), { layer: 0 })
    expect(scene({}, 255, black)).toEqual([red, green, blue, yellow])
    expect(scene({ blend: 1 }, 255, black)).toEqual([255, 255, 255, 255])
    expect(scene({ blend: 1 }, 255, black, top)).toEqual([0xff00ffff, 255, 255, 255])
  })

  test('a layer of a group is blended with the group alone, and a z-index stays in it', () => {
    const layers = [layer(), layer({ type: 1 }), layer({ level: 1, blend: 1 }), layer()]
    const cels = (z: number): readonly Buffer[] => [
      image(2, 2, four, { layer: 0 }),
      image(2, 2, pixels(green, green, green, green), { layer: 2, z }),
      image(1, 1, pixels(blue), { layer: 3 }),
    ]
    const built = (flags: number, z: number): readonly number[] => drawn({ flags, frames: [{ chunks: [...layers, ...cels(z)] }] })
    expect(built(1, 0)).toEqual([blue, green, 255, green])
    expect(built(3, 0)).toEqual([blue, green, green, green])
    expect(built(1, 2)).toEqual([255, green, 255, green])
    expect(built(3, 2)).toEqual([blue, green, green, green])
  })
})

describe('tilemaps', () => {
  const [idMask, flipX, flipY, diagonal] = usualMasks as [number, number, number, number]
  const set = tileset(3, 2, 2, 2, Buffer.concat([new Uint8Array(16), four]))
  const built = (value: number, more: Partial<BuiltFile> = {}): readonly number[] =>
    drawn({ ...more, frames: [{ chunks: [set, layer({ type: 2, tileset: 3 }), tiles(1, 1, [value])] }] })

  test('a tile is flipped by its bits', () => {
    expect(built(0)).toEqual([clear, clear, clear, clear])
    expect(built(1)).toEqual([red, green, blue, yellow])
    expect(built(1 + flipX)).toEqual([green, red, yellow, blue])
    expect(built(1 + flipY)).toEqual([blue, yellow, red, green])
    expect(built(1 + diagonal)).toEqual([red, blue, green, yellow])
    expect(built(1 + diagonal + flipX)).toEqual([blue, red, yellow, green])
    expect(built(1 + diagonal + flipY)).toEqual([green, yellow, red, blue])
    expect(built(1 + diagonal + flipX + flipY)).toEqual([yellow, green, blue, red])
  })

  test('other masks are followed', () => {
    const cel = tiles(1, 1, [0x0101], {}, [0xff00, 1, 2, 4])
    expect(drawn({ frames: [{ chunks: [set, layer({ type: 2, tileset: 3 }), cel] }] })).toEqual([green, red, yellow, blue])
  })

  test('tile 0 is empty whatever it shows, unless it is turned', () => {
    const full = tileset(3, 1, 2, 2, four)
    const of = (value: number): readonly number[] =>
      drawn({ frames: [{ chunks: [full, layer({ type: 2, tileset: 3 }), tiles(1, 1, [value])] }] })
    expect([0, flipX, flipY, diagonal].map(of)).toEqual([
      [clear, clear, clear, clear],
      [green, red, yellow, blue],
      [blue, yellow, red, green],
      [red, blue, green, yellow],
    ])
  })

  test('in very old files the empty tile is 0xffffffff, and tile 0 is drawn', () => {
    const old = tileset(0, 1, 2, 2, four, 2)
    const cel = (value: number): Buffer => tiles(1, 1, [value])
    const drawnOld = (value: number): readonly number[] =>
      drawn({ frames: [{ chunks: [old, layer({ type: 2, tileset: 0 }), cel(value)] }] })
    expect(drawnOld(0)).toEqual([red, green, blue, yellow])
    expect(drawnOld(0xffffffff)).toEqual([clear, clear, clear, clear])
  })

  test('only tiles on the canvas are drawn, from a place that may be negative', () => {
    const cel = tiles(3, 3, [1, 1, 1, 1, 1 + flipX, 1, 1, 1, 1], { x: -3, y: -1 })
    expect(drawn({ frames: [{ chunks: [set, layer({ type: 2, tileset: 3 }), cel] }] })).toEqual([yellow, blue, red, red])
  })

  test('a tile that is not there, a turned tile that is not square and a missing tileset are refused', () => {
    const tilemap = layer({ type: 2, tileset: 3 })
    expect(ruleOf(set, tilemap, tiles(1, 1, [2]))).toBe('tile')
    expect(ruleOf(tileset(3, 1, 2, 1, pixels(red, red), 2), tilemap, tiles(1, 1, [diagonal]))).toBe('tile')
    expect(ruleOf(tilemap, tiles(1, 1, [1]))).toBe('tileset')
    expect(ruleOf(set, tilemap, tiles(1, 1, [1], {}, [idMask, flipX, flipY, 0]))).toBe('tile-bits')
    expect(ruleOf(set, tilemap, tiles(1, 1, [1], {}, [idMask, flipX, flipX, diagonal]))).toBe('tile-bits')
    expect(ruleOf(tileset(3, 2, 2, 2, four, 1), tilemap)).toBe('external-tileset')
    expect(ruleOf(tileset(3, 2, 2, 2, four, 3), tilemap)).toBe('external-tileset')
    for (const [count, width, height] of [[0, 2, 2] as const, [1, 0, 2] as const, [1, 2, 0] as const])
      expect(ruleOf(tileset(3, count, width, height, four), tilemap)).toBe('tileset')
    const ofBits = (bits: number): Buffer => {
      const cel = tiles(1, 1, [1])
      cel.writeUInt16LE(bits, 26)
      return cel
    }
    expect([8, 16, 32].map((bits) => ruleOf(set, tilemap, ofBits(bits)))).toEqual(['tile-bits', 'tile-bits', 'read'])
    expect(ruleOf(set, set)).toBe('tileset-twice')
  })
})

describe('tags and slices', () => {
  const tag = (from: number, to: number, direction: number, repeat: number, name: string): Buffer =>
    bytes().word(from, to).byte(direction).word(repeat).bytes(new Uint8Array(10)).string(name).done()
  const tags = (...each: readonly Buffer[]): Buffer => chunk(0x2018, bytes().word(each.length).dword(0, 0).bytes(Buffer.concat(each)))

  test('tags have their range, direction and repeats', () => {
    const chunks = [tags(tag(0, 1, 0, 0, 'a'), tag(1, 1, 1, 1, '\u{feff}ö'), tag(0, 1, 2, 2, ''), tag(0, 0, 3, 65535, 'a'))]
    expect(readAseprite(file({ frames: [{ chunks }, { chunks: [] }] })).tags).toEqual([
      { name: 'a', from: 0, to: 1, direction: 'forward', repeat: 0 },
      { name: '\u{feff}ö', from: 1, to: 1, direction: 'reverse', repeat: 1 },
      { name: '', from: 0, to: 1, direction: 'pingpong', repeat: 2 },
      { name: 'a', from: 0, to: 0, direction: 'pingpong-reverse', repeat: 65535 },
    ])
  })

  test('a tag outside of the frames or of another direction is refused', () => {
    expect(ruleOf(tags(tag(0, 1, 0, 0, 'a')))).toBe('tag')
    expect(ruleOf(tags(tag(1, 0, 0, 0, 'a')))).toBe('tag')
    expect(ruleOf(tags(tag(0, 0, 4, 0, 'a')))).toBe('tag-direction')
  })

  test('slices have keys with bounds, and a middle and a pivot where a key has them', () => {
    const key = (frame: number, center: readonly number[], pivot: readonly number[]): Buffer =>
      bytes()
        .dword(frame, -3, 4, 10, 0, ...center, ...pivot)
        .done()
    const slice = (flags: number, ...keys: readonly Buffer[]): Buffer =>
      chunk(0x2022, bytes().dword(keys.length, flags, 0).string('s').bytes(Buffer.concat(keys)))
    const bounds = { x: -3, y: 4, width: 10, height: 0 }
    const none = 0x80000000
    const chunks = [
      slice(0, key(0, [], [])),
      slice(
        3,
        key(0, [1, 2, 3, 4], [-5, 6]),
        key(1, [0, 0, 0, 0], [none, none]),
        key(1, [1, 1, 0, 9], [none, 2]),
        key(1, [1, 1, 9, 0], [2, none]),
      ),
      slice(1, key(0, [0, 0, 1, 1], [])),
      slice(2, key(0, [], [0, 0])),
    ]
    expect(readAseprite(file({ frames: [{ chunks }, { chunks: [] }] })).slices).toEqual([
      { name: 's', keys: [{ frame: 0, ...bounds }] },
      {
        name: 's',
        keys: [
          { frame: 0, ...bounds, center: { x: 1, y: 2, width: 3, height: 4 }, pivot: { x: -5, y: 6 } },
          { frame: 1, ...bounds },
          { frame: 1, ...bounds, pivot: { x: -(2 ** 31), y: 2 } },
          { frame: 1, ...bounds, pivot: { x: 2, y: -(2 ** 31) } },
        ],
      },
      { name: 's', keys: [{ frame: 0, ...bounds, center: { x: 0, y: 0, width: 1, height: 1 } }] },
      { name: 's', keys: [{ frame: 0, ...bounds, pivot: { x: 0, y: 0 } }] },
    ])
    expect(ruleOf(slice(0, key(1, [], [])))).toBe('slice')
    expect(
      ruleOf(
        chunk(
          0x2022,
          bytes()
            .dword(2 ** 31, 0, 0)
            .string('s'),
        ),
      ),
    ).toBe('truncated')
  })
})

describe('a refused file', () => {
  const whole = file({ frames: [{ chunks: [layer(), image(2, 2, four)] }] })
  const changed = (at: number, ...values: readonly number[]): Uint8Array => {
    const copy = whole.slice()
    copy.set(values, at)
    return copy
  }

  test('breaks a rule of the header', () => {
    expect(rule(new Uint8Array())).toBe('truncated')
    expect(rule(whole.subarray(0, 100))).toBe('file-size')
    expect(rule(changed(4, 1))).toBe('signature')
    expect(rule(changed(0, 1))).toBe('file-size')
    expect(rule(changed(6, 0))).toBe('dimension')
    expect(rule(changed(8, 0))).toBe('dimension')
    expect(rule(changed(12, 24))).toBe('colour-depth')
    expect(rule(changed(34, 2, 1))).toBe('pixel-ratio')
    expect(rule(changed(34, 0, 9))).toBe('read')
    expect(rule(changed(34, 2, 2))).toBe('read')
  })

  test('breaks a rule of its frames', () => {
    expect(rule(changed(6, 2))).toBe('truncated')
    expect(rule(changed(128, 15))).toBe('frame-size')
    expect(rule(changed(132, 1))).toBe('frame-signature')
    expect(rule(changed(134, 3))).toBe('chunk-count')
    expect(rule(file({ frames: [{ chunks: [layer()], counts: [0, 2] }] }))).toBe('chunk-count')
    expect(rule(file({ frames: [{ chunks: [layer()], counts: [2, 2] }] }))).toBe('truncated')
    expect(rule(file({ frames: [{ chunks: [layer(), layer()], counts: [1, 1] }] }))).toBe('frame-size')
    expect(rule(changed(144, 5))).toBe('chunk-size')
    const longer = file({ frames: [{ chunks: [] }, { chunks: [] }] })
    longer[6] = 1
    expect(rule(longer)).toBe('trailing-bytes')
  })

  test('breaks a rule of layers and cels', () => {
    expect(ruleOf(layer({ type: 3 }))).toBe('layer-type')
    expect(ruleOf(layer({ level: 1 }))).toBe('layer-level')
    expect(ruleOf(layer(), layer({ level: 1 }))).toBe('layer-level')
    expect(ruleOf(layer({ type: 1 }), layer({ level: 2 }))).toBe('layer-level')
    expect(ruleOf(...Array.from({ length: 102 }, (_, level) => layer({ type: 1, level })))).toBe('layer-level')
    expect(ruleOf(layer(), layer({ flags: 9 }))).toBe('background')
    expect(ruleOf(layer({ flags: 9, type: 1 }))).toBe('background')
    expect(ruleOf(layer(), chunk(0x2005, rawImage(1, 1, pixels(red)).subarray(6).fill(4, 7, 8)))).toBe('cel-type')
    expect(ruleOf(layer({ blend: 19 }))).toBe('blend-mode')
    expect(ruleOf(image(2, 2, four))).toBe('cel-layer')
    expect(ruleOf(layer({ type: 1 }), image(2, 2, four))).toBe('cel-layer')
    expect(ruleOf(layer(), image(2, 2, four), image(2, 2, four))).toBe('cel-twice')
    expect(ruleOf(layer(), tiles(1, 1, [0]))).toBe('cel-type')
    expect(ruleOf(layer({ type: 2, tileset: 0 }), image(2, 2, four))).toBe('cel-type')
    expect(ruleOf(layer(), link(0))).toBe('link')
    expect(ruleOf(layer(), link(1))).toBe('link')
    expect(rule(file({ frames: [{ chunks: [layer()] }, { chunks: [link(0)] }] }))).toBe('link')
  })

  test('breaks a rule of its pixels', () => {
    expect(ruleOf(layer(), image(2, 2, four.subarray(4)))).toBe('short-data')
    expect(ruleOf(layer(), image(2, 1, four))).toBe('excess-data')
    expect(ruleOf(layer(), rawImage(2, 2, four.subarray(4)))).toBe('short-data')
    expect(ruleOf(layer(), rawImage(2, 1, four))).toBe('excess-data')
    const head = [0, 0, 0, 0, 0, 0, 255, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0]
    expect(ruleOf(layer(), chunk(0x2005, bytes().byte(...head, 1, 2, 3, 4)))).toBe('zlib')
    const packed = image(2, 2, four).subarray(6)
    expect(ruleOf(layer(), chunk(0x2005, packed.subarray(0, -3)))).toBe('zlib-unfinished')
    expect(ruleOf(layer(), chunk(0x2005, Buffer.concat([packed, Buffer.of(0)])))).toBe('zlib-leftover')
  })

  test('breaks a rule of palettes and profiles', () => {
    expect(ruleOf(palette([red, green], 1))).toBe('palette')
    expect(ruleOf(chunk(0x0004, bytes().word(2).byte(0, 1, 1, 2, 3, 0, 1, 1, 2, 3)))).toBe('palette')
    expect(ruleOf(chunk(0x0004, bytes().word(1).byte(1, 0)))).toBe('palette')
    const profile = (type: number, flags: number): Buffer => chunk(0x2007, bytes().word(type, flags).bytes(new Uint8Array(16)))
    expect(ruleOf(profile(0, 0), profile(1, 0))).toBe('read')
    expect(ruleOf(profile(1, 1))).toBe('colour-profile')
    expect(ruleOf(profile(2, 0))).toBe('colour-profile')
    expect(ruleOf(profile(3, 0))).toBe('colour-profile')
    // An ICC profile with the red, green and blue of sRGB, in 65,536ths.
    const icc = Buffer.alloc(228)
    const parts = [
      [0.436, 0.2225, 0.0139],
      [0.3851, 0.7169, 0.0971],
      [0.1431, 0.0606, 0.7139],
    ].entries()
    icc.writeUInt32BE(3, 128)
    for (const [at, colour] of parts) {
      icc.write(`${'rgb'[at]}XYZ`, 132 + 12 * at, 'latin1')
      icc.writeUInt32BE(168 + 20 * at, 136 + 12 * at)
      for (const [part, value] of colour.entries()) icc.writeInt32BE(Math.round(value * 65_536), 176 + 20 * at + 4 * part)
    }
    const embedded = (type: number): Buffer => chunk(0x2007, bytes().word(type, 0).bytes(new Uint8Array(12)).dword(icc.length).bytes(icc))
    expect([1, 2, 3].map((type) => ruleOf(embedded(type)))).toEqual(['read', 'read', 'colour-profile'])
  })

  test('is above a default limit: 64 MiB, 2 ** 26 pixels, or 2 ** 28 steps', () => {
    expect(() => new AsepriteBudget(2 ** 26 + 1, {})).toThrow('too-many-bytes')
    const budget = new AsepriteBudget(2 ** 26, {})
    budget.keep(2 ** 26)
    budget.work(2 ** 28)
    expect(() => budget.keep(1)).toThrow('too-many-pixels')
    expect(() => budget.work(1)).toThrow('too-much-work')
  })

  test('is above a limit, and is refused before its pixels are unpacked', () => {
    expect(rule(whole, { maxBytes: whole.length - 1 })).toBe('too-many-bytes')
    expect(rule(whole, { maxPixels: 100 })).toBe('too-many-pixels')
    expect(rule(whole, { maxSteps: 10 })).toBe('too-much-work')
    expect(rule(whole, { maxBytes: whole.length, maxPixels: 200, maxSteps: 200 })).toBe('read')
    const huge = image(65535, 65535, new Uint8Array(9))
    expect(ruleOf(layer(), huge)).toBe('too-many-pixels')
    expect(rule(file({ width: 65535, height: 65535, frames: [{ chunks: [] }] }))).toBe('too-many-pixels')
    expect(rule(file({ width: 5000, height: 5000, frames: [{ chunks: [] }, { chunks: [] }, { chunks: [] }] }))).toBe('too-many-pixels')
    const slow = [layer({ blend: 12 }), image(256, 256, new Uint8Array(4 * 2 ** 16).fill(1))]
    const many = Array.from({ length: 20 }, () => ({ chunks: [link(0)] }))
    expect(rule(file({ width: 256, height: 256, frames: [{ chunks: slow }, ...many] }), { maxSteps: 2 ** 23 })).toBe('too-much-work')
  })
})
