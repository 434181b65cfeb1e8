import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng, encodePng } from '../../atlas/index.ts'
import * as acts from '../../src/embedded/artist/acts.ts'
import { animate, type Commission } from '../../src/embedded/artist/artist.ts'
import * as cycles from '../../src/embedded/artist/cycles.ts'
import { findLegs } from '../../src/embedded/artist/legs.ts'
import { chooseMotion } from '../../src/embedded/artist/motion.ts'
import { isPixelArt } from '../../src/embedded/artist/pixel-art.ts'
import { type Motion, type Pose, REST, smooth, span, track } from '../../src/embedded/artist/pose.ts'
import { withReach } from '../../src/embedded/artist/stage.ts'
import { byLevel, level } from '../level.ts'

type Colour = readonly [number, number, number, number]

const drawings = new Map<string, Bitmap>(
  ['phaser/hero', 'phaser/slime', 'pixi/fox', 'pixi/ghost', 'prebuild/robot', 'prebuild/bat'].map((path) => {
    const [example, name] = path.split('/')
    return [name!, decodePng(readFileSync(new URL(`../../examples/${example}/sprites/${name}.png`, import.meta.url)))] as const
  }),
)

function fill(bitmap: Bitmap, left: number, top: number, width: number, height: number, colour: Colour): void {
  for (let y = top; y < top + height; y++) for (let x = left; x < left + width; x++) bitmap.data.set(colour, (y * bitmap.width + x) * 4)
}

/** A stick man of a few plain colours, 24 × 32, on a clear or a coloured ground. */
function pixelMan(ground: Colour = [0, 0, 0, 0]): Bitmap {
  const bitmap = createBitmap(24, 32)
  fill(bitmap, 0, 0, 24, 32, ground)
  fill(bitmap, 8, 6, 8, 8, [240, 200, 160, 255])
  fill(bitmap, 12, 9, 2, 2, [20, 20, 30, 255])
  fill(bitmap, 7, 14, 10, 9, [200, 40, 60, 255])
  fill(bitmap, 8, 23, 3, 8, [40, 60, 160, 255])
  fill(bitmap, 13, 23, 3, 8, [20, 30, 90, 255])
  return bitmap
}

/** A smooth-edged disc on a plain ground. */
function disc(ground: Colour, side = 96): Bitmap {
  const bitmap = createBitmap(side, side)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const share = Math.min(1, Math.max(0, side * 0.3 + 0.5 - Math.hypot(x + 0.5 - side / 2, y + 0.5 - side * 0.6)))
      const at = (y * side + x) * 4
      for (let channel = 0; channel < 4; channel++)
        bitmap.data[at + channel] = Math.round([200, 30, 90, 255][channel]! * share + ground[channel]! * (1 - share))
    }
  return bitmap
}

function commission(reference: Bitmap, words: string, more: Partial<Commission> = {}): Commission {
  return { reference, prompt: `a figure\n${words}`, frames: 12, background: 'remove', ...more }
}

const drawn = new Map<string, Promise<Bitmap[]>>()

/** Twelve frames of a drawing, drawn once for all tests that use them. */
function moving(name: string, words: string): Promise<Bitmap[]> {
  const key = `${name} ${words}`
  if (!drawn.has(key)) drawn.set(key, animate(commission(drawings.get(name)!, words)))
  return drawn.get(key)!
}

function digest(frames: readonly Bitmap[]): string {
  const hash = createHash('sha256')
  for (const frame of frames) hash.update(`${frame.width}x${frame.height}`).update(frame.data)
  return hash.digest('hex')
}

/** Mean difference of a channel, with colours weighted by alpha. */
function distance(a: Bitmap, b: Bitmap): number {
  let sum = 0
  for (let at = 0; at < a.data.length; at += 4) {
    const [alphaA, alphaB] = [a.data[at + 3]!, b.data[at + 3]!]
    sum += Math.abs(alphaA - alphaB)
    for (let channel = 0; channel < 3; channel++) sum += Math.abs(a.data[at + channel]! * alphaA - b.data[at + channel]! * alphaB) / 255
  }
  return sum / a.data.length
}

