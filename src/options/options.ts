import { resolve } from 'node:path'
import type { FormatName } from '../../atlas/format-abilities.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'
import type { Credits } from '../credit/credits.ts'
import type { Given } from '../credit/given.ts'
import { SpritewrightError } from '../errors.ts'
import { type AtlasSettings, type OptionIssue, type ResolvedAtlas, resolveAtlas } from './atlas.ts'
import { mergeOptions } from './merge-options.ts'
import { type Engine, type ReadOptions, type ResolvedLimits, readOptions } from './schema.ts'
import type { ServiceOptions } from './values.ts'

/** An amount of credits in a config: a decimal text or number with at most four decimals, e.g. `2.4`. */
export type CreditsOption = string | number

/**
 * Options of a project, in `spritewright.config.*` or as the plugin's argument. Every field is optional. The
 * key is never an option.
 */
export interface Options {
  /**
   * Globs of the spec files under the root. `node_modules`, `dist` and dot folders are never searched.
   *
   * @default ['**\/*.sprite.{json,yaml,yml}', '**\/*.sprites/**']
   */
  readonly specs?: string | readonly string[] | undefined
  /**
   * The game's engine.
   *
   * @default found from the project's dependencies, if they have one of `phaser` and `pixi.js`
   */
  readonly engine?: Engine | undefined
  /**
   * Formats that `build` writes besides the engine's own, each into a folder of its name. A format is given
   * by name, or as an object with your own `name` and `write`.
   *
   * @default []
   */
  readonly formats?: readonly (FormatName | EngineFormat)[] | undefined
  /**
   * One file with the types of all sprites, relative to the root, e.g. `'src/sprites.d.ts'`. It types
   * `virtual:spritewright`, but no import of a spec by its path.
   *
   * @default a file beside each spec
   */
  readonly typings?: string | undefined
  /**
   * The service that sells sprites: a base URL, with a wire profile if its wire format differs, and the queue of
   * a worker, or the embedded service.
   *
   * @default `SPRITEWRIGHT_BASE_URL`
   */
  readonly service?: 'embedded' | ServiceOptions | undefined
  /**
   * Standing ceilings in credits. A sprite under them needs no approval of its own.
   *
   * @default none
   */
  readonly approval?:
    | {
        readonly perSprite?: CreditsOption | undefined
        readonly perRun?: CreditsOption | undefined
        readonly total?: CreditsOption | undefined
        /**
         * Ways of approving that count, e.g. `['touched']`. It only tightens, and this machine remembers that.
         *
         * @default all
         */
        readonly accept?: readonly Given[] | undefined
        /**
         * How long an unused approval stays valid, e.g. `'7d'`, `'12h'`, at most 30 days, or the time in
         * `SPRITEWRIGHT_VALID_FOR` of the environment.
         *
         * @default '30d'
         */
        readonly validFor?: string | undefined
      }
    | undefined
  readonly build?:
    | {
        /**
         * Whether a build buys approved requests.
         *
         * @default 'approved'; 'never' if `CI` is set
         */
        readonly generate?: 'approved' | 'never' | undefined
        /**
         * `error`: a build fails if an animation is not bought. `placeholder`: it packs a placeholder
         * instead.
         *
         * @default 'error'
         */
        readonly unbought?: 'error' | 'placeholder' | undefined
      }
    | undefined
  readonly placeholders?:
    | {
        /**
         * Whether placeholders are marked with a striped corner.
         *
         * @default true
         */
        readonly mark?: boolean | undefined
      }
    | undefined
  readonly store?:
    | {
        /**
         * Folder of paid results and of the journal, relative to the root.
         *
         * @default '.spritewright'
         */
        readonly dir?: string | undefined
        /**
         * Paid results that all machines of a team share: `s3://bucket/prefix`, the `https://` address of a cache
         * that speaks Bazel's protocol, or a folder, relative to the root.
         *
         * @default none
         */
        readonly shared?: string | undefined
        /**
         * Journal that all machines of a team share: `s3://bucket/prefix`, `postgres://host/database` without a
         * password, or a folder, relative to the root.
         *
         * @default none: each checkout has its own
         */
        readonly journal?: string | undefined
        /**
         * How long a run waits for a shared store or a queue that does not answer, e.g. `'10m'`, `'30s'`. The dev
         * server, `doctor`, `status` and `ledger` do not wait for a store.
         *
         * @default '10m'
         */
        readonly patience?: string | undefined
      }
    | undefined
  readonly cache?:
    | {
        /**
         * Most bytes of `node_modules/.cache/spritewright`, 0 to 2^50. The end of a build removes the entries
         * used least recently, but never entries that this build or a build of the last ten minutes has used.
         *
         * @default 1 GiB
         */
        readonly maxBytes?: number | undefined
      }
    | undefined
  readonly panel?:
    | {
        /**
         * Port of the panel, 1 to 65535, if you forward the port. The panel then listens on the host of the dev
         * server, and does not run if the port is taken. Choose a port that no other server uses.
         *
         * @default a free one, drawn at each start of `vite`
         */
        readonly port?: number | undefined
      }
    | undefined
  readonly atlas?: AtlasSettings | undefined
  /** Limits on requests to the service. */
  readonly limits?: { readonly [Name in keyof ResolvedLimits]?: ResolvedLimits[Name] | undefined } | undefined
  /**
   * How long a submission of unknown outcome may be sent again automatically, e.g. `'10m'`, `'2s'`.
   *
   * @default '10m'
   */
  readonly replayWindow?: string | undefined
}

