import type { Context } from '../project/context.ts'
import { approversName } from '../project/trust/approvers.ts'
import { signingKeyName } from '../project/trust/key-ring.ts'

/** Whether a run may start anything new. */
export function mayBuy({ options, host }: Pick<Context, 'options' | 'host'>, { frozen }: { readonly frozen?: boolean }): boolean {
  return frozen !== true && options.build.generate === 'approved' && (!options.isCi || isAppointed(host))
}

/** In CI, a run buys only if the environment names the approvers. */
function isAppointed({ env }: Context['host']): boolean {
  return [signingKeyName, approversName].some((name) => (env[name] ?? '').trim() !== '')
}