function lowestRow(frame: Bitmap): number {
  for (let y = frame.height - 1; y >= 0; y--)
    for (let x = 0; x < frame.width; x++) if (frame.data[(y * frame.width + x) * 4 + 3]! > 128) return y
  return -1
}

function touchesBorder(frame: Bitmap): boolean {
  for (let at = 3, i = 0; at < frame.data.length; at += 4, i++) {
    const [x, y] = [i % frame.width, Math.floor(i / frame.width)]
    if ((x === 0 || y === 0 || x === frame.width - 1 || y === frame.height - 1) && frame.data[at]! > 0) return true
  }
  return false
}

function alphas(frame: Bitmap): Set<number> {
  return new Set(frame.data.filter((_, at) => at % 4 === 3))
}

describe('a motion', () => {
  test('the same commission gives the same bytes, another reference or motion gives others', async () => {
    const first = digest(await animate(commission(drawings.get('hero')!, 'attacks', { frames: 4 })))
    expect(digest(await animate(commission(drawings.get('hero')!, 'attacks', { frames: 4 })))).toBe(first)
    expect(digest(await animate(commission(drawings.get('slime')!, 'attacks', { frames: 4 })))).not.toBe(first)
  })

  test.each(byLevel({ quick: [8], full: [8, 16, 32, 64, 120], long: [8, 16, 32, 64, 120] }))(
    'the variants of a commission differ, for a picture of %i pixels too',
    async (side) => {
      const { data } = await sharp(encodePng(drawings.get('hero')!))
        .resize(side, side, { fit: 'contain', background: '#0000', kernel: 'nearest' })
        .raw()
        .toBuffer({ resolveWithObject: true })
      const small = createBitmap(side, side, new Uint8Array(data))
      const scene = createBitmap(
        side,
        side,
        Uint8Array.from({ length: 4 * side * side }, (_, at) => (at % 4 === 3 ? 255 : (at * 7919) % 256)),
      )
      for (const [reference, words] of [small, scene].flatMap((one) =>
        ['walk', 'spin', 'attack', 'float', 'idle'].map((word) => [one, word] as const),
      )) {
        const all = [0, 1, 2, 3, 4, 5].map((variant) => animate(commission(reference, words, { frames: 7, variant })))
        expect(new Set((await Promise.all(all)).map(digest)).size, words).toBe(6)
      }
    },
  )

  test('the words of the last line choose the motion, in whatever form, and each motion has these very frames', async () => {
    const words = ['walk', 'run', 'idle', 'jump', 'attack', 'spin', 'fly', 'float', 'cast', 'shake', 'glow', 'bounce', 'dance']
    const moved = await Promise.all(words.map(async (word) => digest(await animate(commission(pixelMan(), word, { frames: 7 })))))
    const same = moved.filter((one, index) => moved.indexOf(one) !== index)
    expect(same).toEqual([])
    const kept = { ...commission(pixelMan([90, 160, 220, 255]), 'walk', { frames: 7 }), background: 'keep', variant: 2 } as const
    const short = [...moved, digest(await animate(kept))].map((one) => one.slice(0, 12))
    expect(short.join(' ')).toMatchInlineSnapshot(
      `"91f2f0064088 a594bdb3be8a 8df8d8b83cc1 0a60c2ce0365 4287f6d89768 9adfa423b687 81dde28f9358 c11d2db01630 ad4c92343159 5567601b8365 42672a7f6d7e d9111e7af354 cf096c961b11 372dbd1d3bb7"`,
    )
    const plain = { ...commission(pixelMan(), '', { frames: 7 }) }
    const [running, runs] = await Promise.all(
      ['is running fast', 'Runs!'].map((line) => animate({ ...plain, prompt: `a walking stick\n${line}` })),
    )
    expect(digest(running!)).toBe(digest(runs!))
    expect(digest(runs!)).toBe(moved[1])
  })

  test('without a word in the last line, the first line is read; unknown words still move', async () => {
    const walking = digest(await animate({ ...commission(pixelMan(), 'x'), prompt: 'a walking man\nlevel two' }))
    expect(walking).toBe(digest(await animate(commission(pixelMan(), 'walk'))))
    const frames = await animate(commission(drawings.get('hero')!, 'xyzzy'))
    expect(new Set(frames.map((frame) => digest([frame]))).size).toBeGreaterThan(6)
  })

  test.each([
    ['hero', 'walk'],
    ['hero', 'idle'],
    ['robot', 'dance'],
    ['fox', 'run'],
    ['slime', 'bounce'],
    ['ghost', 'float'],
    ['bat', 'fly'],
    ['slime', 'spin'],
  ])('%s, %s: every frame is another picture, and the last flows into the first', async (name, words) => {
    const frames = await moving(name, words)
    expect(new Set(frames.map((frame) => digest([frame]))).size).toBe(frames.length)
    const steps = frames.map((frame, index) => distance(frame, frames[(index + 1) % frames.length]!))
    expect(steps.at(-1)!).toBeLessThanOrEqual(1.5 * Math.max(...steps.slice(0, -1)))
  })

  test.each([
    ['hero', 'walk'],
    ['hero', 'idle'],
    ['robot', 'walk'],
    ['fox', 'idle'],
    ['slime', 'idle'],
    ['slime', 'walk'],
  ])('%s, %s: the foot line stays', async (name, words) => {
    const rows = (await moving(name, words)).map(lowestRow)
    expect(Math.max(...rows) - Math.min(...rows)).toBeLessThanOrEqual(2)
  })
})

