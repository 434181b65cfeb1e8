import { type Application, Container, Graphics, Text } from 'pixi.js'
import { type Actor, type Cast, createActor } from './actor.ts'
import { viewWidth } from './glade.ts'

/** The three sprites of this game. */
export interface Sprites {
  readonly fox: Cast<'run' | 'idle'>
  readonly ghost: Cast<'float' | 'cast'>
  readonly crystal: Cast<'glow' | 'shake'>
}

/** The fox, the ghosts and the crystals, and the events between them. */
export interface Clearing {
  readonly view: Container
  /** Score and help, over everything. */
  readonly signs: Container
  /** Listens to mouse, touch and arrow keys. */
  listen(app: Application): void
  /** @param deltaMs Milliseconds since the last call. */
  update(deltaMs: number): void
}

interface Ghost {
  readonly actor: Actor<'float' | 'cast'>
  readonly home: { readonly x: number; readonly y: number }
  isCasting: boolean
}

interface Crystal {
  readonly actor: Actor<'glow' | 'shake'>
  isTaken: boolean
}

/** A movement that lasts for a while. */
interface Effect {
  ageMs: number
  readonly lastsMs: number
  /** @param part 0 at its start, 1 at its end. */
  readonly draw: (part: number) => void
  readonly end: () => void
}

/** The area of the fox, in pixels. */
const lawn = { left: 90, right: viewWidth - 90, top: 345, bottom: 500 }
const foxSpeed = 300
const maximumCrystals = 6

