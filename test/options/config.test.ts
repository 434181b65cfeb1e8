import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeModuleLoader } from '../../src/host/modules/module-loader.ts'
import { loadConfig } from '../../src/options/config-files.ts'
import { windowsTexts } from '../kit/windows-texts.ts'

const ports = { disk: nodeDisk(), loadModule: nodeModuleLoader() }
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'spritewright-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(name: string, text: string | Uint8Array): string {
  writeFileSync(join(root, name), text)
  return join(root, name)
}

test('a project without a config has no options and no file', async () => {
  expect(await loadConfig(ports, root)).toEqual({ options: {}, dependencies: [] })
})

test.each([
  [
    'spritewright.config.ts',
    "import { join } from 'node:path'\nconst engine: 'pixi' = 'pixi'\nexport default { engine, store: { dir: join('a', 'b') } }",
  ],
  ['spritewright.config.js', "export default { engine: 'pixi', store: { dir: 'a/b' } }"],
  ['spritewright.config.mjs', "export default await Promise.resolve({ engine: 'pixi', store: { dir: 'a/b' } })"],
  ['spritewright.config.json', '{ "engine": "pixi", /* where */ "store": { "dir": "a/b" }, }'],
])('%s is found and read', async (name, text) => {
  const file = write(name, text)
  const { options, ...rest } = await loadConfig(ports, root)
  expect(rest).toEqual({ file, dependencies: [] })
  expect(JSON.parse(JSON.stringify(options))).toEqual({ engine: 'pixi', store: { dir: 'a/b' } })
})

test.each(['spritewright.config.ts', 'spritewright.config.mjs', 'spritewright.config.js', 'spritewright.config.json'])(
  '%s is read anew each time, and refused as soon as it is broken',
  async (name) => {
    const words = (engine: string): string =>
      name.endsWith('json') ? `{ "engine": "${engine}" }` : `export default { engine: '${engine}' }`
    const read = async (): Promise<unknown> => JSON.parse(JSON.stringify((await loadConfig(ports, root)).options))
    write('package.json', '{ "type": "module" }')
    for (const engine of ['pixi', 'phaser', 'pixi']) {
      write(name, words(engine))
      expect(await read()).toEqual({ engine })
    }
    write(name, '{ broken')
    await expect(read()).rejects.toMatchObject({ code: 'SW_CONFIG' })
    write(name, words('phaser'))
    expect(await read()).toEqual({ engine: 'phaser' })
  },
)

test.each([
  ['JSON', 'options.json', '{ "engine": "pixi" }', "import options from './options.json'\nexport default options"],
  ['TypeScript', 'options.ts', "export const engine: string = 'pixi'", "import { engine } from './options.ts'\nexport default { engine }"],
  [
    'a file without its ending',
    'options.ts',
    "export const engine = 'pixi'",
    "import { engine } from './options'\nexport default { engine }",
  ],
  ['nothing, and uses what CommonJS has', 'none.txt', '', "export default { engine: __dirname === '' ? 'phaser' : 'pixi' }"],
  ['nothing, and exports its options by their names', 'none.txt', '', "export const engine = 'pixi'"],
])('a spritewright.config.mjs that imports %s is read, and read anew', async (_what, name, text, config) => {
  write(name, text)
  write('spritewright.config.mjs', config)
  for (const time of ['first', 'second'])
    expect(JSON.parse(JSON.stringify((await loadConfig(ports, root)).options)), time).toEqual({ engine: 'pixi' })
})

test('a broken spritewright.config.mjs is refused with its place', async () => {
  write('spritewright.config.mjs', 'export default {\n  a b\n}\n')
  await expect(loadConfig(ports, root)).rejects.toMatchObject({ code: 'SW_CONFIG', message: expect.stringContaining('.mjs:2:') })
})

test('a config that imports its package and waits is read anew', async () => {
  const text = (size: number): string =>
    `import { join } from 'node:path'\nexport default await Promise.resolve({ store: { dir: join('a', '${size}') }, at: import.meta.url })`
  write('spritewright.config.mjs', text(1))
  const { options: first } = await loadConfig(ports, root)
  write('spritewright.config.mjs', text(2))
  const { options: second } = await loadConfig(ports, root)
  expect([first, second]).toMatchObject([
    { store: { dir: join('a', '1') } },
    { store: { dir: join('a', '2') }, at: (first as { at: string }).at },
  ])
})

