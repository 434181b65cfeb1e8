import { join, relative, resolve } from 'node:path'
import type { Host } from '../../host/host.ts'
import { replaceFile } from '../../host/publish.ts'
import { count } from '../../project/states.ts'
import type { FrameFile } from '../../workshop.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { printFlags } from '../view/frames.ts'
import { ink } from '../view/ink.ts'
import type { Printer } from '../view/printer.ts'

/** The default folder of review pictures. They can be drawn again. */
const defaultFolder = join('node_modules', '.cache', 'spritewright', 'review')

/**
 * `spritewright review NAME`: draws the bought frames in one picture, with flagged frames marked. The service
 * is not asked.
 */
export async function review({ parts, printer, root, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const [name, ...others] = args.names
  if (name === undefined || others.length > 0) {
    const found = name === undefined ? 'none' : args.names.length
    const message = `Expected one name of a sprite, an animation or a picture, as in "npx spritewright review hero.walk", found ${found}.`
    throw usageError(message, { names: args.names })
  }
  const frames = args.text('frames')
  const { report, originals } = await withWorkshop(async (workshop) => ({
    report: await workshop.review(name),
    originals: frames === undefined ? [] : await workshop.originals(name),
  }))
  const file = resolve(root, args.text('out') ?? join(defaultFolder, `${name}.png`))
  await replaceFile(parts.host.disk, parts.host.random, file, report.picture)
  const written = frames === undefined ? undefined : await writeNew(parts.host, resolve(root, frames), originals)
  const { animations, missing, warnings } = report
  printer.report({ name, file, animations, missing, warnings, frames: written })
  printer.line(
    ink('green', '✓'),
    ' Contact sheet of ',
    ink('bold', animations.map(({ id }) => id).join(', ')),
    `: ${relative(root, file) || file}`,
  )
  if (written !== undefined) tellWritten(printer, written, originals.length, relative(root, resolve(root, frames ?? '')) || '.')
  printFlags(printer, animations)
  const flagged = animations.filter(({ flags }) => flags.length > 0).length
  printer.line()
  printer.line(flagged === 0 ? 'No frame is suspicious.' : `${count(flagged, 'animation')} with suspicious frames, marked red.`)
  if (missing.length > 0) printer.hint(`Not bought, and not shown: ${missing.join(', ')}`)
  if (flagged > 0)
    printer.hint(
      'Drop frames with ',
      ink('bold', '"use"'),
      ', move slipped frames back with ',
      ink('bold', '"stabilize": true'),
      ', both free of charge; "take" buys another result.',
    )
  return 0
}

/**
 * Writes files that do not exist yet. An existing file may have been edited, so it stays.
 *
 * @returns The paths of the written files.
 */
async function writeNew({ disk, random }: Host, folder: string, files: readonly FrameFile[]): Promise<readonly string[]> {
  const written: string[] = []
  for (const { file, bytes } of files) {
    const path = join(folder, file)
    if (await disk.stat(path)) continue
    await replaceFile(disk, random, path, bytes)
    written.push(path)
  }
  return written
}

function tellWritten(printer: Printer, written: readonly string[], all: number, folder: string): void {
  const left = all - written.length
  printer.line(
    ink('green', '✓'),
    ` ${count(written.length, 'frame')} as delivered in `,
    ink('bold', folder),
    left === 0 ? '' : `; ${left} that existed are unchanged`,
  )
  printer.hint('Put touched-up frames into ', ink('bold', 'NAME.frames/'), ' beside the spec. They then replace the bought frames.')
}