/** Puts all figures on the lawn. The fox runs to a click. A click on a ghost conjures a crystal. */
export function createClearing(sprites: Sprites): Clearing {
  const view = new Container({ sortableChildren: true })
  const signs = new Container()
  const score = addSign(signs, 'Crystals: 0', 28, 24, 30)
  addSign(signs, 'Click or arrow keys: the fox runs      Click a ghost: it conjures a crystal', 28, 500, 18)
  const fox = createActor(sprites.fox, ['idle', 'run'], 110)
  fox.view.position.set(viewWidth / 2 - 130, 450)
  view.addChild(fox.view)
  const held = new Set<string>()
  const effects = new Set<Effect>()
  let target: { x: number; y: number } | undefined
  let crystals: Crystal[] = []
  let taken = 0
  let ageMs = 0

  const burst = (x: number, y: number, colour: number): void => {
    const ring = new Graphics()
    ring.zIndex = 1000
    view.addChild(ring)
    const draw = (part: number): void => {
      ring.clear()
      for (let spark = 0; spark < 10; spark++) {
        const angle = (spark / 10) * Math.PI * 2
        const away = 20 + 80 * Math.sqrt(part)
        ring.circle(x + Math.cos(angle) * away, y + Math.sin(angle) * away * 0.8, 6 * (1 - part)).fill({ color: colour, alpha: 1 - part })
      }
    }
    effects.add({ ageMs: 0, lastsMs: 600, draw, end: () => ring.destroy() })
  }

  const grow = (x: number, y: number): void => {
    const actor = createActor(sprites.crystal, ['glow', 'shake'], 100)
    actor.view.position.set(x, y)
    actor.view.scale.set(0)
    view.addChild(actor.view)
    crystals.push({ actor, isTaken: false })
    const draw = (part: number): void => void actor.view.scale.set(0.62 * (1 - (1 - part) ** 3))
    effects.add({ ageMs: 0, lastsMs: 500, draw, end: () => {} })
  }

  const take = (crystal: Crystal): void => {
    crystal.isTaken = true
    const { view: rock } = crystal.actor
    crystal.actor.playOnce('shake', () => {
      score.text = `Crystals: ${++taken}`
      crystals = crystals.filter((one) => one !== crystal)
      burst(rock.x, rock.y - 50, 0x9fe4ff)
      const from = rock.y
      const draw = (part: number): void => {
        rock.y = from - 110 * part
        rock.alpha = 1 - part
      }
      effects.add({ ageMs: 0, lastsMs: 450, draw, end: () => rock.destroy({ children: true }) })
    })
  }

  const cast = (ghost: Ghost): void => {
    if (ghost.isCasting || crystals.length >= maximumCrystals) return
    ghost.isCasting = true
    burst(ghost.actor.view.x, ghost.actor.view.y - 80, 0xfff3b0)
    ghost.actor.playOnce('cast', () => {
      ghost.isCasting = false
      ghost.actor.play('float')
      grow(lawn.left + Math.random() * (lawn.right - lawn.left), lawn.top + 20 + Math.random() * (lawn.bottom - lawn.top - 20))
    })
  }

  const ghosts = [
    { x: 700, y: 330 },
    { x: 350, y: 318 },
  ].map((home): Ghost => {
    const ghost: Ghost = { actor: createActor(sprites.ghost, ['float', 'cast'], 70), home, isCasting: false }
    ghost.actor.view.alpha = 0.9
    ghost.actor.view.scale.set(0.78)
    ghost.actor.view.eventMode = 'static'
    ghost.actor.view.cursor = 'pointer'
    ghost.actor.view.on('pointerdown', (event) => {
      event.stopPropagation()
      cast(ghost)
    })
    view.addChild(ghost.actor.view)
    return ghost
  })
  for (const [x, y] of [
    [180, 420],
    [600, 400],
    [800, 470],
  ] as const)
    grow(x, y)

  const moveFox = (deltaMs: number): void => {
    const place = fox.view
    const key = { x: axis(held, 'ArrowLeft', 'ArrowRight'), y: axis(held, 'ArrowUp', 'ArrowDown') }
    if (key.x !== 0 || key.y !== 0) target = { x: place.x + key.x * 40, y: place.y + key.y * 40 }
    const [dx, dy] = target ? [target.x - place.x, target.y - place.y] : [0, 0]
    const way = Math.hypot(dx, dy)
    const step = (foxSpeed * deltaMs) / 1000
    if (way <= step) {
      target = undefined
      fox.play('idle')
      return
    }
    fox.play('run')
    fox.face(Math.abs(dx) < 3 ? 0 : dx)
    const next = { x: place.x + (dx / way) * step, y: place.y + (dy / way) * step * 0.8 }
    place.position.set(clamp(next.x, lawn.left, lawn.right), clamp(next.y, lawn.top, lawn.bottom))
    if (place.x !== next.x || (place.y !== next.y && Math.abs(dx) < step)) target = undefined
  }

  return {
    view,
    signs,
    listen: (app) => {
      app.stage.eventMode = 'static'
      app.stage.hitArea = app.screen
      app.stage.on('pointerdown', ({ global }) => {
        target = { x: clamp(global.x, lawn.left, lawn.right), y: clamp(global.y, lawn.top, lawn.bottom) }
      })
      window.addEventListener('keydown', ({ key }) => held.add(key))
      window.addEventListener('keyup', ({ key }) => held.delete(key))
      window.addEventListener('blur', () => held.clear())
    },
    update: (deltaMs) => {
      ageMs += deltaMs
      moveFox(deltaMs)
      for (const [index, { actor, home }] of ghosts.entries()) {
        const turn = ageMs / 2600 + index * 2
        actor.view.position.set(home.x + Math.sin(turn) * 120, home.y + Math.sin(turn * 2.1) * 16)
        actor.face(Math.cos(turn))
      }
      for (const crystal of crystals)
        if (!crystal.isTaken && Math.hypot(crystal.actor.view.x - fox.view.x, (crystal.actor.view.y - fox.view.y) * 1.6) < 70) take(crystal)
      for (const effect of [...effects]) runEffect(effect, deltaMs, effects)
      for (const child of view.children) if (child.zIndex !== 1000) child.zIndex = child.y
    },
  }
}

function runEffect(effect: Effect, deltaMs: number, effects: Set<Effect>): void {
  effect.ageMs += deltaMs
  effect.draw(Math.min(1, effect.ageMs / effect.lastsMs))
  if (effect.ageMs < effect.lastsMs) return
  effects.delete(effect)
  effect.end()
}

function addSign(signs: Container, text: string, x: number, y: number, fontSize: number): Text {
  const style = {
    fontFamily: 'system-ui, sans-serif',
    fontWeight: 'bold',
    fontSize,
    fill: 0xf6f3ff,
    stroke: { color: 0x161638, width: 5, join: 'round' },
  } as const
  const sign = new Text({ text, style, x, y })
  signs.addChild(sign)
  return sign
}

function axis(held: ReadonlySet<string>, low: string, high: string): number {
  return (held.has(high) ? 1 : 0) - (held.has(low) ? 1 : 0)
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}
