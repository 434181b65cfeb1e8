import { z } from 'zod'
import { type FormatName, formatNames, type PageFormat } from '../../atlas/format-abilities.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'
import { pageSide } from '../../atlas/limits.ts'
import { isCreditsText, parseCredits } from '../credit/credits.ts'
import { waysOfGiving } from '../credit/given.ts'
import { defaultLimits, type Limits } from '../service/limits/limits.ts'
import { type Profile, profileParts } from '../service/profile.ts'
import type { ValuePath } from '../sprite-spec/document.ts'
import { filledText, flag, toEditorSchema, wholeNumber } from '../sprite-spec/fields.ts'
import { nearestName } from '../sprite-spec/nearest.ts'
import { formatPath, toFaults, valueAt } from '../sprite-spec/schema-faults.ts'
import type { OptionIssue } from './atlas.ts'
import { encoding, encodings, encodingWords, formatFaults } from './formats.ts'
import * as values from './values.ts'

/** An engine for which atlases are written. */
export type Engine = 'phaser' | 'pixi'

/** The published limits of the service. */
export interface ResolvedLimits extends Limits {
  /**
   * Jobs that run at the same time.
   *
   * @default 2
   */
  readonly activeJobs: number
}

/** The limits that the service publishes. */
export const publishedLimits: ResolvedLimits = { ...defaultLimits, activeJobs: 2 }

/** How long a submission of unknown outcome may be sent again without a person's decision. */
export const defaultReplayWindow: string = '10m'

const creditWords = 'credits with at most four decimals, like 2.4 or "2.4"'
// A number is converted to its shortest decimal text, which is what its author wrote. No float arithmetic is done
// with money.
const credits = z
  .union([z.string(), z.number()], { error: creditWords })
  .refine((value) => isCreditsText(String(value)), { error: creditWords })
  .transform((value) => parseCredits(String(value)))
  .optional()
const durationWords = "a duration up to 24 hours like '10m', '2s', '500ms' or '1h'"
const typingsWords = 'the path of a .d.ts file'
const patternWords = 'a glob, or a list of globs'
const qualityWords = 'a whole number from 1 to 100, or { webp, avif, ktx2 } with one each'
const percent = wholeNumber(1, 100)
const quality = z.strictObject({ webp: percent.optional(), avif: percent.optional(), ktx2: percent.optional() }, { error: qualityWords })

const part = z.custom((value) => typeof value === 'function', { error: 'a function' }).optional()
// A profile has functions, so no JSON value is a profile.
const profile: z.ZodType<Partial<Profile> | undefined> = z
  .strictObject(Object.fromEntries(profileParts.map((name) => [name, part])), { error: 'a profile object' })
  .optional()
  .meta({ not: {}, description: "Differences between your service's wire format and the published one, as functions. Default: none." })

/** A text that a function parses. If the function returns `undefined`, the text is invalid. */
function textReadBy<T>(read: (text: string) => T | undefined, error: string): z.ZodPipe<z.ZodString, z.ZodTransform<T, string>> {
  return z
    .string({ error })
    .refine((text) => read(text) !== undefined, { error })
    .transform((text) => read(text) as T)
}

/** One value, or a list of values, as a list. */
function toList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T]
}

