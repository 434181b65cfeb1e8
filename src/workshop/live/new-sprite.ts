import { dirname, join, relative } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { inProjectStyle } from '../../host/project-style.ts'
import { publish } from '../../host/publish.ts'
import { findSpecSchema } from '../../options/editor-schema.ts'
import type { Context } from '../../project/context.ts'
import type { Quotes } from '../../project/quotes.ts'
import { parseSpec } from '../../sprite-spec/parser.ts'
import { type PictureHeader, sniffPicture } from '../../sprite-spec/picture.ts'
import { findSpecs } from '../../sprite-spec/scan.ts'
import { namePattern, nameWords } from '../../sprite-spec/schema.ts'
import type { AnimationSpec, SpriteSpec } from '../../sprite-spec/spec.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import type { NewSprite, NewSpriteRequest, PriceList } from '../api/overview-report.ts'

const endings: Readonly<Record<PictureHeader['contentType'], string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' }

/** The fields of a new spec, with one short animation. */
function newSpec(reference: string, prompt: string): object {
  return { reference, prompt, animations: { idle: { frames: 8, fps: 8 } }, size: { figure: 128 }, anchor: [0.5, 1] }
}

/** What the animation of a new sprite costs. Neither its picture nor its words change that. */
export async function readNewSpritePrice(quotes: Pick<Quotes, 'ofSheet'>): Promise<PriceList['newSprite']> {
  const { animations, background } = parseSpec(JSON.stringify(newSpec('./new.png', 'new')), 'new.sprite.json')
  const [{ frames }] = animations as readonly [AnimationSpec]
  return { frames, background, credits: (await quotes.ofSheet(frames, background)).credits }
}

/**
 * Writes a spec and its picture, beside the first spec of the project, or in `sprites/`. Both are checked
 * before anything is written, and no file is overwritten.
 *
 * @throws `SW_USAGE` for a name that is taken or no name of a sprite, `SW_SPEC` for another invalid field,
 * `SW_REFERENCE` for bytes that are no picture.
 */
export async function createSprite(
  { host, options }: Context,
  { name, prompt, picture, edits = [] }: NewSpriteRequest,
): Promise<NewSprite> {
  // The name becomes a part of two paths.
  if (!namePattern.test(name)) throw usage(`${nameWords} as the name of a sprite, found ${JSON.stringify(name)}. Nothing was written.`)
  const specs = await findSpecs(host.glob, options.root, options.specs)
  const taken = specs.find((file) => specName(file)?.toLowerCase() === name.toLowerCase())
  const show = (path: string): string => relative(options.root, path).replaceAll('\\', '/')
  if (taken !== undefined)
    throw usage(`a new name, found ${JSON.stringify(name)}, which ${show(taken)} has. Take another one, or edit that file.`)
  const folder = specs[0] === undefined ? join(options.root, 'sprites') : dirname(specs[0])
  const file = join(folder, `${name}.sprite.json`)
  const ending = pictureEnding(name, picture)
  const pictureFile = join(folder, `${name}.${ending}`)
  const schema = await findSpecSchema(host.disk, options.root, file)
  const spec = { ...(schema === undefined ? {} : { $schema: schema }), ...newSpec(`./${name}.${ending}`, prompt) }
  const styled = await inProjectStyle(host, options.root, show(file), `${JSON.stringify(spec, null, 2)}\n`)
  const isReplaced = edits.some(({ path }) => path[0] === 'animations') && !edits.some(({ path }) => path[1] === 'idle')
  const { editSpecText } = await import('../../sprite-spec/edit/edit.ts')
  const text = editSpecText(styled, file, show(file), [...edits, ...(isReplaced ? [{ path: ['animations', 'idle'] }] : [])])
  // The picture comes first: for a watching dev server, a spec without its picture would be an error.
  await host.disk.makeFolder(folder)
  if (!(await publish(host.disk, host.random, pictureFile, picture)) && !equal(await host.disk.read(pictureFile), picture))
    throw usage(`no other picture at ${show(pictureFile)}, found one. Take another name, or move that file away.`)
  if (!(await publish(host.disk, host.random, file, new TextEncoder().encode(text)))) throw usage(`no file at ${show(file)}, found one.`)
  return { file, picture: pictureFile }
}

/**
 * Writes another picture for a sprite beside its spec, under the first name that is free: `hero.png`,
 * `hero-2.png` … The same picture keeps its name.
 *
 * @returns The path for the spec: `./hero-2.png`.
 * @throws `SW_REFERENCE` for bytes that are no picture.
 */
export async function addPicture(
  { host }: Pick<Context, 'host'>,
  { name, file }: Pick<SpriteSpec, 'name' | 'file'>,
  picture: Uint8Array,
): Promise<string> {
  const ending = pictureEnding(name, picture)
  for (let number = 1; ; number += 1) {
    const own = `${name}${number === 1 ? '' : `-${number}`}.${ending}`
    const path = join(dirname(file), own)
    const isOurs = (await publish(host.disk, host.random, path, picture)) || equal(await host.disk.read(path), picture)
    if (isOurs) return `./${own}`
  }
}

function pictureEnding(name: string, picture: Uint8Array): string {
  const sniffed = sniffPicture(picture)
  if (!('found' in sniffed)) return endings[sniffed.header.contentType]
  throw new SpritewrightError('SW_REFERENCE', {
    message: `Expected a PNG, JPEG or WebP picture for "${name}", found ${sniffed.found}. Nothing was written.`,
    facts: { sprite: name },
  })
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

function usage(expected: string): SpritewrightError {
  return new SpritewrightError('SW_USAGE', { message: `Expected ${expected}` })
}
