import { resolve } from 'node:path'
import { toOutput, writeOutput, writeTypings } from './build/output.ts'
import { loadConfig } from './config.ts'
import { readCredentials } from './credentials.ts'
import { type Host, nodeHost } from './host/host.ts'
import { containsKey } from './key-search.ts'
import { enginesOf, isCi, type Options, resolveOptions } from './options.ts'
import { readAccounts } from './workshop/accounts.ts'
import { approve } from './workshop/approve.ts'
import { build } from './workshop/build.ts'
import type { Workshop } from './workshop/counter.ts'
import { readDelivered } from './workshop/delivered.ts'
import { examine } from './workshop/doctor.ts'
import { createDueReader } from './workshop/due.ts'
import { createSpecEditor } from './workshop/edit-spec.ts'
import { interruptible } from './workshop/interrupt.ts'
import { verifyAccounts } from './workshop/ledger-verify.ts'
import { createOverviewer } from './workshop/overview.ts'
import { findTexturePackage, readCodecVersion } from './workshop/packages.ts'
import { createPreviewer } from './workshop/preview.ts'
import { readPrices } from './workshop/prices.ts'
import { recover } from './workshop/recover.ts'
import { makePlan, readFullStatus } from './workshop/report.ts'
import { readOriginals, review } from './workshop/review.ts'
import { keepSession, type Session, type SessionKeeper } from './workshop/session.ts'
import { openShop, type Shop } from './workshop/shop.ts'
import { openResultStore } from './workshop/store.ts'
import { answer, cancel, forget } from './workshop/talk.ts'

export type { PlanItem, PlanState, PlanStep, Quote, Standing } from './build/plan.ts'
export type { AnimationQuality, FrameFlag } from './build/quality.ts'
export type { BuiltAtlas, BuiltPage, BuiltSheets, BuiltSprite } from './build/sheet.ts'
export type { OpenapiDifference } from './contract/openapi.ts'
export type { JobProgress, ProgressListener } from './job/progress.ts'
export type { FieldEdit, FieldValue } from './spec/edit.ts'
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
} from './workshop/counter.ts'
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
} from './workshop/ledger-report.ts'
export type {
  DeliveredFrames,
  DueOrder,
  DueReport,
  Overview,
  OverviewItem,
  OverviewOrphan,
  OverviewService,
  PriceList,
  SpecEditReport,
  SpecEditRequest,
} from './workshop/overview-report.ts'
export type { Preview } from './workshop/preview-report.ts'
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
 * @throws `SW_CONFIG`, `SW_KEY_EXPOSED`, `SW_NO_KEY` for a key that cannot be one.
 */
export async function createWorkshop(init: WorkshopInit): Promise<Workshop> {
  const host = init.host ?? nodeHost()
  const root = resolve(host.workingFolder, init.root)
  const config = await loadConfig(host, root, init.config)
  const options = await resolveOptions(init.options ?? {}, {
    root,
    isCi: isCi(host.env),
    dependencies: config.dependencies,
    config: { options: config.options, file: config.file },
  })
  const envFolder = init.envDir === false ? false : resolve(root, init.envDir ?? '.')
  const credentials = await readCredentials(host, envFolder, { mode: init.mode ?? 'development', envPrefix: init.envPrefix ?? 'VITE_' })
  const textures = options.atlas.encodings.includes('ktx2') ? await findTexturePackage(host, root) : undefined
  const shop = { ...openShop(host, options, credentials, config.projectName), codec: await readCodecVersion(host), textures }
  return openCounter(shop, keepSession(shop))
}

function openCounter(shop: Shop, keeper: SessionKeeper): Workshop {
  const never = new AbortController().signal
  const previewer = createPreviewer(shop, keeper)
  const online = async <T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> =>
    interruptible(signal, async () => work(await keeper.open(signal)))
  return {
    options: shop.options,
    host: { clock: shop.host.clock, disk: shop.host.disk, random: shop.host.random },
    plan: (names = [], signal = never) => interruptible(signal, () => makePlan(shop, keeper, names, signal)),
    status: (names = []) => readFullStatus(shop, keeper, names),
    review: (name) => review(shop, keeper, name),
    originals: (name) => readOriginals(shop, keeper, name),
    approve: (request, signal = never) => online(signal, (session) => approve(shop, session, request, signal)),
    build: (request = {}) => interruptible(request.signal ?? never, () => build(shop, keeper, request)),
    answer: (request, signal = never) => online(signal, (session) => answer(shop, session, request, signal)),
    recover: (request, signal = never) => online(signal, (session) => recover(shop, session, request, signal)),
    cancel: (name, signal = never, shown = undefined) => online(signal, (session) => cancel(shop, session, { name, shown }, signal)),
    forget: (name, confirm, signal = never) => online(signal, (session) => forget(shop, session, name, confirm, signal)),
    preview: previewer.preview,
    overview: createOverviewer(shop, keeper),
    due: createDueReader(shop, keeper),
    prices: (signal = never) => online(signal, (session) => readPrices(shop, session, signal)),
    delivered: (id, take) => readDelivered(shop, keeper, id, take),
    editSpec: createSpecEditor(shop),
    write: async (sheets, folder) => {
      const files = await toOutput(sheets, enginesOf(shop.options), shop.options.formats)
      return writeOutput(shop.host, resolve(shop.options.root, folder), files)
    },
    writeTypings: (sheets, unmade) => writeTypings(shop.host, sheets, unmade),
    ledger: () => readAccounts(shop),
    store: openResultStore(shop, keeper),
    verifyLedger: (request = {}, signal = never) => online(signal, (session) => verifyAccounts(shop, session, request, signal)),
    doctor: () => examine(shop, keeper),
    contract: (request = {}, signal = never) =>
      interruptible(signal, async () => (await import('./workshop/contract.ts')).lookAtContract(shop, keeper, request, signal)),
    compareOpenapi: async (file) => (await import('./workshop/contract.ts')).compareWithDescription(shop, file),
    containsKey: (bytes) => containsKey(shop.credentials, bytes),
    close: async () => {
      await previewer.settle()
      await keeper.close()
    },
  }
}
