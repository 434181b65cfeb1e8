import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SpritewrightError } from '../../src/errors.ts'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeTrackedFiles } from '../../src/host/git.ts'
import { refuseLinks } from '../../src/project/store-folder.ts'
import { approveAll, world } from '../money/world.ts'
import { simulatedWorld } from '../sim/world.ts'

const run = promisify(execFile)
const failureOf = (promise: Promise<unknown>): Promise<SpritewrightError> =>
  promise.then(
    () => Promise.reject(new Error('Expected a refusal, found none.')),
    (error: SpritewrightError) => error,
  )

let outside: string
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'spritewright-outside-'))
})
afterEach(() => rm(outside, { recursive: true }))

/** Makes a link in a project, with the folders above it. */
async function linkOutside(path: string, target = outside): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

const hash = 'a'.repeat(64)

describe('a link that came with a commit', () => {
  test.each([
    '.spritewright',
    '.spritewright/submissions',
    '.spritewright/results',
    '.spritewright/uploads',
    '.spritewright/orders',
    '.spritewright/embedded',
    '.spritewright/ledger.jsonl',
    `.spritewright/submissions/${hash}`,
    '.spritewright/submissions/budget',
    '.spritewright/embedded/log.jsonl',
    'sprites.lock.json',
    'node_modules/.cache',
    'node_modules/.cache/spritewright',
    'node_modules/.cache/spritewright/review',
  ])('L8: at %s is refused by its name, and nothing is written outside of the project', async (path) => {
    const w = await world()
    await linkOutside(join(w.project.root, path))
    const error = await failureOf(w.workshop().then(approveAll))
    expect([error.code, error.facts]).toEqual(['SW_DISK', { file: join(w.project.root, path) }])
    expect(error.message).toContain('symbolic link')
    expect(await readdir(outside)).toEqual([])
  })

  test('L8: to nothing yet is refused too, and nothing is made where it leads', async () => {
    const w = await world()
    await linkOutside(join(w.project.root, '.spritewright'), join(outside, 'later'))
    expect((await failureOf(w.workshop().then(approveAll))).code).toBe('SW_DISK')
    expect(await readdir(outside)).toEqual([])
  })

  test('L8: is the store if store.dir names it, but no part of that store may be one', async () => {
    const w = await world()
    await linkOutside(join(w.project.root, 'paid'))
    const options = { store: { dir: 'paid' } }
    await approveAll(await w.workshop(options))
    expect(await readdir(outside)).not.toEqual([])
    const elsewhere = await mkdtemp(join(tmpdir(), 'spritewright-outside-'))
    await rm(join(outside, 'submissions'), { recursive: true, force: true })
    await linkOutside(join(outside, 'submissions'), elsewhere)
    const error = await failureOf(w.workshop(options))
    expect(error.facts).toEqual({ file: join(w.project.root, 'paid', 'submissions') })
    await rm(elsewhere, { recursive: true })
  })

  test('L8: elsewhere in the project is nobody’s business', async () => {
    const w = await world()
    await linkOutside(join(w.project.root, 'assets'))
    await linkOutside(join(w.project.root, 'node_modules', 'linked'))
    await approveAll(await w.workshop())
    expect(await readdir(outside)).toEqual([])
  })
})

test.each(['submissions', 'uploads', 'orders', 'orders/sprites.lock', 'embedded'])(
  'L8: a link in the folder %s of the store is refused by its name',
  async (part) => {
    const dir = join('/game', '.spritewright')
    const disk = { links: async (folder: string) => (folder === join(dir, part) ? ['planted'] : []) }
    const file = join(dir, part, 'planted')
    await expect(refuseLinks(disk, { root: '/game', store: { dir, patienceMs: 0 } })).rejects.toMatchObject({
      code: 'SW_DISK',
      facts: { file },
    })
  },
)

test.each([
  ['/game', '.spritewright', '/game/.spritewright', true],
  ['/game', '.spritewright', '/store', false],
  ['/game', 'sprites.lock.json', '/store', true],
  ['/game', 'sprites.lock', '/store', true],
  ['/game', 'assets', '/game/.spritewright', false],
  ['/game/sprites.lock', 'hero.json', '/store', true],
  ['/game/.spritewright', 'results', '/game/.spritewright', true],
  ['/game/node_modules', '.cache', '/store', true],
  ['/game/node_modules', 'phaser', '/store', false],
  ['/game/node_modules/.cache', 'spritewright', '/store', true],
  ['/game/node_modules/.cache', 'other', '/store', false],
  ['/game/node_modules/.cache/spritewright', 'a.bin', '/store', true],
])('L8: in %s, a link with the name %s beside the store %s is refused: %s', async (folder, name, dir, isRefused) => {
  const disk = { links: async (asked: string) => (asked === folder ? [name] : []) }
  const refused = await refuseLinks(disk, { root: '/game', store: { dir, patienceMs: 0 } }).catch((error: unknown) => error)
  const path = `${folder}/${name}`
  const message = `Expected ${path} to be inside this project, found a symbolic link: files would be written elsewhere. Nothing was written. Remove the link; to keep the store elsewhere, name it as store.dir in the options of the Vite plugin or of createWorkshop.`
  if (isRefused) expect(refused).toMatchObject({ code: 'SW_DISK', message, facts: { file: path } })
  else expect(refused).toBeUndefined()
})

