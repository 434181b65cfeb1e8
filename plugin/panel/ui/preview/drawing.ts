import type { PanelFrame } from '../../../protocol/protocol.ts'

/** A frame, and the picture of its page. */
export interface DrawnFrame {
  readonly page: CanvasImageSource
  readonly frame: PanelFrame
}

/** A frame with the picture of its page; `undefined` until there are both. */
export function drawnFrame(frame: PanelFrame | undefined, pictures: readonly (CanvasImageSource | undefined)[]): DrawnFrame | undefined {
  const page = frame && pictures[frame.page]
  return page && { page, frame }
}

/** Draws a frame at its place in its untrimmed size, pixel for pixel. */
function drawFrame(context: CanvasRenderingContext2D, { page, frame }: DrawnFrame): void {
  const { x, y, width, height, offsetX, offsetY, isTurned = false } = frame
  context.imageSmoothingEnabled = false
  if (!isTurned) {
    context.drawImage(page, x, y, width, height, offsetX, offsetY, width, height)
    return
  }
  context.save()
  context.translate(offsetX, offsetY + height)
  context.rotate(-Math.PI / 2)
  context.drawImage(page, x, y, height, width, 0, 0, height, width)
  context.restore()
}

/** The neighbours of a frame, as an onion skin shows them. */
export interface Skin {
  readonly before: DrawnFrame | undefined
  readonly after: DrawnFrame | undefined
}

/** The colours of `spritewright review`: the frame before is red, the frame after is blue. */
const [beforeColour, afterColour, skinAlpha] = ['#d8342c', '#2b62d9', 0.45]

/** Draws a frame alone, or over its neighbours. */
export function drawStage(canvas: HTMLCanvasElement, drawn: DrawnFrame, skin?: Skin): void {
  const { sourceWidth: width, sourceHeight: height } = drawn.frame
  // A new size clears a canvas too, but costs more than clearing it.
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) return
  context.clearRect(0, 0, width, height)
  if (skin?.before) drawTinted(context, skin.before, beforeColour)
  if (skin?.after) drawTinted(context, skin.after, afterColour)
  drawFrame(context, drawn)
}

function drawTinted(context: CanvasRenderingContext2D, drawn: DrawnFrame, colour: string): void {
  const { sourceWidth: width, sourceHeight: height } = drawn.frame
  const layer = new OffscreenCanvas(width, height)
  const inside = layer.getContext('2d') as unknown as CanvasRenderingContext2D | null
  if (!inside) return
  drawFrame(inside, drawn)
  inside.globalCompositeOperation = 'source-atop'
  inside.fillStyle = colour
  inside.fillRect(0, 0, width, height)
  context.globalAlpha = skinAlpha
  context.drawImage(layer, 0, 0)
  context.globalAlpha = 1
}
