import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import type { EmbeddedOptions, HookedRequest, Makers } from '../../src/embedded/options/options.ts'
import { nodeClock } from '../../src/host/clock.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import type { Options } from '../../src/options/options.ts'
import type { PruneLine, Workshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { approveAll, type World, world } from './world.ts'

/** Makers that never deliver the same bytes twice. */
function differingMakers(): Makers {
  let made = 0
  return {
    sheet: async () => {
      made++
      const frames = Array.from({ length: 7 }, (_, index) => createBitmap(4, 4, new Uint8Array(64).fill(30 * index + made)))
      const { zip, width, height } = await packDelivery(frames, defaultShapes.names)
      return { bytes: zip, contentType: 'application/zip', width, height, review: null }
    },
    image: async () => {
      made++
      const bytes = encodePng(createBitmap(8, 8, new Uint8Array(256).fill(made)))
      return { bytes, contentType: 'image/png', width: 8, height: 8, review: null }
    },
  }
}

/** The text of a spec of one animation. */
function spec(take = 1, prompt = 'a small figure'): string {
  return JSON.stringify({ reference: './hero.png', prompt, animations: { walk: { frames: 7, take } } })
}

/** Buys what the spec asks for. */
async function buy(w: World, text: string, options: Options = {}): Promise<Workshop> {
  await w.project.write('sprites/hero.sprite.json', text)
  const workshop = await w.workshop(options)
  await approveAll(workshop)
  await workshop.build({ buyOnly: true })
  return workshop
}

const bought = async (options: EmbeddedOptions = {}): Promise<{ w: World; workshop: Workshop }> => {
  const w = await world({ makers: differingMakers(), ...options }, spec())
  return { w, workshop: await buy(w, spec()) }
}

/** A project in which each state of a result occurs once. */
async function everyState(): Promise<{ w: World; workshop: Workshop; of: Readonly<Record<string, string>> }> {
  const w = await world({ makers: differingMakers() }, spec())
  await buy(w, spec(1, 'an older figure'))
  await buy(w, spec(1))
  const workshop = await buy(w, spec(2))
  const stray = new TextEncoder().encode('a stray')
  await w.project.write(`.spritewright/results/${sha256(stray)}.bin`, stray)
  const { results } = await workshop.store.list()
  return { w, workshop, of: Object.fromEntries(results.map((result) => [result.state, result.sha256])) }
}

const resultsOf = (w: World): Promise<string[]> => readdir(join(w.project.root, '.spritewright/results')).catch(() => [])
const hashesOf = async (w: World): Promise<string[]> => (await resultsOf(w)).map((name) => name.slice(0, 64)).sort()
const lockText = (w: World): Promise<string> => readFile(join(w.project.root, 'sprites.lock.json'), 'utf8')
/** Requests that could cost something. */
const posts = (w: World): number => w.service.requests().filter(({ method }) => method !== 'GET').length
const sure = async (): Promise<boolean> => true

/** Flips one bit of the only result. */
async function flipBit(w: World): Promise<{ hash: string; path: string; whole: Buffer }> {
  const [name = ''] = await resultsOf(w)
  const path = join(w.project.root, '.spritewright/results', name)
  const whole = await readFile(path)
  await writeFile(
    path,
    whole.map((byte, index) => (index === whole.length >> 1 ? byte ^ 4 : byte)),
  )
  return { hash: name.slice(0, 64), path, whole }
}

/** A first record that claims to follow another one. */
async function brokenRecord(): Promise<Uint8Array> {
  const disk = new MemoryDisk()
  const journal = createJournal({ disk, random: countingRandom(), clock: nodeClock() }, '/j')
  const next = await journal.append('a', await journal.read('a'), 'sent', { attempt: 1, send: 1, keyTag: 'k' })
  if (next) await journal.append('a', next, 'sent', { attempt: 1, send: 2, keyTag: 'k' })
  return disk.read('/j/a/0002.json')
}

describe('store ls', () => {
  test('tells what each result is for, by the lock file and the specs of today', async () => {
    const { w, workshop } = await everyState()
    const { results, ...rest } = await workshop.store.list()
    expect(results.map((result) => [result.state, result.uses.map(({ id, take }) => `${id} ${take}`), result.places])).toEqual([
      ['used', ['hero.walk 2'], ['project']],
      ['take', ['hero.walk 1'], ['project']],
      ['superseded', ['hero.walk 1'], ['project']],
      ['unknown', [], ['project']],
    ])
    expect(rest).toEqual({ quarantined: [], othersInShared: 0, warnings: [] })
    expect(results.filter((result) => result.uses[0]?.executionId !== undefined)).toHaveLength(3)
    expect((await workshop.store.list(['hero'])).results).toHaveLength(3)
    expect(posts(w)).toBe(w.service.charges().length + 1)
  })

  test('a renamed sprite asks for what was bought under its old name; a live and a test result of one spec are both asked for', async () => {
    const accounts = [
      {
        name: 'studio',
        keys: [
          { key: 'test-key-of-the-studio', mode: 'test' as const },
          { key: 'live-key-of-the-studio', mode: 'live' as const },
        ],
      },
    ]
    const { w } = await bought({ accounts })
    const live = await w.workshop({}, { SPRITEWRIGHT_API_KEY: 'live-key-of-the-studio' })
    await approveAll(live)
    await live.build({ buyOnly: true })
    await w.project.write('sprites/knight.sprite.json', spec())
    await rm(join(w.project.root, 'sprites/hero.sprite.json'))
    expect((await live.store.list(['knight'])).results).toMatchObject([{ state: 'used' }, { state: 'used' }])
  })

  test('a step of a chain is used while any spec builds on it, and keeps its name afterwards', async () => {
    const chain = (text: string): string =>
      JSON.stringify({ reference: { steps: [{ text }] }, prompt: 'a figure', animations: { walk: { frames: 7 } } })
    const w = await world({ makers: differingMakers() }, chain('a knight'))
    await buy(w, chain('a knight'))
    const workshop = await buy(w, chain('a dragon'))
    expect((await workshop.store.list()).results.map((result) => [result.state, result.uses[0]?.id])).toEqual([
      ['used', 'hero#1'],
      ['superseded', 'hero#1'],
      ['used', 'hero.walk'],
      ['superseded', 'hero.walk'],
    ])
    expect((await workshop.store.prune({ names: ['hero#1'], confirm: sure })).lines).toMatchObject([
      { ids: ['hero#1'], recovery: 'service' },
    ])
    expect((await workshop.store.list()).results.filter(({ places }) => places.length > 0)).toHaveLength(3)
  })

  test('a lost lock file hides nothing: the journal knows what was delivered', async () => {
    const { w, workshop } = await bought()
    await rm(join(w.project.root, 'sprites.lock.json'))
    expect((await workshop.store.list()).results).toMatchObject([{ state: 'used', uses: [{ id: 'hero.walk' }] }])
    await w.project.write('sprites/hero.sprite.json', spec(1, 'another figure'))
    expect((await workshop.store.list()).results).toMatchObject([{ state: 'unknown', uses: [{ id: 'hero.walk' }] }])
  })

  test('what the lock file names and nobody has is shown as not here; damaged copies and what others share are counted', async () => {
    const { w } = await bought()
    const shared = join(w.project.root, 'shared')
    await w.project.write(`shared/${'a'.repeat(64)}.zip`, 'of another project')
    await w.project.write(`.spritewright/quarantine/${'b'.repeat(64)}.0badc0de.zip`, 'torn')
    await rm(join(w.project.root, '.spritewright/results'), { recursive: true })
    const report = await (await w.workshop({ store: { shared } })).store.list()
    expect(report.results).toMatchObject([{ state: 'used', places: [] }])
    expect(report.quarantined).toMatchObject([{ name: `${'b'.repeat(64)}.0badc0de`, place: 'project', bytes: 4 }])
    expect(report.othersInShared).toBe(1)
  })
})

describe('store verify', () => {
  test('a flipped bit is mended by a free download, and the damaged bytes are set aside', async () => {
    const { w, workshop } = await bought()
    const before = posts(w)
    const { hash, path, whole } = await flipBit(w)
    const report = await workshop.store.verify()
    expect(report).toMatchObject({
      checked: 1,
      good: 0,
      findings: [{ sha256: hash, ids: ['hero.walk'], outcome: 'mended', damaged: ['project'] }],
    })
    expect(await readFile(path)).toEqual(whole)
    expect((await workshop.store.list()).quarantined).toMatchObject([{ sha256: hash }])
    expect(posts(w)).toBe(before)
    expectCount(w.service.charges(), 1)
    expect(await workshop.store.verify()).toMatchObject({ checked: 1, good: 1, findings: [], bytes: whole.length })
  })

  test('a result that is gone, with the journal, is fetched by what the lock file says', async () => {
    const { w } = await bought()
    const before = posts(w)
    const hashes = await hashesOf(w)
    await rm(join(w.project.root, '.spritewright'), { recursive: true })
    await rm(join(w.project.root, '.state'), { recursive: true })
    expect((await (await w.workshop()).store.verify()).findings).toMatchObject([{ outcome: 'mended', damaged: [] }])
    expect(await hashesOf(w)).toEqual(hashes)
    expect(posts(w)).toBe(before)
  })

  test('a good copy in the shared store mends the project, and a good one in the project mends the shared store, without asking anybody', async () => {
    const w = await world({ makers: differingMakers() }, spec())
    const options = { store: { shared: join(w.project.root, 'shared') } }
    const workshop = await buy(w, spec(), options)
    const requests = w.service.requests().length
    const { path, whole } = await flipBit(w)
    expect((await workshop.store.verify()).findings).toMatchObject([{ outcome: 'mended', damaged: ['project'] }])
    expect(await readFile(path)).toEqual(whole)
    const copy = join(w.project.root, 'shared', path.split('/').at(-1) ?? '')
    await writeFile(copy, 'torn')
    expect((await workshop.store.verify()).findings).toMatchObject([{ outcome: 'mended', damaged: ['shared'] }])
    expect(await readFile(copy)).toEqual(whole)
    expectCount(w.service.requests(), requests)
  })

  test('a result that had to be kept outside the project comes home, and is pushed from there as well', async () => {
    const { w } = await bought()
    const options = { store: { shared: join(w.project.root, 'shared') } }
    const workshop = await w.workshop(options)
    const [name = ''] = await resultsOf(w)
    const path = join(w.project.root, '.spritewright/results', name)
    const whole = await readFile(path)
    const [journal = ''] = await readdir(join(w.project.root, '.state/journals'))
    await w.project.write(`.state/journals/${journal}/results/${name}`, whole)
    await rm(path)
    const requests = w.service.requests().length
    expect((await workshop.store.list()).results).toMatchObject([{ state: 'used', places: ['rescue'] }])
    expect(await workshop.store.push()).toMatchObject({ copied: [name.slice(0, 64)], lacking: [] })
    await rm(join(w.project.root, 'shared'), { recursive: true })
    expect((await workshop.store.verify()).findings).toMatchObject([
      { outcome: 'mended', damaged: [], words: expect.stringContaining('rescue') },
    ])
    expect(await readFile(path)).toEqual(whole)
    expectCount(w.service.requests(), requests)
  })

  test('a build that finds a damaged result has it again in the same run, without paying; without a key it says how to', async () => {
    const { w } = await bought()
    const before = posts(w)
    const { hash } = await flipBit(w)
    const keyless = await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })
    await expect(keyless.build()).rejects.toMatchObject({ code: 'SW_VAULT', message: expect.stringContaining('store verify') })
    await expect(keyless.build()).rejects.toMatchObject({ code: 'SW_NO_KEY' })
    const workshop = await w.workshop()
    await workshop.build({ buyOnly: true })
    await flipBit(w)
    expect((await workshop.build()).sheets.sprites).toMatchObject([{ isPlaceholder: false }])
    expect(await hashesOf(w)).toEqual([hash])
    expect((await workshop.store.list()).quarantined).toHaveLength(2)
    expect(posts(w)).toBe(before)
  })

  test('pointers of Git LFS become results again, by a free download; a build without a key says to pull them', async () => {
    const { w, workshop } = await bought()
    const before = posts(w)
    const [name = ''] = await resultsOf(w)
    const path = join(w.project.root, '.spritewright/results', name)
    const whole = await readFile(path)
    await writeFile(path, `version https://git-lfs.github.com/spec/v1\noid sha256:${name.slice(0, 64)}\nsize ${whole.length}\n`)
    const keyless = await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })
    await expect(keyless.build()).rejects.toMatchObject({ code: 'SW_VAULT', message: expect.stringContaining('git lfs pull') })
    expect((await keyless.store.verify()).findings).toMatchObject([{ outcome: 'unmended', words: expect.stringContaining('git lfs pull') }])
    expect((await workshop.store.verify()).findings).toMatchObject([{ outcome: 'mended', damaged: [] }])
    expect(await readFile(path)).toEqual(whole)
    expect([posts(w), (await workshop.store.list()).quarantined]).toEqual([before, []])
  })

  test('without a key it says how to have it again, and stays away from the network', async () => {
    const { w } = await bought()
    await rm(join(w.project.root, '.spritewright/results'), { recursive: true })
    const requests = w.service.requests().length
    const report = await (await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })).store.verify()
    expect(report.findings).toMatchObject([{ outcome: 'unmended', words: expect.stringContaining('SPRITEWRIGHT_API_KEY') }])
    const elsewhere = await w.workshop({}, { SPRITEWRIGHT_BASE_URL: 'http://127.0.0.1:9' })
    expect((await elsewhere.store.verify()).findings).toMatchObject([
      { outcome: 'unmended', words: expect.stringContaining('it was bought at 127.0.0.1') },
    ])
    expectCount(w.service.requests(), requests)
  })

  test('what the service has forgotten stays missing, and nothing is bought in its place', async () => {
    const { w, workshop } = await bought()
    await workshop.forget('hero', sure)
    const before = posts(w)
    await rm(join(w.project.root, '.spritewright/results'), { recursive: true })
    expect((await workshop.store.verify()).findings).toMatchObject([
      { outcome: 'unmended', words: expect.stringContaining('does not have execution') },
    ])
    expect([posts(w), w.service.charges().length]).toEqual([before, 1])
  })

  test('other bytes than were bought are kept, and not taken for them', async () => {
    let isOther = false
    const other = new TextEncoder().encode('PK other bytes')
    const after: EmbeddedOptions['after'] = async (request: HookedRequest, response) =>
      isOther && request.origin === 'assets' ? { status: 200, headers: { 'content-length': String(other.length) }, body: other } : response
    const { w, workshop } = await bought({ after })
    isOther = true
    const { hash } = await flipBit(w)
    const [finding] = (await workshop.store.verify()).findings
    expect(finding).toMatchObject({ sha256: hash, outcome: 'unmended', words: expect.stringContaining(sha256(other).slice(0, 12)) })
    expect(await hashesOf(w)).toEqual([sha256(other)])
    expectCount(w.service.charges(), 1)
  })

  test('a result that no spec asks for and that is not here is told, and fetched only by its name', async () => {
    const { w, workshop, of } = await everyState()
    await rm(join(w.project.root, '.spritewright/results'), { recursive: true })
    const before = posts(w)
    const first = await workshop.store.verify()
    expect(Object.fromEntries(first.findings.map(({ sha256, outcome }) => [sha256, outcome]))).toEqual({
      [of.used ?? '']: 'mended',
      [of.take ?? '']: 'absent',
      [of.superseded ?? '']: 'absent',
    })
    expect(await hashesOf(w)).toEqual([of.used])
    expect((await workshop.store.verify({ names: ['hero.walk'] })).findings.map(({ outcome }) => outcome)).toEqual(['mended', 'mended'])
    expect(await hashesOf(w)).toEqual([of.used, of.take, of.superseded].sort())
    expect(posts(w)).toBe(before)
  })

  test('an interruption ends it, and the next one goes on', async () => {
    const { w, workshop } = await bought()
    await rm(join(w.project.root, '.spritewright/results'), { recursive: true })
    await expect(workshop.store.verify({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'SW_INTERRUPTED' })
    expect((await workshop.store.verify()).findings).toMatchObject([{ outcome: 'mended' }])
  })
})

