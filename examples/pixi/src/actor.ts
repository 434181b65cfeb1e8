import { type AnimatedSprite, Container, Graphics } from 'pixi.js'

/** A figure on the lawn, with its feet at `view.position`. */
export interface Actor<Name extends string> {
  readonly view: Container
  /** Plays an animation, unless it is already playing. */
  play(animation: Name): void
  /** Plays an animation from its start to its end, then calls back. */
  playOnce(animation: Name, done: () => void): void
  /** Faces left if `way` is below 0, and right if it is above. */
  face(way: number): void
}

/** The sprite of a figure, loaded by `spritewright/pixi`. */
export interface Cast<Name extends string> {
  create(animation: Name): AnimatedSprite
}

/**
 * A figure with a shadow. It has one `AnimatedSprite` for each animation, and one of them is visible.
 *
 * @param names Its animations; the first one is played at the start.
 * @param shadowWidth Pixels.
 */
export function createActor<Name extends string>(cast: Cast<Name>, names: readonly [Name, ...Name[]], shadowWidth: number): Actor<Name> {
  const view = new Container()
  view.addChild(new Graphics().ellipse(0, 2, shadowWidth / 2, shadowWidth / 12).fill({ color: 0x0a1226, alpha: 0.4 }))
  const sprites = new Map(names.map((name) => [name, cast.create(name)] as const))
  for (const sprite of sprites.values()) {
    sprite.anchor.set(0.5, 1)
    sprite.visible = false
    view.addChild(sprite)
  }
  let current: Name | undefined
  const start = (animation: Name, done: (() => void) | undefined): void => {
    const [before, next] = [current && sprites.get(current), sprites.get(animation)]
    if (!next) return
    before?.stop()
    if (before) before.visible = false
    current = animation
    next.visible = true
    next.loop = done === undefined
    next.onComplete = done
    next.gotoAndPlay(0)
  }
  start(names[0], undefined)
  return {
    view,
    play: (animation) => {
      if (animation !== current) start(animation, undefined)
    },
    playOnce: (animation, done) => start(animation, done),
    face: (way) => {
      if (way !== 0) for (const sprite of sprites.values()) sprite.scale.x = Math.sign(way)
    },
  }
}
