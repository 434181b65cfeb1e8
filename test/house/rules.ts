import { posix } from 'node:path'
import type { Violation } from './rooms.ts'
import { isNode, lineOf, type Node, nameOf, propertyOf, type Source } from './source.ts'

/** A law of the house. Returns its violations. */
export type Rule = (sources: readonly Source[]) => Violation[]

/** Money leaves by one door: only one file may call a `submit`. */
export const onlyPurchaseSubmits: Rule = (sources) =>
  inNodes(sources, (source, node) => {
    const callee = node.callee
    if (node.type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression' || propertyOf(callee) !== 'submit')
      return undefined
    return source.path === 'src/job/purchase.ts' ? undefined : 'calls submit, which only src/job/purchase.ts may'
  })

/**
 * Modules of Node that touch the world; `node:crypto`, `node:zlib`, `node:path`, `node:url` are pure except
 * for the names below.
 */
const worldModules =
  /^(?:node:)?(?:fs|fs\/promises|http|https|http2|net|tls|dns|dgram|os|process|child_process|worker_threads|cluster|readline|readline\/promises|timers|timers\/promises|perf_hooks|tty)$|^undici(?:\/.*)?$/
const randomNames = ['randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync', 'webcrypto', 'getRandomValues']
const worldCalls = new Set([
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'Date.now',
  'performance.now',
  'Math.random',
  'crypto.randomUUID',
  'crypto.getRandomValues',
])
const worldClasses = new Set(['WebSocket', 'EventSource', 'XMLHttpRequest'])
/**
 * These files may touch the world directly. `src/cli/bin.ts` starts and ends the process. Browser code receives
 * no `Host`.
 */
const ownWorld = /^src\/host\/|^src\/cli\/bin\.ts$|^plugin\/(?:runtime|panel)\//

/** `src/host/` passes in clock, disk, network, randomness, timers and the process. */
export const onlyHostTouchesTheWorld: Rule = (sources) => {
  const inside = sources.filter(({ path }) => !ownWorld.test(path))
  const imports = inside.flatMap((source) =>
    source.imports.flatMap(({ specifier, isType, names, start }) => {
      const random = /^(?:node:)?crypto$/.test(specifier) ? names.filter((name) => randomNames.includes(name)) : []
      const found = worldModules.test(specifier) ? specifier : random.join(', ')
      return isType || found === '' ? [] : [at(source, start, `imports ${found}, which only src/host/ may`)]
    }),
  )
  return [...imports, ...inNodes(inside, (_, node) => worldTouch(node))]
}

function worldTouch(node: Node): string | undefined {
  const callee = nameOf(node.callee)?.replace(/^globalThis\./, '')
  if (node.type === 'CallExpression' && callee !== undefined && worldCalls.has(callee)) return `calls ${callee}, which only src/host/ may`
  if (node.type === 'CallExpression' && callee === 'Date') return 'asks Date for the time, which only src/host/ may'
  if (node.type === 'NewExpression' && callee === 'Date' && (node.arguments as unknown[]).length === 0)
    return 'makes a Date of now, which only src/host/ may'
  if (node.type === 'NewExpression' && callee !== undefined && worldClasses.has(callee))
    return `opens a ${callee}, which only src/host/ may`
  if (node.type === 'MemberExpression' && /^(?:globalThis\.)?process$/.test(nameOf(node.object) ?? ''))
    return `reads process.${propertyOf(node)}, which only src/host/ may`
  return undefined
}

/** `any` turns the compiler off. */
export const noAny: Rule = (sources) => inNodes(sources, (_, node) => (node.type === 'TSAnyKeyword' ? 'says any' : undefined))

/** A thing has one name everywhere. The plugin's entry is the exception that Vite's users expect. */
export const noDefaultExport: Rule = (sources) =>
  inNodes(sources, (source, node) => {
    if (source.path === 'plugin/index.ts') return undefined
    const exported = node.type === 'ExportSpecifier' && isNode(node.exported) ? (node.exported.name ?? node.exported.value) : undefined
    return node.type === 'ExportDefaultDeclaration' || exported === 'default' ? 'has a default export' : undefined
  })

/** A library does not end its host's process. */
export const noProcessExit: Rule = (sources) =>
  inNodes(sources, (source, node) =>
    node.type === 'CallExpression' && nameOf(node.callee) === 'process.exit' && source.path !== 'src/cli/bin.ts'
      ? 'ends the process, which only src/cli/bin.ts may'
      : undefined,
  )

/** Money is a `bigint`, because a float would round it. */
export const noFloatMoney: Rule = (sources) =>
  inNodes(
    sources.filter(({ path }) => /^src\/(?:credit|job)\//.test(path)),
    (_, node) => {
      const callee = node.type === 'CallExpression' ? nameOf(node.callee) : undefined
      return callee !== undefined && /^(?:Number|parseFloat|Number\.parseFloat)$/.test(callee) ? `calls ${callee} among money` : undefined
    },
  )

/** Every exported function and class has a docstring, which says what its types cannot. */
export const exportsAreDocumented: Rule = (sources) =>
  sources.flatMap((source) =>
    source.body.flatMap((node, index) => {
      const name = node.type === 'ExportNamedDeclaration' ? functionName(node.declaration) : undefined
      // Only the first of several overloads has a docstring.
      const before = source.body[index - 1]
      if (name === undefined || (before !== undefined && functionName(before.declaration) === name)) return []
      const comment = source.comments.findLast(({ end }) => end <= node.start)
      const isDocumented =
        comment?.value.startsWith('*') === true &&
        source.text.slice(comment.end, node.start).trim() === '' &&
        comment.value.trim().length > 3
      return isDocumented ? [] : [at(source, node.start, `exports ${name} without a doc comment`)]
    }),
  )

function functionName(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (['FunctionDeclaration', 'TSDeclareFunction', 'ClassDeclaration'].includes(node.type)) return nameOf(node.id)
  const declared = node.type === 'VariableDeclaration' ? (node.declarations as Node[])[0] : undefined
  const isFunction = isNode(declared?.init) && ['ArrowFunctionExpression', 'FunctionExpression'].includes(declared.init.type)
  return isFunction ? nameOf(declared?.id) : undefined
}

/** Files longer than this many lines. */
export function longerThan(lines: number): Rule {
  return (sources) =>
    sources.flatMap(({ path, text }) => {
      const count = text.replace(/\n$/, '').split('\n').length
      return count > lines ? [{ at: path, found: `has ${count} lines, more than ${lines}` }] : []
    })
}

/** A file is named after its noun. These names collect everything else. */
export const noGrabBags: Rule = (sources) =>
  sources.flatMap(({ path }) =>
    /^(?:utils?|types?|helpers?|common|misc|shared|constants)$/.test(posix.basename(path).replace(/\..*$/, ''))
      ? [{ at: path, found: 'is named for nothing in particular' }]
      : [],
  )

function inNodes(sources: readonly Source[], find: (source: Source, node: Node) => string | undefined): Violation[] {
  return sources.flatMap((source) =>
    source.nodes.flatMap((node) => {
      const found = find(source, node)
      return found === undefined ? [] : [at(source, node.start, found)]
    }),
  )
}

function at(source: Source, offset: number, found: string): Violation {
  return { at: `${source.path}:${lineOf(source, offset)}`, found }
}
