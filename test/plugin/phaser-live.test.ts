import { describe, expect, test, vi } from 'vitest'
import { bodyOf, boxesOf, polygonsOf } from '../../plugin/runtime/phaser/boxes.ts'
import { type LiveAnimation, type LiveState, type LiveStep, type LiveTexture, liveObjects } from '../../plugin/runtime/phaser/live.ts'
import { mirrorFrames, toPicture, toRenderer, unmirror } from '../../plugin/runtime/phaser/mirrored.ts'
import { followAnimations } from '../../plugin/runtime/phaser/playback.ts'
import type { AnimationData, AtlasData, FrameRow } from '../../plugin/runtime/shared/data.ts'

type Shown = Parameters<typeof bodyOf>[0]

/** An object whose pixels are two of the world, at (100, 200). */
function shown(fields: object = {}, frame: object = {}): Shown {
  const customData = {
    boxes: {
      body: [[2, 3, 4, 5]],
      hit: [
        [0, 0, 1, 1],
        [6, 7, 2, 2],
      ],
    },
    hull: [
      [0, 0],
      [8, 1],
      [4, 9],
    ],
  }
  return {
    ...{ flipX: false, flipY: false, displayOriginX: 5, displayOriginY: 15, scaleX: 1, scaleY: 1 },
    frame: { customData, customPivot: false, realWidth: 20, realHeight: 30, ...frame },
    getWorldTransformMatrix: () => ({ transformPoint: (x: number, y: number) => ({ x: 100 + 2 * x, y: 200 + 2 * y }) }),
    ...fields,
  } as unknown as Shown
}

describe('boxes of a frame in Phaser', () => {
  test('are polygons of the world, clockwise, around the origin of the object; a frame without them has none', () => {
    const corners = (name: string): unknown => polygonsOf(shown(), name).map((points) => points.map(({ x, y }) => [x, y]))
    expect(corners('body')).toEqual([
      [
        [94, 176],
        [102, 176],
        [102, 186],
        [94, 186],
      ],
    ])
    expect(corners('outline')).toEqual([
      [
        [90, 170],
        [106, 172],
        [98, 188],
      ],
    ])
    expect(['constructor', 'none'].map(corners)).toEqual([[], []])
    expect(polygonsOf(shown({}, { customData: {} }), 'outline')).toEqual([])
    expect(boxesOf(shown(), 'hit')).toEqual([
      { x: 90, y: 170, width: 2, height: 2 },
      { x: 102, y: 184, width: 4, height: 4 },
    ])
  })

  test.each([
    ['in its place', {}, { flipX: true }, { x: 14, y: 3 }],
    ['in its place, upside down', {}, { flipY: true }, { x: 2, y: 22 }],
    ['around its anchor', { customPivot: true }, { flipX: true }, { x: 4, y: 3 }],
    ['around its anchor, upside down', { customPivot: true }, { flipY: true }, { x: 2, y: 22 }],
  ])('are flipped with the object %s', (_, frame, flips, { x, y }) => {
    const [box] = boxesOf(shown(flips, frame), 'body')
    expect(box).toEqual({ x: 100 + 2 * (x - 5), y: 200 + 2 * (y - 15), width: 8, height: 10 })
  })

  test('are the size and place of a body, which stays where a frame has none', () => {
    const sizes: unknown[] = []
    class Body {
      sourceWidth = 0
      sourceHeight = 0
      offset: unknown
      updates = 0
      setSize(width: number, height: number, isCentred: boolean): void {
        Object.assign(this, { sourceWidth: width, sourceHeight: height })
        sizes.push([width, height, isCentred])
      }
      setOffset(x: number, y: number): void {
        this.offset = [x, y]
      }
      updateFromGameObject(): void {
        this.updates++
      }
    }
    const existing = vi.fn((object: { body?: Body }) => Object.assign(object, { body: new Body() }))
    const object = shown({ scene: { physics: { add: { existing } } } })
    const body = bodyOf(object) as unknown as Body
    body.updateFromGameObject()
    expect([sizes, body.offset, body.updates]).toEqual([[[4, 5, false]], [2, 3], 2])
    Object.assign(object, { scaleX: -1, scaleY: -2 })
    body.updateFromGameObject()
    expect(body.offset).toEqual([6, 8])
    Object.assign(object, { frame: { customData: {} } })
    body.updateFromGameObject()
    expect([sizes.length, body.offset, body.updates]).toEqual([1, [6, 8], 4])
    expect(bodyOf(object, 'hit')).toBe(body)
    expect(existing).toHaveBeenCalledTimes(1)
  })
})

const row: FrameRow = [1, 3, 4, 10, 20, 1, 2, 30, 40, 0.25, 1]
const mirrored = {
  ...{ key: 'hero', scale: 1, pixelArt: false, version: 'a', animations: {}, mirrored: ['left'] },
  pages: [
    { url: 'a.png', width: 64, height: 32 },
    { url: 'b.png', width: 50, height: 16 },
  ],
  frames: { left: row, right: [1, 3, 4, 10, 20, 19, 2, 30, 40, 0.75, 1] },
} as AtlasData

