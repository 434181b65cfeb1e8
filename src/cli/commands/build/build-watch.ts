import { relative } from 'node:path'
import { errorCodes } from '../../../errors.ts'
import { isInside } from '../../../host/real-path.ts'
import type { ProjectFiles, Workshop } from '../../../workshop.ts'
import { usageError } from '../../arguments.ts'
import type { CommandContext } from '../../context.ts'
import { exitCodeOf, type Failure, toFailures } from '../../failure.ts'
import { ink } from '../../view/ink.ts'

/** The files of one build, absolute. */
export interface BuildTrace {
  readonly written: readonly string[]
  /** Specs, pictures and frames touched up by hand, which may be outside of the project. */
  readonly read: readonly string[]
  /** Errors of purchases that did not prevent writing the files. */
  readonly failures: readonly Failure[]
}

/** Receives the project before it is built. */
export type OnOpened = (workshop: Workshop) => Promise<void>

/** Milliseconds without a change before a build begins. Editors and git write several files at once. */
const settleMs = 50

/**
 * Builds, and builds again when a file of the project changes, until Ctrl-C. Each build does the same as
 * `spritewright build` with the same options, so it buys no more. A failed build is reported, and the next change
 * starts the next build. If a person gives an approval during a build, another build starts at once. Other changes
 * of the lock file during a build, e.g. by `git pull`, are built with the next change.
 *
 * @returns The exit code of Ctrl-C.
 * @throws `SW_USAGE` with `--json`; `SW_INTERRUPTED` if Ctrl-C ends a build; errors of the watcher.
 */
export async function watchBuilds(context: CommandContext, buildOnce: (opened: OnOpened) => Promise<BuildTrace>): Promise<number> {
  const { parts, printer, root } = context
  if (printer.isJson) throw usageError('Expected --watch or --json, found both. Leave one out.')
  const changes = collectChanges(parts.signal)
  const watcher = await parts.watchFiles([root], { onChange: changes.add, onError: changes.fail })
  const written = new Set<string>()
  let files: ProjectFiles | undefined
  let kept: string | undefined
  /**
   * Builds once.
   *
   * @returns Whether a person gave an approval during this build, which may have missed it.
   */
  const build = async (): Promise<boolean> => {
    let before: ReadonlySet<string> | undefined
    try {
      const trace = await buildOnce(async (workshop) => {
        files = workshop.files
        before = await files.readApprovals().catch(() => undefined)
        watcher.addNames(files.results)
      })
      for (const path of trace.written) written.add(path)
      printer.failures(trace.failures)
      watcher.add(trace.read.filter((path) => !isInside(root, path)))
    } catch (error) {
      const failures = toFailures(error)
      if (parts.signal.aborted && exitCodeOf(failures) === errorCodes.SW_INTERRUPTED.exit) throw error
      printer.failures(failures)
    }
    kept = await files?.readKept().catch(() => undefined)
    const after = await files?.readApprovals().catch(() => undefined)
    return before !== undefined && after !== undefined && [...after].some((approval) => !before?.has(approval))
  }
  /**
   * Waits for a change that is not a build's own.
   *
   * @returns The path of a changed file. Undefined after Ctrl-C.
   */
  const nextChange = async (): Promise<string | undefined> => {
    while (await changes.arrive()) {
      await parts.host.clock.sleep(settleMs)
      const paths = changes.take().filter((path) => !written.has(path) && (files === undefined || files.roleOf(path) !== undefined))
      const source = paths.find((path) => files?.roleOf(path) !== 'kept')
      if (source !== undefined) return source
      // Every build writes the lock file and results, even a failed one. Those writes must not start another
      // build.
      if (paths[0] !== undefined && (await files?.readKept().catch(() => undefined)) !== kept) return paths[0]
    }
    return undefined
  }
  try {
    for (;;) {
      if (await build()) continue
      printer.hint(ink('dim', 'Waiting for changes. Ctrl-C ends it.'))
      const path = await nextChange()
      if (path === undefined) return errorCodes.SW_INTERRUPTED.exit
      printer.hint(ink('dim', `${relative(root, path)} has changed.`))
    }
  } finally {
    await watcher.close()
  }
}

/** Changed paths that no build has taken yet. */
interface Changes {
  add(path: string): void
  fail(error: Error): void
  take(): string[]
  /**
   * Resolves with true when a path has changed, or with false after an abort.
   *
   * @throws The error of the watcher.
   */
  arrive(): Promise<boolean>
}

function collectChanges(signal: AbortSignal): Changes {
  const paths = new Set<string>()
  let failure: Error | undefined
  let wake = (): void => {}
  signal.addEventListener('abort', () => wake(), { once: true })
  return {
    add: (path) => {
      paths.add(path)
      wake()
    },
    fail: (error) => {
      failure = error
      wake()
    },
    take: () => {
      const taken = [...paths]
      paths.clear()
      return taken
    },
    arrive: async () => {
      if (paths.size === 0 && failure === undefined && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (failure !== undefined) throw failure
      return !signal.aborted
    },
  }
}
