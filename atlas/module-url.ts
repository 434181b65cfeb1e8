const here = import.meta.url

/** URL of this library as one module, for threads that load it by themselves: this file's bundle, or beside that of the command line; undefined where it runs from its sources, or in a bundle of somebody else's. @internal */
export const libraryUrl: string | undefined = here.endsWith('/atlas/index.js')
  ? here
  : /\/dist\/src\/(?:chunks|cli)\/[^/]+\.cjs$/.test(here)
    ? new URL('../../atlas/index.js', here).href
    : undefined
