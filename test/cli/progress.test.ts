import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPaint } from '../../src/cli/view/ink.ts'
import { createPrinter } from '../../src/cli/view/printer.ts'
import { applyProgress, emptyProgress, layProgress, type ProgressState, sumProgress } from '../../src/cli/view/progress.ts'
import { createProgressDisplay } from '../../src/cli/view/progress-display.ts'
import type { Host } from '../../src/host/host.ts'
import type { JobProgress } from '../../src/job/order.ts'

const plain = createPaint(false)

/** The state after these news, each with its time in milliseconds. */
function tell(...news: readonly (readonly [number, JobProgress])[]): ProgressState {
  return news.reduce((state, [at, one]) => applyProgress(state, one, at), emptyProgress)
}

function draw(state: ProgressState, at: number, columns = 100): string[] {
  return layProgress(state, at, columns).map(plain)
}

describe('progress', () => {
  test('a bar for each execution, and a line with what is held and settled', () => {
    const state = tell(
      [0, { id: 'hero.walk', phase: 'queued', held: 24_000n }],
      [0, { id: 'coin.spin', phase: 'queued', held: 16_000n }],
      [1000, { id: 'hero.walk', phase: 'running', progress: 0.5, message: 'drawing' }],
      [65_000, { id: 'coin.spin', phase: 'bought', held: 0n, settled: 16_000n }],
    )
    expect(draw(state, 70_000)).toEqual([
      '  hero.walk  ██████████░░░░░░░░░░  50 %  running     1:10  drawing',
      '  coin.spin  ████████████████████        bought      1:05  1.6 credits',
      '  held 2.4 · settled 1.6 credits · 1 of 2 bought',
    ])
  })

  test('a bar never goes back while the phase lasts, and starts anew with the next', () => {
    const running = tell([0, { id: 'a.b', phase: 'running', progress: 0.6 }], [1, { id: 'a.b', phase: 'running', progress: 0.4 }])
    expect(running.rows[0]?.progress).toBe(0.6)
    const queued = applyProgress(running, { id: 'a.b', phase: 'queued' }, 2)
    expect(queued.rows[0]?.progress).toBeUndefined()
  })

  test('held stays what it was until something else is said', () => {
    const state = tell([0, { id: 'a.b', phase: 'queued', held: 24_000n }], [1, { id: 'a.b', phase: 'downloading' }])
    expect(sumProgress(state)).toEqual({ held: 24_000n, settled: 0n })
  })

  test('of many executions those at work are shown, the rest is counted', () => {
    const news = Array.from({ length: 30 }, (_, index): [number, JobProgress] => [
      0,
      { id: `s${index}.a`, phase: index < 25 ? 'bought' : 'running' },
    ])
    const lines = draw(tell(...news), 0)
    expect(lines).toHaveLength(14)
    for (const index of [25, 29]) expect(lines.join('\n')).toContain(`s${index}.a `)
    expect(lines.at(-2)).toBe('  and 18 more')
  })

  test.each([
    [5, 25, 7],
    [12, 3, 0],
    [20, 3, 0],
    [0, 14, 12],
  ])('beside %i executions at work, of %i ended ones the last %i are shown', (atWork, ended, shown) => {
    const of = (count: number, name: string, phase: JobProgress['phase']) =>
      Array.from({ length: count }, (_, index): [number, JobProgress] => [0, { id: `${name}${index}.a`, phase }])
    const text = draw(tell(...of(ended, 'old', 'bought'), ...of(atWork, 'new', 'running')), 0).join('\n')
    const last = Array.from({ length: shown }, (_, index) => `old${ended - shown + index}.a`)
    expect(text.match(/old\d+\.a/g) ?? []).toEqual(last)
    expect(text.match(/new\d+\.a/g) ?? []).toHaveLength(Math.min(12, atWork))
  })

  test.each<[string, readonly (readonly [number, JobProgress])[], string]>([
    ['is not full before it is', [[0, { id: 'a.b', phase: 'running', progress: 0.999 }]], '99 %  running     0:09'],
    [
      'keeps its words while the phase lasts',
      [
        [0, { id: 'a.b', phase: 'waiting', message: 'full' }],
        [1, { id: 'a.b', phase: 'waiting' }],
      ],
      '0:09  full',
    ],
    [
      'has no words of the phase before',
      [
        [0, { id: 'a.b', phase: 'waiting', message: 'full' }],
        [1, { id: 'a.b', phase: 'queued' }],
      ],
      '0:09',
    ],
    [
      'stands still at its end',
      [
        [0, { id: 'a.b', phase: 'queued' }],
        [2000, { id: 'a.b', phase: 'failed', message: 'refused' }],
      ],
      '0:02  refused',
    ],
  ])('a bar %s', (_, news, end) => {
    const [line = ''] = draw(tell(...news), 9000)
    expect(line).toMatch(new RegExp(`${end}$`))
  })

  test('a terminal of unknown width counts as one of 80 columns', () => {
    const [line = ''] = draw(tell([0, { id: 'a.b', phase: 'running', message: 'x'.repeat(200) }]), 0, 0)
    expect([line.length, line.at(-1)]).toEqual([79, '…'])
  })

  test('law: whatever is told, no line is wider than the terminal, and none holds an escape', () => {
    const phases = fc.constantFrom<JobProgress['phase']>('checking', 'queued', 'running', 'waiting', 'downloading', 'bought', 'failed')
    const news = fc.record({
      id: fc.constantFrom('a.b', 'hero.walk'),
      phase: phases,
      progress: fc.double(),
      message: fc.string({ unit: 'binary' }),
    })
    fc.assert(
      fc.property(fc.array(news), fc.integer({ min: 2, max: 120 }), (told, columns) => {
        for (const line of draw(tell(...told.map((one): [number, JobProgress] => [0, one])), 0, columns)) {
          expect([...line].length).toBeLessThan(columns)
          expect(line).not.toContain('\x1b')
        }
      }),
    )
  })
})

