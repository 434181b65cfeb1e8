import { basename } from 'node:path'
import {
  type AnimationQuality,
  type BuiltAtlas,
  type BuiltPage,
  type BuiltSheets,
  formatCredits,
  type JobProgress,
  type LedgerReport,
  type Overview,
  type OverviewItem,
  type PlanState,
  type PlanStep,
  type PriceList,
} from '../src/index.ts'
import type { BuyerFailure } from './buy.ts'
import { toPanelError } from './failure.ts'
import { fromRoot } from './ids.ts'
import type {
  PanelAccess,
  PanelAnimation,
  PanelError,
  PanelFlag,
  PanelFrame,
  PanelFrames,
  PanelLedger,
  PanelPage,
  PanelPaid,
  PanelSprite,
  PanelStanding,
  PanelState,
} from './panel/protocol.ts'
import { openFailures, panelStanding, panelUndecided } from './standing.ts'
import { priceOf, serviceWords, standingWords } from './words.ts'

/** Everything that a state is made of. */
export interface StateParts {
  /** Of the project, absolute. */
  readonly root: string
  readonly revision: number
  readonly overview: Overview
  /** One atlas a sprite, as pages of the game have it. */
  readonly sheets: BuiltSheets
  /** What is broken in that. */
  readonly errors: readonly unknown[]
  readonly ledger: LedgerReport
  readonly prices: PriceList | undefined
  /** Why the last question for prices failed. */
  readonly priceError: unknown
  readonly progress: ReadonlyMap<string, JobProgress>
  readonly failures: readonly BuyerFailure[]
  readonly access: PanelAccess
  readonly urlOf: (page: BuiltPage) => string
}

/** What the panel shows. Pure. */
export function toPanelState(parts: StateParts): PanelState {
  const { root, overview, ledger, prices } = parts
  const items = new Map<string, OverviewItem[]>()
  for (const item of overview.items) items.set(item.spec.name, [...(items.get(item.spec.name) ?? []), item])
  const spent = spentByHash(ledger)
  const sprites = [...items.values()].map((own) => toSprite(parts, own, spent))
  const steps = overview.steps.map((step) => ({ ...toPaid(parts, step, spent), operation: step.request.operation, sprites: step.sprites }))
  const total = prices && sumPrices([...overview.items, ...overview.steps].filter(isUnsent), prices)
  const { keyMode } = prices?.service ?? {}
  const { kind, host, canAsk } = overview.service
  return {
    version: 1,
    revision: parts.revision,
    project: basename(root),
    access: parts.access,
    service: {
      mode: kind === 'embedded' ? 'embedded' : canAsk ? (keyMode ?? 'unasked') : 'none',
      ...(host === undefined ? {} : { host }),
      ...(prices ? { balance: formatCredits(prices.balance), askedAt: prices.at } : {}),
      words: serviceWords(overview.service, parts.priceError),
    },
    sprites,
    steps,
    totals: {
      counts: countStandings([...sprites.flatMap(({ animations }) => animations), ...steps]),
      ...(total === undefined ? {} : { price: formatCredits(total) }),
    },
    ledger: toLedger(ledger),
    errors: toErrors(parts),
    warnings: [...new Set([...overview.warnings, ...ledger.warnings])],
  }
}

/** All frames of a take, as the panel draws them. */
export function toPanelFrames(
  id: string,
  take: number,
  sheets: BuiltSheets,
  quality: AnimationQuality | undefined,
  urlOf: StateParts['urlOf'],
): PanelFrames {
  const [sprite] = sheets.sprites
  const [atlas] = sheets.atlases
  return {
    id,
    take,
    isPlaceholder: sprite?.isPlaceholder ?? true,
    pages: toPages(atlas, urlOf),
    frames: atlas ? atlas.frames.map((frame) => toFrame(frame)) : [],
    flags: quality ? toFlags(quality) : [],
  }
}

function toSprite(parts: StateParts, own: readonly OverviewItem[], spent: ReadonlyMap<string, bigint>): PanelSprite {
  const { overview, sheets, root } = parts
  const { spec } = own[0] as OverviewItem
  const shown = sheets.sprites.find(({ name }) => name === spec.name)
  // The largest scale comes first.
  const atlas = shown && sheets.atlases.find(({ name }) => name === shown.atlas)
  const frames = new Map((atlas?.frames ?? []).map((frame) => [frame.name, toFrame(frame)] as const))
  return {
    name: spec.name,
    file: fromRoot(root, spec.file),
    digest: overview.digests.get(spec.file) ?? '',
    prompt: spec.prompt,
    background: spec.background,
    reference: spec.reference.kind === 'file' ? spec.reference.path : `${spec.reference.steps.length} steps`,
    atlas: spec.atlas,
    size:
      spec.size === undefined ? null : spec.size.kind === 'longest' ? spec.size.px : { width: spec.size.width, height: spec.size.height },
    frame: { width: shown?.width ?? 0, height: shown?.height ?? 0 },
    anchor: spec.anchor ?? null,
    pixelArt: spec.pixelArt,
    isPlaceholder: shown?.isPlaceholder ?? true,
    pages: toPages(atlas, parts.urlOf),
    animations: own.map((item) => toAnimation(parts, item, spent, atlas, frames)),
  }
}

