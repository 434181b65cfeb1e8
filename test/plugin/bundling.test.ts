import { describe, expect, test } from 'vitest'
import { findSprite, moduleCode, toBundling } from '../../plugin/build/bundling.ts'
import { endBuild, loadBundled, startBuild } from '../../plugin/bundle.ts'
import { createSession, type MakeWorkshop, type PluginSession, type Surroundings } from '../../plugin/session.ts'
import type { BuiltSheets } from '../../src/index.ts'

const sheets = { sprites: [{ name: 'hero', file: 'sprites/hero.sprite.json' }], atlases: [] } as unknown as BuiltSheets

test('an imported file that is no spec of the project is named in the error', () => {
  expect(findSprite(sheets, 'sprites/hero.sprite.json').name).toBe('hero')
  expect(() => findSprite(sheets, 'drafts/fox.sprite.json')).toThrow(
    expect.objectContaining({ code: 'SW_SPEC', facts: { file: 'drafts/fox.sprite.json' } }),
  )
})

/** Files that a build under `--watch` watches. */
async function watched(own: Partial<PluginSession>): Promise<string[]> {
  const files: string[] = []
  const context = {
    meta: { watchMode: true },
    addWatchFile: (file: string) => void files.push(file),
    error: () => {
      throw new Error('no sheets')
    },
  }
  const surroundings = { isBuild: true, root: '/game', outDir: '/game/dist' }
  const session = { surroundings, enter: () => {}, renew: () => {}, ...own } as unknown as PluginSession
  await startBuild(context as unknown as Parameters<typeof startBuild>[0], session).catch(() => {})
  return files
}

test('a watched build watches specs, their pictures, their touched-up frames and the lock file, also if the sheets cannot be made', async () => {
  const frames = ['/game/sprites/hero.frames', '/game/sprites/hero.frames/walk/0003.png']
  const made = {
    atlases: [],
    sprites: [
      { name: 'hero', file: '/game/sprites/hero.sprite.json', picture: '/game/sprites/hero.png', overridePaths: frames },
      { name: 'coin', file: '/game/items/coin.sprite.yaml' },
    ],
  } as unknown as BuiltSheets
  const files = ['/game/sprites/hero.sprite.json', '/game/sprites/hero.png', ...frames, '/game/items/coin.sprite.yaml']
  const places = ['/game/sprites', '/game/items', '/game/sprites.lock.json', '/game/sprites.lock']
  const bundling = toBundling(made, '/game', { engine: 'pixi', notes: [] } as unknown as Parameters<typeof toBundling>[2])
  expect(await watched({ bundling: async () => bundling })).toEqual([...files, ...places])
  const failing = {
    bundling: () => Promise.reject(new Error('no sheets')),
    workshop: async () => ({ preview: async () => ({ sheets: made, errors: [{ facts: { file: '/game/drafts/fox.sprite.json' } }] }) }),
  } as unknown as Partial<PluginSession>
  expect((await watched(failing)).sort()).toEqual([...files, ...places, '/game/drafts', '/game/drafts/fox.sprite.json'].sort())
})

test('pages are named by atlas, number and scale, and their code has the URLs that the bundle gives them', () => {
  const page = { sha256: 'a'.repeat(64), bytes: new Uint8Array([1]), width: 8, height: 8, contentType: 'image/png', extension: 'png' }
  const at = (scale: number, name = 'all') => ({ name, scale, pixelArt: false, pages: [page, page], frames: [], animations: [] })
  const made = { sprites: [], atlases: [at(2), at(1), at(0.5), at(1, 'all-big')] } as unknown as BuiltSheets
  const bundling = toBundling(made, '/game', { engine: 'pixi', notes: [] } as never)
  const names = ['all-0@2x.png', 'all-1@2x.png', 'all-0.png', 'all-1.png', 'all-0@0.5x.png', 'all-1@0.5x.png']
  const ofOther = ['all-big-0.png', 'all-big-1.png']
  expect(bundling.pages.map(({ name }) => name)).toEqual([...names, ...ofOther])
  const code = moduleCode(bundling, { kind: 'atlas', name: 'all' }, '/game', ({ name }) => `/assets/${name}`)
  const urlsIn = (text: string): unknown => text.match(/(?<="url":"\/assets\/)[^"]+/g)
  expect(urlsIn(code)).toEqual(names)
  expect(urlsIn(moduleCode(bundling, { kind: 'atlas', name: 'all-big' }, '/game', ({ name }) => `/assets/${name}`))).toEqual(ofOther)
  expect(() => moduleCode(bundling, { kind: 'atlas', name: 'other' }, '/game', () => '')).toThrow('other')
})

test.each<[string, object, number, boolean]>([
  ['below the limit', { assetsInlineLimit: 4 }, 3, true],
  ['at the limit', { assetsInlineLimit: 4 }, 4, false],
  ['of a library', { assetsInlineLimit: 0, lib: {} }, 9, true],
  ['that the game wants so', { assetsInlineLimit: () => true }, 9000, true],
  ['that the game does not want so', { assetsInlineLimit: () => false }, 1, false],
  ['about which the game says nothing, below 4 KiB', { assetsInlineLimit: () => undefined }, 4095, true],
  ['about which the game says nothing, of 4 KiB', { assetsInlineLimit: () => undefined }, 4096, false],
])('a page %s is written into the code as Vite writes its own assets', async (_, build, length, isInlined) => {
  const page = { name: 'all-0.png', bytes: new Uint8Array(length), contentType: 'image/png' }
  const bundling = { sheets: [{ name: 'all', code: '"\\u00000\\u0000"', files: [] }], pages: [page], files: [], notes: [] }
  const emitted: unknown[] = []
  const context = {
    environment: { config: { build } },
    addWatchFile: () => {},
    emitFile: (file: object) => {
      emitted.push(file)
      return 'mark'
    },
  }
  const session = { surroundings: { root: '/game', outDir: '/game/dist' }, bundling: async () => bundling } as unknown as PluginSession
  const code = await loadBundled(context as never, session, { kind: 'atlas', name: 'all' })
  expect(emitted).toEqual(isInlined ? [] : [{ type: 'asset', name: 'all-0.png', source: page.bytes }])
  const url = isInlined ? `data:image/png;base64,${Buffer.from(page.bytes).toString('base64')}` : '__VITE_ASSET__mark__'
  expect(JSON.parse(code)).toBe(url)
})

