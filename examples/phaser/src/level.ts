import Phaser from 'phaser'
import { createSprites, preloadSprites } from 'spritewright/phaser'
import coin from '../sprites/coin.sprite.json'
import hero from '../sprites/hero.sprite.json'
import slime from '../sprites/slime.sprite.json'
import { drawScenery } from './scenery.ts'

export const viewWidth = 960
export const viewHeight = 540
const worldWidth = 2400
const groundY = 440

const walkSpeed = 230
const jumpSpeed = 620
const gravity = 1700
/** From the start of the swing until it lands. */
const strikeMs = 300
/** Twelve frames at 14 a second. */
const hopMs = 857
const coinPlaces = [330, 470, 610, 840, 960, 1130, 1320, 1460, 1640, 1830, 1990, 2180]
const slimePlaces = [720, 1230, 1560, 2080]

interface Slime {
  readonly body: Phaser.GameObjects.Sprite
  readonly shadow: Phaser.GameObjects.Ellipse
  /** Milliseconds to the next hop. */
  restMs: number
  hop: { readonly from: number; readonly to: number; ageMs: number } | undefined
}

/** Walk right, collect the coins, avoid the slimes. */
export class Level extends Phaser.Scene {
  #hero!: Phaser.GameObjects.Sprite
  #shadow!: Phaser.GameObjects.Ellipse
  #keys!: Phaser.Types.Input.Keyboard.CursorKeys
  #scoreText!: Phaser.GameObjects.Text
  #coins: Phaser.GameObjects.Sprite[] = []
  #slimes: Slime[] = []
  #fallSpeed = 0
  #push = 0
  #hurtMs = 0
  #score = 0
  #collected = 0

  constructor() {
    super('level')
  }

  preload(): void {
    preloadSprites(this, [hero, slime, coin])
  }

  create(): void {
    this.#coins = []
    this.#slimes = []
    this.#score = 0
    this.#collected = 0
    // The pictures have a little air under the feet.
    drawScenery(this, { worldWidth, viewWidth, viewHeight, groundY: groundY - 6 })
    for (const x of coinPlaces) this.#addCoin(x, groundY - 30 - (x % 3) * 34)
    for (const x of slimePlaces) this.#addSlime(x)
    this.#shadow = this.add.ellipse(150, groundY - 1, 84, 14, 0x1d1b3a, 0.35)
    this.#hero = createSprites(this, [hero], { x: 150, y: groundY }).hero
    this.cameras.main.setBounds(0, 0, worldWidth, viewHeight).startFollow(this.#hero, true, 0.12, 0.12, -120)
    this.#keys = this.input.keyboard!.createCursorKeys()
    this.#addTexts()
  }

  override update(_time: number, deltaMs: number): void {
    const step = Math.min(deltaMs, 50)
    this.#moveHero(step)
    for (const one of this.#slimes) this.#moveSlime(one, step)
    this.#takeCoins()
  }

  #addCoin(x: number, y: number): void {
    const body = createSprites(this, [coin], { x, y }).coin.play('coin/idle')
    this.tweens.add({ targets: body, y: y - 8, duration: 900, delay: x % 700, ease: 'Sine.InOut', yoyo: true, repeat: -1 })
    this.#coins.push(body)
  }

  #addSlime(x: number): void {
    const shadow = this.add.ellipse(x, groundY - 1, 80, 13, 0x1d1b3a, 0.35)
    const body = createSprites(this, [slime], { x, y: groundY }).slime.play('slime/idle')
    this.#slimes.push({ body, shadow, restMs: 600 + (x % 900), hop: undefined })
  }

