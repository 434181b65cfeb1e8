// biome-ignore-all lint/suspicious/noTemplateCurlyInString: files of variables write ${NAME}.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { nodeDisk } from '../../src/host/disk.ts'
import { readCredentials } from '../../src/options/credentials.ts'
import { createClient } from '../../src/service/client.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { scriptedNet } from '../kit/scripted-net.ts'
import { vites } from '../plugin/world.ts'
import { steadyRandom } from '../service/fixtures.ts'
import { simulatedWorld } from '../sim/world.ts'
import { forms, key, reveals } from './key-forms.ts'

const disk = nodeDisk()
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'spritewright-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const read = (env: Readonly<Record<string, string>> = {}) => readCredentials({ disk, env }, root, { mode: 'development' })
const keyIn = async (text: string, env: Readonly<Record<string, string>> = {}): Promise<string | undefined> => {
  writeFileSync(join(root, '.env'), text)
  return (await read(env)).key?.reveal()
}
async function refusal(promise: Promise<unknown>): Promise<SpritewrightError> {
  const error = await promise.then(
    (value) => value,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SpritewrightError)
  expect(reveals(`${inspect(error)}${JSON.stringify(error)}`, key)).toBe(false)
  return error as SpritewrightError
}

const plainKey = 'canary-key-4711'

