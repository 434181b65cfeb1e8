import { Texture } from 'pixi.js'

const side = 32
let made: Texture | undefined

/** The picture of a frame that is gone: a green frame and stroke on black, as Phaser has it. Made once. */
export function missingTexture(): Texture {
  made ??= Texture.from(draw(), true)
  return made
}

function draw(): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = side
  canvas.height = side
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.fillRect(0, 0, side, side)
  context.strokeStyle = '#0f0'
  context.strokeRect(0.5, 0.5, side - 1, side - 1)
  context.moveTo(0, 0)
  context.lineTo(side, side)
  context.stroke()
  return canvas
}
