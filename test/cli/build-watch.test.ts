import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type BuildTrace, watchBuilds } from '../../src/cli/commands/build/build-watch.ts'
import type { CommandContext } from '../../src/cli/context.ts'
import { type Failure, toFailures } from '../../src/cli/failure.ts'
import { SpritewrightError } from '../../src/errors.ts'
import type { WatchListeners } from '../../src/host/watch.ts'
import type { FileRole, Workshop } from '../../src/workshop.ts'
import { type CliProcess, createProject, heroSpec, runCli, startCli, type TestProject } from '../kit/project.ts'
import { createWorld } from './world.ts'

let project: TestProject | undefined
afterEach(() => project?.remove())

/** The output of a running CLI, as it comes. */
function listen({ child }: CliProcess): { said(words: string, times?: number): Promise<void>; count(words: string): number } {
  child.setMaxListeners(20)
  let text = ''
  let look = (): void => {}
  const hear = (part: Buffer): void => {
    text += part.toString()
    look()
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const count = (words: string): number => text.split(words).length - 1
  return {
    count,
    said: (words, times = 1) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (count(words) >= times) resolve()
        }
        child.once('close', () => reject(new Error(`Expected "${words}" ${times} times, found:\n${text}`)))
        look()
      }),
  }
}

/** A configuration as `init` writes it, in a project that has not installed the package. */
const configOf = (engine: string): string =>
  `import { defineConfig } from 'spritewright'\nexport default defineConfig({ service: 'embedded', engine: '${engine}' })\n`

test('build --watch builds again after a save, goes on after an error, buys what a person approves, and ends with 130', async () => {
  project = await createProject({ 'spritewright.config.mjs': configOf('pixi') })
  const { root, write } = project
  expect(await runCli(project, ['approve', '--yes'])).toMatchObject({ code: 0 })
  const cli = startCli(project, ['build', '--watch', '--out', 'out'])
  const { said, count } = listen(cli)
  const waiting = 'Waiting for changes'
  const pack = async (): Promise<string> => {
    const names = (await readdir(join(root, 'out'))).filter((name) => name.endsWith('.json'))
    return (await Promise.all(names.sort().map((name) => readFile(join(root, 'out', name), 'utf8')))).join('\n')
  }
  await said(waiting)
  expect(count('Bought hero.walk')).toBe(1)
  const first = await pack()
  // The embedded service has another port in every run: what is kept by its address would never be used again.
  expect(await readdir(join(root, '.state/spritewright'))).not.toContain('limits')

  await write('sprites/hero.sprite.json', heroSpec().replace('"prompt"', '"size": 32, "prompt"'))
  await said(waiting, 2)
  const second = await pack()
  expect(second).not.toBe(first)

  await write('sprites/hero.sprite.json', '{')
  await said(waiting, 3)
  await said('error SW_SPEC')
  expect(await pack()).toBe(second)

  // Without approval, the build fails and buys nothing. The approval leads to the purchase.
  await write('sprites/hero.sprite.json', heroSpec(['walk', 'idle']))
  await said(waiting, 4)
  await said('error SW_APPROVAL')
  expect(count('Bought hero.idle')).toBe(0)
  expect(await runCli(project, ['approve', '--yes'])).toMatchObject({ code: 0 })
  await said(waiting, 5)
  expect(count('Bought hero.idle')).toBe(1)
  expect(await pack()).toContain('hero/idle/0000')

  await write('spritewright.config.mjs', 'export default {')
  await said(waiting, 6)
  await said('error SW_CONFIG')
  await write('spritewright.config.mjs', configOf('phaser'))
  await said(waiting, 7)
  expect(await readdir(join(root, 'out'))).toContain('pack.json')

  cli.child.kill('SIGINT')
  expect(await cli.ended).toMatchObject({ code: 130 })
  // Each change led to one build. A file that a build writes leads to none.
  expect(count(waiting)).toBe(7)
})

/** A watch in this process; the test makes its builds. */
function watching(build: (run: number, change: (path: string) => void) => Promise<BuildTrace>) {
  const world = createWorld()
  const project = { approvals: ['a'], kept: '' }
  const roles: Readonly<Record<string, FileRole>> = {
    '/game/hero.png': 'source',
    '/game/out/page.png': 'source',
    '/game/sprites.lock.json': 'kept',
  }
  let listeners: WatchListeners | undefined
  let runs = 0
  let isClosed = false
  let waits = 0
  const told: string[] = []
  const calls: unknown[] = []
  const interrupt = new AbortController()
  const change = (path: string): void => listeners?.onChange(path)
  /** Called whenever the watch waits. The last call ends it. */
  const steps: (() => void)[] = []
  const context = {
    root: '/game',
    printer: {
      isJson: false,
      failures: (failures: readonly Failure[]) => {
        told.push(...failures.map(({ code }) => code))
        calls.push(['failures', failures.map(({ code }) => code)])
      },
      hint: (hint: { readonly text: string }) => {
        calls.push(hint)
        const { text } = hint
        if (!text.startsWith('Waiting')) return
        waits++
        const step = steps.shift() ?? (() => interrupt.abort())
        queueMicrotask(step)
      },
    },
    parts: {
      signal: interrupt.signal,
      host: { clock: { sleep: async (ms: number) => void calls.push(['sleep', ms]) } },
      watchFiles: async (folders: readonly string[], to: WatchListeners) => {
        calls.push(['watch', folders])
        listeners = to
        return {
          add: (paths: readonly string[]) => void calls.push(['add', paths]),
          addNames: (folder: string) => void calls.push(['names of', folder]),
          close: async () => {
            isClosed = true
          },
        }
      },
    },
  } as unknown as CommandContext
  const workshop = {
    files: {
      results: '/game/.spritewright/results',
      roleOf: (path: string) => roles[path],
      readKept: async () => project.kept,
      readApprovals: async () => new Set(project.approvals),
    },
  } as unknown as Workshop
  const run = (): Promise<number> =>
    watchBuilds(context, async (opened) => {
      await opened(workshop)
      return build(++runs, change)
    })
  return {
    world,
    project,
    steps,
    change,
    told,
    calls,
    run,
    fail: (error: Error) => listeners?.onError(error),
    interrupt: () => interrupt.abort(),
    runs: () => runs,
    waits: () => waits,
    isClosed: () => isClosed,
  }
}

