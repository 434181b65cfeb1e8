import { z } from 'zod'
import { pageFormats } from '../../atlas/format-abilities.ts'
import { formatNames, isFormatName } from '../../atlas/format-names.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'
import { isCreditsText } from '../credit/credits.ts'
import { parseDuration } from '../plain-options.ts'
import type { ValuePath } from '../spec/document.ts'
import { formatPath, nearestName, toFaults } from '../spec/schema-faults.ts'
import type { OptionIssue } from './atlas.ts'
import { baseUrlWords, parseBaseUrl } from './base-url.ts'

const whole = (minimum: number, maximum: number): z.ZodNumber => {
  const error = `a whole number from ${minimum} to ${maximum}`
  return z.int({ error }).min(minimum, { error }).max(maximum, { error })
}
const text = (error: string): z.ZodString => z.string({ error }).regex(/\S/, { error })
const creditWords = 'credits with at most four decimals, like 2.4 or "2.4"'
// A number is taken by its shortest decimal text, which is what its author wrote; money never passes through arithmetic on floats.
const credits = z
  .union([z.string(), z.number()], { error: creditWords })
  .refine((value) => isCreditsText(String(value)), { error: creditWords })
const durationWords = "a duration up to 24 hours like '10m', '2s', '500ms' or '1h'"
const ownFormatWords = 'or a format of your own: { name: "my-format", write(atlases) { ... } }'
const ownNameWords = 'a name of its own in small letters, digits and hyphens, a letter first'
const patternWords = 'a glob, or a list of globs'
const encodingNames = pageFormats.map((name) => `"${name}"`)
const encodingWords = `${encodingNames.join(', ')}, or a list of several, each once`
const encoding = z.enum(pageFormats, { error: `one of ${encodingNames.join(', ')}` })
const encodings = z
  .array(encoding, { error: encodingWords })
  .min(1, { error: 'at least one encoding' })
  .refine((list) => new Set(list).size === list.length, { error: 'each encoding once' })
const qualityWords = 'a whole number from 1 to 100, or { webp, avif, ktx2 } with one each'
const percent = whole(1, 100).optional()
const quality = z.strictObject({ webp: percent, avif: percent, ktx2: percent }, { error: qualityWords })

const serviceShape = {
  baseUrl: z.string({ error: baseUrlWords }).refine((value) => parseBaseUrl(value) !== undefined, { error: baseUrlWords }),
  profile: z.custom<object>((value) => typeof value === 'object' && value !== null, { error: 'a profile object' }).optional(),
}
const shapes = {
  service: z.strictObject(serviceShape, { error: 'an object with "baseUrl"' }),
  approval: z.strictObject(
    { perSprite: credits.optional(), perRun: credits.optional(), total: credits.optional() },
    { error: 'an object of ceilings: perSprite, perRun, total' },
  ),
  build: z.strictObject(
    {
      generate: z.enum(['approved', 'never'], { error: '"approved" or "never"' }).optional(),
      unbought: z.enum(['error', 'placeholder'], { error: '"error" or "placeholder"' }).optional(),
    },
    { error: 'an object: generate, unbought' },
  ),
  placeholders: z.strictObject({ mark: z.boolean({ error: 'true or false' }).optional() }, { error: 'an object: mark' }),
  store: z.strictObject(
    { dir: text('the path of a folder').optional(), shared: text('the path of a folder').optional() },
    { error: 'an object: dir, shared' },
  ),
  cache: z.strictObject({ maxBytes: whole(0, 2 ** 50).optional() }, { error: 'an object: maxBytes' }),
  atlas: z.strictObject(
    {
      maxSize: whole(64, 16_384).optional(),
      format: z.union([encoding, encodings], { error: encodingWords }).optional(),
      quality: z.union([whole(1, 100), quality], { error: qualityWords }).optional(),
      level: whole(0, 9).optional(),
      ktx2: z.enum(['uastc', 'etc1s'], { error: '"uastc" or "etc1s"' }).optional(),
      hull: whole(4, 64).optional(),
      palette: z.enum(['exact', 'close'], { error: '"exact" or "close"' }).optional(),
      rotate: z.boolean({ error: 'true or false' }).optional(),
      stable: z.boolean({ error: 'true or false' }).optional(),
    },
    { error: 'an object: maxSize, format, quality, level, ktx2, hull, palette, rotate, stable' },
  ),
  limits: z.strictObject(
    {
      windowMs: whole(1, 3_600_000).optional(),
      post: whole(1, 10_000).optional(),
      get: whole(1, 10_000).optional(),
      download: whole(1, 10_000).optional(),
      activeJobs: whole(1, 1000).optional(),
      streams: whole(1, 1000).optional(),
    },
    { error: 'an object of limits' },
  ),
}
const optionsShape = {
  specs: z.union([text(patternWords), z.array(text('a glob')).min(1, { error: 'at least one glob' })], { error: patternWords }).optional(),
  engine: z.enum(['phaser', 'pixi'], { error: '"phaser" or "pixi"' }).optional(),
  formats: z
    .array(z.unknown(), { error: 'a list of formats, by name or of your own' })
    .superRefine((list, context) => {
      for (const [at, { path, words }] of formatFaults(list)) context.addIssue({ code: 'custom', path: [at, ...path], message: words })
    })
    .optional(),
  service: z.union([z.literal('embedded'), shapes.service], { error: '"embedded" or { "baseUrl" }' }).optional(),
  approval: shapes.approval.optional(),
  build: shapes.build.optional(),
  placeholders: shapes.placeholders.optional(),
  store: shapes.store.optional(),
  cache: shapes.cache.optional(),
  atlas: shapes.atlas.optional(),
  limits: shapes.limits.optional(),
  replayWindow: z
    .string({ error: durationWords })
    .refine((value) => parseDuration(value) !== undefined, { error: durationWords })
    .optional(),
}
const optionsSchema = z.strictObject(optionsShape, { error: 'an object of options' })

