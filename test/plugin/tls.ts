import { readFileSync } from 'node:fs'

const read = (name: string): string => readFileSync(new URL(`../fixtures/tls/self-signed-for-tests.${name}.pem`, import.meta.url), 'utf8')

/**
 * A certificate for localhost, 127.0.0.1 and ::1, valid until 2126. It is self-signed and its key is public,
 * so only these tests trust it.
 */
export const tls: { readonly cert: string; readonly key: string } = { cert: read('cert'), key: read('key') }