const nothing: BuildTrace = { written: [], read: [], failures: [] }

test('a build that fails and has changed the lock file is not begun again by that', async () => {
  const watch = watching(async (run, change) => {
    watch.project.kept = `attempt ${run}`
    change('/game/sprites.lock.json')
    throw new SpritewrightError('SW_REFUSED', { message: 'Refused.' })
  })
  // The watcher is late.
  watch.steps.push(() => {
    watch.change('/game/sprites.lock.json')
    queueMicrotask(() => watch.change('/game/hero.png'))
  })
  expect(await watch.run()).toBe(130)
  expect(watch.runs()).toBe(2)
  expect(watch.isClosed()).toBe(true)
})

test('a build that left a placeholder for a failed purchase tells of that failure', async () => {
  const failures = toFailures(new SpritewrightError('SW_REFUSED', { message: 'Refused.' }))
  const watch = watching(async () => ({ written: [], read: [], failures }))
  expect(await watch.run()).toBe(130)
  expect(watch.told).toEqual(['SW_REFUSED'])
})

test('what a build writes, and what no sprite depends on, leads to no build', async () => {
  const watch = watching(async () => ({ written: ['/game/out/page.png'], read: [], failures: [] }))
  watch.steps.push(() => {
    for (const path of ['/game/out/page.png', '/game/notes.txt']) watch.change(path)
    watch.change('/game/hero.png')
  })
  expect(await watch.run()).toBe(130)
  expect(watch.runs()).toBe(2)
})

test('somebody who approves while a build runs is heard after it', async () => {
  const watch = watching(async (run) => {
    if (run === 1) watch.project.approvals.push('b')
    return nothing
  })
  expect(await watch.run()).toBe(130)
  expect([watch.runs(), watch.waits()]).toEqual([2, 1])
})

test('others who change the lock file between two builds lead to one', async () => {
  const watch = watching(async () => nothing)
  watch.steps.push(() => {
    watch.project.kept = 'pulled'
    watch.change('/game/sprites.lock.json')
  })
  expect(await watch.run()).toBe(130)
  expect(watch.runs()).toBe(2)
})

test('a watcher that fails ends the command with its error', async () => {
  const watch = watching(async () => nothing)
  watch.steps.push(() => watch.fail(new Error('No more watches.')))
  await expect(watch.run()).rejects.toThrow('No more watches.')
  expect(watch.isClosed()).toBe(true)
})

test('a watch looks at the project, the results and what is read outside, and says what it waits for and what has changed', async () => {
  const trace = { written: ['/game/out/page.png'], read: ['/game/hero.png', '/art/far.png'] }
  const watch = watching(async () => ({ ...trace, failures: toFailures(new SpritewrightError('SW_REFUSED', { message: 'Refused.' })) }))
  watch.steps.push(() => {
    watch.change('/game/notes.txt')
    watch.change('/game/hero.png')
  })
  expect(await watch.run()).toBe(130)
  const waiting = { style: 'dim', text: 'Waiting for changes. Ctrl-C ends it.' }
  const round = [['names of', '/game/.spritewright/results'], ['failures', ['SW_REFUSED']], ['add', ['/art/far.png']], waiting]
  const changed = { style: 'dim', text: 'hero.png has changed.' }
  expect(watch.calls).toEqual([['watch', ['/game']], ...round, ['sleep', 50], changed, ...round])
})

test('a change that comes while a build works is built after it', async () => {
  const watch = watching(async (run, change) => {
    if (run === 1) change('/game/hero.png')
    return nothing
  })
  watch.steps.push(() => {})
  expect(await watch.run()).toBe(130)
  expect([watch.runs(), watch.waits()]).toEqual([2, 2])
})

test('Ctrl-C during a build ends the watch with that; another failure of the build is told, and the watch ends with 130', async () => {
  const interrupted = new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' })
  for (const [thrown, told] of [
    [interrupted, []],
    [new AggregateError([interrupted, new SpritewrightError('SW_REFUSED', { message: 'x' })]), ['SW_INTERRUPTED', 'SW_REFUSED']],
  ] as const) {
    const watch = watching(async () => {
      watch.interrupt()
      throw thrown
    })
    const ended = await watch.run().catch((error: unknown) => error)
    expect([ended, watch.told, watch.isClosed()]).toEqual([thrown === interrupted ? interrupted : 130, told, true])
  }
})

test('--watch and --json do not go together', async () => {
  const world = createWorld()
  expect(await world.run('build', '--watch', '--json')).toBe(2)
  expect(world.json()).toMatchObject({ error: { code: 'SW_USAGE' } })
})
