import { join, posix } from 'node:path'
import type { Host } from '../host/host.ts'
import { configNames } from '../options/config-files.ts'
import type { Engine } from '../options/schema.ts'
import { type CommandArgs, usageError } from './arguments.ts'
import { answered } from './asking.ts'
import type { ProgramParts } from './context.ts'

/** Who draws the sprites of a new project. */
export type Drawer = 'service' | 'embedded' | 'own'

/** What a person wants for a new project. */
export interface FirstAnswers {
  /** Who draws: a service, the service on this machine, or people, so that nothing is ever bought. */
  readonly drawer: Drawer
  /** Only if the project does not depend on exactly one engine. */
  readonly engine?: Engine
  /** Folder of the first sprite, from the root, with forward slashes. */
  readonly folder: string
}

/** The folder of the first sprite, unless another one is named. */
const usualFolder = 'sprites'

/**
 * Asks what `init` cannot know: the service, the engine and the folder. An option answers its question. Without
 * a terminal, or where a configuration is there already, nothing is asked.
 *
 * @param dependencies Names of the packages that the project depends on.
 * @param isDrawn Whether the project has sprites, and buys none; it decides where nothing is asked.
 * @throws `SW_USAGE` for a folder outside the project, another engine, or an option that a configuration which is
 * there would not follow; `SW_INTERRUPTED` if the person presses Ctrl-C.
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
      `Expected no --embedded, no --own and no --engine where ${config} is there, since init overwrites nothing. Write them into that file.`,
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

/** Asks who draws. Who has a key is offered a service first. */
async function askDrawer(parts: ProgramParts): Promise<Drawer | undefined> {
  const here = { value: 'embedded', label: 'This machine', hint: 'demo art for play money, without an account' }
  const there = { value: 'service', label: 'A service', hint: 'its address and your key go into .env.local' }
  const own = { value: 'own', label: 'I do', hint: 'Aseprite files and pictures; nothing is bought' }
  const hasKey = [parts.host.env.SPRITEWRIGHT_API_KEY, parts.host.env.SPRITEWRIGHT_BASE_URL].some((value) => value)
  return (await parts.choose('Who draws the sprites?', hasKey ? [there, here, own] : [here, there, own])) as Drawer | undefined
}

/** The engine is not asked for where the dependencies tell it. */
async function askEngine(parts: ProgramParts, dependencies: readonly string[]): Promise<string | undefined> {
  if (dependencies.includes('phaser') !== dependencies.includes('pixi.js')) return 'found'
  return parts.choose('Which engine draws the game?', [
    { value: 'phaser', label: 'Phaser' },
    { value: 'pixi', label: 'PixiJS' },
    { value: 'other', label: 'Both, or another', hint: 'builds write both formats' },
  ])
}

/** Name of the configuration that is there. */
async function findConfig({ disk }: Host, root: string): Promise<string | undefined> {
  const found = await Promise.all(configNames.map((name) => disk.stat(join(root, name))))
  return configNames.find((_, at) => found[at] !== undefined)
}

function folderBelow(text: string): string {
  const folder = posix.normalize(text).replace(/^\.\/|\/+$/g, '')
  if (folder !== '' && !folder.startsWith('/') && !folder.startsWith('..') && !/[:\\\0]/.test(text)) return folder
  throw usageError(`Expected a folder of the project, such as sprites or art/sprites, found ${JSON.stringify(text)}. Nothing was written.`)
}
