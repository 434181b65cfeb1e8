/**
 * Stands for the signer of `aws4fetch` in bundled simulators. Signing waits for other threads, and a clock that
 * jumps does not. The tests of the stores check signatures.
 */
export class AwsV4Signer {
  readonly #headers: Readonly<Record<string, string>>

  constructor({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
    this.#headers = headers
  }

  async sign(): Promise<{ readonly headers: Iterable<readonly [string, string]> }> {
    return { headers: Object.entries(this.#headers) }
  }
}
