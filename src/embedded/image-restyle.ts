import { type Bitmap, createBitmap } from '../../atlas/index.ts'

/** A picture changed as a prompt says. */
export function restyle(picture: Bitmap, prompt: string): Bitmap {
  const changed = createBitmap(picture.width, picture.height, Uint8Array.from(picture.data))
  const turn = [...prompt].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 2
  for (let at = 0; at < changed.data.length; at += 4) {
    const [red, green, blue] = [changed.data[at]!, changed.data[at + 1]!, changed.data[at + 2]!]
    changed.data.set(turn === 0 ? [blue, red, green] : [green, blue, red], at)
  }
  return changed
}
