import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
test('the guide builds without a network, with a search and every page of the sidebar', async () => {
  await run('api.mjs')
  const said = await run(vitepress, 'build', '--outDir', folder)
  expect(said).not.toMatch(/warn|\(!\)/i)
  const path = '../docs/.vitepress/config.mjs'
  const { default: config } = (await import(path)) as {
    default: { themeConfig: { sidebar: { items: { link: string; text: string }[] }[] } }
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
})
