import { readSubjects, type Subject } from './drawing.ts'

/** Figures that a prompt can name, and the monster, which is drawn for every other prompt. */
export const subjects: readonly Subject[] = readSubjects(`
= knight paladin warrior soldier | #3d74dc #e8404f | 128 52 0.91
  use far-arm silver
  use legs #96a2c4
  use coat main
  use belt #6b3c2e
  part gold 4 2 4: M121 189h14q4 0 4 4v12q0 4 -4 4h-14q-4 0 -4 -4v-12q0 -4 4 -4Z
  part second 9: M128 50C108 14 60 14 38 62C58 52 76 56 88 66C60 66 46 84 44 104C66 90 86 86 104 88Z
  part silver 14 8: M128 40C180 40 200 74 196 116C194 148 172 162 128 162C84 162 62 148 60 116C56 74 76 40 128 40Z
  part #43325f 0 0 5: M98 94Q140 82 188 96Q192 118 186 132Q140 144 100 130Q92 112 98 94Z
  spot #fff6d8: E 124 113 7 11 E 162 113 7 11
  use sword #dfe8fb 198 204 0.86 16
  use near-arm silver
  use hands silver+20
= wizard mage sorcerer | #7054ce gold
  at 14 30 0.88
  use far-arm main
  use robe main
  part second 5 3 4: M72 212Q128 230 186 212L190 230Q128 248 67 230Z
  use head skin
  part white 12: M72 116C84 132 104 126 128 126C152 126 172 132 184 116C194 164 158 214 128 216C98 214 62 164 72 116Z
  line white-35 7: M104 138Q116 128 128 136Q140 128 152 138
  eyes 128 114 26 8
  use hat main 128 66
  use staff cyan 208 246 1.02
  use near-arm main
  use hands skin
  end
= slime blob jelly | #48cc80 #ffffff | 128 70 0.69
  part main 17 9: M128 58C136 58 140 66 150 76C206 92 236 150 234 202C232 240 190 246 128 246C66 246 24 240 22 202C20 150 50 92 106 76C116 66 120 58 128 58Z
  spot #ffffff 0.85: E 184 118 20 14 E 206 144 7 9
  spot main+42 0.7: E 54 192 9 E 74 214 6 E 196 204 8
  eyes 128 166 32 13
  spot #ff6e82 0.6: E 71.3 194.6 11.7 7.15 E 184.7 194.6 11.7 7.15
  spot ink: M112.4 198.5Q128 193.82 143.6 198.5Q143.6 220.34 128 220.34Q112.4 220.34 112.4 198.5Z
= dragon wyvern drake | #54be70 #e86054 | 128 46 0.65
  pair part second 9: M88 164C58 90 24 82 6 90C12 108 8 126 12 142C28 136 34 150 36 166C50 158 62 170 66 186Z
  pair line second-45 4: M84 168Q50 118 12 94M80 172Q48 144 14 142M76 178Q54 162 38 164
  part main 8 4: M164 232C206 236 224 206 216 176L236 178L222 146L198 168L206 176C206 196 190 206 166 204Z
  part main 12 6: M70 244C52 190 84 140 128 140C172 140 204 190 186 244Q128 254 70 244Z
  part #dcdfa0 6 0 0: M98 243C84 204 104 168 128 168C152 168 172 204 158 243Q128 250 98 243Z
  line #dcdfa0-30 3.5: M104 192Q128 200 152 192M98 210Q128 218 158 210M98 228Q128 236 158 228
  part main+12 5 3: E 86 236 23 14 E 170 236 23 14
  pair part #ffecc4 6 3: M100 54Q70 38 72 10Q102 16 116 44Z
  pair part second 5 3: M66 88L34 70L44 96L30 110L64 118Z
  part main 14 7: M128 40C174 40 200 66 198 96C196 118 190 126 188 138C182 162 154 168 128 168C102 168 74 162 68 138C66 126 60 118 58 96C56 66 82 40 128 40Z
  spot main+35: E 128 142 46 20
  eyes 128 100 32 11
  spot ink: E 114 134 4 5 E 142 134 4 5
  line ink 4: M94 146Q128 164 162 146
  spot #ffffff: M104 151L109 162L115 154ZM152 151L147 162L141 154Z
= monster | #786edc #ffc850 | 128 62 0.76
  pair part second+30 6 4: M84 84Q44 68 52 28Q88 38 112 70Z
  pair part main 6 4: M58 144C16 158 18 202 44 206C60 202 60 180 70 172Z
  part main-15 5 3: E 94 238 24 13 E 162 238 24 13
  part main 16 8: E 128 156 80 90
  spot main+40: E 128 202 46 33
  part #ffffff 4 0 5: E 100 130 22 E 156 130 22
  eyes 130 133 28 11
  spot ink: M96 176Q128 168 160 176Q156 204 128 204Q100 204 96 176Z
  spot #ffffff: M110 174L117 187L124 174ZM132 174L139 187L146 174Z
`)
