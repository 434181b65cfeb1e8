// Shows which tests cover which clause of the service's interface, for the client and for the embedded
// service.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of test/ whose tests are about the client. */
const clientFolders = ['service', 'money', 'cli', 'plugin', 'e2e', 'spec', 'atlas', 'build', 'job', 'vault', 'credit', 'sim']
/** Folders whose tests are about the service. The contract suite belongs here too, by its list of checks. */
const embeddedFolders = ['embedded']
const suiteFolder = 'service/contract'
const suiteFile = 'test/service/contract/suite.test.ts'

/**
 * Every test whose name begins with clauses, such as `C3, C14: …`.
 *
 * @param {string} root
 */
export function readNamedTests(root) {
  const folder = join(root, 'test')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith(`${suiteFolder}/`))
    .sort()
  return files.flatMap((path) => {
    const side = sideOf(path)
    if (side === undefined) return []
    const text = readFileSync(join(folder, path), 'utf8')
    return [...text.matchAll(/(['"`])((?:[CIN]\d+, ?)*[CIN]\d+): ((?:(?!\1).)*)\1/g)].map(([, , named = '', title = '']) => ({
      side,
      file: `test/${path}`,
      title,
      clauses: named.split(/, ?/),
    }))
  })
}

/** @param {string} path */
function sideOf(path) {
  const folder = path.split('/')[0] ?? ''
  if (embeddedFolders.includes(folder)) return /** @type {const} */ ('embedded service')
  return clientFolders.includes(folder) ? /** @type {const} */ ('client') : undefined
}

/**
 * The table of clauses × sides × test files, and its gaps.
 *
 * @param {{ clauses: readonly { id: string, title: string, without?: string }[], checks: readonly { clause:
 * string, title: string }[], tests: readonly { side: string, file: string, title: string, clauses: readonly
 * string[] }[] }} known
 */
export function conformanceTable({ clauses, checks, tests }) {
  const shown = [...tests, ...checks.map(({ clause, title }) => ({ side: 'embedded service', file: suiteFile, title, clauses: [clause] }))]
  /** @type {string[]} */
  const gaps = []
  /** @type {(clause: { id: string, title: string, without?: string }, side: string) => string} */
  const cell = ({ id, without }, side) => {
    const files = [...new Set(shown.filter((test) => test.side === side && test.clauses.includes(id)).map(({ file }) => file))].sort()
    if (files.length === 0 && without === side) return '–'
    if (files.length === 0) gaps.push(`${id} has no test for the ${side}`)
    return files.map((file) => `[${shortName(file)}](../${file})`).join(' · ')
  }
  const known = new Set(clauses.map(({ id }) => id))
  for (const { file, clauses: named } of shown)
    for (const id of named) if (id.startsWith('C') && !known.has(id)) gaps.push(`${file} names ${id}, which is no clause`)
  const rows = clauses.map(
    (clause) => `| ${clause.id} | ${clause.title} | ${cell(clause, 'client')} | ${cell(clause, 'embedded service')} |`,
  )
  const markdown = [
    '# Conformance',
    '',
    'This page lists every promise of the service’s interface and the test files that show it, for our client and for the embedded service. The name of a test begins with its clauses.',
    '',
    '`npm run maintain -- conformance` writes this page, and fails if a clause lacks a test. “–” means that the side has no part in the clause. `npm run maintain -- conformance --tests` prints the tests themselves.',
    '',
    '| clause | about | client | embedded service |',
    '| ------ | ----- | ------ | ---------------- |',
    ...rows,
    '',
  ].join('\n')
  return { markdown, gaps }
}

/** @param {string} file */
function shortName(file) {
  return file
    .replace(/^test\//, '')
    .replace(/(?:\.(?:sampled|full))?\.test\.ts$/, '')
    .replace(/^service\/contract\/suite$/, 'contract suite')
}
