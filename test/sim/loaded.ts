import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const src = join(dirname(fileURLToPath(import.meta.url)), '../../src')

// A virtual clock does not wait for files that are being loaded. So every module that the program loads later
// is loaded before the clock starts.
const later = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('cli'))
  .flatMap((path) =>
    [...readFileSync(join(src, path), 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, to]) => join(src, dirname(path), to ?? '')),
  )
// A bundle has modules of its own, and no loader for these.
if (import.meta.url.endsWith('.ts')) for (const path of new Set(later)) await import(path)
