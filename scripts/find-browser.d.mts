/** The environment variable that names a browser and wins over every other place. */
export declare const browserVariable: 'SPRITEWRIGHT_BROWSER'

/** Finds a Chromium, or a browser built on it. Throws when the variable names something that cannot be run. */
export declare function findBrowser(env?: Readonly<Record<string, string | undefined>>): { path: string; foundBy: string } | undefined