describe('the project of a build', () => {
  /** A session of a build whose reports are these, one after the other. */
  function open(reports: readonly object[], isBuild = true) {
    const [lines, calls]: [string[], string[]] = [[], []]
    const print = (level: string) => (line: string) => void lines.push(`${level}: ${line}`)
    const log = { info: print('info'), money: print('money'), warn: print('warn'), error: print('error') }
    const left = [...reports]
    const makeWorkshop = (async ({ waitUntil }: { readonly waitUntil?: AbortSignal }) => {
      calls.push(waitUntil ? 'open, and wait' : 'open')
      return {
        options: { engine: 'pixi', notes: ['a note'] },
        build: async ({ canMirror, onProgress }: { canMirror?: boolean; onProgress: (step: object) => void }) => {
          calls.push(canMirror ? 'build' : 'build with pixels of mirror images')
          for (const id of ['hero.walk', 'hero.run']) for (const phase of ['submitting', 'queued', 'running']) onProgress({ id, phase })
          const report = left.shift()
          if (report instanceof Error) throw report
          return { sheets, bought: [], failures: [], warnings: [], ...report }
        },
        writeTypings: async () => void calls.push('typings'),
        close: async () => void calls.push('close'),
      }
    }) as unknown as MakeWorkshop
    const surroundings = {
      root: '/game',
      base: '/',
      mode: 'production',
      envDir: false,
      envPrefix: 'VITE_',
      isBuild,
      outDir: '/game/dist',
      log,
    }
    return { session: createSession(surroundings as Surroundings, {}, { makeWorkshop }), lines, calls }
  }

  test('is made once, until it is to be made again, and closed with the last of its builds', async () => {
    const { session, calls } = open([])
    session.enter()
    session.enter()
    await Promise.all([session.bundling(), session.bundling()])
    expect(calls.splice(0)).toEqual(['open, and wait', 'build', 'typings'])
    await session.leave()
    session.renew()
    await session.bundling()
    expect(calls.splice(0)).toEqual(['build', 'typings'])
    await session.leave()
    await session.bundling()
    expect(calls).toEqual(['close', 'open, and wait', 'build', 'typings'])
    const server = open([], false)
    await server.session.workshop()
    await server.session.close()
    await server.session.close()
    expect(server.calls).toEqual(['open', 'close'])
  })

  test('tells what was bought, what is left, and warnings; how to stop stands once, before all progress', async () => {
    const balance = { words: 'Credits are left.' }
    const old = { sprites: [{ name: 'hero', file: '/game/hero.sprite.json', superseded: ['walk'] }], atlases: [] }
    const { session, lines } = open([{ sheets: old, bought: [{ id: 'hero.walk', credits: 24_000n }], balance, warnings: ['Beware.'] }])
    await session.bundling()
    expect(lines).toMatchInlineSnapshot(`
      [
        "money: Ctrl-C is safe: paid work goes on at the service, and the next build picks it up and pays nothing twice.",
        "money: hero.walk: waits for its turn at the service.",
        "money: hero.walk: is being drawn.",
        "money: hero.run: waits for its turn at the service.",
        "money: hero.run: is being drawn.",
        "money: hero.walk: bought for 2.4 credits.",
        "money: Credits are left.",
        "warn: Beware.",
        "warn: hero.walk has changed since it was bought. The bundle has the bought frames.",
      ]
    `)
  })

  test('fails at its end for purchases that failed in it, and not for those of the build before', async () => {
    const { session, calls } = open([
      { failures: [new Error('no credits')] },
      {},
      { failures: [new Error('none left')] },
      new Error('no art'),
    ])
    const infos: string[] = []
    const error = (failure: { readonly message: string }): never => {
      throw new Error(failure.message)
    }
    const context = (watchMode: boolean) => ({
      meta: { watchMode },
      error,
      info: (words: string) => void infos.push(words),
      addWatchFile: () => {},
    })
    const build = async (): Promise<void> => {
      await startBuild(context(true) as never, session)
      await endBuild({ error }, session, true)
    }
    await expect(build()).rejects.toThrow('no credits')
    await build()
    expect([calls.filter((call) => call === 'build').length, infos]).toEqual([2, ['a note', 'a note']])
    expect(calls).not.toContain('close')
    await expect(build()).rejects.toThrow('none left')
    await expect(build()).rejects.toThrow('no art')
    expect(session.failures).toEqual([])
  })

  test('that cannot be opened is closed without another error', async () => {
    const surroundings = { root: '/game', isBuild: true, log: {} } as unknown as Surroundings
    const session = createSession(surroundings, {}, { makeWorkshop: () => Promise.reject(new Error('broken')) })
    await expect(session.bundling()).rejects.toThrow('broken')
    await session.close()
  })
})