describe('mirror images in Phaser', () => {
  test('are cut out of mirrored pages by the Canvas renderer, and out of the same pages by WebGL', () => {
    expect(toRenderer({ renderer: { type: 2 } } as never, mirrored)).toBe(mirrored)
    const canvas = toRenderer({ renderer: { type: 1 } } as never, mirrored)
    expect(canvas.pages.map(({ url, width }) => [url, width])).toEqual([
      ['a.png', 64],
      ['b.png', 50],
      ['a.png#mirrored', 64],
      ['b.png#mirrored', 50],
    ])
    expect(canvas.frames).toEqual({ ...mirrored.frames, left: [3, 37, ...row.slice(2)] })
    expect(canvas).not.toHaveProperty('mirrored')
    const { mirrored: _, ...plain } = mirrored
    expect(toRenderer({ renderer: { type: 1 } } as never, plain)).toBe(plain)
    const image = {}
    expect(toPicture('a.png', image)).toBe(image)
  })

  test('are drawn from right to left, also where an object crops or flips them, until they are ordinary frames again', () => {
    class Frame {
      u0 = 0
      u1 = 0
      updateUVs(): this {
        return Object.assign(this, { u0: 0.1, u1: 0.9 })
      }
      setCropUVs(crop: object, x: number, y: number, w: number, h: number, flipX: boolean, flipY: boolean): object {
        return Object.assign(crop, { u0: 0.2, u1: 0.3, flipX, at: [x, y, w, h, flipX, flipY] })
      }
    }
    const frames = { left: new Frame().updateUVs(), right: new Frame().updateUVs() }
    const sides = (): unknown => [frames.left, frames.right].map(({ u0, u1 }) => [u0, u1])
    mirrorFrames({ frames } as unknown as LiveTexture, mirrored)
    expect(sides()).toEqual([
      [0.9, 0.1],
      [0.1, 0.9],
    ])
    frames.left.updateUVs()
    expect(sides()).toEqual([
      [0.9, 0.1],
      [0.1, 0.9],
    ])
    expect(frames.left.setCropUVs({}, 1, 2, 3, 4, false, true)).toEqual({ u0: 0.3, u1: 0.2, flipX: false, at: [1, 2, 3, 4, true, true] })
    unmirror(frames.left as never)
    frames.left.updateUVs()
    expect(sides()).toEqual([
      [0.1, 0.9],
      [0.1, 0.9],
    ])
  })
})

test('objects are found in all scenes, in containers and masks, and where they play off the display list, each once', () => {
  const [mask, inner, hidden] = [{ type: 'mask' }, { type: 'inner' }, { type: 'hidden' }]
  const box = { type: 'box', list: [inner, { type: 'deep', list: [inner] }], mask: { bitmapMask: mask } }
  const scenes = [{ children: { list: [box, { type: 'plain', mask: null }] } }, {}, { children: { list: [{ type: 'other' }] } }]
  const game = { scene: { getScenes: (isActive: boolean) => (isActive ? [] : scenes) } }
  const found = [...liveObjects(game as never, [{ parent: hidden }, { parent: inner }] as never)]
  expect(found.map(({ type }) => type).sort()).toEqual(['box', 'deep', 'hidden', 'inner', 'mask', 'other', 'plain'])
})

/** An animation of `key`'s atlas. */
const data = (names: string, fields: Partial<AnimationData> = {}): AnimationData => ({
  ...{ frames: [...names].map((name) => [name, 100] as const), fps: 10, loop: true, yoyo: false },
  ...fields,
})
const atlasOf = (animations: AtlasData['animations']): AtlasData => ({ ...mirrored, animations })

/** An animation as Phaser has made it of a spec. */
function made(key: string, { frames, fps, loop, yoyo }: AnimationData, own: object = {}) {
  const toSteps = (steps: readonly { readonly key: string; readonly frame: string; readonly duration: number }[]): LiveStep[] =>
    steps.map(({ key: textureKey, frame, duration }, at) => ({
      textureKey,
      textureFrame: frame,
      duration,
      index: at + 1,
      frame: { name: frame } as never,
    }))
  return {
    ...{ key, frameRate: fps, duration: 0, msPerFrame: 0, repeat: loop ? -1 : 0, repeatDelay: 0, yoyo },
    frames: toSteps(frames.map(([frame, duration]) => ({ key: 'hero', frame, duration }))),
    getFrames: (_: unknown, steps: unknown): LiveStep[] => toSteps(steps as Parameters<typeof toSteps>[0]),
    calculateDuration(this: LiveAnimation, _target: unknown, count: number, _ms: unknown, rate: number): void {
      Object.assign(this, { frameRate: rate, msPerFrame: 1000 / rate, duration: (count * 1000) / rate })
    },
    destroy: vi.fn(),
    ...own,
  }
}
type Made = ReturnType<typeof made>

