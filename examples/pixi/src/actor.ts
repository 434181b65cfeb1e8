import { AnimatedSprite, type AnimatedSpriteFrames, Container, Graphics } from 'pixi.js'

/** The frames of one sprite, by the names of its animations. */
export interface Frames<Name extends string> {
  frames(animation: Name): AnimatedSpriteFrames
}

/** A figure on the lawn, its feet at `view.position`. */
export interface Actor<Name extends string> {
  readonly view: Container
  readonly sprite: AnimatedSprite
  /** Plays an animation, unless it plays already. */
  play(animation: Name): void
  /** Plays an animation once, then calls back. */
  playOnce(animation: Name, done: () => void): void
  /** Looks to the left where `way` is below 0, to the right where it is above. */
  face(way: number): void
}

/** A figure with a shadow. @param shadowWidth Pixels. */
export function createActor<Name extends string>(frames: Frames<Name>, first: Name, shadowWidth: number): Actor<Name> {
  let current = first
  const view = new Container()
  const sprite = new AnimatedSprite({ textures: frames.frames(first), autoPlay: true })
  sprite.anchor.set(0.5, 1)
  view.addChild(new Graphics().ellipse(0, 2, shadowWidth / 2, shadowWidth / 12).fill({ color: 0x0a1226, alpha: 0.4 }), sprite)
  const start = (animation: Name, isLoop: boolean): void => {
    current = animation
    sprite.textures = frames.frames(animation)
    sprite.loop = isLoop
    delete sprite.onComplete
    sprite.gotoAndPlay(0)
  }
  return {
    view,
    sprite,
    play: (animation) => {
      if (animation !== current || !sprite.loop) start(animation, true)
    },
    playOnce: (animation, done) => {
      start(animation, false)
      sprite.onComplete = done
    },
    face: (way) => {
      if (way !== 0) sprite.scale.x = Math.sign(way)
    },
  }
}
