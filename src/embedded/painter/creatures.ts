import { readSubjects, type Subject } from './drawing.ts'

/** Path of each ear, and of its visible inside. */
const ears = {
  pointed: ['M64 94Q50 50 62 20Q94 30 114 62Z', 'M74 77Q67 55 73 40Q89 45 99 61Z'],
  round: ['M50 60C44 20 88 14 98 46L78 82Z', 'M67 60C64 40 86 37 91 53L81 71Z'],
  long: ['M84 72C68 42 68 12 82 6C104 8 112 36 114 64Z', 'M92 60C84 45 84 30 91 27C102 28 106 42 107 56Z'],
  hanging: ['M88 60C44 50 24 96 36 138C50 152 68 132 72 98Z', ''],
} as const
const tails = {
  thin: 'M176 226C224 226 236 186 216 152C214 140 230 136 236 148C258 196 226 252 170 246Z',
  bushy: 'M166 236C196 226 186 190 196 168C206 142 240 136 244 158C254 204 226 252 168 248Z',
  ball: 'M170 214C176 194 208 196 208 220C208 244 174 244 168 230Z',
} as const

/** Rows of an animal that sits and faces the viewer. */
const sitting = (ear: keyof typeof ears, tail: keyof typeof tails, earColour = 'main', patches = 'main'): string => `
  part main 9: ${tails[tail]}
  part main 12 6: M72 244C56 190 92 150 128 150C164 150 200 190 184 244Q128 254 72 244Z
  spot second: M100 240C90 204 108 176 128 176C148 176 166 204 156 240Q128 247 100 240Z
  part main+12 5 3: E 96 236 21 13 E 160 236 21 13
  pair part ${earColour} 7 4: ${ears[ear][0]}
  pair spot ${earColour === 'main' ? '#ff8ca0' : earColour}: ${ears[ear][1]}
  part main 15 8: M128 44C180 44 214 76 212 116C210 156 172 176 128 176C84 176 46 156 44 116C42 76 76 44 128 44Z
  spot ${patches}: E 93 112 23 25 E 163 112 23 25
  spot second: E 128 146 36 25
  eyes 128 112 36 10
  spot ink: M118 132Q128 126 138 132Q136 142 128 144Q120 142 118 132Z
  line ink 4: M114 150Q120 160 128 152Q136 160 142 150
  spot #ff8ca0 0.6: E 70 136 10 6 E 186 136 10 6`

