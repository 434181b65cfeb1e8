import { basename, join, relative } from 'node:path'
import type { Host } from '../../host/host.ts'
import { decodeText, inProjectStyle } from '../../host/project-style.ts'
import { publish, replaceFile } from '../../host/publish.ts'
import { configNames, readPackage } from '../../options/config-files.ts'
import { findSpecSchema } from '../../options/editor-schema.ts'
import { findViteConfigs } from '../../options/vite-configs.ts'
import { firstLockText } from '../../workshop/merge.ts'
import type { Workshop } from '../../workshop.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { askFirst, type FirstAnswers } from '../first-answers.ts'
import { drawFirstPicture } from '../first-picture.ts'
import {
  attributeLines,
  configText,
  firstPictureName,
  firstSpecName,
  firstSpecText,
  ignoreLines,
  typesLine,
  viteConfigText,
  viteTypesPath,
} from '../first-project.ts'
import { withArbitraryExtensions, withPlugin } from '../project-patches.ts'
import { hasTypeScript, refreshTypings } from '../typings.ts'
import { ink } from '../view/ink.ts'
import { buildCommand, packCommand } from '../view/next.ts'
import type { Printer } from '../view/printer.ts'

/** The endings of importable files: a spec, or own art without one. */
const spriteEnding = /\.(?:sprite\.(?:json|ya?ml)|sprites|aseprite)$/

/** The outcome of one file. */
interface Step {
  /** Path relative to the root. */
  readonly path: string
  readonly done: 'written' | 'extended' | 'kept'
  /** Set for a configuration of Vite without the plugin that is written in an unknown form. */
  readonly lacksPlugin?: boolean
}

/**
 * `spritewright init`: writes a config, ignore lines, a lock file, a first spec and its picture, and adds the plugin to
 * Vite's configuration. Nothing is overwritten, and a second run changes nothing. At a terminal, `init` asks for
 * the service, the engine and the folder of the first sprite.
 */