describe('an address', () => {
  test.each([
    'https://h/x/$SPRITEWRIGHT_API_KEY',
    'https://h/x/${SPRITEWRIGHT_API_KEY}',
    'https://$HOST/x',
    'https://h/\\$x',
    'https://h/a$',
  ])('L1: %s in a file is refused and not repeated: no variable is expanded into it', async (address) => {
    writeFileSync(join(root, '.env'), `SPRITEWRIGHT_API_KEY=${plainKey}\nSPRITEWRIGHT_BASE_URL='${address}'\nHOST=api.example.com\n`)
    const error = await refusal(read())
    expect([error.code, error.facts]).toEqual(['SW_CONFIG', { variable: 'SPRITEWRIGHT_BASE_URL', source: '.env' }])
    expect(error.message).not.toMatch(/canary|https:\/\/(?!api\.example\.com,)/)
  })

  test('L1: a dollar in an address from the environment is refused', async () => {
    const error = await refusal(read({ SPRITEWRIGHT_BASE_URL: 'https://h/$x' }))
    expect([error.code, error.facts]).toEqual(['SW_CONFIG', { variable: 'SPRITEWRIGHT_BASE_URL', source: 'environment' }])
  })

  test('L1: a dollar in the address of the configuration is refused', async () => {
    const world = await simulatedWorld(0)
    const error = await refusal(world.workshop({ service: { baseUrl: 'https://h/$SPRITEWRIGHT_API_KEY' } }))
    expect(error.code).toBe('SW_CONFIG')
  })

  const inPath = Object.entries(forms).filter(([, form]) => !/[\s"$?&\\]/.test(form(key)))
  test.each(inPath)(
    'L1: an address that holds the key in the form "%s" is refused wherever it is from, and not repeated',
    async (_, form) => {
      const baseUrl = `https://h/x/${form(key)}`
      const world = await simulatedWorld(0)
      const env = { SPRITEWRIGHT_API_KEY: key }
      const ports = { net: scriptedNet(() => ({ status: 500 })), clock: new ManualClock(), random: steadyRandom }
      const refusals = [
        await refusal(read({ ...env, SPRITEWRIGHT_BASE_URL: baseUrl })),
        await refusal(world.workshop({ service: { baseUrl } }, { env })),
        await refusal((async () => createClient(ports, { baseUrl, key }))()),
      ]
      expect(refusals.map(({ code }) => code)).toEqual(['SW_CONFIG', 'SW_CONFIG', 'SW_CONFIG'])
      expect([...world.disk.files.keys()]).toEqual(['/game/package.json'])
    },
  )

  test('H1: an address comes with the name of its source', async () => {
    writeFileSync(join(root, '.env.development'), 'SPRITEWRIGHT_BASE_URL=https://api.example.com/')
    expect(await read()).toEqual({ baseUrl: 'https://api.example.com', baseUrlSource: '.env.development' })
    const env = { SPRITEWRIGHT_BASE_URL: 'https://other.example.com' }
    expect(await read(env)).toEqual({ baseUrl: 'https://other.example.com', baseUrlSource: 'environment' })
  })
})

/** Seven variables, each nine times the next one: less than 200 bytes that would expand to 9^7 words. */
const bomb = [...'abcdefg'].map((name, index) => `${name}=${`$${'bcdefgh'[index]}`.repeat(9)}`).join('\n')

describe('variables of a file', () => {
  test.each([
    ['the key', `SPRITEWRIGHT_API_KEY=$a\n${bomb}\nh=canary`, 'SPRITEWRIGHT_API_KEY'],
    ['a variable that Vite ships', `VITE_TITLE=$a\n${bomb}\nh=canary`, 'VITE_TITLE'],
    ['a text that goes on growing', 'SPRITEWRIGHT_API_KEY=p$A\nA=x$B\nB=y$A', 'SPRITEWRIGHT_API_KEY'],
    ['a text that goes in circles', 'SPRITEWRIGHT_API_KEY=p$A\nA=$B\nB=$A', 'SPRITEWRIGHT_API_KEY'],
  ])('L3: that expand each other without bound in %s are refused, and no value is shown', async (_, text, variable) => {
    writeFileSync(join(root, '.env'), text)
    const error = await refusal(read())
    expect([error.code, error.facts]).toEqual(['SW_CONFIG', { variable, source: '.env' }])
    expect(error.message).not.toMatch(/canary|\$/)
  })

  test('L3: that nobody asks for are not expanded', async () => {
    expect(await keyIn(`SPRITEWRIGHT_API_KEY=${plainKey}\n${bomb}\nh=canary`)).toBe(plainKey)
  })

  test('L3: many variables of a large file are all expanded', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `VITE_${index}=$HOST/$NAME/${'x'.repeat(100)}`)
    expect(await keyIn(`SPRITEWRIGHT_API_KEY=${plainKey}\nHOST=h\nNAME=n\n${lines.join('\n')}`)).toBe(plainKey)
  })

  test.each([
    'TEAM=one\nSPRITEWRIGHT_API_KEY=$TEAM',
    'TEAM=one\nSPRITEWRIGHT_API_KEY=${TEAM}-two',
    'TEAM=one\nMORE=${TEAM}-${TEAM}\nSPRITEWRIGHT_API_KEY=$MORE/$TEAM',
    'SPRITEWRIGHT_API_KEY=${NONE:-other}',
    'SPRITEWRIGHT_API_KEY=${NONE-other}x',
    'TEAM=one\nSPRITEWRIGHT_API_KEY=${TEAM:-other}',
    'TEAM=one\nSPRITEWRIGHT_API_KEY=${TEAM:+other}',
    'SPRITEWRIGHT_API_KEY=a${NONE:+other}b',
    'TEAM=one\nSPRITEWRIGHT_API_KEY=${NONE:-${TEAM}}',
    'TEAM=one\nSPRITEWRIGHT_API_KEY=a\\$TEAM',
    "TEAM=one\nSPRITEWRIGHT_API_KEY='$TEAM'",
    'SPRITEWRIGHT_API_KEY=x${SPRITEWRIGHT_API_KEY}',
    'SPRITEWRIGHT_API_KEY=a${NONE}b$NONE',
    'SPRITEWRIGHT_API_KEY=five$5',
  ])('L3: mean what they mean to every Vite: %j', async (text) => {
    const own = await keyIn(text)
    for (const [version, load] of vites) {
      const { loadEnv } = await load()
      expect(loadEnv('development', root, 'SPRITEWRIGHT_API'), version).toEqual({ SPRITEWRIGHT_API_KEY: own })
    }
  })

  test('L3: keep the dollars of a key that is from the environment', async () => {
    expect(await keyIn('SPRITEWRIGHT_API_KEY=$TEAM', { TEAM: 'a$b$TEAM' })).toBe('a$b$TEAM')
  })

  test.each(Object.entries(forms))('L5: with the key in the form "%s" under a name that Vite ships are refused', async (_, form) => {
    const error = await refusal(read({ SPRITEWRIGHT_API_KEY: key, VITE_TITLE: `a ${form(key)}` }))
    expect([error.code, error.facts]).toEqual(['SW_KEY_EXPOSED', { variable: 'VITE_TITLE', source: 'environment' }])
  })
})
