import { Application } from 'pixi.js'
import { loadSprites } from 'spritewright/pixi'
import crystal from '../sprites/crystal.sprite.json'
import fox from '../sprites/fox.sprite.json'
import ghost from '../sprites/ghost.sprite.json'
import { createClearing } from './clearing.ts'
import { createGlade, viewHeight, viewWidth } from './glade.ts'

declare global {
  interface Window {
    /** For people at the console, and for the tests. */
    app: Application
  }
}

const app = new Application()
await app.init({ width: viewWidth, height: viewHeight, background: '#12122b', antialias: true, preference: 'webgl' })
const [foxArt, ghostArt, crystalArt] = await loadSprites([fox, ghost, crystal])

const glade = createGlade()
const clearing = createClearing({ fox: foxArt, ghost: ghostArt, crystal: crystalArt })
app.stage.addChild(glade.back, clearing.view, glade.front, clearing.signs)
app.ticker.add(({ deltaMS }) => {
  const step = Math.min(deltaMS, 50)
  glade.update(step)
  clearing.update(step)
})
clearing.listen(app)

const place = document.getElementById('game')
place?.append(app.canvas)
const fit = (): void => {
  const scale = Math.min(window.innerWidth / viewWidth, window.innerHeight / viewHeight)
  app.canvas.style.width = `${viewWidth * scale}px`
  app.canvas.style.height = `${viewHeight * scale}px`
}
window.addEventListener('resize', fit)
fit()
window.app = app
