import type { Rgb } from './canvas.ts'
import { ink, lightOf, mix, shadeOf } from './colours.ts'
import { box, ellipse, star } from './path.ts'
import { drawSmile, type Pen } from './pen.ts'
import type { Look, Subject } from './subject.ts'

const gold: Rgb = [255, 194, 51]
const wood: Rgb = [150, 94, 62]
const steel: Rgb = [196, 208, 232]
const white: Rgb = [255, 255, 255]

/** A sword, its grip at (0, 0), its blade up, 150 units long. */
export function drawSword(pen: Pen, blade: Rgb, guard: Rgb): void {
  pen.part('M-13 -22L-13 -118L0 -142L13 -118L13 -22Z', blade, { shade: 0, light: 0 })
  pen.spot('M0 -134L10 -117L10 -24L0 -24Z', shadeOf(blade, 0.25))
  pen.spot('M-9 -112L-4 -122L-4 -34L-9 -34Z', white, 0.85)
  pen.part(box(-34, -26, 68, 15, 6), guard, { shade: 5, light: 3, outline: 5 })
  pen.part(box(-7, -10, 14, 34, 4), wood, { shade: 5, light: 0, outline: 5 })
  pen.part(ellipse(0, 28, 9), guard, { shade: 4, light: 3, outline: 5 })
}

/** A shield about (0, 0), 110 units high. */
export function drawShield(pen: Pen, face: Rgb, rim: Rgb): void {
  pen.part('M-46 -48Q-20 -44 0 -58Q20 -44 46 -48Q54 26 0 58Q-54 26 -46 -48Z', rim, { shade: 7, light: 4 })
  pen.part('M-34 -36Q-14 -34 0 -44Q14 -34 34 -36Q40 20 0 43Q-40 20 -34 -36Z', face, { shade: 8, light: 4, outline: 4 })
  pen.part(star(0, -2, 20, 9, 5), lightOf(rim), { shade: 0, light: 0, outline: 4 })
}

/** A staff with a stone, its foot at (0, 0), 150 units high. */
export function drawStaff(pen: Pen, stone: Rgb): void {
  pen.part('M-6 0L-5 -118L5 -118L6 0Z', wood, { shade: 4, light: 0, outline: 5 })
  pen.part('M-16 -112Q-20 -132 -8 -140L-4 -126L6 -126L10 -140Q20 -132 16 -112Z', wood, { shade: 4, light: 0, outline: 5 })
  pen.part(ellipse(0, -142, 16), stone, { shade: 7, light: 4, outline: 5 })
  pen.spot(ellipse(5, -148, 4), white, 0.9)
}

function potion(pen: Pen, { main }: Look): void {
  pen.part('M104 60L104 108Q58 132 58 180Q58 240 128 240Q198 240 198 180Q198 132 152 108L152 60Z', [214, 232, 250], { shade: 12 })
  pen.part('M69 172Q96 156 128 170Q160 184 187 170Q194 230 128 230Q62 230 69 172Z', main, { outline: 0, light: 0, shade: 14 })
  pen.spot('M69 172Q96 156 128 170Q160 184 187 170Q184 186 160 186Q128 186 104 176Q84 170 69 172Z', lightOf(main))
  for (const [x, y, size] of [
    [110, 206, 8],
    [140, 196, 6],
    [150, 216, 5],
    [96, 190, 4],
  ] as const)
    pen.spot(ellipse(x, y, size), lightOf(main), 0.8)
  pen.line('M164 142Q184 160 184 184', white, 8, 0.85)
  pen.part(box(94, 52, 68, 20, 8), [214, 232, 250], { shade: 6, light: 3 })
  pen.part('M108 26L148 26L144 54L112 54Z', wood, { shade: 7, light: 4 })
}

function chest(pen: Pen, { main, second }: Look): void {
  pen.part('M36 132Q36 76 84 76L172 76Q220 76 220 132Z', main, { shade: 12 })
  pen.part(box(36, 128, 184, 110, 10), mix(main, ink, 0.12), { shade: 12, light: 4 })
  pen.line('M40 186H216', shadeOf(main), 4)
  for (const x of [52, 176]) pen.part(`M${x} 78H${x + 28}V238H${x}Z`, second, { shade: 6, light: 4, outline: 5 })
  pen.part(box(30, 122, 196, 20, 6), second, { shade: 5, light: 4 })
  pen.part(box(106, 114, 44, 48, 8), lightOf(second, 0.25), { shade: 6, light: 4 })
  pen.spot(ellipse(128, 134, 7), ink)
  pen.spot('M124 134H132L135 152H121Z', ink)
}

