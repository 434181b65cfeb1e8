import type { OpenapiDifference } from '../../contract/openapi/openapi.ts'
import type { Host } from '../../host/host.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { PersonRequests } from '../../project/requests.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import type { LedgerReport, LedgerRequest, LedgerVerification, LedgerVerifyRequest } from '../ledger/report.ts'
import type { ProjectFiles } from '../project-files.ts'
import type { ResultStore } from '../store/reports.ts'
import type { AcceptStandingRequest, StandingOffer } from '../trust/accept-standing.ts'
import type { RevokeReport } from '../trust/revoke.ts'
import type { Trust } from '../trust/trust.ts'
import type { WorkerStatus } from '../worker/status.ts'
import type { WorkRequest } from '../worker/worker.ts'
import type { Disclosure } from './disclosure.ts'
import type {
  DeliveredFrames,
  NewSprite,
  NewSpriteRequest,
  Overview,
  PendingReport,
  PriceList,
  SpecEditReport,
  SpecEditRequest,
  SpecFileTarget,
} from './overview-report.ts'
import type {
  AnswerRequest,
  ApproveReport,
  ApproveRequest,
  BuildReport,
  BuildRequest,
  ContractFinding,
  ContractRequest,
  DoctorFinding,
  FrameFile,
  PlanPictures,
  PlanReport,
  Preview,
  RecoverReport,
  RecoverRequest,
  ReviewOptions,
  ReviewReport,
} from './reports.ts'

/**
 * All verbs of a project. The CLI and the Vite plugin call them. Methods throw `SpritewrightError`. Several
 * failures at once are thrown as one `AggregateError` with such `errors`.
 */
