import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { withArbitraryExtensions, withPlugin } from '../../src/cli/project-patches.ts'

const templates = fileURLToPath(new URL('../fixtures/templates', import.meta.url))
const read = (path: string): string => readFileSync(join(templates, path), 'utf8')

describe('the plugin in a configuration of Vite', () => {
  test.each([
    [
      'no plugins',
      "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n  base: './',\n})\n",
      "import { defineConfig } from 'vite'\nimport spritewright from 'spritewright/vite'\n\nexport default defineConfig({\n  plugins: [spritewright()],\n  base: './',\n})\n",
    ],
    [
      'an empty object',
      'import { defineConfig } from "vite";\nexport default defineConfig({});\n',
      'import { defineConfig } from "vite";\nimport spritewright from "spritewright/vite";\nexport default defineConfig({ plugins: [spritewright()] });\n',
    ],
    [
      'plugins in a line, CRLF',
      "import { defineConfig } from 'vite'\r\nimport react from '@vitejs/plugin-react'\r\nexport default defineConfig({ plugins: [react()] })\r\n",
      "import { defineConfig } from 'vite'\r\nimport react from '@vitejs/plugin-react'\r\nimport spritewright from 'spritewright/vite'\r\nexport default defineConfig({ plugins: [spritewright(), react()] })\r\n",
    ],
    [
      'an empty list of plugins',
      "import { defineConfig } from 'vite'\nexport default defineConfig({ plugins: [] })\n",
      "import { defineConfig } from 'vite'\nimport spritewright from 'spritewright/vite'\nexport default defineConfig({ plugins: [spritewright()] })\n",
    ],
    [
      'a list of lines, and brackets in comments and strings',
      "import { defineConfig } from 'vite'\nimport a, { b } from 'a';\n\nexport default defineConfig({\n\t/* { plugins: [ */ base: '}', // [\n\tplugins : [\n\t\ta(),\n\t],\n})\n",
      "import { defineConfig } from 'vite'\nimport a, { b } from 'a';\nimport spritewright from 'spritewright/vite';\n\nexport default defineConfig({\n\t/* { plugins: [ */ base: '}', // [\n\tplugins : [\n\t\tspritewright(),\n\t\ta(),\n\t],\n})\n",
    ],
    [
      'an object in a line with a nested list before its own',
      "import { defineConfig } from 'vite'\nexport default defineConfig({ a: [{ plugins: [1] }], b: `\\`plugins: [`, plugins: [  c] })\n",
      "import { defineConfig } from 'vite'\nimport spritewright from 'spritewright/vite'\nexport default defineConfig({ a: [{ plugins: [1] }], b: `\\`plugins: [`, plugins: [spritewright(), c] })\n",
    ],
    [
      'an object in a line without plugins',
      'import { defineConfig } from \'vite\'\nexport default defineConfig({ base: "\\"{" })\n',
      "import { defineConfig } from 'vite'\nimport spritewright from 'spritewright/vite'\nexport default defineConfig({ plugins: [spritewright()], base: \"\\\"{\" })\n",
    ],
  ])('is added to one with %s, in its style', (_, before, after) => {
    expect(withPlugin(before)).toBe(after)
    expect(withPlugin(after)).toBeUndefined()
  })

  test.each([
    ['phaser-ts/vite/config.dev.mjs', "    plugins: [spritewright()],\n    base: './',"],
    ['phaser-react-ts/vite/config.prod.mjs', '    plugins: [\n        spritewright(),\n        react(),'],
    ['pixi-vite/vite.config.ts', 'defineConfig({\n  plugins: [spritewright()],\n  server: {'],
  ])('is added to that of a template: %s', (path, words) => {
    expect(withPlugin(read(path))?.replaceAll('\r\n', '\n')).toContain(words)
  })

  test('is added beside a nested list, and not to it', () => {
    const text = "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n  worker: { plugins: [] }, // plugins: [\n})\n"
    expect(withPlugin(text)).toContain('{\n  plugins: [spritewright()],\n  worker: { plugins: [] }, // plugins: [')
  })

  test.each([
    "import { defineConfig } from 'vite'\nexport default defineConfig({ plugins: shared })\n",
    "export default { base: './' }\n",
    "const { defineConfig } = require('vite')\nmodule.exports = defineConfig({})\n",
    "import { defineConfig } from 'vite'\nexport const a = defineConfig({})\nexport default defineConfig({})\n",
    "import { defineConfig } from 'vite'\nexport default defineConfig(() => ({ base: './' }))\n",
    "import { defineConfig } from 'vite'\nimport { plugin } from 'spritewright/vite'\nexport default defineConfig({})\n",
  ])('a form that is not known is left alone: %j', (text) => {
    expect(withPlugin(text)).toBeUndefined()
  })
})

describe('allowArbitraryExtensions', () => {
  test('is set once, comments and indentation kept', async () => {
    const text = '{\n    // strict\n    "compilerOptions": {\n        "strict": true,\n    }\n}\n'
    const after = await withArbitraryExtensions(text)
    expect(after).toContain('    // strict\n')
    expect(after).toMatch(/\n {8}"allowArbitraryExtensions": true/)
    expect(await withArbitraryExtensions(after ?? '')).toBeUndefined()
  })

  test.each([
    [
      '{\r\n\t"compilerOptions": {\r\n\t\t"strict": true\r\n\t}\r\n}\r\n',
      '{\r\n\t"compilerOptions": {\r\n\t\t"strict": true,\r\n\t\t"allowArbitraryExtensions": true\r\n\t}\r\n}\r\n',
    ],
    [
      '{\n   "compilerOptions": {\n      "strict": true\n   }\n}\n',
      '{\n   "compilerOptions": {\n      "strict": true,\n      "allowArbitraryExtensions": true\n   }\n}\n',
    ],
    ['{"compilerOptions":{}}', '{\n  "compilerOptions": {\n    "allowArbitraryExtensions": true\n  }\n}'],
  ])('is set in the style of %j', async (before, after) => {
    expect(await withArbitraryExtensions(before)).toBe(after)
  })

  test.each(['', '{}', '{ "compilerOptions": true }', '{ "compilerOptions": { "allowArbitraryExtensions": false } }', '{ broken'])(
    '%j is left alone',
    async (text) => {
      expect(await withArbitraryExtensions(text)).toBeUndefined()
    },
  )
})
