import { join, relative, resolve } from 'node:path'
import { creditsWords, sumCredits } from '../../../credit/credits.ts'
import { SpritewrightError } from '../../../errors.ts'
import type { Host } from '../../../host/host.ts'
import { replaceFile } from '../../../host/publish.ts'
import { hasVitePlugin } from '../../../options/vite-configs.ts'
import { count } from '../../../project/states.ts'
import { animationId } from '../../../sprite-spec/request.ts'
import type { AnimationQuality, BuildReport, BuiltPage, BuiltSheets, Workshop } from '../../../workshop.ts'
import { type CommandArgs, usageError } from '../../arguments.ts'
import type { CommandContext } from '../../context.ts'
import { exitCodeOf, toFailures } from '../../failure.ts'
import { isProjectFolder } from '../../project-root.ts'
import { refreshTypings } from '../../typings.ts'
import { disclosureForms, isDisclosure, originFailure } from '../../view/disclosure.ts'
import { printFlags } from '../../view/frames.ts'
import { ink } from '../../view/ink.ts'
import { tellMake } from '../../view/next.ts'
import { printNoSpec } from '../../view/plan.ts'
import type { Printer } from '../../view/printer.ts'
import { sumProgress } from '../../view/progress.ts'
import { createProgressDisplay, type ProgressDisplay } from '../../view/progress-display.ts'
import { right } from '../../view/table.ts'
import { type BuildTrace, type OnOpened, watchBuilds } from './build-watch.ts'

/** The default output folder. Vite and most static servers publish it unchanged. */
export const defaultOut: string = 'public/sprites'

/**
 * `spritewright build`: buys approved sprites, makes the atlases and writes them. With `--watch`, again and
 * again.
 */
export async function build(context: CommandContext, args: CommandArgs): Promise<number> {
  if (args.flag('buy-only') && args.text('out') !== undefined) {
    throw usageError('Expected --out or --buy-only, found both: --buy-only writes no atlas. Leave one out.')
  }
  const file = args.text('disclose')
  if (file !== undefined && (args.flag('buy-only') || args.flag('watch') || !disclosureForms.has(formOf(file))))
    throw usageError(
      `Expected --disclose with a file that ends in .csv, .json or .txt, without --buy-only and --watch, found ${JSON.stringify(file)}.`,
    )
  if (file !== undefined) await checkReplaceable(context.parts.host, resolve(context.root, file))
  if (args.flag('watch')) return watchBuilds(context, (opened) => buildOnce(context, args, opened))
  const { failures } = await buildOnce(context, args)
  if (failures.length === 0) return 0
  context.printer.failures(failures)
  return exitCodeOf(failures)
}

/**
 * Builds the project once and prints the result.
 *
 * @param opened Receives the project before anything is built.
 * @returns The written files, and the errors of failed purchases, which a placeholder replaces.
 */
