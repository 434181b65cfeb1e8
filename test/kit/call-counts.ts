import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The output of a process, and how often each part of the product's code ran in it. */
export interface CountedRun {
  readonly stdout: string
  /** Runs of each function, and of each block in it, by `file function@offset`. */
  readonly counts: ReadonlyMap<string, number>
}

/** The part of V8's coverage that is read here. */
interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
    }[]
  }[]
}

/**
 * Runs a script in a process that counts calls. V8 counts from its start, so that no optimised code escapes, and
 * the counts are the same on a busy machine.
 */
export async function countCalls(
  script: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<CountedRun> {
  const folder = await mkdtemp(join(tmpdir(), 'spritewright-counts-'))
  try {
    const { PATH = '', HOME = '' } = process.env
    const child = spawn(process.execPath, [script, ...args], { cwd, env: { PATH, HOME, ...env, NODE_V8_COVERAGE: folder } })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (part: Buffer) => out.push(part))
    child.stderr.on('data', (part: Buffer) => err.push(part))
    const code = await new Promise((resolve) => child.on('close', resolve))
    if (code !== 0) throw new Error(`${script} ${args.join(' ')} ended with ${code}: ${Buffer.concat(err)}`)
    const counts = new Map<string, number>()
    for (const name of await readdir(folder)) {
      const { result } = JSON.parse(await readFile(join(folder, name), 'utf8')) as Coverage
      for (const { url, functions } of result.filter((one) => one.url.includes('/dist/') && !one.url.includes('/node_modules/')))
        for (const { functionName, ranges } of functions)
          for (const { startOffset, count } of ranges)
            counts.set(`${url.slice(url.lastIndexOf('/') + 1)} ${functionName}@${startOffset}`, count)
    }
    return { stdout: Buffer.concat(out).toString(), counts }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
