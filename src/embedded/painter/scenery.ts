import type { Rgb } from './canvas.ts'
import { ink, lightOf, shadeOf } from './colours.ts'
import { box, ellipse } from './path.ts'
import { drawEyes, drawSmile, type Pen } from './pen.ts'
import type { Look, Subject } from './subject.ts'

const wood: Rgb = [150, 94, 62]
const white: Rgb = [255, 255, 255]

function tree(pen: Pen, { main, words }: Look): void {
  pen.part('M108 150L102 224Q96 240 84 246H176Q160 240 154 224L150 150Z', wood, { shade: 12 })
  if (words.has('pine') || words.has('fir') || words.has('christmas')) {
    for (const [y, half] of [
      [190, 92],
      [138, 76],
      [88, 58],
    ] as const)
      pen.part(`M128 ${y - 88}L${128 + half} ${y}Q128 ${y + 22} ${128 - half} ${y}Z`, main, { shade: 14, light: 7 })
    return
  }
  pen.part(
    'M70 178C34 182 20 150 36 128C18 104 36 70 66 72C74 38 116 24 142 42C176 28 210 52 206 86C236 96 240 136 216 150C212 180 176 188 158 174C136 192 96 194 70 178Z',
    main,
    { shade: 18, light: 9 },
  )
  for (const [x, y] of [
    [92, 104],
    [150, 84],
    [174, 132],
    [112, 146],
  ] as const)
    pen.line(`M${x} ${y}q8 8 18 2`, shadeOf(main, 0.45), 4)
  if (words.has('apple') || words.has('fruit'))
    for (const [x, y] of [
      [84, 130],
      [146, 114],
      [186, 106],
    ] as const)
      pen.part(ellipse(x, y, 12), [230, 60, 70], { shade: 4, light: 3, outline: 5 })
}

function mushroom(pen: Pen, { main }: Look): void {
  pen.part('M92 150Q82 214 72 226Q72 246 128 246Q184 246 184 226Q174 214 164 150Z', [255, 236, 208], { shade: 14 })
  pen.part('M20 152C20 84 66 40 128 40C190 40 236 84 236 152C236 172 184 178 128 178C72 178 20 172 20 152Z', main, { shade: 16, light: 8 })
  for (const [x, y, rx, ry] of [
    [128, 74, 24, 17],
    [70, 112, 18, 22],
    [190, 116, 17, 21],
    [130, 138, 17, 12],
  ] as const)
    pen.spot(ellipse(x, y, rx, ry), [255, 240, 224])
  drawEyes(pen, 128, 204, 20, 7)
  drawSmile(pen, 128, 216, 8, 34)
}

function flower(pen: Pen, { main, second }: Look): void {
  pen.line('M128 130Q120 190 128 242', ink, 18)
  pen.line('M128 130Q120 190 128 242', [72, 176, 96], 8)
  pen.part('M126 212Q70 214 62 176Q108 170 126 212Z', [82, 196, 108], { shade: 7, light: 4 })
  pen.part('M128 224Q182 222 192 188Q146 180 128 224Z', [82, 196, 108], { shade: 7, light: 4 })
  for (let i = 0; i < 6; i++) pen.at(128, 98, 1, (i * Math.PI) / 3).part(ellipse(0, -48, 26, 32), main, { shade: 8, light: 5 })
  pen.part(ellipse(128, 98, 30), second, { shade: 8, light: 5 })
  drawEyes(pen, 128, 95, 11, 4.5)
  drawSmile(pen, 128, 106, 6)
}

function house(pen: Pen, { main, second }: Look): void {
  pen.part('M170 46H196V110H170Z', [178, 96, 84], { shade: 6, light: 3 })
  pen.part(box(48, 122, 160, 122, 6), second, { shade: 14, light: 6 })
  pen.part('M128 36L236 132Q232 146 218 142L128 66L38 142Q24 146 20 132Z', main, { shade: 8, light: 6 })
  pen.part('M128 66L200 128H56Z', second, { shade: 0, light: 0, outline: 0 })
  pen.part('M106 244V188Q106 166 128 166Q150 166 150 188V244Z', wood, { shade: 8, light: 4 })
  pen.spot(ellipse(142, 208, 4), [255, 210, 90])
  for (const x of [62, 164]) {
    pen.part(box(x, 166, 30, 34, 4), [150, 218, 255], { shade: 5, light: 4, outline: 5 })
    pen.line(`M${x + 15} 168V198M${x + 2} 183H${x + 28}`, ink, 3)
  }
  pen.part(ellipse(128, 112, 17), [150, 218, 255], { shade: 5, light: 4, outline: 5 })
}

