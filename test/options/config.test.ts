import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeDisk } from '../../src/host/disk.ts'
import { type ModuleLoader, nodeModuleLoader } from '../../src/host/modules/module-loader.ts'
import { type ConfigPorts, loadConfig, usesPixi } from '../../src/options/config-files.ts'
import type { Engine } from '../../src/options/schema.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
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

test('each kind of dependency counts, also those of the folders above, and a field twice is no matter of ours', async () => {
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  write('package.json', `{ ${kinds.map((kind, at) => `"${kind}": { "p${at}": "1" }`).join(', ')}, "x": 1, "x": 2 }`)
  mkdirSync(join(root, 'src'))
  expect((await loadConfig(ports, join(root, 'src'))).dependencies).toEqual(['p0', 'p1', 'p2', 'p3'])
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

test.each<[string, string]>([
  ['no service.profile, because JSON has no functions,', '{ "service": { "profile": { "readAccepted": 1 } } }'],
  ['no service.profile, because JSON has no functions,', '{ "service": { "baseUrl": "https://a.example", "profile": {} } }'],
  ['limits.post of 10, or a stricter one,', '{ "limits": { "post": 11 } }'],
  ['limits.get of 120, or a stricter one,', '{ "limits": { "get": 121 } }'],
  ['limits.download of 20, or a stricter one,', '{ "limits": { "download": 10000 } }'],
  ['limits.activeJobs of 2, or a stricter one,', '{ "limits": { "activeJobs": 3 } }'],
  ['limits.streams of 4, or a stricter one,', '{ "limits": { "streams": 5 } }'],
  // A shorter window allows more requests.
  ['limits.windowMs of 60000, or a stricter one,', '{ "limits": { "windowMs": 59999 } }'],
])('data must have %s', async (expected, text) => {
  for (const name of ['spritewright.config.json', 'other.json']) {
    const file = write(name, text)
    await expect(loadConfig(ports, root, name)).rejects.toMatchObject({
      code: 'SW_CONFIG',
      message: expect.stringContaining(`Expected ${expected} in ${name}, found `),
      facts: { file },
    })
  }
})

test('data may be stricter than the service, and a program may be wider', async () => {
  const strict = { windowMs: 120_000, post: 1, get: 120, download: 20, activeJobs: 1, streams: 4 }
  write('spritewright.config.json', JSON.stringify({ limits: strict }))
  expect((await loadConfig(ports, root)).options).toEqual({ limits: strict })
  const program = write('wide.config.mjs', 'export default { limits: { windowMs: 1, post: 99, activeJobs: 9 } }')
  expect((await loadConfig(ports, root, program)).options).toEqual({ limits: { windowMs: 1, post: 99, activeJobs: 9 } })
})

describe('store.dir', () => {
  const kinds: readonly [string, (dir: string) => string][] = [
    ['spritewright.config.json', (dir) => JSON.stringify({ store: { dir } })],
    ['spritewright.config.mjs', (dir) => `export default ${JSON.stringify({ store: { dir } })}`],
    ['spritewright.config.ts', (dir) => `export default ${JSON.stringify({ store: { dir } })} as object`],
  ]
  const links = (): void => {
    mkdirSync(join(root, 'inner'))
    symlinkSync(tmpdir(), join(root, 'linked'))
    symlinkSync(join(tmpdir(), 'spritewright-nothing-there'), join(root, 'dangling'))
    symlinkSync(tmpdir(), join(root, 'inner', 'linked'))
  }

  test.each(
    kinds.flatMap(([name, textOf]) =>
      ['/srv/store', tmpdir(), '..', '../store', 'a/../../store', 'linked', 'linked/store', 'dangling', 'inner/linked/a'].map(
        (dir) => [name, dir, textOf] as const,
      ),
    ),
  )('of %s that leaves the project (%s) is refused', async (name, dir, textOf) => {
    links()
    const file = write(name, textOf(dir))
    const error = await loadConfig(ports, root).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'SW_CONFIG', facts: { file } })
    expect((error as Error).message).toContain(
      `Expected store.dir to be inside the project, and not behind a link, in ${name}, found "${dir}"`,
    )
    expect((error as Error).message).toContain('the options of the Vite plugin or of createWorkshop')
  })

  test.each(['../sprites.d.ts', 'linked/sprites.d.ts'])(
    'and typings that leave the project (%s) are refused in the same way',
    async (typings) => {
      links()
      write('spritewright.config.mjs', `export default ${JSON.stringify({ typings })}`)
      await expect(loadConfig(ports, root)).rejects.toThrow(
        `Expected typings to be inside the project, and not behind a link, in spritewright.config.mjs, found "${typings}"`,
      )
    },
  )

  test.each(kinds)('of %s may be any other folder of the project, there or not', async (name, textOf) => {
    links()
    for (const dir of ['.spritewright', 'a/b', './inner', 'inner/../c', '..store', join(root, 'paid')]) {
      write(name, textOf(dir))
      expect(JSON.parse(JSON.stringify((await loadConfig(ports, root)).options))).toEqual({ store: { dir } })
    }
  })
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

test.each(['ts', 'js', 'mjs'])('a config.%s that exports nothing is refused', async (ending) => {
  write(`spritewright.config.${ending}`, "const options = { engine: 'phaser' }")
  await expect(loadConfig(ports, root)).rejects.toMatchObject({
    code: 'SW_CONFIG',
    message: `Expected spritewright.config.${ending} to have defineConfig({ ... }) as its default export, found nothing.`,
  })
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

test.each<[string, Engine | undefined, Readonly<Record<string, string>>, boolean]>([
  ['nothing', undefined, {}, false],
  ['the engine', 'pixi', { 'package.json': '{"dependencies":{"phaser":"4"}}' }, true],
  ['another engine', 'phaser', { 'package.json': '{"dependencies":{"pixi.js":"8"}}' }, false],
  ['a dependency', undefined, { 'package.json': '{"devDependencies":{"pixi.js":"8"}}' }, true],
  ['a dependency of the folder above', undefined, { '../package.json': '{"dependencies":{"pixi.js":"8"}}' }, true],
  ['a nearer package.json', undefined, { '../package.json': '{"dependencies":{"pixi.js":"8"}}', 'package.json': '{"name":"x"}' }, false],
  ['the config file', undefined, { 'spritewright.config.json': '{"engine":"pixi"}' }, true],
  ['a config program', undefined, { 'spritewright.config.mjs': 'export default { engine: "pixi" }' }, true],
  [
    'the config file, of two engines',
    undefined,
    { 'package.json': '{"dependencies":{"pixi.js":"8","phaser":"4"}}', 'spritewright.config.json': '{"engine":"phaser"}' },
    false,
  ],
  ['two engines', undefined, { 'package.json': '{"dependencies":{"pixi.js":"8","phaser":"4"}}' }, true],
])('whether a game uses PixiJS is decided by %s', async (_what, engine, files, isPixi) => {
  const game = join(root, 'game')
  mkdirSync(game)
  for (const [name, text] of Object.entries(files)) write(join('game', name), text)
  expect(await usesPixi(ports, game, engine)).toBe(isPixi)
})

test('the engine is found in the package.json above, the name is not', async () => {
  write('package.json', '{"name":"above","dependencies":{"pixi.js":"8"}}')
  expect(await loadConfig(ports, join(root, 'src'))).toEqual({ options: {}, dependencies: ['pixi.js'] })
})

test.each(windowsTexts('export default {}'))('a config module as Windows writes it is named with its encoding: %s', async (form, bytes) => {
  write('spritewright.config.mjs', bytes)
  const encoding = form.includes('LE') ? 'utf-16le' : 'utf-16be'
  await expect(loadConfig(ports, root)).rejects.toMatchObject({
    code: 'SW_CONFIG',
    message: `Expected spritewright.config.mjs in UTF-8, found ${encoding}. Save it as UTF-8.`,
  })
})

const memoryConfig = (files: Readonly<Record<string, string>>, loadModule: ModuleLoader = () => expect.unreachable()) => {
  const disk = new MemoryDisk()
  for (const [name, text] of Object.entries(files)) disk.files.set(`/game/${name}`, new TextEncoder().encode(text))
  return { disk, loadModule }
}
const configErrorOf = (ports: ConfigPorts, explicit?: string) =>
  loadConfig(ports, '/game', explicit).then(
    () => expect.unreachable(),
    ({ code, message, facts, cause }) => ({ code, message, facts, cause }),
  )
const dataName = 'spritewright.config.json'
const dataFile = `/game/${dataName}`

test('a configuration that cannot be read is an error of the disk with its file and cause', async () => {
  const ports = memoryConfig({ [dataName]: '{}' })
  for (const [cause, words] of [
    [Object.assign(new Error('no'), { code: 'EACCES' }), 'EACCES'],
    [new Error('no'), 'an unknown failure'],
  ] as const) {
    ports.disk.read = () => Promise.reject(cause)
    expect(await configErrorOf(ports)).toEqual({
      code: 'SW_DISK',
      message: expect.stringContaining(`${dataName}, found ${words}`),
      facts: { file: dataFile },
      cause,
    })
  }
})

test('a fault in the JSON of a configuration is told with its place; in package.json only what cannot be read at all', async () => {
  expect(await configErrorOf(memoryConfig({ [dataName]: '{\n "engine": "pixi",\n "engine": "pixi", "a": 1, "a": 2 }' }))).toMatchObject({
    code: 'SW_CONFIG',
    message: expect.stringMatching(/^spritewright\.config\.json:3:\d+ expected /),
    facts: { file: dataFile, line: 3, column: 2, expected: 'each field once', found: 'it a second time' },
  })
  expect(await configErrorOf(memoryConfig({ 'package.json': '{ "name": ' }))).toMatchObject({
    code: 'SW_CONFIG',
    facts: { file: '/game/package.json', line: 1, expected: expect.any(String), found: expect.any(String) },
  })
  for (const [text, named] of [
    ['null', {}],
    ['{ "name": "" }', {}],
    ['{ "name": 7, "dependencies": null, "devDependencies": "x" }', {}],
    ['{ "name": "game" }', { projectName: 'game' }],
  ] as const)
    expect(await loadConfig(memoryConfig({ 'package.json': text }), '/game')).toEqual({ options: {}, dependencies: [], ...named })
})

test.each([
  ['a folder', { [`${dataName}/a`]: '' }, undefined, 'a folder'],
  ['nothing', {}, 'other.json', 'nothing'],
])('a configuration that is %s is told from what it is', async (_, files, explicit, found) => {
  const { code, message, facts } = await configErrorOf(memoryConfig(files), explicit)
  expect([code, facts]).toEqual(['SW_CONFIG', { file: `/game/${explicit ?? dataName}` }])
  expect(message).toContain(`${explicit ?? dataName}, found ${found}.`)
})

test.each([
  [[], 'a value of type object'],
  [null, 'a value of type object'],
  [7, 'a value of type number'],
  [undefined, 'nothing'],
])('a config program that exports %j is refused', async (value, found) => {
  const { code, message, facts } = await configErrorOf(memoryConfig({ 'spritewright.config.mjs': 'export default x' }, async () => value))
  expect([code, facts]).toEqual(['SW_CONFIG', { file: '/game/spritewright.config.mjs' }])
  expect(message).toContain(`found ${found}.`)
})

test.each([
  [new TypeError('no art'), 'TypeError: no art'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('a config program that throws %s is refused with it', async (cause, words) => {
  const ports = memoryConfig({ 'spritewright.config.mjs': 'export default x' }, () => Promise.reject(cause))
  const error = await configErrorOf(ports)
  expect(error).toMatchObject({ code: 'SW_CONFIG', facts: { file: '/game/spritewright.config.mjs' } })
  expect([error.cause, error.message.includes(`throws ${words}`)]).toEqual([cause, true])
})

test('limits, windows and the engine of a file of data are told as they were found', async () => {
  expect((await configErrorOf(memoryConfig({ [dataName]: '{ "limits": { "post": 11 } }' }))).message).toContain('found 11.')
  expect(await loadConfig(memoryConfig({ [dataName]: '{ "limits": {}, "replayWindow": "no" }' }), '/game')).toMatchObject({
    options: { replayWindow: 'no' },
  })
  const twoNames = await configErrorOf(memoryConfig({ [dataName]: '{}', 'spritewright.config.mjs': '' }))
  expect([twoNames.facts, twoNames.message]).toEqual([
    { files: ['spritewright.config.mjs', dataName] },
    expect.stringContaining('spritewright.config.mjs and spritewright.config.json'),
  ])
  const pixi = { [dataName]: '{ "engine": "pixi" }' }
  const dependsOn = (one: string): Record<string, string> => ({ 'package.json': JSON.stringify({ dependencies: { [one]: '1' } }) })
  // A dependency decides, and so does the option that was given: neither asks the file.
  expect(await usesPixi(memoryConfig({ ...pixi, ...dependsOn('phaser') }), '/game', undefined)).toBe(false)
  expect(await usesPixi(memoryConfig(pixi), '/game', 'phaser')).toBe(false)
  expect(await usesPixi(memoryConfig(pixi), '/game', undefined)).toBe(true)
})
