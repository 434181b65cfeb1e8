import type { Scheduler } from 'fast-check'
import type { Disk } from '../../../src/host/disk.ts'
import type { Options } from '../../../src/options/options.ts'
import type { Workshop } from '../../../src/workshop.ts'
import type { Ending } from './machine.ts'
import type { ModelWorld } from './world.ts'

/** One of the racing commands. */
export interface Racer {
  readonly name: string
  readonly work: (workshop: Workshop) => Promise<unknown>
}

/** Paths that both read before they decide what to do. */
const papers = /\/(?:submissions|sprites\.lock\.json|turn|checkout\.json|ledger\.jsonl|results)\b/

/**
 * Runs commands at once on the first machine. The scheduler decides whose call of the disk comes next. Time
 * passes only while no racer has a call to make.
 */
export async function race(
  world: ModelWorld,
  scheduler: Scheduler,
  racers: readonly Racer[],
  options: Options = {},
): Promise<readonly Ending<unknown>[]> {
  const { clock } = world.sim
  let wake = (): void => {}
  const inLine =
    (name: string) =>
    (disk: Disk): Disk => {
      const calls = Object.entries(disk as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)
      const waiting = calls.map(([call, act]) => [
        call,
        async (...args: unknown[]): Promise<unknown> => {
          const path = String(args.at(call === 'link' || call === 'move' ? 1 : 0))
          if (!papers.test(path) || path.startsWith('/state/limits')) return act(...args)
          const turn = scheduler.schedule(Promise.resolve(), `${name}: ${call} ${path}`)
          wake()
          await turn
          return act(...args)
        },
      ])
      return Object.fromEntries(waiting) as unknown as Disk
    }
  const running = Promise.all(racers.map(({ name, work }) => world.machines[0].start(work, { options, disk: inLine(name) })))
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  running.then(end, end)
  while (!isOver) {
    if (scheduler.count() > 0) {
      await scheduler.waitOne()
      continue
    }
    const called = new Promise<void>((resolve) => {
      wake = resolve
    })
    await clock.run(Promise.race([running.then(() => {}), called]))
  }
  return running
}
