import { formatCredits } from '../credit/credits.ts'
import { hasCode, SpritewrightError } from '../errors.ts'
import { agentShell } from '../host/agent-shell.ts'
import { describeProxies, readProxies } from '../host/net/proxies.ts'
import { readPackage } from '../options/config-files.ts'
import { findViteConfigs } from '../options/vite-configs.ts'
import type { Context } from '../project/context.ts'
import type { PlanItem } from '../project/plan.ts'
import { readRoute, type ServiceConnection } from '../project/session.ts'
import { count } from '../project/states.ts'
import { refuseTrackedRecords } from '../project/store-folder.ts'
import { type Survey, survey } from '../project/survey.ts'
import { projectName } from '../project/trust/approvers.ts'
import { sourceWords } from '../project/trust/hosts.ts'
import { projectOf } from '../project/trust/project-memory.ts'
import type { DoctorFinding } from './api/reports.ts'
import { openTrust } from './trust/trust.ts'
import { readWorkerStatus, type WorkerStatus } from './worker/status.ts'

/** Reads from the queue, once for all checks. */
type ReadStatus = () => Promise<WorkerStatus>

/** Reads specs and records, once for all checks. */
type ReadSurvey = () => Promise<Survey>

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
  let found: Promise<Survey> | undefined
  const readSurvey: ReadSurvey = () => {
    found ??= survey(context, [], {})
    return found
  }
  const checks: readonly (readonly [string, () => Promise<Found>])[] = [
    ['specs', async () => checkSpecs(await readSurvey())],
    ['engine', async () => checkEngine(context)],
    ['vite', () => checkVite(context)],
    ['key', async () => checkKey(context, session)],
    ['address', () => checkAddress(context)],
    ['touch keys', () => checkTouchKeys(context)],
    ['proxy', async () => checkProxy(context)],
    ['queue', () => checkQueue(context, readStatus)],
    ['service', () => checkService(context, session, readStatus)],
    ['journal', () => checkJournal(context, readSurvey)],
    ['shared results', () => checkSharedResults(context)],
    ['shared journal', () => checkSharedJournal(context)],
    ['clock', () => checkClock(context)],
    ['shell', async () => checkShell(context)],
  ]
  const findings: DoctorFinding[] = []
  const buysNothing = await isDrawn(context, readSurvey).catch(() => false)
  for (const [check, run] of checks) {
    if (buysNothing && ofMoney.has(check)) continue
    try {
      findings.push(...[(await run()) ?? []].flat())
    } catch (error) {
      findings.push(bad(check, error instanceof SpritewrightError ? error.code : 'failed', (error as Error).message))
    }
  }
  return findings
}

const ofMoney: ReadonlySet<string> = new Set(['key', 'address', 'touch keys', 'service', 'journal', 'clock', 'shell'])

/** Whether all art is drawn, nothing was ever bought, and neither a key nor a service is configured. */
async function isDrawn({ credentials, journal, options }: Context, readSurvey: ReadSurvey): Promise<boolean> {
  if (credentials.key || options.service !== undefined || (await journal.requests()).length > 0) return false
  const { items, own, errors } = await readSurvey()
  return items.length === 0 && own.length > 0 && errors.length === 0
}

/** What a check has found; `undefined` if it is about something that the project does not have. */
type Found = DoctorFinding | readonly DoctorFinding[] | undefined

function good(check: string, found: string): DoctorFinding {
  return { check, verdict: 'good', found, advice: '' }
}

function warning(check: string, found: string, advice: string): DoctorFinding {
  return { check, verdict: 'warning', found, advice }
}

function bad(check: string, found: string, advice: string): DoctorFinding {
  return { check, verdict: 'bad', found, advice }
}

function checkSpecs(found: Survey): Found {
  const sprites = new Set([...found.wanted, ...found.own].map(({ spec }) => spec.name)).size
  const all = [...found.items, ...found.own]
  const pictures = all.filter(({ animation }) => animation.isPicture).length
  const broken = found.errors.map(({ code, message }) => bad('specs', code, message))
  const words = `${count(sprites, 'sprite')}, ${count(all.length - pictures, 'animation')}${pictures > 0 ? `, ${count(pictures, 'picture')}` : ''}`
  const isEmpty = sprites === 0 && broken.length === 0
  const specs = isEmpty ? warning('specs', words, 'Write a first spec: npx spritewright init') : good('specs', words)
  return [...broken, specs, ...lostFinding(found.items.filter((item) => item.state === 'lost'))]
}

