/** URL of this library as one module, for threads that load it by themselves; undefined where it runs from its sources, or in a bundle of somebody else's. @internal */
export const libraryUrl: string | undefined = import.meta.url.endsWith('/atlas/index.js') ? import.meta.url : undefined
