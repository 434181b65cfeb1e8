import { join, posix } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { configNames } from '../options/config-files.ts'
import type { Engine } from '../options/schema.ts'
import type { ProgramParts } from './context.ts'

/** What a person wants for a new project. */
export interface FirstAnswers {
  /** Whether the service on this machine draws. */
  readonly isEmbedded: boolean
  /** Only if the project does not depend on exactly one engine. */
  readonly engine?: Engine
  /** Folder of the first sprite, from the root, with forward slashes. */
  readonly folder: string
}

/** Without a terminal, or where a configuration is there already, nothing is asked. */
const unasked: FirstAnswers = { isEmbedded: false, folder: 'sprites' }

/**
 * Asks what `init` cannot know: the service, the engine and the folder.
 *
 * @param dependencies Names of the packages that the project depends on.
 * @returns `undefined` if the person presses Ctrl-C.
 * @throws `SW_USAGE` for a folder outside the project.
 */
export async function askFirst(parts: ProgramParts, root: string, dependencies: readonly string[]): Promise<FirstAnswers | undefined> {
  if (!parts.host.terminal.canAsk || (await hasConfig(parts.host, root))) return unasked
  const here = { value: 'embedded', label: 'This machine', hint: 'demo art for play money, without an account' }
  const there = { value: 'service', label: 'A service', hint: 'its address and your key go into .env.local' }
  const hasKey = [parts.host.env.SPRITEWRIGHT_API_KEY, parts.host.env.SPRITEWRIGHT_BASE_URL].some((value) => value)
  const service = await parts.choose('Who draws the sprites?', hasKey ? [there, here] : [here, there])
  if (service === undefined) return undefined
  const engine = await askEngine(parts, dependencies)
  if (engine === undefined) return undefined
  const folder = await parts.askText('In which folder does the first sprite go?', unasked.folder)
  if (folder === undefined) return undefined
  return {
    isEmbedded: service === 'embedded',
    ...(engine === 'phaser' || engine === 'pixi' ? { engine } : {}),
    folder: folderBelow(folder),
  }
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

async function hasConfig({ disk }: Host, root: string): Promise<boolean> {
  const found = await Promise.all(configNames.map((name) => disk.stat(join(root, name))))
  return found.some((stat) => stat !== undefined)
}

function folderBelow(text: string): string {
  const folder = posix.normalize(text).replace(/^\.\/|\/+$/g, '')
  if (folder !== '' && !folder.startsWith('/') && !folder.startsWith('..') && !/[:\\\0]/.test(text)) return folder
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected a folder of the project, such as sprites or art/sprites, found ${JSON.stringify(text)}. Nothing was written.`,
  })
}