/** What is wrong with options, in words; empty when nothing is. What stands under `service` is never shown: it may hold a secret. */
export function optionIssues(options: unknown): OptionIssue[] {
  const checked = optionsSchema.safeParse(options)
  if (checked.success) return []
  return toFaults(checked.error.issues, options, unknownOptionWords).map(({ path, expected, found, isAtKey }) => ({
    path: formatPath(path),
    expected,
    found: path[0] === 'service' && !isAtKey ? 'something else' : found,
  }))
}

/** What is wrong with entries of `formats`, by their place in the list. */
function formatFaults(list: readonly unknown[]): Map<number, { path: readonly string[]; words: string }> {
  const faults = new Map<number, { path: readonly string[]; words: string }>()
  const taken = new Set<string>(formatNames)
  for (const [at, entry] of list.entries()) {
    if (typeof entry === 'string' && isFormatName(entry)) continue
    if (!isOwnFormat(entry)) faults.set(at, { path: [], words: formatWords(entry) })
    else if (!/^[a-z][a-z0-9-]{0,39}$/.test(entry.name) || taken.has(entry.name)) faults.set(at, { path: ['name'], words: ownNameWords })
    else if (entry.pages !== undefined && entry.pages !== 'beside' && entry.pages !== 'pixels')
      faults.set(at, { path: ['pages'], words: '"beside" or "pixels"' })
    else if (entry.draws !== undefined && !encodings.safeParse(entry.draws).success)
      faults.set(at, { path: ['draws'], words: `a list of encodings: ${encodingNames.join(', ')}` })
    else taken.add(entry.name)
  }
  return faults
}

function isOwnFormat(entry: unknown): entry is EngineFormat {
  const { name, write } = (typeof entry === 'object' && entry !== null ? entry : {}) as { name?: unknown; write?: unknown }
  return typeof name === 'string' && typeof write === 'function'
}

function formatWords(entry: unknown): string {
  const near = typeof entry === 'string' ? nearestName(entry, formatNames) : undefined
  return near === undefined ? `one of ${formatNames.join(', ')}, ${ownFormatWords}` : `a known format: did you mean "${near}"?`
}

function unknownOptionWords(path: ValuePath): string {
  const name = String(path.at(-1))
  if (/key|token|secret/i.test(name))
    return 'no such option: the API key is read from SPRITEWRIGHT_API_KEY only, never from a file that could be committed'
  const group = path.length > 1 && Object.hasOwn(shapes, String(path[0])) ? shapes[path[0] as keyof typeof shapes] : undefined
  const known = path.length === 1 ? Object.keys(optionsShape) : Object.keys(group?.shape ?? {})
  const near = nearestName(name, known)
  return near === undefined ? `one of ${known.join(', ')}` : `a known option: did you mean "${near}"?`
}