/** Groups of options. Their fields have the defaults. A missing group counts as an empty one. */
const shapes = {
  service: z.strictObject(
    {
      baseUrl: textReadBy(values.parseBaseUrl, values.baseUrlWords)
        .optional()
        .describe('Address of the service. Default: `SPRITEWRIGHT_BASE_URL`.'),
      queue: textReadBy(values.parseQueueAddress, values.queueWords)
        .optional()
        .describe(
          'Queue through which a worker buys for machines without an API key: `redis://host:port/number`, `rediss://…` or `postgres://host/database`. Default: none.',
        ),
      profile,
    },
    { error: 'an object with "baseUrl" or "queue"' },
  ),
  approval: z.strictObject(
    {
      perSprite: credits.describe(
        'Standing ceiling in credits: a build buys a sprite without an approval of its own if all its missing animations cost at most this. Default: none.',
      ),
      perRun: credits.describe(
        'Limit in credits of everything that one run buys. A sprite that would exceed it needs an approval of its own. Default: none.',
      ),
      total: credits.describe('Limit in credits of all purchases of the project. Default: none.'),
      accept: z
        .array(z.enum(waysOfGiving), { error: `a list of ${waysOfGiving.join(', ')}` })
        .min(1)
        .optional()
        .describe(
          'Ways of approving that count: `"touched"`, `"typed"`, `"clicked"`, `"unattended"`, `"standing"`. It only tightens: ways that `SPRITEWRIGHT_APPROVALS` leaves out do not count, nor ways that an earlier run on this machine found left out, until a person accepts them with `approve --standing`. Where only `"touched"` counts, that command accepts no others. Default: all.',
        ),
      validFor: textReadBy(values.parseLife, values.lifeWords)
        .optional()
        .describe(
          'How long an approval that was not used stays valid, e.g. `"7d"`, `"12h"`. At most 30 days, or the time in `SPRITEWRIGHT_VALID_FOR` of the environment. Default: `"30d"`.',
        ),
    },
    { error: 'an object of perSprite, perRun, total, validFor, accept' },
  ),
  build: z.strictObject(
    {
      generate: z
        .enum(['approved', 'never'], { error: '"approved" or "never"' })
        .optional()
        .describe(
          '`"approved"`: a build buys approved animations. `"never"`: it buys nothing. Default: `"approved"`; `"never"` if `CI` is set.',
        ),
      unbought: z
        .enum(['error', 'placeholder'], { error: '"error" or "placeholder"' })
        .default('error')
        .describe(
          '`"error"`: a build fails if an animation is not bought. `"placeholder"`: it packs a placeholder instead. If a purchase fails or waits for an answer, such a build writes its files, and then fails with the error of that purchase.',
        ),
    },
    { error: 'an object: generate, unbought' },
  ),
  placeholders: z.strictObject(
    { mark: flag().default(true).describe('Marks a placeholder by a striped corner.') },
    { error: 'an object: mark' },
  ),
  store: z.strictObject(
    {
      dir: filledText('the path of a folder')
        .default('.spritewright')
        .describe('Folder of the paid results and of the journal, from the root. A file may only name one inside the project.'),
      shared: textReadBy(values.parseResultsAddress, values.resultsWords)
        .optional()
        .describe(
          "Paid results that all machines of a team share: `s3://bucket/prefix`, the `https://` address of a cache that speaks Bazel's protocol, or a folder. Default: none.",
        ),
      journal: textReadBy(values.parseJournalAddress, values.journalWords)
        .optional()
        .describe(
          'Journal that all machines of a team share: `s3://bucket/prefix`, `postgres://host/database`, or a folder. Default: none, each checkout has its own.',
        ),
      patience: textReadBy(values.parseDuration, durationWords)
        .prefault('10m')
        .describe('How long a run waits for a shared store or a queue that does not answer, e.g. `"10m"`, `"30s"`.'),
    },
    { error: 'an object: dir, shared, journal, patience' },
  ),
  cache: z.strictObject(
    {
      maxBytes: wholeNumber(0, 2 ** 50)
        .default(2 ** 30)
        .describe('Size limit of `node_modules/.cache/spritewright/` in bytes; 1073741824 is 1 GiB.'),
    },
    { error: 'an object: maxBytes' },
  ),
  panel: z.strictObject(
    {
      port: wholeNumber(1, 65_535)
        .optional()
        .describe(
          'Port of the panel, 1 to 65535, if you forward the port. Choose a port that no other server uses. Default: a free port, chosen at each start of `vite`.',
        ),
    },
    { error: 'an object: port' },
  ),
  atlas: z.strictObject(
    {
      maxSize: wholeNumber(pageSide.least, pageSide.most)
        .default(pageSide.usual)
        .describe(`Longest side of a page in pixels, ${pageSide.least} to ${pageSide.most}.`),
      format: z
        .union([encoding, encodings], { error: encodingWords })
        .transform(toList<PageFormat>)
        .default(['png'])
        .describe('`"png"`, `"webp"`, `"avif"`, `"ktx2"`, or a list of several. Default: `"png"`.'),
      quality: z
        .union([percent, quality], { error: qualityWords })
        .optional()
        .describe('1 to 100, or `{ webp, avif, ktx2 }` with one each. Default: WebP lossless, AVIF 50, KTX2 50.'),
      level: wholeNumber(0, 9).default(6).describe('zlib level of PNGs, 0 to 9.'),
      ktx2: z
        .enum(['uastc', 'etc1s'], { error: '"uastc" or "etc1s"' })
        .default('uastc')
        .describe('`"uastc"` (larger, better) or `"etc1s"` (smaller, coarser).'),
      hull: wholeNumber(4, 64).optional().describe("Greatest number of corners of each frame's outline, 4 to 64. Default: no outlines."),
      palette: z
        .enum(['exact', 'close'], { error: '"exact" or "close"' })
        .optional()
        .describe(
          '`"exact"` writes a PNG page with a palette if it has at most 256 colours. `"close"` also reduces a page of more colours, to as few as stay within a stated error. A palette that makes the file larger is not used. Default: truecolour.',
        ),
      effort: z
        .enum(['fast', 'best'], { error: '"fast" or "best"' })
        .default('fast')
        .describe('`"best"` makes PNG and lossless WebP pages as small as they get without loss, in ten to twenty times the time.'),
      rotate: flag().default(false).describe('Turns frames if this saves area; for PixiJS only.'),
      stable: flag().default(false).describe('Keeps frames at their places between builds.'),
    },
    { error: 'an object: maxSize, format, quality, level, ktx2, hull, palette, effort, rotate, stable' },
  ),
  limits: z.strictObject(
    {
      windowMs: wholeNumber(1, 3_600_000)
        .default(defaultLimits.windowMs)
        .describe('Length of the window for the three rate limits, in milliseconds.'),
      post: wholeNumber(1, 10_000).default(defaultLimits.post).describe('POST requests in a window.'),
      get: wholeNumber(1, 10_000).default(defaultLimits.get).describe('GET requests in a window.'),
      download: wholeNumber(1, 10_000).default(defaultLimits.download).describe('Downloads in a window.'),
      activeJobs: wholeNumber(1, 1000).default(publishedLimits.activeJobs).describe('Jobs that run at the same time.'),
      streams: wholeNumber(1, 1000).default(defaultLimits.streams).describe('Open event streams.'),
    },
    { error: 'an object of limits' },
  ),
}
const optionsShape = {
  $schema: z
    .string({ error: 'the address of a JSON Schema' })
    .optional()
    .describe('Path or address of the JSON Schema, for editors. Default: none.'),
  specs: z
    .union([filledText(patternWords), z.array(filledText('a glob')).min(1, { error: 'at least one glob' })], { error: patternWords })
    .transform(toList<string>)
    .default(['**/*.sprite.{json,yaml,yml}', '**/*.sprites/**'])
    .describe(
      'Glob, or list of globs, for the files of sprites: spec files, files in folders named `NAME.sprites`, and Aseprite files (`"**/*.aseprite"`, not by default). `node_modules`, `dist` and folders that begin with a dot are never searched. Default: `["**/*.sprite.{json,yaml,yml}", "**/*.sprites/**"]`.',
    ),
  engine: z
    .enum(['phaser', 'pixi'], { error: '"phaser" or "pixi"' })
    .optional()
    .describe('`"phaser"` or `"pixi"`. Default: the one that the project depends on; both formats if it depends on neither or both.'),
  formats: z
    .array(z.custom<FormatName | EngineFormat>().meta({ enum: [...formatNames] }), { error: 'a list of formats, by name or of your own' })
    .superRefine((list, context) => {
      for (const [at, { path, words }] of formatFaults(list)) context.addIssue({ code: 'custom', path: [at, ...path], message: words })
    })
    .default([])
    .describe("Formats that `build` writes in addition to the engine's own: names, or formats of your own."),
  typings: z
    .string({ error: typingsWords })
    .regex(/\.d\.ts$/, { error: typingsWords })
    .optional()
    .describe('Path of one file with the types of all sprites, e.g. `"src/sprites.d.ts"`. Default: a file beside each spec.'),
  service: z
    .union([z.literal('embedded'), shapes.service], {
      error: ({ input }) =>
        values.isLikeEmbedded(input) ? 'a known service (did you mean "embedded"?)' : '"embedded" or { "baseUrl", "queue" }',
    })
    .optional()
    .describe('`"embedded"`, or an object with the fields below. Default: `SPRITEWRIGHT_BASE_URL`.'),
  approval: shapes.approval.prefault({}),
  build: shapes.build.prefault({}),
  placeholders: shapes.placeholders.prefault({}),
  store: shapes.store.prefault({}),
  cache: shapes.cache.prefault({}),
  panel: shapes.panel.prefault({}),
  atlas: shapes.atlas.prefault({}),
  limits: shapes.limits.prefault({}),
  replayWindow: textReadBy(values.parseDuration, durationWords)
    .prefault(defaultReplayWindow)
    .describe(
      'How long a submission of unknown outcome may be sent again without a question, e.g. `"10m"`, `"2s"`. A JSON configuration may set at most ten minutes.',
    ),
}
const optionsSchema = z.strictObject(optionsShape, { error: 'an object of options' })