async function buildOnce(
  { printer, parts, root, withWorkshop }: CommandContext,
  args: CommandArgs,
  opened: OnOpened = async () => {},
): Promise<BuildTrace> {
  const isBuyOnly = args.flag('buy-only')
  const out = resolve(root, args.text('out') ?? defaultOut)
  const display = createProgressDisplay(parts.host, printer)
  // An abort makes open requests fail. These errors are no failures: executions continue at the service.
  const tellStop = (): void => {
    display.stop()
    tellInterrupted(printer, display)
  }
  parts.signal.addEventListener('abort', tellStop, { once: true })
  try {
    return await withWorkshop(async (workshop) => {
      await opened(workshop)
      await refreshTypings({ parts, printer, root }, workshop)
      const report = await workshop.build({
        names: args.names,
        frozen: args.flag('frozen'),
        buyOnly: isBuyOnly,
        onProgress: display.listener,
        signal: parts.signal,
      })
      display.stop()
      // Nothing is written into a folder without sprites that is no project.
      const isProject = report.sheets.sprites.length > 0 || (await isProjectFolder(parts.host, root))
      const written = isBuyOnly || !isProject ? [] : await workshop.write(report.sheets, out)
      tellBuilt(printer, { workshop, report, written, out: isBuyOnly ? undefined : out, root })
      if (!isProject && isBuyOnly) printNoSpec(printer, workshop.options)
      else if (isBuyOnly) await tellMake(printer, parts.host, root, '')
      else if (args.text('out') === undefined && (await hasVitePlugin(parts.host.disk, root))) tellSecondCopy(printer)
      else if (report.sheets.sprites.length > 0) tellPacks(printer, written, relative(root, out) || '.')
      const origins = args.text('disclose')
      const undisclosed = origins === undefined ? [] : await writeDisclosure(parts.host, workshop, resolve(root, origins), out)
      const read = report.sheets.sprites.flatMap(({ file, picture = [], overridePaths = [] }) => [file, ...overridePaths].concat(picture))
      return { written: written.map((name) => join(out, name)), read, failures: [...report.failures, ...undisclosed].flatMap(toFailures) }
    })
  } catch (error) {
    // An interrupted build ends with the exit code of the interruption, whatever error the abort caused.
    throw parts.signal.aborted && !hasOtherReason(error)
      ? new SpritewrightError('SW_INTERRUPTED', { message: interruptedWords, cause: error })
      : error
  } finally {
    parts.signal.removeEventListener('abort', tellStop)
    display.stop()
  }
}

const formOf = (file: string): string => file.split('.').at(-1) ?? ''

/** A wrong name must not cost a lock file or a spec. */
async function checkReplaceable({ disk }: Host, file: string): Promise<void> {
  const found = await disk.stat(file)
  if (!found || (!found.isFolder && isDisclosure(formOf(file), new TextDecoder().decode(await disk.read(file))))) return
  throw usageError(`Expected --disclose with a new file or an earlier disclosure, found something else at ${file}. Choose another name.`)
}

/** Writes the origins of all frames into a file, unless a frame has none. Returns that failure. */
async function writeDisclosure(host: Host, workshop: Workshop, file: string, out: string): Promise<readonly SpritewrightError[]> {
  const found = await workshop.disclose(out)
  const failure = originFailure(found)
  if (failure) return [failure]
  await replaceFile(host.disk, host.random, file, new TextEncoder().encode(disclosureForms.get(formOf(file))?.(found)))
  return []
}

const interruptedWords =
  'Interrupted. Paid work goes on at the service; the next "npx spritewright build" picks it up and pays nothing twice.'

function hasOtherReason(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(hasOtherReason)
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }
  return name !== 'AbortError' && code !== 'SW_INTERRUPTED'
}

function tellInterrupted(printer: Printer, display: ProgressDisplay): void {
  const { held } = sumProgress(display.state())
  const money = held > 0n ? ` ${creditsWords(held)} held.` : ''
  printer.note(ink('yellow', 'Stopping.'), `${money} Paid work goes on at the service; the next "npx spritewright build" picks it up.`)
  printer.note(ink('dim', 'Ctrl-C again ends the command at once.'))
}

interface Built {
  readonly workshop: Workshop
  readonly report: BuildReport
  readonly written: readonly string[]
  readonly out: string | undefined
  readonly root: string
}