describe('the display', () => {
  function createDisplay(isInteractive: boolean) {
    let texts: string[] = []
    const terminal = {
      write: () => {},
      note: (more: string) => void texts.push(more),
      isOutputTerminal: false,
      isInteractive,
      canAsk: false,
      columns: 80,
    }
    const clock = { wall: () => 0, mono: () => now, sleep: (ms: number, signal?: AbortSignal) => sleep(ms, signal) }
    let now = 0
    let wake = (): void => {}
    const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        wake = () => {
          now += ms
          resolve()
        }
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    const printer = createPrinter({
      terminal,
      isJson: false,
      isQuiet: false,
      hasColor: false,
      hasNoteColor: false,
      folder: '/game',
      place: '',
    })
    const display = createProgressDisplay({ terminal, clock } as unknown as Host, printer)
    const take = (): string => {
      const taken = texts.join('')
      texts = []
      return taken
    }
    return { display, printer, take, wake: () => wake() }
  }

  test('draws over its own lines, moves the seconds on, and lets the last picture stand', async () => {
    const { display, take, wake } = createDisplay(true)
    display.listener({ id: 'a.b', phase: 'running' })
    expect(take()).toMatch(/^ {2}a\.b .*running {5}0:00\n {2}held 0 .*\n$/)
    for (let tick = 0; tick < 4; tick++) {
      wake()
      await Promise.resolve()
      await Promise.resolve()
    }
    const frames = take().split('\x1b[2A\x1b[0J')
    expect(frames).toHaveLength(5)
    expect(frames.at(-1)).toContain('0:01')
    display.stop()
    expect(take()).toContain('\x1b[2A\x1b[0J')
    display.stop()
    display.listener({ id: 'a.b', phase: 'bought' })
    expect(take()).toBe('')
  })

  test('shows an end at once, however short the last picture stands, and other news only after a while', () => {
    const { display, take } = createDisplay(true)
    display.listener({ id: 'a.b', phase: 'queued' })
    take()
    display.listener({ id: 'a.b', phase: 'running' })
    expect(take()).toBe('')
    display.listener({ id: 'a.b', phase: 'bought' })
    expect(take()).toContain('1 of 1 bought')
    display.stop()
  })

  test('a text in between takes the lines away once, and they come back below it', () => {
    const { display, printer, take } = createDisplay(true)
    display.listener({ id: 'a.b', phase: 'queued' })
    take()
    printer.uncover()
    expect(take()).toBe('\x1b[2A\x1b[0J')
    display.listener({ id: 'a.b', phase: 'failed' })
    expect(take()).not.toContain('\x1b[2A')
    display.stop()
  })

  test('without a terminal there is a line for each change', () => {
    const { display, take } = createDisplay(false)
    display.listener({ id: 'a.b', phase: 'waiting', message: 'limit of the service' })
    display.listener({ id: 'a.b', phase: 'waiting', message: 'limit of the service' })
    display.listener({ id: 'a.b', phase: 'running', held: 24_000n })
    display.listener({ id: 'a.b', phase: 'running', progress: 0.5, held: 24_000n })
    display.listener({ id: 'a.b', phase: 'failed', message: 'refused' })
    display.stop()
    display.listener({ id: 'a.b', phase: 'queued' })
    expect(take()).toBe('  a.b: waits: limit of the service.\n  a.b: is being drawn, 2.4 credits held.\n')
  })
})