/** Options with all defaults. Only values that are truly absent are `undefined`. */
export interface ResolvedOptions {
  /** Absolute path of the project. */
  readonly root: string
  readonly specs: readonly string[]
  /** Absent if the dependencies name neither engine, or both. */
  readonly engine?: Engine
  readonly formats: readonly (FormatName | EngineFormat)[]
  /** Absolute path. */
  readonly typings?: string
  /** If absent, the environment decides. `baseUrl` has no trailing slash. */
  readonly service?: 'embedded' | ServiceOptions
  readonly approval: { readonly perSprite?: Credits; readonly perRun?: Credits; readonly total?: Credits }
  readonly build: { readonly generate: 'approved' | 'never'; readonly unbought: 'error' | 'placeholder' }
  readonly placeholders: { readonly mark: boolean }
  /**
   * Whether `CI` is set. In CI, nothing is bought, unless the environment sets a signing key or approvers and
   * `build.generate` is `'approved'`.
   */
  readonly isCi: boolean
  /** Absolute paths, or addresses of stores. */
  readonly store: { readonly dir: string; readonly shared?: string; readonly journal?: string; readonly patienceMs: number }
  readonly cache: { readonly maxBytes: number }
  readonly panel: { readonly port?: number }
  readonly atlas: ResolvedAtlas
  readonly limits: ResolvedLimits
  /** With a shared journal, 0.8 of the option: another machine may replay, and the store's clock has whole seconds. */
  readonly replayWindowMs: number
  /** Longest life of an unused approval; missing if the configuration does not set it. */
  readonly approvalValidMs?: number
  /** Ways of giving that count; missing if the configuration does not limit them. */
  readonly approvalAccept?: readonly Given[]
  /** Sentences for a person about options that are not fully applied. */
  readonly notes: readonly string[]
}

/** The project and environment for which options are resolved. */
export interface OptionsContext {
  /** Absolute path of the project. */
  readonly root: string
  /** See {@link isCi}. */
  readonly isCi: boolean
  /** Names from `package.json`, including dev dependencies. */
  readonly dependencies: readonly string[]
  /** The options of a config file, and its path for messages. The argument overrides these options. */
  readonly config?: { readonly options: unknown; readonly file?: string | undefined } | undefined
}

/** Types the options of a config file. Returns its argument. */
export function defineConfig(options: Options): Options {
  return options
}

