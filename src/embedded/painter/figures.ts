import type { Rgb } from './canvas.ts'
import { ink, lightOf, mix, shadeOf } from './colours.ts'
import { drawShield, drawStaff, drawSword } from './items.ts'
import { box, ellipse } from './path.ts'
import { drawEyes, drawSmile, type Pen } from './pen.ts'
import type { Look, Subject } from './subject.ts'

const gold: Rgb = [255, 194, 51]
const skins: readonly Rgb[] = [
  [255, 218, 184],
  [240, 190, 146],
  [200, 142, 98],
  [142, 94, 66],
]
const hairs: readonly Rgb[] = [
  [92, 56, 44],
  [238, 178, 70],
  [52, 42, 60],
  [204, 84, 50],
]

function oneOf(colours: readonly Rgb[], chance: number): Rgb {
  return colours[Math.floor(chance * colours.length)]!
}

/** Legs, trunk and the arm on the far side; the near arm comes with what it holds. */
function drawBody(pen: Pen, { coat, legs, sleeve, isRobed = false }: { coat: Rgb; legs: Rgb; sleeve: Rgb; isRobed?: boolean }): void {
  pen.part('M172 156C196 158 208 180 204 200C198 212 184 210 180 200L160 178Z', shadeOf(sleeve, 0.12), { shade: 6, light: 3 })
  if (!isRobed) {
    pen.part('M132 196H164L166 230Q174 234 174 246H134Z', shadeOf(legs, 0.25), { shade: 5, light: 0 })
    pen.part('M88 196H122L122 230Q126 236 126 246H80Q80 234 88 230Z', legs, { shade: 7, light: 4 })
  }
  const trunk = isRobed
    ? 'M94 146H162C176 176 188 214 192 246H64C68 214 80 176 94 146Z'
    : 'M92 148H164C170 170 174 192 176 214Q128 228 80 214C82 192 86 170 92 148Z'
  pen.part(trunk, coat, { shade: 11, light: 5 })
}

function drawNearArm(pen: Pen, sleeve: Rgb, hand: Rgb): void {
  pen.part('M92 154C66 160 52 182 54 204C60 214 76 212 80 202L104 178Z', sleeve, { shade: 6, light: 4 })
  pen.part(ellipse(66, 204, 15), hand, { shade: 5, light: 3 })
}

function drawHead(pen: Pen, skin: Rgb): void {
  pen.part('M128 44C178 44 196 74 194 108C192 144 166 160 128 160C90 160 64 144 62 108C60 74 78 44 128 44Z', skin, { shade: 11, light: 6 })
}

function knight(pen: Pen, { main, second, words }: Look): void {
  const steel: Rgb = [196, 208, 232]
  drawBody(pen, { coat: main, legs: [150, 162, 196], sleeve: steel })
  pen.part('M86 188H172L174 204Q128 216 83 204Z', [107, 60, 46], { shade: 0, light: 0, outline: 4 })
  pen.part(box(117, 189, 22, 20, 4), gold, { shade: 4, light: 2, outline: 4 })
  if (!words.has('helmetless'))
    pen.part('M128 50C108 14 60 14 38 62C58 52 76 56 88 66C60 66 46 84 44 104C66 90 86 86 104 88Z', second, { shade: 9, light: 5 })
  pen.part('M128 40C180 40 200 74 196 116C194 148 172 162 128 162C84 162 62 148 60 116C56 74 76 40 128 40Z', steel, { shade: 14, light: 8 })
  pen.part('M98 94Q140 82 188 96Q192 118 186 132Q140 144 100 130Q92 112 98 94Z', [67, 50, 95], { shade: 0, light: 0, outline: 5 })
  for (const x of [124, 162]) pen.spot(ellipse(x, 113, 7, 11), [255, 246, 216])
  pen.line('M134 44Q150 62 150 84', shadeOf(steel, 0.6), 4)
  drawSword(pen.at(198, 204, 0.86, 0.28), [223, 232, 251], gold)
  pen.part(ellipse(196, 204, 15), steel, { shade: 5, light: 3 })
  drawNearArm(pen, steel, lightOf(steel, 0.3))
  if (words.has('shield')) drawShield(pen.at(64, 192, 0.86), main, gold)
}

