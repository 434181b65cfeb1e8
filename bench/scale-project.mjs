import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createJiti } from 'jiti'

// dist/ lacks code that no user of the package needs, so these are the sources themselves.
const jiti = createJiti(import.meta.url)
const load = (path) => jiti.import(`../${path}`)
const { signApproval } = await load('src/credit/approval.ts')
const { nodeHost } = await load('src/host/host.ts')
const { askedFields, idempotencyKey } = await load('src/job/order.ts')
const { signSubmission } = await load('src/job/body.ts')
const { resolveOptions } = await load('src/options/options.ts')
const { openContext } = await load('src/project/context.ts')
const { parseSpec } = await load('src/spec/parser.ts')
const { requestHash } = await load('src/spec/key.ts')
const { toSheetRequest } = await load('src/spec/request.ts')
const { sha256 } = await load('src/vault/objects.ts')
const { defaultShapes } = await load('src/embedded/http/shapes.ts')
const { quickMakers } = await load('test/kit/quick-makers.ts')
const { figurePng } = await load('test/kit/project.ts')

/** No request ever goes to the project's service: port 9 would refuse. */
const host = '127.0.0.1:9'
const identity = { host, keyMode: 'test', apiVersion: '1' }
/** Sprites in one atlas group, and in one folder. */
const perGroup = 20
const framesOfSprite = 7

/** The environment of a project that {@link makeScaleProject} made. Users' state is outside of their projects. */
export function scaleEnv(folder) {
  return { SPRITEWRIGHT_BASE_URL: `http://${host}`, XDG_STATE_HOME: `${folder}.state` }
}

/**
 * Makes a game with many bought sprites, in atlas groups of 20. The makers of the tests draw a result for each.
 * Vault, journal with its second copy, and lock file are written by the product's own functions, through a disk
 * that flushes nothing.
 *
 * @param folder Kept: a project of an earlier run is used again.
 * @param sprites Number of specs.
 * @param others `stored`: further results that are only in the store, as from other branches. `earlier`:
 * further purchases of the same sprites, with records and lock entries, as from earlier prompts.
 */
export async function makeScaleProject(folder, sprites, { stored = 0, earlier = 0 } = {}) {
  if (existsSync(join(folder, 'made'))) return
  for (const one of [folder, `${folder}.state`]) rmSync(one, { recursive: true, force: true })
  writeGame(folder)
  const context = openProject(folder)
  const picture = figurePng()
  const purchases = []
  for (let index = 0; index < sprites; index++) {
    const name = `sprite${String(index).padStart(5, '0')}`
    const group = `group${String(Math.floor(index / perGroup)).padStart(3, '0')}`
    const file = join(folder, 'sprites', group, `${name}.sprite.json`)
    if (index % perGroup === 0) write(join(dirname(file), 'reference.png'), picture)
    const text = JSON.stringify({
      reference: './reference.png',
      prompt: `a small figure, number ${index}`,
      atlas: group,
      animations: { walk: { frames: framesOfSprite } },
    })
    write(file, text)
    const spec = parseSpec(text, file)
    const request = toSheetRequest(spec, spec.animations[0], { kind: 'file', sha256: sha256(picture) })
    purchases.push(request)
    const before = Math.floor((earlier * (index + 1)) / sprites) - Math.floor((earlier * index) / sprites)
    for (let round = 0; round < before; round++) purchases.push({ ...request, prompt: `${request.prompt}, idea ${round}` })
  }
  const changes = []
  for (const request of purchases) changes.push(await buy(context, request))
  await context.lock.changeAll(changes)
  for (let index = 0; index < stored; index++) await context.vault.put(await draw(`a stored figure, number ${index}`))
  writeFileSync(join(folder, 'made'), '')
}

/** Edits the prompt of every tenth sprite, so that it is no longer bought, or takes the edit back. */
export function editEveryTenth(folder, sprites, isEdited) {
  for (let index = 0; index < sprites; index += 10) {
    const name = `sprite${String(index).padStart(5, '0')}.sprite.json`
    const file = join(folder, 'sprites', `group${String(Math.floor(index / perGroup)).padStart(3, '0')}`, name)
    const spec = JSON.parse(readFileSync(file, 'utf8'))
    const prompt = spec.prompt.replace(/, edited$/, '')
    writeFileSync(file, JSON.stringify({ ...spec, prompt: isEdited ? `${prompt}, edited` : prompt }))
  }
}

