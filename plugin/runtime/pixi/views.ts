import { type Sprite, type Texture, ViewContainer } from 'pixi.js'

/** What shows a texture: a Sprite, AnimatedSprite, TilingSprite, NineSliceSprite or Mesh. */
export type View = ViewContainer & { readonly texture?: Texture | null; readonly anchor?: Sprite['anchor'] } & Partial<Slices>

/** What a NineSliceSprite keeps unstretched. */
export interface Slices {
  leftWidth: number
  topHeight: number
  rightWidth: number
  bottomHeight: number
}

/** Views that show frames of an atlas, on the stage or off it. None is kept alive by it. */
export interface Views {
  /** From now on it is known what shows this texture. */
  watch(texture: Texture): void
  /** Those that show one of these textures now. */
  showing(textures: ReadonlySet<Texture>): View[]
}

/** How many may have come since the last sweep before those that are gone are swept out. */
const sweepAfter = 256

/**
 * PixiJS keeps no list of what shows a texture; but a view listens to one that is `dynamic`. It never ends that when it is destroyed, so that listeners would pile up with
 * every bullet of a game: here they are noted weakly, and once, in place of it.
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
    showing: (textures) => {
      sweep()
      const all = [...views].flatMap((reference) => reference.deref() ?? [])
      return all.filter(({ texture }) => texture && textures.has(texture))
    },
  }
}

function isOfView(wanted: readonly unknown[]): wanted is readonly ['update', () => void, View] {
  return wanted[0] === 'update' && wanted[2] instanceof ViewContainer
}
