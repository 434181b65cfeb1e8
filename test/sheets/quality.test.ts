import { expect, test } from 'vitest'
import { isClosedLoop } from '../../src/sheets/quality.ts'
import type { AnimationSpec } from '../../src/sprite-spec/spec.ts'

test.each([
  ['plays once', { loop: false }, false],
  ['loops over all frames', {}, true],
  ['loops over some frames in another order', { use: [3, 0, 2] }, true],
  ['loops, and comes back over a frame', { use: [0, 1, 2, 1] }, false],
  ['turns back at its end', { yoyo: true }, false],
])('an animation that %s %j is a closed loop: %s', (_, animation, isClosed) => {
  expect(isClosedLoop({ loop: true, yoyo: false, ...animation } as AnimationSpec)).toBe(isClosed)
})