function wizard(page: Pen, { main, second, chance, words }: Look): void {
  // Room for the hat.
  const pen = page.at(14, 30, 0.88)
  const isWitch = words.has('witch') || words.has('sorceress')
  const skin = oneOf(skins, chance() * 0.5)
  drawBody(pen, { coat: main, legs: main, sleeve: main, isRobed: true })
  pen.part('M72 212Q128 230 186 212L190 230Q128 248 67 230Z', second, { shade: 5, light: 3, outline: 4 })
  drawHead(pen, skin)
  if (isWitch)
    for (const isMirrored of [false, true])
      pen
        .at(128, 104, 1, 0, isMirrored)
        .part('M-46 -34C-84 -10 -80 44 -70 66C-50 62 -42 40 -48 -4Z', [238, 128, 52], { shade: 6, light: 4 })
  else
    pen.part('M72 116C84 132 104 126 128 126C152 126 172 132 184 116C194 164 158 214 128 216C98 214 62 164 72 116Z', [240, 244, 255], {
      shade: 12,
      light: 5,
    })
  drawEyes(pen, 128, 114, 26, 8)
  if (isWitch) drawSmile(pen, 128, 136, 9, 42)
  else pen.line('M104 138Q116 128 128 136Q140 128 152 138', shadeOf([240, 244, 255], 0.35), 7)
  drawPointedHat(pen.at(128, 66), main, second)
  drawStaff(pen.at(208, 246, 1.02), isWitch ? [150, 230, 90] : [90, 220, 246])
  pen.part(ellipse(202, 200, 15), skin, { shade: 5, light: 3 })
  drawNearArm(pen, main, skin)
}

/** A wizard's hat, its rim about (0, 0) and 156 units wide. */
export function drawPointedHat(pen: Pen, colour: Rgb, band: Rgb): void {
  pen.part('M-52 2C-40 -26 -28 -58 -4 -82Q22 -92 40 -66Q20 -68 22 -52C34 -34 46 -16 52 2Q0 18 -52 2Z', colour, { shade: 9, light: 5 })
  pen.part('M-54 -6Q0 12 54 -6L56 10Q0 28 -56 10Z', band, { shade: 4, light: 0, outline: 4 })
  pen.part('M-78 8Q-70 -8 -52 -2Q0 16 52 -2Q70 -8 78 8Q40 30 0 30Q-40 30 -78 8Z', colour, { shade: 5, light: 4 })
}

function robot(pen: Pen, { main, second }: Look): void {
  const metal: Rgb = mix(main, [210, 218, 236], 0.25)
  for (const x of [88, 138]) pen.part(box(x, 200, 32, 44, 8), shadeOf(metal, 0.25), { shade: 6, light: 3 })
  for (const x of [36, 188]) pen.part(box(x, 158, 32, 58, 14), shadeOf(metal, 0.12), { shade: 6, light: 4 })
  pen.part(box(72, 140, 112, 82, 16), metal, { shade: 12, light: 6 })
  pen.part(box(98, 160, 60, 36, 8), [52, 48, 84], { shade: 0, light: 0, outline: 4 })
  for (const [x, colour] of [
    [112, [255, 96, 96]],
    [128, [255, 206, 80]],
    [144, [110, 226, 130]],
  ] as const)
    pen.spot(ellipse(x, 178, 6), colour)
  pen.line('M128 50V24', ink, 12)
  pen.part(ellipse(128, 20, 12), second, { shade: 4, light: 3, outline: 5 })
  for (const x of [40, 196]) pen.part(box(x, 78, 20, 40, 6), second, { shade: 5, light: 3 })
  pen.part(box(54, 46, 148, 100, 26), metal, { shade: 14, light: 8 })
  pen.part(box(74, 66, 108, 60, 18), [44, 38, 74], { shade: 0, light: 0, outline: 5 })
  for (const x of [104, 152]) {
    pen.spot(ellipse(x, 92, 12, 15), [110, 240, 250])
    pen.spot(ellipse(x + 4, 86, 4), [255, 255, 255])
  }
  pen.line('M116 112Q128 120 140 112', [110, 240, 250], 5)
}

