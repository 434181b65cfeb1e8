import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { blendModes } from '../../../atlas/source/aseprite/blend.ts'

/** CRC-32 of 20,000 results of each mode, made with Aseprite's own functions: `src/doc/blend_funcs.cpp` of August 2026. */
const sums: readonly number[] = [
  3157598104, 2239015140, 2923515076, 1506753182, 388021339, 3851841283, 762384939, 807322275, 2845958770, 2688854604, 2310668330,
  3048611768, 4124329070, 600947324, 434184230, 4239981662, 3045737302, 11051548, 4280475715,
]

/** The colours of which the sums were made, from a seed. A third of the channels are 0, 255, or equal to the one before. */
function createColours(seed: number): () => number {
  let state = seed
  return () => {
    let colour = 0
    let last = 0
    for (let shift = 0; shift < 32; shift += 8) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      const kind = (state >>> 24) & 7
      last = [0, 255, last][kind] ?? (state >>> 16) & 255
      colour |= last << shift
    }
    return colour >>> 0
  }
}

test.each(sums.map((sum, mode) => ({ mode, sum })))('blend mode $mode gives what Aseprite gives', ({ mode, sum }) => {
  const colour = createColours(mode + 1)
  const results = new DataView(new ArrayBuffer(4 * 20_000))
  for (let at = 0; at < results.byteLength; at += 4) {
    const [backdrop, source, opacity] = [colour(), colour(), colour() & 255]
    results.setUint32(at, blendModes[mode]!.blend(backdrop, source, opacity), true)
  }
  expect(crc32(results)).toBe(sum)
})
