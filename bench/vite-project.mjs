import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { measureProcess } from './measure.mjs'
import { makeProject, projectEnv } from './project.mjs'

const here = import.meta.dirname
const timed = pathToFileURL(join(here, 'timed-hooks.mjs')).href
const page = '<!doctype html><title>game</title><script type="module" src="/main.js"></script>'

/** The smallest plugin that gives files to the bundler: it reads them, and checks nothing. */
const bare = (folder) => `import { readdirSync, readFileSync } from 'node:fs'
const sheets = ${JSON.stringify(folder)}
const bare = {
  name: 'bare',
  resolveId: { filter: { id: /^virtual:bare$/ }, handler: (id) => id },
  load: {
    filter: { id: /^virtual:bare$/ },
    handler() {
      const urls = readdirSync(sheets).map((name) => 'import.meta.ROLLUP_FILE_URL_' + this.emitFile({ type: 'asset', name, source: readFileSync(sheets + '/' + name) }))
      return 'export default [' + urls.join(', ') + ']'
    },
  },
}
`

/**
 * A game of Phaser and a bare page, each in three variants: its sprites come from the plugin, or are files in
 * `public/` that are only copied, or are files that a plugin of a few lines gives to the bundler.
 *
 * @param sheets Folder of an atlas as `spritewright build` writes it.
 * @returns By name, how `vite build` is measured: `game`, `page`, each with `, plugin`, `, public` or `, bare
 * plugin`.
 */
export function makeViteGames(size, corpus, cache, sheets) {
  const games = {}
  for (const [name, engine] of [
    ['game', "import { Game } from 'phaser'\nconsole.log(Game)\n"],
    ['page', ''],
  ]) {
    const own = addViteGame(makeProject(corpus, join(cache, `vite-${name}-plugin-${size}`)), engine)
    const plain = join(cache, `vite-${name}-public-${size}`)
    rmSync(plain, { recursive: true, force: true })
    mkdirSync(join(plain, 'public'), { recursive: true })
    cpSync(sheets, join(plain, 'public/sprites'), { recursive: true })
    writeFileSync(join(plain, 'package.json'), JSON.stringify({ name: 'game', private: true, type: 'module' }))
    writeGame(plain, `${engine}console.log(await (await fetch('/sprites/pack.json')).json())\n`)
    const emitting = join(cache, `vite-${name}-bare-${size}`)
    rmSync(emitting, { recursive: true, force: true })
    cpSync(sheets, join(emitting, 'sprites'), { recursive: true })
    writeFileSync(join(emitting, 'package.json'), JSON.stringify({ name: 'game', private: true, type: 'module' }))
    writeGame(emitting, `${engine}import urls from 'virtual:bare'\nconsole.log(urls)\n`, {
      code: bare(join(emitting, 'sprites')),
      plugins: '[bare]',
    })
    games[`${name}, plugin`] = () => viteBuild(own)
    games[`${name}, public`] = () => viteBuild(plain)
    games[`${name}, bare plugin`] = () => viteBuild(emitting)
  }
  return games
}

/**
 * Makes a Vite game of a project, with the plugin.
 *
 * @param engine Lines that begin its script.
 * @returns The same folder.
 */
export function addViteGame(folder, engine = '') {
  writeGame(folder, `${engine}import { sprites } from 'virtual:spritewright'\nconsole.log(sprites)\n`, {
    code: "import spritewright from 'spritewright/vite'\n",
    plugins: 'spritewright()',
  })
  return folder
}

/** @param plugin Lines of the configuration that import it, and the value of its `plugins`. */
function writeGame(folder, main, { code, plugins } = { code: '', plugins: '[]' }) {
  // By their names, as users do. A package that is named by a path becomes a part of the configuration, which
  // Vite bundles at every start.
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(here, '..'), join(folder, 'node_modules/spritewright'), 'junction')
  symlinkSync(join(here, '../node_modules/phaser'), join(folder, 'node_modules/phaser'), 'junction')
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'main.js'), main)
  writeFileSync(
    join(folder, 'vite.config.js'),
    `${code}import { timed } from '${timed}'\nexport default { logLevel: 'error', plugins: timed(${plugins}) }\n`,
  )
}

/** A whole `vite build`, and the times of the plugin's hooks if there are any. */
async function viteBuild(cwd) {
  const run = await measureProcess({ script: join(here, '../node_modules/vite/bin/vite.js'), args: ['build'], cwd, env: projectEnv })
  const told = /^hooks (.+)$/m.exec(run.stdout)?.[1]
  return { ...run, ...(told === undefined ? {} : JSON.parse(told)) }
}
