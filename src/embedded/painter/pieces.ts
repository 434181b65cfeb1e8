const table = `
= sword
  part main 0 0: M-13 -22L-13 -118L0 -142L13 -118L13 -22Z
  spot main-25: M0 -134L10 -117L10 -24L0 -24Z
  part gold 5 3 5: M-28 -26h56q6 0 6 6v3q0 6 -6 6h-56q-6 0 -6 -6v-3q0 -6 6 -6Z
  part brown 5 0 5: M-3 -10h6q4 0 4 4v26q0 4 -4 4h-6q-4 0 -4 -4v-26q0 -4 4 -4Z
  part gold 4 3 5: E 0 28 9
= staff
  part brown 4 0 5: M-6 0L-5 -118L5 -118L6 0ZM-16 -112Q-20 -132 -8 -140L-4 -126L6 -126L10 -140Q20 -132 16 -112Z
  part main 7 4 5: E 0 -142 16
= hat | #7054ce cap
  part main 9: M-52 2C-40 -26 -28 -58 -4 -82Q22 -92 40 -66Q20 -68 22 -52C34 -34 46 -16 52 2Q0 18 -52 2Z
  part gold 4 0 4: M-54 -6Q0 12 54 -6L56 10Q0 28 -56 10Z
  part main 5 4: M-78 8Q-70 -8 -52 -2Q0 16 52 -2Q70 -8 78 8Q40 30 0 30Q-40 30 -78 8Z
= crown | #ffc233
  part main 7: M-52 6L-60 -48L-28 -20L0 -60L28 -20L60 -48L52 6Q0 22 -52 6Z
  part ruby 3 2 4: E -60 -50 8 E 0 -62 8 E 60 -50 8 E 0 -6 8
= plume | #e8404f feather
  part main 8: M8 10C2 -40 -44 -70 -86 -34C-66 -40 -50 -32 -42 -22C-64 -18 -76 -2 -76 16C-52 2 -24 0 -4 14Z
= far-arm
  part main-12 6 3: M172 156C196 158 208 180 204 200C198 212 184 210 180 200L160 178Z
= near-arm
  part main 6 4: M92 154C66 160 52 182 54 204C60 214 76 212 80 202L104 178Z
= hands
  part main 5 3: E 66 204 15 E 198 204 15
= legs
  part main-25 5 0: M132 196H164L166 230Q174 234 174 246H134Z
  part main 7 4: M88 196H122L122 230Q126 236 126 246H80Q80 234 88 230Z
= coat
  part main 11: M92 148H164C170 170 174 192 176 214Q128 228 80 214C82 192 86 170 92 148Z
= robe
  part main 11: M94 146H162C176 176 188 214 192 246H64C68 214 80 176 94 146Z
= belt
  part main 0 0 4: M84 190H173L175 206Q128 218 81 206Z
= head
  part main 11 6: M128 44C178 44 196 74 194 108C192 144 166 160 128 160C90 160 64 144 62 108C60 74 78 44 128 44Z
`

/** Splits a table of drawings: a line `= TITLE` before the rows of each. */
export function readTable(table: string): { readonly title: string; readonly rows: string }[] {
  const texts = table.split(/^= /m).slice(1)
  return texts.map((text) => {
    const [title = '', ...rows] = text.split('\n')
    return { title, rows: rows.join('\n') }
  })
}

/**
 * Rows that several drawings share. `main` stands for the colour that a drawing gives the piece. Only something
 * that a head wears has a colour of its own, and perhaps another word for it.
 */
export const pieces = readTable(table).map(({ title, rows }) => {
  const [name = '', colour, ...words] = title.split(/ \| | /)
  return { name, rows, colour, words: [name, ...words] }
})
