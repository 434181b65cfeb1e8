import { describe, expect, test } from 'vitest'
import { createPaint } from '../../src/cli/view/ink.ts'
import { applyProgress, emptyProgress, layProgress, type ProgressState } from '../../src/cli/view/progress.ts'
import type { JobProgress } from '../../src/workshop.ts'
import { toStyleWords } from './world.ts'

/** The state after these reports, one each second. */
function after(...news: readonly JobProgress[]): ProgressState {
  return news.reduce((state, one, index) => applyProgress(state, one, 1000 * index), emptyProgress)
}

/** The lines of this state two minutes after the first report, with their styles. */
function draw(state: ProgressState, columns = 120): string {
  return `\n${layProgress(state, 121_999, columns)
    .map((line) => toStyleWords(createPaint(true)(line)))
    .join('\n')}\n`
}

describe('the rows of progress', () => {
  test('have the colour, the bar, the time and the words of each phase', () => {
    const state = after(
      { id: 'a.checking', phase: 'checking', progress: 0.5 },
      { id: 'a.queued', phase: 'queued', progress: 0.5, message: 'third in line', held: 16_000n },
      { id: 'a.run', phase: 'running', progress: 0.29 },
      { id: 'a.running', phase: 'running', message: 'drawing' },
      { id: 'a.waiting', phase: 'waiting', progress: 0.9, message: 'the service is busy' },
      { id: 'a.download', phase: 'downloading', progress: 0.2, settled: 1n },
      { id: 'a.bought', phase: 'bought', progress: 0.2, settled: 16_000n, message: 'done' },
      { id: 'a.free', phase: 'bought', message: 'fetched again' },
      { id: 'a.failed', phase: 'failed', progress: 0.7, message: 'refused', settled: 5n },
    )
    expect(draw(state)).toMatchInlineSnapshot(`
      "
        a.checking  dim{░░░░░░░░░░░░░░░░░░░░}        cyan{checking   }dim{ 2:01}
        a.queued    dim{░░░░░░░░░░░░░░░░░░░░}        cyan{queued     }dim{ 2:00  third in line}
        a.run       cyan{██████}dim{░░░░░░░░░░░░░░}  29 %  cyan{running    }dim{ 1:59}
        a.running   dim{░░░░░░░░░░░░░░░░░░░░}        cyan{running    }dim{ 1:58  drawing}
        a.waiting   dim{░░░░░░░░░░░░░░░░░░░░}        yellow{waiting    }dim{ 1:57  the service is busy}
        a.download  cyan{████████████████████}        cyan{downloading}dim{ 1:56}
        a.bought    green{████████████████████}        green{bought     }dim{ 0:00  1.6 credits}
        a.free      green{████████████████████}        green{bought     }dim{ 0:00  fetched again}
        a.failed    dim{░░░░░░░░░░░░░░░░░░░░}        red{failed     }dim{ 0:00  refused}
      dim{  held }yellow{1.6}dim{ · settled }green{1.6006}dim{ credits · 2 of 9 bought}
      "
    `)
    expect(draw(after())).toMatchInlineSnapshot(`
      "
      dim{  held }dim{0}dim{ · settled }dim{0}dim{ credits · 0 of 0 bought}
      "
    `)
  })

  test('keep what is known until the phase changes, and the money until it is reported anew', () => {
    const first = after(
      { id: 'a.b', phase: 'running', progress: 0.5, message: 'drawing', held: 5n, settled: 2n },
      { id: 'c.d', phase: 'queued' },
      { id: 'a.b', phase: 'running' },
    )
    const bought = applyProgress(first, { id: 'a.b', phase: 'bought', held: 0n }, 9000)
    expect([first, bought]).toMatchInlineSnapshot(`
      [
        {
          "rows": [
            {
              "changedAt": 2000,
              "held": 5n,
              "id": "a.b",
              "message": "drawing",
              "phase": "running",
              "progress": 0.5,
              "settled": 2n,
              "startedAt": 0,
            },
            {
              "changedAt": 1000,
              "held": 0n,
              "id": "c.d",
              "message": undefined,
              "phase": "queued",
              "settled": 0n,
              "startedAt": 1000,
            },
          ],
        },
        {
          "rows": [
            {
              "changedAt": 9000,
              "held": 0n,
              "id": "a.b",
              "message": undefined,
              "phase": "bought",
              "settled": 2n,
              "startedAt": 0,
            },
            {
              "changedAt": 1000,
              "held": 0n,
              "id": "c.d",
              "message": undefined,
              "phase": "queued",
              "settled": 0n,
              "startedAt": 1000,
            },
          ],
        },
      ]
    `)
  })

  test.each([
    [Number.NaN, 0],
    [-1, 0],
    [0, 0],
    [0.4, 0.4],
    [1, 1],
    [1.5, 1],
  ])('count the share %d as %d', (progress, share) => {
    expect(after({ id: 'a.b', phase: 'running', progress }).rows[0]?.progress).toBe(share)
  })

  test.each([
    [1, 79],
    [2, 1],
    [30, 29],
    [80, 79],
  ])('on %d columns have at most %d characters', (columns, width) => {
    const lines = layProgress(after({ id: 'a.b', phase: 'running', message: 'x'.repeat(200) }), 0, columns).map(createPaint(false))
    expect([Math.max(...lines.map((line) => [...line].length)), lines[0]?.at(-1)]).toEqual([width, '…'])
  })

  test.each([
    [0, '0:00'],
    [999, '0:00'],
    [59_999, '0:59'],
    [60_000, '1:00'],
    [3_661_000, '61:01'],
  ])('show %d milliseconds as %s', (at, words) => {
    const [line = []] = layProgress(after({ id: 'a.b', phase: 'queued' }), at, 120)
    expect(createPaint(false)(line)).toMatch(new RegExp(` ${words}$`))
  })
})
