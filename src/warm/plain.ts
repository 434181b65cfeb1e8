import type { Host } from '../host/host.ts'

/** Whether what a file of variables says rests on itself alone, and cannot show the key of the environment to a browser. */
export function isPlainEnv(bytes: Uint8Array, env: Host['env']): boolean {
  const text = new TextDecoder().decode(bytes)
  return !text.includes('$') && (!text.includes('VITE_') || (env.SPRITEWRIGHT_API_KEY ?? '').trim() === '')
}

/** What asks the world, or may. */
const worldly =
  /\b(?:process|globalThis|global|console|require|module|exports|arguments|this|eval|Function|constructor|Reflect|Date|Temporal|performance|crypto|fetch|await|navigator|Intl|Worker|__\w+)\b|\\[ux]/
const plainMath = /\bMath\.(?:abs|ceil|floor|max|min|round|trunc)\b/g

/** Whether a configuration is data, as far as a look at its text can say: it imports nothing but ours and asks the world nothing. Where that is not certain it is none. */
export function isPlainModule(text: string): boolean {
  const imports = [...text.matchAll(/\b(?:from|import)\s*(['"])(.*?)\1/g)].map(([, , specifier]) => specifier)
  const isOurs = imports.every((specifier) => specifier === 'spritewright') && [...text.matchAll(/\bimport\b/g)].length === imports.length
  return isOurs && !worldly.test(text) && !/\bMath\b/.test(text.replaceAll(plainMath, ''))
}
