import { sheetSpecifier, toSpecifier } from '../ids.ts'
import type { PackedSheet } from '../runtime/shared/sheet.ts'

// What a build bundles. A module costs a bundler as much as a thousand frames in it: so a group of sprites is one, and a spec file only points into it.

/** A group of sprites with its atlas. @param pages For each scale, an expression of its pages. */
export function sheetModule(sheet: PackedSheet, pages: readonly string[]): string {
  return [
    `import { openSheet } from ${JSON.stringify(sheetSpecifier)}`,
    `export const sheet = /* @__PURE__ */ openSheet(${toText(JSON.stringify(sheet))}, [${pages.join(', ')}])`,
    '',
  ].join('\n')
}

/** The sprite of a spec file: one of its group, always the same object. */
export function oneModule(atlas: string, index: number): string {
  return `${importSheet(atlas, 'sheet')}\nexport default /* @__PURE__ */ sheet.sprite(${index})\n`
}

/** `virtual:spritewright`: all sprites by name. */
export function everyModule(atlases: readonly string[]): string {
  return [
    `import { spritesByName } from ${JSON.stringify(sheetSpecifier)}`,
    ...atlases.map((atlas, index) => importSheet(atlas, `sheet as g${index}`)),
    `export const sprites = /* @__PURE__ */ spritesByName([${atlases.map((_, index) => `g${index}`).join(', ')}])`,
    'export default sprites',
    '',
  ].join('\n')
}

function importSheet(atlas: string, name: string): string {
  return `import { ${name} } from ${JSON.stringify(toSpecifier({ kind: 'atlas', name: atlas }))}`
}

/** A text as an expression that is safe inside a script. JSON has few single quotes to escape. */
function toText(text: string): string {
  const escaped = text.replace(/[\\'<\u2028\u2029]/g, (character) =>
    character === '\\' || character === "'" ? `\\${character}` : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `'${escaped}'`
}
