// npm run maintain -- fields: writes the tables of fields into docs/specs.md and docs/options.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'
import { withFieldTables } from './field-tables.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// The sources themselves, because dist/ may be older.
const jiti = createJiti(import.meta.url, { moduleCache: false, fsCache: false })
const { specJsonSchema } = /** @type {typeof import('../src/sprite-spec/schema.ts')} */ (await jiti.import('../src/sprite-spec/schema.ts'))
const { configJsonSchema } = /** @type {typeof import('../src/options/schema.ts')} */ (await jiti.import('../src/options/schema.ts'))
for (const name of ['docs/specs.md', 'docs/options.md']) {
  const page = readFileSync(join(root, name), 'utf8')
  writeFileSync(join(root, name), withFieldTables(page, { spec: specJsonSchema(), config: configJsonSchema() }))
  console.log(`${name} is written.`)
}
