import { readFileSync } from 'node:fs'

const read = (name: string): string => readFileSync(new URL(`../fixtures/tls/self-signed-for-tests.${name}.pem`, import.meta.url), 'utf8')

/** A certificate for localhost, 127.0.0.1 and ::1, valid until 2126. It is signed by itself and its key lies here for all to read: nobody trusts it but these tests. */
export const tls: { readonly cert: string; readonly key: string } = { cert: read('cert'), key: read('key') }
