import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toProjectTypings, toSpecTypings, toSpriteDeclarations } from '../../src/sheets/output/typings.ts'
import type { BuiltSheets } from '../../src/sheets/sheet.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'

/** The generated TypeScript files of a project with two sprites, by name. */
export function generatedTypings(): Readonly<Record<string, string>> {
  const [hero, knight] = ['hero', 'red-knight'].map(
    (name) => ({ name, animations: ['walk', 'idle'].map((animation) => ({ name: animation, frames: 12 })) }) as unknown as SpriteSpec,
  ) as [SpriteSpec, SpriteSpec]
  const atlas = { name: 'sprites', frames: [{ name: 'hero/walk/0000' }, { name: 'hero/walk/0001' }], animations: [{ name: 'hero/walk' }] }
  return {
    'hero.sprite.d.json.ts': toSpecTypings(hero),
    'red-knight.sprite.d.yaml.ts': toSpecTypings(knight),
    'all.d.ts': toProjectTypings([hero, knight]),
    'sprites.d.ts': toSpriteDeclarations({ sprites: [{ name: 'hero' }], atlases: [atlas] } as unknown as BuiltSheets),
  }
}

/** Writes files into a new folder below `parent`, and calls `use` with it. */
export async function withFiles<T>(
  parent: string,
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(parent, 'spritewright-linted-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
