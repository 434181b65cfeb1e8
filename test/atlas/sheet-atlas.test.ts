import { describe, expect, test } from 'vitest'
import { crop } from '../../atlas/bitmap.ts'
import { cutFrame, parseSheetAtlas } from '../../atlas/delivery/sheet-atlas.ts'
import { picture } from './numbered-picture.ts'
import { refusal } from './refusal.ts'

describe('an atlas of another tool', () => {
  const place = { x: 5, y: 6, w: 10, h: 20 }
  const whole = { name: 'a', x: 5, y: 6, width: 10, height: 20, rotated: false, offsetX: 0, offsetY: 0, sourceWidth: 10, sourceHeight: 20 }
  const inner = { x: 1, y: 2, w: 10, h: 20 }
  const outer = { w: 11, h: 22 }
  const read = (frame: unknown): unknown => parseSheetAtlas(JSON.stringify({ frames: { a: frame } }))?.frames[0]

  test.each<[string, unknown, object]>([
    ['a place alone', { frame: place }, {}],
    ['turned', { frame: place, rotated: true }, { rotated: true }],
    ['turned by a word', { frame: place, rotated: 'true' }, {}],
    [
      'trimmed',
      { frame: place, spriteSourceSize: inner, sourceSize: outer },
      { offsetX: 1, offsetY: 2, sourceWidth: 11, sourceHeight: 22 },
    ],
    ['not trimmed', { frame: place, trimmed: false, spriteSourceSize: inner, sourceSize: outer }, {}],
    ['trimmed without a size', { frame: place, trimmed: true, spriteSourceSize: inner }, {}],
    ['trimmed without a place', { frame: place, trimmed: true, sourceSize: outer }, {}],
    [
      'with an edge',
      { frame: place, spriteSourceSize: { w: 6, h: 16 } },
      { x: 7, y: 8, width: 6, height: 16, sourceWidth: 6, sourceHeight: 16 },
    ],
    [
      'with an edge and trimmed',
      { frame: place, spriteSourceSize: { x: 3, y: 4, w: 8, h: 18 }, sourceSize: { w: 30, h: 40 } },
      { x: 6, y: 7, width: 8, height: 18, offsetX: 3, offsetY: 4, sourceWidth: 30, sourceHeight: 40 },
    ],
    ['with edges that differ', { frame: place, spriteSourceSize: { w: 6, h: 18 } }, {}],
    ['with half an edge', { frame: place, spriteSourceSize: { w: 7, h: 17 } }, {}],
    ['larger inside than outside', { frame: place, spriteSourceSize: { w: 12, h: 22 } }, {}],
    ['without a width inside', { frame: place, spriteSourceSize: { w: 0, h: 10 } }, {}],
    [
      'without a height inside',
      { frame: { ...place, w: 20, h: 10 }, spriteSourceSize: { w: 10, h: 0 } },
      { width: 20, height: 10, sourceWidth: 20, sourceHeight: 10 },
    ],
    [
      'at the edge of all numbers',
      { frame: { x: 65_535, y: 0, w: 1, h: 1 } },
      { x: 65_535, y: 0, width: 1, height: 1, sourceWidth: 1, sourceHeight: 1 },
    ],
  ])('reads a frame: %s', (_, frame, found) => {
    expect(read(frame)).toEqual({ ...whole, ...found })
  })

  test.each([
    null,
    7,
    [],
    {},
    { frame: null },
    { frame: [5, 6, 10, 20] },
    ...['x', 'y', 'w', 'h'].flatMap((side) => [undefined, -1, 1.5, 65_536, '5'].map((value) => ({ frame: { ...place, [side]: value } }))),
    { frame: { ...place, w: 0 } },
    { frame: { ...place, h: 0 } },
    ...['x', 'y'].map((side) => ({ frame: place, spriteSourceSize: { ...inner, [side]: -1 }, sourceSize: outer })),
    ...['w', 'h'].map((side) => ({ frame: place, spriteSourceSize: inner, sourceSize: { ...outer, [side]: 1.5 } })),
    { frame: place, spriteSourceSize: inner, sourceSize: { ...outer, w: 10 } },
    { frame: place, spriteSourceSize: inner, sourceSize: { ...outer, h: 21 } },
  ])('is none with the frame %j', (frame) => {
    expect(read(frame)).toBeUndefined()
    expect(parseSheetAtlas(JSON.stringify({ frames: { b: { frame: place }, a: frame } }))).toBeUndefined()
  })

  test.each(['', 'no JSON', '7', 'null', '[{"frame":{}}]', '{}', '{"frames":7}', '{"frames":{}}', '{"frames":[]}', '{"frames":[7]}'])(
    'is not the text %j',
    (text) => {
      expect(parseSheetAtlas(text)).toBeUndefined()
    },
  )

  test.each<[unknown, unknown]>([
    [{ frames: [{ filename: 'a', frame: place }] }, { frames: [whole] }],
    [{ frames: [{ filename: '', frame: place }] }, undefined],
    [{ frames: [{ filename: 7, frame: place }] }, undefined],
    [{ frames: [{ frame: place }] }, undefined],
    [{ frames: { '': { frame: place } } }, undefined],
    [{ frames: [{ filename: 'x'.repeat(1024), frame: place }] }, { frames: [{ ...whole, name: 'x'.repeat(1024) }] }],
    [{ frames: [{ filename: 'x'.repeat(1025), frame: place }] }, undefined],
    [{ frames: [{ filename: 'ä'.repeat(513), frame: place }] }, undefined],
    [
      { frames: { a: { frame: place } }, meta: { image: 'hero.png' } },
      { frames: [whole], image: 'hero.png' },
    ],
    [{ frames: { a: { frame: place } }, meta: { image: 7 } }, { frames: [whole] }],
    [{ frames: { a: { frame: place } }, meta: [] }, { frames: [whole] }],
  ])('by its shape, case %#', (json, found) => {
    expect(parseSheetAtlas(JSON.stringify(json))).toEqual(found)
  })
})

