import { useEffect, useMemo, useState } from 'preact/hooks'
import { createPlayer, type Player, roundOf } from './playback.ts'

/** How a preview plays an animation. */
export interface PlayedWay {
  /** Milliseconds of each played frame. */
  readonly durations: readonly number[]
  readonly loop: boolean
  readonly yoyo: boolean
  /** 1 is the real speed. */
  readonly speed: number
}

/** Whether the user wants less motion. If so, nothing plays by itself. */
export function wantsStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** A player that runs with the screen. It plays from the start unless the user wants less motion. */
export function usePlayer({ durations, loop, yoyo, speed }: PlayedWay): Player {
  const player = useMemo(() => {
    const made = createPlayer()
    made.setPlaying(!wantsStillness())
    return made
  }, [])
  const times = durations.join(' ')
  useEffect(() => {
    const ms = times === '' ? [] : times.split(' ').map(Number)
    player.setRound(
      roundOf(
        ms.map((one) => one / speed),
        { loop, yoyo },
      ),
    )
  }, [player, times, loop, yoyo, speed])
  useEffect(() => {
    let last: number | undefined
    let request: number | undefined
    const tick = (now: number): void => {
      player.advance(last === undefined ? 0 : now - last)
      last = now
      request = player.isPlaying ? requestAnimationFrame(tick) : undefined
    }
    const run = (): void => {
      if (request !== undefined || !player.isPlaying) return
      last = undefined
      request = requestAnimationFrame(tick)
    }
    const stop = player.subscribe(run)
    run()
    return () => {
      stop()
      if (request !== undefined) cancelAnimationFrame(request)
    }
  }, [player])
  return player
}

/** Renders again on every change of the player. */
export function usePlace(player: Player): { readonly place: number; readonly isPlaying: boolean } {
  const [shown, setShown] = useState({ place: player.place, isPlaying: player.isPlaying })
  useEffect(() => {
    const show = (): void => setShown({ place: player.place, isPlaying: player.isPlaying })
    show()
    return player.subscribe(show)
  }, [player])
  return shown
}
