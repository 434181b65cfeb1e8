import { basename, resolve } from 'node:path'
import { type Host, nodeHost } from './host/host.ts'
import { loadConfig } from './options/config-files.ts'
import { readCredentials } from './options/credentials.ts'
import { refuseKeyInAddress, searchFor } from './options/key-search.ts'
import { enginesOf, isCi, type Options, resolveOptions } from './options/options.ts'
import { type Context, openContext } from './project/context.ts'
import { findTexturePackage, readCodecVersion } from './project/packages.ts'
import { keepSession, type Session, type SessionKeeper } from './project/session.ts'
import { refuseLinks } from './project/store-folder.ts'
import { toOutput, writeOutput, writeTypings } from './sheets/output/output.ts'
import type { Workshop } from './workshop/api/api.ts'
import { build } from './workshop/build.ts'
import { interruptible } from './workshop/interrupt.ts'
import { openTrust } from './workshop/trust/trust-desk.ts'

export type { OpenapiDifference } from './contract/openapi/openapi.ts'
export type { JobProgress, ProgressListener } from './job/progress.ts'
export type { PlanItem, PlanState, PlanStep, Quote, Standing, StandingApproval } from './project/plan.ts'
export type { KeyRoute, TrustedHost } from './project/trust/hosts.ts'
export type { AnimationQuality, FrameFlag } from './sheets/quality.ts'
export type { BuiltAtlas, BuiltPage, BuiltSheets, BuiltSprite } from './sheets/sheet.ts'
export type { FieldEdit, FieldValue } from './spec/edit.ts'
export { specJsonSchema } from './spec/schema.ts'
export type {
  AnswerRequest,
  ApprovalLine,
  ApproveReport,
  ApproveRequest,
  BuildReport,
  BuildRequest,
  ContractFinding,
  ContractRequest,
  DoctorFinding,
  FrameFile,
  PlanReport,
  RecoverReport,
  RecoverRequest,
  ReviewReport,
  Workshop,
} from './workshop/api/api.ts'
export type {
  DeliveredFrames,
  Overview,
  OverviewItem,
  OverviewOrphan,
  OverviewService,
  PendingPurchase,
  PendingReport,
  PriceList,
  SpecEditReport,
  SpecEditRequest,
} from './workshop/api/overview-report.ts'
export type { Preview } from './workshop/api/preview-report.ts'
export type {
  BalanceEvidence,
  LedgerCheck,
  LedgerLine,
  LedgerReport,
  LedgerSprite,
  LedgerState,
  LedgerSums,
  LedgerVerification,
  LedgerVerifyRequest,
} from './workshop/ledger/report.ts'
export type {
  CopyReport,
  PlaceName,
  PruneLine,
  PruneReport,
  PruneRequest,
  QuarantinedCopy,
  Recovery,
  ResultState,
  ResultStore,
  ResultUse,
  StoredResult,
  StoreReport,
  VerifiedResult,
  VerifyReport,
  VerifyRequest,
} from './workshop/store/reports.ts'
export type { AcceptStandingRequest, StandingOffer } from './workshop/trust/accept-standing.ts'
export type { Trust } from './workshop/trust/trust-desk.ts'

/** What a workshop is opened with. */
export interface WorkshopInit {
  /** Folder of the project: absolute, or relative to the working folder. */
  readonly root: string
  /** Options that win over the configuration file, key by key. */
  readonly options?: Options
  /** Path of a configuration file; without it `spritewright.config.{ts,js,mjs,json}` in the root is read where there is one. */
  readonly config?: string
  /** Which `.env.[mode]` files are read beside `.env` and `.env.local`. @default 'development' */
  readonly mode?: string
  /** Where `.env` files lie, absolute or from the root; false: none is read. @default the root */
  readonly envDir?: string | false
  /** Prefixes of variables that the bundler ships to browsers; an API key under one of them is refused. @default 'VITE_' */
  readonly envPrefix?: string | readonly string[]
  /** The world; this machine where it is left out. */
  readonly host?: Host
}

/**
 * Opens a project. Reads its configuration and environment; the service is asked only when something needs it.
 *
 * @throws `SW_CONFIG`, `SW_KEY_EXPOSED`, `SW_NO_KEY` for a key that cannot be one, `SW_DISK` for a store that
 * is a link.
 */
