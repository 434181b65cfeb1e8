import type { Variant } from './variant.ts'
import { counting, keeping } from './variants-keeping.ts'
import { judging, sending } from './variants-sending.ts'

/** Every wrong version. */
export const variants: readonly Variant[] = [...sending, ...judging, ...counting, ...keeping]