test('L8: links are listed by name, also dangling ones; files, folders and what is missing have none', async () => {
  const disk = nodeDisk()
  await writeFile(join(outside, 'file'), '')
  await symlink(join(outside, 'file'), join(outside, 'b'))
  await symlink(join(outside, 'nowhere'), join(outside, 'a'))
  expect(await disk.links(outside)).toEqual(['a', 'b'])
  for (const name of ['file', 'a', 'missing', 'file/x', 'a/x']) expect(await disk.links(join(outside, name))).toEqual([])
})

describe('records that git tracks', () => {
  const git = (folder: string, ...args: string[]): Promise<unknown> => run('git', ['-C', folder, ...args])

  test.each([`submissions/${hash}/0001.json`, `uploads/${hash}.json`, 'orders/sprites.lock.json', 'ledger.jsonl', 'checkout.json'])(
    'L8: %s ends approving with SW_JOURNAL before anything is sent, and doctor says why',
    async (path) => {
      const w = await world()
      await w.project.write(`.spritewright/${path}`, '{}\n')
      await git(w.project.root, 'init', '-q')
      await git(w.project.root, 'add', '-f', '.spritewright')
      const workshop = await w.workshop()
      const error = await failureOf(approveAll(workshop))
      const folder = join(w.project.root, '.spritewright')
      expect([error.code, error.facts]).toEqual(['SW_JOURNAL', { folder, tracked: [path] }])
      expect(error.message).toMatch(/records of another machine.*git rm -r --cached.*\.gitignore/s)
      expect(w.service.requests()).toEqual([])
      const finding = (await workshop.doctor()).find(({ check }) => check === 'journal')
      expect([finding?.verdict, finding?.found, finding?.advice]).toEqual(['bad', 'SW_JOURNAL', error.message])
    },
  )

  test('L8: are looked for when the service is opened, once a run, and not for a build that sends nothing', async () => {
    const w = await simulatedWorld(0)
    const asked: unknown[] = []
    const trackedFiles = async (...asks: unknown[]): Promise<string[]> => {
      asked.push(asks)
      return []
    }
    const workshop = await w.workshop({}, { trackedFiles })
    await workshop.build()
    expect(asked).toEqual([])
    await workshop.prices()
    await workshop.plan()
    expect(asked).toEqual([['/game/.spritewright', ['submissions', 'uploads', 'orders', 'ledger.jsonl', 'checkout.json']]])
    await workshop.close()
  })

  test.each(['.spritewright', 'paid "$(touch trap)" it\'s; touch trap'])(
    'L8: in %s are gone once they are taken out as the message says',
    async (dir) => {
      const w = await world()
      await w.project.write(`${dir}/ledger.jsonl`, '')
      await w.project.write(`${dir}/results/kept`, '')
      await git(w.project.root, 'init', '-q')
      await git(w.project.root, 'add', '-f', dir)
      const options = { store: { dir } }
      const { message } = await failureOf(approveAll(await w.workshop(options)))
      const [, command = ''] = /repository: (git rm .*?), and/.exec(message) ?? []
      await run('sh', ['-c', command], { cwd: w.project.root })
      expect(await readdir(w.project.root)).not.toContain('trap')
      await approveAll(await w.workshop(options))
      expect(w.service.requests()).not.toEqual([])
    },
  )

  test('L8: are none without a repository or a folder', async () => {
    const tracked = nodeTrackedFiles()
    expect(await tracked(outside, ['submissions'])).toEqual([])
    expect(await tracked(join(outside, 'missing'), ['submissions'])).toEqual([])
  })

  test.each(['', '.spritewright'])(
    'L8: are found although the folder "%s" of the project has the shape of a bare repository',
    async (shaped) => {
      const store = join(outside, '.spritewright')
      await mkdir(store)
      await writeFile(join(store, 'ledger.jsonl'), '')
      await git(outside, 'init', '-q')
      await git(outside, 'add', '-f', '.spritewright')
      await git(join(outside, shaped), 'init', '-q', '--bare', '.')
      expect(await nodeTrackedFiles()(store, ['ledger.jsonl'])).toEqual(['ledger.jsonl'])
    },
  )

  test('L8: are found in a second work tree, whose .git is a file', async () => {
    const [first, second] = [join(outside, 'first'), join(outside, 'second')]
    await mkdir(join(first, '.spritewright'), { recursive: true })
    await writeFile(join(first, '.spritewright', 'ledger.jsonl'), '')
    await git(first, 'init', '-q')
    await git(first, 'add', '-f', '.')
    await git(first, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'records')
    await git(first, 'worktree', 'add', '-q', second)
    expect(await nodeTrackedFiles()(join(second, '.spritewright'), ['ledger.jsonl'])).toEqual(['ledger.jsonl'])
  })
})
