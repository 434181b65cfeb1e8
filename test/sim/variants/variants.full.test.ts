import { execFile } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle, type Patch, patchFiles } from '../bundle.ts'
import type { ExplorationName } from './explorations.ts'
import type { RunReport } from './run.ts'
import { variants } from './variants.ts'

/** How many variants are bundled and run at a time. Each end makes room for the next one. */
const atOnce = 2
const brokenCode = 3

/** The outcome of one version of the code. */
interface Result extends RunReport {
  readonly code: number | null
  /** The output of the process, for an unexpected failure. */
  readonly said: string
}

const results = new Map<string, Result>()

beforeAll(async () => {
  const known = new Set(variants.flatMap(({ where }) => where))
  // The longest work comes first: the unchanged code has nothing to stop at.
  const work = [{ name: 'the code as it is', patches: [], where: [...known] }, ...variants]
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < work.length; at = next++) {
      const { name, patches, where } = work[at] as (typeof work)[number]
      results.set(name, await runVariant(patches, where, `variant-${at}`))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
})

afterAll(() => {
  for (const { name } of variants) {
    const { broken, runs } = resultOf(name)
    console.log(`${name} · ${broken === undefined ? 'NOT CAUGHT' : `caught by ${broken}`} · after ${runs} runs`)
  }
})

async function runVariant(patches: readonly Patch[], where: readonly ExplorationName[], name: string): Promise<Result> {
  const { file, remove } = await bundle('sim/variants/run.ts', name, patches)
  const result = await new Promise<Result>((resolve) => {
    execFile(process.execPath, [file, ...where], { timeout: 200_000, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : null) : 0
      resolve({ code, said: `${stdout}${stderr}`, ...readReport(stdout) })
    })
  })
  await remove()
  return result
}

function readReport(stdout: string): RunReport {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as RunReport
  } catch {
    return { runs: 0 }
  }
}

function resultOf(name: string): Result {
  const result = results.get(name)
  if (!result) throw new Error(`"${name}" was not run.`)
  return result
}

describe('the simulator finds what is wrong', () => {
  test('the code as it is breaks no promise in any exploration in which a wrong variant is looked for', () => {
    const { code, said, runs } = resultOf('the code as it is')
    expect(said).toMatch(/^\{"runs":\d+\}\n$/)
    expect(code).toBe(0)
    expect(runs).toBeGreaterThan(500)
  })

  test.each(variants)('caught: $name ($breaks)', ({ name, breaks }) => {
    const { code, said, broken, story } = resultOf(name)
    expect(code, said).toBe(brokenCode)
    expect(broken, story).toBe(breaks)
    // A programming error in the variant would be caught too, and would prove nothing about the simulator.
    expect(story).not.toMatch(/TypeError|ReferenceError|SyntaxError|RangeError/)
  })

  test('a patch that does not fit the code any more is an error, and so is one that fits twice', () => {
    const patch = { file: 'src/credit/approval.ts', replace: '' }
    expect(() => patchFiles([{ ...patch, find: 'no such text' }])).toThrow('found it 0 times')
    expect(() => patchFiles([{ ...patch, find: 'return' }])).toThrow(/found it \d+ times/)
  })
})
