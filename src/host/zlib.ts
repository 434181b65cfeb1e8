/** Version of the zlib that compresses here: another one may make other bytes of the same pixels. */
export function zlibVersion(): string {
  return process.versions.zlib
}
