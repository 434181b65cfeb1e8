import { basename, relative, resolve } from 'node:path'
import { type Host, nodeHost } from './host/host.ts'
import { refuseKeyInAddress, searchFor } from './key-search.ts'
import { loadConfig } from './options/config-files.ts'
import { type Credentials, readCredentials } from './options/credentials.ts'
import { enginesOf, isCi, type Options, resolveOptions } from './options/options.ts'
import { type Context, openContext } from './project/context.ts'
import { findTexturePackage, readCodecVersion } from './project/packages.ts'
import { createConnection, type ServiceConnection, type Session } from './project/session.ts'
import { privatePlaces, refuseLinks } from './project/store-folder.ts'
import { throwAll } from './project/survey.ts'
import { writeFolder } from './sheets/output/folder.ts'
import { toOutput, writeTypings } from './sheets/output/output.ts'
import { readSpecs } from './sprite-spec/scan.ts'
import { createPatience } from './stores/patience.ts'
import type { Workshop } from './workshop/api/api.ts'
import { approve } from './workshop/approve.ts'
import { build } from './workshop/build.ts'
import { interruptible } from './workshop/interrupt.ts'
import { reportAccounts } from './workshop/ledger/account-report.ts'
import { verifyAccounts } from './workshop/ledger/verify.ts'
import { packAtlases } from './workshop/live/atlases.ts'
import { readDelivered } from './workshop/live/delivered.ts'
import { createSpecEditor } from './workshop/live/edit-spec.ts'
import { createSprite } from './workshop/live/new-sprite.ts'
import { createOverviewer, readPrices } from './workshop/live/overview.ts'
import { createPendingReader } from './workshop/live/pending-purchases.ts'
import { createPreviewer } from './workshop/live/preview.ts'
import { createSpecReader } from './workshop/live/spec-book.ts'
import { mayBuy } from './workshop/may-buy.ts'
import { drawPlanPictures } from './workshop/plan-pictures.ts'
import { projectFiles } from './workshop/project-files.ts'
import { answer, cancel, forget } from './workshop/questions.ts'
import { recover, refuseDecision } from './workshop/recovery/recover.ts'
import { makePlan, readFullStatus } from './workshop/report.ts'
import { readOriginals, review } from './workshop/review.ts'
import { openResultStore } from './workshop/store/result-store.ts'
import { acceptStanding } from './workshop/trust/accept-standing.ts'
import { revoke } from './workshop/trust/revoke.ts'
import { openTrust } from './workshop/trust/trust.ts'
import type { OpenedProject } from './workshop/worker/opened-project.ts'

export type { OpenapiDifference } from './contract/openapi/openapi.ts'
export type { Assertion, TouchAnswer, TouchChallenge } from './credit/touch.ts'
export type { JobProgress, ProgressListener } from './job/order.ts'
export { configJsonSchema } from './options/schema.ts'
export type { PlanItem, PlanState, PlanStep, Quote, Standing, StandingApproval } from './project/plan.ts'
export type { PersonRequest, PersonRequests } from './project/requests.ts'
export type { KeyRoute, TrustedHost } from './project/trust/hosts.ts'
export type { AnimationQuality, FrameFlag } from './sheets/quality.ts'
export type { BuiltAtlas, BuiltPage, BuiltSheets, BuiltSprite } from './sheets/sheet.ts'
export type { FieldEdit, FieldValue } from './sprite-spec/edit/edit.ts'
export { specJsonSchema } from './sprite-spec/schema.ts'
export { lockJsonSchema } from './vault/lock-schema.ts'
export type { Workshop } from './workshop/api/api.ts'
export type * from './workshop/api/disclosure.ts'
export type * from './workshop/api/overview-report.ts'
export type * from './workshop/api/reports.ts'
export type * from './workshop/ledger/report.ts'
export { createProgressLines, progressLine } from './workshop/progress-line.ts'
export type { FileRole, ProjectFiles } from './workshop/project-files.ts'
export type * from './workshop/store/reports.ts'
export type { AcceptStandingRequest, StandingOffer } from './workshop/trust/accept-standing.ts'
export type { RevokeReport } from './workshop/trust/revoke.ts'
export type { Trust } from './workshop/trust/trust.ts'
export { eventRecord, type Tell, type WorkerEvent } from './workshop/worker/events.ts'
export type { OrderStatus, WorkerStatus } from './workshop/worker/status.ts'
export type { WorkRequest } from './workshop/worker/worker.ts'

