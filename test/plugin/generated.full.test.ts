import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { hasExtras } from '../kit/extras.ts'
import { generatedTypings, withFiles } from './generated.ts'

const root = join(import.meta.dirname, '../..')
const strict = `import js from '@eslint/js'
import tseslint from 'typescript-eslint'
export default tseslint.config({
  files: ['**/*.ts'],
  linterOptions: { reportUnusedDisableDirectives: 'error' },
  extends: [js.configs.recommended, ...tseslint.configs.strict, ...tseslint.configs.stylistic],
})
`

// Below "test", where the configurations find ESLint and its plugins.
test.runIf(hasExtras).each(['the official template of PixiJS', 'strict and stylistic rules'])(
  'ESLint with the configuration of %s finds nothing in the generated files',
  async (which) => {
    const template = await readFile(join(root, 'test/fixtures/templates/pixi-vite/eslint.config.mjs'), 'utf8')
    const config = which.startsWith('the official') ? template : strict
    const found = await withFiles(join(root, 'test'), { ...generatedTypings(), 'eslint.config.mjs': config }, async (cwd) => {
      const eslint = join(root, 'test/node_modules/eslint/bin/eslint.js')
      const { stdout } = spawnSync(process.execPath, [eslint, '--format', 'json', '.'], { cwd, encoding: 'utf8' })
      return JSON.parse(stdout) as { filePath: string; messages: unknown[] }[]
    })
    const linted = found.filter(({ filePath }) => filePath.endsWith('.ts'))
    expect(linted.map(({ filePath }) => basename(filePath)).sort()).toEqual(Object.keys(generatedTypings()).sort())
    expect(linted.flatMap(({ messages }) => messages)).toEqual([])
  },
)
