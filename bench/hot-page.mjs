// Runs in the browser: a stage of one sprite and one square. It is read after every drawn frame, and each
// change is recorded with its time.
import { AnimatedSprite, Application, Sprite, Texture } from 'pixi.js'
import { loadSprites } from 'spritewright/pixi'
import hero from './sprites/hero.sprite.json'
import state from './sprites/state.json'

const side = 256
const square = 16
const app = new Application()
await app.init({ width: side, height: side, background: '#000', preference: 'webgl', autoStart: false })
const [art] = await loadSprites([hero])
const sprite = app.stage.addChild(new AnimatedSprite(art.animations.walk))
sprite.position.set(side / 2, side / 2)
const mark = app.stage.addChild(new Sprite(Texture.WHITE))
mark.setSize(square)
mark.tint = state.colour
if (import.meta.hot)
  import.meta.hot.accept('./sprites/state.json', (fresh) => {
    mark.tint = fresh.default.colour
  })

/** The last read state of each thing that an edit changes. */
const seen = { json: '', sprite: '', fps: '' }
window.changes = []
const gl = app.renderer.gl
const pixels = (x, y, width, height) => {
  const read = new Uint8Array(width * height * 4)
  gl.readPixels(x, side - y - height, width, height, gl.RGBA, gl.UNSIGNED_BYTE, read)
  let sum = 0
  for (let at = 0; at < read.length; at++) sum = (sum * 31 + read[at]) | 0
  return String(sum)
}

function look() {
  app.render()
  const now = { json: pixels(0, 0, 4, 4), sprite: pixels(square, square, side - square, side - square), fps: String(sprite._durations[0]) }
  for (const what of Object.keys(seen)) {
    if (seen[what] !== now[what]) window.changes.push({ what, at: performance.timeOrigin + performance.now() })
    seen[what] = now[what]
  }
  requestAnimationFrame(look)
}
look()
window.isReady = true