export async function createWorkshop(init: WorkshopInit): Promise<Workshop> {
  const host = init.host ?? nodeHost()
  const root = resolve(host.workingFolder, init.root)
  const config = await loadConfig(host, root, init.config)
  const options = resolveOptions(init.options ?? {}, {
    root,
    isCi: isCi(host.env),
    dependencies: config.dependencies,
    config: { options: config.options, file: config.file },
  })
  await refuseLinks(host.disk, options)
  const envFolder = init.envDir === false ? false : resolve(root, init.envDir ?? '.')
  const credentials = await readCredentials(host, envFolder, { mode: init.mode ?? 'development', envPrefix: init.envPrefix ?? 'VITE_' })
  const address = typeof options.service === 'object' ? options.service.baseUrl : ''
  refuseKeyInAddress(searchFor(credentials.key?.reveal()), address, 'service.baseUrl', { option: 'service.baseUrl' })
  const textures = options.atlas.encodings.includes('ktx2') ? await findTexturePackage(host, root) : undefined
  const { service } = init.options ?? {}
  const isOwnAddress = typeof service === 'object' && service.baseUrl !== undefined
  const configSource = isOwnAddress || config.file === undefined ? 'the options of the program' : basename(config.file)
  const context = {
    ...openContext(host, options, credentials, { name: config.projectName, configSource }),
    codec: await readCodecVersion(host),
    textures,
  }
  return openCounter(context, keepSession(context))
}

type OnDemand = typeof import('./workshop/on-demand.ts')

function openCounter(context: Context, keeper: SessionKeeper): Workshop {
  const never = new AbortController().signal
  const onDemand = (): Promise<OnDemand> => import('./workshop/on-demand.ts')
  const once = <T>(make: (parts: OnDemand) => T): (() => Promise<T>) => {
    let made: Promise<T> | undefined
    return () => {
      made ??= onDemand()
        .then(make)
        .catch((error: unknown) => {
          // A package that is being installed anew may be whole a moment later.
          made = undefined
          throw error
        })
      return made
    }
  }
  const previewer = once((parts) => parts.createPreviewer(context, keeper))
  const overviewer = once((parts) => parts.createOverviewer(context, keeper))
  const dueReader = once((parts) => parts.createPendingReader(context, keeper))
  const editor = once((parts) => parts.createSpecEditor(context))
  const store = once((parts) => parts.openResultStore(context, keeper))
  const online = async <T>(signal: AbortSignal, work: (session: Session, parts: OnDemand) => Promise<T>): Promise<T> =>
    interruptible(signal, async () => {
      const parts = await onDemand()
      return work(await keeper.open(signal), parts)
    })
  return {
    options: context.options,
    host: { clock: context.host.clock, disk: context.host.disk, random: context.host.random, terminal: context.host.terminal },
    plan: (names = [], signal = never) => interruptible(signal, async () => (await onDemand()).makePlan(context, keeper, names, signal)),
    status: async (names = []) => (await onDemand()).readFullStatus(context, keeper, names),
    review: async (name) => (await onDemand()).review(context, keeper, name),
    originals: async (name) => (await onDemand()).readOriginals(context, keeper, name),
    approve: (request, signal = never) => online(signal, (session, { approve }) => approve(context, session, request, signal)),
    acceptStanding: (request, signal = never) =>
      online(signal, (session, { acceptStanding }) => acceptStanding(context, session, request, signal)),
    trust: openTrust(context),
    build: (request = {}) => interruptible(request.signal ?? never, () => build(context, keeper, request)),
    answer: (request, signal = never) => online(signal, (session, { answer }) => answer(context, session, request, signal)),
    recover: (request, signal = never) => online(signal, (session, { recover }) => recover(context, session, request, signal)),
    cancel: (name, signal = never, shown = undefined) =>
      online(signal, (session, { cancel }) => cancel(context, session, { name, shown }, signal)),
    forget: (name, confirm, signal = never) => online(signal, (session, { forget }) => forget(context, session, name, confirm, signal)),
    preview: async (changed, wanted) => {
      return (await previewer())(changed, wanted)
    },
    overview: async (changed) => (await overviewer())(changed),
    due: async (changed) => (await dueReader())(changed),
    prices: (signal = never) => online(signal, (session, { readPrices }) => readPrices(context, session, signal)),
    delivered: async (id, take) => (await onDemand()).readDelivered(context, keeper, id, take),
    editSpec: async (request) => (await editor())(request),
    write: async (sheets, folder) => {
      const files = await toOutput(sheets, enginesOf(context.options), context.options.formats)
      return writeOutput(context.host, resolve(context.options.root, folder), files)
    },
    writeTypings: (sheets, unmade) => writeTypings(context.host, sheets, unmade),
    ledger: async () => (await onDemand()).readAccounts(context),
    store: {
      list: async (names) => (await store()).list(names),
      verify: async (request) => (await store()).verify(request),
      prune: async (request, signal) => (await store()).prune(request, signal),
      push: async (names, signal) => (await store()).push(names, signal),
      pull: async (names, signal) => (await store()).pull(names, signal),
    },
    verifyLedger: (request = {}, signal = never) =>
      online(signal, (session, { verifyAccounts }) => verifyAccounts(context, session, request, signal)),
    doctor: async () => (await onDemand()).examine(context, keeper),
    contract: (request = {}, signal = never) =>
      interruptible(signal, async () => (await import('./workshop/contract.ts')).checkContract(context, keeper, request, signal)),
    compareOpenapi: async (file) => (await import('./workshop/contract.ts')).compareWithDescription(context, file),
    containsKey: context.keySearch.isIn,
    close: () => keeper.close(),
  }
}