/** A state of an object that plays the frame of an index of an animation. */
function playing(animation: Made, at: number, own: object = {}) {
  const events: boolean[] = []
  const currentFrame = animation.frames[at]!
  const state = {
    ...{ parent: { frame: currentFrame.frame }, anims: null, currentAnim: animation, currentFrame, isPlaying: true },
    ...{ frameRate: animation.frameRate, duration: 0, msPerFrame: 1, repeat: animation.repeat, repeatCounter: 5, repeatDelay: 0 },
    ...{ yoyo: animation.yoyo, nextTick: 0, pendingRepeat: false, _pendingStop: 0, _pendingStopValue: undefined },
    setCurrentFrame: (step: LiveStep) => {
      events.push(state.isPlaying)
      state.currentFrame = step
    },
    ...own,
  }
  return { state, events }
}

function follow(was: AtlasData['animations'], now: AtlasData['animations'], global: readonly Made[], states: readonly object[] = []) {
  const create = vi.fn()
  const exists = (name: string): boolean => global.some(({ key }) => key === name)
  const anims = { anims: { getArray: () => global }, exists, get: (name: string) => global.find(({ key }) => key === name), create }
  followAnimations({ anims, textures: {} } as never, states as unknown as readonly LiveState[], atlasOf(was), atlasOf(now))
  return create.mock.calls.map(([{ key }]) => key as string)
}

const summary = ({ frames, frameRate, repeat, yoyo }: LiveAnimation | Made): unknown => [
  frames.map(({ textureFrame, duration }) => `${textureFrame}${duration}`).join(' '),
  ...[frameRate, repeat, yoyo],
]

describe('animations of Phaser after a change of their spec', () => {
  const [was, now] = [data('ab'), data('bca', { fps: 20, loop: false, yoyo: true })]

  test.each<[string, object, unknown]>([
    ['all that the spec says', {}, ['b100 c100 a100', 20, 0, true]],
    ['all but the rate that the game has set', { frameRate: 15 }, ['b100 c100 a100', 15, 0, true]],
    ['all but the repeats that the game has set', { repeat: 3 }, ['b100 c100 a100', 20, 3, true]],
    ['all but the way back that the game has set', { yoyo: true }, ['b100 c100 a100', 20, 0, true]],
  ])('follow in %s', (_, own, expected) => {
    const animation = made('hero/walk', was, own)
    follow({ 'hero/walk': was }, { 'hero/walk': now }, [animation])
    expect(summary(animation)).toEqual(expected)
  })

  test('keep the times that the game has set, frame by frame', () => {
    const animation = made('hero/walk', was)
    animation.frames[1] = { ...animation.frames[1]!, duration: 70 }
    const slow = data('bca', {
      frames: [
        ['b', 50],
        ['c', 60],
        ['a', 80],
      ],
    })
    follow({ 'hero/walk': was }, { 'hero/walk': slow }, [animation])
    expect(summary(animation)).toEqual(['b70 c60 a80', 10, -1, false])
  })

  test('follow under a name of the game if they have exactly the same frames, for all sprites or for one', () => {
    const [mine, some, alone] = [made('mine', was), made('some', data('b')), made('alone', was)]
    const state = { anims: { getArray: () => [alone] }, currentAnim: null }
    follow({ 'hero/walk': was }, { 'hero/walk': now }, [mine, some], [state])
    expect([mine, some, alone].map((one) => one.frames.length)).toEqual([3, 1, 3])
  })

  test('go on at the shown frame for its new time, without an event, and keep values that an object plays with', () => {
    const animation = made('hero/walk', was)
    const { state, events } = playing(animation, 1)
    const own = playing(animation, 0, { frameRate: 7, repeat: 2, msPerFrame: 9, pendingRepeat: true, repeatDelay: 1000, isPlaying: false })
    const slow = {
      ...now,
      frames: [
        ['b', 50],
        ['c', 60],
        ['a', 80],
      ],
    } as AnimationData
    follow({ 'hero/walk': was }, { 'hero/walk': slow }, [animation], [state, own.state])
    expect([state.currentFrame.textureFrame, state.nextTick, state.isPlaying, events]).toEqual(['b', 50, true, [false]])
    expect([state.frameRate, state.repeat, state.repeatCounter, state.yoyo]).toEqual([20, 0, 0, true])
    expect([own.state.currentFrame.textureFrame, own.state.nextTick, own.state.isPlaying]).toEqual(['a', 1009, false])
    expect([own.state.frameRate, own.state.repeat, own.state.repeatCounter]).toEqual([7, 2, 5])
  })

  test('that are new are made where the game plays others, and those that are gone end where nothing plays them', () => {
    const [old, held] = [made('hero/old', was), made('hero/held', was)]
    const before = { 'hero/old': was, 'hero/held': was }
    expect(follow(before, { 'hero/new': now }, [old, held], [playing(held, 0).state])).toEqual(['hero/new'])
    expect([old, held].map(({ destroy }) => destroy.mock.calls.length)).toEqual([1, 0])
    expect(follow(before, { 'hero/new': now }, [])).toEqual([])
  })
})
