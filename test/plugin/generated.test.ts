import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check, type Options } from 'prettier'
import { expect, test } from 'vitest'
import { generatedTypings, withFiles } from './generated.ts'

const files = Object.entries(generatedTypings())
const styles: Options[] = [{}, { semi: false, singleQuote: true }, { useTabs: true, semi: false, printWidth: 200 }, { tabWidth: 4 }]

test.each(styles.flatMap((style) => files.map(([name, text]) => [JSON.stringify(style), name, text, style] as const)))(
  'Prettier with %s leaves %s as it is',
  async (_style, name, text, style) => {
    expect(await check(text, { ...style, filepath: name })).toBe(true)
  },
)

test.each(files)('%s has no directive for ESLint, which would report it as unused', (_name, text) => {
  expect(text).not.toContain('eslint')
})

test.each([{}, { formatter: { indentStyle: 'space' }, javascript: { formatter: { quoteStyle: 'single', semicolons: 'asNeeded' } } }])(
  'Biome with %j finds nothing in the generated files, not even a warning',
  async (config) => {
    const found = await withFiles(
      tmpdir(),
      { ...generatedTypings(), 'biome.json': JSON.stringify({ root: true, ...config }) },
      async (cwd) => {
        const biome = join(import.meta.dirname, '../../node_modules/@biomejs/biome/bin/biome')
        return spawnSync(process.execPath, [biome, 'ci', '--error-on-warnings', '--colors=off', ...files.map(([name]) => name)], {
          cwd,
          encoding: 'utf8',
        })
      },
    )
    expect(found).toMatchObject({ status: 0, stdout: '' })
    expect(found.stderr).toMatch(new RegExp(`^Checked ${files.length} files in \\S+ No fixes applied\\.\n$`))
  },
)
