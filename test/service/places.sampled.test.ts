import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { Clock } from '../../src/host/clock.ts'
import { openPlaceFolder, openPlaceRecords } from '../../src/service/limits/place-files.ts'
import { createPlaces, joinPlaces, type Places } from '../../src/service/limits/places.ts'
import type { Execution } from '../../src/service/wire.ts'
import type { RecordStore } from '../../src/stores/record-store.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryRecordStore } from '../kit/memory-record-store.ts'
import { byLevel } from '../level.ts'
import { Machine } from './many-processes.ts'

const minute = 60_000
const never = new AbortController().signal
const state = (status: string): Execution => ({ status, question: null }) as Execution

/** Pseudo-random numbers, the same for a seed. */
function chance(seed: number): () => number {
  let now = seed >>> 0
  return () => {
    now = (Math.imul(now, 1_664_525) + 1_013_904_223) >>> 0
    return now / 4_294_967_296
  }
}

describe('places that several processes share', () => {
  test('C31: whatever the interleaving and whoever dies, no third job is ever active, also if jobs outlive their process; survivors get all of theirs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.option(fc.integer({ min: 0, max: 60_000 })), { minLength: 2, maxLength: 4 }),
        async (seed, deaths) => {
          const next = chance(seed)
          const machine = new Machine(() => next() * 40)
          const jobs = new Map<string, { readonly begin: number; readonly end: number }>()
          const active = (): number => [...jobs.values()].filter(({ begin, end }) => begin <= machine.now && machine.now < end).length
          const client = { execution: async (id: string) => state(machine.now < (jobs.get(id)?.end ?? 0) ? 'running' : 'completed') }
          // Names of temporary files differ between processes.
          const bytes = (count: number): Uint8Array => new Uint8Array(count).map(() => next() * 256)
          let most = 0
          const done: number[] = []
          for (const [index, death] of deaths.entries()) {
            const one = machine.process()
            const ports = { disk: one.disk, clock: one.clock, random: { ...countingRandom(), bytes }, client }
            const places: Places = createPlaces(
              ports,
              openPlaceFolder(ports, async () => '/places'),
              2,
              `game ${index}`,
            )
            const buy = async (key: string): Promise<void> => {
              await places.take({ key, id: key }, never, () => {})
              await one.wait(next() * 3_000)
              if (!(await places.holds(key))) return buy(key)
              const lastsMs = next() * 20_000
              jobs.set(key, { begin: machine.now, end: machine.now + lastsMs })
              most = Math.max(most, active())
              await places.keep({ key, id: key }, { executionId: key })
              await one.wait(lastsMs)
              await places.leave(key)
            }
            void (async () => {
              for (let number = 0; number < 2; number++) await Promise.all([buy(`${index} ${number} a`), buy(`${index} ${number} b`)])
              done.push(index)
            })()
            // The first process never dies, so that at least one is left to wait.
            if (death !== null && index > 0) machine.at(10_000 + death, one.kill)
          }
          await machine.run(10_000 + 200 * minute)
          expect(most).toBeLessThanOrEqual(2)
          for (const [index, death] of deaths.entries()) if (death === null || index === 0) expect(done).toContain(index)
        },
      ),
      { numRuns: byLevel({ quick: 20, full: 60, long: 60 }) },
    )
  }, 120_000)
})

