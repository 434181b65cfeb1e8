/** The zlib that compresses here, and for which processors: another one may make other bytes of the same pixels. */
export function zlibVersion(): string {
  return `${process.versions.zlib} ${process.arch}`
}
