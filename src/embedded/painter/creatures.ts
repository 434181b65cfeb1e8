import type { Rgb } from './canvas.ts'
import { ink, lightOf, mix, shadeOf } from './colours.ts'
import { ellipse } from './path.ts'
import { drawEyes, drawSmile, type Pen } from './pen.ts'
import type { Look, Subject } from './subject.ts'

const white: Rgb = [255, 255, 255]
const rose: Rgb = [255, 140, 160]

/** What one sitting animal has that another has not. */
interface Beast {
  readonly ears: 'pointed' | 'round' | 'long' | 'hanging'
  readonly tail: 'thin' | 'bushy' | 'ball'
  readonly muzzle: 'small' | 'wide'
  /** Dark patches about the eyes. */
  readonly isMasked?: boolean
}

const ears: Readonly<Record<Beast['ears'], string>> = {
  pointed: 'M-64 -18Q-78 -62 -66 -92Q-34 -82 -14 -50Z',
  round: 'M-78 -52C-84 -92 -40 -98 -30 -66L-50 -30Z',
  long: 'M-44 -40C-64 -80 -62 -132 -44 -138C-20 -136 -14 -90 -14 -48Z',
  hanging: 'M-40 -52C-84 -62 -104 -16 -92 26C-78 40 -60 20 -56 -14Z',
}

const tails: Readonly<Record<Beast['tail'], string>> = {
  thin: 'M176 226C224 226 236 186 216 152C214 140 230 136 236 148C258 196 226 252 170 246Z',
  bushy: 'M166 236C196 226 186 190 196 168C206 142 240 136 244 158C254 204 226 252 168 248Z',
  ball: 'M170 214C176 194 208 196 208 220C208 244 174 244 168 230Z',
}

/** An animal that sits and looks at us. */
function sitting({ ears: ear, tail, muzzle, isMasked = false }: Beast): (pen: Pen, look: Look) => void {
  return (page, { main, second }) => {
    // Long ears need room.
    const pen = ear === 'long' ? page.at(18, 34, 0.86) : page
    pen.part(tails[tail], main, { shade: 9, light: 5 })
    pen.part('M72 244C56 190 92 150 128 150C164 150 200 190 184 244Q128 254 72 244Z', main, { shade: 12, light: 6 })
    pen.spot('M100 240C90 204 108 176 128 176C148 176 166 204 156 240Q128 247 100 240Z', second)
    for (const x of [96, 160]) pen.part(ellipse(x, 236, 21, 13), lightOf(main, 0.12), { shade: 5, light: 3 })
    const head = pen.at(128, 112)
    for (const isMirrored of [false, true]) {
      const side = head.at(0, 0, 1, 0, isMirrored)
      side.part(ears[ear], isMasked ? [60, 54, 84] : ear === 'hanging' ? shadeOf(main, 0.25) : main, { shade: 7, light: 4 })
      if (ear !== 'hanging' && !isMasked) side.at(ear === 'long' ? -14 : -22, ear === 'long' ? -36 : -26, 0.5).spot(ears[ear], rose)
    }
    head.part('M0 -68C52 -68 86 -36 84 4C82 44 44 64 0 64C-44 64 -82 44 -84 4C-86 -36 -52 -68 0 -68Z', main, { shade: 15, light: 8 })
    if (isMasked) for (const side of [-1, 1]) head.spot(ellipse(side * 35, 0, 23, 25), ink)
    const [wide, high] = muzzle === 'wide' ? [40, 28] : [28, 19]
    head.spot(ellipse(0, 34, wide, high), second)
    drawEyes(head, 0, 0, 36, 10, isMasked ? [20, 12, 34] : ink)
    head.spot('M-10 20Q0 14 10 20Q8 30 0 32Q-8 30 -10 20Z', ink)
    head.line('M-14 38Q-8 48 0 40Q8 48 14 38', ink, 4)
    for (const side of [-1, 1]) head.spot(ellipse(side * 58, 24, 10, 6), rose, 0.6)
  }
}

function slime(pen: Pen, { main }: Look): void {
  pen.part(
    'M128 58C136 58 140 66 150 76C206 92 236 150 234 202C232 240 190 246 128 246C66 246 24 240 22 202C20 150 50 92 106 76C116 66 120 58 128 58Z',
    main,
    { shade: 17, light: 9 },
  )
  pen.spot(ellipse(184, 118, 20, 14), white, 0.85)
  pen.spot(ellipse(206, 144, 7, 9), white, 0.85)
  for (const [x, y, size] of [
    [54, 192, 9],
    [74, 214, 6],
    [196, 204, 8],
  ] as const)
    pen.spot(ellipse(x, y, size), lightOf(main), 0.7)
  drawEyes(pen, 128, 166, 32, 13)
  pen.spot('M112 192Q128 188 144 192Q142 214 128 214Q114 214 112 192Z', ink)
  pen.spot(ellipse(128, 207, 9, 5), rose)
  for (const x of [70, 186]) pen.spot(ellipse(x, 192, 12, 7), rose, 0.75)
}

