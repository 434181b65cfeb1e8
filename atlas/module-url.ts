/** URL of this library as one module, for threads that load it by themselves; undefined where it runs from its sources. */
export const libraryUrl: string | undefined = import.meta.url.endsWith('.js') ? import.meta.url.replace(/[^/]+$/, 'index.js') : undefined
