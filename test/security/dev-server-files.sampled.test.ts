import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InlineConfig } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isOwnPath } from '../../plugin/http/middleware.ts'
import { realPath } from '../../src/host/real-path.ts'
import { type Dev, startDev } from '../plugin/server.ts'
import { type Game, openGame, openShelf, type PluginSetup, pluginOf, type Shelf, vites } from '../plugin/world.ts'

let shelf: Shelf
/** A workspace as npm makes it: `node_modules/game` is a link to `packages/game`. */
let workspace: Game
/** The game of the workspace, with all of its private files. */
let game: Game
let secrets: readonly string[]
const servers: Dev[] = []

beforeAll(async () => {
  shelf = await openShelf()
  workspace = await openGame()
  await workspace.write('package.json', '{"name":"all","private":true,"workspaces":["packages/*"]}')
  game = inside(workspace, 'packages/game')
  await cp((await shelf.game()).root, game.root, { recursive: true })
  await mkdir(workspace.path('node_modules'))
  await symlink('vault', workspace.path('link'))
  await symlink('../packages/game', workspace.path('node_modules/game'))
  await mkdir(game.path('src/links'))
  await symlink('../../.spritewright', game.path('src/links/store'))
  await symlink('../../.spritewright/ledger.jsonl', game.path('src/links/ledger.txt'))
  secrets = [...(await filesIn('.spritewright')), ...(await filesIn('node_modules/.cache/spritewright')).slice(0, 2)]
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
afterAll(async () => {
  await shelf.close()
  await workspace.remove()
})

function inside(outer: Game, folder: string): Game {
  const at = (name: string): string => `${folder}/${name}`
  return {
    root: outer.path(folder),
    path: (name) => outer.path(at(name)),
    write: (name, content) => outer.write(at(name), content),
    read: (name) => outer.read(at(name)),
    list: (name = '.') => outer.list(at(name)),
    remove: (name = '.') => outer.remove(at(name)),
  }
}

/** Files in a folder of the game, by their paths from its root. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(game.path(folder), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(game.root.length + 1))
}

async function start(load: (typeof vites)[number][1], more: InlineConfig = {}, setup: PluginSetup = {}): Promise<Dev> {
  const dev = await startDev(await load(), game, pluginOf(game, setup), more)
  servers.push(dev)
  return dev
}

const ends = ['', '?raw', '?url', '?import', '?import&raw', '?import&url', '?inline', '?url&raw', '?v=1']

describe.each(vites)('what %s gives out by a link', (_name, load) => {
  test('L2: in a workspace the journal, the ledger, paid results and the cache are not found by way of node_modules', async () => {
    const { get } = await start(load)
    const linked = workspace.path('node_modules/game')
    expect(secrets.some((secret) => secret.includes('/results/')) && secrets.some((secret) => secret.includes('/submissions/'))).toBe(true)
    const given: string[] = []
    for (const secret of [...secrets, '.spritewright/not-there-yet.json'])
      for (const path of [
        `/@fs${linked}/${secret}`,
        `/@fs/${linked}/${secret}`,
        `/@fs${linked}/src/../${secret}`,
        `/@fs${linked}/${encodeURIComponent(secret)}`,
        `/@fs${encodeURIComponent(`${linked}/${secret}`)}`,
        `/%40fs${linked}/${secret.replace('.', '%2e')}`,
        `/@id/${linked}/${secret}`,
        `/@id/@fs${linked}/${secret}`,
        `${linked}/${secret}`,
      ])
        for (const end of ends) {
          const { status } = await get(path + end)
          if (status !== 404) given.push(`${status} ${path}${end}`)
        }
    expect(given).toEqual([])
    // Other files there are served as before.
    expect(await get(`/@fs${linked}/src/main.js`)).toMatchObject({ status: 200 })
    expect(await get(`/@fs${linked}/package.json?raw`, { headers: { 'sec-fetch-dest': 'script' } })).toMatchObject({ status: 200 })
  })

  test('L2: a link of the project to one of its papers, or to their folder, gives out nothing', async () => {
    const { get } = await start(load)
    const given: string[] = []
    const papers = secrets.filter((secret) => secret.startsWith('.spritewright/'))
    for (const name of ['links/ledger.txt', ...papers.map((paper) => paper.replace('.spritewright', 'links/store'))])
      for (const path of [`/src/${name}`, `/@fs${game.root}/src/${name}`])
        for (const end of ends) {
          const { status } = await get(path + end)
          if (status !== 404) given.push(`${status} ${path}${end}`)
        }
    expect(given).toEqual([])
  })

  test('L2: a vault that the projects of a workspace share is given out neither by its name nor by a link', async () => {
    await workspace.write('vault/results/a.zip', 'paid')
    const { get } = await start(load, {}, { options: { store: { shared: '../../vault' } } })
    for (const folder of ['vault', 'link'])
      for (const end of ends)
        expect([folder, end, (await get(`/@fs${workspace.root}/${folder}/results/a.zip${end}`)).status]).toEqual([folder, end, 404])
  })

  test.each([false, true])(
    'L2: no module is made of them, whatever its import is called, with preserveSymlinks: %s',
    async (isPreserved) => {
      const linked = workspace.path('node_modules/game')
      const dev = await start(load, { resolve: { preserveSymlinks: isPreserved, alias: { '@papers': `${linked}/.spritewright` } } })
      const made: string[] = []
      for (const secret of secrets)
        for (const id of [
          ...[`game/${secret}`, `@papers/${secret.replace('.spritewright/', '')}`, `${linked}/${secret}`, `/@fs${linked}/${secret}`],
          ...['/src/links/ledger.txt', `${game.root}/src/links/ledger.txt`, `../${secret}`],
        ])
          for (const end of ['?raw', '?url&raw', '?import&raw']) {
            const { client } = dev.server.environments
            const answer = await client.transformRequest(id + end).catch(() => null)
            // A name without a file makes no module either.
            if (answer) made.push(`${id}${end} ${answer.code.slice(0, 60)}`)
          }
      expect(made).toEqual([])
      // The same kinds of path lead to other files.
      for (const id of ['game/package.json?raw', `/@fs${linked}/package.json?raw`])
        expect((await dev.server.environments.client.transformRequest(id))?.code).toContain('module')
    },
  )
})

describe('paths of ours', () => {
  let folder: string
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-paths-')))
    await mkdir(join(folder, 'real/.spritewright'), { recursive: true })
    await writeFile(join(folder, 'real/.spritewright/a.json'), '')
    await symlink('real', join(folder, 'link'))
    await symlink('nowhere', join(folder, 'broken'))
    await symlink('loop', join(folder, 'loop'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('L2: a real path follows links as far as there is something; the rest stays as it is written', () => {
    const at = (name: string): string => join(folder, name)
    expect(realPath(at('link/.spritewright/a.json'))).toBe(at('real/.spritewright/a.json'))
    expect(realPath(at('link/.spritewright/new/b.json'))).toBe(at('real/.spritewright/new/b.json'))
    expect(realPath(at('link/.spritewright/a.json/c'))).toBe(at('real/.spritewright/a.json/c'))
    for (const name of ['broken/a', 'loop/a', `link/${'n'.repeat(5000)}`, `none/${'d/'.repeat(3000)}e`])
      expect(realPath(at(name))).toBe(at(name.replace('link', 'real')))
  })

  test('L2: a folder that is given as a link, or that comes to be later, is known by either name', () => {
    const root = join(folder, 'link')
    const isOwn = (url: string): boolean => isOwnPath(url, root, '/', [join(root, '.spritewright'), join(root, 'later')])
    for (const name of ['.spritewright/a.json', '.spritewright', 'later/a.json'])
      for (const start of [folder, `/@fs${folder}`, `/@id/${folder}`])
        expect([name, start, isOwn(`${start}/real/${name}`), isOwn(`${start}/link/${name}`)]).toEqual([name, start, true, true])
    expect(isOwn(`/@fs${folder}/real/src/a.json`)).toBe(false)
  })
})
