import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, encodePng } from '../../atlas/index.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { animationKey } from '../../src/sheets/cache/animation.ts'
import type { Overrides } from '../../src/sheets/overrides/overrides.ts'
import { makeSheets, readQuality, type SheetOptions } from '../../src/sheets/sheet.ts'
import type { FrameSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { makeZip } from '../atlas/made-zip.ts'
import { memoryCache } from './memory-cache.ts'

const options: SheetOptions = { maxSize: 256, encodings: ['png'], level: 1, ktx2: 'uastc' }

/** A frame of 6 by 4 pixels. The first is filled, the others have a hole. */
function drawn(index: number): Bitmap {
  const frame = createBitmap(6, 4)
  frame.data.fill(100 + index)
  frame.data.fill(0, index * 4, index * 8)
  return frame
}
const zip = makeZip([0, 1, 2, 3, 4, 5, 6].map((index) => ({ name: `frames/frame_${index}.png`, packed: encodePng(drawn(index)) })))
const result = (more: object = {}): FrameSource => ({ kind: 'result', sha256: 'a', read: async () => zip, ...more })

/** The inputs of a sprite: its spec with these sources, in the order of its animations and pictures. */
function inputsOf(
  name: string,
  fields: object,
  sources: readonly (FrameSource & { readonly overrides?: Overrides })[],
  paths?: readonly string[],
): SheetInput[] {
  const text = JSON.stringify({ reference: `./${name}.png`, prompt: 'x', ...fields })
  const spec = parseSpec(text, `/game/${name}.sprite.json`)
  return spec.animations.map((animation, at) => {
    const { overrides, ...source } = sources[at] ?? sources[0]!
    return { spec, animation, source, overrides, ...(paths ? { overridePaths: paths } : {}) }
  })
}
const walk = { frames: 7 }
const touched: Overrides = {
  key: [
    [2, 'a', null],
    [5, 'b', null],
  ],
  read: async () => ({ found: [], warnings: [] }),
}

/** A picture of own art that says when it is read. */
const art = (onRead: () => void = () => {}): FrameSource => ({
  kind: 'own',
  sha256: 'o',
  read: async () => {
    onRead()
    return [drawn(0)]
  },
})
const placeholder: FrameSource = { kind: 'placeholder', sha256: 'p', read: async () => encodePng(drawn(0)), prompt: 'x', isMarked: false }

test('a project is its sprites by name, each with its files, its size, its atlas and the short names of what it shows', async () => {
  const hero = inputsOf(
    'hero',
    {
      ...{ animations: { walk, idle: walk }, mirror: { left: 'walk' } },
      ...{ size: 12, scales: [2, 1], anchor: [0.5, 1], pixelArt: true },
    },
    [result({ isSuperseded: true }), { ...result(), overrides: touched }],
    ['/game/hero.frames', '/game/hero.frames/a'],
  )
  const pictures = { sword: [{ edit: 'a' }], axe: [{ edit: 'b' }] }
  const icons = inputsOf('icons', { pictures, mirror: { blade: 'sword' }, trim: false }, [art()], [])
  const coin = inputsOf('coin', { animations: { spin: walk }, atlas: 'coins', pixelArt: true }, [placeholder])
  const finished: string[] = []
  const cache = memoryCache()
  const finish = async (): Promise<void> => void finished.push(`after ${cache.kept.size} entries`)
  const inputs = [...icons, ...hero, ...coin]
  const { sprites, atlases, quality } = await makeSheets(inputs, 'group', options, { cache: { ...cache, finish }, warn: () => {} })
  const usual = { pixelArt: true, isPlaceholder: false }
  expect(sprites).toEqual([
    {
      ...{ ...usual, name: 'coin', file: '/game/coin.sprite.json', picture: '/game/coin.png', atlas: 'coins', isPlaceholder: true },
      ...{ width: 6, height: 4, animations: ['spin'] },
    },
    {
      ...{ ...usual, name: 'hero', file: '/game/hero.sprite.json', picture: '/game/hero.png', atlas: 'sprites-pixel' },
      ...{ width: 12, height: 8, anchor: { x: 0.5, y: 1 }, animations: ['walk', 'idle', 'left'] },
      ...{ overridePaths: ['/game/hero.frames', '/game/hero.frames/a'], superseded: ['walk'], touchedUp: { idle: [2, 5] } },
    },
    {
      ...{ ...usual, name: 'icons', file: '/game/icons.sprite.json', picture: '/game/icons.png', atlas: 'sprites', pixelArt: false },
      ...{ width: 6, height: 4, animations: [], pictures: ['sword', 'axe', 'blade'] },
    },
  ])
  for (const field of ['overridePaths', 'superseded', 'touchedUp'])
    expect(sprites.filter((one) => Object.hasOwn(one, field))).toHaveLength(1)
  expect(atlases.map(({ name, scale, pixelArt }) => [name, scale, pixelArt])).toEqual([
    ['coins', 1, true],
    ['sprites', 1, false],
    ['sprites-pixel', 2, true],
    ['sprites-pixel', 1, true],
  ])
  expect(atlases.map(({ animations }) => animations.map(({ name }) => name))).toEqual([
    ['coin/spin'],
    [],
    ['hero/idle', 'hero/left', 'hero/walk'],
    ['hero/idle', 'hero/left', 'hero/walk'],
  ])
  expect(quality?.map(({ id }) => id)).toEqual(['hero.idle', 'hero.walk'])
  // Three groups, and the frames of five.
  expect(finished).toEqual(['after 8 entries'])
})

test('where each sprite is an atlas, it has its name, one page encoding, and mirror images that are drawn', async () => {
  const hero = inputsOf('hero', { animations: { walk }, mirror: { left: 'walk' }, atlas: 'ui', pixelArt: true }, [art()])
  const ports = { cache: memoryCache(), warn: () => {} }
  const made = async (encodings: SheetOptions['encodings']) =>
    (await makeSheets(hero, 'sprite', { ...options, encodings }, ports)).atlases.map(({ name, pages, alternates, mirrors }) => ({
      ...{ name, mirrors, encodings: [pages, ...(alternates ?? [])].map(([page]) => page?.extension) },
    }))
  const one = { name: 'hero', mirrors: { 'hero/left': 'hero/walk' } }
  expect(await made(['ktx2', 'png', 'webp'])).toEqual([{ ...one, encodings: ['png'] }])
  expect(await made(['ktx2'])).toEqual([{ ...one, encodings: ['png'] }])
})

test('a dev server has a new mirror image at once, on the pages of before, and nothing new without a change', async () => {
  const ports = { cache: memoryCache(), memory: new Map(), warn: () => {} }
  const show = async (fields: object) =>
    (await makeSheets(inputsOf('hero', { animations: { walk }, pixelArt: true, ...fields }, [art()]), 'sprite', options, ports)).atlases[0]!
  const [plain, mirrored, same] = [await show({}), await show({ mirror: { left: 'walk' } }), await show({ mirror: { left: 'walk' } })]
  expect([plain.mirrors, mirrored.mirrors]).toEqual([undefined, { 'hero/left': 'hero/walk' }])
  expect(mirrored.pages).toBe(plain.pages)
  expect(same).toBe(mirrored)
})

test('a group whose touched-up frames do not fit is made without them, if somebody is told, and no other fault is passed over', async () => {
  const fault = new SpritewrightError('SW_OVERRIDE', { message: 'Expected another size.', facts: {} })
  const failing = (error: Error): Overrides => ({ key: [[0, 'a', null]], read: () => Promise.reject(error) })
  const told: unknown[] = []
  const make = (error: Error, onOverrideFault?: (error: SpritewrightError) => void) =>
    makeSheets(inputsOf('hero', { animations: { walk } }, [{ ...result(), overrides: failing(error) }]), 'group', options, {
      ...{ cache: memoryCache(), warn: () => {}, onOverrideFault },
    })
  expect((await make(fault, (error) => told.push(error))).atlases[0]?.frames).toHaveLength(7)
  expect(told).toEqual([fault])
  await expect(make(fault)).rejects.toBe(fault)
  const other = new SpritewrightError('SW_DISK', { message: 'It cannot be read.', facts: {} })
  await expect(make(other, (error) => told.push(error))).rejects.toBe(other)
  expect(told).toHaveLength(1)
})

describe('the quality of some animations', () => {
  const opened: string[] = []
  /** Three animations of two sprites, of which the last cannot be read, and a picture of own art. */
  const inputs = (failure: Error | undefined = undefined): readonly SheetInput[] => {
    const reads = (name: string, error?: Error): FrameSource => ({
      ...{ kind: 'result', sha256: name },
      read: async () => {
        opened.push(name)
        if (error) throw error
        return zip
      },
    })
    return [
      ...inputsOf('orc', { animations: { walk: { ...walk, meant: ['background'] } }, trim: false }, [reads('orc.walk')]),
      ...inputsOf('hero', { animations: { walk, idle: walk } }, [reads('hero.walk', failure), reads('hero.idle')]),
      ...inputsOf('badge', { pictures: { it: [{ edit: 'a' }] } }, [art(() => opened.push('badge.it'))]),
    ]
  }
  const ids = new Set(['orc.walk', 'hero.walk', 'badge.it', 'nobody.walk'])
  const wrong = new SpritewrightError('SW_VAULT', { message: 'It is damaged.', facts: {} })
  const read = async (cache = memoryCache(), failure?: Error) => {
    opened.length = 0
    const found = await readQuality(inputs(failure), ids, options, { cache })
    return [found.map(({ id, flags }) => `${id} ${flags.map(({ fault }) => fault)}`), [...opened]]
  }
  const both = ['hero.walk background', 'orc.walk ']

  test('is read from their results by id, kept, and not read of others or of what cannot be read', async () => {
    const cache = memoryCache()
    expect(await read(cache)).toEqual([both, ['orc.walk', 'hero.walk']])
    expect(await read(cache)).toEqual([both, []])
    expect(await read(memoryCache(), wrong)).toEqual([both.slice(1), ['orc.walk', 'hero.walk']])
    await expect(read(memoryCache(), new TypeError('not a function'))).rejects.toThrow(TypeError)
  })

  test.each(['group', 'sprite'] as const)('is that of the pages of each %s, if they are there', async (grouping) => {
    const cache = memoryCache()
    await makeSheets(inputs(), grouping, options, { cache, warn: () => {} })
    const pages = memoryCache(cache)
    for (const input of inputs()) pages.kept.delete(animationKey(input))
    expect(await read(pages, wrong)).toEqual([both, []])
  })
})