/**
 * Options after the schema: with all defaults, except those that depend on the project. Paths are unchanged.
 * `generate` has no default, because its default differs in continuous integration. Times are milliseconds.
 *
 * @internal
 */
export type ReadOptions = z.output<typeof optionsSchema>

/** The JSON Schema of `spritewright.config.json`. */
export function configJsonSchema(): object {
  return toEditorSchema(optionsSchema, {
    title: 'spritewright configuration',
    description: 'Every option has a default. The API key is never in this file.',
  })
}

/**
 * Validates options.
 *
 * @returns The options, or all issues. An address may be a secret, so no issue shows one.
 * @internal
 */
export function readOptions(options: unknown): { readonly options: ReadOptions } | { readonly issues: readonly OptionIssue[] } {
  const checked = optionsSchema.safeParse(options)
  if (checked.success) return { options: checked.data }
  const issues = toFaults(checked.error.issues, options, unknownOptionWords).map(({ path, expected, found, isAtKey }) => ({
    path: formatPath(path),
    expected,
    found: mayBeSecret(path) && !isAtKey && !values.isLikeEmbedded(valueAt(options, path)) ? 'something else' : found,
  }))
  return { issues }
}

function mayBeSecret([group, name]: ValuePath): boolean {
  return group === 'service' || (group === 'store' && name !== 'dir')
}

function unknownOptionWords(path: ValuePath): string {
  const name = String(path.at(-1))
  if (/key|token|secret/i.test(name))
    return 'no such option: the API key is read from SPRITEWRIGHT_API_KEY only, never from a file that could be committed'
  const group = path.length > 1 && Object.hasOwn(shapes, String(path[0])) ? shapes[path[0] as keyof typeof shapes] : undefined
  const names = path.length === 1 ? optionsShape : (group?.shape ?? {})
  const known = path[1] === 'profile' ? profileParts : Object.keys(names)
  const near = nearestName(name, known)
  return near === undefined ? `one of ${known.join(', ')}` : `a known option (did you mean "${near}"?)`
}