describe('a frame cut from its sheet', () => {
  const sheet = picture(1, 8, 6)
  const frame = { name: 'a', x: 0, y: 0, width: 8, height: 6, rotated: false, offsetX: 0, offsetY: 0, sourceWidth: 8, sourceHeight: 6 }

  test('is the sheet itself only if it is all of it', () => {
    expect(cutFrame(sheet, frame)).toBe(sheet)
    expect(cutFrame(sheet, { ...frame, width: 7, sourceWidth: 7 })).toEqual(crop(sheet, 0, 0, 7, 6))
    expect(cutFrame(sheet, { ...frame, height: 5, sourceHeight: 5 })).toEqual(crop(sheet, 0, 0, 8, 5))
    const wider = cutFrame(sheet, { ...frame, sourceWidth: 9, offsetX: 1 })
    expect([wider.width, wider.height, crop(wider, 1, 0, 8, 6)]).toEqual([9, 6, sheet])
    const taller = cutFrame(sheet, { ...frame, sourceHeight: 8, offsetY: 2 })
    expect([taller.width, taller.height, crop(taller, 0, 2, 8, 6)]).toEqual([8, 8, sheet])
  })

  test.each([
    ['outside-sheet', { x: 1 }],
    ['outside-sheet', { y: 1 }],
    ['outside-sheet', { rotated: true }],
    ['frame-too-large', { sourceWidth: 4096, sourceHeight: 4097 }],
  ])('is refused by the rule %s, with the size of the sheet: %j', (rule, change) => {
    const { code, facts } = refusal(() => cutFrame(sheet, { ...frame, ...change }))
    expect([code, facts]).toEqual(['SW_DELIVERY_LAYOUT', { rule, frame: 'a', width: 8, height: 6 }])
  })
})
