import { expect, test } from 'vitest'
import { createShownSprites, type ShownSprites } from '../../plugin/dev/shown-sprites.ts'
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