function gem(pen: Pen, { main }: Look): void {
  pen.part('M74 64H182L230 122L128 236L26 122Z', main, { shade: 0, light: 0 })
  pen.spot('M26 122H88L128 236Z', shadeOf(main))
  pen.spot('M168 122H230L128 236Z', shadeOf(main, 0.18))
  pen.spot('M74 64H104L88 122H26Z', lightOf(main, 0.25))
  pen.spot('M104 64H152L168 122H88Z', lightOf(main, 0.55))
  pen.spot('M152 64H182L230 122H168Z', lightOf(main, 0.35))
  pen.line('M26 122H230M104 64L88 122L128 236L168 122L152 64', shadeOf(main, 0.5), 3.5)
  pen.line('M58 104L78 80', white, 7, 0.9)
  pen.line('M74 64H182L230 122L128 236L26 122Z', ink, 6)
}

function crystal(pen: Pen, { main, second }: Look): void {
  const shard = (x: number, y: number, size: number, turn: number, colour: Rgb): void => {
    const own = pen.at(x, y, size, turn)
    own.part('M-30 0L-34 -110L0 -160L34 -110L30 0Z', colour, { shade: 0, light: 0 })
    own.spot('M-30 0L-34 -110L-8 -104L-6 0Z', shadeOf(colour))
    own.spot('M-8 -104L0 -160L34 -110Z', lightOf(colour, 0.6))
    own.spot('M14 -106L34 -110L30 0L14 0Z', lightOf(colour, 0.3))
    own.line('M-34 -110L-8 -104L14 -106L34 -110M-8 -104L-6 0M14 -106V0M-8 -104L0 -160L14 -106', shadeOf(colour, 0.45), 3)
    own.line('M-30 0L-34 -110L0 -160L34 -110L30 0Z', ink, 6)
  }
  shard(74, 232, 0.72, -0.35, second)
  shard(184, 232, 0.66, 0.38, second)
  shard(128, 236, 1.18, 0, main)
  pen.part('M40 246Q38 224 62 222Q76 208 98 220Q124 208 146 220Q170 208 190 222Q218 222 216 246Z', [104, 94, 132], { shade: 8, light: 4 })
}

function keyItem(pen: Pen, { main }: Look): void {
  const own = pen.at(128, 128, 1, 0.62)
  own.part('M-12 -20H12V104H46V84H26V70H50V54H12Z', main, { shade: 0, light: 0, outline: 12 })
  own.part('M-12 -20H12V54H34V72H12V84H44V104H-12Z', main, { shade: 6, light: 4 })
  own.part('M0 -116C40 -116 58 -88 58 -62C58 -30 34 -12 0 -12C-34 -12 -58 -30 -58 -62C-58 -88 -40 -116 0 -116Z', main, {
    shade: 10,
    light: 6,
  })
  own.part(ellipse(0, -64, 26), shadeOf(main, 0.75), { shade: 0, light: 0, outline: 5 })
}

function coin(pen: Pen, { main }: Look): void {
  pen.part(ellipse(128, 140, 96), main, { shade: 14, light: 8 })
  pen.part(ellipse(128, 140, 70), mix(main, [200, 90, 20], 0.3), { shade: 10, light: 4, outline: 5 })
  pen.part(star(128, 142, 46, 20, 5), lightOf(main, 0.6), { shade: 6, light: 0, outline: 5 })
  pen.line('M52 108Q64 76 94 62', white, 8, 0.9)
}

function heart(pen: Pen, { main }: Look): void {
  pen.part(
    'M128 230C70 186 28 150 28 102C28 62 56 40 84 40C104 40 120 50 128 68C136 50 152 40 172 40C200 40 228 62 228 102C228 150 186 186 128 230Z',
    main,
    { shade: 16, light: 8 },
  )
  pen.spot(ellipse(76, 84, 20, 14), white, 0.85)
  pen.spot(ellipse(54, 112, 7), white, 0.85)
}

function starItem(pen: Pen, { main }: Look): void {
  pen.part(star(128, 142, 110, 54, 5), main, { shade: 14, light: 8, outline: 7 })
  for (const x of [104, 152]) pen.spot(ellipse(x, 134, 9, 15), ink)
  for (const x of [107, 155]) pen.spot(ellipse(x, 127, 4), white)
  drawSmile(pen, 128, 158, 10, 42)
}

