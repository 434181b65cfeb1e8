import type { Overview, Preview } from '../src/index.ts'
import { animationId } from '../src/sprite-spec/request.ts'
import type { PluginLog } from './log.ts'

/** Ids in one line. */
const mostNamed = 8

/**
 * Prints what saved files have broken, and which animations they have added. A person who looks at the terminal
 * sees neither the overlay of the browser nor the panel.
 *
 * @param before As it was told last; `undefined` if nothing was shown before. Then all animations would be new.
 * @param overview Reads the states of all animations. Called only if there are new ones.
 */
export async function tellNews(
  log: Pick<PluginLog, 'info' | 'error'>,
  before: Preview | undefined,
  now: Preview,
  overview: () => Promise<Pick<Overview, 'items'>>,
): Promise<void> {
  const told = new Set(before?.errors.map(({ message }) => message))
  for (const { message } of now.errors) if (!told.has(message)) log.error(message)
  const known = new Set(before && idsOf(before))
  const added = before ? idsOf(now).filter((id) => !known.has(id)) : []
  if (added.length === 0) return
  const { items } = await overview()
  // A branch that was checked out may bring bought animations.
  const open = added.filter((id) => items.some((item) => item.id === id && item.state !== 'bought'))
  if (open.length > 0)
    log.info(`${namesOf(open)}: new, and a placeholder until it is bought. See the price in the panel, or: npx spritewright plan`)
}

function idsOf({ specs }: Preview): readonly string[] {
  return specs.flatMap((spec) => spec.animations.map((animation) => animationId(spec, animation)))
}

/** The first few of some ids, and the number of the others. */
export function namesOf(ids: readonly string[]): string {
  return `${ids.slice(0, mostNamed).join(', ')}${ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ''}`
}