function person(pen: Pen, { main, second, words, chance }: Look): void {
  const isGirl = ['girl', 'princess', 'woman', 'queen', 'heroine', 'fairy'].some((word) => words.has(word))
  const isRoyal = ['princess', 'queen', 'king', 'prince'].some((word) => words.has(word))
  const skin = oneOf(skins, chance())
  const hair = oneOf(hairs, chance())
  if (words.has('fairy'))
    for (const isMirrored of [false, true])
      pen
        .at(128, 170, 1, 0, isMirrored)
        .part('M-20 0C-60 -60 -110 -50 -108 -10C-108 24 -60 20 -50 10C-90 30 -80 66 -50 56C-28 46 -22 20 -20 0Z', [200, 240, 255], {
          shade: 7,
          light: 5,
        })
  if (isGirl)
    pen.part('M128 34C196 34 212 88 204 138C202 168 186 190 170 188L86 188C70 190 54 168 52 138C44 88 60 34 128 34Z', shadeOf(hair, 0.2), {
      shade: 8,
      light: 0,
    })
  drawBody(pen, { coat: main, legs: isGirl ? skin : second, sleeve: main, isRobed: isGirl && isRoyal })
  if (!isGirl || !isRoyal) pen.part('M84 194H173L175 208Q128 220 81 208Z', shadeOf(main, 0.5), { shade: 0, light: 0, outline: 4 })
  drawHead(pen, skin)
  drawEyes(pen, 132, 112, 26, 9)
  drawSmile(pen, 132, 136, 9, 42)
  const fringe = isGirl
    ? 'M128 32C184 32 204 68 198 108C184 98 172 86 166 68C140 92 96 100 64 122C48 70 72 32 128 32Z'
    : 'M128 32C182 30 204 62 196 104C184 98 178 86 176 74C160 86 130 84 112 76C104 90 88 98 72 100L64 116C48 68 72 34 128 32Z'
  pen.part(fringe, hair, { shade: 9, light: 6 })
  if (words.has('ninja'))
    pen.part('M63 124Q128 140 193 124C188 150 164 160 128 160C92 160 68 150 63 124Z', second, { shade: 4, light: 0, outline: 4 })
  pen.part(ellipse(198, 204, 15), skin, { shade: 5, light: 3 })
  drawNearArm(pen, main, skin)
  if (isRoyal && !words.has('hat')) drawCrown(pen.at(128, 46, 0.8), gold, [226, 58, 90])
  if (words.has('sword')) drawSword(pen.at(200, 204, 0.8, 0.28), [223, 232, 251], gold)
  if (words.has('shield')) drawShield(pen.at(64, 194, 0.8), second, gold)
}

/** A crown, its rim about (0, 0) and 116 units wide. */
export function drawCrown(pen: Pen, colour: Rgb, stones: Rgb): void {
  pen.part('M-52 6L-60 -48L-28 -20L0 -60L28 -20L60 -48L52 6Q0 22 -52 6Z', colour, { shade: 7, light: 5 })
  for (const [x, y] of [
    [-60, -50],
    [0, -62],
    [60, -50],
  ] as const)
    pen.part(ellipse(x, y, 8), stones, { shade: 3, light: 2, outline: 4 })
  pen.spot(ellipse(0, -4, 8), stones)
}

function skeleton(pen: Pen, { main }: Look): void {
  const bone = (path: string): void => {
    pen.line(path, ink, 22)
    pen.line(path, main, 11)
  }
  bone('M108 212V238M148 212V238M98 243H110M148 243H160')
  bone('M84 166Q56 180 60 206M172 166Q200 180 196 206')
  bone('M128 156V208M104 210Q128 222 152 210')
  for (const y of [168, 186]) bone(`M98 ${y}Q128 ${y + 12} 158 ${y}`)
  pen.part(
    'M128 34C182 34 204 68 198 108C196 124 184 130 176 136V152Q176 160 166 160H90Q80 160 80 152V136C72 130 60 124 58 108C52 68 74 34 128 34Z',
    main,
    { shade: 13, light: 7 },
  )
  for (const x of [100, 158]) pen.spot(ellipse(x, 102, 20, 23), ink)
  for (const x of [104, 162]) pen.spot(ellipse(x, 98, 7), [255, 120, 90])
  pen.spot('M129 118L120 134H138Z', ink)
  for (const x of [108, 128, 148]) pen.line(`M${x} 146V158`, ink, 4)
}

const draw = (names: readonly string[], main: Rgb, second: Rgb, paint: Subject['draw'], head: Subject['head']): Subject => ({
  names,
  main,
  second,
  draw: paint,
  head,
})
const onHead = { x: 128, y: 52, width: 100 }
const peopleNames = [
  'hero',
  'heroine',
  'girl',
  'boy',
  'princess',
  'prince',
  'king',
  'queen',
  'man',
  'woman',
  'ninja',
  'pirate',
  'elf',
  'fairy',
  'villager',
  'farmer',
  'character',
  'adventurer',
]

/** Those who walk on two legs. */
export const figures: readonly Subject[] = [
  draw(['knight', 'paladin', 'warrior', 'soldier'], [61, 116, 220], [232, 64, 79], knight, onHead),
  draw(['wizard', 'mage', 'witch', 'sorcerer', 'sorceress'], [112, 84, 206], gold, wizard, null),
  draw(['robot', 'android', 'mech'], [150, 190, 220], [250, 120, 90], robot, { x: 128, y: 52, width: 100 }),
  draw(['skeleton', 'zombie'], [244, 240, 224], gold, skeleton, onHead),
  draw(peopleNames, [74, 170, 120], [74, 92, 150], person, onHead),
]
