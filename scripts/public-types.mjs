import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The declaration files that a user's compiler reads: those of the entries, and their imports.
 *
 * @param {string} root Folder of the package.
 * @returns {Map<string, readonly string[]>} Absolute path → names of the packages that the file imports.
 */
export function readPublicTypes(root) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const found = new Map()
  const open = Object.values(exports).flatMap(({ types }) => (types ? [join(root, types)] : []))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue
    const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?['"]([^'"]+)['"]/g)].map(([, from]) => from)
    for (const from of imports) if (/^\..*\.[jt]s$/.test(from)) open.push(join(dirname(file), from.replace(/(?:\.d)?\.[jt]s$/, '.d.ts')))
    found.set(
      file,
      imports.filter((from) => !/^(?:\.|node:|virtual:)/.test(from)),
    )
  }
  return found
}

/** Deletes the other declaration files of `dist/`. They are half of all, and nobody can import them. */
export function deletePrivateTypes(root) {
  const kept = readPublicTypes(root)
  const dist = join(root, 'dist')
  for (const name of readdirSync(dist, { recursive: true })) {
    const file = join(dist, name)
    if (name.endsWith('.d.ts') && !kept.has(file)) rmSync(file)
  }
}
