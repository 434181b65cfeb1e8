import { dirname, relative } from 'node:path'
import { z } from 'zod'
import { decodeText } from '../../../host/project-style.ts'
import { commandWord } from '../../../host/terminal.ts'
import { isToBuy } from '../../../project/states.ts'
import type { FieldEdit, FieldValue } from '../../../workshop.ts'
import { usageError } from '../../arguments.ts'
import { rowsOf } from '../../view/plan.ts'
import { describeField, filesIn, insideProject } from './fields.ts'
import { errorShape, findPrices, namesOrAll, priceShape, withPurchases } from './sprites.ts'
import { defineTool, maybe, nameList, type Tool, type ToolContext, text } from './tool.ts'

const sprite = text.max(200)
const field = text.max(200).regex(/^[A-Za-z0-9][\w-]*(?:\.[A-Za-z0-9][\w-]*)*$/)
const set = z
  .array(z.strictObject({ field, value: z.unknown() }))
  .max(50)
  .default([])
/** `copied`: the copy of a new sprite's picture. `added`: the fields that the new spec got by default. */
const writtenShape = { file: text, difference: z.array(text), note: maybe, copied: maybe, added: z.array(text).optional() }

type AskedFields = z.output<typeof set>

const personDecides = 'A person decides about approvals and ceilings: request_approval asks.'

/** Lines of a difference that are shown. */
const mostLines = 80
const mostValueLength = 20_000
const mostPictureBytes = 20_000_000

/** Makes or edits a spec. */
export const writeSpec: Tool = defineTool({
  name: 'write_spec',
  description:
    'Makes a spec (needs prompt, and picture: a PNG, JPEG or WebP of the project, by its path from the root) or edits one. set: fields such as animations.walk.frames. Keeps comments, removes nothing. Answers the changed lines, the PAID fields among them, what is to buy now; of a new spec, where the picture was copied to and the fields added by default. Buys nothing.',
  input: z.strictObject({ sprite, prompt: text.max(4000).optional(), picture: text.max(400).optional(), set }),
  output: priceShape.partial().extend({ ...writtenShape, paid: z.array(text), priceError: errorShape }),
  writes: true,
  run: async ({ sprite: name, prompt, picture, set: asked }, context) => {
    const all = [...(prompt === undefined ? [] : [{ field: 'prompt', value: prompt }]), ...asked]
    const { paid, ...written } = await write(context, name, all, async () => {
      const empty = all.find(({ value }) => value === null || value === undefined)
      if (empty) throw usageError(`Expected a value of ${empty.field}, found none. This tool removes nothing; a person may.`)
      return picture === undefined ? undefined : readPicture(context, picture)
    })
    const prices = await withPurchases(context, [name], await findPrices(context, [name]))
    return { data: { ...written, paid: picture === undefined ? paid : ['reference', ...paid], ...prices } }
  },
})

/** Edits fields that never cost anything. */
export const editFree: Tool = defineTool({
  name: 'edit_free',
  description:
    'Edits FREE fields of a spec: animations.walk.fps, .use, .loop, .yoyo, .durations, .meant; size, anchor, borders, boxes, stabilize, pixelArt, trim … null resets a field. Refuses PAID fields. The running game shows it at once.',
  input: z.strictObject({ sprite, set }),
  output: z.object(writtenShape),
  writes: true,
  run: async ({ sprite: name, set: asked }, context) => {
    const { paid: _none, ...written } = await write(context, name, asked, async (paid) => {
      if (paid.length > 0)
        throw usageError(`Expected FREE fields, found ${paid.join(', ')}. Nothing was written. write_spec edits PAID fields.`)
      return undefined
    })
    return { data: written }
  },
})

/** Asks a person. */
export const requestApproval: Tool = defineTool({
  name: 'request_approval',
  description:
    'Asks a person to approve a purchase: which names (none: all that is not bought) and why. Returns at once. A person decides elsewhere, within a day. At most five requests are open. Ask once, then go on with other work.',
  input: z.strictObject(
    { names: nameList, why: text.min(1).max(500) },
    { error: `Expected names and why, and nothing else. ${personDecides}` },
  ),
  output: z.object({ id: text, names: z.array(text), credits: maybe, usd: maybe, decide: text, note: maybe }),
  writes: true,
  run: async ({ names, why }, context) => {
    const { id, total, open } = await context.withWorkshop(async ({ status, requests }) => {
      if (!rowsOf(await status(names)).some(isToBuy))
        throw usageError('Expected something that is not bought, found nothing. There is nothing to approve.')
      const { total: sum } = await findPrices(context, names)
      const before = await requests.list()
      return { ...(await requests.add({ verb: 'approve', from: 'mcp', names, credits: sum?.credits, why })), total: sum, open: before }
    })
    const command = ['npx spritewright approve', ...names.map(commandWord)].join(' ')
    const decide = `A person decides: in the panel of the dev server, or with ${command} in a terminal of their own.`
    const isCovered = open.some(
      (one) => one.verb === 'approve' && (one.names.length === 0 || (names.length > 0 && names.every((name) => one.names.includes(name)))),
    )
    const note = isCovered ? 'An open request asks for these names already.' : undefined
    return { data: { id, names: namesOrAll(names), credits: total?.credits, usd: total?.usd, decide, note } }
  },
})

