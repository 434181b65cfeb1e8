/**
 * Environment variable with addresses that may get a key or a password without a question. It is never read
 * from a `.env` file.
 */
export const trustedHostsName = 'SPRITEWRIGHT_TRUSTED_HOSTS'

/** The addresses that the environment trusts, as written there. */
export function readTrustedHosts(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env[trustedHostsName] ?? '').split(/[\s,]+/).filter((one) => one !== '')
}