const cycle: readonly (readonly [string, Motion])[] = Object.entries(cycles)
test.each(cycle)('the pose of %s at the end of a cycle is that of its start', (name, motion) => {
  const poseAt = (at: number): Partial<Pose> => motion({ at, turn: at * 2 * Math.PI, legs: 0, hasWings: true })
  const [start, end] = [poseAt(0), poseAt(1 - 1e-9)]
  const places = ['x', 'y', 'scaleX', 'scaleY', 'tilt', 'lean', 'curl', 'bob', 'chest', 'nod', 'arm', 'flap', 'light', 'flash'] as const
  for (const place of places) expect(end[place] ?? 0, `${name}, ${place}`).toBeCloseTo(start[place] ?? 0, 6)
})

describe('frames', () => {
  // The long run tests every drawing in every motion. The short run tests each drawing in half of the
  // motions, so that each motion is tested with several drawings.
  const motions = ['walk', 'jump', 'attack', 'dance', 'spin', 'fly', 'bounce', 'cast']
  const seen = [...drawings.keys()].map(
    (name, index) => [name, motions.filter((_, at) => (at + index) % byLevel({ quick: 8, full: 2, long: 1 }) === 0)] as const,
  )
  test.each(seen)('%s stays off the border in %j, in frames of one even size', async (name, chosen) => {
    const sizes = new Set<string>()
    for (const words of chosen) {
      for (const frame of await animate(commission(drawings.get(name)!, words, { frames: 8 }))) {
        expect(touchesBorder(frame), words).toBe(false)
        sizes.add(`${frame.width}x${frame.height}`)
      }
    }
    expect(sizes.size).toBe(1)
    const [width, height] = [...sizes][0]!.split('x').map(Number)
    expect([width! % 2, height! % 2]).toEqual([0, 0])
    expect(Math.max(width!, height!)).toBeLessThanOrEqual(512)
  })

  if (level !== 'quick')
    test('a tight crop gets room, a large reference is made smaller', async () => {
      const full = createBitmap(40, 60, new Uint8Array(40 * 60 * 4).fill(200))
      fill(full, 0, 0, 4, 60, [0, 0, 0, 0])
      const tight = await animate(commission(full, 'attack'))
      expect(tight.some(touchesBorder)).toBe(false)
      const large = await animate(commission(disc([0, 0, 0, 0], 900), 'jump', { frames: 7 }))
      expect(large.some(touchesBorder)).toBe(false)
      expect(Math.max(large[0]!.width, large[0]!.height)).toBe(512)
    })

  test('any count from 7 to 100 is drawn, and told of one by one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 7, max: 100 }),
        fc.constantFrom('walk', 'jump', 'bounce', 'spin', 'idle'),
        async (frames, words) => {
          const told: number[] = []
          const drawn = await animate(commission(pixelMan(), words, { frames, onFrame: (index) => void told.push(index) }))
          expect(drawn).toHaveLength(frames)
          expect(told).toEqual(drawn.map((_, index) => index))
        },
      ),
      { numRuns: byLevel({ quick: 5, full: 20, long: 20 }) },
    )
  })

  test('a failing listener stops the drawing', async () => {
    const told: number[] = []
    const stopped = animate(
      commission(pixelMan(), 'walk', {
        onFrame: (index) => {
          told.push(index)
          if (index === 2) throw new Error('stop')
        },
      }),
    )
    await expect(stopped).rejects.toThrow('stop')
    expect(told).toEqual([0, 1, 2])
  })

  test('pictures without anything in them, or of one pixel, are drawn too', async () => {
    expect(await animate(commission(createBitmap(16, 16), 'walk'))).toHaveLength(12)
    expect(await animate(commission(createBitmap(1, 1, Uint8Array.of(1, 2, 3, 255)), 'walk'))).toHaveLength(12)
    expect(await animate(commission(createBitmap(3, 2, new Uint8Array(24).fill(255)), 'spin', { background: 'keep' }))).toHaveLength(12)
  })
})