  #addTexts(): void {
    const style = { fontFamily: 'system-ui, sans-serif', fontStyle: 'bold', color: '#fff6e0', stroke: '#2b2148' }
    this.#scoreText = this.add.text(28, 22, '', { ...style, fontSize: '30px', strokeThickness: 6 }).setScrollFactor(0)
    this.#addScore(0)
    const help = this.add
      .text(viewWidth / 2, viewHeight - 34, '←  →  walk      ↑  jump      SPACE  sword', { ...style, fontSize: '19px', strokeThickness: 5 })
      .setOrigin(0.5)
      .setScrollFactor(0)
    this.tweens.add({ targets: help, alpha: 0, delay: 9000, duration: 1500 })
  }

  #moveHero(deltaMs: number): void {
    const keys = this.#keys
    const seconds = deltaMs / 1000
    const isAttacking = this.#isAttacking()
    if (Phaser.Input.Keyboard.JustDown(keys.space) && !isAttacking) this.#attack()
    const way = (keys.right.isDown ? 1 : 0) - (keys.left.isDown ? 1 : 0)
    const isInAir = this.#hero.y < groundY
    if (way !== 0 && !this.#isAttacking()) this.#hero.setFlipX(way < 0)
    const speed = this.#isAttacking() && !isInAir ? 0 : way * walkSpeed
    this.#push *= 0.9 ** (deltaMs / 16)
    this.#hero.x = Phaser.Math.Clamp(this.#hero.x + (speed + this.#push) * seconds, 60, worldWidth - 60)
    if (keys.up.isDown && !isInAir) this.#fallSpeed = -jumpSpeed
    this.#fallSpeed += gravity * seconds
    this.#hero.y = Math.min(groundY, this.#hero.y + this.#fallSpeed * seconds)
    if (this.#hero.y === groundY) this.#fallSpeed = 0
    if (!this.#isAttacking()) {
      if (way !== 0) this.#hero.play('hero/walk', true)
      else this.#hero.stop().setFrame('hero/walk/0000')
    }
    this.#hurtMs = Math.max(0, this.#hurtMs - deltaMs)
    this.#hero.setAlpha(this.#hurtMs > 0 && Math.floor(this.#hurtMs / 90) % 2 === 0 ? 0.35 : 1)
    this.#shadow.setX(this.#hero.x).setScale(1 - (groundY - this.#hero.y) / 400)
  }

  #isAttacking(): boolean {
    return this.#hero.anims.isPlaying && this.#hero.anims.getName() === 'hero/attack'
  }

  #attack(): void {
    this.#hero.play('hero/attack')
    this.time.delayedCall(strikeMs, () => {
      const reach = this.#hero.x + (this.#hero.flipX ? -80 : 80)
      for (const one of this.#slimes.filter(({ body }) => Math.abs(body.x - reach) < 95 && Math.abs(body.y - this.#hero.y) < 110))
        this.#beat(one)
    })
  }

  #beat(beaten: Slime): void {
    this.#slimes = this.#slimes.filter((one) => one !== beaten)
    const { body, shadow } = beaten
    this.#addScore(25)
    this.#burst(body.x, body.y - 40, 0x63e08f)
    this.cameras.main.shake(90, 0.004)
    shadow.destroy()
    body.setTint(0xffffff).setTintMode(Phaser.TintModes.FILL)
    this.tweens.add({ targets: body, scaleY: 0.1, scaleX: 1.5, alpha: 0, duration: 260, onComplete: () => body.destroy() })
  }

  #moveSlime(one: Slime, deltaMs: number): void {
    const { body, shadow, hop } = one
    one.restMs -= deltaMs
    const away = this.#hero.x - body.x
    body.setFlipX(away < 0)
    if (hop) {
      hop.ageMs += deltaMs
      const part = Math.min(1, hop.ageMs / hopMs)
      // The animation contains the jump itself; the game only moves the slime forward.
      body.x = Phaser.Math.Linear(hop.from, hop.to, part)
      if (part === 1) {
        one.hop = undefined
        one.restMs = 900
        body.play('slime/idle')
      }
    } else if (one.restMs <= 0) {
      const length = Math.abs(away) < 420 ? Math.sign(away) * 120 : 60 * (body.x % 2 < 1 ? 1 : -1)
      one.hop = { from: body.x, to: Phaser.Math.Clamp(body.x + length, 260, worldWidth - 60), ageMs: 0 }
      body.play('slime/jump')
    }
    shadow.setX(body.x).setScale(hop ? 1 - 0.35 * Math.sin((hop.ageMs / hopMs) * Math.PI) : 1)
    if (this.#hurtMs === 0 && Math.abs(away) < 62 && Math.abs(body.y - this.#hero.y) < 60) this.#hurt(away)
  }

  #hurt(away: number): void {
    this.#hurtMs = 1200
    this.#push = Math.sign(away || 1) * 520
    this.#fallSpeed = -260
    this.#addScore(-5)
    this.cameras.main.shake(140, 0.006)
  }

  #takeCoins(): void {
    for (const body of this.#coins) {
      const away = Phaser.Math.Distance.Between(body.x, body.y, this.#hero.x, this.#hero.y - 50)
      // A coin spins when the hero is near.
      body.play(away < 240 ? 'coin/spin' : 'coin/idle', true)
      if (away < 62) this.#take(body)
    }
  }

  #take(body: Phaser.GameObjects.Sprite): void {
    this.#coins = this.#coins.filter((one) => one !== body)
    this.#collected++
    this.#addScore(10)
    this.#burst(body.x, body.y, 0xffd95a)
    this.tweens.killTweensOf(body)
    this.tweens.add({
      targets: body,
      y: body.y - 90,
      alpha: 0,
      scale: 1.3,
      duration: 420,
      ease: 'Cubic.Out',
      onComplete: () => body.destroy(),
    })
    if (this.#coins.length === 0) this.#win()
  }

  #burst(x: number, y: number, colour: number): void {
    for (let spark = 0; spark < 9; spark++) {
      const angle = (spark / 9) * Math.PI * 2
      const dot = this.add.circle(x, y, 5, colour)
      this.tweens.add({
        targets: dot,
        x: x + Math.cos(angle) * 70,
        y: y + Math.sin(angle) * 70,
        scale: 0,
        duration: 480,
        ease: 'Cubic.Out',
        onComplete: () => dot.destroy(),
      })
    }
  }

  #addScore(points: number): void {
    this.#score = Math.max(0, this.#score + points)
    this.#scoreText.setText(`Score ${this.#score}      Coins ${this.#collected} / ${coinPlaces.length}`)
  }

  #win(): void {
    this.add
      .text(viewWidth / 2, 190, `All coins! ${this.#score} points\npress R to play again`, {
        fontFamily: 'system-ui, sans-serif',
        fontStyle: 'bold',
        fontSize: '42px',
        color: '#fff6e0',
        stroke: '#2b2148',
        strokeThickness: 9,
        align: 'center',
      })
      .setOrigin(0.5)
      .setScrollFactor(0)
    this.input.keyboard!.once('keydown-R', () => this.scene.restart())
  }
}
