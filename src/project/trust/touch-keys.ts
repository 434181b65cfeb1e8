import { join } from 'node:path'
import { z } from 'zod'
import type { KeyRing, SigningKey } from '../../credit/signing-key.ts'
import { type EnrolledKey, parseTouchKey, type TouchKey, wordOf } from '../../credit/touch.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { replaceFile } from '../../host/publish.ts'
import { listOf } from './approvers.ts'

/** Environment variable with keys of authenticators. It is never read from a `.env` file. */
export const touchKeysName = 'SPRITEWRIGHT_TOUCH_KEYS'

/** An authenticator whose touches count here, and why. */
export interface ListedTouchKey extends EnrolledKey {
  /** `ES256.CREDENTIAL.SPKI`, as `SPRITEWRIGHT_TOUCH_KEYS` takes it. */
  readonly key: string
  /** Ten letters that tell keys apart. */
  readonly word: string
  readonly source: 'environment' | 'terminal'
  /** When it was enrolled at a terminal, ISO 8601. */
  readonly enrolledAt?: string | undefined
}

/** The authenticators whose touches count on this machine. No file of a project can add one. */
export interface TouchKeys {
  /** @throws `SW_CONFIG` for a text that is no key, and for a file that this user's own runs did not write. */
  list(): Promise<readonly ListedTouchKey[]>
  /** Enrols a key. Callers ask a person first. */
  add(key: string): Promise<void>
  /** Removes an enrolled key. Returns whether it was enrolled at a terminal. */
  remove(key: string): Promise<boolean>
  /**
   * Remembers the counter of a touch.
   *
   * @param at Time of the newest approval of that touch.
   */
  see(credential: string, counter: number, at: string): Promise<void>
}

const fileSchema = z.object({
  keys: z.array(z.object({ key: z.string(), at: z.string() })),
  seen: z.array(z.object({ credential: z.string(), counter: z.int(), at: z.string() })),
})
type Enrolments = z.infer<typeof fileSchema>

/** Opens the list. Its file is in the user's state folder, sealed with the user's key, and read at each call. */
export function openTouchKeys(
  { disk, random, clock, env, stateFolder }: Pick<Host, 'disk' | 'random' | 'clock' | 'env' | 'stateFolder'>,
  keys: KeyRing,
): TouchKeys {
  const pathOf = ({ fingerprint }: SigningKey): string => join(stateFolder, 'touch-keys', `${fingerprint.slice(0, 16)}.json`)
  const textOf = (file: Enrolments): string => JSON.stringify(['spritewright touch keys 1', file])
  const read = async (): Promise<Enrolments> => {
    const key = await keys.read()
    if (!key || !(await disk.stat(pathOf(key)))) return { keys: [], seen: [] }
    try {
      const json = JSON.parse(new TextDecoder().decode(await disk.read(pathOf(key)))) as { readonly seal?: string }
      const file = fileSchema.parse(json)
      if (key.isSealOf(json.seal, textOf(file))) return file
    } catch {
      // Refused below.
    }
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected ${pathOf(key)} to list the authenticators that you have enrolled, sealed with your key; found something else. Remove it, and enrol them again: npx spritewright trust --touch KEY`,
      facts: { file: pathOf(key) },
    })
  }
  const change = async (make: (file: Enrolments) => Enrolments): Promise<void> => {
    const key = await keys.readOrMake()
    const file = make(await read())
    const text = JSON.stringify({ ...file, seal: key.seal(textOf(file)) }, null, 2)
    await replaceFile(disk, random, pathOf(key), new TextEncoder().encode(`${text}\n`))
  }
  return {
    list: async () => {
      const { keys: enrolled, seen } = await read()
      const listed = (key: string, source: ListedTouchKey['source'], enrolledAt?: string): ListedTouchKey => {
        const parsed = readTouchKey(key, 'SW_CONFIG')
        const counted = seen.find(({ credential }) => credential === parsed.credential)
        return { ...parsed, key, word: wordOf(parsed), source, enrolledAt, seen: counted }
      }
      // A program can set the variables of its own processes. So they name a key only where a person has enrolled none.
      if (enrolled.length > 0) return enrolled.map(({ key, at }) => listed(key, 'terminal', at))
      return listOf(env[touchKeysName]).map((key) => listed(key, 'environment'))
    },
    add: (key) => {
      const one = { key, at: new Date(clock.wall()).toISOString() }
      return change((file) => ({ ...file, keys: [...file.keys.filter((other) => other.key !== key), one] }))
    },
    remove: async (key) => {
      const isEnrolled = (await read()).keys.some((one) => one.key === key)
      if (isEnrolled) await change((file) => ({ ...file, keys: file.keys.filter((one) => one.key !== key) }))
      return isEnrolled
    },
    see: (credential, counter, at) =>
      change(({ seen, ...file }) => {
        const [before, others] = [seen.find((one) => one.credential === credential), seen.filter((one) => one.credential !== credential)]
        // The clock may have been ahead at the touch before.
        return { ...file, seen: [...others, { credential, counter, at: before && before.at > at ? before.at : at }] }
      }),
  }
}

/**
 * Reads a key: `ES256.CREDENTIAL.SPKI`.
 *
 * @throws the code, for any other text.
 */
export function readTouchKey(text: string, code: 'SW_CONFIG' | 'SW_USAGE'): TouchKey {
  const key = parseTouchKey(text)
  if (key) return key
  throw new SpritewrightError(code, {
    message: `Expected a key like ES256.CREDENTIAL.SPKI, as the panel and npx spritewright trust show it, found ${JSON.stringify(text.slice(0, 80))}. Correct it, in ${touchKeysName} or on the command line.`,
    facts: { found: text.slice(0, 80) },
  })
}
