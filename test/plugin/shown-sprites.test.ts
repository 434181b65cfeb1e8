import { expect, test } from 'vitest'
import { createShownSprites, type PreviewChange, type ShownSprites } from '../../plugin/dev/shown-sprites.ts'
import type { Preview } from '../../src/index.ts'

/** Sprites of a project of this many specs, with the number of sprites of each read. */
function world(count: number): { readonly shown: ShownSprites; readonly reads: readonly number[] } {
  const specs = Array.from({ length: count }, (_, index) => ({ name: `sprite${index}` })) as unknown as Preview['specs']
  const reads: number[] = []
  const read = async (_changed: unknown, wanted?: ReadonlySet<string>): Promise<Preview> => {
    reads.push(wanted?.size ?? count)
    return { specs, sheets: { sprites: [], atlases: [] }, errors: [] }
  }
  return { shown: createShownSprites(read, async () => {}), reads }
}

async function callsUntilComplete({ shown }: ReturnType<typeof world>): Promise<number> {
  for (let calls = 1; ; calls++) if ((await shown.withMore()).isComplete) return calls
}

test.each([
  [0, 1],
  [16, 1],
  [17, 2],
  [1600, 100],
  [1601, 95],
  [10_000, 100],
])('the panel has all of %i sprites after %i calls, and each call adds few', async (count, calls) => {
  const project = world(count)
  expect(await callsUntilComplete(project)).toBe(calls)
  const added = project.reads.map((size, at) => size - (project.reads[at - 1] ?? 0))
  expect(Math.max(...added)).toBeLessThanOrEqual(Math.max(16, Math.ceil(count / 100)))
})

test('each read has the changes since the last one that succeeded, and is seen with the preview before it', async () => {
  const reads: unknown[] = []
  const seen: PreviewChange[] = []
  let isBroken = false
  const read = async (changed: readonly string[] | undefined, wanted?: ReadonlySet<string>): Promise<Preview> => {
    reads.push([changed, wanted && [...wanted]])
    if (isBroken) throw new Error('broken')
    return { specs: [], sheets: { sprites: [], atlases: [] }, errors: [] }
  }
  const shown = createShownSprites(read, async (change) => void seen.push(change))
  const [first, same] = await Promise.all([shown.with(['ant']), shown.with(['bee'])])
  expect(same).toBe(first)
  expect(await shown.with(['ant'])).toBe(first)
  const second = await shown.change(['/a'])
  isBroken = true
  await expect(shown.change(['/b'])).rejects.toThrow('broken')
  isBroken = false
  const third = await shown.change(['/c'])
  const fourth = await shown.with(['cat'])
  expect(await shown.with('all')).toBe(shown.newest())
  const names = ['ant', 'bee']
  expect(reads).toEqual([
    [undefined, names],
    [['/a'], names],
    [['/b'], names],
    [undefined, names],
    [[], [...names, 'cat']],
    [[], undefined],
  ])
  expect(seen.map(({ isChange }) => isChange)).toEqual([true, true, true, false, false])
  expect(seen.map(({ before }) => before)).toEqual([undefined, first, second, third, fourth])
  await shown.idle()
})

test('a project is idle when the last read has ended, also one that was asked for meanwhile', async () => {
  const ends: (() => void)[] = []
  const read = (): Promise<Preview> =>
    new Promise((resolve) => ends.push(() => resolve({ specs: [], sheets: { sprites: [], atlases: [] }, errors: [] })))
  const shown = createShownSprites(read, async () => {})
  void shown.change(['/a'])
  let isIdle = false
  const idle = shown.idle().then(() => {
    isIdle = true
  })
  await new Promise(setImmediate)
  void shown.change(['/b'])
  expect(isIdle).toBe(false)
  ends[0]?.()
  await new Promise(setImmediate)
  expect([ends.length, isIdle]).toEqual([2, false])
  ends[1]?.()
  await idle
})
