import type { OpenapiDifference } from '../../contract/openapi/openapi.ts'
import type { Credits } from '../../credit/credits.ts'
import type { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import type { ProgressListener } from '../../job/order.ts'
import type { ShownDecision } from '../../job/recover.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { PlanItem, PlanStep } from '../../project/plan.ts'
import type { AnimationQuality } from '../../sheets/quality.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import type { SpriteSpec } from '../../spec/spec.ts'
import type { BalanceEvidence, LedgerReport, LedgerVerification, LedgerVerifyRequest } from '../ledger/report.ts'
import type { ProjectFiles } from '../project-files.ts'
import type { ResultStore } from '../store/reports.ts'
import type { AcceptStandingRequest, StandingOffer } from '../trust/accept-standing.ts'
import type { Trust } from '../trust/trust-desk.ts'
import type { DeliveredFrames, Overview, PendingReport, PriceList, SpecEditReport, SpecEditRequest } from './overview-report.ts'

/** What the project has, lacks, and what the lacking part would cost. */
export interface PlanReport {
  /** All animations, by sprite name and in the order of the spec. */
  readonly items: readonly PlanItem[]
  /** Paid steps of reference chains: those that something still to be bought needs, and those that were bought. */
  readonly steps: readonly PlanStep[]
  /** Sum of the quotes of all that has to be bought. */
  readonly total: Credits
  /** Available credits; undefined where the service was not asked because nothing is missing. */
  readonly balance?: Credits
  /** Where it would be bought; undefined where the service was not asked. */
  readonly service?: { readonly host: string; readonly keyMode: 'test' | 'live' }
  /** What was found out about the frames of what is bought; only where it was asked for (`status`). */
  readonly quality?: readonly AnimationQuality[]
  /** Warnings in words, e.g. another API version. */
  readonly warnings: readonly string[]
}

/** Bought frames for a person to look at. */
export interface ReviewReport {
  readonly name: string
  /** Those that are bought and here, in the order of the picture. */
  readonly animations: readonly AnimationQuality[]
  /** Ids under that name that are not. */
  readonly missing: readonly string[]
  /** PNG: frames in rows, flagged ones with a red border, and as an onion skin. */
  readonly picture: Uint8Array
  readonly warnings: readonly string[]
}

/** A bought frame as a picture file. */
export interface FrameFile {
  /** Path in the sprite's folder of touched-up frames, with forward slashes: `walk/0003.png`. */
  readonly file: string
  /** PNG. */
  readonly bytes: Uint8Array
}

/** A ceiling that was written, or would be. */
export interface ApprovalLine {
  readonly id: string
  /** Request hash: of a sheet, it changes with each step of its chain, too. */
  readonly hash: string
  /** The words that are sent. */
  readonly prompt: string
  readonly quote: Credits
  readonly ceiling: Credits
}

export interface ApproveRequest {
  /** `sprite` or `sprite.animation`; empty for everything that is missing. */
  readonly names: readonly string[]
  /** Ceiling for each animation instead of its estimate. */
  readonly max?: Credits
  /** Refuses when the ceilings add up to more. */
  readonly total?: Credits
  /** Takes over approvals that do not count here: unsigned ones, and those of keys that the user does not trust. */
  readonly adopt?: boolean
  /** How the person gives it: at a question in a terminal, by a click in the panel, or without being asked. It is signed with the approval. @default 'unattended' */
  readonly given?: 'typed' | 'clicked' | 'unattended'
  /** Asked once with every line; nothing is written unless it answers `true`. */
  readonly confirm: (lines: readonly ApprovalLine[], balance: Credits) => Promise<boolean>
}

export interface ApproveReport {
  readonly approved: readonly ApprovalLine[]
  /** Ids that got no approval: bought, approved at a ceiling that still fits, or another checkout's to buy. */
  readonly untouched: readonly string[]
  /** Those of them that are not bought and were approved in another checkout: only `adopt` takes them over. */
  readonly others: readonly string[]
  /** Those of them that wait for a person's decision first. */
  readonly undecided: readonly string[]
  /** False when `confirm` said no. */
  readonly confirmed: boolean
}

export interface BuildRequest {
  readonly names?: readonly string[]
  /** Buys nothing; fails with `SW_MISSING` when anything is missing. */
  readonly frozen?: boolean
  /** Buys, and makes no atlas. */
  readonly buyOnly?: boolean
  /** Buys only what was approved by name: standing ceilings do not count, and what is not approved, or broken, is left out instead of failing the run. */
  readonly approvedOnly?: boolean
  readonly onProgress?: ProgressListener
  /** Ends the waiting; paid work goes on at the service and the next run picks it up. */
  readonly signal?: AbortSignal
}

export interface BuildReport {
  /** Empty with `buyOnly`. */
  readonly sheets: BuiltSheets
  /** Ids bought in this run, with what they cost. */
  readonly bought: readonly { readonly id: string; readonly credits: Credits }[]
  /** How many animations came from the vault. */
  readonly fromVault: number
  /** The account's balance around a run that sent something; undefined where nothing was sent. */
  readonly balance?: BalanceEvidence
  readonly warnings: readonly string[]
}

export interface AnswerRequest {
  /** `sprite`, `sprite.animation` or `sprite#2`. */
  readonly name: string
  readonly text: string
  /** A picture, where the question asks for one. */
  readonly asset?: { readonly path: string; readonly bytes: Uint8Array } | undefined
  /** The very question that a person was shown; anything else is refused. @default the one that waits under that name */
  readonly shown?: { readonly hash: string; readonly questionId: string }
}

/** A person's decision about what nobody can know. */
export interface RecoverRequest {
  /** `sprite`, `sprite.animation` or `sprite#2`. */
  readonly name: string
  /** `replay`: the same bytes under the same key once more, whatever became of the earlier ones. `abandon`: give the attempt up; what it may have cost counts as spent. */
  readonly decision: 'replay' | 'abandon'
  /** What the decision is about, where it was taken before a single one; anything else is refused. @default all that is undecided under that name */
  readonly shown?: ShownDecision & { /** Request hash. */ readonly hash: string }
  readonly onProgress?: ProgressListener
}

export interface RecoverReport {
  readonly decided: readonly {
    readonly id: string
    /** `execution`: the service does not know it any more. */
    readonly about: 'submission' | 'answer' | 'execution'
    /** What the attempt may have cost; missing where another machine bought it. */
    readonly ceiling?: Credits
    /** Available credits before it was sent. */
    readonly balanceBefore?: Credits
  }[]
  /** Available credits now; missing where the service could not be asked: the decision is written all the same. */
  readonly balance?: Credits
  /** What came of a replay. */
  readonly bought: readonly { readonly id: string; readonly credits: Credits }[]
}

/** One check of `doctor`. */
export interface DoctorFinding {
  readonly check: string
  readonly verdict: 'good' | 'warning' | 'bad'
  readonly found: string
  /** What to do; empty where it is good. */
  readonly advice: string
}

/** What `doctor --contract` asks for. */
export interface ContractRequest {
  /** What one execution may cost, made to see the rest of the promises. Without it nothing is submitted. */
  readonly spend?: Credits
  /** Told of each check before it is made. */
  readonly onCheck?: (check: { readonly clause: string; readonly title: string }) => void
}

/** A clause of the interface with what was found of it. */
export interface ContractFinding {
  /** `C1` to `C42`, or `N1` and so on for an assumption. */
  readonly clause: string
  readonly title: string
  /** `not checked`: the suite has no check for it, or none without spending. */
  readonly verdict: 'kept' | 'broken' | 'not checkable' | 'not checked'
  readonly words: string
  /** Part of `service.profile` to change; empty where that would not help. */
  readonly profilePart: string
}

/** The counter that the CLI and the Vite plugin stand at. Methods throw `SpritewrightError`; several failures at once come as one `AggregateError` whose `errors` are such. */
export interface Workshop {
  readonly options: ResolvedOptions
  /** What it was opened with of the world, without the environment, which has the key in it. */
  readonly host: Pick<Host, 'clock' | 'disk' | 'random' | 'terminal'>
  /** Spends nothing; asks the service only where something is missing. Errors of specs are thrown. */
  plan(names?: readonly string[], signal?: AbortSignal): Promise<PlanReport>
  /** Where everything stands, without the service. */
  status(names?: readonly string[]): Promise<PlanReport>
  /** The frames of a sprite or of one animation in one picture, with what is to be looked at. Without the service. `SW_MISSING` where nothing of it is bought. */
  review(name: string): Promise<ReviewReport>
  /** The bought frames of a name as they were delivered, as PNGs to be touched up: `walk/0003.png` … Nothing that lies over them is in these. */
  originals(name: string): Promise<readonly FrameFile[]>
  approve(request: ApproveRequest, signal?: AbortSignal): Promise<ApproveReport>
  /** Lets a person accept the configuration's standing ceilings; without that they allow nothing. `SW_USAGE` if there are none, and none were accepted before. */
  acceptStanding(
    request: AcceptStandingRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly offer: StandingOffer; readonly confirmed: boolean }>
  /** Which files the sprites depend on, for whoever watches the project. */
  readonly files: ProjectFiles
  /** Which address may get the API key. */
  readonly trust: Trust
  build(request?: BuildRequest): Promise<BuildReport>
  /** Answers a question; the answer names the execution that goes on, which the next build follows. `SW_CHANGED` where it is not the one that was `shown`. */
  answer(request: AnswerRequest, signal?: AbortSignal): Promise<{ readonly id: string; readonly executionId: string }>
  /** Decides about an uncertain submission or answer, or about an execution that the service does not know any more. `SW_USAGE` where nothing waits for a decision, `SW_CHANGED` where it is not what was `shown`. */
  recover(request: RecoverRequest, signal?: AbortSignal): Promise<RecoverReport>
  /** Cancels the pictures that are being made for a name; sprite executions cannot be cancelled (`SW_CAPABILITY`). @param shown Request hash of the one picture that a person was shown; `SW_CHANGED` where it is not being made any more. @default all of that name */
  cancel(name: string, signal?: AbortSignal, shown?: string): Promise<readonly { readonly id: string; readonly status: string }[]>
  /** Deletes conversations at the service, after `confirm`; the paid results here stay. Answers the ids that were forgotten. */
  forget(name: string, confirm: (ids: readonly string[]) => Promise<boolean>, signal?: AbortSignal): Promise<readonly string[]>
  /**
   * For the dev server: sprites as atlases of their own, placeholders for what is not bought, no service asked. What is broken is left out and told.
   *
   * @param changed Absolute paths of all files that have changed since the last one: what does not depend on them is the very same as there. @default nobody knows: all is looked at
   * @param wanted Names of the sprites that are to be made; of the others their specs are read, no more. @default all
   */
  preview(changed?: readonly string[], wanted?: ReadonlySet<string>): Promise<Preview>
  /**
   * Where everything stands, for the panel: takes, whose turn it is. What was found out about frames comes with the sheets of a preview. Broken specs are left out and told; no service is asked.
   *
   * @param changed Absolute paths of all files that have changed since the last one, nothing having happened at the service: no other sprite is looked at. @default all is read
   */
  overview(changed?: readonly string[]): Promise<Overview>
  /**
   * What was approved in this checkout and is not at its end; what the dev server buys and follows, nothing where it could not. No service is asked.
   *
   * @param changed Absolute paths of all files that have changed since the last one: where they are specs, what of them is due. @default all that is due
   */
  due(changed?: readonly string[]): Promise<PendingReport>
  /** Asks the service what all that is not bought would cost, and what the account has. */
  prices(signal?: AbortSignal): Promise<PriceList>
  /** All frames of one take, for a person to choose from. No service is asked. `SW_USAGE` for an animation that there is not. */
  delivered(id: string, take?: number): Promise<DeliveredFrames>
  /** Writes free fields into a spec file, comments kept, whole or not at all. `SW_CHANGED` where the file has changed since, `SW_SPEC` where it would be no spec. */
  editSpec(request: SpecEditRequest): Promise<SpecEditReport>
  /** Writes atlases, engine data and `sprites.d.ts` into a folder. Answers the paths written, relative to it, sorted. */
  write(sheets: BuiltSheets, folder: string): Promise<readonly string[]>
  /** Writes typings of literal names beside each spec, where they have changed. Answers the absolute paths written. @param unmade Specs of which nothing is made: by what they ask for. @default none */
  writeTypings(sheets: BuiltSheets, unmade?: Preview['specs']): Promise<readonly string[]>
  /** What was held, settled, restored, and what nobody knows, by the project's own papers. Movements that `ledger.jsonl` lacks are written into it anew. */
  ledger(): Promise<LedgerReport>
  /** The paid results: what is here, whether it is whole, what may go, what others have. */
  readonly store: ResultStore
  /** The same, compared with what the service says of every execution. Only reads are sent. */
  verifyLedger(request?: LedgerVerifyRequest, signal?: AbortSignal): Promise<LedgerVerification>
  doctor(): Promise<readonly DoctorFinding[]>
  /** Looks at what the configured service keeps of the interface, clause by clause; each clause has at least one line. */
  contract(request?: ContractRequest, signal?: AbortSignal): Promise<readonly ContractFinding[]>
  /** Compares an OpenAPI description in a file with what is sent and read. Asks no service. */
  compareOpenapi(file: string): Promise<readonly OpenapiDifference[]>
  /** Whether bytes hold the API key, plain or in a usual encoding: what is shipped must not. */
  containsKey(bytes: Uint8Array): boolean
  /** Frees connections, and stops the embedded service if this workshop started it. */
  close(): Promise<void>
}

/** What a dev server shows. */
export interface Preview {
  /** All specs that are in order, sorted by name; one that says what it said before is the very same object. */
  readonly specs: readonly SpriteSpec[]
  /** One atlas a sprite, of the sprites that were asked for and could be made. */
  readonly sheets: BuiltSheets
  /** What is wrong with specs; and with references, results and frames touched up by hand of the sprites that were asked for. Each names its file. */
  readonly errors: readonly SpritewrightError[]
}
