import { join, posix } from 'node:path'
import type { Host } from '../host/host.ts'
import { configNames } from '../options/config-files.ts'
import type { Engine } from '../options/schema.ts'
import { type CommandArgs, usageError } from './arguments.ts'
import { answered } from './asking.ts'
import type { ProgramParts } from './context.ts'

/** Who draws the sprites of a new project. */
export type Drawer = 'service' | 'embedded' | 'own'

/** A person's choices for a new project. */
export interface FirstAnswers {
  /** Who draws: a service, the embedded service, or people. If people draw, nothing is ever bought. */
  readonly drawer: Drawer
  /** Missing if the project depends on exactly one engine. */
  readonly engine?: Engine
  /** Folder of the first sprite, relative to the root, with forward slashes. */
  readonly folder: string
}

/** The default folder of the first sprite. */
const usualFolder = 'sprites'

/**
 * Asks for the service, the engine and the folder, which `init` cannot know. An option answers its question. Nothing
 * is asked without a terminal, or if the project has a configuration.
 *
 * @param dependencies Names of the packages that the project depends on.
 * @param isDrawn Whether the project has sprites, and buys none. This decides if nothing is asked.
 * @throws `SW_USAGE` for a folder outside the project, an unknown engine, or an option that contradicts the existing
 * configuration; `SW_INTERRUPTED` if the person presses Ctrl-C.
 */
export async function askFirst(
  parts: ProgramParts,
  root: string,
  dependencies: readonly string[],
  args: CommandArgs,
  isDrawn: () => Promise<boolean>,
): Promise<FirstAnswers> {
  const given = readOptions(args)
  const config = await findConfig(parts.host, root)
  if (config !== undefined && (given.drawer || given.engine))
    throw usageError(
      `Expected no --embedded, no --own and no --engine, because init does not overwrite ${config}. Write these options into that file.`,
      { file: config },
    )
  if (!parts.host.terminal.canAsk || config !== undefined)
    return { drawer: (await isDrawn()) ? 'own' : 'service', folder: usualFolder, ...given }
  const outcome = 'Nothing was written.'
  const drawer = given.drawer ?? answered(await askDrawer(parts), outcome)
  const engine = given.engine ?? answered(await askEngine(parts, dependencies), outcome)
  const folder = given.folder ?? answered(await parts.askText('In which folder does the first sprite go?', usualFolder), outcome)
  return { drawer, ...(isEngine(engine) ? { engine } : {}), folder: folderBelow(folder) }
}

/** The answers that the command line gives. */
function readOptions(args: CommandArgs): Partial<FirstAnswers> {
  const [engine, folder] = [args.text('engine'), args.text('folder')]
  if (engine !== undefined && !isEngine(engine))
    throw usageError(`Expected --engine to be phaser or pixi, found ${JSON.stringify(engine)}. Nothing was written.`, {
      option: '--engine',
      found: engine,
    })
  const drawers = (['embedded', 'own'] as const).filter((name) => args.flag(name))
  if (drawers.length > 1) throw usageError('Expected --embedded or --own, found both. Nothing was written.')
  return {
    ...(drawers[0] ? { drawer: drawers[0] } : {}),
    engine,
    ...(folder === undefined ? {} : { folder: folderBelow(folder) }),
  }
}

function isEngine(text: string): text is Engine {
  return text === 'phaser' || text === 'pixi'
}

/** Asks who draws. If there is an API key, a service is the first choice. */
async function askDrawer(parts: ProgramParts): Promise<Drawer | undefined> {
  const here = { value: 'embedded', label: 'This machine', hint: 'demo art for play money, without an account' }
  const there = { value: 'service', label: 'A service', hint: 'its address and your key go into .env.local' }
  const own = { value: 'own', label: 'I do', hint: 'Aseprite files and pictures; nothing is bought' }
  const hasKey = [parts.host.env.SPRITEWRIGHT_API_KEY, parts.host.env.SPRITEWRIGHT_BASE_URL].some((value) => value)
  return (await parts.choose('Who draws the sprites?', hasKey ? [there, here, own] : [here, there, own])) as Drawer | undefined
}

/** Asks for the engine, unless the dependencies name one. */
async function askEngine(parts: ProgramParts, dependencies: readonly string[]): Promise<string | undefined> {
  if (dependencies.includes('phaser') !== dependencies.includes('pixi.js')) return 'found'
  return parts.choose('Which engine draws the game?', [
    { value: 'phaser', label: 'Phaser' },
    { value: 'pixi', label: 'PixiJS' },
    { value: 'other', label: 'Both, or another', hint: 'builds write both formats' },
  ])
}

/** Name of the existing configuration. */
async function findConfig({ disk }: Host, root: string): Promise<string | undefined> {
  const found = await Promise.all(configNames.map((name) => disk.stat(join(root, name))))
  return configNames.find((_, at) => found[at] !== undefined)
}

function folderBelow(text: string): string {
  const folder = posix.normalize(text).replace(/^\.\/|\/+$/g, '')
  if (folder !== '' && !folder.startsWith('/') && !folder.startsWith('..') && !/[:\\\0]/.test(text)) return folder
  throw usageError(`Expected a folder of the project, such as sprites or art/sprites, found ${JSON.stringify(text)}. Nothing was written.`)
}
