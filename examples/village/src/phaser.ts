import Phaser from 'phaser'
import { createAnimations, preloadSprites } from 'spritewright/phaser'
import coin from '../sprites/coin.sprite.json'
import goblin from '../sprites/goblin.sprite.json'
import hero from '../sprites/hero.sprite.json'
import icons from '../sprites/icons.sprite.json'
import panel from '../sprites/panel.sprite.json'
import scenery from '../sprites/scenery.sprite.json'
import tiles from '../sprites/tiles.sprite.json'
import * as village from './village.ts'

declare global {
  interface Window {
    /** For people at the console, and for the tests. */
    game: Phaser.Game
  }
}

const sprites = [coin, goblin, hero, icons, panel, scenery, tiles]

class Village extends Phaser.Scene {
  #hero!: Phaser.GameObjects.Sprite
  #goblin!: Phaser.GameObjects.Sprite

  preload(): void {
    preloadSprites(this, sprites)
  }

  create(): void {
    createAnimations(this, sprites)
    const { add } = this
    const stage = add.container().setScale(village.zoom)
    for (const [picture, x, y] of village.scenery) stage.add(add.image(x, y, scenery.texture, scenery.pictures[picture]))
    for (const { frame, x, y } of village.ground) stage.add(add.image(x, y, tiles.texture, frame))
    for (const { x, y } of village.water) stage.add(add.sprite(x, y, tiles.texture).play('tiles/water'))

    for (const { x, y, startFrame } of village.coins) stage.add(add.sprite(x, y, coin.texture).play({ key: 'coin/all', startFrame }))
    this.#goblin = add.sprite(0, village.groundY, goblin.texture).play('goblin/walk')
    this.#hero = add.sprite(0, village.groundY, hero.texture).play('hero/walk')
    stage.add([this.#goblin, this.#hero])

    const { x, y, width, height } = village.panel
    stage.add(add.nineslice(x, y, panel.texture, panel.pictures.panel, width, height).setOrigin(0))
    // The icons are no pixel art: they have a pixel of their own for each pixel of the canvas.
    for (const { picture, x, y } of village.icons)
      stage.add(add.image(x, y, icons.texture, icons.pictures[picture]).setScale(1 / village.zoom))
  }

  override update(timeMs: number): void {
    const [he, it] = [village.heroAt(timeMs / 1000), village.goblinAt(timeMs / 1000)]
    this.#hero.setX(he.x).setScale(he.way, 1)
    // It was drawn facing left.
    this.#goblin.setX(it.x).setScale(-it.way, 1)
  }
}

window.game = new Phaser.Game({
  type: Phaser.AUTO,
  parent: 'game',
  width: village.viewWidth * village.zoom,
  height: village.viewHeight * village.zoom,
  backgroundColor: village.sky,
  scale: { mode: Phaser.Scale.FIT, autoCenter: Phaser.Scale.CENTER_BOTH },
  scene: new Village('village'),
})
