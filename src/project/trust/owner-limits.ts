import { basename } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { realPath } from '../../host/real-path.ts'
import type { OwnerLimits } from '../../job/records/budgets.ts'
import { readSettings } from './settings.ts'

/**
 * Reads the budgets of this machine's owner, and the name under which its purchases of a project are recorded: the
 * owner's name for the clone, else the name in `package.json`, else the name of the folder.
 *
 * A budget can only name a project to which the owner gives a name. The name in `package.json` is a file of the
 * project, so a change of it could evade a budget.
 *
 * @param root Folder of the project, absolute.
 * @param packageName Name in its `package.json`.
 * @throws `SW_CONFIG` for a budget of a project that the settings do not list.
 */
export async function readOwnerLimits(
  host: Pick<Host, 'disk' | 'stateFolder'>,
  root: string,
  packageName: string | undefined,
): Promise<OwnerLimits & { readonly project: string }> {
  const { projects = [], budgets = [] } = (await readSettings(host)).worker ?? {}
  // Of two names for one clone, the first counts, and no budget may name the second.
  const names = new Map(projects.toReversed().map(({ dir, name = basename(dir) }) => [realPath(dir), name]))
  const stray = budgets.find(({ project }) => project !== undefined && ![...names.values()].includes(project))
  if (stray) {
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected each budget in settings.json of ${host.stateFolder} to name a project of worker.projects, found ${JSON.stringify(stray.project)}. Nothing was sent. Add its clone there: { "dir": "/path/of/the/clone", "name": ${JSON.stringify(stray.project)} }.`,
      facts: { project: stray.project },
    })
  }
  return { project: names.get(realPath(root)) ?? packageName ?? basename(root), budgets }
}
