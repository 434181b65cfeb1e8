import { pageFormats } from '../atlas/format-abilities.ts'
import { isFormatName } from '../atlas/format-names.ts'
import { isCreditsText } from './credit/credits.ts'
import { parseBaseUrl } from './options/base-url.ts'
import { type Check, isFlag, isList, isWhole, isWords } from './spec/plain-checks.ts'
import { isFields } from './spec/plain-json.ts'

/**
 * Whether options are plainly in order, told without the schema, which takes longer to load than all else that a build begins with.
 *
 * Where it says yes, `optionIssues` finds nothing. Where it says no, that one says whether anything is wrong, and what.
 */
export function arePlainOptions(options: unknown): boolean {
  return areOptions(options)
}

/** An object of these fields and no others. Any of them may be left out. */
const group =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isFields(value) &&
    Object.keys(value).every((name) => Object.hasOwn(checks, name) && (value[name] === undefined || checks[name]?.(value[name]) === true))
const whole =
  (minimum: number, maximum: number): Check =>
  (value) =>
    isWhole(value, minimum, maximum)
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value)
const isCredits: Check = (value) => (typeof value === 'string' || typeof value === 'number') && isCreditsText(String(value))
const isEncoding = oneOf(...pageFormats)
const isPercent = whole(1, 100)
const areQualities = group({ webp: isPercent, avif: isPercent, ktx2: isPercent })

function isService(value: unknown): boolean {
  if (value === 'embedded') return true
  if (!isFields(value) || typeof value.baseUrl !== 'string' || parseBaseUrl(value.baseUrl) === undefined) return false
  return Object.keys(value).every((name) => name === 'baseUrl')
}

const areOptions = group({
  specs: (value) => isWords(value) || isList(value, 1, Number.POSITIVE_INFINITY, isWords),
  engine: oneOf('phaser', 'pixi'),
  // Formats of one's own are left to the schema, and so are profiles of a service.
  formats: (value) => isList(value, 0, Number.POSITIVE_INFINITY, (name) => typeof name === 'string' && isFormatName(name)),
  service: isService,
  approval: group({ perSprite: isCredits, perRun: isCredits, total: isCredits }),
  build: group({ generate: oneOf('approved', 'never'), unbought: oneOf('error', 'placeholder') }),
  placeholders: group({ mark: isFlag }),
  store: group({ dir: isWords, shared: isWords }),
  cache: group({ maxBytes: whole(0, 2 ** 50) }),
  atlas: group({
    maxSize: whole(64, 16_384),
    format: (value) =>
      isEncoding(value) || (isList(value, 1, Number.POSITIVE_INFINITY, isEncoding) && new Set(value).size === value.length),
    quality: (value) => isPercent(value) || areQualities(value),
    level: whole(0, 9),
    ktx2: oneOf('uastc', 'etc1s'),
    hull: whole(4, 64),
    palette: oneOf('exact', 'close'),
    rotate: isFlag,
    stable: isFlag,
  }),
  limits: group({
    windowMs: whole(1, 3_600_000),
    post: whole(1, 10_000),
    get: whole(1, 10_000),
    download: whole(1, 10_000),
    activeJobs: whole(1, 1000),
    streams: whole(1, 1000),
  }),
  replayWindow: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
})

/** Milliseconds of `500ms`, `2s`, `10m`, `1h`, `1.5h`; undefined for anything else, and above 24 hours. */
export function parseDuration(duration: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(duration.trim())
  if (!match) return undefined
  const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] as 'ms' | 's' | 'm' | 'h']
  const ms = Math.round(Number(match[1]) * unitMs)
  return ms <= 24 * 3_600_000 ? ms : undefined
}
