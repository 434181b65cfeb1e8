// `npm run maintain -- owner`: writes what owner.json says into package.json, README.md and SECURITY.md. With
// `--check`, as npm runs it before it publishes, writes nothing and fails if an address is missing.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const fields = {
  repository: /^https:\/\/\S+[^/]$(?<!\.git)/,
  rawFiles: /^https:\/\/\S+[^/]$/,
  security: /^(?:\S+@\S+|https:\/\/\S+)$/,
}
const names = ['package.json', 'README.md', 'SECURITY.md']

/** What is missing in owner.json, or not as it should be. */
export function ownerProblems(owner) {
  return Object.entries(fields).flatMap(([name, form]) =>
    form.test(owner[name] ?? '')
      ? []
      : [`Expected owner.json to have an address as "${name}", found ${JSON.stringify(owner[name] ?? '')}.`],
  )
}

/** The texts of `names` with the addresses of the owner. Without an address, a text keeps what it has. */
export function withOwner(texts, { repository, rawFiles, security }) {
  const manifest = JSON.parse(texts['package.json'])
  if (repository) {
    manifest.repository = { type: 'git', url: `git+${repository}.git` }
    manifest.homepage = `${repository}#readme`
    manifest.bugs = { url: `${repository}/issues` }
  }
  const contact = security ? `Write to ${security}, in private.` : undefined
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    // Pictures only: npm shows them from elsewhere. The pages that links lead to are in the package.
    'README.md': rawFiles
      ? texts['README.md'].replace(
          /(!\[[^\]]*\]\()(?:https:[^)]*\/)?(docs\/[^)/]+\.png\))/g,
          (_, start, end) => `${start}${rawFiles}/${end}`,
        )
      : texts['README.md'],
    'SECURITY.md': contact
      ? texts['SECURITY.md'].replace(/(<!-- owner -->\n)[\s\S]*?(\n<!-- end -->)/, (_, start, end) => `${start}${contact}${end}`)
      : texts['SECURITY.md'],
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const owner = JSON.parse(readFileSync(join(root, 'owner.json'), 'utf8'))
  const problems = ownerProblems(owner)
  const texts = Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]))
  const wanted = withOwner(texts, owner)
  for (const name of names.filter((one) => wanted[one] !== texts[one])) {
    if (process.argv.includes('--check'))
      problems.push(`Expected ${name} to have the addresses of owner.json. Run: npm run maintain -- owner`)
    else writeFileSync(join(root, name), wanted[name])
  }
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
