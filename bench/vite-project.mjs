import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { measureProcess } from './measure.mjs'
import { makeProject, projectEnv } from './project.mjs'

const here = import.meta.dirname
const timed = pathToFileURL(join(here, 'timed-hooks.mjs')).href
const page = '<!doctype html><title>game</title><script type="module" src="/main.js"></script>'

/**
 * One game twice: its sprites by the plugin, and as files that lie in `public/` and are only copied.
 *
 * @param sheets Folder of an atlas as `spritewright build` writes it.
 * @returns By name, how `vite build` is measured.
 */
export function makeViteGames(size, corpus, cache, sheets) {
  const folder = (name) => join(cache, `vite-${name}-${size}`)
  const own = addViteGame(makeProject(corpus, folder('plugin')))
  const plain = folder('public')
  rmSync(plain, { recursive: true, force: true })
  mkdirSync(join(plain, 'public'), { recursive: true })
  cpSync(sheets, join(plain, 'public/sprites'), { recursive: true })
  writeFileSync(join(plain, 'package.json'), JSON.stringify({ name: 'game', private: true, type: 'module' }))
  writeFileSync(join(plain, 'index.html'), page)
  writeFileSync(join(plain, 'main.js'), "console.log(await (await fetch('/sprites/pack.json')).json())\n")
  writeFileSync(join(plain, 'vite.config.js'), "export default { logLevel: 'warn' }\n")
  return { plugin: () => viteBuild(own), public: () => viteBuild(plain) }
}

/** Makes a Vite game of a project. @returns The same folder. */
export function addViteGame(folder) {
  // By its name, as users do: what is named by a path becomes a part of the configuration, which Vite bundles at every start.
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(here, '..'), join(folder, 'node_modules/spritewright'), 'junction')
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'main.js'), "import { sprites } from 'virtual:spritewright'\nconsole.log(sprites)\n")
  writeFileSync(
    join(folder, 'vite.config.js'),
    `import spritewright from 'spritewright/vite'\nimport { timed } from '${timed}'\nexport default { logLevel: 'warn', plugins: timed(spritewright()) }\n`,
  )
  return folder
}

/** A whole `vite build`, and what the plugin's hooks tell of themselves where it has them. */
async function viteBuild(cwd) {
  const run = await measureProcess({ script: join(here, '../node_modules/vite/bin/vite.js'), args: ['build'], cwd, env: projectEnv })
  const told = /^hooks (.+)$/m.exec(run.stdout)?.[1]
  return { ...run, ...(told === undefined ? {} : JSON.parse(told)) }
}
