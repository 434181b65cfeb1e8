import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { type CliRun, createProject, figurePng, heroSpec, runCli, serviceEnv, type TestProject } from '../kit/project.ts'
import { level } from '../level.ts'

let service: EmbeddedService
const projects: TestProject[] = []

beforeAll(async () => {
  service = await startEmbeddedService({ jobMs: 0, maximumInputBytes: 100_000, maximumInputDimension: 512 })
})

afterAll(() => service?.close())

afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove()
})

async function world(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<TestProject> {
  const project = await createProject(files)
  projects.push(project)
  return project
}

interface Refusal {
  readonly code: string
  readonly message: string
}

/**
 * The refusal in a JSON document, and the text that a person sees.
 *
 * @param isTold Whether that text is fetched too.
 */
async function refusalOf(
  project: TestProject,
  args: readonly string[],
  env: Record<string, string>,
  isTold = true,
): Promise<{ run: CliRun; error: Refusal; words: string }> {
  const run = await runCli(project, [...args, '--json'], env)
  const { error } = JSON.parse(run.stdout) as { error: Refusal }
  if (!isTold) return { run, error, words: error.message }
  const told = await runCli(project, args, env)
  expect(told.code).toBe(run.code)
  return { run, error, words: told.stderr }
}

/** A text that spans several lines in the terminal, as one line. */
function flat(text: string): string {
  return text.replace(/\s+/g, ' ')
}

const manyPixels = encodePng(createBitmap(600, 20))
const manyBytes = noise(400)

/** A picture that no packer makes small. */
function noise(side: number): Uint8Array {
  const picture = createBitmap(side, side)
  let state = 1
  for (let at = 0; at < picture.data.length; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    picture.data[at] = state & 255
  }
  return encodePng(picture)
}

describe('a wrong input ends with its exit code and says what was expected, what was found and where', () => {
  test.each([
    {
      name: 'broken JSON',
      files: { 'sprites/hero.sprite.json': '{\n  "reference": "./hero.png",\n  "prompt": }\n' },
      code: 'SW_SPEC',
      exit: 2,
      says: ['sprites/hero.sprite.json:3:13'],
      isTold: true,
    },
    {
      name: 'an unknown field',
      files: { 'sprites/hero.sprite.json': '{\n  "reference": "./hero.png",\n  "prompt": "x",\n  "animation": { "walk": {} }\n}' },
      code: 'SW_SPEC',
      exit: 2,
      says: ['sprites/hero.sprite.json:4:3', 'animation'],
    },
    {
      name: 'a reference that is not there',
      files: { 'sprites/hero.sprite.json': heroSpec(['walk'], './her0.png') },
      code: 'SW_REFERENCE',
      exit: 2,
      says: ['"./her0.png"', 'expected a picture'],
    },
    {
      name: 'a reference that is no PNG, JPEG or WebP',
      files: { 'sprites/hero.png': new TextEncoder().encode('GIF89a and so on, which is another kind of picture') },
      code: 'SW_REFERENCE',
      exit: 2,
      says: ['expected a PNG, JPEG or WebP picture'],
    },
    {
      name: 'a reference of more pixels than the service takes',
      files: { 'sprites/hero.png': manyPixels },
      code: 'SW_REFERENCE',
      exit: 2,
      says: ['at most 512 pixels a side', 'found 600 × 20 pixels'],
      isTold: true,
    },
    {
      name: 'a reference of more bytes than the service takes',
      files: { 'sprites/hero.png': manyBytes },
      code: 'SW_REFERENCE',
      exit: 2,
      says: ['at most 100000 bytes', `found ${manyBytes.length} bytes`],
    },
    {
      name: 'two sprites of one name',
      files: { 'other/Hero.sprite.json': heroSpec(['walk'], '../sprites/hero.png') },
      code: 'SW_SPEC_NAME',
      exit: 2,
      says: ['other/Hero.sprite.json', 'sprites/hero.sprite.json'],
    },
  ])('$name', async ({ files, code, exit, says, isTold = level === 'long' }) => {
    const project = await world(files as Readonly<Record<string, string | Uint8Array | undefined>> as Record<string, string | Uint8Array>)
    const before = service.charges().length
    const { run, error, words } = await refusalOf(project, ['approve', '--yes'], serviceEnv(service), isTold)
    expect({ exit: run.code, code: error.code, message: error.message }).toMatchObject({ exit, code })
    for (const word of says) {
      expect(error.message).toContain(word)
      expect(flat(words)).toContain(word)
    }
    expect(service.charges()).toHaveLength(before)
    expect(service.holds()).toEqual([])
  })
})

describe('a key or a service that is wrong ends with its exit code and says what to do', () => {
  test('no key', async () => {
    const { run, error } = await refusalOf(await world(), ['plan'], { SPRITEWRIGHT_BASE_URL: service.url }, level === 'long')
    expect({ exit: run.code, code: error.code }).toEqual({ exit: 2, code: 'SW_NO_KEY' })
    expect(error.message).toContain('Set SPRITEWRIGHT_API_KEY')
  })

  test('no service', async () => {
    const { run, error } = await refusalOf(await world(), ['plan'], {}, level === 'long')
    expect({ exit: run.code, code: error.code }).toEqual({ exit: 2, code: 'SW_NO_SERVICE' })
    expect(error.message).toContain('SPRITEWRIGHT_BASE_URL')
  })

  test('a wrong key', async () => {
    const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: 'sw_test_never_minted' }
    const { run, error, words } = await refusalOf(await world(), ['plan'], env)
    expect({ exit: run.code, code: error.code }).toEqual({ exit: 4, code: 'SW_KEY_REFUSED' })
    expect(error.message + words).not.toContain('never_minted')
  })

  test.each(['VITE_SPRITEWRIGHT_API_KEY', 'VITE_ART'])('a key under %s', async (variable) => {
    const project = await world({ '.env.local': `${variable}=${service.key}\n` })
    const { run, error, words } = await refusalOf(project, ['plan'], serviceEnv(service))
    expect({ exit: run.code, code: error.code }).toEqual({ exit: 2, code: 'SW_KEY_EXPOSED' })
    expect(error.message).toContain(`${variable} in .env.local`)
    expect(error.message + words).not.toContain(service.key)
  })

  test('a service that is down', async () => {
    const gone = await startEmbeddedService()
    await gone.close()
    const run = await runCli(await world(), ['plan', '--json'], serviceEnv(gone))
    const { error } = JSON.parse(run.stdout) as { error: Refusal }
    expect({ exit: run.code, code: error.code }).toEqual({ exit: 4, code: 'SW_UNREACHABLE' })
    expect(error.message).toContain(new URL(gone.url).host)
  })

  test('a right input after all of these is approved', async () => {
    const run = await runCli(await world({ 'sprites/hero.png': figurePng() }), ['approve', '--yes'], serviceEnv(service))
    expect(run).toMatchObject({ code: 0 })
  })
})