function toAnimation(
  parts: StateParts,
  item: OverviewItem,
  spent: ReadonlyMap<string, bigint>,
  atlas: BuiltAtlas | undefined,
  frames: ReadonlyMap<string, PanelFrame>,
): PanelAnimation {
  const { animation, spec, takes, changed } = item
  const { name, frames: asked, take, fps, loop, yoyo, durations, use } = animation
  const played = atlas?.animations.find((one) => one.name === `${spec.name}/${name}`)?.frames ?? []
  const quality = parts.overview.quality.find(({ id }) => id === item.id)
  return {
    ...toPaid(parts, item, spent),
    prompt: animation.prompt,
    name,
    frames: asked,
    take,
    takes: takes.map((one) => ({ take: one.take, standing: one.state, isChosen: one.take === take })),
    changed,
    fps,
    loop,
    yoyo,
    ...(durations ? { durations } : {}),
    ...(use ? { use } : {}),
    isPlaceholder: item.state !== 'bought',
    played: played.flatMap(({ name: frame, durationMs }) => {
      const placed = frames.get(frame)
      return placed ? [{ ...placed, durationMs }] : []
    }),
    flags: quality ? toFlags(quality) : [],
  }
}

function toPaid(parts: StateParts, one: OverviewItem | PlanStep, spent: ReadonlyMap<string, bigint>): PanelPaid {
  const { id, ceiling, executionId, question, hash = '', request } = one
  const quote = isUnsent(one) ? parts.prices?.of(request) : undefined
  const { failures } = parts
  const standing = panelStanding(one, { others: parts.overview.others, price: quote?.credits, failures })
  const undecided = panelUndecided(one, failures)
  const price = quote && priceOf(quote, request.operation)
  const cost = spent.get(hash)
  const now = parts.progress.get(id)
  return {
    id,
    standing,
    words: standingWords(standing, one, price),
    prompt: request.prompt,
    ...(price ? { price } : {}),
    ...(ceiling === undefined ? {} : { ceiling: formatCredits(ceiling) }),
    ...(cost === undefined ? {} : { spent: formatCredits(cost) }),
    ...(executionId === undefined ? {} : { executionId }),
    ...(now ? { progress: toPanelProgress(now) } : {}),
    ...(question ? { question: { text: question.text, needsAsset: question.requiresAsset } } : {}),
    ...(undecided === undefined ? {} : { undecided }),
  }
}

/** Progress without amounts, which JSON could not write. */
export function toPanelProgress({ id, phase, progress, message }: JobProgress): NonNullable<PanelPaid['progress']> {
  return { id, phase, ...(progress === undefined ? {} : { progress }), ...(message === undefined ? {} : { message }) }
}

function toPages(atlas: BuiltAtlas | undefined, urlOf: StateParts['urlOf']): readonly PanelPage[] {
  return (atlas?.pages ?? []).map((page) => ({ url: urlOf(page), width: page.width, height: page.height }))
}

/** Frames end their names with the number under which they were delivered. */
function toFrame({
  name,
  page,
  x,
  y,
  width,
  height,
  offsetX,
  offsetY,
  sourceWidth,
  sourceHeight,
}: BuiltAtlas['frames'][number]): PanelFrame {
  const index = Number.parseInt(/\d+$/.exec(name)?.[0] ?? '0', 10)
  return { index, page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight }
}

function toFlags({ flags }: AnimationQuality): readonly PanelFlag[] {
  return flags.map(({ fault, from, frames, words }) => ({ fault, from, frames, words }))
}

function spentByHash({ lines }: LedgerReport): ReadonlyMap<string, bigint> {
  const spent = new Map<string, bigint>()
  for (const { hash, state, credits } of lines) if (state === 'settled') spent.set(hash, (spent.get(hash) ?? 0n) + credits)
  return spent
}

function toLedger({ lines, held, settled, restored, uncertain, elsewhere }: LedgerReport): PanelLedger {
  let soFar = 0n
  return {
    held: formatCredits(held),
    settled: formatCredits(settled),
    restored: formatCredits(restored),
    uncertain: formatCredits(uncertain),
    elsewhere: formatCredits(elsewhere),
    entries: lines.map(({ id, attempt, state, credits, at, origin, executionId }) => {
      if (state === 'settled' && origin === 'here') soFar += credits
      return {
        id,
        attempt,
        state,
        credits: formatCredits(credits),
        at,
        origin,
        ...(executionId === undefined ? {} : { executionId }),
        settledSoFar: formatCredits(soFar),
      }
    }),
  }
}

/** Whether it is still to be bought. */
function isUnsent({ state }: { readonly state: PlanState }): boolean {
  return state === 'missing' || state === 'approved' || state === 'failed'
}

/** Two names for one request are bought once. Undefined where something has no price. */
function sumPrices(open: readonly (OverviewItem | PlanStep)[], prices: PriceList): bigint | undefined {
  const distinct = new Map(open.map(({ hash, id, request }) => [hash ?? id, prices.of(request)?.credits] as const))
  const amounts = [...distinct.values()]
  return amounts.every((amount) => amount !== undefined) ? amounts.reduce((sum, amount) => sum + amount, 0n) : undefined
}

function countStandings(all: readonly { readonly standing: PanelStanding }[]): PanelState['totals']['counts'] {
  const counts: Partial<Record<PanelStanding, number>> = {}
  for (const { standing } of all) counts[standing] = (counts[standing] ?? 0) + 1
  return counts
}

/** Specs first: what is wrong with them hides the rest. */
function toErrors({ root, overview, failures, errors, priceError }: StateParts): readonly PanelError[] {
  const open = openFailures(failures, [...overview.items, ...overview.steps])
  const all = [
    ...overview.errors.map((error) => toPanelError(error, root)),
    ...errors.map((error) => toPanelError(error, root)),
    ...open.map(({ error, ids }) => toPanelError(error, root, ids.length === 1 ? ids[0] : undefined)),
    ...(priceError === undefined ? [] : [toPanelError(priceError, root)]),
  ]
  return [...new Map(all.map((error) => [`${error.code} ${error.message}`, error])).values()]
}