function ghost(pen: Pen, { main }: Look): void {
  pen.part('M60 162C34 152 20 170 26 186C38 194 56 190 66 178Z', main, { shade: 6, light: 3 })
  pen.part('M196 162C222 152 236 170 230 186C218 194 200 190 190 178Z', main, { shade: 6, light: 3 })
  pen.part(
    'M128 30C184 30 206 78 206 126C206 176 212 206 226 232C206 246 188 242 178 226C166 246 146 248 132 228C118 248 96 248 82 226C70 244 50 246 30 234C46 204 50 176 50 126C50 78 72 30 128 30Z',
    main,
    { shade: 20, light: 9 },
  )
  drawEyes(pen, 130, 112, 27, 14)
  pen.part(ellipse(130, 158, 12, 15), [90, 42, 107], { shade: 0, light: 0, outline: 5 })
  pen.spot(ellipse(130, 167, 7, 5), rose)
  for (const x of [78, 182]) pen.spot(ellipse(x, 140, 13, 7), rose, 0.7)
}

function dragon(pen: Pen, { main, second }: Look): void {
  for (const isMirrored of [false, true]) {
    const side = pen.at(128, 148, 1, 0, isMirrored)
    side.part('M-40 16C-70 -58 -104 -66 -122 -58C-116 -40 -120 -22 -116 -6C-100 -12 -94 2 -92 18C-78 10 -66 22 -62 38Z', second, {
      shade: 9,
      light: 5,
    })
    side.line('M-44 20Q-78 -30 -116 -54M-48 24Q-80 -4 -114 -6M-52 30Q-74 14 -90 16', shadeOf(second, 0.45), 4)
  }
  pen.part('M164 232C206 236 224 206 216 176L236 178L222 146L198 168L206 176C206 196 190 206 166 204Z', main, { shade: 8, light: 4 })
  pen.part('M70 244C52 190 84 140 128 140C172 140 204 190 186 244Q128 254 70 244Z', main, { shade: 12, light: 6 })
  const belly = lightOf(mix(main, [255, 226, 150], 0.7), 0.2)
  pen.part('M98 243C84 204 104 168 128 168C152 168 172 204 158 243Q128 250 98 243Z', belly, { shade: 6, light: 0, outline: 0 })
  for (const y of [192, 210, 228])
    pen.line(`M${y < 200 ? 104 : 98} ${y}Q128 ${y + 8} ${y < 200 ? 152 : 158} ${y}`, shadeOf(belly, 0.3), 3.5)
  for (const x of [86, 170]) pen.part(ellipse(x, 236, 23, 14), lightOf(main, 0.12), { shade: 5, light: 3 })
  const head = pen.at(128, 100)
  for (const isMirrored of [false, true]) {
    const side = head.at(0, 0, 1, 0, isMirrored)
    side.part('M-28 -46Q-58 -62 -56 -90Q-26 -84 -12 -56Z', [255, 236, 196], { shade: 6, light: 3 })
    side.part('M-62 -12L-94 -30L-84 -4L-98 10L-64 18Z', second, { shade: 5, light: 3 })
  }
  head.part(
    'M0 -60C46 -60 72 -34 70 -4C68 18 62 26 60 38C54 62 26 68 0 68C-26 68 -54 62 -60 38C-62 26 -68 18 -70 -4C-72 -34 -46 -60 0 -60Z',
    main,
    { shade: 14, light: 7 },
  )
  head.spot(ellipse(0, 42, 46, 20), lightOf(main, 0.35))
  drawEyes(head, 0, 0, 32, 11)
  for (const side of [-1, 1]) head.spot(ellipse(side * 14, 34, 4, 5), ink)
  head.line('M-34 46Q0 64 34 46', ink, 4)
  for (const side of [-1, 1]) head.spot(`M${side * 24} 51L${side * 19} 62L${side * 13} 54Z`, white)
}

