import { dirname, relative } from 'node:path'
import { z } from 'zod'
import { decodeText } from '../../../host/project-style.ts'
import { commandWord } from '../../../host/terminal.ts'
import { isToBuy } from '../../../project/states.ts'
import type { FieldEdit, FieldValue } from '../../../workshop.ts'
import { usageError } from '../../arguments.ts'
import { rowsOf } from '../../view/plan.ts'
import { describeField, type FieldPath, fieldPattern, filesIn, insideProject, isFree, readPicture, toPath } from './fields.ts'
import { priceShape } from './sprites.ts'
import { defineTool, errorShape, findPrices, nameList, type Tool, type ToolPorts } from './tool.ts'

const sprite = z.string().max(200)
const set = z
  .array(z.strictObject({ field: z.string().max(200).regex(fieldPattern), value: z.unknown() }))
  .max(50)
  .default([])
const written = z.object({ file: z.string(), difference: z.array(z.string()) })

/** Lines of a difference that are shown. */
const mostLines = 80
const mostValueLength = 20_000

/** An edit, with what the schema says of its field. */
interface AskedEdit {
  readonly field: string
  readonly path: FieldPath
  readonly value: unknown
  readonly isFree: boolean
}

/** Makes or edits a spec. */
export const writeSpec: Tool = defineTool({
  name: 'write_spec',
  description:
    'Makes a spec (needs prompt, and picture: a PNG, JPEG or WebP of the project, by its path from the root) or edits one. set: fields such as animations.walk.frames, prompt. Keeps comments, removes nothing. Answers the changed lines, the PAID fields among them, and what is to buy now. Buys nothing.',
  input: z.strictObject({ sprite, prompt: z.string().max(4000).optional(), picture: z.string().max(400).optional(), set }),
  output: written.extend({
    ...priceShape.partial().shape,
    created: z.boolean(),
    paid: z.array(z.string()),
    priceError: errorShape.optional(),
  }),
  writes: true,
  run: async ({ sprite: name, prompt, picture, set: asked }, ports) => {
    const all = [...(prompt === undefined ? [] : [{ field: 'prompt', value: prompt }]), ...asked]
    const edits = await readEdits(ports, all)
    const empty = edits.find(({ value }) => value === null || value === undefined)
    if (empty) throw usageError(`Expected a value for ${empty.field}, found none. This tool removes nothing. A person removes it.`)
    const bytes = picture === undefined ? undefined : await readPicture(ports, picture)
    const found = (await editFound(ports, name, edits, bytes)) ?? (await create(ports, name, edits, bytes))
    const paid = edits.filter((edit) => !edit.isFree).map(({ field }) => field)
    const { requests, total, usd, balance, service, priceError } = await findPrices(ports, [name])
    return { data: { ...found, paid: bytes ? ['reference', ...paid] : paid, requests, total, usd, balance, service, priceError } }
  },
})

/** Edits fields that never cost anything. */
export const editFree: Tool = defineTool({
  name: 'edit_free',
  description:
    'Edits FREE fields of a spec: animations.walk.fps, .use, .loop, .yoyo, .durations, .meant; size, anchor, borders, stabilize, pixelArt, trim … null resets a field. Refuses PAID fields. The running game shows it at once.',
  input: z.strictObject({ sprite, set }),
  output: written,
  writes: true,
  run: async ({ sprite: name, set: asked }, ports) => {
    const edits = await readEdits(ports, asked)
    const paid = edits.filter((edit) => !edit.isFree).map(({ field }) => field)
    if (paid.length > 0)
      throw usageError(`Expected FREE fields, found ${paid.join(', ')}. Nothing was written. A PAID field is for write_spec.`)
    const found = await editFound(ports, name, edits)
    if (!found)
      throw usageError(`Expected the name of a sprite whose spec is in order, found ${JSON.stringify(name)}. Nothing was written.`)
    return { data: { file: found.file, difference: found.difference } }
  },
})

/** Asks a person. */
export const requestApproval: Tool = defineTool({
  name: 'request_approval',
  description:
    'Asks a person to approve a purchase: which names (none: all that is not bought) and why. Returns at once. A person decides elsewhere, within a day. At most five requests are open. Ask once, then go on with other work.',
  input: z.strictObject({ names: nameList, why: z.string().min(1).max(500) }),
  output: z.object({ id: z.string(), names: z.array(z.string()), credits: z.string().optional(), decide: z.string() }),
  writes: true,
  run: async ({ names, why }, ports) => {
    const rows = rowsOf(await ports.withWorkshop((workshop) => workshop.status(names)))
    if (!rows.some(isToBuy)) throw usageError('Expected something that is not bought, found nothing. There is nothing to approve.')
    const { total: credits } = await findPrices(ports, names)
    const request = await ports.withWorkshop(({ requests }) => requests.add({ verb: 'approve', from: 'mcp', names, credits, why }))
    const command = ['npx spritewright approve', ...names.map(commandWord)].join(' ')
    const decide = `A person decides: in the panel of the dev server, or with ${command} in a terminal of their own.`
    return { data: { id: request.id, names, credits: request.credits, decide } }
  },
})

