import { ending } from './ending.ts'
import { counting, keeping } from './keeping.ts'
import { judging, sending } from './sending.ts'
import { sharing } from './sharing.ts'
import type { Variant } from './variant.ts'

/** Every wrong version. */
export const variants: readonly Variant[] = [...sending, ...judging, ...counting, ...keeping, ...sharing, ...ending]
