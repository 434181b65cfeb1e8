import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng, encodePng, variantsOf } from '../../atlas/index.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { BuiltAtlas } from '../../src/sheets/sheet.ts'
import { compareFolder, hashPixels, hashShipped } from '../../src/workshop/disclose/pixels.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { heroSpec } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { approveAll, world } from '../money/world.ts'
import { built, unexplainedIn } from './disclosed-project.ts'

/** Hashes pixels as the guide says. */
async function hashOf(file: Uint8Array): Promise<string> {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 0) data.fill(0, at, at + 4)
  return createHash('sha256').update(`${info.width} ${info.height}\n`).update(data).digest('hex')
}

test('every shipped frame has its origin: purchase, approval, file of own art or touched-up file, with both hashes', async () => {
  const { open, folder, project, service } = await built()
  const asked = service.requests().length
  const found = await open.disclose(folder)
  expect(found.unexplained).toEqual([])
  expect(found.compared).toBeGreaterThan(0)
  const frames = found.animations.flatMap((one) => one.frames.map(({ frame }) => frame))
  const { sheets } = await open.build()
  expect(frames.sort()).toEqual(
    sheets.atlases.flatMap((atlas) => [atlas, ...variantsOf(atlas)].flatMap((one) => one.frames.map(({ name }) => name))).sort(),
  )
  const [walk, idle, badge] = ['hero.walk', 'hero.idle', 'badge'].map((id) => found.animations.find((one) => one.id === id)!)
  const [line] = (await open.ledger()).lines.filter(({ id }) => id === 'hero.walk')
  expect(walk).toMatchObject({
    origin: 'bought',
    picture: 'sprites/hero.png',
    purchase: {
      asked: { prompt: 'a small figure\nwalk', frames: 7 },
      executionId: line!.executionId,
      credits: line!.credits,
      given: 'unattended',
      approvedBy: expect.any(String),
      at: new Date(line!.at).toISOString(),
    },
  })
  const byHand = 'sprites/hero.frames/walk/0002.png'
  expect(walk!.frames.map(({ frame, madeOf, touchedUp }) => [frame, madeOf, touchedUp])).toEqual(
    [0, 2, 4].flatMap((index) => {
      const [original, file] = [`hero/walk/000${index}`, index === 2 ? byHand : undefined]
      const made = [`hero/walk-left/000${index}`, `hero.red/walk/000${index}`, `hero.red/walk-left/000${index}`]
      return [[original, undefined, file], ...made.map((name) => [name, original, file])]
    }),
  )
  expect(idle!.frames.map(({ touchedUp }) => touchedUp)).toEqual(Array(14).fill(undefined))
  expect(badge).toMatchObject({ origin: 'drawn', files: ['art/badge.png'] })
  const originals = await open.originals('hero.walk')
  const touched = walk!.frames.find(({ frame }) => frame === 'hero/walk/0002')
  expect(touched!.delivered.sha256).toBe(await hashOf(originals[2]!.bytes))
  expect(touched!.shipped.sha256).toBe(await hashOf(await readFile(join(project.root, touched!.touchedUp!))))
  expect(badge!.frames[0]!.shipped.sha256).toBe(await hashOf(await readFile(join(project.root, 'art/badge.png'))))
  expect(service.requests()).toHaveLength(asked)
})

test('one pixel of the built files that was changed by hand, without a record, is found, and its frame is named', async () => {
  const { open, folder, workshop } = await built()
  const file = join(folder, 'sprites-0.png')
  const page = decodePng(await readFile(file))
  const { sheets } = await open.build()
  const frame = sheets.atlases[0]!.frames.find(({ name }) => name === 'hero/idle/0003')!
  // The alpha of the first visible pixel changes by one.
  const at = Array.from({ length: frame.width * frame.height }, (_, pixel) => {
    return 4 * (page.width * (frame.y + Math.floor(pixel / frame.width)) + frame.x + (pixel % frame.width)) + 3
  }).find((alpha) => page.data[alpha] === 255)!
  page.data[at] = 254
  await writeFile(file, encodePng(page))
  expect(unexplainedIn(await open.disclose(folder))).toEqual(['hero/idle/0003'])
  page.data[at] = 255
  await writeFile(
    file,
    await sharp(page.data, { raw: { width: page.width, height: page.height, channels: 4 } })
      .png()
      .toBuffer(),
  )
  expect(unexplainedIn(await (await workshop()).disclose(folder))).toEqual([])
})

