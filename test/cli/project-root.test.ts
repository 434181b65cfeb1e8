import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandEntries } from '../../src/cli/commands.ts'
import { refuseOtherRoot, refuseSecondProject, resolveRoot } from '../../src/cli/project-root.ts'
import type { SpritewrightError } from '../../src/errors.ts'
import { type Host, nodeHost } from '../../src/host/host.ts'
import { createWorld } from './world.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spritewright-root-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** What a command in a folder says, where these files are. */
async function said(files: readonly string[], at: string, manifest = '{}', check = refuseOtherRoot): Promise<string> {
  for (const file of [...files, join(at, 'x')]) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), file === 'package.json' ? manifest : '')
  }
  return check(nodeHost(), join(folder, at)).then(
    () => 'nothing',
    (error: SpritewrightError) => `${error.code} ${error.message.replaceAll(folder, '')}`,
  )
}

describe('a command in a folder that is no project', () => {
  test.each([
    ['a folder of the project', ['spritewright.config.ts', 'package.json'], 'art/drafts', '../..'],
    ['a folder of the project without a configuration', ['sprites.lock.json'], 'art', '..'],
    ['the folder above it', ['game/spritewright.config.json'], '.', 'game'],
    ['a folder far above it', ['apps/game/sprites.lock.json'], '.', 'apps/game'],
  ])('is told where the project is: %s', async (_, files, at, place) => {
    expect(await said(files, at)).toMatch(new RegExp(`^SW_USAGE .* found it in "${place}"\\. .* --root "${place}" to the command\\.`))
  })

  test.each([
    ['of npm', ['package.json', 'apps/game/spritewright.config.ts'], '{ "workspaces": ["apps/*"] }'],
    ['of pnpm', ['package.json', 'pnpm-workspace.yaml', 'apps/game/spritewright.config.ts'], '{}'],
  ])('is told so in the root of a workspace too: %s', async (_, files, manifest) => {
    expect(await said(files, '.', manifest)).toContain('found it in "apps/game".')
    expect(await said([...files, 'sprites.lock.json'], '.', manifest)).toBe('nothing')
  })

  test.each([
    ['a project without specs', ['package.json'], '.'],
    ['a package that has a project below it', ['package.json', 'examples/spritewright.config.ts'], '.'],
    ['a package of a monorepo that has a configuration above', ['spritewright.config.ts', 'packages/b/package.json'], 'packages/b'],
    ['a folder without any project near', [], 'art'],
    ['a project whose package is below others', ['node_modules/other/spritewright.config.js'], '.'],
  ])('works there: %s', async (_, files, at) => {
    expect(await said(files, at)).toBe('nothing')
  })
})

describe('a new project', () => {
  test.each([
    ['below a project, in a package of its own', ['spritewright.config.ts', 'tools/package.json'], 'tools', '..'],
    ['above a project, in a package', ['package.json', 'game/sprites.lock.json'], '.', 'game'],
    ['in a folder of a package', ['package.json', 'art/sprites/hero.sprite.json'], 'art/sprites', '../..'],
  ])('is not begun %s', async (_, files, at, place) => {
    expect(await said(files, at, '{}', refuseSecondProject)).toContain(`found it in "${place}".`)
  })

  test.each([
    ['in a package of a workspace', ['package.json', 'packages/b/package.json'], 'packages/b'],
    ['in a folder without anything near', [], 'art'],
    ['in the folder of a project, again', ['package.json', 'spritewright.config.ts', 'game/sprites.lock.json'], '.'],
  ])('is begun %s', async (_, files, at) => {
    expect(await said(files, at, '{ "workspaces": ["packages/*"] }', refuseSecondProject)).toBe('nothing')
  })
})

