import Phaser from 'phaser'
import { Level, viewHeight, viewWidth } from './level.ts'

declare global {
  interface Window {
    /** For people at the console, and for the tests. */
    game: Phaser.Game
  }
}

window.game = new Phaser.Game({
  type: Phaser.AUTO,
  parent: 'game',
  width: viewWidth,
  height: viewHeight,
  backgroundColor: '#1d1b3a',
  scale: { mode: Phaser.Scale.FIT, autoCenter: Phaser.Scale.CENTER_BOTH },
  scene: Level,
})