describe('store prune', () => {
  test('without names it takes nothing away, and asks nobody', async () => {
    const { w, workshop, of } = await everyState()
    const requests = w.service.requests().length
    const report = await workshop.store.prune({ names: [], confirm: sure })
    expect(report.lines.map(({ name, state }) => [name, state])).toEqual([
      [of.take, 'take'],
      [of.superseded, 'superseded'],
      [of.unknown, 'unknown'],
    ])
    expect(report.isDone).toBe(false)
    expect(await resultsOf(w)).toHaveLength(4)
    expectCount(w.service.requests(), requests)
  })

  test('a name takes what is superseded under it; what is used and other takes stay, and so does the lock file', async () => {
    const { w, workshop, of } = await everyState()
    const lock = await lockText(w)
    const before = posts(w)
    const asked: PruneLine[][] = []
    const confirm = async (lines: readonly PruneLine[]): Promise<boolean> => asked.push([...lines]) > 0
    const report = await workshop.store.prune({ names: ['hero.walk'], confirm })
    expect(asked).toEqual([
      [expect.objectContaining({ name: of.superseded, state: 'superseded', recovery: 'service', ids: ['hero.walk'] })],
    ])
    expect(report).toMatchObject({ isDone: true, bytes: asked[0]?.[0]?.bytes })
    expect(await hashesOf(w)).toEqual([of.used, of.take, of.unknown].sort())
    expect(await lockText(w)).toBe(lock)
    // The old spec comes back. A build fetches the result and pays nothing.
    await w.project.write('sprites/hero.sprite.json', spec(1, 'an older figure'))
    expect(await (await w.workshop()).build({ buyOnly: true })).toMatchObject({ bought: [] })
    expect([posts(w), w.service.charges().length]).toEqual([before, 3])
    expect(await hashesOf(w)).toContain(of.superseded)
  })

  test('what a present spec asks for never goes, under any name, and no other result goes with it', async () => {
    const { w, workshop, of } = await everyState()
    for (const name of [of.used ?? '', of.used?.slice(0, 8) ?? '']) {
      const names = [of.take ?? '', name]
      await expect(workshop.store.prune({ names, force: true, confirm: sure })).rejects.toMatchObject({ code: 'SW_USAGE', facts: { name } })
    }
    expect(await resultsOf(w)).toHaveLength(4)
  })

  test('another take goes by its hash alone', async () => {
    const { w, workshop, of } = await everyState()
    await workshop.store.prune({ names: ['hero.walk'], confirm: sure })
    await expect(workshop.store.prune({ names: ['hero.walk'], confirm: sure })).rejects.toMatchObject({
      message: expect.stringContaining('another take'),
    })
    expect((await workshop.store.prune({ names: [of.take?.slice(0, 8) ?? ''], confirm: sure })).isDone).toBe(true)
    expect(await hashesOf(w)).toEqual([of.used, of.unknown].sort())
  })

  test('what nothing could bring back goes only with force: no execution id, or one that the service has forgotten', async () => {
    const { w, workshop, of } = await everyState()
    await expect(workshop.store.prune({ names: [of.unknown ?? ''], confirm: sure })).rejects.toMatchObject({ facts: { option: '--force' } })
    await w.project.write('sprites/hero.sprite.json', spec(1, 'an older figure'))
    await workshop.forget('hero', sure)
    await w.project.write('sprites/hero.sprite.json', spec(2))
    await expect(workshop.store.prune({ names: ['hero'], confirm: sure })).rejects.toMatchObject({ facts: { names: [of.superseded] } })
    expect(await resultsOf(w)).toHaveLength(4)
    const names = ['hero', of.unknown ?? '']
    const report = await workshop.store.prune({ names, force: true, confirm: sure })
    expect(report.lines.map(({ recovery }) => recovery)).toEqual(['none', 'none'])
    expect(await hashesOf(w)).toEqual([of.used, of.take].sort())
  })

  test('without a key it says that the service was not asked; with a good copy in the shared store that is what counts', async () => {
    const { w, of } = await everyState()
    const keyless = await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })
    const no = async (): Promise<boolean> => false
    expect(await keyless.store.prune({ names: ['hero'], confirm: no })).toMatchObject({ isDone: false, lines: [{ recovery: 'unasked' }] })
    const sharing = await w.workshop({ store: { shared: join(w.project.root, 'shared') } }, { SPRITEWRIGHT_API_KEY: '' })
    await sharing.store.push()
    expect(await sharing.store.prune({ names: ['hero', of.unknown ?? ''], confirm: sure })).toMatchObject({
      isDone: true,
      lines: [{ recovery: 'shared' }, { recovery: 'shared' }],
    })
    expect(await hashesOf(w)).toEqual([of.used, of.take].sort())
    expect(await readdir(join(w.project.root, 'shared'))).toHaveLength(4)
    expect((await sharing.store.pull()).copied).toEqual([of.superseded])
  })

  test('a copy in the shared store that is damaged is no way to have a result again', async () => {
    const { w, of } = await everyState()
    await w.project.write(`shared/${of.unknown}.bin`, 'a stra')
    const sharing = await w.workshop({ store: { shared: join(w.project.root, 'shared') } })
    await expect(sharing.store.prune({ names: [of.unknown ?? ''], confirm: sure })).rejects.toMatchObject({
      facts: { names: [of.unknown] },
    })
  })

  test('its damaged copies go along with a result, so that nobody takes it for lost', async () => {
    const { w, workshop, of } = await everyState()
    await w.project.write(`.spritewright/quarantine/${of.superseded}.0badc0de.zip`, 'torn')
    const report = await workshop.store.prune({ names: ['hero'], confirm: sure })
    expect(report.lines.map(({ state, recovery }) => [state, recovery])).toEqual([
      ['superseded', 'service'],
      ['quarantined', 'service'],
    ])
    expect((await workshop.store.verify()).findings).toMatchObject([{ sha256: of.superseded, outcome: 'absent' }])
  })

  test('a spec that is saved while the question stands keeps its result', async () => {
    const { w, workshop } = await everyState()
    const confirm = async (): Promise<boolean> => {
      await w.project.write('sprites/hero.sprite.json', spec(1, 'an older figure'))
      return true
    }
    await expect(workshop.store.prune({ names: ['hero'], confirm })).rejects.toMatchObject({ code: 'SW_USAGE' })
    expect(await resultsOf(w)).toHaveLength(4)
  })

  test('while a spec or a chain of records cannot be read, nothing goes', async () => {
    const { w, workshop } = await everyState()
    await w.project.write('sprites/hero.sprite.json', '{ "reference": ')
    await expect(workshop.store.prune({ names: ['hero'], force: true, confirm: sure })).rejects.toMatchObject({ code: 'SW_SPEC' })
    expect((await workshop.store.list()).warnings).toHaveLength(1)
    await w.project.write('sprites/hero.sprite.json', spec(2))
    const submissions = join(w.project.root, '.spritewright/submissions')
    const request = (await readdir(submissions)).find((name) => /^[0-9a-f]{64}$/.test(name)) ?? ''
    for (const folder of [submissions, join(w.project.root, '.state')]) await rm(folder, { recursive: true })
    await w.project.write(`.spritewright/submissions/${request}/0001.json`, await brokenRecord())
    const later = await w.workshop()
    await expect(later.store.prune({ names: ['hero'], force: true, confirm: sure })).rejects.toMatchObject({ code: 'SW_JOURNAL' })
    expect(await resultsOf(w)).toHaveLength(4)
  })

  test('a damaged copy goes by its name when a good one is here, else only with force', async () => {
    const { w, workshop } = await bought()
    await flipBit(w)
    await workshop.store.verify()
    await mkdir(join(w.project.root, '.spritewright/quarantine'), { recursive: true })
    await w.project.write(`.spritewright/quarantine/${'b'.repeat(64)}.0badc0de.zip`, 'torn')
    const { lines } = await workshop.store.prune({ names: [], confirm: sure })
    expect(lines.map(({ state }) => state)).toEqual(['quarantined', 'quarantined'])
    const [good = '', lost = ''] = lines.map(({ name }) => name).sort((a) => (a.startsWith('bbbb') ? 1 : -1))
    await expect(workshop.store.prune({ names: [good, lost], confirm: sure })).rejects.toMatchObject({ facts: { names: [lost] } })
    expect(await workshop.store.prune({ names: [good], confirm: sure })).toMatchObject({ isDone: true, lines: [{ recovery: 'copy' }] })
    expect((await workshop.store.list()).quarantined.map(({ name }) => name)).toEqual([lost])
    expect(await resultsOf(w)).toHaveLength(1)
  })
})

