import { z } from 'zod'
import { spriteName } from '../protocol/actions.ts'

/** Maximum number of sprites in one message. */
const mostSprites = 20_000

/**
 * Checks the number of entries before anything else: a frame may have 100 MB, and each wrong entry would
 * produce an issue.
 */
const few = z.custom<object>((value) => typeof value === 'object' && value !== null && Object.keys(value).length <= mostSprites)

/** The sprites that a page has loaded. */
const loadedSprites = z.object({
  /** Stamps of the sprites that the page has just imported, by name. */
  stamps: few.pipe(z.record(spriteName, z.string().max(64))),
  /** Names of all sprites that the page knows, if it needs all that exist. */
  all: few.pipe(z.array(spriteName)).optional(),
})

/** The reason for which a page reloads. */
const reload = z.object({ why: z.string().min(1).max(1000) })

/**
 * Reads the data of a `spritewright:have`. Any client of the server may send any data.
 *
 * @returns `undefined` if the data is not that message.
 */
export function parseLoadedSprites(data: unknown): z.output<typeof loadedSprites> | undefined {
  return loadedSprites.safeParse(data).data
}

/**
 * Reads the data of a `spritewright:reload`. Any client of the server may send any data.
 *
 * @returns `undefined` if the data is not that message.
 */
export function parseReload(data: unknown): z.output<typeof reload> | undefined {
  return reload.safeParse(data).data
}
