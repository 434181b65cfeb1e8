// `npm run demo`: five small games. What they buy is bought with play money from a service on this
// machine. `-- --open [phaser|pixi|prebuild|village|squad]` then serves one; `-- --only NAME` makes only that one.
// `-- --dev [phaser|pixi|village|squad]` buys nothing: it opens a game with placeholders beside the panel, where a person buys.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, styleText } from 'node:util'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const cli = join(root, 'dist/src/cli/bin.js')
const vite = join(root, 'node_modules/vite/bin/vite.js')

/** `site` is the folder that a web server would publish. */
const examples = [
  { name: 'phaser', title: 'Meadow', made: 'Phaser 4, Vite', site: 'dist' },
  { name: 'pixi', title: 'Moonlight', made: 'PixiJS 8, Vite', site: 'dist' },
  { name: 'prebuild', title: 'Cave', made: 'Phaser 4, no bundler', site: 'public' },
  { name: 'village', title: 'Village', made: 'Phaser 4 and PixiJS 8 (pixi.html), Vite, own art too', site: 'dist' },
  { name: 'squad', title: 'Squad', made: 'Phaser 4, Vite: mirrored, recoloured, lit', site: 'dist' },
]

const { values, positionals } = parseArgs({
  options: {
    open: { type: 'boolean', default: false },
    dev: { type: 'boolean', default: false },
    port: { type: 'string', default: '4173' },
    only: { type: 'string', multiple: true },
    // The folder of the examples; the tests run the demo on a copy.
    in: { type: 'string', default: join(root, 'examples') },
  },
  allowPositionals: true,
})
const opened = examples.find(({ name }) => name === (positionals[0] ?? 'phaser'))
const unknown = values.only?.find((name) => !examples.some((example) => example.name === name))
if (unknown !== undefined) fail(`Expected the name of an example (${examples.map(({ name }) => name).join(', ')}), found "${unknown}".`)
if (!opened) fail(`Expected the name of an example (${examples.map(({ name }) => name).join(', ')}), found "${positionals[0]}".`)

const start = performance.now()
if (values.dev) await develop(opened).catch((error) => fail(error instanceof Error ? error.message : String(error)))
else await makeAll()

async function makeAll() {
  try {
    await preparePackage()
    let spent = 0n
    let credits = '0'
    for (const example of examples.filter(({ name }) => values.only?.includes(name) ?? true)) {
      const cost = await make(example)
      spent += toTenThousandths(cost)
      credits = fromTenThousandths(spent)
    }
    const paid = spent === 0n ? 'Nothing was paid: everything had been bought before' : `Together ${credits} credits of play money`
    console.log(`\n${styleText('bold', paid)}, in ${secondsSince(start)}.`)
    if (spent > 0n)
      console.log(
        'Another run buys nothing. Change an fps or a size in a spec: free. Change a prompt: a new purchase, which "plan" prices.',
      )
    if (values.open) await serve(opened)
    else {
      console.log('\nPlay:')
      for (const { name, title } of examples) console.log(`  npm run demo -- --open ${name.padEnd(9)} ${title}`)
      console.log('  npm run demo -- --dev            A game beside the panel, in which a person buys')
    }
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Makes one example from its specs to a site.
 *
 * @returns Its cost now, a decimal text.
 */
async function make(example) {
  const folder = join(values.in, example.name)
  console.log(`\n${styleText('bold', example.title)}  examples/${example.name}  ${styleText('dim', example.made)}`)
  const plan = await tell('plan', async () => {
    const report = await spritewright(folder, ['plan'])
    const missing = report.items.filter((item) => item.state !== 'bought')
    const what = missing.length === 0 ? `${counted(report.items)} are bought` : `${counted(missing)} to buy, ${report.total} credits`
    return { words: what, isComplete: missing.length === 0 }
  })
  if (!plan.isComplete)
    await tell('approve', async () => {
      const report = await spritewright(folder, ['approve', '--yes'])
      return { words: `at most ${report.total} credits, written to sprites.lock.json` }
    })
  const build = await tell('build', async () => {
    // Vite makes the atlases itself; without a bundler, the command does.
    const report = await spritewright(
      folder,
      example.site === 'dist' ? ['build', '--buy-only'] : ['build', '--out', `${example.site}/sprites`],
    )
    const paid = report.bought.length === 0 ? 'bought nothing' : `bought ${report.bought.length} for ${report.spent} credits`
    return { words: example.site === 'dist' ? paid : `${paid}, wrote ${report.written.length} files`, spent: report.spent }
  })
  if (example.site === 'dist')
    await tell('vite build', async () => {
      await run(vite, ['build', '--logLevel', 'warn'], folder)
      return { words: '' }
    })
  else cpSync(join(root, 'node_modules/phaser/dist/phaser.min.js'), join(folder, example.site, 'vendor/phaser.min.js'))
  if (example.name === 'squad') await tell('disclose', async () => ({ words: compareWithNaive(await spritewright(folder, ['disclose'])) }))
  console.log(`  ${styleText('dim', `examples/${example.name}/${example.site}/, ${sizeOf(join(folder, example.site))}`)}`)
  return build.spent
}

/** What the shown animations would cost if each mirror image and each recoloured variant were a purchase of its own. */
function compareWithNaive({ animations }) {
  const bought = animations.filter(({ purchase }) => purchase !== undefined)
  const shown = bought.map(({ frames }) => new Set(frames.map(({ frame }) => frame.slice(0, frame.lastIndexOf('/')))).size)
  const costs = bought.map(({ purchase }) => toTenThousandths(purchase.credits))
  const sum = (amounts) => fromTenThousandths(amounts.reduce((total, amount) => total + amount, 0n))
  const naive = sum(costs.map((cost, at) => cost * BigInt(shown[at])))
  return `${shown.reduce((total, count) => total + count, 0)} animations shown, ${bought.length} bought: ${sum(costs)} credits, not ${naive}`
}

/** "1 animation and 4 pictures"; a picture has one frame, a bought animation never so few. */
function counted(items) {
  const pictures = items.filter(({ frames }) => frames === 1).length
  const count = (number, what) => (number === 0 ? [] : [`${number} ${what}${number === 1 ? '' : 's'}`])
  return [...count(items.length - pictures, 'animation'), ...count(pictures, 'picture')].join(' and ')
}

/** Runs a step and prints one line for it. */
async function tell(step, work) {
  const since = performance.now()
  const outcome = await work()
  console.log(`  ${step.padEnd(11)} ${outcome.words.padEnd(52)} ${styleText('dim', secondsSince(since))}`)
  return outcome
}

async function preparePackage() {
  if (existsSync(cli)) return
  const since = performance.now()
  await run(join(root, 'scripts/build.mjs'), [], root)
  console.log(`Built the package in ${secondsSince(since)}.`)
}

/** Runs the real command line as a user would, and reads its JSON. */
async function spritewright(folder, args) {
  return JSON.parse(await run(cli, [...args, '--json'], folder))
}

/**
 * @returns The program's stdout.
 * @throws With all its output if it failed.
 */
function run(script, args, folder) {
  // Play money only: the demo gets nothing of a real account, and continuous integration may run it.
  const entries = Object.entries(process.env).filter(([name]) => name !== 'CI' && !name.startsWith('SPRITEWRIGHT_'))
  const env = { ...Object.fromEntries(entries), NO_COLOR: '1' }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let all = ''
    child.stdout.on('data', (part) => {
      stdout += part
      all += part
    })
    child.stderr.on('data', (part) => {
      all += part
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(stdout)
      else reject(new Error(`${[script.slice(root.length + 1), ...args].join(' ')} ended with ${code}:\n${all}`))
    })
  })
}