/** Says how to have the bought results again that are not here. Only what every one of them allows is advised. */
export function lostFinding(lost: readonly PlanItem[]): readonly DoctorFinding[] {
  if (lost.length === 0) return []
  const found = `${count(lost.length, 'bought result')} not here: ${lost.map(({ id }) => id).join(', ')}`
  // A result of the embedded service has a note.
  const elsewhere = lost.find(({ note }) => note !== undefined)
  const advice =
    elsewhere === undefined
      ? 'Fetch them again, for free: npx spritewright build'
      : `An embedded service has them only in the checkout that bought them: commit .spritewright/results/ there. Or give each up, and approve it again with play money: npx spritewright recover ${elsewhere.id} --abandon`
  return [warning('results', found, advice)]
}

function checkEngine(context: Context): Found {
  const { engine } = context.options
  if (engine) return good('engine', engine)
  const advice = "Data for Phaser and PixiJS is written. Name one: engine: 'phaser' or 'pixi' in spritewright.config."
  return warning('engine', 'none, or more than one', advice)
}

/** Checks that Vite has the plugin. Without it, the import of a spec fails with an error of Vite about JSON. */
async function checkVite({ host, options: { root } }: Context): Promise<Found> {
  const configs = await findViteConfigs(host.disk, root)
  const having = configs.filter(({ hasPlugin }) => hasPlugin)
  if (having.length > 0) return good('vite', `the plugin is in ${having.map(({ path }) => path).join(', ')}`)
  const { dependencies } = await readPackage(host.disk, root)
  if (configs.length === 0 && !dependencies.includes('vite')) return undefined
  const found = configs.length === 0 ? 'no vite.config' : `${configs.map(({ path }) => path).join(', ')} without the plugin`
  return warning('vite', found, 'A game that imports a spec needs the plugin, or the import fails. Add it: npx spritewright init')
}

function checkKey(context: Context, { isRemote }: ServiceConnection): Found {
  const { key, keySource } = context.credentials
  if (context.options.service === 'embedded') return good('key', 'none needed: the embedded service')
  if (key) return good('key', `from ${keySource ?? 'the environment'}`)
  if (isRemote) return good('key', 'none needed: the worker has it')
  const advice = 'Builds from what is bought need none. To price and buy, set SPRITEWRIGHT_API_KEY in the environment or in .env.local.'
  return warning('key', 'none', advice)
}

/** Reports which key would go to which address, and why it may. */
async function checkAddress(context: Context): Promise<Found> {
  const route = await readRoute(context)
  if (!route) return undefined
  const { origin, addressSource, key, keySource, trust } = route
  const found = `key ${key} from ${sourceWords(keySource)} → ${origin} from ${sourceWords(addressSource)} (${trust === 'none' ? 'not confirmed' : trust})`
  if (trust !== 'none') return good('address', found)
  return bad('address', found, `The key is not sent there. If that is your service: npx spritewright trust ${origin}`)
}

/** Reports whether a coding agent runs the commands, which then ask a person instead of deciding. */
function checkShell({ host }: Context): Found {
  const variable = agentShell(host.env)
  return variable === undefined ? undefined : good('shell', `This shell belongs to a coding agent: ${variable}`)
}

/** Lists the authenticators whose touches approve here, so that a person finds one that is not theirs. */
async function checkTouchKeys(context: Context): Promise<Found> {
  const lines = (await openTrust(context).touchKeys()).map(({ word, source, enrolledAt = '' }) =>
    source === 'environment' ? `${word} from SPRITEWRIGHT_TOUCH_KEYS` : `${word} enrolled ${enrolledAt.slice(0, 10)}`,
  )
  return lines.length === 0
    ? undefined
    : good('touch keys', `${lines.join(', ')}. Remove one that is not yours: npx spritewright trust --touch KEY --remove`)
}

/** Reports the proxies that requests go through. A value that cannot be read is bad. */
function checkProxy({ host }: Context): Found {
  const found = describeProxies(readProxies(host.env))
  return found === '' ? undefined : good('proxy', found)
}

/** Says whether somebody buys what is ordered. */
async function checkQueue({ options: { service } }: Context, readStatus: ReadStatus): Promise<Found> {
  if (typeof service !== 'object' || service.queue === undefined) return undefined
  const { worker, waiting } = await readStatus()
  const isActive = worker !== undefined && !worker.hasEnded
  const who = isActive ? `${worker.by} buys, last sign at ${new Date(worker.seen).toISOString()}` : 'no worker is active'
  const found = `${service.queue}, ${who}, ${count(waiting.length, 'order')} waiting`
  if (isActive) return good('queue', found)
  return warning('queue', found, 'Orders wait until a worker is active. On the machine that has the API key: npx spritewright worker')
}