describe('places that several machines share through a journal', () => {
  /** A team. Each machine has a clock that is wrong by so much, and a folder of its own. */
  function team(store: RecordStore, clock: ManualClock, execution: (id: string) => Promise<Execution>) {
    return (machine: string, wrongMs = 0): Places => {
      const own: Clock = { wall: () => clock.wall() + wrongMs, mono: () => clock.mono(), sleep: (...args) => clock.sleep(...args) }
      const ports = { clock: own, client: { execution } }
      const disk = new MemoryDisk()
      const folder = createPlaces(
        ports,
        openPlaceFolder({ disk, random: countingRandom() }, async () => '/places'),
        2,
        machine,
      )
      let written = 0
      const random = { ...countingRandom(), uuid: () => `${machine} ${++written}` }
      return joinPlaces(folder, createPlaces(ports, openPlaceRecords({ clock: own, random }, store, 'places/tag'), 2, machine))
    }
  }

  test('C31: whatever the interleaving and whoever dies, no third job is ever active, and survivors get all of theirs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.option(fc.integer({ min: 0, max: 60_000 })), { minLength: 2, maxLength: 3 }),
        async (seed, deaths) => {
          const next = chance(seed)
          const machine = new Machine(() => next() * 40)
          const store = new MemoryRecordStore({ wall: () => machine.now })
          const jobs = new Map<string, { readonly begin: number; readonly end: number }>()
          const active = (): number => [...jobs.values()].filter(({ begin, end }) => begin <= machine.now && machine.now < end).length
          const client = { execution: async (id: string) => state(machine.now < (jobs.get(id)?.end ?? 0) ? 'running' : 'completed') }
          let most = 0
          const done: number[] = []
          for (const [index, death] of deaths.entries()) {
            const one = machine.process()
            const slow = async <T>(work: () => Promise<T>): Promise<T> => {
              await one.wait(next() * 40)
              const result = await work()
              await one.wait(next() * 40)
              return result
            }
            const records = {
              putIfAbsent: (name: string, bytes: Uint8Array) => slow(() => store.putIfAbsent(name, bytes)),
              get: (name: string) => slow(() => store.get(name)),
            }
            const random = { ...countingRandom(), uuid: () => `${index} ${next()}` }
            const places = createPlaces(
              { clock: one.clock, client },
              openPlaceRecords({ clock: one.clock, random }, records, 'places/tag'),
              2,
              `${index}`,
            )
            const buy = async (key: string): Promise<void> => {
              await places.take({ key, id: key }, never, () => {})
              await one.wait(next() * 3_000)
              if (!(await places.holds(key))) return buy(key)
              const lastsMs = next() * 20_000
              jobs.set(key, { begin: machine.now, end: machine.now + lastsMs })
              most = Math.max(most, active())
              await places.keep({ key, id: key }, { executionId: key })
              await one.wait(lastsMs)
              await places.leave(key)
            }
            void (async () => {
              for (let number = 0; number < 2; number++) await Promise.all([buy(`${index} ${number} a`), buy(`${index} ${number} b`)])
              done.push(index)
            })()
            if (death !== null && index > 0) machine.at(10_000 + death, one.kill)
          }
          await machine.run(10_000 + 200 * minute)
          expect(most).toBeLessThanOrEqual(2)
          for (const [index, death] of deaths.entries()) if (death === null || index === 0) expect(done).toContain(index)
        },
      ),
      { numRuns: byLevel({ quick: 8, full: 20, long: 20 }) },
    )
  }, 120_000)

  test('a third job of another machine waits until a job has ended, whatever its clock says', async () => {
    const clock = new ManualClock()
    const store = new MemoryRecordStore(clock)
    let isOver = false
    const open = team(store, clock, async () => state(isOver ? 'completed' : 'running'))
    const here = open('here')
    for (const one of [hero, coin]) {
      await here.take(one, never, () => {})
      await here.keep(one, { executionId: one.id })
    }
    const reasons: string[] = []
    let taken = ''
    void open('there', -90 * minute)
      .take({ key: 'sw1-tree', id: 'tree.sway' }, never, (why) => void reasons.push(why))
      .then((how) => {
        taken = how
      })
    for (let at = 0; at < 40; at++) await clock.advance(minute)
    expect([taken, reasons]).toEqual(['', [expect.stringContaining('hero.walk of here and coin.spin of here')]])
    isOver = true
    await clock.advance(minute)
    expect(taken).toBe('waited')
  })

  test('a place without an execution ends half an hour after its writing by the clock of the store', async () => {
    const clock = new ManualClock()
    const store = new MemoryRecordStore(clock)
    const open = team(store, clock, async () => state('running'))
    for (const one of [hero, coin]) await open('here', 300 * minute).take(one, never, () => {})
    let taken = ''
    void open('there', -90 * minute)
      .take({ key: 'sw1-tree', id: 'tree.sway' }, never, () => {})
      .then((how) => {
        taken = how
      })
    for (let at = 0; at < 29; at++) await clock.advance(minute)
    expect(taken).toBe('')
    await clock.advance(2 * minute)
    expect(taken).toBe('waited')
  })

  test('a purchase costs about twenty small requests, also after thousands of purchases', async () => {
    const clock = new ManualClock()
    const store = new MemoryRecordStore(clock)
    const open = team(store, clock, async () => state('running'))
    const buy = async (places: Places, key: string): Promise<void> => {
      await places.take({ key, id: key }, never, () => {})
      await places.holds(key)
      await places.keep({ key, id: key }, { executionId: key })
      await places.leave(key)
    }
    const here = open('here')
    const written = { bytes: new TextEncoder().encode('{"content":{},"beforeMs":0}'), at: clock.wall() }
    for (let number = 1; number <= 3000; number++) for (const slot of [0, 1]) store.files.set(`places/tag/s${slot}.g${number}`, written)
    for (const slot of [0, 1]) store.files.set(`places/tag/s${slot}.g3000.over`, written)
    await buy(here, 'a')
    const before = store.calls.length
    await buy(here, 'b')
    expect(store.calls.length - before).toBeLessThanOrEqual(21)
    const first = store.calls.length
    await buy(open('there'), 'c')
    expect(store.calls.length - first).toBeLessThanOrEqual(80)
  })

  test('a journal that does not answer stops a submission before it is sent, and no watch of a paid job', async () => {
    const clock = new ManualClock()
    const store = new MemoryRecordStore(clock)
    const places = team(store, clock, async () => state('running'))('here')
    store.isDown = true
    await expect(places.take(hero, never, () => {})).rejects.toMatchObject({ code: 'SW_STORE' })
    await places.keep(hero, { executionId: 'e' })
    await places.leave(hero.key)
    store.isDown = false
    expect(await places.take(coin, never, () => {})).toBe('taken')
  })
})

