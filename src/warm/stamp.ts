import { dirname, resolve } from 'node:path'
import type { WarmFiles } from '../host/warm-files.ts'
import { searchFor } from '../key-search.ts'
import { type Glance, isAsSeen, toGlance } from './glance.ts'

// Loaded by every run before anything else: it imports nothing that is not needed to find out that nothing has changed.

/** A run, as far as its outcome may rest on it. */
export interface WarmRun {
  /** What is asked for, where, and under which options: data that JSON shows wholly. */
  readonly asked: unknown
  /** Folder of what can be made again, absolute. */
  readonly cache: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The API key, for finding out that it gets into nothing; empty where there is none. */
  readonly key: string
  /** What makes another program of it: versions, platform, options of Node, whether the outputs are terminals. Where one of them is not known, no run is another's equal. */
  readonly program: readonly (string | undefined)[]
}

/** What a run saw of the world. */
export interface Sight {
  /** When it was made, milliseconds since the Unix epoch. */
  readonly at: number
  /** Path → SHA-256 of its bytes, and behind a space its {@link WarmFiles.mark} where no change could have hidden behind that: with the same mark it need not be read. What was read, and what was written. */
  readonly digests: Readonly<Record<string, string>>
  /** Path → {@link WarmFiles.mark} of files whose content is not kept in mind. */
  readonly marks: Readonly<Record<string, string>>
  /** Path → {@link WarmFiles.shape}. */
  readonly shapes: Readonly<Record<string, string>>
  /** Folder → SHA-256 of {@link WarmFiles.names}. */
  readonly names: Readonly<Record<string, string>>
  /** Folder → SHA-256 of {@link WarmFiles.specs}. */
  readonly specs: Readonly<Record<string, string>>
}

/**
 * What a build saw of the world, and what came of it. It stands for a build that bought, sent and asked nothing, and ended well with nothing open:
 * where a later one would see the same, the same would come of it.
 */
export interface Stamp extends Sight {
  /** What it printed on stdout, having printed nothing else; or the name of what was kept of it. */
  readonly outcome: string
}

/** What is looked at before the whole stamp is read: where all of that is as it was, so is the rest. */
interface StampHead extends Pick<Stamp, 'at' | 'outcome' | 'names' | 'specs'> {
  /** Every file that the stamp tells of; missing where one of them is known by its bytes alone. */
  readonly glance?: Glance
}

/** How long a stamp stands, milliseconds: whatever it does not see is looked at once a day. */
const longestMs = 24 * 60 * 60 * 1000

/** Raised whenever stamps say another thing than before. */
const stampForm = 4

/** Characters of a SHA-256 in hex. */
const digestLength = 64

const secretName = /KEY|TOKEN|SECRET|PASS/i
const heededName =
  /^(?:SPRITEWRIGHT_|VITE_|NODE_|JITI_|XDG_|(?:CI|NO_COLOR|FORCE_COLOR|TERM|HOME|USERPROFILE|LOCALAPPDATA|TMPDIR|TMP|TEMP|TZ)$)/

/**
 * Where the stamp of a run lies; undefined where such a run never has one: its key would be shipped, or stands where it does not belong.
 * The key itself goes into nothing: only whether there is one.
 */
export function stampFile(files: Pick<WarmFiles, 'digestText'>, run: WarmRun): string | undefined {
  const { isIn } = searchFor(run.key)
  if (run.program.includes(undefined)) return undefined
  const heeded: string[] = []
  for (const name of Object.keys(run.env)) {
    const value = run.env[name]
    if (value === undefined || !heededName.test(name)) continue
    const isSecret = secretName.test(name)
    // The ordinary way says what is wrong with it.
    if (name.startsWith('VITE_') && (isSecret || isIn(value))) return undefined
    if (!isSecret && isIn(value)) return undefined
    heeded.push(isSecret ? `${name}${value.trim() === '' ? ' empty' : ' set'}` : `${name}=${value}`)
  }
  const asked = JSON.stringify(run.asked)
  if (isIn(asked)) return undefined
  return resolve(run.cache, `${files.digestText(JSON.stringify([stampForm, asked, run.program, heeded.sort()]))}.stamp`)
}

/**
 * Leaves a stamp, and takes away those that stand no longer. None where it would hold the API key, by whatever chance; a folder that takes none is no failure.
 *
 * @param temp Path of a temporary file that nobody else has.
 */
export function leaveStamp(files: WarmFiles, file: string, stamp: Stamp, run: WarmRun, temp: string): void {
  files.removeOld(dirname(file), '.stamp', stamp.at - longestMs)
  const text = `${JSON.stringify(toHead(files, stamp))}\n${JSON.stringify(stamp)}`
  if (!searchFor(run.key).isIn(text)) files.write(file, temp, `${files.digestText(text)}\n${text}`)
}

function toHead(files: WarmFiles, { at, outcome, names, specs, digests, marks, shapes }: Stamp): StampHead {
  const marked = Object.fromEntries(Object.entries(digests).map(([path, seen]) => [path, seen.slice(digestLength + 1)]))
  const isMarked = Object.values(marked).every((mark) => mark !== '')
  return { at, outcome, names, specs, ...(isMarked ? { glance: toGlance(files, { ...marked, ...marks }, shapes) } : {}) }
}

/**
 * What would come of a build that would find everything as the one did that left a stamp in the file. Undefined where anything is different, missing, damaged or odd: then only the ordinary way knows.
 */
export function warmOutcome(files: WarmFiles, file: string, now: number): string | undefined {
  const stamp = readStamp(files, file)
  if (!stamp) return undefined
  const { at, outcome, names, specs, glance } = stamp.head
  const digested = (text: string | undefined): string | undefined => (text === undefined ? undefined : files.digestText(text))
  const isSame =
    now >= at &&
    now <= at + longestMs &&
    holds(names, (folder) => digested(files.names(folder))) &&
    holds(specs, (folder) => digested(files.specs(folder))) &&
    ((glance && isAsSeen(files, glance)) || isSameByBytes(files, stamp.whole()))
  return isSame ? outcome : undefined
}

/** Files that were copied, or checked out again, have other marks and the same bytes. */
function isSameByBytes(files: WarmFiles, { shapes, marks, digests }: Stamp): boolean {
  return (
    holds(shapes, files.shape) &&
    holds(marks, files.mark) &&
    isEvery(
      digests,
      (path, seen) => seen.slice(digestLength + 1) === files.mark(path) || seen.slice(0, digestLength) === files.digest(path),
    )
  )
}

/** What a stamp's file says, its head first; the rest is seldom asked for. */
function readStamp(files: WarmFiles, file: string): { readonly head: StampHead; whole(): Stamp } | undefined {
  const text = files.read(file)
  if (text === undefined || text[digestLength] !== '\n') return undefined
  const content = text.slice(digestLength + 1)
  if (files.digestText(content) !== text.slice(0, digestLength)) return undefined
  const end = content.indexOf('\n')
  return { head: JSON.parse(content.slice(0, end)) as StampHead, whole: () => JSON.parse(content.slice(end + 1)) as Stamp }
}

function holds(expected: Readonly<Record<string, string>>, look: (path: string) => string | undefined): boolean {
  return isEvery(expected, (path, seen) => look(path) === seen)
}

function isEvery(expected: Readonly<Record<string, string>>, fits: (path: string, seen: string) => boolean): boolean {
  for (const path in expected) if (!fits(path, expected[path] as string)) return false
  return true
}
