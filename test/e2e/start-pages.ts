import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './game.ts'

/** The first line of a snippet that is a file: `// src/game.ts`, `<!-- index.html -->`. */
const head = /^(?:\/\/|<!--) (\S+\.\w+)(?: -->)?$/

/** The files that a page of the guide tells a reader to write, by their paths. */
export function filesOfPage(page: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(repository, 'docs', page), 'utf8')
  const files: Record<string, string> = {}
  for (const [, , code = ''] of text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [first = ''] = code.split('\n', 1)
    const path = head.exec(first)?.[1]
    if (path === undefined) continue
    if (files[path] !== undefined) throw new Error(`Expected ${path} once in docs/${page}, found it twice.`)
    // A browser takes a comment before the doctype for old HTML.
    files[path] = path.endsWith('.html') ? code.slice(first.length + 1) : code
  }
  return files
}