export async function init({ parts, printer, root, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const { host } = parts
  const { dependencies } = await readPackage(host.disk, root)
  // If a configuration cannot be read yet, e.g. because the package is not installed, `init` continues.
  const isDrawn = async (): Promise<boolean> => (await findSprite(host, root)) !== undefined && withWorkshop(drawsAll).catch(() => false)
  const answers = await askFirst(parts, root, dependencies, args, isDrawn)
  const isOwn = answers.drawer === 'own'
  const steps = [
    await writeConfig(host, root, answers),
    // Own art has no secrets, and no paid results.
    ...(isOwn ? [] : await preparePurchases(host, root)),
    ...(await writeViteTypes(host, root, dependencies)),
    ...(await addToVite(host, root, dependencies)),
    ...(await patchTsconfig(host, root)),
    ...(await writeFirstSpec(host, root, answers)),
  ]
  if (await hasTypeScript(host, root)) await withWorkshop((workshop) => refreshTypings({ parts, printer, root }, workshop)).catch(() => {})
  const next = isOwn
    ? [await packCommand(host, root)]
    : ['npx spritewright plan', 'npx spritewright approve', await buildCommand(host, root)]
  printer.document({ root, files: steps, next })
  for (const { path, done } of steps) {
    const sign = done === 'kept' ? ink('dim', '·') : ink('green', '✓')
    printer.line(
      '  ',
      sign,
      ' ',
      done === 'kept' ? ink('dim', `${path}  existed already, unchanged`) : path,
      done === 'extended' ? ink('dim', '  extended') : '',
    )
  }
  for (const { path, lacksPlugin } of steps)
    if (lacksPlugin)
      printer.warn(
        `${path} has an unknown form. Add the plugin yourself: import spritewright from 'spritewright/vite', and spritewright() in "plugins".`,
      )
  printer.line()
  if (isOwn) printer.hint('Next: ', ink('bold', next[0] as string), ', which packs your art.')
  else tellNext(printer, steps[0]?.done === 'written' ? answers : undefined)
  const spec = steps.find(({ path }) => spriteEnding.test(path))?.path ?? ''
  const name = basename(spec).replace(spriteEnding, '').replaceAll('-', '_')
  const usesPhaser = answers.engine ? answers.engine === 'phaser' : dependencies.includes('phaser')
  printer.hint(
    'In the game: ',
    ink('bold', `import ${name} from './${spec}'`),
    `, and ${usesPhaser ? `preloadSprites(this, [${name}]) of spritewright/phaser` : `await loadSprites([${name}]) of spritewright/pixi`}. The README shows it whole.`,
  )
  return 0
}

/** Ignore lines, merge lines, and a lock file, unless the project has one. Git merges the files of a new one by itself. */
async function preparePurchases(host: Host, root: string): Promise<Step[]> {
  return [
    await addLines(host, root, '.gitignore', ignoreLines),
    await addLines(host, root, '.gitattributes', attributeLines),
    await writeNew(host, root, 'sprites.lock.json', new TextEncoder().encode(firstLockText)),
  ]
}

/** The file of the project's first sprite that a game imports. */
async function findSprite(host: Host, root: string, more: readonly string[] = []): Promise<string | undefined> {
  const [found] = (await host.glob(root, ['**/*.sprite.{json,yaml,yml}', '**/*.sprites/**', ...more])).sort()
  if (found === undefined) return undefined
  const path = relative(root, found).replaceAll('\\', '/')
  return /^.*?\.sprites(?=\/)/.exec(path)?.[0] ?? path
}

async function drawsAll(workshop: Workshop): Promise<boolean> {
  const { items, own } = await workshop.status()
  return items.length === 0 && own.length > 0
}

async function writeConfig(host: Host, root: string, answers: FirstAnswers): Promise<Step> {
  for (const name of configNames) if (await host.disk.stat(join(root, name))) return { path: name, done: 'kept' }
  return writeText(host, root, `spritewright.config.${await moduleEnding(host, root)}`, configText(answers))
}

/** The ending of new modules in the project's language. */
async function moduleEnding(host: Host, root: string): Promise<'ts' | 'mjs'> {
  return (await hasTypeScript(host, root)) ? 'ts' : 'mjs'
}

/** A game on Vite that is written in TypeScript gets a reference to the types of specs. */
async function writeViteTypes(host: Host, root: string, dependencies: readonly string[]): Promise<Step[]> {
  if (!(await hasTypeScript(host, root))) return []
  const file = join(root, viteTypesPath)
  const isThere = (await host.disk.stat(file)) !== undefined
  const usesVite = dependencies.includes('vite') || (await host.disk.stat(join(root, 'node_modules/vite'))) !== undefined
  if (!isThere && !usesVite && (await findViteConfigs(host.disk, root)).length === 0) return []
  const text = isThere ? decodeText(await host.disk.read(file)) : ''
  if (text.includes('spritewright/client')) return [{ path: viteTypesPath, done: 'kept' }]
  // References count only before the first statement.
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  await host.disk.makeFolder(join(root, 'src'))
  await replaceFile(host.disk, host.random, file, new TextEncoder().encode(`${typesLine}${end}${text}`))
  return [{ path: viteTypesPath, done: isThere ? 'extended' : 'written' }]
}

/** Adds the plugin to the configurations of Vite. A game on Vite without a configuration gets one. */
async function addToVite(host: Host, root: string, dependencies: readonly string[]): Promise<Step[]> {
  const configs = await findViteConfigs(host.disk, root)
  if (configs.length === 0 && dependencies.includes('vite'))
    return [await writeText(host, root, `vite.config.${await moduleEnding(host, root)}`, viteConfigText)]
  const steps: Step[] = []
  for (const { path, hasPlugin } of configs) {
    const step = await patch(host, root, path, async (text) => withPlugin(text))
    steps.push(step.done === 'kept' && !hasPlugin ? { ...step, lacksPlugin: true } : step)
  }
  return steps
}

async function patchTsconfig(host: Host, root: string): Promise<Step[]> {
  if (!(await hasTypeScript(host, root))) return []
  return [await patch(host, root, 'tsconfig.json', withArbitraryExtensions)]
}

async function patch(host: Host, root: string, path: string, change: (text: string) => Promise<string | undefined>): Promise<Step> {
  const file = join(root, path)
  const before = decodeText(await host.disk.read(file))
  const text = await change(before)
  if (text === undefined) return { path, done: 'kept' }
  await replaceFile(host.disk, host.random, file, new TextEncoder().encode(text))
  return { path, done: 'extended' }
}

/**
 * Writes the first spec, unless the project has specs. The picture is written before the spec, because a dev server
 * would report a spec without its picture.
 */
async function writeFirstSpec(host: Host, root: string, { folder, drawer }: FirstAnswers): Promise<Step[]> {
  const found = await findSprite(host, root, drawer === 'own' ? ['**/*.aseprite'] : [])
  if (found !== undefined) return [{ path: found, done: 'kept' }]
  const spec = `${folder}/${firstSpecName}`
  const picture = await writeNew(host, root, `${folder}/${firstPictureName}`, drawFirstPicture())
  const text = firstSpecText(await findSpecSchema(host.disk, root, join(root, spec)), drawer === 'own')
  return [await writeText(host, root, spec, text), picture]
}

async function writeText(host: Host, root: string, path: string, text: string): Promise<Step> {
  return writeNew(host, root, path, new TextEncoder().encode(await inProjectStyle(host, root, path, text)))
}

async function writeNew(host: Host, root: string, path: string, bytes: Uint8Array): Promise<Step> {
  const isNew = await publish(host.disk, host.random, join(root, path), bytes)
  return { path, done: isNew ? 'written' : 'kept' }
}

/** Appends the missing lines, with the line ending of the file. Git reads no UTF-16, so the file becomes UTF-8. */
async function addLines(host: Host, root: string, path: string, lines: readonly string[]): Promise<Step> {
  const file = join(root, path)
  const isThere = (await host.disk.stat(file)) !== undefined
  const text = isThere ? decodeText(await host.disk.read(file)) : ''
  const known = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/\s+/g, ' ')))
  const missing = lines.filter((line) => !known.has(line) && !known.has(`/${line}`))
  if (missing.length === 0) return { path, done: 'kept' }
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const lead = text === '' ? '' : text.endsWith('\n') ? end : end + end
  const added = `${lead}${['# spritewright', ...missing].join(end)}${end}`
  await host.disk.makeFolder(root)
  await replaceFile(host.disk, host.random, file, new TextEncoder().encode(text + added))
  return { path, done: isThere ? 'extended' : 'written' }
}

/**
 * @param answers Missing if the project had a configuration, which already says who draws.
 */
function tellNext(printer: Printer, answers: FirstAnswers | undefined): void {
  printer.hint('Commit sprites.lock* and .spritewright/results: then no paid result has to be bought again.')
  if (answers) tellService(printer, answers)
  printer.hint('Next: ', ink('bold', 'npx spritewright plan'), ', which shows the price of the first sprite and spends nothing.')
}

function tellService(printer: Printer, { drawer }: FirstAnswers): void {
  const isEmbedded = drawer === 'embedded'
  if (!isEmbedded) printer.hint('No key yet? Set ', ink('bold', "service: 'embedded'"), ' in the config: everything works, free of charge.')
  printer.hint(
    `${isEmbedded ? "Later, with a key: remove service: 'embedded' from the config, and" : 'With one:'} put SPRITEWRIGHT_BASE_URL and SPRITEWRIGHT_API_KEY into .env.local.`,
  )
}