/** The settings of a workshop. */
export interface WorkshopInit {
  /** Folder of the project: absolute, or relative to the working folder. */
  readonly root: string
  /** Options that take precedence over the configuration file, key by key. */
  readonly options?: Options
  /**
   * Path of a configuration file. Without it `spritewright.config.{ts,js,mjs,json}` in the root is read if it
   * exists.
   */
  readonly config?: string
  /**
   * Selects the `.env.[mode]` files that are read besides `.env` and `.env.local`.
   *
   * @default 'development'
   */
  readonly mode?: string
  /**
   * Folder of the `.env` files, absolute or relative to the root. If false, none is read.
   *
   * @default the root
   */
  readonly envDir?: string | false
  /**
   * Prefixes of variables that the bundler ships to browsers. An API key under one of them is refused.
   *
   * @default 'VITE_'
   */
  readonly envPrefix?: string | readonly string[]
  /** The ports of the world; those of this machine if missing. */
  readonly host?: Host
  /**
   * Receives a sentence for a person when requests have waited some seconds for the service's limits, or for a worker.
   *
   * @default nobody is told
   */
  readonly onWait?: (sentence: string) => void
  /**
   * Lets the verbs wait for shared stores that do not answer, at most `store.patience`, until this signal is aborted.
   *
   * @default a store that does not answer fails at once
   */
  readonly waitUntil?: AbortSignal
}

/**
 * Opens a project. Reads its configuration and environment. The service is contacted only when a verb needs
 * it.
 *
 * @throws `SW_CONFIG`, `SW_KEY_EXPOSED`, `SW_NO_KEY` for a malformed key, `SW_DISK` for a store that is a
 * link.
 */
export async function createWorkshop(init: WorkshopInit): Promise<Workshop> {
  const host = init.host ?? nodeHost()
  const { context, configFile } = await openProject(host, init)
  return openWorkshop(context, createConnection(context, init.onWait), configFile, init)
}

/**
 * Opens the context of a project.
 *
 * @param given Credentials that count instead of those of its environment and files.
 */
async function openProject(
  host: Host,
  init: WorkshopInit,
  given?: Credentials,
): Promise<{ readonly context: Context; readonly configFile: string | undefined }> {
  const root = resolve(host.workingFolder, init.root)
  const config = await loadConfig(host, root, init.config)
  const options = resolveOptions(init.options ?? {}, {
    root,
    isCi: isCi(host.env),
    dependencies: config.dependencies,
    config: { options: config.options, file: config.file },
  })
  await refuseLinks(host.disk, options)
  for (const place of privatePlaces(host, options.store.dir)) host.disk.keepPrivate?.(place)
  const envFolder = init.envDir === false ? false : resolve(root, init.envDir ?? '.')
  const credentials =
    given ?? (await readCredentials(host, envFolder, { mode: init.mode ?? 'development', envPrefix: init.envPrefix ?? 'VITE_' }))
  const address = typeof options.service === 'object' ? (options.service.baseUrl ?? '') : ''
  refuseKeyInAddress(searchFor(credentials.key?.reveal()), address, 'service.baseUrl', { option: 'service.baseUrl' })
  const textures = options.atlas.encodings.includes('ktx2') ? await findTexturePackage(host, root) : undefined
  const { service } = init.options ?? {}
  const isOwnAddress = typeof service === 'object' && service.baseUrl !== undefined
  const configSource = isOwnAddress || config.file === undefined ? 'the options of the program' : basename(config.file)
  const { waitUntil: signal, onWait = () => {} } = init
  const patience = signal && createPatience({ ...host, longestMs: options.store.patienceMs, signal, onWait })
  const context = {
    ...openContext(host, options, credentials, { name: config.projectName, configSource }, patience),
    codec: await readCodecVersion(host),
    textures,
  }
  return { context, configFile: config.file }
}

