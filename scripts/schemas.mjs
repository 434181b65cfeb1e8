import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes the JSON Schemas for editors, from the built package. The paths of these files are in specs, so they are
 * short and never change.
 *
 * @param {string} root The repository.
 */
export async function writeSchemas(root) {
  const { specJsonSchema, configJsonSchema, lockJsonSchema } = await import('../dist/src/index.js')
  mkdirSync(join(root, 'schemas'), { recursive: true })
  const schemas = { sprite: specJsonSchema(), config: configJsonSchema(), lock: lockJsonSchema() }
  for (const [name, schema] of Object.entries(schemas))
    writeFileSync(join(root, 'schemas', `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`)
}
