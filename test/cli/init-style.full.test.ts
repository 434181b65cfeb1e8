import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { inProjectStyle } from '../../src/host/project-style.ts'

test("what it writes has the style of the project's own Prettier; one that fails changes nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spritewright-init-'))
  try {
    await mkdir(join(folder, 'node_modules'))
    await symlink(fileURLToPath(new URL('../../node_modules/prettier', import.meta.url)), join(folder, 'node_modules/prettier'))
    const host = nodeHost()
    const text = "import { defineConfig } from 'spritewright'\n\nexport default defineConfig({})\n"
    expect(await inProjectStyle(host, folder, 'a.config.ts', text)).toBe(
      'import { defineConfig } from "spritewright";\n\nexport default defineConfig({});\n',
    )
    await writeFile(join(folder, '.prettierrc'), '{ "singleQuote": true, "semi": false }')
    expect(await inProjectStyle(host, folder, 'a.config.ts', text)).toBe(text)
    const failing = { ...host, loadModule: async () => ({ resolveConfig: async () => Promise.reject(new Error('no')) }) }
    expect(await inProjectStyle(failing, folder, 'a.config.ts', 'a  ;')).toBe('a  ;')
  } finally {
    await rm(folder, { recursive: true })
  }
})