/** One process, with one place. The service answers as told. */
function single(execution: (id: string, signal?: AbortSignal) => Promise<Execution>, most = 1) {
  const disk = new MemoryDisk()
  const clock = new ManualClock()
  const open = (): Places =>
    createPlaces(
      { clock, client: { execution } },
      openPlaceFolder({ disk, random: countingRandom() }, async () => '/places'),
      most,
      'game',
    )
  return { disk, clock, open }
}

const [hero, coin] = [
  { key: 'sw1-hero', id: 'hero.walk' },
  { key: 'sw1-coin', id: 'coin.spin' },
]

/** Waits for a place with a manual clock. Returns the minutes that it took. */
async function minutesUntilTaken({ clock, open }: ReturnType<typeof single>): Promise<number> {
  const begun = clock.mono()
  let isTaken = false
  const taken = open()
    .take(coin, never, () => {})
    .then(() => {
      isTaken = true
    })
  while (!isTaken && clock.mono() - begun < 60 * minute) await clock.advance(1_000)
  await taken
  return Math.floor((clock.mono() - begun) / minute)
}

describe('a place whose process has ended', () => {
  test('is free after half an hour if its submission has no execution that anybody knows', async () => {
    const one = single(async () => state('running'))
    await one.open().take(hero, never, () => {})
    expect(await minutesUntilTaken(one)).toBe(30)
  })

  test.each([
    ['at once if the service says that the execution has ended', async () => state('completed'), 0],
    [
      'at once if the execution waits for an answer',
      async () => ({ ...state('needs_input'), question: { questionId: 'q', text: '', requiresAsset: false } }),
      0,
    ],
    ['after half an hour if the service gives a status that nobody knows', async () => state('dreaming'), 30],
    ['after a minute if the service does not know the execution', async () => Promise.reject(refusal(404)), 1],
    ['after half an hour if the service refuses the key', async () => Promise.reject(refusal(403)), 30],
  ] as const)('is free %s', async (_how, execution, expected) => {
    const one = single(execution as () => Promise<Execution>)
    await one.open().take(hero, never, () => {})
    await one.open().keep(hero, { executionId: 'e' })
    expect(await minutesUntilTaken(one)).toBe(expected)
  })

  test('stays taken for as long as the service says that the execution runs', async () => {
    let isOver = false
    const one = single(async () => state(isOver ? 'failed' : 'running'))
    await one.open().take(hero, never, () => {})
    await one.open().keep(hero, { executionId: 'e' })
    const ended = one.clock.sleep(50 * minute).then(() => {
      isOver = true
    })
    expect(await minutesUntilTaken(one)).toBe(50)
    await ended
  })

  test('is asked about every ten seconds, however long the wait', async () => {
    let asked = 0
    const one = single(async () => {
      asked++
      return state('running')
    })
    await one.open().keep(hero, { executionId: 'e' })
    const interrupt = new AbortController()
    const taken = one.open().take(coin, interrupt.signal, () => {})
    taken.catch(() => {})
    await one.clock.advance(59_999)
    expect(asked).toBe(6)
    interrupt.abort(new Error('interrupted'))
    await expect(taken).rejects.toThrow('interrupted')
  })

  test('ends the wait with the error of a service that does not answer', async () => {
    const one = single(async () => Promise.reject(new SpritewrightError('SW_UNREACHABLE', { message: 'no answer' })))
    await one.open().take(hero, never, () => {})
    await one.open().keep(hero, { executionId: 'e' })
    await expect(one.open().take(coin, never, () => {})).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
  })

  test('is free if its file is damaged', async () => {
    const one = single(async () => state('running'))
    await one.open().take(hero, never, () => {})
    one.disk.files.set('/places/s0.g1', new TextEncoder().encode('{'))
    expect(await minutesUntilTaken(one)).toBe(0)
  })

  test('is that of the next process with the same submission', async () => {
    const one = single(async () => state('running'))
    expect([await one.open().take(hero, never, () => {}), await one.open().take(hero, never, () => {})]).toEqual(['taken', 'had'])
  })
})