/** @throws `SW_USAGE` for a field that no spec has, or a whole part of a spec in place of its fields. */
async function readEdits(
  ports: ToolPorts,
  asked: readonly { readonly field: string; readonly value?: unknown }[],
): Promise<readonly AskedEdit[]> {
  const schema = await ports.specSchema()
  return asked.map(({ field, value }) => {
    const path = toPath(field)
    const description = describeField(schema, path)
    if (description === undefined || field === 'animations' || field === 'pictures' || !/^(?:FREE|PAID)/.test(description))
      throw usageError(
        `Expected a field of a spec such as animations.walk.fps, found ${JSON.stringify(field)}. Nothing was written. The tool explain describes a field.`,
        { field },
      )
    if (JSON.stringify(value ?? null).length > mostValueLength) throw usageError(`Expected a short value of ${field}, found a long one.`)
    return { field, path, value, isFree: isFree(description) }
  })
}

/** Edits a spec that is there. Returns `undefined` if the project has no valid one of this name. */
function editFound(
  ports: ToolPorts,
  name: string,
  edits: readonly AskedEdit[],
  picture?: Uint8Array,
): Promise<{ readonly file: string; readonly created: boolean; readonly difference: readonly string[] } | undefined> {
  return ports.withWorkshop(async (workshop) => {
    const { items, own, digests } = await workshop.overview()
    const spec = [...items, ...own].find((one) => one.spec.name === name)?.spec
    if (!spec) return undefined
    for (const path of edits.flatMap((edit) => filesIn(edit.path, edit.value))) insideProject(ports, dirname(spec.file), path)
    const whole = edits.find(
      ({ path }) => path.length === 2 && path[0] === 'animations' && spec.animations.some((one) => one.name === path[1]),
    )
    if (whole) throw usageError(`Expected the fields of "${whole.field}" one by one, found the whole of it. Nothing was written.`)
    const before = await readText(ports, spec.file)
    const { file } = await workshop.editSpec({
      sprite: name,
      digest: digests.get(spec.file) ?? '',
      edit: () => edits.map(({ path, value }): FieldEdit => (value === null ? { path } : { path, value: value as FieldValue })),
      ...(picture ? { picture } : {}),
    })
    return { file: toShown(ports, file), created: false, difference: difference(before, await readText(ports, file)) }
  })
}

/** Makes a new spec. */
async function create(
  ports: ToolPorts,
  name: string,
  edits: readonly AskedEdit[],
  picture: Uint8Array | undefined,
): Promise<{ readonly file: string; readonly created: boolean; readonly difference: readonly string[] }> {
  const { prompt, ...fields } = toObject(edits)
  if (picture === undefined || typeof prompt !== 'string')
    throw usageError(
      `Expected the name of a sprite whose spec is in order, or prompt and picture for a new one, found ${JSON.stringify(name)}. Nothing was written.`,
    )
  if (edits.some((edit) => filesIn(edit.path, edit.value).length > 0))
    throw usageError('Expected no path in set for a new sprite, found one. Nothing was written. Its picture is the input "picture".')
  const { file } = await ports.withWorkshop((workshop) => workshop.createSprite({ name, prompt, picture, fields }))
  return { file: toShown(ports, file), created: true, difference: difference('', await readText(ports, file)) }
}

/** The fields as one object of JSON. */
function toObject(edits: readonly AskedEdit[]): Readonly<Record<string, unknown>> {
  const whole: Record<string, unknown> = {}
  for (const { path, value } of edits) {
    const keys = path.map(String)
    const last = keys.pop() ?? ''
    let node = whole
    for (const key of keys) {
      const held = node[key]
      const next = (typeof held === 'object' && held !== null ? held : {}) as Record<string, unknown>
      node[key] = next
      node = next
    }
    node[last] = value
  }
  return whole
}

function toShown({ root }: ToolPorts, file: string): string {
  return relative(root, file).replaceAll('\\', '/')
}

async function readText({ host }: ToolPorts, file: string): Promise<string> {
  return decodeText(await host.disk.read(file))
}

/** The lines between the equal beginning and the equal end of two texts, each with `-` or `+`. */
function difference(before: string, after: string): readonly string[] {
  const [old, now] = [before, after].map((text) => (text === '' ? [] : text.trimEnd().split('\n'))) as [string[], string[]]
  while (old.length > 0 && now.length > 0 && old[0] === now[0]) {
    old.shift()
    now.shift()
  }
  while (old.length > 0 && now.length > 0 && old.at(-1) === now.at(-1)) {
    old.pop()
    now.pop()
  }
  return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)].slice(0, mostLines)
}
