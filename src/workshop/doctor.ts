import { formatCredits } from '../credit/credits.ts'
import { hasCode, SpritewrightError } from '../errors.ts'
import { describeProxies, readProxies } from '../host/net/proxies.ts'
import { readPackage } from '../options/config-files.ts'
import { findViteConfigs } from '../options/vite-configs.ts'
import type { Context } from '../project/context.ts'
import type { PlanItem } from '../project/plan.ts'
import { readRoute, type ServiceConnection } from '../project/session.ts'
import { count } from '../project/states.ts'
import { refuseTrackedRecords } from '../project/store-folder.ts'
import { survey } from '../project/survey.ts'
import { projectName } from '../project/trust/approvers.ts'
import { sourceWords } from '../project/trust/hosts.ts'
import { projectOf } from '../project/trust/project-memory.ts'
import type { DoctorFinding } from './api/reports.ts'
import { readWorkerStatus, type WorkerStatus } from './worker/status.ts'

/** Reads from the queue, once for all checks. */
type ReadStatus = () => Promise<WorkerStatus>

/**
 * Checks everything that a build needs, without spending. A check that cannot run says so, and the others
 * continue. A project that buys nothing hears nothing of money.
 */
export async function examine(context: Context, session: ServiceConnection): Promise<readonly DoctorFinding[]> {
  let status: Promise<WorkerStatus> | undefined
  const readStatus: ReadStatus = () => {
    status ??= readWorkerStatus(context)
    return status
  }
  const checks: readonly (readonly [string, () => Promise<DoctorFinding | readonly DoctorFinding[]>])[] = [
    ['specs', () => checkSpecs(context)],
    ['engine', async () => checkEngine(context)],
    ['vite', () => checkVite(context)],
    ['key', async () => checkKey(context, session)],
    ['address', () => checkAddress(context)],
    ['proxy', async () => checkProxy(context)],
    ['queue', () => checkQueue(context, readStatus)],
    ['service', () => checkService(context, session, readStatus)],
    ['journal', () => checkJournal(context)],
    ['shared results', () => checkSharedResults(context)],
    ['shared journal', () => checkSharedJournal(context)],
    ['clock', () => checkClock(context)],
  ]
  const findings: DoctorFinding[] = []
  const buysNothing = await isDrawn(context).catch(() => false)
  for (const [check, run] of checks) {
    if (buysNothing && ofMoney.has(check)) continue
    try {
      findings.push(...[await run()].flat())
    } catch (error) {
      findings.push({
        check,
        verdict: 'bad',
        found: error instanceof SpritewrightError ? error.code : 'failed',
        advice: (error as Error).message,
      })
    }
  }
  return findings
}

const ofMoney: ReadonlySet<string> = new Set(['key', 'address', 'service', 'journal', 'clock'])

/** Whether all art is drawn, nothing was ever bought, and neither a key nor a service is configured. */
async function isDrawn(context: Context): Promise<boolean> {
  const { credentials, journal, options } = context
  if (credentials.key || options.service !== undefined || (await journal.requests()).length > 0) return false
  const { items, own, errors } = await survey(context, [], {})
  return items.length === 0 && own.length > 0 && errors.length === 0
}

async function checkSpecs(context: Context): Promise<readonly DoctorFinding[]> {
  const found = await survey(context, [], {})
  const sprites = new Set([...found.wanted, ...found.own].map(({ spec }) => spec.name)).size
  const all = [...found.items, ...found.own]
  const pictures = all.filter(({ animation }) => animation.isPicture).length
  const bad = found.errors.map((error): DoctorFinding => ({ check: 'specs', verdict: 'bad', found: error.code, advice: error.message }))
  const isEmpty = sprites === 0 && bad.length === 0
  const specs: DoctorFinding = {
    check: 'specs',
    verdict: isEmpty ? 'warning' : 'good',
    found: `${count(sprites, 'sprite')}, ${count(all.length - pictures, 'animation')}${pictures > 0 ? `, ${count(pictures, 'picture')}` : ''}`,
    advice: isEmpty ? 'Write a first spec: npx spritewright init' : '',
  }
  const lost = lostFinding(found.items.filter((item) => item.state === 'lost'))
  return lost ? [...bad, specs, lost] : [...bad, specs]
}

function lostFinding(lost: readonly PlanItem[]): DoctorFinding | undefined {
  const [first] = lost
  if (!first) return undefined
  const ids = lost.map(({ id }) => id)
  return {
    check: 'results',
    verdict: 'warning',
    found: `${count(ids.length, 'bought result')} not here: ${ids.join(', ')}`,
    // A result of the embedded service has a note.
    advice: lost.every(({ note }) => note === undefined)
      ? 'Fetch them again, for free: npx spritewright build'
      : `An embedded service has them only in the checkout that bought them: commit .spritewright/results/ there. Or give each up, and approve it again with play money: npx spritewright recover ${first.id} --abandon`,
  }
}