test('a machine that slept for longer than its place lasts learns that it has none', async () => {
  const { open, clock } = single(async () => state('running'))
  const places = open()
  await places.take(hero, never, () => {})
  expect(await places.holds(hero.key)).toBe(true)
  await clock.advance(31 * minute)
  expect(await places.holds(hero.key)).toBe(false)
})

test('an execution that another machine has started gets a free place, and nothing if there is none', async () => {
  const one = single(async () => state('running'))
  await one.open().keep(hero, { executionId: 'e' })
  await one.open().keep(coin, { executionId: 'f' })
  expect([await one.open().holds(hero.key), await one.open().holds(coin.key)]).toEqual([true, false])
})

test('after a refusal other submissions are stopped for five minutes, and one that is sent again is not', async () => {
  const { open, clock } = single(async () => state('running'))
  await open().take(hero, never, () => {})
  await open().refused(hero, false, never)
  await open().leave(hero.key)
  await expect(open().take(coin, never, () => {})).rejects.toMatchObject({
    code: 'SW_REFUSED',
    facts: { id: 'coin.spin', reason: 'too_many_active_jobs', retryable: true },
  })
  expect(await open().take(hero, never, () => {})).toBe('taken')
  await open().leave(hero.key)
  await clock.advance(5 * minute + 1)
  expect(await open().take(coin, never, () => {})).toBe('taken')
})

test('a run that is interrupted after a refusal waits for no answer about other jobs, and stops nobody', async () => {
  const over = new AbortController()
  const { open } = single(
    (_id, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
        over.abort(new Error('interrupted'))
      }),
    2,
  )
  await open().keep(coin, { executionId: 'e' })
  await open().take(hero, never, () => {})
  await expect(open().refused(hero, false, over.signal)).rejects.toThrow('interrupted')
  await open().leave(hero.key)
  expect(await open().take(hero, never, () => {})).toBe('taken')
})

function refusal(status: number): SpritewrightError {
  return new SpritewrightError('SW_REFUSED', { message: 'refused', facts: { status } })
}
