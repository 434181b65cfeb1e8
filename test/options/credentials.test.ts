import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { nodeDisk } from '../../src/host/disk.ts'
import { readCredentials, Secret } from '../../src/options/credentials.ts'
import { toUtf16, windowsTexts } from '../kit/windows-texts.ts'

const disk = nodeDisk()
const canary = 'canary-key-4711'
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'spritewright-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
}

async function read(
  env: Readonly<Record<string, string>> = {},
  envPrefix?: string | string[],
): Promise<[string | undefined, string | undefined, string | undefined]> {
  const { key, keySource, baseUrl } = await readCredentials({ disk, env }, root, { mode: 'development', envPrefix })
  return [key?.reveal(), keySource, baseUrl]
}

async function refusal(env: Readonly<Record<string, string>> = {}, envPrefix?: string | string[]): Promise<SpritewrightError> {
  const error = await read(env, envPrefix).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SpritewrightError)
  const refused = error as SpritewrightError
  expect(`${refused.message}${refused.stack}${JSON.stringify(refused)}${inspect(refused)}`).not.toContain('canary')
  return refused
}

describe('where key and base URL are from', () => {
  test('nothing set gives nothing', async () => {
    expect(await read()).toEqual([undefined, undefined, undefined])
  })

  test('no file is read where Vite reads none', async () => {
    write({ '.env': `SPRITEWRIGHT_API_KEY=${canary}\n` })
    expect(await readCredentials({ disk, env: {} }, false, { mode: 'development' })).toEqual({})
    expect((await readCredentials({ disk, env: {} }, root, { mode: 'development' })).keySource).toBe('.env')
  })

  test('the environment wins over all files, then files win as in Vite', async () => {
    const names = ['.env', '.env.local', '.env.development', '.env.development.local']
    for (const name of names) {
      write({ [name]: `SPRITEWRIGHT_API_KEY=${name}-key\nSPRITEWRIGHT_BASE_URL=https://x.example/${name}/\n` })
      expect(await read()).toEqual([`${name}-key`, name, `https://x.example/${name}`])
    }
    expect(await read({ SPRITEWRIGHT_API_KEY: ` ${canary}\n` })).toEqual([
      canary,
      'environment',
      'https://x.example/.env.development.local',
    ])
  })

  test('an empty variable and a file of another mode are passed over', async () => {
    write({
      '.env': `SPRITEWRIGHT_API_KEY='${canary}' # mine`,
      '.env.local': 'SPRITEWRIGHT_API_KEY=',
      '.env.production': 'SPRITEWRIGHT_API_KEY=other',
    })
    expect(await read({ SPRITEWRIGHT_API_KEY: '' })).toEqual([canary, '.env', undefined])
  })

  test('a variable in a file may stand for another one', async () => {
    write({ '.env': `SPRITEWRIGHT_API_KEY=\${TEAM_KEY}\nTEAM_KEY=${canary}\nSPRITEWRIGHT_BASE_URL=https://api.example.com/v1` })
    expect(await read({})).toEqual([canary, '.env', 'https://api.example.com/v1'])
  })

  test('a value of the environment is taken as it is, with its dollar signs', async () => {
    write({ '.env': 'SPRITEWRIGHT_API_KEY=$TEAM_KEY\nrest=other' })
    for (const key of ['a$rest', 'a$$rest', '$', 'rest$']) expect((await read({ TEAM_KEY: key }))[0]).toBe(key)
  })

  test('the first source that has a text for a variable counts, and the blanks around what stands for it do not', async () => {
    write({ '.env.local': 'SPRITEWRIGHT_API_KEY=$TEAM_KEY\nTEAM_KEY=', '.env': `TEAM_KEY=${canary}` })
    expect(await read({ TEAM_KEY: '' })).toEqual([canary, '.env.local and .env', undefined])
    write({ '.env.local': `SPRITEWRIGHT_API_KEY="\${NONE:- ${canary} }"` })
    expect(await read()).toEqual([canary, '.env.local', undefined])
  })

  test('variables that stand for each other end', async () => {
    write({ '.env': 'SPRITEWRIGHT_API_KEY=$A\nA=$B\nB=$A' })
    await expect(read()).resolves.toBeDefined()
  })

  const lines = `# schlüssel\nVITE_TITLE=Grün\nSPRITEWRIGHT_API_KEY=${canary}\n`
  test.each(windowsTexts(lines))('a file as Windows writes it is read: %s', async (_form, bytes) => {
    write({ '.env.local': bytes })
    expect(await read()).toEqual([canary, '.env.local', undefined])
    expect((await refusal({}, 'SPRITEWRIGHT_')).code).toBe('SW_KEY_EXPOSED')
  })

  test.each([
    ['UTF-16 added to UTF-8', Buffer.concat([Buffer.from('A=1\r\n'), toUtf16(`SPRITEWRIGHT_API_KEY=${canary}\r\n`, false)])],
    ['a zero byte before the name', Buffer.from(`A=1\n\0SPRITEWRIGHT_API_KEY=${canary}\n`)],
    ['nothing but zeros', Buffer.alloc(64)],
  ])('a file as Windows writes it is named if it cannot be read: %s', async (_form, bytes) => {
    write({ '.env.local': bytes })
    const { code, message } = await refusal()
    expect([code, message]).toEqual([
      'SW_CONFIG',
      expect.stringContaining(`UTF-8 or UTF-16 in ${join(root, '.env.local')}, found zero bytes`),
    ])
  })

  test('a folder named .env is passed over', async () => {
    mkdirSync(join(root, '.env'))
    expect(await read()).toEqual([undefined, undefined, undefined])
  })
})

