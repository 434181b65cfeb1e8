import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getLanguageService, TextDocument } from 'vscode-json-languageservice'

// The language services of VS Code itself, over what `init` writes with the built package.
const repository = fileURLToPath(new URL('../..', import.meta.url))
const game = `import fox from '../sprites/fox.sprite.json'
import hero from '../sprites/hero.sprite.json'

export const frames: [(typeof hero.frames)[number], (typeof fox.frames)[number]] = ['hero/walk/0011', 'fox/idle/0000']
`
const tsconfig = {
  compilerOptions: {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
    strict: true,
    noEmit: true,
    allowArbitraryExtensions: true,
    skipLibCheck: true,
  },
  include: ['src', '*.config.ts'],
}

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'spritewright-editors-'))
  await mkdir(join(root, 'src'))
  await mkdir(join(root, 'node_modules'))
  await symlink(repository, join(root, 'node_modules/spritewright'))
  await symlink(join(repository, 'node_modules/vite'), join(root, 'node_modules/vite'))
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(tsconfig))
  await writeFile(join(root, 'src/game.ts'), game)
  await writeFile(join(root, 'vite.config.ts'), "import { defineConfig } from 'vite'\n\nexport default defineConfig({ base: './' })\n")
  const cli = (...args: string[]): Promise<unknown> =>
    promisify(execFile)(process.execPath, [join(repository, 'dist/src/cli/bin.js'), ...args, '--root', root], {
      env: { ...process.env, XDG_STATE_HOME: join(root, '.state') },
    })
  await cli('init')
  const config = join(root, 'spritewright.config.ts')
  await writeFile(config, (await readFile(config, 'utf8')).replace("// service: 'embedded'", "service: 'embedded'"))
  await cli('new', 'fox', join(root, 'sprites/hero.png'), '--prompt', 'a fox')
  await cli('approve', 'hero', '--yes')
  await cli('build', 'hero', '--buy-only')
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** What the JSON service of VS Code underlines in a file whose language is JSON. */
async function jsonFaults(path: string, text: string): Promise<readonly string[]> {
  const service = getLanguageService({
    schemaRequestService: async (uri) => readFile(fileURLToPath(uri), 'utf8'),
    workspaceContext: { resolveRelativePath: (relative, resource) => new URL(relative, resource).href },
  })
  // Lock files name no schema; an editor is told of it by their names.
  service.configure({
    schemas: [
      { uri: pathToFileURL(join(repository, 'schemas/lock.schema.json')).href, fileMatch: ['sprites.lock.json', 'sprites.lock/*.json'] },
    ],
  })
  const document = TextDocument.create(pathToFileURL(join(root, path)).href, 'json', 1, text)
  const found = await service.doValidation(document, service.parseJSONDocument(document), { comments: 'error', trailingCommas: 'error' })
  return found.map(({ message, range }) => `${range.start.line + 1}: ${message}`)
}

