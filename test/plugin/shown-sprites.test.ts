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

test('a sprite is read when it is first asked for, beside others too, and nothing is read again', async () => {
  const { shown, reads } = world(20)
  await shown.with(['sprite0'])
  await shown.with(['sprite0', 'sprite1'])
  await shown.with(['sprite1', 'sprite0'])
  const { preview, isComplete } = await shown.withMore(['sprite19'])
  expect([preview, isComplete, reads]).toEqual([shown.newest(), false, [1, 2, 19]])
  await shown.with('all')
  await shown.with(['sprite18'])
  expect([(await shown.withMore(['new'])).isComplete, reads]).toEqual([true, [1, 2, 19, 20]])
})

test('after a read that failed, whoever asks next has all read anew', async () => {
  const reads: unknown[] = []
  const read = async (changed: readonly string[] | undefined): Promise<Preview> => {
    reads.push(changed)
    if (changed?.length === 1) throw new Error('broken')
    return { specs: [], sheets: { sprites: [], atlases: [] }, errors: [] }
  }
  const shown = createShownSprites(read, async () => {})
  const first = await shown.with(['ant'])
  await expect(shown.change(['/b'])).rejects.toThrow('broken')
  expect(await shown.with(['ant'])).not.toBe(first)
  expect(reads).toEqual([undefined, ['/b'], undefined])
})

test('a preview is out when it has been seen, and who asks during a change gets the one after it', async () => {
  const events: string[] = []
  let reads = 0
  const read = async (): Promise<Preview> => ({ specs: [], sheets: { sprites: [], atlases: [] }, errors: [], read: ++reads }) as never
  const see = async (): Promise<void> => {
    await new Promise(setImmediate)
    events.push(`seen ${reads}`)
  }
  const shown = createShownSprites(read, see)
  await shown.with(['ant']).then(() => events.push('out 1'))
  const changed = shown.change(['/a'])
  expect(await shown.with(['ant'])).toBe(await changed)
  expect([events, reads]).toEqual([['seen 1', 'out 1', 'seen 2'], 2])
})
