import { z } from 'zod'
import { SpritewrightError } from '../../../src/index.ts'
import type { PanelActions } from '../../protocol/actions.ts'

/** The names of the panel's actions. */
export type ActionName = keyof PanelActions

/** The validated request of an action. */
export type ActionRequest<Name extends ActionName> = Loose<PanelActions[Name]['asks']>

/** The same type, in which an optional property may be `undefined` too. */
type Loose<T> = T extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : T extends object
    ? string extends keyof T
      ? { readonly [K in keyof T]: Loose<T[K]> }
      : { readonly [K in keyof T]: Loose<T[K]> | (Record<never, never> extends Pick<T, K> ? undefined : never) }
    : T

/** Largest body of a request in bytes: those with a picture, one with thousands of lines, and any other. */
const longestBody = {
  answer: 12 * 1024 * 1024,
  create: 12 * 1024 * 1024,
  reword: 12 * 1024 * 1024,
  approve: 4 * 1024 * 1024,
  other: 256 * 1024,
} as const

/** The name of a sprite. */
export const spriteName: z.ZodString = z.string().min(1).max(400)

const name = spriteName
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const credits = z.string().regex(/^\d{1,15}(?:\.\d{1,4})?$/)
const text = z.string().min(1).max(20_000)
/** A picture of at most 8 MiB. */
const base64 = z.base64().max(11_184_812)
const target = { id: name, digest }
const paid = { id: name, hash: digest }
const serviceId = z.string().min(1).max(400)
const offer = { ids: z.array(name).max(10_000), ceiling: credits.optional(), adopt: z.boolean().optional() }
// The prompt of a line is for display only: its hash covers it.
const lines = z.array(z.object({ id: name, hash: digest, price: credits, ceiling: credits })).max(20_000)
// The ranges of a spec's fields are not checked here: the schema of specs reads the edited spec before it is
// written.
const animation = z.strictObject({
  fps: z.number().nullable().optional(),
  loop: z.boolean().nullable().optional(),
  yoyo: z.boolean().nullable().optional(),
  durations: z.array(z.number()).nullable().optional(),
  meant: z.array(z.string().max(40)).max(40).nullable().optional(),
})

const asks: { readonly [Name in ActionName]: z.ZodType<ActionRequest<Name>> } = {
  quote: z.strictObject({}) as z.ZodType<ActionRequest<'quote'>>,
  offer: z.strictObject(offer),
  approve: z.strictObject({ ...offer, lines, sum: credits }),
  answer: z.strictObject({
    ...paid,
    questionId: serviceId,
    text,
    asset: z.strictObject({ name: z.string().max(400), base64 }).optional(),
  }),
  revoke: z.strictObject(paid),
  take: z.strictObject(target),
  'choose-take': z.strictObject({ ...target, take: z.number() }),
  use: z.strictObject({ ...target, use: z.array(z.number()).nullable() }),
  edit: z.strictObject({
    sprite: name,
    digest,
    size: z
      .union([z.number(), z.strictObject({ width: z.number(), height: z.number() }), z.strictObject({ figure: z.number() })])
      .nullable()
      .optional(),
    anchor: z.strictObject({ x: z.number(), y: z.number() }).nullable().optional(),
    animations: z.record(name, animation).optional(),
  }),
  reword: z.strictObject({
    sprite: name,
    digest,
    prompt: text.optional(),
    picture: base64.optional(),
    animations: z.record(name, z.strictObject({ prompt: text.nullable().optional(), frames: z.number().optional() })).optional(),
  }),
  add: z.strictObject({ sprite: name, digest, name, prompt: text, frames: z.number() }),
  undo: z.strictObject({ sprite: name, digest }),
  create: z.strictObject({ name, prompt: text, picture: base64 }),
  recover: z.strictObject({
    ...paid,
    decision: z.enum(['replay', 'abandon']),
    attempt: z.int().min(1).max(1_000_000),
    about: z.enum(['submission', 'answer', 'conflict', 'execution']),
    executionId: serviceId.optional(),
  }),
  cancel: z.strictObject(paid),
}

/** Whether the last part of a path names an action. */
export function isAction(name: string): name is ActionName {
  return Object.hasOwn(asks, name)
}

/** Maximum size of the body of an action, in bytes. */
export function bodyLimit(action: ActionName): number {
  return Object.hasOwn(longestBody, action) ? longestBody[action as keyof typeof longestBody] : longestBody.other
}

/**
 * Parses the body of a request.
 *
 * @throws `SW_USAGE` if it is not the JSON that the action takes.
 */
export function parseRequest<Name extends ActionName>(action: Name, body: Uint8Array): ActionRequest<Name> {
  const usage = (found: string): SpritewrightError =>
    new SpritewrightError('SW_USAGE', { message: `Expected what "${action}" takes, found ${found}. Reload the panel.`, facts: { action } })
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw usage('no JSON')
  }
  const checked = asks[action].safeParse(json)
  if (checked.success) return checked.data as ActionRequest<Name>
  const [issue] = checked.error.issues
  throw usage(`${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'something else'}`)
}