describe('colours', () => {
  test.each(['walk', 'attack', 'spin', 'cast', 'idle'])('pixel art that does %s keeps to its own colours', async (words) => {
    const own = new Set<string>(['0,0,0,0'])
    const man = pixelMan()
    for (let at = 0; at < man.data.length; at += 4) own.add([...man.data.subarray(at, at + 4)].join())
    for (const frame of await animate(commission(man, words)))
      for (let at = 0; at < frame.data.length; at += 4)
        expect(own.has([...frame.data.subarray(at, at + 4)].join()) || frame.data.subarray(at, at + 4).join()).toBe(true)
  })

  test('remove cuts a flat background away, with a soft edge of the figure’s own colour', async () => {
    for (const frame of await animate(commission(disc([250, 250, 250, 255]), 'idle'))) {
      expect(touchesBorder(frame)).toBe(false)
      const values = alphas(frame)
      expect(values.has(0) && values.has(255) && values.size > 8).toBe(true)
      for (let at = 0; at < frame.data.length; at += 4)
        if (frame.data[at + 3]! > 128) expect(frame.data[at + 1]!, 'green, of which only the ground has much').toBeLessThan(110)
    }
  })

  test('keep leaves a flat background standing, opaque, while the figure moves', async () => {
    const frames = await animate(commission(disc([90, 160, 220, 255]), 'jump', { background: 'keep' }))
    for (const frame of frames) {
      expect([...alphas(frame)]).toEqual([255])
      expect([...frame.data.subarray(0, 4)]).toEqual([90, 160, 220, 255])
    }
    expect(distance(frames[0]!, frames[5]!)).toBeGreaterThan(1)
  })

  test('a picture whose figure cannot be told apart moves as a whole and stays opaque', async () => {
    const noise = createBitmap(64, 64)
    for (let at = 0; at < noise.data.length; at++) noise.data[at] = at % 4 === 3 ? 255 : (at * 7919 + (at >> 6) * 104729) % 256
    const frames = await animate(commission(noise, 'walk', { background: 'keep' }))
    expect(new Set(frames.map((frame) => digest([frame]))).size).toBe(12)
    for (const frame of frames) expect([...alphas(frame)]).toEqual([255])
  })
})

