import type { PlayedFrames } from './frames.ts'
import type { BuiltAtlas, BuiltGroup } from './sheet-model.ts'
import type { SheetInput } from './sources.ts'

/** What a dev server remembers of the last sheets, so that an edit makes anew what it changes and nothing else. */
export interface SheetMemory {
  /** Groups by their names, as they were made last. */
  readonly groups: Map<string, RememberedGroup>
  /** Frames that were opened lately, by what they are made of. */
  played(key: string, read: () => Promise<PlayedFrames>): Promise<PlayedFrames>
}

/** A group, and what it was made of. */
export interface RememberedGroup {
  /** Of everything. */
  readonly key: string
  /** Of everything but how it is played, see {@link withPlayback}. */
  readonly look: string
  readonly group: BuiltGroup
}

/** Animations whose frames are kept open: those of a sprite that is being worked on. */
const openAnimations = 8

/** An empty memory. */
export function createSheetMemory(): SheetMemory {
  const open = new Map<string, Promise<PlayedFrames>>()
  return {
    groups: new Map(),
    played: (key, read) => {
      const frames = open.get(key) ?? read()
      open.delete(key)
      open.set(key, frames)
      // What could not be read is tried again.
      frames.catch(() => open.delete(key))
      for (const oldest of open.keys()) {
        if (open.size <= openAnimations) break
        open.delete(oldest)
      }
      return frames
    },
  }
}

/** A group of the same look, played as its specs say now: other rates, durations and anchors over the same pages. */
export function withPlayback(group: BuiltGroup, members: readonly SheetInput[]): BuiltGroup {
  const inputs = new Map(members.map((input) => [`${input.spec.name}/${input.animation.name}`, input]))
  const toAtlas = (atlas: BuiltAtlas): BuiltAtlas => ({
    ...atlas,
    frames: atlas.frames.map(({ anchor: _, ...frame }) => {
      const anchor = inputs.get(frame.name.slice(0, frame.name.lastIndexOf('/')))?.spec.anchor
      return { ...frame, ...(anchor ? { anchor } : {}) }
    }),
    animations: atlas.animations.map((animation) => {
      const { fps = animation.fps, durations } = inputs.get(animation.name)?.animation ?? {}
      const frames = animation.frames.map(({ name }, at) => ({ name, durationMs: durations?.[at] ?? 1000 / fps }))
      return { ...animation, fps, frames }
    }),
  })
  return { ...group, atlases: group.atlases.map(toAtlas) }
}