test('a placeholder has no origin, and what no build ships needs none', async () => {
  const { workshop } = await world({}, heroSpec(['walk', 'idle']))
  const first = await workshop()
  await first.approve({ names: ['hero.walk'], confirm: async () => true })
  await first.build({ names: ['hero.walk'] })
  const found = await first.disclose()
  expect([unexplainedIn(found), found.compared]).toEqual([[], undefined])
  expect(found.animations.map(({ id }) => id)).toEqual(['hero.walk'])
  const shown = await (await workshop({ build: { unbought: 'placeholder' } })).disclose()
  expect(shown.unexplained[0]).toEqual({ name: 'hero/idle/0000', why: expect.stringContaining('placeholder') })
  expect(unexplainedIn(shown).every((name) => name.startsWith('hero/idle/'))).toBe(true)
})

test('of two requests with an equal result, each animation names its own', async () => {
  const { image, sheet } = quickMakers()
  let first: Parameters<typeof sheet>[0] | undefined
  const equal: typeof sheet = (request, _prompt, tools) => {
    first ??= request
    return sheet(first, '', tools)
  }
  const { workshop } = await world({ makers: { image, sheet: equal } }, heroSpec(['walk', 'idle']))
  const open = await workshop()
  await approveAll(open)
  await open.build()
  const { animations } = await open.disclose()
  expect(new Set(animations.map(({ purchase }) => purchase?.result)).size).toBe(1)
  expect(animations.map(({ id, purchase }) => [id, purchase?.asked.prompt])).toEqual(
    ['walk', 'idle'].map((name) => [`hero.${name}`, `a small figure\n${name}`]),
  )
})

