import { execFile } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { patienceMs } from '../kit/patience.ts'
import { bundle } from '../sim/bundle.ts'
import { mutants } from './mutants.ts'

/** How many mutants are bundled and run at a time. */
const atOnce = 2
const brokenCode = 3

interface Result {
  readonly code: number | null
  readonly said: string
}

const results = new Map<string, Result>()

beforeAll(async () => {
  const work = [{ name: 'the code as it is', patches: [] }, ...mutants]
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < work.length; at = next++) {
      const { name, patches } = work[at] as (typeof work)[number]
      const { file, remove } = await bundle('security/scene-run.ts', `mutant-${at}`, patches)
      results.set(name, await run(file))
      await remove()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}, 300_000)

function run(path: string): Promise<Result> {
  return new Promise((resolve) => {
    execFile(process.execPath, [path], { timeout: 3 * patienceMs }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : null) : 0
      resolve({ code, said: `${stdout}${stderr}` })
    })
  })
}

describe('I11: each check of trust is missed where it is left out', () => {
  test('the code as it is breaks no promise', () => {
    expect(results.get('the code as it is')).toEqual({ code: 0, said: '' })
  })

  test.each(mutants.map(({ name }) => name))('caught: %s', (name) => {
    const { code, said } = results.get(name) ?? { code: null, said: 'not run' }
    expect(code, said).toBe(brokenCode)
  })
})