describe('a key that Vite would ship', () => {
  test.each([
    ['VITE_SPRITEWRIGHT_API_KEY', undefined],
    ['PUBLIC_SPRITEWRIGHT_API_KEY', ['VITE_', 'PUBLIC_']],
    ['SPRITEWRIGHT_API_KEY', 'SPRITEWRIGHT_'],
  ])('under the name %s with the prefix %j is refused, from a file and from the environment', async (variable, envPrefix) => {
    const fromEnv = await refusal({ [variable]: canary }, envPrefix)
    expect([fromEnv.code, fromEnv.facts]).toEqual(['SW_KEY_EXPOSED', { variable, source: 'environment' }])
    write({ '.env.local': `${variable}=${canary}` })
    const fromFile = await refusal({}, envPrefix)
    expect([fromFile.code, fromFile.facts]).toEqual(['SW_KEY_EXPOSED', { variable, source: '.env.local' }])
    expect(fromFile.message).toContain(variable)
  })

  test('is refused under any name that holds its value', async () => {
    write({ '.env': `SPRITEWRIGHT_API_KEY=${canary}\nVITE_TOKEN=$SPRITEWRIGHT_API_KEY` })
    expect((await refusal()).facts).toEqual({ variable: 'VITE_TOKEN', source: '.env' })
  })

  test('is none where the prefix is another or the variable is empty', async () => {
    expect(await read({ VITE_SPRITEWRIGHT_API_KEY: canary }, 'APP_')).toEqual([undefined, undefined, undefined])
    expect(await read({ VITE_SPRITEWRIGHT_API_KEY: '' })).toEqual([undefined, undefined, undefined])
  })
})

test.each([
  [`Bearer ${canary}`, 'Bearer'],
  [`${canary} x`, 'a space'],
  [`${canary}\nx`, 'a line break'],
  [`${canary}é`, 'no printable ASCII'],
  [canary.repeat(1000), '15000 characters'],
])('a key that no header can carry is refused without being shown', async (value, words) => {
  const error = await refusal({ SPRITEWRIGHT_API_KEY: value })
  expect([error.code, error.facts]).toEqual(['SW_NO_KEY', { variable: 'SPRITEWRIGHT_API_KEY', source: 'environment' }])
  expect(error.message).toContain(words)
})

test.each(['api.example.com', 'ftp://api.example.com', `https://u:${canary}@api.example.com`, `https://api.example.com/?k=${canary}`])(
  'a base URL like %j is refused without being shown',
  async (value) => {
    const error = await refusal({ SPRITEWRIGHT_BASE_URL: value })
    expect([error.code, error.facts]).toEqual(['SW_CONFIG', { variable: 'SPRITEWRIGHT_BASE_URL', source: 'environment' }])
  },
)

test.each(['localhost:9', '127.0.0.1:9/v1', 'api.example.com', `u:${canary}@api.example.com`])(
  'an address without its scheme is told what it lacks: %j',
  async (value) => {
    const { message } = await refusal({ SPRITEWRIGHT_BASE_URL: value })
    expect(message).toMatch(/ found an address that does not begin with https:\/\/\.$/)
  },
)

test('a secret is [key] however it is written out, and itself only when it is asked for', () => {
  const secret = new Secret(canary)
  const written = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true, depth: 9 }),
    Object.keys(secret).join(),
  ]
  expect(written).toEqual(['[key]', '[key]', '{"secret":"[key]"}', '{ secret: [key] }', ''])
  expect(secret.reveal()).toBe(canary)
})

