import type { BuiltAtlas, BuiltPage, BuiltSheets, BuiltSprite } from '../src/index.ts'
import { spriteId, toSpecifier } from './ids.ts'
import type { AtlasData, FrameRow, SpriteModule } from './runtime/shared/data.ts'
import { spriteOf } from './runtime/shared/sprite-of.ts'

/** An atlas as the browser gets it. @param urls One for each page. */
export function toAtlasData(atlas: BuiltAtlas, urls: readonly string[]): AtlasData {
  const outlines = atlas.frames.flatMap(({ name, hull }) => (hull ? [[name, hull.map(({ x, y }) => [x, y] as const)] as const] : []))
  const turned = atlas.frames.flatMap(({ name, isTurned }) => (isTurned ? [name] : []))
  // Of a sprite, not of each of its frames: they are the same for all.
  const borders = new Map(
    atlas.frames.flatMap(({ name, borders: sides }) =>
      sides ? [[spriteOf(name), [sides.left, sides.top, sides.right, sides.bottom] as const] as const] : [],
    ),
  )
  return {
    key: atlas.name,
    scale: atlas.scale,
    pixelArt: atlas.pixelArt,
    version: atlas.pages.map((page) => page.sha256.slice(0, 16)).join('.'),
    ...(turned.length > 0 ? { turned } : {}),
    ...(borders.size > 0 ? { borders: Object.fromEntries(borders) } : {}),
    ...(outlines.length > 0 ? { outlines: Object.fromEntries(outlines) } : {}),
    pages: atlas.pages.map(({ width, height, extension }, index) => ({ url: urls[index] ?? '', width, height, format: extension })),
    frames: Object.fromEntries(
      atlas.frames.map(({ name, page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight, anchor }) => {
        const row = [page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight] as const
        return [name, (anchor ? [...row, anchor.x, anchor.y] : row) as FrameRow]
      }),
    ),
    animations: Object.fromEntries(
      atlas.animations.map(({ name, frames, fps, loop, yoyo }) => [
        name,
        { frames: frames.map((frame) => [frame.name, frame.durationMs] as const), fps, loop, yoyo },
      ]),
    ),
  }
}

/** Everything of a sprite module but its atlases. */
export function toSpriteData(sprite: BuiltSprite, sheets: BuiltSheets): Omit<SpriteModule, 'atlases'> {
  const main = sheets.atlases.find((atlas) => atlas.name === sprite.atlas)
  const { name } = sprite
  const animations = sprite.animations.map((short) => {
    const found = main?.animations.find((animation) => animation.name === `${name}/${short}`)
    return [
      short,
      {
        name: `${name}/${short}`,
        frames: found?.frames.map((frame) => frame.name) ?? [],
        durations: found?.frames.map((frame) => frame.durationMs) ?? [],
        fps: found?.fps ?? 12,
        loop: found?.loop ?? true,
        yoyo: found?.yoyo ?? false,
      },
    ] as const
  })
  return {
    ...toSpriteHead(sprite),
    animations: Object.fromEntries(animations),
    frames: (main?.frames ?? []).filter((frame) => frame.name.startsWith(`${name}/`)).map((frame) => frame.name),
  }
}

/** What a sprite module tells beside its atlas. */
export function toSpriteHead(sprite: BuiltSprite): Omit<SpriteModule, 'animations' | 'frames' | 'atlases'> {
  const { name, width, height, anchor, pixelArt, isPlaceholder } = sprite
  return { name, texture: sprite.atlas, width, height, ...(anchor ? { anchor } : {}), pixelArt, isPlaceholder }
}

/**
 * The module of an atlas: its data at every scale, largest first.
 *
 * @param expressions For each scale, one JavaScript expression a page that gives its URL.
 * @param also For each scale, the expressions of each further encoding. @default none
 */
export function atlasModule(
  variants: readonly BuiltAtlas[],
  expressions: readonly (readonly string[])[],
  also: readonly (readonly (readonly string[])[])[] = [],
): string {
  const items = variants.map(
    (atlas, at) => `{ ...${toLiteral(toAtlasData(atlas, []))}, pages: ${pageList(atlas, expressions[at] ?? [], also[at])} }`,
  )
  return `export default [${items.join(',\n')}]\n`
}

/** The pages of an atlas as an expression. @param expressions See {@link atlasModule}. */
export function pageList(atlas: BuiltAtlas, expressions: readonly string[], also: readonly (readonly string[])[] = []): string {
  const pages = atlas.pages.map((page, index) => {
    const others = also.map((list, other) => toOther(list[index], atlas.alternates?.[other]?.[index]))
    const more = others.length === 0 ? '' : `, also: [${others.join(', ')}]`
    const { width, height, extension } = page
    const [wide, high, format] = [width, height, extension].map(toLiteral)
    return `{ url: ${expressions[index] ?? "''"}, width: ${wide}, height: ${high}, format: ${format}${more} }`
  })
  return `[${pages.join(', ')}]`
}

function toOther(expression: string | undefined, page: BuiltPage | undefined): string {
  return `{ url: ${expression ?? "''"}, format: ${toLiteral(page?.extension ?? '')} }`
}

/** The module of a sprite. @param stamp Where it is to keep itself up to date: what tells this state of it from later ones. */
export function spriteModule(sprite: BuiltSprite, sheets: BuiltSheets, stamp?: string): string {
  const isHot = stamp !== undefined
  const lines = [
    `import atlases from ${JSON.stringify(toSpecifier({ kind: 'atlas', name: sprite.atlas }))}`,
    ...(isHot ? [importHot('keepUpToDate')] : []),
    `const sprite = { ...${toLiteral(toSpriteData(sprite, sheets))}, atlases }`,
    ...(isHot ? [`keepUpToDate(sprite, ${JSON.stringify(stamp)})`] : []),
    'export default sprite',
    '',
  ]
  return lines.join('\n')
}

/** `virtual:spritewright`: all sprites by name. With `isHot` those that come later are added, and those that go are taken out. */
export function allModule(sheets: BuiltSheets, root: string, isHot: boolean): string {
  const imports = sheets.sprites.map((sprite, index) => `import s${index} from ${JSON.stringify(toSpecifier(spriteId(root, sprite.file)))}`)
  const members = sheets.sprites.map((sprite, index) => `${JSON.stringify(sprite.name)}: s${index}`)
  const lines = [
    ...(isHot ? [importHot('keepAll')] : []),
    ...imports,
    `export const sprites = { ${members.join(', ')} }`,
    ...(isHot ? ['keepAll(sprites)'] : []),
    'export default sprites',
    '',
  ]
  return lines.join('\n')
}

function importHot(name: string): string {
  return `import { ${name} } from ${JSON.stringify(toSpecifier({ kind: 'hot' }))}`
}

/** A JSON text that is safe inside a script. */
function toLiteral(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