function checkEngine(context: Context): DoctorFinding {
  const { engine } = context.options
  if (engine) return { check: 'engine', verdict: 'good', found: engine, advice: '' }
  return {
    check: 'engine',
    verdict: 'warning',
    found: 'none, or more than one',
    advice: "Data for Phaser and PixiJS is written. Name one: engine: 'phaser' or 'pixi' in spritewright.config.",
  }
}

/** Checks that Vite has the plugin. Without it, the import of a spec fails with an error of Vite about JSON. */
async function checkVite({ host, options: { root } }: Context): Promise<readonly DoctorFinding[]> {
  const configs = await findViteConfigs(host.disk, root)
  const having = configs.filter(({ hasPlugin }) => hasPlugin)
  if (having.length > 0)
    return [{ check: 'vite', verdict: 'good', found: `the plugin is in ${having.map(({ path }) => path).join(', ')}`, advice: '' }]
  const { dependencies } = await readPackage(host.disk, root)
  if (configs.length === 0 && !dependencies.includes('vite')) return []
  const found = configs.length === 0 ? 'no vite.config' : `${configs.map(({ path }) => path).join(', ')} without the plugin`
  return [
    {
      check: 'vite',
      verdict: 'warning',
      found,
      advice: 'A game that imports a spec needs the plugin, or the import fails. Add it: npx spritewright init',
    },
  ]
}

function checkKey(context: Context, { isRemote }: ServiceConnection): DoctorFinding {
  const { key, keySource } = context.credentials
  if (context.options.service === 'embedded')
    return { check: 'key', verdict: 'good', found: 'none needed: the embedded service', advice: '' }
  if (key) return { check: 'key', verdict: 'good', found: `from ${keySource ?? 'the environment'}`, advice: '' }
  if (isRemote) return { check: 'key', verdict: 'good', found: 'none needed: the worker has it', advice: '' }
  return {
    check: 'key',
    verdict: 'warning',
    found: 'none',
    advice: 'Builds from what is bought need none. To price and buy, set SPRITEWRIGHT_API_KEY in the environment or in .env.local.',
  }
}

/** Reports which key would go to which address, and why it may. */
async function checkAddress(context: Context): Promise<readonly DoctorFinding[]> {
  const route = await readRoute(context)
  if (!route) return []
  const { origin, addressSource, key, keySource, trust } = route
  const found = `key ${key} from ${sourceWords(keySource)} → ${origin} from ${sourceWords(addressSource)} (${trust === 'none' ? 'not confirmed' : trust})`
  if (trust !== 'none') return [{ check: 'address', verdict: 'good', found, advice: '' }]
  return [
    {
      check: 'address',
      verdict: 'bad',
      found,
      advice: `The key is not sent there. If that is your service: npx spritewright trust ${origin}`,
    },
  ]
}

/** Reports the proxies that requests go through. A value that cannot be read is bad. */
function checkProxy({ host }: Context): readonly DoctorFinding[] {
  const found = describeProxies(readProxies(host.env))
  return found === '' ? [] : [{ check: 'proxy', verdict: 'good', found, advice: '' }]
}

/** Says whether somebody buys what is ordered. */
async function checkQueue({ options: { service } }: Context, readStatus: ReadStatus): Promise<readonly DoctorFinding[]> {
  if (typeof service !== 'object' || service.queue === undefined) return []
  const { worker, waiting } = await readStatus()
  const isActive = worker !== undefined && !worker.hasEnded
  const who = isActive ? `${worker.by} buys, last sign at ${new Date(worker.seen).toISOString()}` : 'no worker is active'
  return [
    {
      check: 'queue',
      verdict: isActive ? 'good' : 'warning',
      found: `${service.queue}, ${who}, ${count(waiting.length, 'order')} waiting`,
      advice: isActive ? '' : 'Orders wait until one is. On the machine that has the API key: npx spritewright worker',
    },
  ]
}

async function checkService(context: Context, connection: ServiceConnection, readStatus: ReadStatus): Promise<readonly DoctorFinding[]> {
  if (connection.isRemote) {
    const { worker } = await readStatus()
    if (!worker || worker.hasEnded) return [{ check: 'service', verdict: 'warning', found: 'not asked: no worker is active', advice: '' }]
    return askService(connection)
  }
  if (connection.host === undefined || (context.options.service !== 'embedded' && !context.credentials.key)) {
    return [
      {
        check: 'service',
        verdict: 'warning',
        found: connection.host === undefined ? 'none configured' : 'not asked: no key',
        advice: connection.host === undefined ? "Set SPRITEWRIGHT_BASE_URL, or service: 'embedded' to try." : '',
      },
    ]
  }
  return askService(connection)
}

