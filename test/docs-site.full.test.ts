import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spritewright-docs-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

const root = join(import.meta.dirname, '..')
const vitepress = join(root, 'docs/node_modules/vitepress/bin/vitepress.js')

/** Runs a script as `npm run maintain -- docs` does. A test's own NODE_ENV would make Vue warn of its development build. */
async function run(script: string, ...args: string[]): Promise<string> {
  const { NODE_ENV: _, ...env } = process.env
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, ...args], { cwd: join(root, 'docs'), env })
  return `${stdout}${stderr}`
}

// The API reference fails on a comment that links to a name which is not there, and VitePress on a link to a page or a heading that is not there.
test('the guide builds without a network, with every page of the sidebar, and a search that shows pages for users first', async () => {
  await run('api.mjs')
  const said = await run(vitepress, 'build', '--outDir', folder)
  expect(said).not.toMatch(/warn|\(!\)/i)
  const path = '../docs/.vitepress/config.mjs'
  const { default: config } = (await import(path)) as {
    default: {
      themeConfig: {
        sidebar: { items: { link: string; text: string }[] }[]
        search: { options: { miniSearch: { searchOptions: object } } }
      }
    }
  }
  const pages = config.themeConfig.sidebar.flatMap(({ items }) => items)
  expect(pages.length).toBeGreaterThan(15)
  for (const { link, text } of pages) {
    const page = await readFile(join(folder, `${link}.html`), 'utf8')
    expect(page, `${text} at ${link}`).toContain('<h1')
    // A plain static server knows no page without its ending.
    const inside = [...page.matchAll(/href="(\/[^"#?]*)/g)].map(([, to = '']) => (to.endsWith('/') ? `${to}index.html` : to))
    for (const to of new Set(inside)) expect(await stat(join(folder, to)).catch(() => undefined), `${link} → ${to}`).toBeDefined()
    // Files of the repository are no pages of the site.
    expect(page).not.toMatch(/href="(?:\.\.\/)+(?:src|plugin|atlas|test|examples)\//)
    expect(page).not.toMatch(/(?:src|href)="https?:\/\/(?!github\.com)[^"]*\.(?:js|css|woff2?)"/)
  }

  const chunks = join(folder, 'assets/chunks')
  const [index = ''] = (await readdir(chunks)).filter((name) => name.startsWith('@localSearchIndexroot'))
  const miniSearch = '../docs/node_modules/minisearch/dist/es/index.js'
  const { default: MiniSearch } = (await import(miniSearch)) as {
    default: { loadJSON(json: string, options: object): { search(query: string): { id: string }[] } }
  }
  const { default: json } = (await import(pathToFileURL(join(chunks, index)).href)) as { default: string }
  // The options of VitePress' own search box, and the site's.
  const options = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] }
  const usual = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } }
  const search = MiniSearch.loadJSON(json, {
    ...options,
    searchOptions: { ...usual, ...config.themeConfig.search.options.miniSearch.searchOptions },
  })
  for (const query of ['approval', 'ceiling', 'placeholder', 'cache', 'recover', 'reference chain', 'signed approvals', 'quality']) {
    const found = search.search(query).map(({ id }) => id)
    expect(found.length, query).toBeGreaterThan(5)
    expect(
      found.slice(0, 5).filter((id) => id.startsWith('/decisions/')),
      query,
    ).toEqual([])
  }
  const home = await readFile(join(folder, 'start.html'), 'utf8')
  expect(home, 'the function that ranks, in the site').toContain('boostDocument')
})
