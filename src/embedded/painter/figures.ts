import { readSubjects, type Subject } from './drawing.ts'

/** Figures on two legs. */
export const figures: readonly Subject[] = readSubjects(`
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
= wizard mage witch sorcerer sorceress | #7054ce gold
  at 14 30 0.88
  use far-arm main
  use robe main
  part second 5 3 4: M72 212Q128 230 186 212L190 230Q128 248 67 230Z
  use head skin
  if witch|sorceress pair part #ee8034 6 4: M82 70C44 94 48 148 58 170C78 166 86 144 80 100Z
  if witch|sorceress line ink 4: M119 136Q128 146 137 136
  unless witch|sorceress part white 12: M72 116C84 132 104 126 128 126C152 126 172 132 184 116C194 164 158 214 128 216C98 214 62 164 72 116Z
  unless witch|sorceress line white-35 7: M104 138Q116 128 128 136Q140 128 152 138
  eyes 128 114 26 8
  use hat main 128 66
  use staff cyan 208 246 1.02
  use near-arm main
  use hands skin
  end
= robot android mech | #96bedc #fa785a | 128 52 0.91
  part main-10 6 3: M96 200h16q8 0 8 8v28q0 8 -8 8h-16q-8 0 -8 -8v-28q0 -8 8 -8ZM146 200h16q8 0 8 8v28q0 8 -8 8h-16q-8 0 -8 -8v-28q0 -8 8 -8Z
  part main+5 6 4: M50 158h4q14 0 14 14v30q0 14 -14 14h-4q-14 0 -14 -14v-30q0 -14 14 -14ZM202 158h4q14 0 14 14v30q0 14 -14 14h-4q-14 0 -14 -14v-30q0 -14 14 -14Z
  part main+20 12 6: M88 140h80q16 0 16 16v50q0 16 -16 16h-80q-16 0 -16 -16v-50q0 -16 16 -16Z
  line ink 12: M128 50V24
  part second 5 3: E 128 20 12 M46 78h8q6 0 6 6v28q0 6 -6 6h-8q-6 0 -6 -6v-28q0 -6 6 -6ZM202 78h8q6 0 6 6v28q0 6 -6 6h-8q-6 0 -6 -6v-28q0 -6 6 -6Z
  part main+20 14 8: M80 46h96q26 0 26 26v48q0 26 -26 26h-96q-26 0 -26 -26v-48q0 -26 26 -26Z
  part #2c264a 0 0 5: M92 66h72q18 0 18 18v24q0 18 -18 18h-72q-18 0 -18 -18v-24q0 -18 18 -18ZM106 160h44q8 0 8 8v20q0 8 -8 8h-44q-8 0 -8 -8v-20q0 -8 8 -8Z
  spot #6ef0fa: E 104 92 12 15 E 152 92 12 15
  spot #ffce50: E 112 178 6 E 128 178 6 E 144 178 6
  line #6ef0fa 5: M116 112Q128 120 140 112
= skeleton zombie | #f4f0e0 gold | 128 52 0.91
  rod main 22: M108 212V238M148 212V238M98 243H110M148 243H160M84 166Q56 180 60 206M172 166Q200 180 196 206M128 156V208M104 210Q128 222 152 210
  rod main 22: M98 168Q128 180 158 168M98 186Q128 198 158 186
  part main 13 7: M128 34C182 34 204 68 198 108C196 124 184 130 176 136V152Q176 160 166 160H90Q80 160 80 152V136C72 130 60 124 58 108C52 68 74 34 128 34Z
  spot ink: E 100 102 20 23 E 158 102 20 23 M129 118L120 134H138Z
  line ink 4: M108 146V158M128 146V158M148 146V158
= hero heroine girl boy princess prince king queen man woman ninja pirate elf fairy villager farmer character adventurer | #4aaa78 #4a5c96 | 128 52 0.91
  if fairy pair part #c8f0ff 7: M108 170C68 110 18 120 20 160C20 194 68 190 78 180C38 200 48 236 78 226C100 216 106 190 108 170Z
  if girl|princess|woman|queen|heroine|fairy part hair-20 8 0: M128 34C196 34 212 88 204 138C202 168 186 190 170 188L86 188C70 190 54 168 52 138C44 88 60 34 128 34Z
  use far-arm main
  use legs second
  use coat main
  use belt main-50
  if princess|queen use robe main
  use head skin
  face 132 112 26 9
  part hair 9 6: M128 32C184 32 204 68 198 108C184 98 172 86 166 68C140 92 96 100 64 122C48 70 72 32 128 32Z
  if ninja part second 4 0 4: M63 124Q128 140 193 124C188 150 164 160 128 160C92 160 68 150 63 124Z
  if princess|queen|king|prince use crown gold 128 46 0.8
  use near-arm main
  use hands skin
`)
