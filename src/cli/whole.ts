// All that a run needs that does more than look: the first file of the command line loads it as one.
import type { Workshop, WorkshopInit } from '../workshop.ts'
import type { RunningService, ServiceInit } from './context.ts'

export { SpritewrightError } from '../errors.ts'
export { nodeHost } from '../host/host.ts'
export { tempName } from '../host/publish.ts'
export { runProgram } from './program.ts'

/** Opens a project; most of the program is loaded for it. */
export async function createWorkshop(init: WorkshopInit): Promise<Workshop> {
  return (await import('../workshop.ts')).createWorkshop(init)
}

/** The JSON Schema of a spec. */
export async function specSchema(): Promise<unknown> {
  return (await import('../workshop.ts')).specJsonSchema()
}

/** Starts the embedded service. */
export async function startService(init: ServiceInit): Promise<RunningService> {
  return (await import('./embedded.ts')).startService(init)
}
