// npm run maintain -- conformance: writes the table of clauses × sides × tests into docs/conformance.md. Exits with 1 if
// a clause has no test on a side that it concerns.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'
import { conformanceTable, readNamedTests } from './conformance-table.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// The sources themselves, because dist/ may be older.
const jiti = createJiti(import.meta.url, { moduleCache: false, fsCache: false })
const { clauses } = /** @type {typeof import('../src/contract/clauses.ts')} */ (await jiti.import('../src/contract/clauses.ts'))
const { contractChecks: checks } = /** @type {typeof import('../src/contract/suite.ts')} */ (await jiti.import('../src/contract/suite.ts'))
const tests = readNamedTests(root)
const { markdown, gaps } = conformanceTable({ clauses, checks, tests })
writeFileSync(join(root, 'docs/conformance.md'), markdown)

const counted = (/** @type {string} */ id, /** @type {string} */ side) =>
  tests.filter((test) => test.side === side && test.clauses.includes(id)).length
for (const { id, title, without } of clauses) {
  const inSuite = checks.filter(({ clause }) => clause === id).length
  const cell = (/** @type {string} */ side, /** @type {number} */ count) =>
    (count === 0 && without === side ? '–' : String(count)).padStart(3)
  console.log(
    `${id.padEnd(4)} client ${cell('client', counted(id, 'client'))}   embedded ${cell('embedded service', counted(id, 'embedded service') + inSuite)}   ${title}`,
  )
  if (!process.argv.includes('--tests')) continue
  for (const test of tests.filter((one) => one.clauses.includes(id)))
    console.log(`       ${test.side === 'client' ? 'client  ' : 'embedded'}  ${test.file}: ${test.title}`)
  for (const check of checks.filter(({ clause }) => clause === id)) console.log(`       embedded  contract suite: ${check.title}`)
}
for (const gap of gaps) console.error(`✗ ${gap}`)
console.log(`${clauses.length} clauses, ${gaps.length === 0 ? 'no gap' : `${gaps.length} gap(s)`}; docs/conformance.md is written.`)
process.exitCode = gaps.length === 0 ? 0 : 1