test('a picture that was bought at its second attempt has the execution, the result and the price of that one', async () => {
  let failures = 1
  const verdict: EmbeddedOptions['verdict'] = ({ operation, stage }) =>
    operation === 'text_to_image' && stage === 'job' && failures-- > 0
      ? { reason: 'generation_failed', message: 'no picture', retryable: false }
      : undefined
  const spec = { reference: { steps: [{ text: 'a knight' }] }, prompt: 'a knight', animations: { walk: { frames: 7 } } }
  const { workshop } = await world({ makers: quickMakers(), verdict }, JSON.stringify(spec))
  const open = await workshop()
  await approveAll(open)
  await expect(open.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
  await approveAll(open)
  await open.build()
  const [failed, bought] = (await open.ledger()).lines.filter(({ id }) => id === 'hero#1')
  expect([failed?.state, bought?.state]).toEqual(['restored', 'settled'])
  const [walk] = (await open.disclose()).animations
  const { executionId, result, credits } = bought!
  expect(walk?.madeFrom).toMatchObject([{ executionId, result, credits }])
})

test('a chain of pictures names what each was made from, from its beginning, which is a picture of the project', async () => {
  const steps = [{ image: './hero.png' }, { edit: 'a hat' }, { edit: 'a sword' }]
  const spec = { reference: { steps }, prompt: 'a knight', animations: { walk: { frames: 7 } } }
  const { workshop } = await world({ makers: quickMakers() }, JSON.stringify(spec))
  const open = await workshop()
  await approveAll(open)
  await open.build()
  const [walk] = (await open.disclose()).animations
  expect(walk?.madeFrom?.map(({ asked }) => asked.prompt)).toEqual(['a hat', 'a sword'])
  expect(walk?.picture).toBe('sprites/hero.png')
})

test('a paid result that is not here is no silence about bought frames', async () => {
  const { open, workshop, project } = await built()
  expect(unexplainedIn(await open.disclose())).toEqual([])
  await rm(join(project.root, '.spritewright/results'), { recursive: true })
  const { animations, unexplained } = await (await workshop()).disclose()
  expect(animations.map(({ id }) => id)).toEqual(['badge'])
  const why = expect.stringContaining('npx spritewright build fetches it, for free')
  expect(unexplained).toEqual(['hero.walk', 'hero.idle'].map((name) => ({ name, why })))
})

describe('the pixels of a build', () => {
  /** A picture whose pixels differ, with some changed: by place, red and alpha. */
  const picture = (width: number, height: number, ...changed: readonly (readonly [at: number, red: number, alpha: number])[]): Bitmap => {
    const made = createBitmap(width, height)
    for (let at = 0; at < width * height; at++) made.data.set([at + 1, 2, 3, at === 5 ? 0 : 255], at * 4)
    for (const [at, red, alpha] of changed) made.data.set([red, 2, 3, alpha], at * 4)
    return made
  }
  const frame = (name: string, page: number, x: number): object => {
    return { name, page, x, y: 1, width: 2, height: 1, offsetX: 1, offsetY: 2, sourceWidth: 4, sourceHeight: 3 }
  }
  const atlas = (scale: number, pages: readonly Bitmap[], frames: readonly object[]): BuiltAtlas =>
    ({ name: 'all', scale, pages: pages.map((one) => ({ bytes: encodePng(one), extension: 'png' })), frames }) as unknown as BuiltAtlas
  const frames = [frame('a', 0, 0), frame('b', 0, 2), frame('c', 1, 1)]
  const atlases = [atlas(1, [picture(4, 4), picture(3, 3)], frames), atlas(0.5, [picture(3, 4)], [frame('a', 0, 1)])]

  test('have one hash with whatever colour a clear pixel has, and another with another shape or a visible change', () => {
    const hash = hashPixels(picture(3, 2))
    expect(hash).toMatchObject({ width: 3, height: 2 })
    expect(hashPixels(picture(3, 2, [5, 99, 0]))).toEqual(hash)
    for (const other of [picture(3, 2, [5, 6, 1]), picture(3, 2, [4, 6, 255]), picture(2, 3)])
      expect(hashPixels(other).sha256).not.toBe(hash.sha256)
  })

  test('are those of each whole frame, from its own page, at the largest scale', async () => {
    const whole = (left: number): object => {
      const made = createBitmap(4, 3)
      made.data.set([left, 2, 3, left === 6 ? 0 : 255], 4 * 9)
      made.data.set([left + 1, 2, 3, left === 5 ? 0 : 255], 4 * 10)
      return hashPixels(made)
    }
    expect([...(await hashShipped(atlases))]).toEqual([
      ['a', whole(5)],
      ['b', whole(7)],
      ['c', whole(5)],
    ])
  })

  const files = [
    ...['all-0.png', 'godot/all-0.png'].map((file) => ({ file, bytes: encodePng(picture(4, 4)) })),
    { file: 'all-1.png', bytes: encodePng(picture(3, 3)) },
    { file: 'all-0@0.5x.png', bytes: encodePng(picture(3, 4)) },
    { file: 'icon.png', bytes: encodePng(picture(4, 4)) },
    { file: 'all-0.json', bytes: new Uint8Array(1) },
  ]
  test.each<[what: string, file: string, made: Bitmap | string | undefined, names: readonly string[]]>([
    ['is as it was', 'all-0.png', picture(4, 4), []],
    ['has other colours where it is clear', 'all-0.png', picture(4, 4, [5, 99, 0]), []],
    ['has another pixel in a frame', 'all-0.png', picture(4, 4, [7, 99, 255]), ['b']],
    ['has other pixels in two frames', 'godot/all-0.png', picture(4, 4, [7, 99, 255], [4, 99, 255]), ['a', 'b']],
    ['has another pixel in a frame of the second page', 'all-1.png', picture(3, 3, [4, 99, 255]), ['c']],
    ['has another pixel in a frame at another scale', 'all-0@0.5x.png', picture(3, 4, [4, 99, 255]), ['a']],
    ['has another pixel beside all frames', 'all-0.png', picture(4, 4, [0, 99, 255]), ['all-0.png']],
    ['has another size', 'all-0.png', picture(4, 5), ['all-0.png']],
    ['has another width', 'all-0.png', picture(5, 4), ['all-0.png']],
    ['is no picture any more', 'all-0.png', 'text', ['all-0.png']],
    ['is no page, and has another pixel', 'icon.png', picture(4, 4, [7, 99, 255]), ['icon.png']],
    ['is gone', 'icon.png', undefined, ['icon.png']],
    ['is no picture', 'all-0.json', 'text', []],
  ])('are compared with a folder in which one file %s', async (_what, file, made, names) => {
    const disk = new MemoryDisk()
    for (const one of files) disk.files.set(`/out/${one.file}`, one.bytes)
    if (made === undefined) disk.files.delete(`/out/${file}`)
    else disk.files.set(`/out/${file}`, typeof made === 'string' ? new TextEncoder().encode(made) : encodePng(made))
    const why = expect.stringContaining(made === undefined ? 'does not have it' : `its pixels in ${file} are`)
    expect(await compareFolder(disk, '/out', files, atlases)).toEqual({ compared: 5, unexplained: names.map((name) => ({ name, why })) })
  })
})
