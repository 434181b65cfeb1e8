/** A stable name for one kind of refusal of the atlas room. */
export type AtlasErrorCode =
  /** A ZIP that a strict reader must not read; `facts.rule` names the broken rule. */
  | 'SW_ARCHIVE'
  /** An archive in which no frames can be found, or that would take too much memory; `facts.rule` names the broken rule. */
  | 'SW_DELIVERY_LAYOUT'
  /** Bytes that are no PNG, or one that a strict reader must not read; `facts.rule` names the broken rule. */
  | 'SW_PNG'
  /** A picture of another format that cannot be read, or is too large. */
  | 'SW_IMAGE'
  /** Pixels that do not fit their stated size, or frames of one animation that differ in size. */
  | 'SW_FRAME_SIZE'
  /** An animation that does not fit on one page. */
  | 'SW_PACK'
  /** An option out of its range. */
  | 'SW_ATLAS_OPTION'

/** An error of the atlas room: what was expected, what was found, what to do. Same shape as the package's own error, matched by `code`. */
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