/**
 * The PAID fields among some. A field of an animation that the spec lacks makes that animation, which is bought.
 *
 * @throws `SW_USAGE` for a field that no spec has, or for all animations at once.
 */
function paidAmong(schema: unknown, animations: readonly { readonly name: string }[], asked: AskedFields): readonly string[] {
  const known = animations.map(({ name }) => name)
  const isNew = (path: readonly string[]): boolean => path[0] === 'animations' && !known.includes(path[1] ?? '')
  return asked.flatMap(({ field: name, value }) => {
    const description = describeField(schema, name.split('.')) ?? ''
    const isField = /^(?:FREE|PAID)/.test(description) && !/^(?:animations|pictures)$/.test(name)
    if (!isField)
      throw usageError(
        `Expected a field of a spec such as animations.walk.fps, found ${name}. Nothing was written.${/approv|ceiling|budget|credits/i.test(name) ? ` ${personDecides}` : ''}`,
      )
    if ((JSON.stringify(value) ?? '').length > mostValueLength) throw usageError(`Expected a short value of ${name}, found a long one.`)
    return description.startsWith('FREE.') && !isNew(name.split('.')) ? [] : [name]
  })
}

/**
 * Edits a spec that is there, or makes one.
 *
 * @param check Receives the PAID fields before anything is written. Returns the picture, or throws.
 * @returns The fields of {@link writtenShape}, and the PAID fields.
 */
async function write(
  { root, parts: { host, specSchema }, withWorkshop }: ToolContext,
  name: string,
  asked: AskedFields,
  check: (paid: readonly string[]) => Promise<Uint8Array | undefined>,
): Promise<Readonly<Record<string, unknown>> & { readonly paid: readonly string[] }> {
  const readText = async (file: string): Promise<string> => decodeText(await host.disk.read(file))
  const edits = asked.map(({ field: path, value }): FieldEdit => ({ path: path.split('.'), value: (value ?? undefined) as FieldValue }))
  return withWorkshop(async (workshop) => {
    const { items, own, digests } = await workshop.overview()
    const spec = [...items, ...own].find((one) => one.spec.name === name)?.spec
    const paid = paidAmong(await specSchema(), spec?.animations ?? [], asked)
    const picture = await check(paid)
    const paths = asked.flatMap((edit) => filesIn(edit.field.split('.'), edit.value))
    if (!spec && paths.length > 0)
      throw usageError(
        'Expected a new sprite to begin with its picture alone, found further pictures. Nothing was written. Add them with another write_spec.',
      )
    // A spec behind a link is outside.
    if (spec) insideProject(root, root, relative(root, spec.file))
    for (const path of paths) {
      const file = insideProject(root, dirname(spec?.file ?? root), path)
      if (!(await host.disk.stat(file)))
        throw usageError(`Expected a file at ${JSON.stringify(path)}, found none. Nothing was written.`, { path })
    }
    const whole = spec?.animations.find((animation) => asked.some((edit) => edit.field === `animations.${animation.name}`))
    if (whole) throw usageError(`Expected the fields of animations.${whole.name} one by one, found the whole of it. Nothing was written.`)
    const prompt = asked.find((edit) => edit.field === 'prompt')?.value
    if (!spec && (picture === undefined || typeof prompt !== 'string'))
      throw usageError(
        `Expected a sprite whose spec is in order, or prompt and picture of a new one, found ${JSON.stringify(name)}. Nothing was written.`,
      )
    const before = spec ? await readText(spec.file) : ''
    const target = { sprite: name, digest: digests.get(spec?.file ?? '') ?? '' }
    const shown = (file: string): string => relative(root, file).replaceAll('\\', '/')
    if (spec) {
      const { file } = await workshop.editSpec({ ...target, edit: () => edits, ...(picture ? { picture } : {}) })
      const difference = compare(before, await readText(file))
      return { paid, file: shown(file), difference, note: difference.length === 0 ? 'Already so; nothing was written.' : undefined }
    }
    const made = await workshop.createSprite({ name, prompt: prompt as string, picture: picture as Uint8Array, edits })
    const now = await readText(made.file)
    const known = new Set(['reference', 'prompt', ...edits.map(({ path }) => path[0])])
    const added = Object.keys(JSON.parse(now) as object).filter((key) => !known.has(key))
    return { paid, file: shown(made.file), difference: compare('', now), copied: shown(made.picture), added }
  })
}

/** @param path From the root of the project. */
async function readPicture({ root, parts: { host } }: ToolContext, path: string): Promise<Uint8Array> {
  const file = insideProject(root, root, path, /\.(?:png|jpe?g|webp)$/i)
  const stat = await host.disk.stat(file)
  // A pipe has no bytes, and would be waited for.
  if (stat && !stat.isFolder && stat.bytes > 0 && stat.bytes <= mostPictureBytes) return host.disk.read(file)
  throw usageError(`Expected a picture of at most 20 MB at ${JSON.stringify(path)}, found none. Nothing was written.`)
}

/** The lines between the equal beginning and the equal end of two texts, each with `-` or `+`. */
function compare(before: string, after: string): readonly string[] {
  const [old, now] = [before, after].map((all) => (all === '' ? [] : all.trimEnd().split('\n'))) as [string[], string[]]
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const changed = (lines: readonly string[], mark: string): string[] =>
    lines.slice(start, lines.length - end).map((line) => `${mark} ${line}`)
  return [...changed(old, '-'), ...changed(now, '+')].slice(0, mostLines)
}
