import { join } from 'node:path'
import { z } from 'zod'
import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { publish } from '../host/publish.ts'
import { escapeText } from '../host/terminal.ts'

/** The verbs that a program may only ask a person for. */
export const askedVerbs = ['approve', 'recover', 'trust', 'answer'] as const

/**
 * Something that a program asks a person to decide. It is text to show, and nothing is done because of it. Its texts
 * come from the program: control characters and marks of the reading direction are escaped in them.
 */
export interface PersonRequest {
  readonly id: string
  /** When it was made, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly verb: (typeof askedVerbs)[number]
  /** Sprites or animations; empty for all. For `trust`, the address or the key. At most 200. */
  readonly names: readonly string[]
  /** Estimated credits as decimal text, if they are known. */
  readonly credits?: string | undefined
  /** The program's reason, at most 500 characters. */
  readonly why: string
  /** `mcp`: by a tool of `spritewright mcp`. `shell`: a refused command in the shell of a coding agent. */
  readonly from: 'mcp' | 'shell'
}

/** The open requests of a project on this machine. */
export interface PersonRequests {
  /** The open requests, at most five, the oldest first. Each ends after a day. */
  list(): Promise<readonly PersonRequest[]>
  /**
   * Adds a request. If an equal one is open, returns that one.
   *
   * @throws `SW_USAGE` if five others are open.
   */
  add(request: Omit<PersonRequest, 'id' | 'at'>): Promise<PersonRequest>
  /** Removes a request, since a person has decided. */
  remove(id: string): Promise<void>
}

/** How long a request stays open, in milliseconds. */
const lifeMs = 24 * 3_600_000
const mostOpen = 5
/** Of a request's file. */
const mostBytes = 2_000_000
const mostNames = 200
const longestName = 400
const longestReason = 500

// An escaped character is longer than the character.
const textOf = (most: number) =>
  z
    .string()
    .max(6 * most)
    .transform(escapeText)
const fileSchema = z.strictObject({
  id: z.uuid(),
  at: z.number(),
  verb: z.enum(askedVerbs),
  names: z.array(textOf(longestName)).max(mostNames),
  credits: z.string().max(20).transform(escapeText).optional(),
  why: textOf(longestReason),
  from: z.enum(['mcp', 'shell']),
})

/**
 * Opens the requests. They are files in the user's state folder, outside the project, so none comes with a commit.
 * Files are read at each call, not before.
 *
 * @param place Names the project on this machine.
 */
export function openPersonRequests(
  { disk, random, clock, stateFolder }: Pick<Host, 'disk' | 'random' | 'clock' | 'stateFolder'>,
  place: string,
): PersonRequests {
  const folder = join(stateFolder, 'requests', place)
  const pathOf = (id: string): string => join(folder, `${id}.json`)
  const read = async (file: string): Promise<readonly PersonRequest[]> => {
    try {
      // A pipe has no bytes, and would be waited for.
      const { bytes = 0 } = (await disk.stat(join(folder, file))) ?? {}
      if (bytes === 0 || bytes > mostBytes) return []
      const request = fileSchema.parse(JSON.parse(new TextDecoder().decode(await disk.read(join(folder, file)))))
      if (file !== `${request.id}.json`) return []
      // The clock may have been ahead when the request was made.
      if (Math.abs(clock.wall() - request.at) < lifeMs) return [request]
      await disk.remove(pathOf(request.id))
      return []
    } catch {
      // A torn file, or one of another program, asks for nothing.
      return []
    }
  }
  const list = async (): Promise<readonly PersonRequest[]> => {
    if (!(await disk.stat(folder))) return []
    const files = (await disk.list(folder)).filter((file) => file.endsWith('.json'))
    const all = (await Promise.all(files.map(read))).flat().sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    // Another program may have written more files.
    return all.slice(0, mostOpen)
  }
  const termsOf = ({ verb, names, why }: PersonRequest): string => JSON.stringify([verb, names, why])
  return {
    list,
    add: async (asked) => {
      const cut = (text: string, most: number): string => [...text].slice(0, most).join('')
      const names = asked.names.slice(0, mostNames).map((name) => cut(name, longestName))
      const why = cut(asked.why, longestReason)
      const request = fileSchema.parse({ ...asked, names, why, id: random.uuid(), at: clock.wall() })
      const open = await list()
      const equal = open.find((one) => termsOf(one) === termsOf(request))
      if (equal) return equal
      if (open.length >= mostOpen) {
        throw new SpritewrightError('SW_USAGE', {
          message: `Expected at most ${mostOpen} open requests to a person, found ${open.length}. Nothing was added. Wait until a person has decided, in the panel or with npx spritewright approve, or until the oldest ends a day after it was made.`,
          facts: { open: open.length },
        })
      }
      await publish(disk, random, pathOf(request.id), new TextEncoder().encode(`${JSON.stringify(request, null, 2)}\n`))
      return request
    },
    remove: (id) => disk.remove(pathOf(id)),
  }
}
