import { readSubjects, type Subject } from './drawing.ts'

/** Things to find, carry and use. */
export const items: readonly Subject[] = readSubjects(`
= sword blade dagger | silver gold
  use sword main 66 190 1.5 45
= shield | blue gold
  use shield main 128 136 1.85
= staff wand | cyan gold
  use staff main 92 236 1.3 17
= crown | gold #e23a5a
  use crown main 128 190 1.8
= gem diamond jewel crystal amethyst ruby sapphire emerald | #50bef6 gold
  part main 0 0: M74 64H182L230 122L128 236L26 122Z
  spot main-32: M29 122H88L128 230Z
  spot main+25: M76 67H104L88 122H30Z
  spot main+55: M104 67H152L168 122H88Z
  spot main+35: M152 67H181L226 122H168Z
  line main-50 3.5: M30 122H226M104 68L88 122L128 230L168 122L152 68
= potion flask bottle elixir | #e23e78 brown
  part #d6e8fa 12: M104 60L104 108Q58 132 58 180Q58 240 128 240Q198 240 198 180Q198 132 152 108L152 60Z
  spot main: M69 172Q96 156 128 170Q160 184 187 170Q194 230 128 230Q62 230 69 172Z
  spot main+42: M69 172Q96 156 128 170Q160 184 187 170Q184 186 160 186Q128 186 104 176Q84 170 69 172ZE 110 206 8 E 144 198 6
  part brown 7 4: M104 26L152 26L148 56L108 56Z
= chest treasure crate | #b26c3e gold
  part main 12: M36 236V132Q36 76 84 76H172Q220 76 220 132V236Z
  part second 6 4 5: M52 78H80V238H52ZM176 78H204V238H176Z
  part second 5 4: M36 122h184q6 0 6 6v8q0 6 -6 6h-184q-6 0 -6 -6v-8q0 -6 6 -6ZM114 114h28q8 0 8 8v32q0 8 -8 8h-28q-8 0 -8 -8v-32q0 -8 8 -8Z
  spot ink: E 128 134 7 M124 134H132L135 152H121Z
= coin coins money | gold gold
  part main 14 8: E 128 140 96
  part #f0a22a 10 4 5: E 128 140 70
  part main+60 6 0 5: M128 96L139.8 125.8L171.7 127.8L147 148.2L155 179.2L128 162L101 179.2L109 148.2L84.3 127.8L116.2 125.8Z
= heart life | #e83a52 white
  part main 16 8: M128 230C70 186 28 150 28 102C28 62 56 40 84 40C104 40 120 50 128 68C136 50 152 40 172 40C200 40 228 62 228 102C228 150 186 186 128 230Z
  spot #ffffff 0.85: E 76 84 20 14 E 54 112 7
= star | #ffd040 gold
  part main 14 8 7: M128 32L159.7 98.3L232.6 108L179.4 158.7L192.7 231L128 196L63.3 231L76.6 158.7L23.4 108L96.3 98.3Z
  face 128 134 24 10
= mushroom toadstool | #e43e48 white | 128 50 0.76
  part #ffecd0 14: M92 150Q82 214 72 226Q72 246 128 246Q184 246 184 226Q174 214 164 150Z
  part main 16 8: M20 152C20 84 66 40 128 40C190 40 236 84 236 152C236 172 184 178 128 178C72 178 20 172 20 152Z
  spot #fff0e0: E 128 74 24 17 E 70 112 18 22 E 190 116 17 21 E 130 138 17 12
  face 128 204 20 7
`)
