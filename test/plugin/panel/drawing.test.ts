import { afterEach, expect, test, vi } from 'vitest'
import { drawnFrame, drawStage } from '../../../plugin/panel/ui/preview/drawing.ts'
import type { PanelFrame } from '../../../plugin/protocol/protocol.ts'

afterEach(() => void vi.unstubAllGlobals())

/** A canvas that writes down what is drawn, and what is set before. */
function canvasOf(name: string, calls: unknown[], size: { width: number; height: number }) {
  const context = new Proxy(
    {},
    {
      get:
        (_target, call) =>
        (...given: readonly unknown[]) =>
          void calls.push(`${name}.${String(call)} ${given.map(nameOf).join(' ')}`),
      set: (_target, field, value) => {
        calls.push(`${name}.${String(field)} = ${value}`)
        return true
      },
    },
  )
  return { ...size, name, getContext: (kind: string) => (kind === '2d' ? context : null) }
}

const nameOf = (value: unknown): string =>
  typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : String((value as { name?: string }).name ?? value)

const page = { name: 'PAGE' } as unknown as CanvasImageSource
const frame = {
  page: 0,
  x: 10,
  y: 20,
  width: 4,
  height: 6,
  offsetX: 1,
  offsetY: 2,
  sourceWidth: 8,
  sourceHeight: 12,
} as unknown as PanelFrame
const turned = { ...frame, x: 30, isTurned: true } as PanelFrame

test('a frame is drawn at its place in its whole size, upright, between its tinted neighbours', () => {
  const calls: string[] = []
  class Offscreen {
    constructor(width: number, height: number) {
      calls.push(`layer of ${width} × ${height}`)
      Object.assign(this, canvasOf('LAYER', calls, { width, height }))
    }
  }
  vi.stubGlobal('OffscreenCanvas', Offscreen)
  const canvas = canvasOf('STAGE', calls, { width: 1, height: 12 })
  drawStage(canvas as unknown as HTMLCanvasElement, { page, frame }, { before: { page, frame: turned }, after: { page, frame } })
  expect([canvas.width, canvas.height]).toEqual([8, 12])
  expect(calls).toMatchInlineSnapshot(`
    [
      "STAGE.clearRect 0 0 8 12",
      "layer of 8 × 12",
      "LAYER.imageSmoothingEnabled = false",
      "LAYER.save ",
      "LAYER.translate 1 8",
      "LAYER.rotate -1.571",
      "LAYER.drawImage PAGE 30 20 6 4 0 0 6 4",
      "LAYER.restore ",
      "LAYER.globalCompositeOperation = source-atop",
      "LAYER.fillStyle = #d8342c",
      "LAYER.fillRect 0 0 8 12",
      "STAGE.globalAlpha = 0.45",
      "STAGE.drawImage LAYER 0 0",
      "STAGE.globalAlpha = 1",
      "layer of 8 × 12",
      "LAYER.imageSmoothingEnabled = false",
      "LAYER.drawImage PAGE 10 20 4 6 1 2 4 6",
      "LAYER.globalCompositeOperation = source-atop",
      "LAYER.fillStyle = #2b62d9",
      "LAYER.fillRect 0 0 8 12",
      "STAGE.globalAlpha = 0.45",
      "STAGE.drawImage LAYER 0 0",
      "STAGE.globalAlpha = 1",
      "STAGE.imageSmoothingEnabled = false",
      "STAGE.drawImage PAGE 10 20 4 6 1 2 4 6",
    ]
  `)
  calls.splice(0)
  drawStage(canvas as unknown as HTMLCanvasElement, { page, frame: turned }, { before: undefined, after: undefined })
  drawStage(canvas as unknown as HTMLCanvasElement, { page, frame })
  expect(calls).toMatchInlineSnapshot(`
    [
      "STAGE.clearRect 0 0 8 12",
      "STAGE.imageSmoothingEnabled = false",
      "STAGE.save ",
      "STAGE.translate 1 8",
      "STAGE.rotate -1.571",
      "STAGE.drawImage PAGE 30 20 6 4 0 0 6 4",
      "STAGE.restore ",
      "STAGE.clearRect 0 0 8 12",
      "STAGE.imageSmoothingEnabled = false",
      "STAGE.drawImage PAGE 10 20 4 6 1 2 4 6",
    ]
  `)
})

test('a frame is drawn once it and the picture of its page are there', () => {
  expect([drawnFrame(undefined, [page]), drawnFrame(frame, []), drawnFrame(frame, [undefined]), drawnFrame(frame, [page])]).toEqual([
    ...[undefined, undefined, undefined],
    { page, frame },
  ])
})
