import { ink, lightOf, shadeOf } from './colours.ts'
import { ellipse } from './path.ts'
import type { Pen } from './pen.ts'
import type { Look } from './subject.ts'

/** A small monster whose horns, eyes, arms, belly and teeth are of the prompt's own chance. */
export function drawMonster(pen: Pen, { main, second, chance }: Look): void {
  const [horns, eyes, spots, teeth] = [Math.floor(chance() * 3), 1 + Math.floor(chance() * 3), chance() > 0.5, 1 + Math.floor(chance() * 3)]
  const [wide, high] = [66 + chance() * 20, 66 + chance() * 18]
  for (const isMirrored of [false, true]) {
    const side = pen.at(128, 150, 1, 0, isMirrored)
    if (horns === 0) side.part('M-44 -66Q-84 -82 -76 -122Q-40 -112 -16 -80Z', lightOf(second, 0.3), { shade: 6, light: 4 })
    if (horns === 1) side.part(ellipse(-50, -76, 24), shadeOf(main, 0.1), { shade: 6, light: 3 })
    if (horns === 2) {
      side.line('M-26 -70Q-40 -100 -54 -108', ink, 15)
      side.line('M-26 -70Q-40 -100 -54 -108', main, 6)
      side.part(ellipse(-56, -112, 13), second, { shade: 4, light: 3, outline: 5 })
    }
    side.part(
      `M${-wide + 6} -6C${-wide - 40} 8 ${-wide - 38} 52 ${-wide - 12} 56C${-wide + 6} 52 ${-wide + 4} 30 ${-wide + 14} 22Z`,
      main,
      { shade: 6, light: 4 },
    )
    side.part(ellipse(-34, 88, 24, 13), shadeOf(main, 0.15), { shade: 5, light: 3 })
  }
  pen.part(ellipse(128, 156, wide, high + 12), main, { shade: 16, light: 8 })
  pen.spot(ellipse(128, 202, wide * 0.58, high * 0.42), lightOf(main, 0.4))
  if (spots)
    for (const [x, y, size] of [
      [84, 188, 9],
      [176, 178, 8],
      [168, 206, 6],
      [92, 212, 5],
    ] as const)
      pen.spot(ellipse(x, y, size), shadeOf(main, 0.2))
  const places = eyes === 1 ? [128] : eyes === 2 ? [100, 156] : [84, 128, 172]
  const size = eyes === 1 ? 30 : eyes === 2 ? 22 : 17
  for (const x of places) {
    pen.part(ellipse(x, 130, size), [255, 255, 255], { shade: 4, light: 0, outline: 5 })
    pen.spot(ellipse(x + 2, 133, size * 0.52, size * 0.62), second)
    pen.spot(ellipse(x + 2, 133, size * 0.34, size * 0.44), ink)
    pen.spot(ellipse(x + size * 0.28, 133 - size * 0.36, size * 0.2), [255, 255, 255])
  }
  pen.spot('M96 176Q128 168 160 176Q156 204 128 204Q100 204 96 176Z', ink)
  for (let tooth = 0; tooth < teeth; tooth++) {
    const x = 128 + (tooth - (teeth - 1) / 2) * 22
    pen.spot(`M${x - 7} 174L${x} 187L${x + 7} 174Z`, [255, 255, 255])
  }
}
