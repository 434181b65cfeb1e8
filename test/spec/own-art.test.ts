import { expect, test } from 'vitest'
import { createBitmap, encodePng, writeAseprite } from '../../atlas/index.ts'
import type { SpritewrightError } from '../../src/errors.ts'
import { boxesOf } from '../../src/sprite-spec/boxes.ts'
import { bareSpec, filesOf, sequenceOf } from '../../src/sprite-spec/own-art.ts'
import { tryReadSpec } from '../../src/sprite-spec/scan.ts'
import type { AnimationSpec, SpriteSpec } from '../../src/sprite-spec/spec.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const png = encodePng(createBitmap(4, 4))

/** The JSON of a sheet by Aseprite: frames with their times, and tags. */
const sheet = (times: readonly number[], frameTags: readonly object[]): string =>
  JSON.stringify({
    frames: times.map((duration, at) => ({ filename: `${at}`, frame: { x: at % 4, y: 0, w: 1, h: 1 }, duration })),
    meta: { image: 'a.png', frameTags },
  })

/** Reads a spec of own art at `/game/art/hero.sprite.json`, beside these files. */
async function read(fields: object, files: Readonly<Record<string, string | Uint8Array>>): Promise<SpriteSpec | SpritewrightError> {
  const disk = new MemoryDisk()
  const all = { 'hero.sprite.json': JSON.stringify(fields), 'a.png': png, ...files }
  for (const [name, content] of Object.entries(all))
    disk.files.set(`/game/art/${name}`, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  return (await tryReadSpec(disk, '/game/art/hero.sprite.json', '/game')).spec
}

async function walkOf(own: object, times: readonly number[], tag: object = {}): Promise<AnimationSpec | undefined> {
  const tags = [{ name: 'walk', from: 1, to: times.length - 1, ...tag }]
  const spec = await read({ source: './a.json', animations: { walk: own } }, { 'a.json': sheet(times, tags) })
  return (spec as SpriteSpec).animations[0]
}

const plain = { name: 'walk', prompt: '', frames: 3, take: 1, fps: 10, loop: true, yoyo: false }
test.each<[string, object, readonly number[], object, object]>([
  ['even times as its pace', {}, [7, 100, 100, 100], {}, {}],
  ['uneven times one by one', {}, [7, 100, 50, 100], {}, { fps: 12, durations: [100, 50, 100] }],
  ['even times that are too short for a pace one by one', {}, [7, 4, 4, 4], {}, { fps: 12, durations: [4, 4, 4] }],
  [
    'the times of the frames that are played',
    { use: [2, 1, 1] },
    [7, 100, 50, 200],
    {},
    { fps: 12, durations: [200, 50, 50], use: [2, 1, 1] },
  ],
  ['a pace of the spec over its times', { fps: 5 }, [7, 100, 50, 100], {}, { fps: 5 }],
  ['times of the spec over its own', { durations: [1, 2, 3] }, [7, 100, 100, 100], {}, { durations: [1, 2, 3] }],
  ['its direction', {}, [7, 100, 100, 100], { direction: 'reverse' }, { use: [2, 1, 0] }],
  ['frames of the spec over its direction', { use: [0, 1] }, [7, 100, 100, 100], { direction: 'reverse' }, { use: [0, 1] }],
  ['its way back', {}, [7, 100, 100, 100], { direction: 'pingpong' }, { yoyo: true }],
  ['no way back if the spec says so', { yoyo: false }, [7, 100, 100, 100], { direction: 'pingpong' }, {}],
  ['its end', {}, [7, 100, 100, 100], { repeat: '1' }, { loop: false }],
  ['no end if the spec says so', { loop: true }, [7, 100, 100, 100], { repeat: '1' }, {}],
  ['an end if the spec says so', { loop: false }, [7, 100, 100, 100], {}, { loop: false }],
  ['intended faults', { meant: ['halo'] }, [7, 100, 100, 100], {}, { meant: ['halo'] }],
  ['no intended faults of an empty list', { meant: [] }, [7, 100, 100, 100], {}, {}],
])('an animation of own art has %s', async (_, own, times, tag, part) => {
  expect(await walkOf(own, times, tag)).toEqual({ ...plain, ...part })
})

test('a file without names is one animation, or those that the spec selects from it', async () => {
  const files = { 'a.json': sheet([100, 100, 100], []) }
  const namesOf = async (fields: object): Promise<unknown> =>
    ((await read({ source: './a.json', ...fields }, files)) as SpriteSpec).animations.map(({ name, frames, use }) => [name, frames, use])
  expect(await namesOf({})).toEqual([['all', 3, undefined]])
  expect(await namesOf({ animations: { b: { use: [2] }, a: {} } })).toEqual([
    ['b', 3, [2]],
    ['a', 3, undefined],
  ])
})

const folder = { 'ui/sword.png': png, 'ui/walk_1.png': png, 'ui/walk_2.png': png }
test.each<[string, object, Readonly<Record<string, string | Uint8Array>>, RegExp]>([
  ['a frame just beyond the last', { animations: { walk: { use: [2] } } }, {}, /frames 0 to 1 in "use" of "walk", found frame 2/],
  [
    'another number of times than of used frames',
    { animations: { walk: { use: [0, 1, 0], durations: [5, 5] } } },
    {},
    /3 durations of "walk"/,
  ],
  ['a mirror of nothing', { mirror: { left: 'wlak' } }, {}, /did you mean "walk"\?.*Correct "mirror\.left"/],
  ['a mirror of a taken name', { mirror: { Sword: 'walk' } }, {}, /a new name, which differs from "sword" in more than case/],
  ['boxes of nothing', { boxes: { body: { wlak: 'find' } } }, {}, /did you mean "walk"\?.*Correct "boxes\.body\.wlak"/],
  ['boxes of a frame just beyond the last', { boxes: { body: { walk: { 2: 'find' } } } }, {}, /one of the 2 frames, 0 to 1/],
  ['borders of an animation', { borders: { walk: 1 } }, {}, /Correct "borders"/],
  ['remarks on an animation', { meant: { walk: ['halo'] } }, {}, /Correct "meant"/],
  ['names that differ in case alone', {}, { 'ui/Sword.png': png }, /differ in more than case, found "Sword" and "sword"/],
  ['a name that Windows reserves', {}, { 'ui/con.png': png }, /found "con"\. Rename the tag or the file\./],
])('own art with %s is refused, with the file of the source', async (_, fields, files, words) => {
  const error = await read({ source: './ui/', ...fields }, { ...folder, ...files })
  expect(error).toMatchObject({
    code: 'SW_SOURCE',
    message: expect.stringMatching(words),
    facts: { file: '/game/art/hero.sprite.json', source: '/game/art/ui', sources: ['/game/art/ui', '/game/art/ui'] },
  })
})

test.each([[['walk', 'Walk']], [['Walk', 'walk']]])('tags of the names %j, in this order, are refused', async (names) => {
  const json = sheet(
    [100, 100],
    names.map((name) => ({ name, from: 0, to: 1 })),
  )
  expect(await read({ source: './a.json' }, { 'a.json': json })).toMatchObject({
    code: 'SW_SOURCE',
    message: expect.stringContaining(`found "${names[0]}" and "${names[1]}"`),
  })
})

test('a damaged file of a folder is named beside the folder, because either may be mended', async () => {
  expect(await read({ source: './ui/' }, { ...folder, 'ui/coin.gif': 'text' })).toMatchObject({
    facts: { source: '/game/art/ui/coin.gif', sources: ['/game/art/ui', '/game/art/ui/coin.gif'] },
  })
})

test('the files of a spec are those of its source and its palette', async () => {
  const fields = { source: './ui/', pixelArt: { palette: './four.hex' } }
  const spec = (await read(fields, { ...folder, 'four.hex': '000000\nffffff\n' })) as SpriteSpec
  const art = ['/game/art/ui', '/game/art/ui/sword.png', '/game/art/ui/walk_1.png', '/game/art/ui/walk_2.png']
  expect(filesOf(spec)).toEqual([...art, '/game/art/four.hex'])
  expect(await read(fields, folder)).toMatchObject({ code: 'SW_SOURCE', facts: { source: '/game/art/four.hex' } })
})

/** Two frames of 10 × 8 pixels. The box `body` moves in the second one. */
const key = { frame: 0, x: 1, y: 2, width: 5, height: 4 }
const goblin = writeAseprite({
  width: 10,
  height: 8,
  frames: [40, 40].map((durationMs) => ({ bitmap: createBitmap(10, 8), durationMs })),
  tags: [],
  slices: [
    { name: 'body', keys: [key, { ...key, frame: 1, x: 5 }] },
    { name: 'feet', keys: [{ ...key, pivot: { x: 4, y: 6 } }] },
  ],
})

test.each<[string, object, object]>([
  ['of its slices, each in its frame', {}, { body: [[0.5, 0.25, 0.5, 0.5]] }],
  ['of the spec beside those of its slices', { hurt: [0, 0, 1, 1] }, { body: [[0.5, 0.25, 0.5, 0.5]], hurt: [[0, 0, 1, 1]] }],
  ['of the spec over a slice of that name', { body: [0, 0, 1, 1] }, { body: [[0, 0, 1, 1]] }],
  [
    'of all others of its animation before those of its number',
    { body: { all: { '*': [0, 0, 1, 1] }, '*': { 1: [0, 0, 0.5, 1] } } },
    { body: [[0, 0, 1, 1]] },
  ],
])('a frame of own art has the boxes %s', async (_, boxes, expected) => {
  const spec = (await read({ source: './a.aseprite', boxes }, { 'a.aseprite': goblin })) as SpriteSpec
  expect(Object.fromEntries(boxesOf(spec, spec.animations[0] as AnimationSpec, 1))).toEqual(expected)
})

test('the boxes of a picture with the name of its sprite are found by that name', async () => {
  const spec = (await read({ source: './a.png', boxes: { body: { hero: [0, 0, 1, 1] } } }, {})) as SpriteSpec
  expect(boxesOf(spec, spec.animations[0] as AnimationSpec, 0)).toEqual([['body', [[0, 0, 1, 1]]]])
})

test('the anchor of a spec counts before that of its source', async () => {
  const files = { 'a.aseprite': goblin }
  expect(await read({ source: './a.aseprite' }, files)).toMatchObject({ anchor: { x: 0.5, y: 1 } })
  expect(await read({ source: './a.aseprite', anchor: [0, 0.5] }, files)).toMatchObject({ anchor: { x: 0, y: 0.5 } })
})

test('own art without a spec is named by its file, and a name that no sprite may have is refused', () => {
  expect(bareSpec('/game/art/goblin.aseprite')).toMatchObject({
    ...{ name: 'goblin', file: '/game/art/goblin.aseprite', prompt: '', background: 'keep', animations: [] },
    reference: { kind: 'own', path: './goblin.aseprite', playback: [] },
  })
  expect(() => bareSpec('/game/art/a b.aseprite')).toThrow(
    expect.objectContaining({ code: 'SW_SOURCE', message: expect.stringContaining('"a b.aseprite"') }),
  )
})

test('an animation that the source does not have is named, with the one that was meant', async () => {
  const tags = ['idle', 'walk'].map((name, at) => ({ name, from: at, to: at }))
  const spoken = async (name: string) =>
    read({ source: './a.json', animations: { [name]: {} } }, { 'a.json': sheet([100, 100], tags) }) as Promise<SpritewrightError>
  expect(await spoken('wlak')).toMatchObject({ code: 'SW_SOURCE', message: expect.stringMatching(/"wlak".*idle, walk.*"walk"/) })
  expect((await spoken('completely-else')).message).not.toContain('Did you mean')
})

test('the pictures of an animation are found by its name, and those without a name are for each', () => {
  const of = (names: readonly string[]) => ({ art: { sequences: names.map((name) => ({ name })) } }) as unknown as SpriteSpec
  expect(sequenceOf(of(['idle', 'walk']), { name: 'walk' })).toEqual({ name: 'walk' })
  expect(sequenceOf(of(['', 'walk']), { name: 'run' })).toEqual({ name: '' })
  expect(() => sequenceOf(of([]), { name: 'run' })).toThrow(expect.objectContaining({ code: 'SW_INTERNAL' }))
})
