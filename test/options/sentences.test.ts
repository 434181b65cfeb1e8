import { expect, test } from 'vitest'
import type { ModuleLoader } from '../../src/host/modules/module-loader.ts'
import { loadConfig } from '../../src/options/config-files.ts'
import { readCredentials } from '../../src/options/credentials.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

/** A disk with these files of the project. */
function diskOf(files: Readonly<Record<string, string>>): MemoryDisk {
  const disk = new MemoryDisk()
  for (const [name, text] of Object.entries(files)) disk.files.set(`/game/${name}`, Buffer.from(text))
  return disk
}

/** The message of what is thrown. */
async function words(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('Expected it to throw.'),
    (thrown: Error) => thrown,
  )
  return error.message
}

const key = 'sw_live_0123456789'

test('a key or an address that cannot be taken is refused with its name, its source and what to do, and never shown', async () => {
  const refused = (env: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}, envPrefix?: readonly string[]) =>
    words(readCredentials({ disk: diskOf(files), env }, '/game', { mode: 'staging', envPrefix }))
  const refusals = [
    await refused({ SPRITEWRIGHT_API_KEY: `Bearer ${key}` }),
    await refused({}, { '.env.staging.local': `SPRITEWRIGHT_API_KEY="${key} x"` }),
    await refused({ SPRITEWRIGHT_API_KEY: 'k'.repeat(4097) }),
    await refused({}, { '.env.staging': 'SPRITEWRIGHT_API_KEY=ключ' }),
    await refused({ VITE_SPRITEWRIGHT_API_KEY: key }),
    await refused({ SPRITEWRIGHT_API_KEY: key }, { '.env': `PUBLIC_TOKEN=${key}` }, ['APP_', 'PUBLIC_']),
    await refused({ SPRITEWRIGHT_BASE_URL: 'api.example.com' }),
    await refused({}, { '.env.local': 'SPRITEWRIGHT_BASE_URL=https://api.example.com/?k=1' }),
    await refused({ SPRITEWRIGHT_BASE_URL: `https://api.example.com/${key}`, SPRITEWRIGHT_API_KEY: key }),
    await refused({}, { '.env': 'A=1\n\0' }),
  ]
  expect(refusals).toMatchInlineSnapshot(`
    [
      "Expected SPRITEWRIGHT_API_KEY (from environment) to be one word of printable ASCII, found the word "Bearer" in front of it; leave that out. Copy the key again from the developer console.",
      "Expected SPRITEWRIGHT_API_KEY (from .env.staging.local) to be one word of printable ASCII, found a space or a line break in it. Copy the key again from the developer console.",
      "Expected SPRITEWRIGHT_API_KEY (from environment) to be one word of printable ASCII, found 4097 characters. Copy the key again from the developer console.",
      "Expected SPRITEWRIGHT_API_KEY (from .env.staging) to be one word of printable ASCII, found a character that is no printable ASCII. Copy the key again from the developer console.",
      "Expected the API key under a name that Vite does not ship to the browser, found VITE_SPRITEWRIGHT_API_KEY in the environment: names that begin with VITE_ are shipped (envPrefix). Call it SPRITEWRIGHT_API_KEY and revoke the key if it has been published.",
      "Expected the API key under a name that Vite does not ship to the browser, found PUBLIC_TOKEN in .env: names that begin with APP_, PUBLIC_ are shipped (envPrefix). Call it SPRITEWRIGHT_API_KEY and revoke the key if it has been published.",
      "Expected SPRITEWRIGHT_BASE_URL (from environment) to be a base URL like https://api.example.com, without name, password, query, fragment or \`$\`, found an address that does not begin with https://.",
      "Expected SPRITEWRIGHT_BASE_URL (from .env.local) to be a base URL like https://api.example.com, without name, password, query, fragment or \`$\`, found something else.",
      "Expected SPRITEWRIGHT_BASE_URL (from environment) to be an address without the API key, found the key in it. Write the address alone; the key goes into a header.",
      "Expected text in UTF-8 or UTF-16 in /game/.env, found zero bytes, as in a mix of both. Save it as UTF-8.",
    ]
  `)
  expect(refusals.filter((message) => message.includes(key))).toEqual([])
})

test('a configuration that cannot be taken is refused with its file, what was found and what to do', async () => {
  const refused = (files: Readonly<Record<string, string>>, load: ModuleLoader = async () => ({}), explicit?: string) =>
    words(loadConfig({ disk: diskOf(files), loadModule: load }, '/game', explicit))
  const json = (options: object) => refused({ 'spritewright.config.json': JSON.stringify(options) })
  const js = (text: string, load: ModuleLoader) => refused({ 'spritewright.config.js': text }, load)
  const throwing = (thrown: unknown) => async (): Promise<never> => {
    throw thrown
  }
  expect([
    await refused({ 'spritewright.config.js': '', 'spritewright.config.json': '{}' }),
    await refused({}, undefined, 'tools/art.config.js'),
    await refused({ 'art.config.js/a': '' }, undefined, 'art.config.js'),
    await refused({ 'spritewright.config.json': '{\n  "engine": pixi }' }),
    await json({ replayWindow: '1h' }),
    await json({ store: { dir: '../paid' } }),
    await json({ typings: '/elsewhere/sprites.d.ts' }),
    await json({ service: { profile: {} } }),
    await json({ limits: { post: 1000 } }),
    await json({ limits: { windowMs: 1 } }),
    await js('export default 7', throwing(new TypeError('no such thing'))),
    await js('export default 7', throwing('a text')),
    await js('export default 7', async () => 7),
    await js('export default () => {}', async () => () => {}),
    await js('export default []', async () => []),
    await js('const a = 1', async () => ({})),
    await js('export const a = 1', async () => undefined),
  ]).toMatchInlineSnapshot(`
    [
      "Expected one config file, found spritewright.config.js and spritewright.config.json. Remove all but one, or name one with --config.",
      "Expected a config file at tools/art.config.js, found nothing. Check --config.",
      "Expected a config file at art.config.js, found a folder. Check --config.",
      "spritewright.config.json:2:13 expected a value: a text in double quotes, a number, true, false, null, { or [, found pixi",
      "Expected a replayWindow of at most 10m in spritewright.config.json, found 1h. That belongs into spritewright.config.mjs.",
      "Expected store.dir to be inside the project, and not behind a link, in spritewright.config.json, found "../paid". That belongs into the options of the Vite plugin or of createWorkshop.",
      "Expected typings to be inside the project, and not behind a link, in spritewright.config.json, found "/elsewhere/sprites.d.ts". That belongs into the options of the Vite plugin or of createWorkshop.",
      "Expected no service.profile, because JSON has no functions, in spritewright.config.json, found one. That belongs into spritewright.config.mjs.",
      "Expected limits.post of 10, or a stricter one, in spritewright.config.json, found 1000. That belongs into spritewright.config.mjs.",
      "Expected limits.windowMs of 60000, or a stricter one, in spritewright.config.json, found 1. That belongs into spritewright.config.mjs.",
      "Expected spritewright.config.js to run, found that it throws TypeError: no such thing",
      "Expected spritewright.config.js to run, found that it throws a text",
      "Expected spritewright.config.js to have defineConfig({ ... }) as its default export, found a value of type number.",
      "Expected spritewright.config.js to have defineConfig({ ... }) as its default export, found a function.",
      "Expected spritewright.config.js to have defineConfig({ ... }) as its default export, found a value of type object.",
      "Expected spritewright.config.js to have defineConfig({ ... }) as its default export, found nothing.",
      "Expected spritewright.config.js to have defineConfig({ ... }) as its default export, found nothing.",
    ]
  `)
})
