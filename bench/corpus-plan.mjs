import { createRandom } from './random.mjs'

/**
 * The corpora: sprites × frames, the sizes of their canvases, and the share of frames that repeat another of
 * their animation.
 */
export const corpora = {
  S: { sprites: 12, frames: 12, canvases: [128], repeats: 0.21, seed: 0x51 },
  M: { sprites: 100, frames: 12, canvases: [128], repeats: 0.35, seed: 0x4d },
  L: { sprites: 500, frames: 24, canvases: [64, 96, 128, 128, 160, 160, 192, 256], repeats: 0.38, seed: 0x4c },
}

/**
 * The plan of a corpus: each sprite's name, the seed of its figure, its canvas, and the pose of each frame.
 * Equal poses are equal frames.
 */
export function planCorpus(size) {
  const { sprites, frames, canvases, repeats, seed } = corpora[size]
  const random = createRandom(seed)
  return Array.from({ length: sprites }, (_, index) => {
    const canvas = random.pick(canvases)
    const poses = Array.from({ length: frames }, (__, at) => at)
    // A held pose, or one that comes back on the way down.
    for (let at = 1; at < frames; at++) if (random.next() < repeats * (frames / (frames - 1))) poses[at] = poses[random.whole(0, at - 1)]
    return {
      name: `sprite${String(index).padStart(3, '0')}`,
      seed: random.whole(1, 0x7fffffff),
      canvas,
      poses: poses.map((pose) => pose / frames),
    }
  })
}
