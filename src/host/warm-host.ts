import { nodeClock } from './clock.ts'
import { nodeDisk } from './disk.ts'
import type { Host } from './host.ts'

/** The part of this machine that a warm start looks at: the rest of it is not loaded for that. */
export function warmHost(): Pick<Host, 'clock' | 'disk' | 'env'> {
  return { clock: nodeClock(), disk: nodeDisk(), env: process.env }
}
