/** The environment variable that names a browser. It takes precedence over every other place. */
export declare const browserVariable: 'SPRITEWRIGHT_BROWSER'

/** Finds a Chromium, or a browser built on it. Throws if the variable names a file that cannot be run. */
export declare function findBrowser(env?: Readonly<Record<string, string | undefined>>): { path: string; foundBy: string } | undefined