/** Whether the environment is continuous integration: `CI` is set, and neither `false` nor `0`. */
export function isCi(env: Readonly<Record<string, string | undefined>>): boolean {
  const value = (env.CI ?? '').trim().toLowerCase()
  return value !== '' && value !== 'false' && value !== '0'
}

/**
 * Validates options and adds all defaults: those of the schema, and those that depend on the project.
 *
 * @param argument Options of the plugin or program. They override the config file's, key by key, also inside
 * objects.
 * @throws `SW_CONFIG` with facts `{ file?, issues: [{ path, expected, found }] }`.
 */
export function resolveOptions(argument: Options, { root, isCi, dependencies, config }: OptionsContext): ResolvedOptions {
  // File and argument are first validated separately, so that an error names the source of the option.
  checkedOptions(config?.options ?? {}, config?.file)
  checkedOptions(argument, undefined)
  const options = checkedOptions(mergeOptions((config?.options ?? {}) as Options, argument), config?.file)
  const { specs, formats, typings, service, build, placeholders, store, cache, panel, limits } = options
  const { validFor, accept, ...ceilings } = options.approval
  const engine = options.engine ?? findEngine(dependencies)
  const made = resolveAtlas(options.atlas, [...enginesOf({ engine }), ...formats])
  if (made.issues.length > 0) throw optionsError(made.issues, config?.file)
  return {
    root,
    specs,
    ...(engine === undefined ? {} : { engine }),
    formats,
    ...(typings === undefined ? {} : { typings: resolve(root, typings) }),
    ...(service === undefined ? {} : { service: service === 'embedded' ? service : withoutUndefined(service) }),
    approval: withoutUndefined(ceilings),
    ...(validFor === undefined ? {} : { approvalValidMs: validFor }),
    ...(accept === undefined ? {} : { approvalAccept: accept }),
    build: { generate: build.generate ?? (isCi ? 'never' : 'approved'), unbought: build.unbought },
    placeholders,
    isCi,
    store: withoutUndefined({
      dir: resolve(root, store.dir),
      shared: store.shared && resolveStore(root, store.shared),
      journal: store.journal && resolveStore(root, store.journal),
      patienceMs: store.patience,
    }),
    cache,
    panel: withoutUndefined(panel),
    atlas: made.atlas,
    limits,
    replayWindowMs: store.journal === undefined ? options.replayWindow : options.replayWindow * sharedWindowShare,
    notes: made.notes,
  }
}

function resolveStore(root: string, place: string): string {
  return place.includes('://') ? place : resolve(root, place)
}

/** Share of the replay window that is used if machines share a journal. */
const sharedWindowShare = 0.8

/** The engine for which sheets are written, or both engines if it is not known. */
export function enginesOf({ engine }: { readonly engine?: Engine | undefined }): readonly Engine[] {
  return engine ? [engine] : ['phaser', 'pixi']
}

function checkedOptions(options: unknown, file: string | undefined): ReadOptions {
  const read = readOptions(options)
  if ('options' in read) return read.options
  throw optionsError(read.issues, file)
}

/** A copy without the fields that are `undefined`. */
function withoutUndefined<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> }
}

/** Creates one error for all issues. */
function optionsError(issues: readonly OptionIssue[], file: string | undefined): SpritewrightError {
  const where = file ?? 'options'
  return new SpritewrightError('SW_CONFIG', {
    message: issues
      .map(({ path, expected, found }) => `${where}${path === '' ? '' : ` ${path}`}: expected ${expected}, found ${found}`)
      .join('\n'),
    facts: { ...(file === undefined ? {} : { file }), issues },
  })
}

function findEngine(dependencies: readonly string[]): Engine | undefined {
  const isPhaser = dependencies.includes('phaser')
  const isPixi = dependencies.includes('pixi.js')
  if (isPhaser === isPixi) return undefined
  return isPhaser ? 'phaser' : 'pixi'
}
