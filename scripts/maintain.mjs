// npm run maintain -- NAME [arguments]: what only a maintainer runs. Without a name, lists the names.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Each name with its purpose and its commands, which run in order. The last one gets the arguments. */
const tasks = {
  conformance: { does: 'writes docs/conformance.md: which test shows which clause', run: [['scripts/conformance.mjs']] },
  docs: {
    does: 'serves the guide on this machine, with the API reference',
    run: [
      ['scripts/install-extras.mjs', 'docs'],
      ['docs/api.mjs'],
      ['docs/node_modules/vitepress/bin/vitepress.js', 'dev', 'docs', '--host', '127.0.0.1'],
    ],
  },
  download: { does: 'bytes of pages beside other packers, all through one encoder; a quarter of an hour', run: [['bench/download.mjs']] },
  fields: { does: 'writes the tables of fields in the guide from the schemas', run: [['scripts/fields.mjs']] },
  fuzz: { does: 'strange archives and pictures for the readers, for --minutes M', run: [['scripts/fuzz.mjs']] },
  hot: { does: 'time from a saved spec to changed pixels; needs a quiet machine', run: [['bench/hot.mjs']] },
  'kill-ten': { does: 'the real CLI, killed ten times while it buys', run: [['scripts/kill-ten.mjs']] },
  mutation: { does: 'plants small faults and counts how many the tests notice', run: [['scripts/mutation.mjs']] },
  owner: { does: 'writes the addresses of owner.json into package.json, README.md and SECURITY.md', run: [['scripts/owner.mjs']] },
  packed: { does: 'draws the pages of all packers: docs/packed.png', run: [['bench/picture.mjs']] },
  pictures: { does: 'takes docs/panel*.png', run: [['scripts/build.mjs'], ['scripts/take-panel.mjs']] },
  templates: { does: 'the official templates of Phaser and PixiJS, as the README says', run: [['scripts/templates.mjs']] },
}
const [name, ...args] = process.argv.slice(2)
const task = tasks[name]
if (!task) {
  if (name !== undefined) console.error(`Expected a name from this list, found "${name}".`)
  for (const [known, { does }] of Object.entries(tasks)) console.log(`npm run maintain -- ${known.padEnd(12)} ${does}`)
  process.exitCode = name === undefined ? 0 : 2
} else {
  for (const [index, words] of task.run.entries()) {
    const rest = index === task.run.length - 1 ? args : []
    const { status } = spawnSync(process.execPath, [...words, ...rest], { cwd: root, stdio: 'inherit' })
    process.exitCode = status ?? 1
    if (status !== 0) break
  }
}