async function checkService({ options, credentials }: Context, connection: ServiceConnection, readStatus: ReadStatus): Promise<Found> {
  if (connection.isRemote) {
    const { worker } = await readStatus()
    if (!worker || worker.hasEnded) return warning('service', 'not asked: no worker is active', '')
  } else if (connection.host === undefined)
    return warning('service', 'none configured', "Set SPRITEWRIGHT_BASE_URL, or service: 'embedded' to try.")
  else if (options.service !== 'embedded' && !credentials.key) return warning('service', 'not asked: no key', '')
  return askService(connection)
}

async function askService(connection: ServiceConnection): Promise<Found> {
  const { client, capabilities } = await connection.open()
  const service = `${client.host}, ${capabilities.keyMode} key, API version ${capabilities.apiVersion}`
  const operations = capabilities.operations.join(', ') || 'none'
  const balance = await client.balance()
  const credits = `${formatCredits(balance)} credits available`
  return [
    capabilities.apiVersion === '1'
      ? good('service', service)
      : warning('service', service, 'spritewright knows version 1: check every price and result.'),
    capabilities.operations.includes('sprite_sheet')
      ? good('operations', operations)
      : bad('operations', operations, 'The account cannot make sprite sheets: ask the service to enable them.'),
    balance > 0n ? good('balance', credits) : warning('balance', credits, "Add credits in the service's console before buying."),
  ]
}

async function checkJournal(context: Context, readSurvey: ReadSurvey): Promise<Found> {
  await refuseTrackedRecords(context.host, context.storeFolder)
  const found = await readSurvey()
  const open = found.items.filter((item) => item.state === 'running' || item.state === 'uncertain' || item.state === 'question')
  if (open.length > 0)
    return warning('journal', open.map((item) => `${item.id} ${item.state}`).join(', '), 'Continue it with: npx spritewright build')
  const key = await context.keys.read()
  const who = key ? `you approve and buy as ${key.fingerprint}` : 'your signing key is made at the first approval'
  return good('journal', `nothing in flight; ${who}${await projectWords(context)}`)
}

/** Names the project, for `SPRITEWRIGHT_PROJECT` of a machine that buys on approvals from elsewhere. */
async function projectWords({ host, memory, lock, keys }: Context): Promise<string> {
  const facts = await memory.read()
  const own = (await keys.read())?.fingerprint
  const project = projectName(host) ?? (facts === 'damaged' ? undefined : facts?.project) ?? projectOf(await lock.read(), own)
  return project === undefined ? '' : `; the project is ${project}`
}

/** Writes and reads the small object that is also tried before each purchase. */
async function checkSharedResults({ vault }: Context): Promise<Found> {
  const shared = vault.places.find(({ name }) => name === 'shared')?.store
  if (!shared) return undefined
  try {
    await vault.probeShared()
    return good('shared results', shared.folder)
  } catch (error) {
    const advice = `${(error as Error).message} Nothing is bought until then. A machine that only builds needs no right to write.`
    return warning('shared results', shared.folder, advice)
  }
}

/** Writes to the store of a shared journal, which probes whether it keeps what a purchase relies on. */
async function checkSharedJournal({ checkout, sharedJournal }: Context): Promise<Found> {
  if (!sharedJournal) return undefined
  const record = 'probe/doctor'
  await sharedJournal.get(record)
  try {
    await sharedJournal.putIfAbsent(record, new TextEncoder().encode('spritewright: may records be kept here?\n'))
  } catch (error) {
    if (!hasCode(error, 'SW_STORE') || (error.facts.status !== 401 && error.facts.status !== 403)) throw error
    const advice = `${error.message} This machine can build what is bought. To approve or buy it needs the right to write.`
    return warning('shared journal', sharedJournal.address, advice)
  }
  const name = await checkout.read()
  return good(
    'shared journal',
    `${sharedJournal.address}, ${name ? `journal ${name.slice(0, 8)}` : 'empty: it begins with the first approval'}`,
  )
}

/** Checks the clock. If it is behind the newest record, no replay window can be trusted. */
async function checkClock(context: Context): Promise<Found> {
  let newest = 0
  for (const hash of await context.journal.requests())
    for (const record of (await context.journal.peek(hash)).records) newest = Math.max(newest, record.at)
  const now = context.host.clock.wall()
  if (now >= newest) return good('clock', 'later than every record of the journal')
  const found = `${Math.round((newest - now) / 1000)} s behind the newest record of the journal`
  return bad('clock', found, 'Correct the clock: unanswered submissions are not replayed while it is behind.')
}