function bird(pen: Pen, { main, second, words }: Look): void {
  const isOwl = words.has('owl')
  for (const x of [104, 152]) pen.line(`M${x} 226V244M${x - 12} 245H${x + 12}`, [240, 150, 50], 8)
  pen.part('M128 44C190 44 210 96 206 148C202 204 170 232 128 232C86 232 54 204 50 148C46 96 66 44 128 44Z', main, { shade: 16, light: 8 })
  pen.spot('M128 128C168 128 182 156 172 188C162 218 148 226 128 226C108 226 94 218 84 188C74 156 88 128 128 128Z', second)
  if (isOwl)
    for (const side of [-1, 1])
      pen.part(`M${128 + side * 28} 56Q${128 + side * 60} 48 ${128 + side * 66} 20Q${128 + side * 84} 60 ${128 + side * 66} 86Z`, main, {
        shade: 5,
        light: 3,
      })
  for (const isMirrored of [false, true])
    pen
      .at(128, 160, 1, 0, isMirrored)
      .part('M-74 -36C-104 -10 -106 40 -82 56C-62 40 -56 4 -60 -24Z', shadeOf(main, 0.14), { shade: 8, light: 4 })
  if (isOwl) for (const x of [96, 160]) pen.part(ellipse(x, 106, 29), [255, 246, 226], { shade: 5, light: 0, outline: 4 })
  drawEyes(pen, 128, 104, isOwl ? 32 : 34, isOwl ? 13 : 11)
  pen.part('M108 118Q128 108 148 118Q140 146 128 150Q116 146 108 118Z', [250, 166, 50], { shade: 6, light: 3, outline: 5 })
}

function bat(pen: Pen, { main, second }: Look): void {
  for (const isMirrored of [false, true]) {
    const side = pen.at(128, 136, 1, 0, isMirrored)
    side.part(
      'M-40 -10C-66 -58 -96 -66 -118 -58C-108 -30 -122 -6 -120 22C-106 14 -96 24 -92 44C-78 28 -62 34 -56 52C-44 40 -36 30 -32 20Z',
      second,
      { shade: 9, light: 5 },
    )
    side.line('M-42 -4Q-76 -40 -114 -52M-42 4Q-80 4 -116 18M-38 10Q-64 20 -88 40', shadeOf(second, 0.5), 4)
    side.part('M-46 -34Q-60 -82 -46 -92Q-22 -76 -14 -52Z', main, { shade: 5, light: 3 })
    side.spot('M-40 -40Q-48 -68 -42 -78Q-28 -68 -22 -52Z', rose)
  }
  pen.part('M128 76C170 76 188 108 186 142C184 186 160 206 128 206C96 206 72 186 70 142C68 108 86 76 128 76Z', main, {
    shade: 13,
    light: 7,
  })
  pen.spot(ellipse(128, 172, 34, 26), lightOf(main, 0.3))
  drawEyes(pen, 128, 126, 25, 11)
  pen.line('M104 156Q128 172 152 156', ink, 4)
  for (const x of [115, 141]) pen.spot(`M${x - 6} 161L${x} 176L${x + 6} 161Z`, white)
}

function fish(pen: Pen, { main, second }: Look): void {
  pen.part('M70 138L18 84Q2 138 18 194Z', second, { shade: 9, light: 5 })
  pen.part('M116 74Q140 26 184 44Q176 66 180 86Z', second, { shade: 7, light: 4 })
  pen.part('M56 138C84 78 150 62 196 84C228 100 244 124 244 140C244 158 226 184 194 196C146 214 84 198 56 138Z', main, {
    shade: 15,
    light: 8,
  })
  for (const x of [104, 136]) pen.line(`M${x} 92Q${x + 24} 138 ${x} 186`, lightOf(main, 0.5), 11)
  pen.part('M138 150Q116 168 118 196Q150 192 160 164Z', second, { shade: 5, light: 3, outline: 5 })
  pen.spot(ellipse(198, 124, 15, 19), white)
  pen.spot(ellipse(202, 126, 10, 14), ink)
  pen.spot(ellipse(206, 119, 4), white)
  pen.line('M214 164Q226 168 234 160', ink, 4)
}

function spider(pen: Pen, { main, second }: Look): void {
  for (const isMirrored of [false, true])
    for (const [y, reach, foot] of [
      [-20, 96, -8],
      [-4, 110, 40],
      [12, 104, 78],
      [26, 78, 96],
    ] as const) {
      const leg = `M-40 ${y}Q${-reach} ${y - 52} ${-reach - 8} ${foot}`
      const side = pen.at(128, 148, 1, 0, isMirrored)
      side.line(leg, ink, 16)
      side.line(leg, main, 6)
    }
  pen.part(ellipse(128, 138, 72, 66), main, { shade: 14, light: 7 })
  pen.spot(ellipse(128, 178, 34, 16), second, 0.9)
  drawEyes(pen, 128, 126, 26, 13)
  for (const x of [80, 176]) pen.spot(ellipse(x, 104, 6, 7), ink)
  drawSmile(pen, 128, 160, 12, 46)
}

