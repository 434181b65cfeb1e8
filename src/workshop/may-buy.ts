import type { Shop } from './shop.ts'

/** Whether a run may start anything new. */
export function mayBuy({ options, host }: Pick<Shop, 'options' | 'host'>, { frozen }: { readonly frozen?: boolean }): boolean {
  return frozen !== true && options.build.generate === 'approved' && (!options.isCi || isNamedBuyer(host))
}

/** CI buys only as the buyer that an approval names, and that has to be said to it. */
function isNamedBuyer({ env }: Shop['host']): boolean {
  const named = env.SPRITEWRIGHT_BUYER
  return named !== undefined && named.trim() !== ''
}