describe('variables in a value of a file', () => {
  test.each([
    [`\${A}`, { A: 'a' }, 'a'],
    [`x\${A}y$B`, { A: 'a', B: 'b' }, 'xayb'],
    [`\${A:-other}`, { A: 'a' }, 'a'],
    [`\${A:-other}`, {}, 'other'],
    [`\${A-other}`, { A: '' }, 'other'],
    [`\${A:+other}`, { A: 'a' }, 'other'],
    [`x\${A:+other}`, {}, 'x'],
    [`\${A+other}`, { A: 'a' }, 'other'],
    [`x\${A+other}`, { A: '' }, 'x'],
    ['x\\$A', { A: 'a' }, 'x$A'],
    ['x$A', {}, 'x'],
    ['x$', {}, 'x$'],
  ])('%s with %j is %s', async (text, others, expected) => {
    write({
      '.env': Object.entries({ SPRITEWRIGHT_API_KEY: text, ...others })
        .map(([name, value]) => `${name}=${value}`)
        .join('\n'),
    })
    expect(await read()).toEqual([expected, '.env', undefined])
  })

  test('are told with every source of its parts, the first that has a value first', async () => {
    write({ '.env': `SPRITEWRIGHT_API_KEY=$A$B\${C:+c}$D`, '.env.local': 'A=a\nB=\nC=c', '.env.development': 'B=b' })
    expect((await read({ A: 'env-' }))[0]).toBe('env-bc')
    expect((await read({ A: 'env-' }))[1]).toBe('.env and environment and .env.development')
    expect((await read({ D: 'd' }))[1]).toBe('.env and .env.local and .env.development and environment')
  })

  test('must come to an end before too much text was read', async () => {
    write({ '.env': `SPRITEWRIGHT_API_KEY=$A${'x'.repeat(2 ** 22)}` })
    const { code, facts, message } = await refusal()
    expect([code, facts]).toEqual(['SW_CONFIG', { variable: 'SPRITEWRIGHT_API_KEY', source: '.env' }])
    expect(message).toContain('SPRITEWRIGHT_API_KEY in .env')
  })
})

test('a file that cannot be read is an error of the disk with its path and cause', async () => {
  const cause = Object.assign(new Error('no'), { code: 'EACCES' })
  write({ '.env': '' })
  const ports = { disk: { ...disk, read: () => Promise.reject(cause) }, env: {} }
  const file = join(root, '.env')
  const reading = readCredentials(ports, root, { mode: 'development' })
  await expect(reading).rejects.toMatchObject({
    code: 'SW_DISK',
    message: expect.stringContaining(`${file}, found EACCES`),
    facts: { file },
    cause,
  })
  write({ '.env': '\0' })
  expect((await refusal()).facts).toEqual({ file })
})

test('everything that was found is told with where it is from, and a base URL must not have the key in it', async () => {
  write({ '.env.local': 'SPRITEWRIGHT_BASE_URL= https://api.example.com/v1/ ' })
  const credentials = await readCredentials({ disk, env: { SPRITEWRIGHT_API_KEY: canary } }, root, { mode: 'development' })
  expect({ ...credentials, key: credentials.key?.reveal() }).toEqual({
    baseUrl: 'https://api.example.com/v1',
    baseUrlSource: '.env.local',
    key: canary,
    keySource: 'environment',
  })
  write({ '.env.local': `SPRITEWRIGHT_BASE_URL=https://api.example.com/${canary}` })
  const { code, facts } = await refusal({ SPRITEWRIGHT_API_KEY: canary })
  expect([code, facts]).toEqual(['SW_CONFIG', { variable: 'SPRITEWRIGHT_BASE_URL', source: '.env.local' }])
})

test('a key of 4096 characters is the longest', async () => {
  expect((await read({ SPRITEWRIGHT_API_KEY: 'k'.repeat(4096) }))[0]).toHaveLength(4096)
  expect((await refusal({ SPRITEWRIGHT_API_KEY: 'k'.repeat(4097) })).message).toContain('found 4097 characters')
})

test('an exposed variable is told with where it is set', async () => {
  expect((await refusal({ VITE_SPRITEWRIGHT_API_KEY: canary })).message).toContain('in the environment')
  write({ '.env': `VITE_SPRITEWRIGHT_API_KEY=${canary}` })
  expect((await refusal()).message).toContain('in .env')
})