export interface Workshop {
  readonly options: ResolvedOptions
  /** Ports of the world for callers. The environment is not among them, because it contains the key. */
  readonly host: Pick<Host, 'clock' | 'disk' | 'random' | 'terminal'>
  /**
   * Prices everything that is missing. Spends nothing, and contacts the service only if something is missing.
   * Throws errors of specs.
   */
  plan(names?: readonly string[], signal?: AbortSignal): Promise<PlanReport>
  /**
   * Pictures of what each animation that is not bought would replace, and of what it would be made from. Does
   * not contact the service. Throws errors of specs.
   */
  planPictures(names?: readonly string[]): Promise<readonly PlanPictures[]>
  /** The states of all animations, without contacting the service. */
  status(names?: readonly string[]): Promise<PlanReport>
  /**
   * The frames of a sprite or of one animation in one picture, with the flagged ones marked. Does not contact
   * the service. Throws `SW_MISSING` if nothing of that name is bought.
   */
  review(name: string, options?: ReviewOptions): Promise<ReviewReport>
  /**
   * The bought frames of a name as PNGs to touch up, exactly as delivered: `walk/0003.png` … Overrides are
   * not applied.
   */
  originals(name: string): Promise<readonly FrameFile[]>
  approve(request: ApproveRequest, signal?: AbortSignal): Promise<ApproveReport>
  /**
   * Takes back approvals that were not used. Does not contact the service.
   *
   * @param names Of sprites or animations; empty for all. Throws `SW_USAGE` for an unknown one.
   */
  revoke(names?: readonly string[]): Promise<RevokeReport>
  /**
   * Lets a person accept the configuration's standing ceilings, which allow nothing before. Throws `SW_USAGE`
   * if there are none, and none were accepted before.
   */
  acceptStanding(
    request: AcceptStandingRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly offer: StandingOffer; readonly confirmed: boolean }>
  /** The files that the sprites depend on, for watchers of the project. */
  readonly files: ProjectFiles
  /** The addresses that may get the API key. */
  readonly trust: Trust
  /** What programs ask a person to decide: open requests of this project on this machine. */
  readonly requests: PersonRequests
  build(request?: BuildRequest): Promise<BuildReport>
  /** Buys what the clients of `service.queue` order, until the signal is aborted. */
  work(request: WorkRequest): Promise<void>
  /** Who is active at `service.queue`, and which orders wait, run and failed. */
  workerStatus(): Promise<WorkerStatus>
  /** Whether this machine has no API key, and a worker asks the service for it. */
  readonly asksWorker: boolean
  /** Whether anything new may be bought here: neither CI nor `build.generate: 'never'` forbids it. */
  readonly mayBuy: boolean
  /**
   * Answers a question. The result names the execution that continues; the next build watches it. Throws
   * `SW_CHANGED` if the open question is not the one in `shown`.
   */
  answer(request: AnswerRequest, signal?: AbortSignal): Promise<{ readonly id: string; readonly executionId: string }>
  /**
   * Decides about an uncertain submission or answer, or about an execution that the service no longer knows.
   * Throws `SW_USAGE` if nothing needs a decision, `SW_CHANGED` if the open case is not the one in `shown`.
   */
  recover(request: RecoverRequest, signal?: AbortSignal): Promise<RecoverReport>
  /**
   * Cancels the running pictures of a name. Sprite executions cannot be cancelled (`SW_CAPABILITY`).
   *
   * @param shown Request hash of the one picture that the person saw. Throws `SW_CHANGED` if that picture is
   * no longer running.
   * @default all of that name
   */
  cancel(name: string, signal?: AbortSignal, shown?: string): Promise<readonly { readonly id: string; readonly status: string }[]>
  /**
   * Deletes conversations at the service, after `confirm`. The paid results here stay. Returns the ids whose
   * conversations were deleted.
   */
  forget(name: string, confirm: (ids: readonly string[]) => Promise<boolean>, signal?: AbortSignal): Promise<readonly string[]>
  /**
   * For the dev server: each sprite as an atlas of its own, with placeholders for unbought animations. Does
   * not contact the service. Broken sprites are left out and listed in `errors`.
   *
   * @param changed Absolute paths of all files that have changed since the last preview. Parts that do not
   * depend on them are the same objects as before.
   * @default unknown: all parts are read again
   * @param wanted Names of the sprites to make. For the others only the specs are read.
   * @default all
   */
  preview(changed?: readonly string[], wanted?: ReadonlySet<string>): Promise<Preview>
  /**
   * The states of all requests for the panel, with takes and undecided cases. The quality of frames comes
   * with the sheets of a preview. Broken specs are left out and listed in `errors`. Does not contact the
   * service.
   *
   * @param changed Absolute paths of all files that have changed since the last overview. Other sprites are not
   * read again, unless one of the paths is neither a spec nor a picture: then the records may have changed.
   * @default unknown: all files are read again
   */
  overview(changed?: readonly string[]): Promise<Overview>
  /**
   * The pending purchases: approved in this checkout and not finished. The dev server completes them.
   * Empty if the dev server could not buy or could not contact the service. Does not contact the service.
   *
   * @param changed Absolute paths of all files that have changed since the last call. If all of them are
   * specs, only pending purchases of these specs are returned.
   * @default unknown: all files are read again
   */
  pending(changed?: readonly string[]): Promise<PendingReport>
  /** Asks the service for the prices of everything that is not bought, and for the balance. */
  prices(signal?: AbortSignal): Promise<PriceList>
  /**
   * All frames of one take, for a person to choose from. Does not contact the service. Throws `SW_USAGE` if
   * there is no such animation.
   */
  delivered(id: string, take?: number): Promise<DeliveredFrames>
  /**
   * Every atlas group, packed as a build would, with placeholders for unbought animations. Sprites with
   * errors are left out. Does not contact the service.
   */
  atlases(): Promise<BuiltSheets>
  /**
   * Writes free fields into a spec file and keeps its comments. Either all edits are written or none. Throws
   * `SW_CHANGED` if the file has changed since, `SW_SPEC` if the result would not be a valid spec.
   */
  editSpec(request: SpecEditRequest): Promise<SpecEditReport>
  /**
   * Writes the text that a spec file had before its last edit by {@link Workshop.editSpec}, byte for byte.
   * Throws `SW_CHANGED` if the file has changed since, `SW_USAGE` if there is no such edit.
   */
  undoSpecEdit(target: SpecFileTarget): Promise<SpecEditReport>
  /**
   * Writes a spec with one animation, and its picture. Overwrites nothing. Throws `SW_USAGE` for a name that
   * is taken, `SW_SPEC` for an invalid one, `SW_REFERENCE` for bytes that are no picture.
   */
  createSprite(request: NewSpriteRequest): Promise<NewSprite>
  /**
   * Writes atlases, engine data and `sprites.d.ts` into a folder. Returns the written paths, relative to it
   * and sorted. Removes files that the last build of this project wrote there and this one does not make, unless
   * they were changed since; a warning names them.
   */
  write(sheets: BuiltSheets, folder: string): Promise<readonly string[]>
  /**
   * Writes typings of literal names if they have changed: beside specs, or all into the file of the option
   * `typings`. Returns the absolute paths that were written or removed.
   *
   * @param specs The specs that have changed.
   * @default all valid specs of the project
   */
  writeTypings(specs?: Preview['specs']): Promise<readonly string[]>
  /**
   * The origin of every frame that a build ships, from the lock file, the journal and the specs. Does not contact the
   * service.
   *
   * @param folder Output folder of a build, absolute, whose pictures are compared with those of the origins.
   */
  disclose(folder?: string): Promise<Disclosure>
  /**
   * The credits that were held, settled or restored or are uncertain, by the records of this machine or of the
   * journal that a team shares. Writes movements that `ledger.jsonl` lacks into it, except those of a team.
   */
  ledger(request?: LedgerRequest, signal?: AbortSignal): Promise<LedgerReport>
  /**
   * The paid results: those that are here, their integrity, those that may be removed, and those of the
   * shared store.
   */
  readonly store: ResultStore
  /** Like `ledger`, and compares it with the service's state of every execution. It sends only reads. */
  verifyLedger(request?: LedgerVerifyRequest, signal?: AbortSignal): Promise<LedgerVerification>
  doctor(): Promise<readonly DoctorFinding[]>
  /** Checks the promises of the configured service, clause by clause. Each clause has at least one line. */
  contract(request?: ContractRequest, signal?: AbortSignal): Promise<readonly ContractFinding[]>
  /**
   * Compares an OpenAPI description in a file with the requests and readers of spritewright. Does not contact
   * the service.
   */
  compareOpenapi(file: string): Promise<readonly OpenapiDifference[]>
  /** Whether bytes contain the API key, plain or in a usual encoding. Shipped files must not. */
  containsKey(bytes: Uint8Array): boolean
  /** Closes connections, and stops the embedded service if this workshop started it. */
  close(): Promise<void>
}