describe("VS Code's JSON service", () => {
  test('finds nothing wrong in the first spec, with its comments', async () => {
    const text = await readFile(join(root, 'sprites/hero.sprite.json'), 'utf8')
    expect(text).toContain('"$schema": "../node_modules/spritewright/schemas/sprite.schema.json"')
    expect(await jsonFaults('sprites/hero.sprite.json', text)).toEqual([])
  })

  test('finds nothing wrong in a spec of "new"', async () => {
    const text = await readFile(join(root, 'sprites/fox.sprite.json'), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ prompt: 'a fox', $schema: '../node_modules/spritewright/schemas/sprite.schema.json' })
    expect(await jsonFaults('sprites/fox.sprite.json', text)).toEqual([])
  })

  test('underlines what is wrong in a spec', async () => {
    const text = await readFile(join(root, 'sprites/hero.sprite.json'), 'utf8')
    expect(
      await jsonFaults('sprites/hero.sprite.json', text.replace('"frames": 8', '"frames": "8"').replace('"anchor"', '"ancor"')),
    ).toEqual([expect.stringMatching(/^7: Incorrect type/), expect.stringMatching(/ancor is not allowed/)])
  })

  test('knows the configuration', async () => {
    const config = {
      $schema: './node_modules/spritewright/schemas/config.schema.json',
      service: 'embedded',
      formats: ['css'],
      approval: { perSprite: '3' },
    }
    expect(await jsonFaults('spritewright.config.json', JSON.stringify(config))).toEqual([])
    expect(await jsonFaults('spritewright.config.json', JSON.stringify({ ...config, formats: ['cs'], servce: 1 }))).toHaveLength(2)
  })

  test('finds nothing wrong in the lock file of a sprite with approvals and purchases, and underlines what is', async () => {
    const mark = await readFile(join(root, 'sprites.lock.json'), 'utf8')
    expect(await jsonFaults('sprites.lock.json', mark)).toEqual([])
    expect(await jsonFaults('sprites.lock.json', mark.replace(/"version": 1/, '"version": 2'))).toHaveLength(1)
    const text = await readFile(join(root, 'sprites.lock/hero.json'), 'utf8')
    expect(text).toContain('"maxCredits"')
    expect(await jsonFaults('sprites.lock/hero.json', text)).toEqual([])
    expect(await jsonFaults('sprites.lock/hero.json', text.replace('"sha256": "', '"sha256": "no'))).not.toEqual([])
  })
})

describe("VS Code's TypeScript service", () => {
  test('finds nothing wrong in the configurations, the types and a game that imports both specs', async () => {
    expect(await readFile(join(root, 'vite.config.ts'), 'utf8')).toContain('spritewright()')
    const typings = ['sprites/hero.sprite.d.json.ts', 'sprites/fox.sprite.d.json.ts']
    const faults = await typeScriptFaults(['spritewright.config.ts', 'vite.config.ts', 'src/vite-env.d.ts', 'src/game.ts', ...typings])
    expect(faults).toEqual({})
  })

  test('underlines a frame that the spec has not', async () => {
    await writeFile(join(root, 'src/wrong.ts'), game.replace('0011', '0012'))
    expect(await typeScriptFaults(['src/wrong.ts'])).toEqual({ 'src/wrong.ts': [expect.stringContaining('hero/walk/0012')] })
  })
})

/** Asks the language server of TypeScript about files, as an editor does. Files without faults are left out. */
async function typeScriptFaults(paths: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const server = spawn(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '--lsp', '--stdio'], { cwd: root })
  const answers = new Map<number, (result: never) => void>()
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  let id = 0
  const ask = <T>(method: string, params: object): Promise<T> =>
    new Promise((resolve) => {
      answers.set(++id, resolve as never)
      send({ id, method, params })
    })
  let buffer = Buffer.alloc(0)
  server.stdout.on('data', (part: Buffer) => {
    buffer = Buffer.concat([buffer, part])
    for (let head = buffer.indexOf('\r\n\r\n'); head >= 0; head = buffer.indexOf('\r\n\r\n')) {
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString('latin1', 0, head))?.[1])
      if (buffer.length < head + 4 + length) return
      const message = JSON.parse(buffer.toString('utf8', head + 4, head + 4 + length)) as { id?: number; method?: string; result?: never }
      buffer = buffer.subarray(head + 4 + length)
      if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null })
      else if (message.id !== undefined) answers.get(message.id)?.(message.result as never)
    }
  })
  try {
    await ask('initialize', { processId: null, rootUri: pathToFileURL(root).href, capabilities: { textDocument: { diagnostic: {} } } })
    send({ method: 'initialized', params: {} })
    const found: Record<string, readonly string[]> = {}
    for (const path of paths) {
      const uri = pathToFileURL(join(root, path)).href
      const text = await readFile(join(root, path), 'utf8')
      send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'typescript', version: 1, text } } })
      const { items } = await ask<{ items: readonly { message: string; severity: number }[] }>('textDocument/diagnostic', {
        textDocument: { uri },
      })
      // Hints, e.g. about unused names, are no red lines.
      const errors = items.filter(({ severity }) => severity <= 2).map(({ message }) => message)
      if (errors.length > 0) found[path] = errors
    }
    return found
  } finally {
    server.kill()
  }
}