function bomb(pen: Pen, { main, second }: Look): void {
  pen.part(ellipse(120, 160, 82), main, { shade: 16, light: 8 })
  pen.part('M158 74L194 102L178 122L142 94Z', shadeOf(main, 0.1), { shade: 6, light: 4 })
  pen.line('M178 88Q196 60 222 66', ink, 13)
  pen.line('M178 88Q196 60 222 66', [222, 200, 160], 6)
  pen.part(star(222, 62, 28, 12, 8), second, { shade: 0, light: 0, outline: 5 })
  pen.spot(star(222, 62, 13, 6, 8), [255, 250, 210])
  pen.spot(ellipse(88, 126, 18, 12), white, 0.75)
}

function crown(pen: Pen, { main, second }: Look): void {
  pen.part('M34 200L24 88L80 136L128 60L176 136L232 88L222 200Z', main, { shade: 14, light: 8 })
  pen.part(box(30, 188, 196, 44, 10), main, { shade: 8, light: 5 })
  for (const [x, y] of [
    [24, 84],
    [128, 56],
    [232, 84],
  ] as const)
    pen.part(ellipse(x, y, 14), second, { shade: 5, light: 3, outline: 5 })
  for (const x of [74, 128, 182]) pen.part(ellipse(x, 210, 11, 12), second, { shade: 4, light: 3, outline: 4 })
}

function book(pen: Pen, { main, second }: Look): void {
  pen.part('M56 44H196Q206 44 206 54V226Q206 236 196 236H56Q44 236 44 220V60Q44 44 56 44Z', main, { shade: 12, light: 6 })
  pen.part('M60 208H206V230H60Q50 230 50 219Q50 208 60 208Z', [250, 240, 220], { shade: 4, light: 0, outline: 4 })
  pen.line('M72 48V206', shadeOf(main, 0.5), 5)
  pen.part(star(138, 124, 42, 18, 5), second, { shade: 6, light: 4, outline: 5 })
}

function rocket(pen: Pen, { main, second }: Look): void {
  const own = pen.at(128, 128, 1, 0.5)
  own.part('M-22 74L0 126L22 74Z', [255, 168, 40], { shade: 6, light: 0 })
  own.spot('M-10 76L0 104L10 76Z', [255, 240, 150])
  for (const side of [-1, 1]) own.part(`M${side * 34} 24L${side * 70} 66L${side * 66} 92L${side * 30} 70Z`, main, { shade: 7, light: 4 })
  own.part('M0 -116C48 -70 50 20 32 78H-32C-50 20 -48 -70 0 -116Z', [236, 242, 255], { shade: 12, light: 5 })
  own.part('M0 -116C22 -95 34 -72 39 -48H-39C-34 -72 -22 -95 0 -116Z', main, { shade: 7, light: 4 })
  own.part(ellipse(0, -8, 22), second, { shade: 7, light: 4 })
}

const draw = (names: readonly string[], main: Rgb, second: Rgb, paint: Subject['draw']): Subject => ({
  names,
  main,
  second,
  draw: paint,
  head: null,
})

/** Things to find, carry and use. */
export const items: readonly Subject[] = [
  draw(['sword', 'blade', 'dagger'], steel, gold, (pen, { main, second }) => drawSword(pen.at(66, 190, 1.5, 0.78), main, second)),
  draw(['shield'], [66, 124, 232], gold, (pen, { main, second }) => drawShield(pen.at(128, 136, 1.85), main, second)),
  draw(['staff', 'wand'], [80, 208, 236], gold, (pen, { main }) => drawStaff(pen.at(92, 236, 1.3, 0.3), main)),
  draw(['potion', 'flask', 'bottle', 'elixir'], [226, 62, 120], wood, potion),
  draw(['chest', 'treasure', 'crate'], [178, 108, 62], gold, chest),
  draw(['gem', 'diamond', 'jewel', 'ruby', 'sapphire', 'emerald'], [80, 190, 246], gold, gem),
  draw(['crystal', 'crystals', 'amethyst'], [80, 180, 246], [150, 90, 220], crystal),
  draw(['key'], gold, steel, keyItem),
  draw(['coin', 'coins', 'money'], gold, gold, coin),
  draw(['heart', 'life'], [232, 58, 82], white, heart),
  draw(['star'], [255, 208, 64], gold, starItem),
  draw(['bomb'], [72, 70, 104], [255, 160, 40], bomb),
  draw(['crown'], gold, [226, 58, 90], crown),
  draw(['book', 'spellbook', 'scroll'], [146, 70, 180], gold, book),
  draw(['rocket', 'spaceship', 'ship'], [232, 70, 80], [100, 200, 250], rocket),
]