describe('store push and pull', () => {
  test('without a shared store both say what to write into the configuration', async () => {
    const { workshop } = await bought()
    for (const work of [workshop.store.push(), workshop.store.pull()])
      await expect(work).rejects.toMatchObject({ code: 'SW_CONFIG', message: expect.stringContaining('store: { shared:') })
  })

  test('a second checkout pulls what the first one pushed, and builds without a key', async () => {
    const { w } = await bought()
    const options = { store: { shared: join(w.project.root, 'shared') } }
    expect(await (await w.workshop(options)).store.push()).toMatchObject({ copied: await hashesOf(w), present: 0, lacking: [] })
    const hashes = await hashesOf(w)
    await rm(join(w.project.root, '.spritewright'), { recursive: true })
    const second = await w.workshop(options, { SPRITEWRIGHT_API_KEY: '' })
    expect(await second.store.pull()).toMatchObject({ copied: hashes, lacking: [] })
    expect(await second.store.pull()).toMatchObject({ copied: [], present: 1 })
    expect((await second.build({ frozen: true })).sheets.sprites).toMatchObject([{ name: 'hero', isPlaceholder: false }])
  })

  test('what lies in both places is there already, and a damaged copy does not stand in the way of a good one', async () => {
    const { w } = await bought()
    const workshop = await w.workshop({ store: { shared: join(w.project.root, 'shared') } })
    const [hash = ''] = await hashesOf(w)
    await workshop.store.push()
    expect(await workshop.store.push()).toMatchObject({ copied: [], present: 1, lacking: [] })
    await rm(join(w.project.root, 'shared'), { recursive: true })
    const [name = ''] = await resultsOf(w)
    const [journal = ''] = await readdir(join(w.project.root, '.state/journals'))
    await w.project.write(`.state/journals/${journal}/results/${name}`, await readFile(join(w.project.root, '.spritewright/results', name)))
    await w.project.write(`.spritewright/results/${name}`, 'torn')
    expect(await workshop.store.push()).toMatchObject({ copied: [hash], lacking: [] })
    expect(sha256(await readFile(join(w.project.root, 'shared', name)))).toBe(hash)
  })

  test('an interruption ends a push before it copies, and the next one goes on', async () => {
    const { w } = await bought()
    const { store } = await w.workshop({ store: { shared: join(w.project.root, 'shared') } })
    await expect(store.push([], AbortSignal.abort())).rejects.toMatchObject({ code: 'SW_INTERRUPTED' })
    expect(await store.push()).toMatchObject({ copied: await hashesOf(w), present: 0 })
  })

  test('damaged bytes are copied in neither direction', async () => {
    const { w } = await bought()
    const workshop = await w.workshop({ store: { shared: join(w.project.root, 'shared') } })
    const { hash, path } = await flipBit(w)
    expect(await workshop.store.push()).toMatchObject({ copied: [], lacking: [{ sha256: hash, ids: ['hero.walk'], isUsed: true }] })
    expect(await readdir(join(w.project.root, 'shared')).catch(() => [])).toEqual([])
    await w.project.write(`shared/${path.split('/').at(-1)}`, 'torn')
    expect(await workshop.store.pull()).toMatchObject({ copied: [], lacking: [{ sha256: hash, isUsed: true }] })
    expect(await resultsOf(w)).toEqual([])
  })
})