function frog(pen: Pen, { main, second }: Look): void {
  for (const x of [58, 198]) pen.part(ellipse(x, 206, 40, 36), shadeOf(main, 0.12), { shade: 9, light: 4 })
  pen.part('M128 84C196 84 224 136 216 184C210 226 176 242 128 242C80 242 46 226 40 184C32 136 60 84 128 84Z', main, {
    shade: 15,
    light: 8,
  })
  pen.spot(ellipse(128, 204, 60, 32), second)
  for (const x of [80, 176]) {
    pen.part(ellipse(x, 88, 34), main, { shade: 7, light: 5 })
    pen.spot(ellipse(x, 88, 22), white)
    pen.spot(ellipse(x, 91, 13, 15), ink)
    pen.spot(ellipse(x + 4, 84, 5), white)
  }
  pen.line('M76 156Q128 190 180 156', ink, 5)
  for (const x of [62, 194]) pen.spot(ellipse(x, 154, 12, 7), rose, 0.7)
  for (const x of [92, 164]) pen.part(ellipse(x, 238, 22, 10), lightOf(main, 0.1), { shade: 4, light: 2 })
}

const draw = (names: readonly string[], main: Rgb, second: Rgb, paint: Subject['draw'], head: Subject['head']): Subject => ({
  names,
  main,
  second,
  draw: paint,
  head,
})
const onHead = { x: 128, y: 48, width: 92 }
const cream: Rgb = [255, 240, 220]

/** Animals and monsters. */
export const creatures: readonly Subject[] = [
  draw(['cat', 'kitten', 'kitty'], [245, 158, 66], cream, sitting({ ears: 'pointed', tail: 'thin', muzzle: 'small' }), onHead),
  draw(['fox'], [242, 122, 46], white, sitting({ ears: 'pointed', tail: 'bushy', muzzle: 'wide' }), onHead),
  draw(['wolf'], [132, 142, 168], [232, 238, 248], sitting({ ears: 'pointed', tail: 'bushy', muzzle: 'wide' }), onHead),
  draw(['dog', 'puppy'], [206, 150, 98], cream, sitting({ ears: 'hanging', tail: 'thin', muzzle: 'wide' }), onHead),
  draw(['bear'], [160, 104, 70], [236, 204, 164], sitting({ ears: 'round', tail: 'ball', muzzle: 'wide' }), onHead),
  draw(['panda'], [240, 244, 252], white, sitting({ ears: 'round', tail: 'ball', muzzle: 'wide', isMasked: true }), onHead),
  draw(['raccoon'], [142, 146, 166], white, sitting({ ears: 'round', tail: 'bushy', muzzle: 'wide', isMasked: true }), onHead),
  draw(['mouse', 'rat'], [176, 178, 196], cream, sitting({ ears: 'round', tail: 'thin', muzzle: 'small' }), onHead),
  draw(['rabbit', 'bunny', 'hare'], [232, 222, 232], white, sitting({ ears: 'long', tail: 'ball', muzzle: 'small' }), onHead),
  draw(['slime', 'blob', 'jelly'], [72, 204, 128], white, slime, { x: 128, y: 70, width: 76 }),
  draw(['ghost', 'spirit', 'spook'], [236, 242, 255], white, ghost, { x: 128, y: 38, width: 92 }),
  draw(['dragon', 'wyvern', 'drake'], [84, 190, 112], [232, 96, 84], dragon, { x: 128, y: 46, width: 72 }),
  draw(['bird', 'chick', 'owl', 'parrot', 'penguin', 'duck'], [78, 150, 240], [255, 246, 226], bird, { x: 128, y: 50, width: 92 }),
  draw(['bat'], [128, 84, 206], [176, 54, 118], bat, { x: 128, y: 82, width: 70 }),
  draw(['fish', 'shark', 'piranha'], [255, 140, 60], [255, 206, 80], fish, null),
  draw(['spider'], [92, 78, 130], [160, 140, 210], spider, { x: 128, y: 78, width: 80 }),
  draw(['frog', 'toad'], [104, 196, 84], [232, 244, 190], frog, { x: 128, y: 88, width: 70 }),
]