async function askService(connection: ServiceConnection): Promise<readonly DoctorFinding[]> {
  const { client, capabilities } = await connection.open()
  const isKnown = capabilities.apiVersion === '1'
  const canAnimate = capabilities.operations.includes('sprite_sheet')
  const balance = await client.balance()
  return [
    {
      check: 'service',
      verdict: isKnown ? 'good' : 'warning',
      found: `${client.host}, ${capabilities.keyMode} key, API version ${capabilities.apiVersion}`,
      advice: isKnown ? '' : 'spritewright knows version 1: look at every price and result twice.',
    },
    {
      check: 'operations',
      verdict: canAnimate ? 'good' : 'bad',
      found: capabilities.operations.join(', ') || 'none',
      advice: canAnimate ? '' : 'The account cannot make sprite sheets: ask the service to enable them.',
    },
    {
      check: 'balance',
      verdict: balance > 0n ? 'good' : 'warning',
      found: `${formatCredits(balance)} credits available`,
      advice: balance > 0n ? '' : "Add credits in the service's console before buying.",
    },
  ]
}

async function checkJournal(context: Context): Promise<DoctorFinding> {
  await refuseTrackedRecords(context.host, context.storeFolder)
  const found = await survey(context, [], {})
  const open = found.items.filter((item) => item.state === 'running' || item.state === 'uncertain' || item.state === 'question')
  const key = await context.keys.read()
  if (open.length === 0)
    return {
      check: 'journal',
      verdict: 'good',
      found: `nothing in flight; ${key ? `you approve and buy as ${key.fingerprint}` : 'your signing key is made at the first approval'}${await projectWords(context)}`,
      advice: '',
    }
  return {
    check: 'journal',
    verdict: 'warning',
    found: open.map((item) => `${item.id} ${item.state}`).join(', '),
    advice: 'Pick it up with: npx spritewright build',
  }
}

/** Names the project, for `SPRITEWRIGHT_PROJECT` of a machine that buys on approvals from elsewhere. */
async function projectWords({ host, memory, lock, keys }: Context): Promise<string> {
  const facts = await memory.read()
  const own = (await keys.read())?.fingerprint
  const project = projectName(host) ?? (facts === 'damaged' ? undefined : facts?.project) ?? projectOf(await lock.read(), own)
  return project === undefined ? '' : `; the project is ${project}`
}

/** Writes and reads the small object that is also tried before each purchase. */
async function checkSharedResults({ vault }: Context): Promise<readonly DoctorFinding[]> {
  const shared = vault.places.find(({ name }) => name === 'shared')?.store
  if (!shared) return []
  const finding = { check: 'shared results', found: shared.folder }
  try {
    await vault.probeShared()
    return [{ ...finding, verdict: 'good', advice: '' }]
  } catch (error) {
    const advice = `${(error as Error).message} Nothing is bought until then. A machine that only builds needs no right to write.`
    return [{ ...finding, verdict: 'warning', advice }]
  }
}

/** Writes to the store of a shared journal, which probes whether it keeps what a purchase relies on. */
async function checkSharedJournal({ checkout, sharedJournal }: Context): Promise<readonly DoctorFinding[]> {
  if (!sharedJournal) return []
  const record = 'probe/doctor'
  await sharedJournal.get(record)
  try {
    await sharedJournal.putIfAbsent(record, new TextEncoder().encode('spritewright: may records be kept here?\n'))
  } catch (error) {
    if (!hasCode(error, 'SW_STORE') || (error.facts.status !== 401 && error.facts.status !== 403)) throw error
    const advice = `${error.message} This machine can build what is bought. To approve or buy it needs the right to write.`
    return [{ check: 'shared journal', verdict: 'warning', found: sharedJournal.address, advice }]
  }
  const name = await checkout.read()
  const found = `${sharedJournal.address}, ${name ? `journal ${name.slice(0, 8)}` : 'empty: it begins with the first approval'}`
  return [{ check: 'shared journal', verdict: 'good', found, advice: '' }]
}

/** Checks the clock. If it is behind the newest record, no replay window can be trusted. */
async function checkClock(context: Context): Promise<DoctorFinding> {
  let newest = 0
  for (const hash of await context.journal.requests())
    for (const record of (await context.journal.peek(hash)).records) newest = Math.max(newest, record.at)
  const now = context.host.clock.wall()
  if (now >= newest) return { check: 'clock', verdict: 'good', found: 'later than every record of the journal', advice: '' }
  return {
    check: 'clock',
    verdict: 'bad',
    found: `${Math.round((newest - now) / 1000)} s behind the newest record of the journal`,
    advice: 'Set the clock right: unanswered submissions are not replayed while it is behind.',
  }
}