function castle(pen: Pen, { main, second }: Look): void {
  const tower = (x: number, top: number): void => {
    pen.part(box(x, top, 52, 246 - top, 3), main, { shade: 12, light: 5 })
    pen.part(`M${x - 8} ${top}L${x + 26} ${top - 62}L${x + 60} ${top}Z`, second, { shade: 9, light: 5 })
    pen.part(box(x + 17, top + 24, 18, 30, 9), shadeOf(main, 0.75), { shade: 0, light: 0, outline: 4 })
  }
  pen.part('M62 246V130H84V148H106V130H150V148H172V130H194V246Z', lightOf(main, 0.15), { shade: 12, light: 5 })
  tower(26, 96)
  tower(178, 96)
  pen.part('M100 246V206Q100 180 128 180Q156 180 156 206V246Z', wood, { shade: 8, light: 4 })
  pen.line('M128 184V244M102 212H154', ink, 4)
}

function cloud(pen: Pen, { main }: Look): void {
  pen.part(
    'M66 196C28 200 14 158 44 142C38 104 84 86 108 106C122 68 186 72 190 116C226 110 244 156 218 178C214 194 200 198 186 196Z',
    main,
    { shade: 14, light: 7 },
  )
  drawEyes(pen, 128, 144, 22, 8)
  drawSmile(pen, 128, 164, 9, 42)
}

function sun(pen: Pen, { main }: Look): void {
  for (let i = 0; i < 12; i++)
    pen.at(128, 132, 1, (i * Math.PI) / 6).part('M-15 -80L0 -112L15 -80Z', shadeOf(main, 0.12), { shade: 4, light: 3, outline: 5 })
  pen.part(ellipse(128, 132, 74), main, { shade: 13, light: 8 })
  drawEyes(pen, 128, 124, 24, 9)
  drawSmile(pen, 128, 148, 12, 46)
}

function moon(pen: Pen, { main }: Look): void {
  pen.part('M150 30C90 34 42 80 42 140C42 200 90 240 148 236C184 234 212 212 224 184C160 206 104 166 112 104C116 72 132 46 150 30Z', main, {
    shade: 16,
    light: 8,
  })
  pen.spot(ellipse(76, 150, 13), shadeOf(main, 0.25))
  pen.spot(ellipse(104, 202, 9), shadeOf(main, 0.25))
}

function apple(pen: Pen, { main }: Look): void {
  pen.part(
    'M128 84C150 60 218 62 220 134C222 190 184 242 154 238C142 236 136 232 128 232C120 232 114 236 102 238C72 242 34 190 36 134C38 62 106 60 128 84Z',
    main,
    { shade: 16, light: 8 },
  )
  pen.line('M128 88Q126 62 138 42', ink, 15)
  pen.line('M128 88Q126 62 138 42', wood, 7)
  pen.part('M138 68Q154 32 202 40Q190 78 138 68Z', [96, 200, 96], { shade: 7, light: 4 })
  pen.spot(ellipse(74, 122, 12, 20), white, 0.75)
}

function cactus(pen: Pen, { main }: Look): void {
  pen.part('M60 170Q34 168 36 132Q38 116 52 118Q64 120 62 136Q62 146 92 146V172Z', main, { shade: 8, light: 4 })
  pen.part('M196 146Q222 144 220 104Q218 90 204 92Q192 94 194 112Q194 122 164 122V148Z', main, { shade: 8, light: 4 })
  pen.part('M88 246V84Q88 40 128 40Q168 40 168 84V246Z', main, { shade: 14, light: 7 })
  pen.line('M110 70V232M146 70V232', shadeOf(main, 0.4), 4)
  drawEyes(pen, 128, 116, 20, 8)
  drawSmile(pen, 128, 134, 8, 36)
  pen.part(ellipse(128, 42, 15, 11), [255, 120, 170], { shade: 5, light: 3, outline: 5 })
}

const draw = (names: readonly string[], main: Rgb, second: Rgb, paint: Subject['draw'], head: Subject['head'] = null): Subject => ({
  names,
  main,
  second,
  draw: paint,
  head,
})

/** What stands, grows or hangs in a scene. */
export const scenery: readonly Subject[] = [
  draw(['tree', 'oak', 'pine', 'fir', 'bush'], [74, 184, 96], wood, tree),
  draw(['mushroom', 'toadstool'], [228, 62, 72], white, mushroom, { x: 128, y: 50, width: 84 }),
  draw(['flower', 'rose', 'daisy'], [255, 130, 180], [255, 206, 72], flower),
  draw(['house', 'hut', 'cottage', 'shop'], [220, 84, 80], [250, 226, 190], house),
  draw(['castle', 'tower', 'fortress'], [178, 186, 212], [226, 76, 92], castle),
  draw(['cloud'], [236, 244, 255], white, cloud, { x: 140, y: 96, width: 84 }),
  draw(['sun'], [255, 204, 60], white, sun),
  draw(['moon'], [255, 226, 140], white, moon),
  draw(['apple', 'fruit'], [226, 60, 66], wood, apple),
  draw(['cactus'], [84, 186, 104], white, cactus, { x: 128, y: 44, width: 72 }),
]
