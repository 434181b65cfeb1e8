import { Container, type Sprite, type Texture, type TextureSource, type ViewContainer } from 'pixi.js'

/** An object that shows a texture: a Sprite, AnimatedSprite, TilingSprite, NineSliceSprite or Mesh. */
export type View = ViewContainer & { readonly texture?: Texture | null; readonly anchor?: Sprite['anchor'] } & Partial<Slices>

/** The sides of a NineSliceSprite that do not stretch. */
export interface Slices {
  leftWidth: number
  topHeight: number
  rightWidth: number
  bottomHeight: number
}

/** Views that show frames of an atlas, on the stage or off it. They are held weakly. */
export interface Views {
  /** Records the views of this texture from now on. */
  watch(texture: Texture): void
  /** Returns the views that have shown one, and live. */
  all(): View[]
}

/** Number of new views since the last sweep before destroyed ones are swept out. */
const sweepAfter = 256

/**
 * Tracks views. PixiJS has no list of the views of a texture, but a view listens to a `dynamic` texture. It
 * does not stop listening when it is destroyed, so listeners would pile up with every bullet of a game. So
 * this code records each view weakly, and once, instead of the listener.
 */
export function createViews(): Views {
  let views = new Set<WeakRef<View>>()
  let known = new WeakSet<View>()
  let room = sweepAfter
  const sweep = (): void => {
    views = new Set([...views].filter((reference) => reference.deref()?.destroyed === false))
    known = new WeakSet([...views].flatMap((reference) => reference.deref() ?? []))
    room = 2 * views.size + sweepAfter
  }
  const note = (view: View): void => {
    if (known.has(view)) return
    if (views.size > room) sweep()
    known.add(view)
    views.add(new WeakRef(view))
  }
  return {
    watch: (texture) => {
      texture.dynamic = true
      const { on, off } = texture
      texture.on = function (this: Texture, ...wanted) {
        if (!isOfView(wanted)) return on.apply(this, wanted)
        note(wanted[2])
        return this
      }
      texture.off = function (this: Texture, ...wanted) {
        return isOfView(wanted) ? this : off.apply(this, wanted)
      }
    },
    all: () => {
      sweep()
      return [...views].flatMap((reference) => reference.deref() ?? [])
    },
  }
}

function isOfView(wanted: readonly unknown[]): wanted is readonly ['update', () => void, View] {
  return wanted[0] === 'update' && wanted[2] instanceof Container
}

/**
 * An object on a stage that may show frames without listening to a texture. A game's own classes may have fields of
 * the same names, so `renderPipeId` says what an object is.
 */
export interface Holder extends Container {
  readonly texture?: Texture | null
  /** Of a ParticleContainer. */
  readonly particleChildren?: readonly { readonly texture: Texture }[]
  _childrenDirty?: boolean
  /** Of a Graphics. */
  readonly context?: {
    readonly instructions: readonly { readonly data: { readonly image?: Texture; readonly style?: Pick<View, 'texture'> } }[]
  }
}

/** Private fields of a source: the texture systems of renderers listen to the sources on their graphics cards. */
interface LiveSource {
  readonly _events: { readonly update?: { readonly context?: { readonly _renderer?: { readonly lastObjectRendered?: Holder } } } }
}

const rootOf = (object: Holder): Holder => (object.parent ? rootOf(object.parent) : object)

/**
 * All objects on the stages of the renderers that draw these sources, and on those of views. PixiJS has no list of
 * renderers, and a renderer knows only the stage that it has rendered last.
 */
export function onStages(sources: readonly TextureSource[], views: readonly View[]): Holder[] {
  const listeners = sources.flatMap((source) => (source as unknown as LiveSource)._events.update ?? [])
  const rendered = listeners.flatMap(({ context }) => context?._renderer?.lastObjectRendered ?? [])
  const found = new Set([...rendered, ...views].map(rootOf))
  for (const { children, mask } of found) for (const object of [...children, mask]) if (object instanceof Container) found.add(object)
  return [...found]
}

/** The particles of an object; none if it is no ParticleContainer. */
export function particlesOf({ renderPipeId, particleChildren = [] }: Holder): NonNullable<Holder['particleChildren']> {
  return renderPipeId === 'particle' ? particleChildren : []
}

/**
 * Whether an object has copied where frames lay on their pages: a Graphics that is filled with one, or
 * anything that shows a texture which the game has cut out of a page.
 *
 * @param frames The textures of the frames, which a swap changes.
 */
export function hasCopied(object: Holder, sources: readonly TextureSource[], frames: ReadonlySet<Texture>): boolean {
  const { renderPipeId, texture } = object
  const context = renderPipeId === 'graphics' ? object.context : undefined
  const fills = context?.instructions.map(({ data }) => data.image ?? data.style?.texture) ?? []
  const shown = [renderPipeId ? texture : undefined, ...particlesOf(object).map((particle) => particle.texture), ...fills]
  return shown.some((one) => one && !one.destroyed && sources.includes(one.source) && (context || !frames.has(one)))
}