describe('below a project', () => {
  const below = (): ReturnType<typeof createWorld> => {
    const world = createWorld({ files: { '/sprites.lock.json': '{}' } })
    world.files.delete('/game/package.json')
    return world
  }

  test.each(commandEntries.map(({ verb }) => verb).filter((verb) => verb !== 'schema' && verb !== 'serve'))(
    '%s is led to it',
    async (verb) => {
      const world = below()
      expect(await world.run(verb)).toBe(2)
      expect(world.err()).toContain('found it in "..".')
      expect(world.opened).toEqual([])
    },
  )

  test('init makes another project only for a person who says so', async () => {
    const world = below()
    await world.run('init')
    expect(world.err()).toContain('If this folder is meant, add --here to it.')
    expect([...world.files.keys()]).toEqual(['/sprites.lock.json'])
    expect(await world.run('init', '--root', '.')).toBe(2)
    expect(await world.run('init', '--here')).toBe(0)
    expect([...world.files.keys()]).toContain('/game/spritewright.config.mjs')
  })
})

/** Runs an act that is refused. */
async function refused(act: () => Promise<unknown>): Promise<object> {
  return act().then(
    () => expect.fail('this is refused'),
    (error: SpritewrightError) => ({ code: error.code, message: error.message, facts: error.facts }),
  )
}

/** A host on which these files are, and whose patterns find some of them. */
function hostOf(files: readonly string[], found: readonly string[] = []): { readonly host: Host; readonly patterns: unknown[] } {
  const patterns: unknown[] = []
  const stat = async (path: string) =>
    files.includes(path) || files.some((one) => one.startsWith(`${path}/`))
      ? { bytes: 1, changedMs: 0, isFolder: !files.includes(path) }
      : undefined
  const host = {
    workingFolder: '/work',
    disk: { stat, read: async () => new TextEncoder().encode('{}') },
    glob: async (root: string, asked: readonly string[]) => {
      patterns.push([root, ...asked])
      return found
    },
  }
  return { host: host as unknown as Host, patterns }
}

test('a root is the working folder or a folder below it; a file and nothing are refused with the place', async () => {
  const { host } = hostOf(['/work/game/package.json'])
  expect([await resolveRoot(host, undefined), await resolveRoot(host, 'game')]).toEqual(['/work', '/work/game'])
  const refusal = (found: string) => ({
    code: 'SW_USAGE',
    message: `Expected --root to be a folder, found none at "${found}".`,
    facts: { option: '--root', found },
  })
  expect(await refused(() => resolveRoot(host, 'game/package.json'))).toEqual(refusal('/work/game/package.json'))
  expect(await refused(() => resolveRoot(host, '../gone'))).toEqual(refusal('/gone'))
})

test('a refusal of a folder names each project below it once, the first one in the advice', async () => {
  const found = [
    '/work/b/sprites.lock/a.json',
    '/work/b/sprites.lock/c.json',
    '/work/a/spritewright.config.ts',
    '/work/b/sprites.lock.json',
  ]
  const { host, patterns } = hostOf([], found)
  const message = (option: string): string =>
    `Expected a project in "/work", found it in "b", "a". Go there, or add --root "b" to the command. If this folder is meant, add ${option} to it.`
  const facts = { root: '/work', projects: ['/work/b', '/work/a'] }
  expect(await refused(() => refuseOtherRoot(host, '/work'))).toEqual({ code: 'SW_USAGE', message: message('--root "."'), facts })
  expect(await refused(() => refuseSecondProject(host, '/work'))).toEqual({ code: 'SW_USAGE', message: message('--here'), facts })
  expect(patterns[0]).toMatchInlineSnapshot(`
    [
      "/work",
      "*/{,*/}spritewright.config.ts",
      "*/{,*/}spritewright.config.js",
      "*/{,*/}spritewright.config.mjs",
      "*/{,*/}spritewright.config.json",
      "*/{,*/}sprites.lock.json",
      "*/{,*/}sprites.lock/*.json",
    ]
  `)
})

test('a project above comes before projects below, and the nearest one before others', async () => {
  const { host, patterns } = hostOf(['/work/sprites.lock.json', '/work/a/spritewright.config.mjs'], ['/work/a/b/c/sprites.lock.json'])
  for (const refuse of [refuseOtherRoot, refuseSecondProject])
    expect(await refused(() => refuse(host, '/work/a/b'))).toMatchObject({ facts: { root: '/work/a/b', projects: ['/work/a'] } })
  expect(patterns).toEqual([])
})