/** Starts the dev server of one example until Ctrl-C, and opens the game and the panel where there is a screen. */
async function develop({ name, title, site }) {
  if (site !== 'dist')
    throw new Error(`Expected an example with Vite (phaser, pixi, village, squad), found "${name}", which has no dev server.`)
  await preparePackage()
  const { createLogger, createServer } = await import('vite')
  const logger = createLogger()
  let panel
  const { info } = logger
  logger.info = (words, options) => {
    panel ??= /Sprites: (\S+)/.exec(words)?.[1]
    info(words, options)
  }
  const server = await createServer({
    root: join(values.in, name),
    customLogger: logger,
    server: { host: '127.0.0.1', port: Number(values.port) },
  })
  await server.listen()
  const { items } = await spritewright(join(values.in, name), ['status'])
  const isBought = items.every(({ state }) => state === 'bought')
  const next = isBought ? 'everything is bought. Edit a spec or a prompt' : 'placeholders at first. Approve them'
  console.log(`\n${title}: ${next} in the panel, and watch the game. Ctrl-C ends it.`)
  server.printUrls()
  const [game] = server.resolvedUrls?.local ?? []
  if (game !== undefined) openBrowser(game)
  if (panel !== undefined) openBrowser(panel)
}

/** Opens a page in the person's browser. Without one, the addresses above are enough. */
function openBrowser(url) {
  const [program, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform] ?? ['xdg-open']
  if (process.env.BROWSER === 'none') return
  spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

/** Serves one site on loopback until Ctrl-C. */
async function serve({ name, title, site }) {
  const { preview } = await import('vite')
  const server = await preview({
    root: join(values.in, name),
    configFile: false,
    build: { outDir: site },
    preview: { host: '127.0.0.1', port: Number(values.port) },
  })
  const url = server.resolvedUrls?.local[0] ?? ''
  const also = existsSync(join(values.in, name, 'pixi.html')) ? `, with PixiJS at ${styleText('bold', `${url}pixi.html`)},` : ''
  console.log(`\n${title} is at ${styleText('bold', url)}${also} until Ctrl-C.`)
}

function sizeOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  return `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB`
}

/** Money is never a float, not even play money. */
function toTenThousandths(credits) {
  const [whole, part = ''] = credits.split('.')
  return BigInt(whole + part.padEnd(4, '0'))
}

function fromTenThousandths(amount) {
  const digits = String(amount).padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/\.?0+$/, '')
}

function secondsSince(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