function openWorkshop(
  context: Context,
  connection: ServiceConnection,
  configFile: string | undefined,
  { onWait, waitUntil }: WorkshopInit,
): Workshop {
  const never = new AbortController().signal
  const online = async <T>(signal: AbortSignal, left: 'paid' | 'nothing', work: (session: Session) => Promise<T>): Promise<T> =>
    interruptible(signal, left, async () => work(await connection.open(signal)))
  const openOther = async (root: string): Promise<OpenedProject> => {
    const { context: other } = await openProject(context.host, { root, onWait, waitUntil }, context.credentials)
    return { context: other, connection: createConnection(other, onWait) }
  }
  const editor = createSpecEditor(context)
  const book = createSpecReader(context)
  return {
    options: context.options,
    host: { clock: context.host.clock, disk: context.host.disk, random: context.host.random, terminal: context.host.terminal },
    plan: (names = [], signal = never) => interruptible(signal, 'nothing', () => makePlan(context, connection, names, signal)),
    planPictures: (names = []) => drawPlanPictures(context, connection, names),
    status: (names = []) => readFullStatus(context, connection, names),
    review: (name, asked) => review(context, connection, name, asked),
    originals: (name) => readOriginals(context, connection, name),
    approve: (request, signal = never) => online(signal, 'nothing', (session) => approve(context, session, request, signal)),
    revoke: (names = []) => revoke(context, connection, names),
    acceptStanding: (request, signal = never) => online(signal, 'nothing', (session) => acceptStanding(context, session, request, signal)),
    files: projectFiles(context, configFile),
    trust: openTrust(context),
    requests: context.requests,
    build: (request = {}) => interruptible(request.signal ?? never, 'paid', () => build(context, connection, request)),
    work: async (request) => (await import('./workshop/worker/worker.ts')).work({ context, connection }, openOther, request),
    asksWorker: connection.isRemote,
    // A test that starts the dev server of a game buys nothing, and continues nothing.
    mayBuy: context.host.env.VITEST === undefined && mayBuy(context, {}),
    workerStatus: async () => (await import('./workshop/worker/status.ts')).readWorkerStatus(context),
    answer: (request, signal = never) => online(signal, 'paid', (session) => answer(context, session, request, signal, onWait)),
    recover: async (request, signal = never) => {
      refuseDecision(connection, request)
      return online(signal, 'paid', (session) => recover(context, session, request, signal))
    },
    cancel: (name, signal = never, shown = undefined) =>
      online(signal, 'paid', (session) => cancel(context, session, { name, shown }, signal)),
    forget: (name, confirm, signal = never) => online(signal, 'nothing', (session) => forget(context, session, name, confirm, signal)),
    preview: createPreviewer(context, connection, book),
    overview: createOverviewer(context, connection, book),
    pending: createPendingReader(context, connection, book),
    prices: (signal = never) => online(signal, 'nothing', (session) => readPrices(context, session, signal)),
    atlases: () => packAtlases(context, connection),
    delivered: (id, take) => readDelivered(context, connection, id, take),
    editSpec: editor.edit,
    undoSpecEdit: editor.undo,
    createSprite: (request) => createSprite(context, request),
    write: async (sheets, folder) => {
      const { cache, options, warnings } = context
      const { root } = options
      const out = { root, folder: resolve(root, folder) }
      const { files, removed } = await writeFolder(
        { ...context.host, cache },
        out,
        await toOutput(sheets, enginesOf(options), options.formats),
      )
      if (removed.length > 0)
        warnings.push(`Removed from ${relative(root, out.folder) || '.'}, since this build did not make them again: ${removed.join(', ')}.`)
      return files
    },
    writeTypings: async (changed) => {
      const { root, specs, typings } = context.options
      if (changed && typings === undefined) return writeTypings(context.host, changed)
      const found = await readSpecs(context.host, root, specs)
      // In the one file, a spec that is broken for a moment keeps its types.
      if (changed && found.errors.length > 0) return []
      if (typings !== undefined) throwAll(found.errors)
      return writeTypings(context.host, found.specs, typings)
    },
    disclose: async (folder) => (await import('./workshop/disclose/disclose.ts')).disclose(context, connection, folder),
    ledger: (request = {}, signal = never) => interruptible(signal, 'nothing', () => reportAccounts(context, connection, request, signal)),
    store: openResultStore(context, connection, async (root) => (await openOther(root)).context),
    verifyLedger: (request = {}, signal = never) =>
      online(signal, 'nothing', (session) => verifyAccounts(context, session, request, signal)),
    doctor: async () => (await import('./workshop/doctor.ts')).examine(context, connection),
    contract: (request = {}, signal = never) =>
      interruptible(signal, 'paid', async () =>
        (await import('./workshop/contract.ts')).checkContract(context, connection, request, signal),
      ),
    compareOpenapi: async (file) => (await import('./workshop/contract.ts')).compareWithDescription(context, file),
    containsKey: context.keySearch.isIn,
    close: () => connection.close(),
  }
}