function tellBuilt(printer: Printer, { workshop, report, written, out, root }: Built): void {
  const spent = sumCredits(report.bought.map((one) => one.credits))
  printer.report({
    bought: report.bought,
    spent,
    fetched: report.fetched,
    fromVault: report.fromVault,
    balance: report.balance,
    sprites: report.sheets.sprites.map(({ name, atlas, width, height, isPlaceholder, superseded = [], animations }) => ({
      name,
      atlas,
      width,
      height,
      isPlaceholder,
      superseded,
      animations,
    })),
    atlases: toAtlasDocument(report.sheets),
    quality: report.sheets.quality,
    errors: report.failures.flatMap(toFailures).map(({ code, message, facts }) => ({ code, message, facts })),
    out,
    written,
    notes: workshop.options.notes,
    warnings: report.warnings,
  })
  for (const one of report.bought) printer.line(ink('green', '✓'), ' Bought ', ink('bold', one.id), ` for ${creditsWords(one.credits)}`)
  if (report.bought.length > 1) printer.line(`  Together ${creditsWords(spent)}`)
  if (report.balance) printer.line('  ', report.balance.isExplained ? report.balance.words : ink('yellow', report.balance.words))
  if (report.fetched.length > 0)
    printer.line(`Fetched again, since their results were not here: ${report.fetched.join(', ')}. Nothing paid.`)
  if (report.fromVault > 0) printer.hint(`${report.fromVault} bought before: nothing paid`)
  printAtlases(printer, report.sheets)
  for (const note of workshop.options.notes) printer.hint(note)
  tellFlags(printer, report.sheets.quality ?? [])
  const stand = report.sheets.sprites.filter((sprite) => sprite.isPlaceholder).map((sprite) => sprite.name)
  if (stand.length > 0) printer.line(ink('yellow', 'Placeholders'), ` stand in for: ${stand.join(', ')}`)
  const older = report.sheets.sprites.flatMap(({ name, superseded = [] }) =>
    superseded.map((animation) => animationId({ name }, { name: animation })),
  )
  if (older.length > 0) printer.line(ink('yellow', 'Superseded'), ` but used, since the new one is not bought: ${older.join(', ')}`)
  if (out !== undefined && report.sheets.sprites.length === 0) printNoSpec(printer, workshop.options)
  else if (out !== undefined) tellWritten(printer, written, relative(root, out) || '.')
}

function tellFlags(printer: Printer, quality: readonly AnimationQuality[]): void {
  const flagged = quality.filter(({ flags }) => flags.length > 0)
  if (flagged.length === 0) return
  printFlags(printer, flagged)
  printer.hint('See them: ', ink('bold', `npx spritewright review ${flagged[0]?.id}`))
  printer.line()
}

function printAtlases(printer: Printer, sheets: BuiltSheets): void {
  if (sheets.atlases.length === 0) return
  printer.line()
  printer.table(
    ['atlas', right('scale'), 'pages', right('frames'), right('animations')],
    sheets.atlases.map((atlas) => [
      ink('bold', atlas.name),
      `${atlas.scale}×`,
      atlas.pages.map((page) => `${page.width}×${page.height}`).join(', '),
      `${atlas.frames.length}`,
      `${atlas.animations.length}`,
    ]),
  )
  printer.line()
}

function tellWritten(printer: Printer, written: readonly string[], folder: string): void {
  printer.line(ink('green', '✓'), ` ${count(written.length, 'file')} in `, ink('bold', folder))
}

/** Warns that the Vite plugin makes atlases already, so that the default folder would ship a second copy. */
function tellSecondCopy(printer: Printer): void {
  printer.warn(
    `The Vite plugin makes the atlases of this project. Those in ${defaultOut} are a second copy, which ships with the game. Delete the folder; to buy alone: npx spritewright build --buy-only`,
  )
}

function tellPacks(printer: Printer, written: readonly string[], folder: string): void {
  // The files of the engines. Further formats are in folders of their own.
  const packs = written.filter((path) => path === 'manifest.json' || path === 'pack.json')
  if (packs.length > 0)
    printer.hint(ink('dim', `Load ${packs.map((path) => `${folder}/${path}`).join(' (PixiJS) or ')}${toEngine(packs)} in the game.`))
}

/** Names the engine of the last pack, in parentheses. */
function toEngine(packs: readonly string[]): string {
  return packs.at(-1) === 'manifest.json' ? ' (PixiJS)' : ' (Phaser)'
}

function toAtlasDocument(sheets: BuiltSheets): unknown {
  const toPage = ({ sha256, width, height, contentType, bytes }: BuiltPage): unknown => {
    return { sha256, width, height, contentType, bytes: bytes.length }
  }
  return sheets.atlases.map(({ name, scale, pages, alternates, frames, animations }) => ({
    name,
    scale,
    pages: pages.map(toPage),
    ...(alternates ? { alternates: alternates.map((others) => others.map(toPage)) } : {}),
    frames: frames.length,
    animations: animations.map((animation) => animation.name),
  }))
}
