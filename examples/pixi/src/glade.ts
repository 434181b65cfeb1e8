import { Container, FillGradient, Graphics } from 'pixi.js'

export const viewWidth = 960
export const viewHeight = 540

/** Everything that is drawn and not bought: a glade at night. */
export interface Glade {
  /** Behind the figures. */
  readonly back: Container
  /** In front of them: fireflies and dark leaves. */
  readonly front: Container
  /** @param deltaMs Milliseconds since the last call. */
  update(deltaMs: number): void
}

/** Draws the glade: sky, moon, two rows of pines, grass, fireflies. Only shapes, no pictures. */
export function createGlade(): Glade {
  const back = new Container()
  const front = new Container()
  back.addChild(drawSky(), drawPines(250, 0x252a55, 150, 46), drawPines(300, 0x1b2145, 210, 66), drawGrass())
  front.addChild(drawLeaves())
  const flies = Array.from({ length: 26 }, (_, index) => {
    const view = new Graphics().circle(0, 0, 9).fill({ color: 0xd9ff7a, alpha: 0.16 }).circle(0, 0, 3).fill(0xf4ffc2)
    front.addChild(view)
    return { view, x: noise(index) * viewWidth, y: 210 + noise(index + 40) * 300, phase: index * 1.7 }
  })
  let ageMs = 0
  return {
    back,
    front,
    update: (deltaMs) => {
      ageMs += deltaMs
      for (const { view, x, y, phase } of flies) {
        const turn = ageMs / 1900 + phase
        view.position.set(x + Math.sin(turn) * 46, y + Math.cos(turn * 1.4) * 26)
        view.alpha = 0.35 + 0.65 * Math.max(0, Math.sin(ageMs / 420 + phase * 3))
      }
    },
  }
}

function drawSky(): Graphics {
  const dusk = new FillGradient({
    end: { x: 0, y: 1 },
    colorStops: [
      { offset: 0, color: 0x131338 },
      { offset: 0.55, color: 0x3a3a7c },
      { offset: 1, color: 0x6c5aa0 },
    ],
  })
  const sky = new Graphics().rect(0, 0, viewWidth, viewHeight).fill(dusk)
  for (let star = 0; star < 70; star++)
    sky
      .circle(noise(star) * viewWidth, noise(star + 80) * 260, 0.6 + noise(star + 9) * 1.4)
      .fill({ color: 0xffffff, alpha: 0.3 + 0.6 * noise(star + 5) })
  for (const [radius, alpha] of [
    [130, 0.08],
    [96, 0.12],
    [70, 0.2],
  ] as const)
    sky.circle(210, 120, radius).fill({ color: 0xdfe6ff, alpha })
  sky.circle(210, 120, 50).fill(0xf5f3e4)
  for (const [x, y, radius] of [
    [192, 108, 9],
    [226, 128, 12],
    [206, 142, 6],
    [232, 98, 6],
  ] as const)
    sky.circle(x, y, radius).fill(0xdedac8)
  return sky
}

function drawPines(foot: number, colour: number, height: number, gap: number): Graphics {
  const pines = new Graphics()
  for (let x = -20, tree = 0; x < viewWidth + 60; x += gap * (0.6 + noise(tree + colour) * 0.8), tree++) {
    const tall = height * (0.65 + noise(tree + gap) * 0.5)
    for (const level of [0, 0.25, 0.5, 0.7]) {
      const half = (1 - level) * tall * 0.22 + 5
      const low = foot + 20 - tall * level
      pines.poly([x - half, low, x + half, low, x, low - tall * 0.4]).fill(colour)
    }
  }
  return pines.rect(0, foot + 10, viewWidth, viewHeight).fill(colour)
}

function drawGrass(): Graphics {
  const lawn = new FillGradient({
    end: { x: 0, y: 1 },
    colorStops: [
      { offset: 0, color: 0x24506b },
      { offset: 0.4, color: 0x2c6f6c },
      { offset: 1, color: 0x173b4d },
    ],
  })
  const grass = new Graphics().rect(0, 318, viewWidth, viewHeight - 318).fill(lawn)
  grass.ellipse(viewWidth / 2, 425, 400, 92).fill({ color: 0xa9e8d0, alpha: 0.09 })
  grass.ellipse(viewWidth / 2, 425, 280, 62).fill({ color: 0xa9e8d0, alpha: 0.09 })
  for (let tuft = 0; tuft < 150; tuft++) {
    const [x, y] = [noise(tuft + 11) * viewWidth, 322 + noise(tuft + 211) * 200]
    const tall = 5 + (y - 300) / 24
    grass.poly([x - 4, y, x + 4, y, x - 5 + noise(tuft) * 10, y - tall]).fill({ color: 0x5fae92, alpha: 0.55 })
    if (tuft % 7 === 0) grass.circle(x + 12, y - 5, 2.4).fill(0xc9c4ff)
  }
  return grass
}

function drawLeaves(): Graphics {
  const leaves = new Graphics()
  for (let leaf = 0; leaf < 46; leaf++) {
    const x = (leaf / 45) * viewWidth
    const tall = 14 + noise(leaf + 33) * 34 + Math.abs(x - viewWidth / 2) / 14
    leaves.poly([x - 16, viewHeight, x + 16, viewHeight, x + (noise(leaf) - 0.5) * 50, viewHeight - tall]).fill(0x0d1c30)
  }
  return leaves
}

/** 0 to 1, always the same for the same seed, so that the glade looks the same at every start. */
function noise(seed: number): number {
  const value = Math.sin(seed * 127.1 + 311.7) * 43758.5453
  return value - Math.floor(value)
}
