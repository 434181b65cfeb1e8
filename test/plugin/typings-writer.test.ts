import { expect, test } from 'vitest'
import { createTypingsWriter } from '../../plugin/dev/typings.ts'
import type { Preview } from '../../src/index.ts'

/** A project with this many specs, without any sprite. */
function projectOf(count: number): Preview {
  const specs = Array.from({ length: count }, (_, index) => ({ name: `sprite${index}`, file: `/game/sprite${index}.sprite.json` }))
  return { specs, sheets: { sprites: [], atlases: [] }, errors: [] } as unknown as Preview
}

test('of very many whose typings could not be written, all are written with those that are due next', async ({ signal }) => {
  const [told, written] = [[] as unknown[], new Set<string>()]
  let isFull = true
  const writeTypings = async (specs: Preview['specs'] = []): Promise<readonly string[]> => {
    if (isFull) throw new Error('full')
    for (const { name } of specs) written.add(name)
    return []
  }
  const writer = createTypingsWriter({ writeTypings }, (error) => told.push(error))
  const now = projectOf(200)
  await writer.write({ now, before: undefined, isChange: true })
  while (told.length === 0 && !signal.aborted) await new Promise(setImmediate)
  isFull = false
  await writer.write({ now, before: now, isChange: true })
  while (written.size < 200 && !signal.aborted) await new Promise(setImmediate)
  await writer.close()
  expect(told).toEqual([new Error('full')])
})

test('a spec that is gone has the typings of one neighbour written, and one that could not be written is written next time', async () => {
  const written: (readonly string[])[] = []
  let isFull = false
  const writeTypings = async (specs: Preview['specs'] = []): Promise<readonly string[]> => {
    if (isFull) throw new Error('full')
    written.push(specs.map(({ name }) => name))
    return []
  }
  const writer = createTypingsWriter({ writeTypings }, () => {})
  const [first, second, third] = projectOf(3).specs
  const only = (...specs: readonly unknown[]): Preview => ({ ...projectOf(0), specs }) as unknown as Preview
  const all = only(first, second, third)
  await writer.write({ now: all, before: undefined, isChange: true })
  await writer.write({ now: all, before: all, isChange: true })
  await writer.write({ now: only(second, third), before: all, isChange: true })
  isFull = true
  const changed = only({ ...second }, third)
  await expect(writer.write({ now: changed, before: only(second, third), isChange: true })).rejects.toThrow('full')
  isFull = false
  await writer.write({ now: changed, before: changed, isChange: true })
  await writer.close()
  expect(written).toEqual([['sprite0', 'sprite1', 'sprite2'], ['sprite1'], ['sprite1']])
})

test.each([
  [1, 1],
  [200, 64],
])('of %i specs the write that runs is waited for at the end, and no more than %i are written', async (count, few) => {
  const runs: { readonly count: number; end(): void }[] = []
  const writeTypings = (specs: Preview['specs'] = []): Promise<readonly string[]> =>
    new Promise((resolve) => runs.push({ count: specs.length, end: () => resolve([]) }))
  const writer = createTypingsWriter({ writeTypings }, () => {})
  const writing = writer.write({ now: projectOf(count), before: undefined, isChange: true })
  await new Promise(setImmediate)
  let isClosed = false
  const closing = writer.close().then(() => {
    isClosed = true
  })
  await new Promise(setImmediate)
  expect([runs.map((run) => run.count), isClosed]).toEqual([[few], false])
  runs[0]?.end()
  // A write that would follow never ends.
  await Promise.all([writing, new Promise(setImmediate)])
  expect(runs).toHaveLength(1)
  await closing
})

test('of many, those that a page gets are written before it gets them, and the others after them in the order of the specs', async () => {
  const written: (readonly string[])[] = []
  const writeTypings = async (specs: Preview['specs'] = []): Promise<readonly string[]> => {
    written.push(specs.map(({ name }) => name))
    return []
  }
  const writer = createTypingsWriter({ writeTypings }, () => {})
  const all = projectOf(200)
  const made = { ...all, sheets: { sprites: [{ name: 'sprite150' }, { name: 'sprite10' }], atlases: [] } } as unknown as Preview
  await writer.write({ now: made, before: undefined, isChange: true })
  expect(written[0]).toEqual(['sprite10', 'sprite150'])
  while (written.flat().length < 200) await new Promise(setImmediate)
  await writer.close()
  expect(written.map(({ length }) => length)).toEqual([2, 64, 64, 64, 6])
  const others = all.specs.map(({ name }) => name).filter((name) => !written[0]?.includes(name))
  expect(written.slice(1).flat()).toEqual(others)
})

test('a spec that changes while many are written is written once, as it is now', async () => {
  const written: Preview['specs'][number][] = []
  const ends: (() => void)[] = []
  const writeTypings = async (specs: Preview['specs'] = []): Promise<readonly string[]> => {
    await new Promise<void>((resolve) => ends.push(resolve))
    written.push(...specs)
    return []
  }
  const writer = createTypingsWriter({ writeTypings }, () => {})
  const before = projectOf(200)
  await writer.write({ now: before, before: undefined, isChange: true })
  while (ends.length === 0) await new Promise(setImmediate)
  const changed = { ...before.specs[100]! }
  const now = { ...before, specs: before.specs.map((spec, at) => (at === 100 ? changed : spec)) }
  const writing = writer.write({ now, before, isChange: true })
  while (written.length < 200) {
    for (const end of ends.splice(0)) end()
    await new Promise(setImmediate)
  }
  await writing
  await writer.close()
  expect(written.filter(({ name }) => name === 'sprite100')).toEqual([changed])
  expect(written.find(({ name }) => name === 'sprite100')).toBe(changed)
  expect(new Set(written).size).toBe(200)
})