test('a slit of one pixel does not part a foot', () => {
  const walker = createBitmap(40, 80)
  fill(walker, 4, 0, 32, 60, [90, 90, 90, 255])
  for (const left of [6, 12, 24, 29]) fill(walker, left, 60, 5, 20, [90, 90, 90, 255])
  expect(findLegs(walker, { left: 4, top: 0, right: 36, bottom: 80 }).length).toBe(2)
})

test('the outer legs take two columns beside them along, in which their soft edges are', () => {
  const walker = createBitmap(40, 80)
  fill(walker, 4, 0, 32, 60, [90, 90, 90, 255])
  for (const left of [8, 24]) fill(walker, left, 60, 8, 20, [90, 90, 90, 255])
  const legs = findLegs(walker, { left: 4, top: 0, right: 36, bottom: 80 })
  expect(legs.map(({ left, right }) => [left[70], right[70]])).toEqual([
    [6, 20],
    [20, 34],
  ])
})

describe('the moments of a pose', () => {
  test('a curve is flat at its keys, eases half way between them, and stays beyond its ends', () => {
    const at = [-1, 0, 0.25, 0.5, 1, 1.5, 2, 9]
    expect(at.map((moment) => track(moment, [0, 4], [1, 8], [2, 0]))).toEqual([4, 4, 4.625, 6, 8, 4, 0, 0])
    expect([0.9, 1, 2, 3, 3.1].map((value) => smooth(1, 3, value))).toEqual([0, 0, 0.5, 1, 1])
    expect([0.9, 1, 1.5, 3, 3.1].map((value) => span(value, 1, 3))).toEqual([undefined, 0, 0.25, 1, undefined])
  })

  test('less reach moves less from rest, and changes nothing but moves', () => {
    const pose: Pose = { ...REST, x: 2, scaleX: 3, scaleY: 0, arm: -4, nod: 5, light: 2, planted: false }
    expect(withReach(pose, 0.5)).toEqual({ ...pose, x: 1, scaleX: 2, scaleY: 0.5, arm: -2 })
    expect([withReach(pose, 1), withReach(REST, 0.3)]).toEqual([pose, REST])
  })
})

test.each<[string, Motion]>([
  ['walks', cycles.walk],
  ['running and jumping', cycles.run],
  ['it leaps over runners', acts.jump],
  ['a spinning coin\nno word', cycles.spin],
  ['attack\nit flies', cycles.fly],
  ['dance\n\nBREATHES heavily', cycles.idle],
  ['stabbed, then swung', acts.attack],
  ['hopping', cycles.bounce],
  ['hovers', cycles.float],
  ['casting', acts.cast],
  ['shimmers', cycles.glow],
  ['shivers', cycles.shake],
  ['cheers', cycles.dance],
  ['wall', cycles.idle],
])('%j asks for its own motion', (prompt, motion) => {
  expect(chooseMotion(prompt)).toBe(motion)
})

test.each<[string, number, readonly number[], boolean]>([
  ['64 opaque colours', 64, [255], true],
  ['65 opaque colours', 65, [255], false],
  ['65 clear colours', 65, [0], true],
  ['a half-clear pixel among opaque ones', 3, [255, 254], false],
  ['no pixel to see', 1, [0], true],
])('a picture of %s is pixel art or not', (_, count, alphas, expected) => {
  const pixels = Array.from({ length: 2 * count }, (__, at) => [at % count, 7, 7, alphas[at % alphas.length]!])
  expect(isPixelArt(createBitmap(2 * count, 1, new Uint8Array(pixels.flat())))).toBe(expected)
})
