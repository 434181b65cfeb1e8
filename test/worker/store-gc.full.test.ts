import { readdir, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { UnnamedReport } from '../../src/workshop.ts'
import { keyEnv } from '../kit/keys.ts'
import { startHere } from '../kit/program.ts'
import { type CliRun, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type S3Double, startS3Double } from '../kit/s3-double.ts'
import { shortPauses } from '../kit/short-pauses.ts'
import { createStudio, git, push, type Studio } from '../kit/studio.ts'

let service: EmbeddedService
let studio: Studio
const others: Studio[] = []
beforeEach(async () => {
  service = await startEmbeddedService({ jobMs: 0, makers: quickMakers(), limits: { windowMs: 1000, post: 100 } })
  studio = await createStudio({}, (folder) => ({ store: { shared: join(folder, 'results') } }))
})
afterEach(async () => {
  await service.close()
  for (const one of [studio, ...others.splice(0)]) await one.remove()
})

const run = (project: TestProject, ...args: readonly string[]): Promise<CliRun> =>
  startHere(project, args, { ...serviceEnv(service), ...keyEnv(1) }, { clock: shortPauses() }).ended
const spec = (prompt: string): string => JSON.stringify({ reference: './hero.png', prompt, animations: { walk: { frames: 7 } } })
/** Buys a figure, and returns what is in the shared store since. */
async function buy(project: TestProject, prompt: string, shared = studio.shared): Promise<string> {
  const before = await readdir(shared).catch((): string[] => [])
  await project.write('sprites/hero.sprite.json', spec(prompt))
  for (const args of [
    ['approve', '--yes'],
    ['build', '--buy-only'],
  ]) {
    const ended = await run(project, ...args)
    expect(ended.code, ended.stderr).toBe(0)
  }
  const [made = ''] = (await readdir(shared)).filter((name) => !before.includes(name))
  return made.slice(0, 64)
}
/** The hashes that nothing names, seen from a clone. */
async function unnamed(project: TestProject, ...folders: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await run(project, 'store', 'gc', '--dry-run', '--json', ...folders)
  expect(code, stderr).toBe(0)
  return (JSON.parse(stdout) as UnnamedReport).results.map((one) => one.sha256)
}

test('a result is listed only if no commit, no lock file and no journal of any project of the store names it', async () => {
  const buyer = await studio.clone()
  const onMain = await buy(buyer, 'a figure of main')
  await push(buyer)
  const before = await git(buyer.root, 'rev-parse', 'HEAD')
  const onBranch = await buy(buyer, 'a figure of a branch')
  await push(buyer, 'next')
  await git(buyer.root, 'reset', '-q', '--hard', before)
  const inJournal = await buy(buyer, 'a figure that nobody has committed')
  await git(buyer.root, 'checkout', '-q', '.')
  const game = await createStudio({}, () => ({ store: { shared: studio.shared } }))
  others.push(game)
  const other = await game.clone()
  const ofOther = await buy(other, 'a figure of another game')
  const bytes = new TextEncoder().encode('bytes of a project that is gone')
  const stray = join(studio.shared, `${sha256(bytes)}.bin`)
  await buyer.write(`../results/${sha256(bytes)}.bin`, bytes)
  const all = await readdir(studio.shared)
  expect(new Set([onMain, onBranch, inJournal, ofOther]).size).toBe(4)

  const clean = await studio.clone()
  expect([...(await unnamed(clean))].sort()).toEqual([inJournal, ofOther, sha256(bytes)].sort())
  expect([...(await unnamed(clean, other.root))].sort()).toEqual([inJournal, sha256(bytes)].sort())
  expect([...(await unnamed(buyer, other.root))]).toEqual([sha256(bytes)])
  await clean.write(
    '.state/spritewright/settings.json',
    JSON.stringify({ worker: { projects: [{ dir: buyer.root }, { dir: other.root }] } }),
  )
  expect(await unnamed(clean)).toEqual([sha256(bytes)])
  expect(await readdir(studio.shared)).toEqual(all)

  // The printed command removes it.
  await utimes(stray, 0, 0)
  const { stdout } = await run(clean, 'store', 'gc', '--dry-run')
  const [, command = ''] = /npx spritewright (store prune --shared [0-9a-f ]+)/.exec(stdout) ?? []
  expect(await run(clean, ...command.split(' '), '--yes', '--force')).toMatchObject({ code: 0 })
  expect(await readdir(studio.shared)).toEqual(all.filter((name) => !stray.endsWith(name)))
})

test("a result that only a worker's own lock file names is not listed", async () => {
  const buyer = await studio.clone()
  const bought = await buy(buyer, 'a figure that a worker bought')
  const lock = await readFile(join(buyer.root, 'sprites.lock.json'), 'utf8')
  const worker = await studio.clone()
  expect(await unnamed(worker)).toEqual([bought])
  await worker.write('.spritewright/orders/sprites.lock.json', lock)
  expect(await unnamed(worker)).toEqual([])
})

test('a result that only the journal of a team names is not listed, on any machine', async () => {
  const team = await createStudio({}, (folder) => ({ store: { shared: join(folder, 'results'), journal: join(folder, 'journal') } }))
  others.push(team)
  await buy(await team.clone(), 'a figure that nobody has committed', team.shared)
  expect(await unnamed(await team.clone())).toEqual([])
})

test('nothing is listed if a folder is no clone, shares with another store, has a broken lock file, or a remote is away', async () => {
  const clone = await studio.clone()
  await buy(clone, 'a figure')
  const apart = await createStudio({}, (folder) => ({ store: { shared: join(folder, 'results') } }))
  others.push(apart)
  const refused = async (code: string, ...folders: readonly string[]): Promise<void> =>
    expect(await run(clone, 'store', 'gc', '--dry-run', ...folders)).toMatchObject({ stdout: '', stderr: expect.stringContaining(code) })
  await refused('SW_USAGE', (await apart.clone()).root)
  await refused('SW_', join(clone.root, 'no-such-folder'))
  const broken = await studio.clone()
  await broken.write('sprites.lock.json', '{')
  await refused('SW_LOCKFILE', broken.root)
  await git(clone.root, 'remote', 'add', 'away', join(clone.root, 'nowhere.git'))
  await refused('SW_ORDER')
})

test('a bucket is listed too, and a cache of HTTP says that it cannot be', async () => {
  const s3: S3Double = await startS3Double({ pageLength: 1 })
  try {
    const bucket = await createStudio({}, () => ({ store: { shared: 's3://studio/results' } }))
    others.push(bucket)
    const clone = await bucket.clone()
    const env = { ...s3.env, ...serviceEnv(service), ...keyEnv(1) }
    const runHere = (...args: readonly string[]): Promise<CliRun> => startHere(clone, args, env, { clock: shortPauses() }).ended
    for (const args of [
      ['approve', '--yes'],
      ['build', '--buy-only'],
    ])
      expect(await runHere(...args)).toMatchObject({ code: 0 })
    for (const digit of ['a', 'b']) s3.files.set(`results/cas/${digit.repeat(64)}`, { bytes: new Uint8Array(3), atMs: 0 })
    const { stdout } = await runHere('store', 'gc', '--dry-run', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ sha256: 'a'.repeat(64), bytes: 3 }, { sha256: 'b'.repeat(64) }] })
    await clone.write('spritewright.config.mjs', `export default { store: { shared: 'https://cache.example.com' } }`)
    expect(await runHere('store', 'gc', '--dry-run')).toMatchObject({ code: 1, stderr: expect.stringContaining('no listing') })
  } finally {
    await s3.close()
  }
})