function writeGame(folder) {
  write(join(folder, 'package.json'), JSON.stringify({ name: 'game', private: true, type: 'module', dependencies: { phaser: '^4.0.0' } }))
  write(join(folder, 'index.html'), '<!doctype html><title>game</title><script type="module" src="/main.js"></script>')
  const imports = Array.from({ length: perGroup }, (_, index) => {
    const name = `sprite${String(index).padStart(5, '0')}`
    return `import ${name} from './sprites/group000/${name}.sprite.json'\nconsole.log(${name})\n`
  })
  write(join(folder, 'main.js'), imports.join(''))
  write(join(folder, 'vite.config.js'), "import spritewright from 'spritewright/vite'\nexport default { plugins: [spritewright()] }\n")
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(import.meta.dirname, '..'), join(folder, 'node_modules/spritewright'), 'junction')
}

function openProject(root) {
  const machine = nodeHost()
  const disk = { ...machine.disk, sync: async () => {}, syncFolder: async () => {} }
  const env = scaleEnv(root)
  const ports = { ...machine, disk, env, stateFolder: join(env.XDG_STATE_HOME, 'spritewright') }
  const options = resolveOptions({ service: { baseUrl: env.SPRITEWRIGHT_BASE_URL } }, { root, isCi: false, dependencies: ['phaser'] })
  return openContext(ports, options, {}, { name: 'game', configSource: 'the bench' })
}

/** Stores a result and its records as a purchase does. Returns the change of the lock file. */
async function buy({ keys, checkout, journal, vault }, request) {
  const hash = requestHash(request, identity)
  const key = await keys.readOrMake()
  const at = new Date(1_760_000_000_000).toISOString()
  const approval = signApproval(key, hash, identity, {
    ceiling: 24_000n,
    priceVersion: '1',
    at,
    given: 'typed',
    checkout: await checkout.readOrMake(),
  })
  const body = JSON.stringify({ operation: 'sprite_sheet', prompt: request.prompt, frames: request.frames, background: request.background })
  const submission = signSubmission(key, hash, {
    attempt: 1,
    key: idempotencyKey(identity, hash, 1),
    body,
    bodySha256: sha256(new TextEncoder().encode(body)),
    maxCredits: '2.4',
  })
  const bytes = await draw(request.prompt)
  const result = { sha256: await vault.put(bytes), bytes: bytes.length }
  const executionId = `exec_${hash.slice(0, 24)}`
  const { buyer, given, checkout: name, publicKey, signature } = approval
  const frozen = { ...submission, ceiling: '2.4', priceVersion: '1', approvedAt: at }
  const records = [
    ['frozen', { ...frozen, approvedBy: { buyer, given, checkout: name, publicKey, signature } }],
    ['sent', { attempt: 1, send: 1, keyTag: hash.slice(0, 16) }],
    ['accepted', { attempt: 1, executionId, conversationId: null }],
    ['completed', { attempt: 1, executionId, downloadUrl: `http://${host}/${executionId}`, contentType: 'application/zip', review: null }],
    ['stored', { attempt: 1, executionId, ...result }],
  ]
  let view = await journal.read(hash)
  for (const [type, record] of records) view = await journal.append(hash, view, type, record)
  const entry = {
    service: identity,
    asked: askedFields(request),
    approval: { ...approval, ceiling: '2.4' },
    submission,
    execution: { id: executionId, conversation: null },
    result,
  }
  return { id: request.id, hash, change: () => entry }
}

async function draw(prompt) {
  const tools = { names: defaultShapes.names, jobMs: 0, earlier: 0, readPicture: async () => undefined, onStep: async () => {} }
  return (await quickMakers({ size: 16 }).sheet({ frames: framesOfSprite, background: 'remove' }, prompt, tools)).bytes
}

function write(file, content) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
