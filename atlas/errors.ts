/** Stable codes of the errors of `atlas/`. */
export type AtlasErrorCode =
  /** An invalid ZIP; `facts.rule` names the broken rule. */
  | 'SW_ARCHIVE'
  /**
   * An archive without recognisable frames, or one that would take too much memory; `facts.rule` names the
   * broken rule.
   */
  | 'SW_DELIVERY_LAYOUT'
  /** Bytes that are not a PNG, or an invalid PNG; `facts.rule` names the broken rule. */
  | 'SW_PNG'
  /** A picture of another format that is unreadable or too large. */
  | 'SW_IMAGE'
  /** Bytes that are not an Aseprite file, or one that cannot be drawn exactly; `facts.rule` names the broken rule. */
  | 'SW_ASEPRITE'
  /** Pixels that do not match their stated size, or frames of one animation that differ in size. */
  | 'SW_FRAME_SIZE'
  /** An animation that does not fit on one page. */
  | 'SW_PACK'
  /** An option out of its range. */
  | 'SW_ATLAS_OPTION'

/**
 * An error of `atlas/`. The message says what was expected, what was found and what to do. The class has the same
 * shape as the package's own error. Compare its `code`.
 */
export class AtlasError extends Error {
  override readonly name = 'AtlasError'
  readonly code: AtlasErrorCode
  /** Plain data: the rule, the entry, the sizes. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(code: AtlasErrorCode, detail: { message: string; facts?: Readonly<Record<string, unknown>>; cause?: unknown }) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.code = code
    this.facts = detail.facts ?? {}
  }
}
