import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'vitepress'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spritewright-docs-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

const root = join(import.meta.dirname, '..')

// The API reference fails on a comment that links to a name which is not there, and VitePress on a link to a page or a heading that is not there.
test('the guide builds without a network, with a search and every page of the sidebar', { timeout: 180_000 }, async () => {
  await promisify(execFile)(process.execPath, ['api.mjs'], { cwd: join(root, 'docs') })
  await build(join(root, 'docs'), { outDir: folder })
  const path = '../docs/.vitepress/config.mjs'
  const { default: config } = (await import(path)) as {
    default: { themeConfig: { sidebar: { items: { link: string; text: string }[] }[] } }
  }
  const pages = config.themeConfig.sidebar.flatMap(({ items }) => items)
  expect(pages.length).toBeGreaterThan(15)
  for (const { link, text } of pages) {
    const page = await readFile(join(folder, `${link}.html`), 'utf8')
    expect(page, `${text} at ${link}`).toContain('<h1')
    expect(page).not.toMatch(/(?:src|href)="https?:\/\/(?!github\.com)[^"]*\.(?:js|css|woff2?)"/)
  }
})
