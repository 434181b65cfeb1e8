/** A promise of the service's interface, by its number. */
export interface Clause {
  /** `C1` to `C42`. */
  readonly id: ClauseId
  /** The subject of the clause, in a few words of our own. */
  readonly title: string
  /** The side that the clause does not concern; missing if it concerns both. */
  readonly without?: 'client' | 'embedded service'
}

/** Number of a clause. */
export type ClauseId = `C${number}`

/**
 * Every promise of the interface, for client and service. `npm run maintain -- conformance` requires tests for each side
 * that a clause concerns.
 */
export const clauses: readonly Clause[] = [
  { id: 'C1', title: 'a bearer key on every request; 422 without one, 401 for a wrong one, 403 for what is not yours' },
  { id: 'C2', title: 'Service-Version: 1 on managed requests' },
  { id: 'C3', title: 'one idempotency key a submission; the same bytes give the same answer, other bytes a conflict' },
  { id: 'C4', title: '202 is acceptance only; credit, quota and jobs are checked after it, never by a 402' },
  { id: 'C5', title: 'an initial event stream at submission, if requested' },
  { id: 'C6', title: 'six statuses, and the moves between them' },
  { id: 'C7', title: 'a retryable failure of admission stays queued' },
  { id: 'C8', title: 'a final failure of admission is reported by the execution and by its last event' },
  { id: 'C9', title: 'a question that is not null is the one sign that a turn waits' },
  { id: 'C10', title: 'an answer starts a new execution and leaves the old one without its question' },
  { id: 'C11', title: 'images can be cancelled, sprites cannot' },
  { id: 'C12', title: 'deleting a conversation is for ever' },
  { id: 'C13', title: 'an image costs one credit, on delivery' },
  { id: 'C14', title: 'a sprite holds its price, settles on delivery, gives it back on failure' },
  { id: 'C15', title: 'the price is checked against max_credits at submission' },
  { id: 'C16', title: 'capabilities say what the account may do, and its limits' },
  { id: 'C17', title: 'sprite sheets need the capability' },
  { id: 'C18', title: 'an estimate has seven fields, is free, not binding and not to be kept' },
  { id: 'C19', title: 'the version of the price is a constant' },
  { id: 'C20', title: 'the balance is what can be spent now' },
  { id: 'C21', title: 'seven kinds of event' },
  { id: 'C22', title: 'Last-Event-ID resumes a stream' },
  { id: 'C23', title: 'a closed connection ends no job' },
  { id: 'C24', title: 'four open streams a key' },
  { id: 'C25', title: 'an asset is a redirect to a signed URL elsewhere, good for 15 minutes, without credentials' },
  { id: 'C26', title: 'the download URL belongs to one account, on the origin of the API' },
  { id: 'C27', title: 'the error envelope: one key, six fields, three headers, nothing echoed' },
  { id: 'C28', title: 'fifteen public reasons' },
  { id: 'C29', title: '429 in one form, with or without Retry-After' },
  { id: 'C30', title: 'three rate limits, per key and per account' },
  { id: 'C31', title: 'two active jobs an account' },
  { id: 'C32', title: 'a safe retry: the same bytes, the same key, after reading what is known', without: 'embedded service' },
  { id: 'C33', title: 'upscale takes at most 2048 pixels and doubles them' },
  { id: 'C34', title: 'what each operation delivers' },
  { id: 'C35', title: "the service's review of a sprite's frames" },
  { id: 'C36', title: 'the sanitized error of an image job' },
  { id: 'C37', title: 'what a finished asset says about its file' },
  { id: 'C38', title: 'API version, key mode, and whether test mode uses credits' },
  { id: 'C39', title: 'answers may gain fields, and lack those that are additive' },
  { id: 'C40', title: 'keys stay secret' },
  { id: 'C41', title: 'no batch endpoint and no webhooks', without: 'embedded service' },
  { id: 'C42', title: 'video is quoted first, and its requests are not shown' },
]
