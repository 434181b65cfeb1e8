import { expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap } from '../../atlas/index.ts'
import { readPlayed } from '../../src/sheets/frames.ts'
import { type AnimationQuality, isClosedLoop, judgeFrames, withoutMeant } from '../../src/sheets/quality.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { AnimationSpec, SpriteSpec } from '../../src/sprite-spec/spec.ts'

test.each([
  ['plays once', { loop: false }, false],
  ['loops over all frames', {}, true],
  ['loops over some frames in another order', { use: [3, 0, 2] }, true],
  ['loops, and comes back over a frame', { use: [0, 1, 2, 1] }, false],
  ['turns back at its end', { yoyo: true }, false],
])('an animation that %s %j is a closed loop: %s', (_, animation, isClosed) => {
  expect(isClosedLoop({ loop: true, yoyo: false, ...animation } as AnimationSpec)).toBe(isClosed)
})

const spec = (fields: object = {}, walk: object = {}): SpriteSpec =>
  parseSpec(JSON.stringify({ reference: 'a.png', prompt: 'a', animations: { walk }, ...fields }), '/game/hero.sprite.json')

/** Judges blank frames. Their numbers among the delivered frames are 5, 3 and 4, in this order. */
function judged(own: SpriteSpec, more: Partial<Parameters<typeof judgeFrames>[0]> = {}): AnimationQuality {
  const canvas = { width: 4, height: 4 }
  const frames = [0, 1, 2].map(() => createBitmap(4, 4))
  return judgeFrames({
    spec: own,
    animation: own.animations[0]!,
    frames,
    indices: [5, 3, 4],
    resized: [],
    canvas,
    review: undefined,
    ...more,
  })
}

const review = { frameCount: 8, background: 'remove', keptBackgroundFrames: [4, 0], inspectionFrames: [5, 3, 7], sourceShiftedFrames: [3] }
const remarksOf = ({ flags }: AnimationQuality): unknown =>
  flags.flatMap(({ fault, from, frames }) => (from === 'service' ? [[fault, frames]] : []))

test('a remark names the delivered frames that are played, in order', () => {
  const { id, flags } = judged(spec(), { review })
  expect(id).toBe('hero.walk')
  expect(flags.find(({ fault }) => fault === 'blank')).toMatchObject({ from: 'frames', frames: [3, 4, 5] })
  expect(remarksOf({ id, flags } as AnimationQuality)).toEqual([
    ['background', [4]],
    ['inspect', [3, 5]],
    ['shifted', [3]],
  ])
})

test.each<[object, string]>([
  [{ background: 'keep' }, 'background'],
  [{ stabilize: true }, 'shifted'],
])('the service has no remark on what %j asks for', (fields, fault) => {
  const faults = (judged(spec(fields), { review }).flags as readonly { from: string; fault: string }[]).filter(
    ({ from }) => from === 'service',
  )
  expect(faults.map((flag) => flag.fault)).toEqual(['background', 'inspect', 'shifted'].filter((one) => one !== fault))
})

test('frames of another size are named if they are played, with both sizes', () => {
  const resized = [
    { index: 3, width: 7, height: 9 },
    { index: 0, width: 1, height: 1 },
  ]
  const flag = judged(spec(), { resized }).flags.find(({ fault }) => fault === 'frame-size')
  expect(flag).toMatchObject({ frames: [3], words: expect.stringMatching(/7 × 9 pixels.* 4 × 4/) })
  expect(judged(spec(), { resized: [resized[1]!] }).flags.map(({ fault }) => fault)).not.toContain('frame-size')
})

test('an intended fault is left out, and every other one stays', () => {
  const own = spec({}, { meant: ['blank', 'inspect'] })
  const all = judged(own, { review })
  const left = withoutMeant(all, own, own.animations[0]!).flags.map(({ fault }) => fault)
  expect(left).toEqual(all.flags.map(({ fault }) => fault).filter((fault) => fault !== 'blank' && fault !== 'inspect'))
  expect(withoutMeant(all, spec(), spec().animations[0]!)).toEqual(all)
})

test('a frame that the service moved is put back where "use" plays it', async () => {
  const drawn = (wide: number): Bitmap => {
    const [figure, frame] = [createBitmap(wide, 16), createBitmap(20, 20)]
    figure.data.fill(255)
    blit(frame, figure, 0, 2)
    return frame
  }
  // The broad frame is delivered first and played third. Its middle is one pixel off, which only the service knows.
  const frames = [drawn(12), ...Array.from({ length: 6 }, () => drawn(10))]
  const own = spec({ stabilize: true }, { frames: 7, use: [1, 2, 0, 3, 4, 5] })
  const source = {
    kind: 'result',
    sha256: 'a',
    read: async () => new Uint8Array(),
    review: { ...review, sourceShiftedFrames: [0] },
  } as const
  const opened = { frames, resized: [], touched: new Set<number>(), warnings: [] }
  const { room } = await readPlayed({ spec: own, animation: own.animations[0]!, source }, { isJudged: false, opened })
  expect(room).toEqual({ x: 1, y: 0, width: 20, height: 20 })
})
