import { Application, Container, Sprite } from 'pixi.js'
import { loadSprites } from 'spritewright/pixi'
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
    app: Application
  }
}

const app = new Application()
const [width, height] = [village.viewWidth * village.zoom, village.viewHeight * village.zoom]
await app.init({ width, height, background: village.sky, preference: 'webgl' })
const [coinArt, goblinArt, heroArt, iconArt, panelArt, sceneryArt, tileArt] = await loadSprites([
  coin,
  goblin,
  hero,
  icons,
  panel,
  scenery,
  tiles,
])

const stage = new Container({ scale: village.zoom })
/** Puts something on the stage. */
function add<T extends Container>(thing: T, { x, y }: { readonly x: number; readonly y: number }): T {
  thing.position.set(x, y)
  return stage.addChild(thing)
}

for (const [picture, x, y] of village.scenery) add(sceneryArt.create(picture), { x, y })
for (const tile of village.ground) add(new Sprite(tileArt.textures[tile.frame]), tile)
for (const tile of village.water) add(tileArt.create('water'), tile)

for (const place of village.coins) add(coinArt.create(), place).gotoAndPlay(place.startFrame)
const enemy = add(goblinArt.create('walk'), { x: 0, y: village.groundY })
const knight = add(heroArt.create('walk'), { x: 0, y: village.groundY })

const sign = add(panelArt.create('panel'), village.panel)
sign.width = village.panel.width
sign.height = village.panel.height
// The icons are no pixel art: they have a pixel of their own for each pixel of the canvas.
for (const icon of village.icons) add(iconArt.create(icon.picture), icon).scale.set(1 / village.zoom)

app.stage.addChild(stage)
app.ticker.add(({ lastTime }) => {
  const [he, it] = [village.heroAt(lastTime / 1000), village.goblinAt(lastTime / 1000)]
  knight.x = he.x
  knight.scale.x = he.way
  enemy.x = it.x
  // It was drawn facing left.
  enemy.scale.x = -it.way
})

const place = document.getElementById('game')
place?.append(app.canvas)
const fit = (): void => {
  const scale = Math.min(window.innerWidth / width, window.innerHeight / height)
  app.canvas.style.width = `${width * scale}px`
  app.canvas.style.height = `${height * scale}px`
}
window.addEventListener('resize', fit)
fit()
window.app = app
