import Phaser from 'phaser'
import { boxesOf, createAnimations, preloadSprites } from 'spritewright/phaser'
import floor from '../sprites/floor.sprite.json'
import east from '../sprites/hero-e.sprite.json'
import north from '../sprites/hero-n.sprite.json'
import northEast from '../sprites/hero-ne.sprite.json'
import south from '../sprites/hero-s.sprite.json'
import southEast from '../sprites/hero-se.sprite.json'

declare global {
  interface Window {
    /** For people at the console, and for the tests. */
    game: Phaser.Game
  }
}

/** Each pixel of a drawing is a square of this many pixels. */
const zoom = 3
const [width, height] = [960, 540]

/** Five directions are bought. Three are their mirror images. */
const directions = [
  [north, 'walk'],
  [northEast, 'walk'],
  [east, 'walk'],
  [southEast, 'walk'],
  [south, 'walk'],
  [southEast, 'walk-left'],
  [east, 'walk-left'],
  [northEast, 'walk-left'],
] as const
/** As delivered, and three recoloured variants. */
const teams = [undefined, 'blue', 'green', 'gold'] as const

const heroes = [north, northEast, east, southEast, south]
const looks = heroes.flatMap((hero) => [hero, ...Object.values(hero.variants)])

/** Colours of the boxes. */
const colours = [
  ['body', 0x7dff9a],
  ['feet', 0xffe27d],
] as const

class Squad extends Phaser.Scene {
  #light!: Phaser.GameObjects.Light
  #outlines!: Phaser.GameObjects.Graphics
  readonly #sprites: Phaser.GameObjects.Sprite[] = []

  preload(): void {
    preloadSprites(this, [floor, ...looks])
  }

  create(): void {
    createAnimations(this, looks)
    this.lights.enable().setAmbientColor(0xa9a5c4)
    this.#light = this.lights.addLight(width / 2, height / 2, 560, 0xffd9a0, 2.2)
    for (let x = 0; x < width; x += floor.width * zoom)
      for (let y = 0; y < height; y += floor.height * zoom)
        this.add.image(x, y, floor.texture, floor.pictures.floor).setOrigin(0).setScale(zoom).setLighting(true)
    for (const [row, team] of teams.entries())
      for (const [column, [hero, animation]] of directions.entries()) {
        const look = team === undefined ? hero : hero.variants[team]
        const sprite = this.add
          .sprite(60 + column * 120, 126 + row * 134, look.texture)
          .setScale(zoom)
          .setLighting(true)
        this.#sprites.push(sprite.play({ key: look.animations[animation].name, startFrame: (row * 2 + column) % 8 }))
      }
    this.#outlines = this.add.graphics()
    this.input.keyboard?.on('keydown-B', () => this.#outlines.setVisible(!this.#outlines.visible))
  }

  override update(timeMs: number): void {
    const { x, y, isDown } = this.input.activePointer
    const turn = timeMs / 1500
    this.#light.setPosition(isDown ? x : width * (0.5 + 0.28 * Math.cos(turn)), isDown ? y : height * (0.5 + 0.25 * Math.sin(turn)))
    this.#drawBoxes()
  }

  /** Shows the found boxes of each frame. */
  #drawBoxes(): void {
    this.#outlines.clear()
    for (const sprite of this.#sprites)
      for (const [name, colour] of colours)
        for (const box of boxesOf(sprite, name)) this.#outlines.lineStyle(2, colour, 0.9).strokeRectShape(box)
  }
}

window.game = new Phaser.Game({
  type: Phaser.AUTO,
  parent: 'game',
  width,
  height,
  backgroundColor: '#14131f',
  scale: { mode: Phaser.Scale.FIT, autoCenter: Phaser.Scale.CENTER_BOTH },
  scene: new Squad('squad'),
})
