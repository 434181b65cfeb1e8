import type { Context } from '../../project/context.ts'
import type { ServiceConnection } from '../../project/session.ts'

/** A project, and its connection to the service. */
export interface OpenedProject {
  readonly context: Context
  readonly connection: ServiceConnection
}
