import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files in which packages state their licence. */
const licence = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i

/** Collects the packages in bundles, and writes the notices that their licences require. */
export function collectNotices() {
  const packages = new Map()
  return {
    /** Plugin for Rolldown that sees the modules of a bundle. */
    plugin: {
      name: 'notices',
      generateBundle(_, bundle) {
        for (const chunk of Object.values(bundle)) {
          if (chunk.type !== 'chunk') continue
          for (const [id, { renderedLength }] of Object.entries(chunk.modules)) if (renderedLength > 0) add(packages, id)
        }
      },
    },
    write(file) {
      const sections = [...packages]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { manifest, text }]) => {
          return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text}\n`
        })
      writeFileSync(
        file,
        `Parts of these packages are in the files of this folder, under their own licences.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`,
      )
    },
  }
}

function add(packages, id) {
  const found = /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id)
  if (!found) return
  const home = found[1]
  if (packages.has(home)) return
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const names = readdirSync(home).filter((file) => licence.test(file))
  if (names.length === 0) throw new Error(`Expected ${manifest.name} to bring its licence, found none in ${dirname(id)}.`)
  packages.set(home, { manifest, text: names.map((name) => readFileSync(join(home, name), 'utf8').trim()).join('\n\n') })
}