test('a config that was asked for wins over the usual one', async () => {
  write('spritewright.config.json', '{}')
  const file = write('other.json', '{ "engine": "phaser" }')
  expect(await loadConfig(ports, root, 'other.json')).toMatchObject({ file, options: { engine: 'phaser' } })
})

test('names of all kinds of dependencies are read from package.json', async () => {
  write(
    'package.json',
    JSON.stringify({ dependencies: { 'pixi.js': '8' }, devDependencies: { vite: '8', phaser: '4' }, peerDependencies: { vite: '8' } }),
  )
  expect((await loadConfig(ports, root)).dependencies).toEqual(['phaser', 'pixi.js', 'vite'])
})

test('data may make the replay window narrower and not wider: that would send what a person has to decide about', async () => {
  write('spritewright.config.json', '{ "replayWindow": "10m" }')
  expect((await loadConfig(ports, root)).options).toEqual({ replayWindow: '10m' })
  write('spritewright.config.json', '{ "replayWindow": "11m" }')
  await expect(loadConfig(ports, root)).rejects.toMatchObject({ code: 'SW_CONFIG', message: expect.stringContaining('found 11m') })
  const program = write('other.config.mjs', "export default { replayWindow: '24h' }")
  expect((await loadConfig(ports, root, program)).options).toEqual({ replayWindow: '24h' })
})

test('a config that throws is refused with what it said', async () => {
  const file = write('spritewright.config.ts', "throw new TypeError('no such art')")
  await expect(loadConfig(ports, root)).rejects.toMatchObject({
    code: 'SW_CONFIG',
    message: expect.stringContaining('TypeError: no such art'),
    facts: { file },
  })
})

test('a config whose syntax is broken is refused', async () => {
  const file = write('spritewright.config.ts', 'export default {')
  await expect(loadConfig(ports, root)).rejects.toMatchObject({ code: 'SW_CONFIG', facts: { file } })
})

test.each([
  ['export default () => ({})', 'a function'],
  ["export default 'phaser'", 'a value of type string'],
])('the default export of %j is refused', async (text, found) => {
  write('spritewright.config.mjs', text)
  await expect(loadConfig(ports, root)).rejects.toMatchObject({ code: 'SW_CONFIG', message: expect.stringContaining(`found ${found}.`) })
})

test('broken JSON is refused with its place', async () => {
  const file = write('spritewright.config.json', '{\n  "engine": "pixi"\n  "formats": []\n}')
  await expect(loadConfig(ports, root)).rejects.toMatchObject({
    code: 'SW_CONFIG',
    message: 'spritewright.config.json:3:3 expected a comma, found a double quote',
    facts: { file, line: 3, column: 3 },
  })
})

test('two config files are refused, both named', async () => {
  write('spritewright.config.ts', 'export default {}')
  write('spritewright.config.json', '{}')
  await expect(loadConfig(ports, root)).rejects.toMatchObject({
    code: 'SW_CONFIG',
    facts: { files: ['spritewright.config.ts', 'spritewright.config.json'] },
  })
})

test('a config that was asked for and is missing is refused', async () => {
  await expect(loadConfig(ports, root, 'nowhere.ts')).rejects.toMatchObject({
    code: 'SW_CONFIG',
    facts: { file: join(root, 'nowhere.ts') },
  })
})

test('a config and a package.json as Windows writes them are read', async () => {
  const configs = windowsTexts('{ "engine": "pixi" } // grün')
  for (const [at, [form, bytes]] of windowsTexts('{ "name": "spiel", "dependencies": { "pixi.js": "8" } }').entries()) {
    write('package.json', bytes)
    const file = write('spritewright.config.json', configs[at]![1])
    const loaded = await loadConfig(ports, root)
    expect([form, loaded]).toEqual([
      form,
      { file, options: Object.assign(Object.create(null), { engine: 'pixi' }), dependencies: ['pixi.js'], projectName: 'spiel' },
    ])
  }
})

test.each(windowsTexts('export default {}'))('a config module as Windows writes it is named with its encoding: %s', async (form, bytes) => {
  write('spritewright.config.mjs', bytes)
  const encoding = form.includes('LE') ? 'utf-16le' : 'utf-16be'
  await expect(loadConfig(ports, root)).rejects.toMatchObject({
    code: 'SW_CONFIG',
    message: `Expected spritewright.config.mjs in UTF-8, found ${encoding}. Save it as UTF-8.`,
  })
})
