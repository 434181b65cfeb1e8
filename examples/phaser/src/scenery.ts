import Phaser from 'phaser'

/** The sizes that the scenery needs. */
export interface Ground {
  readonly worldWidth: number
  readonly viewWidth: number
  readonly viewHeight: number
  /** Position of the feet, in pixels from the top. */
  readonly groundY: number
}

/** Draws an evening meadow in layers; farther ones move more slowly. No pictures, only shapes. */
export function drawScenery(scene: Phaser.Scene, ground: Ground): void {
  drawSky(scene, ground)
  drawRidge(scene, ground, { factor: 0.1, colour: 0x8a6fb0, base: 150, swing: 70, step: 0.008, seed: 1 })
  drawRidge(scene, ground, { factor: 0.25, colour: 0x5f5795, base: 90, swing: 50, step: 0.011, seed: 4 })
  drawTrees(scene, ground)
  drawRidge(scene, ground, { factor: 0.6, colour: 0x2f5d5a, base: 26, swing: 16, step: 0.016, seed: 8 })
  drawMeadow(scene, ground)
}

function drawSky(scene: Phaser.Scene, { viewWidth, viewHeight, groundY }: Ground): void {
  const sky = scene.add.graphics().setScrollFactor(0)
  sky.fillGradientStyle(0x352a63, 0x352a63, 0xffb37a, 0xffb37a, 1).fillRect(0, 0, viewWidth, viewHeight)
  const sun = { x: viewWidth * 0.72, y: groundY - 165 }
  for (const [radius, alpha] of [
    [150, 0.1],
    [110, 0.14],
    [78, 0.22],
  ] as const)
    sky.fillStyle(0xffe6a8, alpha).fillCircle(sun.x, sun.y, radius)
  sky.fillStyle(0xfff1c9).fillCircle(sun.x, sun.y, 54)
  for (let star = 0; star < 40; star++)
    sky.fillStyle(0xffffff, 0.25 + 0.5 * noise(star)).fillCircle(noise(star + 50) * viewWidth, noise(star + 90) * 150, 1 + noise(star + 7))
}

interface Ridge {
  /** The share of the camera's movement that the layer follows, 0 to 1. */
  readonly factor: number
  readonly colour: number
  /** Height over the ground, and how far it rises and falls, in pixels. */
  readonly base: number
  readonly swing: number
  readonly step: number
  readonly seed: number
}

function drawRidge(scene: Phaser.Scene, ground: Ground, { factor, colour, base, swing, step, seed }: Ridge): void {
  const width = layerWidth(ground, factor)
  const points = [new Phaser.Math.Vector2(0, ground.viewHeight)]
  for (let x = 0; x <= width + 12; x += 12) {
    const wave = Math.sin(x * step + seed) * 0.6 + Math.sin(x * step * 2.3 + seed * 2) * 0.4
    points.push(new Phaser.Math.Vector2(x, ground.groundY - base - wave * swing))
  }
  points.push(new Phaser.Math.Vector2(width + 12, ground.viewHeight))
  scene.add.graphics().setScrollFactor(factor, 1).fillStyle(colour).fillPoints(points, true)
}

function drawTrees(scene: Phaser.Scene, ground: Ground): void {
  const factor = 0.45
  const layer = scene.add.graphics().setScrollFactor(factor, 1)
  for (let x = 30, tree = 0; x < layerWidth(ground, factor); x += 54 + noise(tree) * 90, tree++) {
    const height = 70 + noise(tree + 20) * 70
    const foot = ground.groundY - 8
    layer.fillStyle(0x33314f).fillRect(x - 4, foot - height * 0.35, 8, height * 0.35 + 30)
    layer.fillStyle(tree % 2 === 0 ? 0x3c5f78 : 0x44507c)
    for (const level of [0.25, 0.5, 0.72]) {
      const half = (1 - level) * height * 0.42 + 8
      layer.fillTriangle(x - half, foot - height * level, x + half, foot - height * level, x, foot - height * (level + 0.42))
    }
  }
}

function drawMeadow(scene: Phaser.Scene, { worldWidth, viewHeight, groundY }: Ground): void {
  const meadow = scene.add.graphics()
  meadow.fillStyle(0x4a3550).fillRect(0, groundY, worldWidth, viewHeight - groundY)
  for (let stone = 0; stone < worldWidth / 34; stone++)
    meadow.fillStyle(0x5d4663).fillEllipse(noise(stone) * worldWidth, groundY + 40 + noise(stone + 400) * 50, 10 + noise(stone + 9) * 22, 8)
  meadow.fillStyle(0x3d8f5f).fillRect(0, groundY - 4, worldWidth, 22)
  meadow.fillStyle(0x67bf6b).fillRect(0, groundY - 4, worldWidth, 8)
  for (let x = 0, blade = 0; x < worldWidth; x += 9 + noise(blade) * 12, blade++) {
    const tall = 5 + noise(blade + 70) * 10
    meadow
      .fillStyle(blade % 3 === 0 ? 0x8bd67a : 0x67bf6b)
      .fillTriangle(x, groundY - 2, x + 6, groundY - 2, x + 2 + noise(blade) * 4, groundY - 2 - tall)
    meadow.fillStyle(0x3d8f5f).fillTriangle(x, groundY + 17, x + 12, groundY + 17, x + 6, groundY + 19 + tall)
  }
  for (let flower = 0; flower < worldWidth / 70; flower++) {
    const x = noise(flower + 300) * worldWidth
    meadow.fillStyle(flower % 2 === 0 ? 0xffd1e8 : 0xfff0a6).fillCircle(x, groundY - 9, 3.2)
    meadow.fillStyle(0xff9f5a).fillCircle(x, groundY - 9, 1.4)
  }
}

/** A layer that moves more slowly shows less of itself. */
function layerWidth({ worldWidth, viewWidth }: Ground, factor: number): number {
  return viewWidth + (worldWidth - viewWidth) * factor
}

/** 0 to 1, always the same for the same seed, so that the meadow looks the same at every start. */
function noise(seed: number): number {
  const value = Math.sin(seed * 127.1 + 311.7) * 43758.5453
  return value - Math.floor(value)
}
