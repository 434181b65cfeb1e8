/** One frame of a round: the played frame, and how long it is shown. */
export interface Beat {
  /** Place in playing order, from 0. */
  readonly place: number
  readonly ms: number
}

/** The fields of an animation that determine the order of a round. */
export interface PlayWay {
  readonly loop: boolean
  /** Plays there and back, with the ends once. */
  readonly yoyo: boolean
}

/**
 * How long the last frame of an animation without a loop rests before a preview plays it again, in
 * milliseconds.
 */
const restMs = 700

/**
 * One round of a preview, as an engine plays it. An animation that plays once rests on its last frame before
 * it starts again.
 *
 * @param durations Milliseconds of each played frame.
 */
export function roundOf(durations: readonly number[], { loop, yoyo }: PlayWay): readonly Beat[] {
  const there = durations.map((ms, place) => ({ place, ms }))
  const round = yoyo ? [...there, ...there.slice(loop ? 1 : 0, -1).reverse()] : there
  const last = round.at(-1)
  return loop || !last ? round : [...round.slice(0, -1), { ...last, ms: last.ms + restMs }]
}

/** Plays a round. It has the current place, and moves it by the time that passes. */
export type Player = ReturnType<typeof createPlayer>

/** Creates a stopped player at the first frame. */
export function createPlayer() {
  const listeners = new Set<() => void>()
  let round: readonly Beat[] = []
  let at = 0
  let spentMs = 0
  let isPlaying = false
  const changed = (): void => {
    for (const listener of [...listeners]) listener()
  }
  const goTo = (next: number, rest: number): void => {
    at = next
    spentMs = rest
    changed()
  }
  /** Goes to a place, or to the first if the round does not have it. */
  const goToPlace = (place: number): void => {
    const found = round.findIndex((beat) => beat.place === place)
    goTo(Math.max(0, found), 0)
  }
  /** Stops at a place. */
  const seek = (place: number): void => {
    isPlaying = false
    goToPlace(place)
  }
  return {
    /** The shown place in playing order. */
    get place(): number {
      return round[at]?.place ?? 0
    },
    get isPlaying(): boolean {
      return isPlaying
    },
    /**
     * Sets another round, for example after a change of fps. Playback stays at the same place if the round has it.
     */
    setRound: (next: readonly Beat[]): void => {
      const { place } = round[at] ?? { place: 0 }
      round = next
      goToPlace(place)
    },
    setPlaying: (next: boolean): void => {
      isPlaying = next
      changed()
    },
    seek,
    /** Stops, and moves by this number of frames, across the ends. */
    step: (by: number): void => {
      const count = new Set(round.map((beat) => beat.place)).size
      if (count > 0) seek(((((round[at]?.place ?? 0) + by) % count) + count) % count)
    },
    /** Reports passed time in milliseconds. Nothing moves while the player is stopped. */
    advance: (ms: number): void => {
      const total = round.reduce((sum, beat) => sum + beat.ms, 0)
      if (!isPlaying || total <= 0) return
      // After a sleep of the tab, playback continues in the same round, however much time has passed.
      let [next, left] = [at, (spentMs + ms) % total]
      for (let beat = round[next]!; left >= beat.ms && beat.ms > 0; beat = round[next]!) {
        left -= beat.ms
        next = (next + 1) % round.length
      }
      if (next === at) spentMs = left
      else goTo(next, left)
    },
    /**
     * Calls the listener after each change of place or of playing.
     *
     * @returns A function that removes the listener.
     */
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
