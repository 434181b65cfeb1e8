import { z } from 'zod'
import { spriteName } from '../panel/server/request-schemas.ts'

/** What a page has loaded. */
interface Having {
  /** Of the sprites that the page has just imported, by name. */
  readonly stamps: Readonly<Record<string, string>>
  /** Names of all sprites that the page knows, if it is to know all that exist. */
  readonly all?: readonly string[] | undefined
}

/** Why a page reloads. */
interface Reload {
  readonly why: string
}

/** Most sprites that one message names. */
const mostSprites = 20_000

/** Counts before anything else is checked: a frame may have 100 MB, and each wrong entry would get a complaint. */
const few = z.custom<object>((value) => typeof value === 'object' && value !== null && Object.keys(value).length <= mostSprites)

const having: z.ZodType<Having> = z.object({
  stamps: few.pipe(z.record(spriteName, z.string().max(64))),
  all: few.pipe(z.array(spriteName)).optional(),
})

const reload: z.ZodType<Reload> = z.object({ why: z.string().min(1).max(1000) })

/**
 * Reads the data of a `spritewright:have`. Whoever reaches the server may send any data.
 *
 * @returns Undefined for anything but that message.
 */
export function parseHaving(data: unknown): Having | undefined {
  return having.safeParse(data).data
}

/**
 * Reads the data of a `spritewright:reload`. Whoever reaches the server may send any data.
 *
 * @returns Undefined for anything but that message.
 */
export function parseReload(data: unknown): Reload | undefined {
  return reload.safeParse(data).data
}
