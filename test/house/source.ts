import { parseSync } from 'vite'

/** A node of the syntax tree, with the fields that the rules need (ESTree with TypeScript's own nodes). */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** One import, re-export, dynamic import or `import('…')` type of a file. */
export interface Import {
  /** The specifier as written, for example `../errors.ts` or `node:fs`. */
  readonly specifier: string
  /**
   * Whether the compiler erases the import. Such an import has a direction, but does nothing when the program
   * runs.
   */
  readonly isType: boolean
  readonly isDynamic: boolean
  /** Imported names, before `as`; `*` and `default` are listed as such. */
  readonly names: readonly string[]
  readonly start: number
}

/** One parsed file of the house. */
export interface Source {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly body: readonly Node[]
  /** Every node of the tree, parents before children. */
  readonly nodes: readonly Node[]
  readonly comments: readonly { readonly value: string; readonly start: number; readonly end: number }[]
  readonly imports: readonly Import[]
}

/**
 * Parses one TypeScript file. Throws if it cannot be parsed, so that no rule passes because it saw nothing.
 */
export function parseSource(path: string, text: string): Source {
  const parsed = parseSync(path, text)
  if (parsed.errors.length > 0) throw new Error(`${path} cannot be parsed: ${parsed.errors[0]?.message}`)
  const program = parsed.program as unknown as Node & { body: Node[] }
  const nodes = [...within(program)]
  return { path, text, body: program.body, nodes, comments: parsed.comments, imports: nodes.flatMap(toImports) }
}

/** The 1-based line of an offset. */
export function lineOf(source: Source, offset: number): number {
  return source.text.slice(0, offset).split('\n').length
}

/**
 * `a.b` for a plain member expression of two identifiers, `a` for an identifier. Returns `undefined` for
 * anything else.
 */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Identifier') return node.name as string
  if (node.type !== 'MemberExpression' && node.type !== 'StaticMemberExpression') return undefined
  const object = nameOf(node.object)
  const property = propertyOf(node)
  return object === undefined || property === undefined ? undefined : `${object}.${property}`
}

/** The property that a member expression reads, also written as `a['b']`. */
export function propertyOf(node: Node): string | undefined {
  const property = node.property
  if (!isNode(property)) return undefined
  if (property.type === 'Literal') return typeof property.value === 'string' ? property.value : undefined
  return node.computed === true ? undefined : (property.name as string | undefined)
}

/** Whether a value of a node's field is a syntax node. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function* within(node: Node): Generator<Node> {
  yield node
  for (const field of Object.values(node)) {
    if (isNode(field)) yield* within(field)
    else if (Array.isArray(field)) for (const item of field) if (isNode(item)) yield* within(item)
  }
}

function toImports(node: Node): Import[] {
  const specifier = isNode(node.source) && typeof node.source.value === 'string' ? node.source.value : undefined
  if (specifier === undefined) return []
  const parts = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : []
  const isErased = (part: Node): boolean => part.importKind === 'type' || part.exportKind === 'type'
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return [
        {
          specifier,
          isType: isErased(node) || (parts.length > 0 && parts.every(isErased)),
          isDynamic: false,
          names: parts.filter((part) => !isErased(part)).map(importedName),
          start: node.start,
        },
      ]
    case 'ImportExpression':
      return [{ specifier, isType: false, isDynamic: true, names: ['*'], start: node.start }]
    case 'TSImportType':
      return [{ specifier, isType: true, isDynamic: false, names: [], start: node.start }]
    default:
      return []
  }
}

function importedName(part: Node): string {
  if (part.type === 'ImportDefaultSpecifier') return 'default'
  if (part.type === 'ImportNamespaceSpecifier') return '*'
  const name = part.type === 'ExportSpecifier' ? part.local : part.imported
  return isNode(name) ? String(name.name ?? name.value) : '*'
}