/** Animals and monsters. */
export const creatures: readonly Subject[] = readSubjects(`
= cat kitten kitty | #f59e42 #fff0dc | 128 48 0.84${sitting('pointed', 'thin')}
= fox | #f27a2e #ffffff | 128 48 0.84${sitting('pointed', 'bushy')}
= wolf | #848ea8 #e8eef8 | 128 48 0.84${sitting('pointed', 'bushy')}
= dog puppy | #ce9662 #fff0dc | 128 48 0.84${sitting('hanging', 'thin', 'main-25')}
= bear | #a06846 #eccca4 | 128 48 0.84${sitting('round', 'ball')}
= panda | #f0f4fc #ffffff | 128 48 0.84${sitting('round', 'ball', '#3c3654', 'ink')}
= raccoon | #8e92a6 #ffffff | 128 48 0.84${sitting('round', 'bushy', '#3c3654', 'ink')}
= mouse rat | #b0b2c4 #fff0dc | 128 48 0.84${sitting('round', 'thin')}
= rabbit bunny hare | #e8dee8 #ffffff | 128 48 0.84${sitting('long', 'ball')}
= slime blob jelly | #48cc80 #ffffff | 128 70 0.69
  part main 17 9: M128 58C136 58 140 66 150 76C206 92 236 150 234 202C232 240 190 246 128 246C66 246 24 240 22 202C20 150 50 92 106 76C116 66 120 58 128 58Z
  spot #ffffff 0.85: E 184 118 20 14 E 206 144 7 9
  spot main+42 0.7: E 54 192 9 E 74 214 6 E 196 204 8
  face 128 166 32 13 open
= ghost spirit spook | #ecf2ff #ffffff | 128 38 0.84
  part main 6 3: M60 162C34 152 20 170 26 186C38 194 56 190 66 178ZM196 162C222 152 236 170 230 186C218 194 200 190 190 178Z
  part main 20 9: M128 30C184 30 206 78 206 126C206 176 212 206 226 232C206 246 188 242 178 226C166 246 146 248 132 228C118 248 96 248 82 226C70 244 50 246 30 234C46 204 50 176 50 126C50 78 72 30 128 30Z
  face 130 112 27 14 open
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
= bird chick owl parrot penguin duck | #4e96f0 #fff6e2 | 128 50 0.84
  line #f09632 8: M104 226V244M92 245H116M152 226V244M140 245H164
  part main 16 8: M128 44C190 44 210 96 206 148C202 204 170 232 128 232C86 232 54 204 50 148C46 96 66 44 128 44Z
  spot second: M128 128C168 128 182 156 172 188C162 218 148 226 128 226C108 226 94 218 84 188C74 156 88 128 128 128Z
  if owl pair part main 5 3: M156 56Q188 48 194 20Q212 60 194 86Z
  pair part main-14 8 4: M54 124C24 150 22 200 46 216C66 200 72 164 68 136Z
  if owl part #fff6e2 5 0 4: E 96 106 29 E 160 106 29
  eyes 128 104 33 12
  part #faa632 6 3 5: M108 118Q128 108 148 118Q140 146 128 150Q116 146 108 118Z
= bat | #8054ce #b03676 | 128 82 0.64
  pair part second 9: M88 126C62 78 32 70 10 78C20 106 6 130 8 158C22 150 32 160 36 180C50 164 66 170 72 188C84 176 92 166 96 156Z
  pair line second-50 4: M86 132Q52 96 14 84M86 140Q48 140 12 154M90 146Q64 156 40 176
  pair part main 5 3: M82 102Q68 54 82 44Q106 60 114 84Z
  part main 13 7: M128 76C170 76 188 108 186 142C184 186 160 206 128 206C96 206 72 186 70 142C68 108 86 76 128 76Z
  spot main+30: E 128 172 34 26
  eyes 128 126 25 11
  line ink 4: M104 156Q128 172 152 156
  spot #ffffff: M109 161L115 176L121 161ZM135 161L141 176L147 161Z
= fish shark piranha | #ff8c3c #ffce50
  part second 9: M70 138L18 84Q2 138 18 194ZM116 74Q140 26 184 44Q176 66 180 86Z
  part main 15 8: M56 138C84 78 150 62 196 84C228 100 244 124 244 140C244 158 226 184 194 196C146 214 84 198 56 138Z
  line main+50 11: M104 92Q128 138 104 186M136 92Q160 138 136 186
  eyes 202 126 0 12
= frog toad | #68c454 #e8f4be | 128 88 0.64
  part main-12 9 4: E 58 206 40 36 E 198 206 40 36
  part main 15 8: M128 84C196 84 224 136 216 184C210 226 176 242 128 242C80 242 46 226 40 184C32 136 60 84 128 84Z
  spot second: E 128 204 60 32
  part main 7: E 80 88 34 E 176 88 34
  spot #ffffff: E 80 88 22 E 176 88 22
  eyes 128 91 48 12
  line ink 5: M76 156Q128 190 180 156
  spot #ff8ca0 0.7: E 62 154 12 7 E 194 154 12 7
= monster | #786edc #ffc850 | 128 62 0.76
  if horns0 pair part second+30 6 4: M84 84Q44 68 52 28Q88 38 112 70Z
  if horns1 pair rod main 15: M102 80Q88 50 74 42
  if horns1 pair part second 4 3 5: E 72 38 13
  pair part main 6 4: M58 144C16 158 18 202 44 206C60 202 60 180 70 172Z
  part main-15 5 3: E 94 238 24 13 E 162 238 24 13
  part main 16 8: E 128 156 80 90
  spot main+40: E 128 202 46 33
  if eyes0 part #ffffff 4 0 5: E 128 130 30
  if eyes0 eyes 130 133 0 15
  if eyes1 part #ffffff 4 0 5: E 100 130 22 E 156 130 22
  if eyes1 eyes 130 133 28 11
  spot ink: M96 176Q128 168 160 176Q156 204 128 204Q100 204 96 176Z
  spot #ffffff: M110 174L117 187L124 174ZM132 174L139 187L146 174Z
`)
