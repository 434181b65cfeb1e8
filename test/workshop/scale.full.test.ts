import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countCalls } from '../kit/call-counts.ts'
import { editEveryTenth, makeManySprites, manySpritesEnv } from '../kit/many-sprites.ts'
import { cliBin, runCli } from '../kit/project.ts'

/** Two projects. What grows with the square of the sprites grows a hundredfold from one to the other. */
const [few, many] = [40, 400] as const
/** Sorting takes 10 × log 400 ÷ log 40 = 16 times as many comparisons. */
const mostGrowth = 25
/**
 * Smaller counts are not compared: some work begins only in a larger project, such as that for the dark pixels of a
 * few figures. What meets in pairs has at least 200 × many.
 */
const leastCount = 50 * many

const roots = new Map<number, string>()
beforeAll(async () => {
  for (const sprites of [few, many]) {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-many-')))
    roots.set(sprites, root)
    await makeManySprites(root, sprites)
    const built = await runCli({ root } as Parameters<typeof runCli>[0], ['build'], manySpritesEnv(root))
    expect(built.code, built.stderr).toBe(0)
  }
})
afterAll(async () => {
  for (const root of roots.values()) for (const folder of [root, `${root}.state`]) await rm(folder, { recursive: true, force: true })
})

const server = join(import.meta.dirname, '../../bench/scale-server.mjs')

test.each([
  ['a plan', 'as bought', cliBin, ['plan', '--json']],
  ['a status', 'a tenth edited', cliBin, ['status', '--json']],
  ['a warm build', 'as bought', cliBin, ['build']],
  ['a ledger', 'as bought', cliBin, ['ledger', '--json']],
  ['a dev server with its panel', 'a tenth edited', server, []],
])('%s, %s: ten times as many sprites are ten times the work, not a hundred times', async (_name, how, script, args) => {
  const run = async (sprites: number): Promise<Awaited<ReturnType<typeof countCalls>>> => {
    const root = roots.get(sprites) as string
    editEveryTenth(root, sprites, how === 'a tenth edited')
    return countCalls(script, args, root, { ...manySpritesEnv(root), SCALE_UPDATES: '2' })
  }
  const [small, large] = [await run(few), await run(many)]
  expect(Math.max(...small.counts.values())).toBeGreaterThan(few)
  const grown = [...large.counts].filter(([name, count]) => count > leastCount && count > mostGrowth * (small.counts.get(name) ?? 0))
  expect(grown).toEqual([])
  expect(bytesOf(large.stdout)).toBeLessThan(11 * bytesOf(small.stdout))
})

/** Size of the JSON that a command prints, or of the panel's first state. */
function bytesOf(stdout: string): number {
  return Number(/"panel, first state".*"bytes":(\d+)/.exec(stdout)?.[1] ?? stdout.length)
}
