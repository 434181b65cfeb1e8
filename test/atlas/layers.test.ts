import { expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { drawNormals } from '../../atlas/layers/normals.ts'
import { pagesOf, variantsOf } from '../../atlas/layers/variants-of.ts'

/** The figures of this picture are opaque, half-clear (`h`) or nearly clear (`s`); its light grows to the right and downwards. */
const rows = ['...........', '..####..##.', '.######.##.', '.##h###....', '.#######.s.', '..####...##', '....#....##', '###########']
const picture = createBitmap(11, 8)
for (const [y, row] of rows.entries())
  for (const [x, kind] of [...row].entries())
    if (kind !== '.') picture.data.set([20 * x, 30 * y, 9 * x * y, kind === '#' ? 255 : kind === 'h' ? 128 : 127], 4 * (11 * y + x))

/** The normals of the picture, a row in a line, red, green and blue in hexadecimal. */
const mapOf = (...asked: readonly [options: object, scale: number]): readonly string[] => {
  const { width, height, data } = drawNormals(picture, asked[0] as Parameters<typeof drawNormals>[1], asked[1])
  expect([width, height, data.filter((_, at) => at % 4 === 3).every((alpha) => alpha === 255)]).toEqual([11, 8, true])
  return rows.map((_, y) =>
    Array.from({ length: 11 }, (__, x) => Buffer.from(data.subarray(4 * (11 * y + x), 4 * (11 * y + x) + 3)).toString('hex')).join(' '),
  )
}

test('the normals of one picture are these very ones: by its shape or its light, as deep and as soft as they are to be', () => {
  expect([
    mapOf({ from: 'shape', soften: 0 }, 1),
    mapOf({ from: 'shape', soften: 1, depth: 2 }, 1),
    mapOf({ from: 'luminance', soften: 0 }, 1),
    mapOf({ from: 'luminance', soften: 0.5, depth: 3 }, 2),
  ]).toMatchInlineSnapshot(`
    [
      [
        "8080ff 36d0c2 40d8c1 73e9c6 8be9c6 bed9c1 c8d1c2 4bb4e8 4bb4e8 b4b4e8 b4b4e8",
        "2dc6c3 32cbc3 40d8c1 73e9c6 8be9c6 bed9c1 cdccc2 4bb4e8 4bb4e8 b4b4e8 b4b4e8",
        "25bbc2 25bbc2 46b3e5 6cb9f0 90baf0 b8b5e5 dabdc1 9b87fc 4b4be8 b44be8 b44be8",
        "1780c8 1780c8 4081ee 6883fd 9187fe bd84ef e987c7 e283d1 4b4be8 b44be8 b970f0",
        "2444c2 2444c2 434fe5 674cf1 8f56f7 b74fe7 c035d0 da80da da80da 4cc0e1 b4bee1",
        "2f49d2 3035c2 3d28c0 6617c5 8e36e6 c92bbc c52fc7 da80da 4cc0e1 4cc0e1 b4bee1",
        "4780f2 7680ff 574ded 7040ed 8038e9 a145ec 8280ff 7d80ff 5484f7 3c89eb c581eb",
        "4780f2 7680ff 7b80ff 6d80fe 7f38e9 9180fe 8280ff 7d80ff 6e80fe 7d3aeb bc43de",
      ],
      [
        "8080ff 54aeee 5ab7ec 70b8f1 8fb8f1 a4b8ec aaafee 7f80ff 7f80ff 7f80ff 7f80ff",
        "4ea3ef 51a9ef 5ab7ec 70b8f1 8fb8f1 a4b8ec adaaee 7f80ff 7f80ff 7f80ff 7f80ff",
        "4796f0 4796f0 58a3f3 71a6f8 8da6f8 a7a5f3 b898ef 9e8dfa 7f80ff 7f80ff 7f80ff",
        "4680f1 4680f1 5680f8 7482fe 8982ff a381fa b580f3 b678f3 7f80ff 7f80ff 808cfe",
        "476af0 476af0 565df3 7061fa 8c62fb a364f7 b36ef3 b75eed b75eed 80a2fa 80a2fa",
        "4f61f1 4f57ee 5749eb 6d52f5 8b54f7 9e52f3 a960f4 b75eed 80a2fa 80a2fa 80a2fa",
        "6180fb 6b80fd 635df7 7b58f9 8855f7 8f58f8 8380ff 7b80ff 8379ff 8781ff 8a81ff",
        "6180fb 6b80fd 787fff 7b6cfd 7f69fd 846cfd 8380ff 7b80ff 7a6bfd 8968fc 8f61fa",
      ],
      [
        "8080ff 7996fd 7796fd 6e93fc 6d91fc 7690fe 7691fd 768efe 768efe 768efe 768efe",
        "7a97fd 7a96fd 7796fd 6e93fc 6d91fc 7690fe 7692fd 768efe 768efe 768efe 768efe",
        "7c97fd 7c97fd 77aaf7 73a7f8 71a5f9 6fa3f9 7793fd 7691fd 768efe 768efe 768efe",
        "7dacf7 7dacf7 78abf7 75a9f7 72a8f8 70a8f8 77a8f8 7694fd 768efe 768efe 768cfe",
        "7d96fd 7d96fd 79aaf8 76a9f8 73a9f7 70a9f7 6e95fc 7680ff 7680ff 7795fd 7787fe",
        "7d90fe 7c96fd 7b95fd 7595fd 72a9f7 7896fd 7395fc 7680ff 7795fd 7795fd 7787fe",
        "7f80ff 7c80ff 7a8afe 7895fd 80a9f8 7f95fd 7580ff 7180fe 828efe 859cfc 8599fc",
        "7f80ff 7c80ff 7880ff 7480fe 8295fd 8580ff 7580ff 7180fe 7e80ff 8186ff 7a92fe",
      ],
      [
        "8080ff 73aef6 71aaf7 6cabf6 6aa7f7 6ca4f8 6ca8f7 7195fc 7195fc 7195fc 7195fc",
        "75b1f4 74aff5 71aaf7 6cabf6 6aa7f7 6ca4f8 6daaf6 7195fc 7195fc 7195fc 7195fc",
        "77b6f3 77b6f3 73b1f4 6eb0f4 6badf5 6dacf5 6eb0f4 6fa3f9 7195fc 7195fc 7195fc",
        "78b3f4 78b3f4 75b5f3 70b9f0 6db8f0 6cb2f3 6da8f7 6ca3f8 7195fc 7195fc 7598fc",
        "79b5f3 79b5f3 76b1f4 72b4f3 6eb4f2 6db3f3 6ca9f7 6b8ffc 6b8ffc 7d9efb 7d9efb",
        "78abf7 77aff5 76abf7 72b1f4 71b3f3 6cb0f4 6cacf5 6b8ffc 7d9efb 7d9efb 7d9efb",
        "7c80ff 797fff 759bfc 76a2fa 789efb 75a0fa 7680ff 7380fe 7c91fe 7d96fd 7d9afc",
        "7c80ff 797fff 747ffe 778afe 7e96fd 7f8aff 7680ff 7380fe 7983ff 8197fd 829dfc",
      ],
    ]
  `)
})

test('a variant of an atlas is an atlas of its own: names, animations, mirrors, pages, and the normals of these pages', () => {
  const layers = [
    { kind: 'normals', of: [0, 1, 2], pages: ['n0', 'n1', 'n2'], alternates: [] },
    { kind: 'variant', name: 'red', sprites: ['hero'], of: [2, 0], pages: ['r2', 'r0'], alternates: [['a']] },
    { kind: 'variant', name: 'blue', sprites: ['coin'], of: [1], pages: ['b1'] },
  ]
  const atlas = {
    ...{ name: 'sprites', scale: 2, pages: ['p0', 'p1', 'p2'], alternates: [['q0', 'q1', 'q2']], layers },
    frames: [
      { name: 'hero/walk/0000', page: 2, x: 1 },
      { name: 'hero', page: 0, x: 2 },
      { name: 'coin/spin/0000', page: 1, x: 3 },
    ],
    animations: [
      { name: 'hero/walk', sprite: 'hero', fps: 9, frames: [{ name: 'hero/walk/0000', durationMs: 7 }] },
      { name: 'coin/spin', sprite: 'coin', fps: 8, frames: [{ name: 'coin/spin/0000', durationMs: 6 }] },
    ],
    mirrors: { 'hero/left': 'hero/walk' },
  }
  expect([variantsOf(atlas as never), variantsOf({ ...atlas, layers: undefined } as never), pagesOf(atlas)]).toEqual([
    [
      {
        ...{ name: 'sprites.red', scale: 2, pages: ['r2', 'r0'], alternates: [['a']] },
        layers: [{ kind: 'normals', of: [0, 1], pages: ['n2', 'n0'], alternates: [] }],
        frames: [
          { name: 'hero.red/walk/0000', page: 0, x: 1 },
          { name: 'hero.red', page: 1, x: 2 },
        ],
        animations: [{ name: 'hero.red/walk', sprite: 'hero.red', fps: 9, frames: [{ name: 'hero.red/walk/0000', durationMs: 7 }] }],
        mirrors: { 'hero.red/left': 'hero.red/walk' },
      },
      {
        ...{ name: 'sprites.blue', scale: 2, pages: ['b1'], alternates: undefined },
        layers: [{ kind: 'normals', of: [0], pages: ['n1'], alternates: [] }],
        frames: [{ name: 'coin.blue/spin/0000', page: 0, x: 3 }],
        animations: [{ name: 'coin.blue/spin', sprite: 'coin.blue', fps: 8, frames: [{ name: 'coin.blue/spin/0000', durationMs: 6 }] }],
        mirrors: { 'hero/left': 'hero/walk' },
      },
    ],
    [],
    ['p0', 'p1', 'p2', 'q0', 'q1', 'q2', 'n0', 'n1', 'n2', 'r2', 'r0', 'a', 'b1'],
  ])
})
