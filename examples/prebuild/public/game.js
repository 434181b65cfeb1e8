// A page without a bundler: Phaser comes from a script tag, and the atlases come from the folder that
// `spritewright build --out public/sprites` wrote.
/* global Phaser */
const [width, height, groundY] = [960, 540, 452]

class Cave extends Phaser.Scene {
  preload() {
    // Phaser resolves the files of a pack against the loader's path, not against the pack.
    this.load.setPath('sprites/')
    this.load.pack('sprites', 'pack.json')
  }

  create() {
    this.drawCave()
    this.bats = [180, 520, 800].map((x, index) => {
      const bat = this.add.sprite(x, 150 + index * 26, 'sprites').play({ key: 'bat/fly', startFrame: index * 3 })
      this.tweens.add({ targets: bat, x: x + 120, duration: 2600 + index * 500, ease: 'Sine.InOut', yoyo: true, repeat: -1 })
      this.tweens.add({ targets: bat, y: bat.y + 36, duration: 900 + index * 170, ease: 'Sine.InOut', yoyo: true, repeat: -1 })
      return bat.setInteractive({ useHandCursor: true }).on('pointerdown', () => bat.play('bat/bite').chain('bat/fly'))
    })
    for (const [x, scale] of [
      [120, 0.85],
      [720, 1],
      [850, 0.7],
    ])
      this.add.sprite(x, groundY, 'sprites').setOrigin(0.5, 1).setScale(scale).play('mushroom/idle').setName('mushroom')
    this.robot = this.add
      .sprite(400, groundY + 8, 'sprites')
      .setOrigin(0.5, 1)
      .play('robot/dance')
    this.keys = this.input.keyboard.createCursorKeys()
    const style = {
      fontFamily: 'system-ui, sans-serif',
      fontStyle: 'bold',
      fontSize: '19px',
      color: '#ffe9c9',
      stroke: '#14101f',
      strokeThickness: 5,
    }
    this.add.text(width / 2, height - 32, '←  →  the robot walks; it dances when it rests      click a bat', style).setOrigin(0.5)
  }

  update(_time, deltaMs) {
    const way = (this.keys.right.isDown ? 1 : 0) - (this.keys.left.isDown ? 1 : 0)
    this.robot.play(way === 0 ? 'robot/dance' : 'robot/walk', true)
    if (way !== 0) this.robot.setFlipX(way < 0)
    this.robot.x = Phaser.Math.Clamp(this.robot.x + way * 0.21 * Math.min(deltaMs, 50), 70, width - 70)
    for (const mushroom of this.children.list.filter(({ name }) => name === 'mushroom'))
      mushroom.play(Math.abs(mushroom.x - this.robot.x) < 150 ? 'mushroom/hop' : 'mushroom/idle', true)
  }

  drawCave() {
    const rock = this.add.graphics()
    rock.fillGradientStyle(0x2a2144, 0x2a2144, 0x5b3a5e, 0x5b3a5e, 1).fillRect(0, 0, width, height)
    for (const [radius, alpha] of [
      [300, 0.05],
      [210, 0.07],
      [130, 0.1],
    ])
      rock.fillStyle(0xffc27a, alpha).fillCircle(width / 2, groundY - 90, radius)
    for (let x = -30, tooth = 0; x < width + 40; x += 52, tooth++) {
      const long = 60 + 70 * Math.abs(Math.sin(tooth * 2.4))
      rock.fillStyle(tooth % 2 ? 0x1d1733 : 0x241b3d).fillTriangle(x - 44, -4, x + 44, -4, x + 6, long)
      rock
        .fillStyle(0x33284f)
        .fillTriangle(x - 50, groundY + 6, x + 50, groundY + 6, x - 4, groundY - 24 - 40 * Math.abs(Math.sin(tooth * 1.7)))
    }
    rock.fillStyle(0x1d1733).fillRect(0, groundY - 2, width, height)
    rock.fillStyle(0x6b4a6e).fillRect(0, groundY - 6, width, 9)
    for (let stone = 0; stone < 34; stone++)
      rock.fillStyle(0x2b2245).fillEllipse((stone * 173) % width, groundY + 26 + ((stone * 37) % 56), 22 + ((stone * 13) % 26), 9)
  }
}

window.game = new Phaser.Game({
  type: Phaser.AUTO,
  parent: 'game',
  width,
  height,
  backgroundColor: '#14101f',
  scale: { mode: Phaser.Scale.FIT, autoCenter: Phaser.Scale.CENTER_BOTH },
  scene: Cave,
})
