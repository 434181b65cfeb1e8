import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { formatNames } from '../atlas/format-abilities.ts'
import { qualityLimits } from '../atlas/quality/limits.ts'
import { conformanceTable, readNamedTests } from '../scripts/conformance-table.mjs'
import { withFieldTables } from '../scripts/field-tables.mjs'
import { roomTests } from '../scripts/room-tests.mjs'
import { commandEntries, globalOptions } from '../src/cli/commands.ts'
import { clauses } from '../src/contract/clauses.ts'
import { contractChecks } from '../src/contract/suite.ts'
import { parseFaultPlan } from '../src/embedded/options/fault-plan.ts'
import { errorCodes } from '../src/errors.ts'
import { agentVariables } from '../src/host/agent-shell.ts'
import { configJsonSchema } from '../src/options/schema.ts'
import { parseSpec } from '../src/sprite-spec/parser.ts'
import { specJsonSchema } from '../src/sprite-spec/schema.ts'
import { carries } from './atlas/formats/carries.ts'
import { isNode, type Node, parseSource } from './house/source.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'MAINTAINING.md',
  'SECURITY.md',
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  ),
]
const readme = read('README.md')

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The cells of every row below a table's head, without code marks. */
function rowsBelow(page: string, head: string): string[][] {
  const lines = page.split('\n')
  const start = lines.findIndex((line) => line.startsWith('|') && cellsOf(line).join(' | ') === head)
  if (start < 0) throw new Error(`Expected a table with the head ${head}, found none.`)
  const rows = lines.slice(start + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end < 0 ? undefined : end).map(cellsOf)
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1'))
}

/** The members of a union of string literals, as its declaration spells them. */
function literalsOf(path: string, type: string): string[] {
  const { nodes } = parseSource(path, read(path))
  const declaration = nodes.find((node) => node.type === 'TSTypeAliasDeclaration' && isNode(node.id) && node.id.name === type)
  const union = declaration?.typeAnnotation as (Node & { types?: Node[] }) | undefined
  return (union?.types ?? []).map((member) => String((member.literal as Node).value))
}

/** The members of an interface, as its declaration spells them. */
function membersOf(path: string, type: string): string[] {
  const { nodes } = parseSource(path, read(path))
  const declaration = nodes.find((node) => node.type === 'TSInterfaceDeclaration' && isNode(node.id) && node.id.name === type)
  const { body } = (declaration?.body ?? { body: [] }) as unknown as { body: { key?: { name?: string } }[] }
  return body.map(({ key }) => String(key?.name))
}

test('docs/agents.md lists every variable of an agent and no other, in at most 950 words', () => {
  const page = read('docs/agents.md')
  expect(rowsBelow(page, 'variable | agent')).toEqual(Object.entries(agentVariables))
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(950)
})

describe('docs/errors.md', () => {
  const page = read('docs/errors.md')

  test('lists every error of spritewright and no other, with its exit code and meaning', () => {
    const rows = rowsBelow(page, 'code | exit | meaning | what to do')
    const told = rows.map(([code, exit, meaning]) => ({ code, exit, meaning }))
    expect(told).toEqual(Object.entries(errorCodes).map(([code, { exit, title }]) => ({ code, exit: String(exit), meaning: title })))
  })

  test('lists every error of the atlas room and no other', () => {
    const codes = literalsOf('atlas/errors.ts', 'AtlasErrorCode')
    expect(codes.length).toBeGreaterThan(0)
    expect(rowsBelow(page, 'code | meaning | what to do').map(([code]) => code)).toEqual(codes)
  })

  test('says for every error what to do', () => {
    const rows = [...rowsBelow(page, 'code | exit | meaning | what to do'), ...rowsBelow(page, 'code | meaning | what to do')]
    expect(rows.filter((row) => (row.at(-1) ?? '').length < 20)).toEqual([])
  })
})

describe('docs/money.md', () => {
  const page = read('docs/money.md')

  test('says of every exit code what it means for money', () => {
    const exits = [...new Set([0, ...Object.values(errorCodes).map(({ exit }) => exit)])].sort((a, b) => a - b).map(String)
    expect(rowsBelow(page, 'code | meaning for the request that the message names').map(([exit]) => exit)).toEqual(exits)
  })

  test('names all eleven promises, and a test for each', () => {
    const rows = rowsBelow(page, ' | promise | how it is kept | shown by')
    expect(rows.map(([name]) => name)).toEqual(Array.from({ length: 11 }, (_, index) => `I${index + 1}`))
    for (const row of rows) expect(row.at(-1)).toMatch(/\]\(\.\.\/test\/.*\.test\.ts\)/)
  })

  test('names no error code that there is not', () => {
    expect([...page.matchAll(/SW_[A-Z_]+/g)].map(([code]) => code).filter((code) => !Object.hasOwn(errorCodes, code))).toEqual([])
  })
})

describe('docs/formats.md', () => {
  const page = read('docs/formats.md')

  test('lists every format, and what each carries is what its suite finds', () => {
    const yes = (is: boolean): string => (is ? 'yes' : '–')
    const told = rowsBelow(page, 'format | read by | files | durations | anchor | nine-slice | outline | loop').map(
      ([name, , , ...rest]) => [name, ...rest],
    )
    expect(told).toEqual(
      formatNames.map((name) => {
        const { durations, anchor, borders, hull, loop } = carries[name]
        return [name, { played: 'as played', frame: 'once a frame', none: '–' }[durations], yes(anchor), yes(borders), yes(hull), yes(loop)]
      }),
    )
  })
})

describe('docs/quality.md', () => {
  const rows = rowsBelow(read('docs/quality.md'), 'fault | figure | unit | limit | why | what to do')

  test('lists every fault that the gate looks for and no other', () => {
    expect(rows.map(([fault]) => fault)).toEqual(literalsOf('atlas/quality/report.ts', 'QualityFault'))
  })

  test('names the limits that the code has', () => {
    const { footLine, bodyAnchor, leastShiftPx, scale, loopSeam, palette, halo, background, cutOff, leastContactPx } = qualityLimits
    expect(rows.map(([, , , limit]) => limit)).toEqual([
      `${footLine} × the figure size, at least ${leastShiftPx}`,
      `${bodyAnchor} × the figure size, at least ${leastShiftPx}`,
      `${scale}`,
      `${loopSeam}`,
      `${palette}`,
      `${halo}`,
      `${background}`,
      '1',
      '1',
      `${cutOff} × the longer side of the canvas, at least ${leastContactPx}`,
    ])
    const told = rows.flat().join(' ')
    expect(told).toContain(`less than ${qualityLimits.duplicate} of a usual step`)
    expect(told).toContain(`usual steps under ${qualityLimits.hardStep} %`)
    expect(told).toContain(`less than ${qualityLimits.blank} of the usual content`)
  })
})

describe('docs/faults.md', () => {
  const page = read('docs/faults.md')

  test('lists every part of a rule and no other', () => {
    expect(rowsBelow(page, 'when | which requests').map(([name]) => name)).toEqual(
      membersOf('src/embedded/options/fault-plan.ts', 'FaultMatch'),
    )
    expect(rowsBelow(page, 'do | what happens').map(([name]) => name)).toEqual(membersOf('src/embedded/options/fault-plan.ts', 'FaultDeed'))
  })

  test('shows a plan that is read', () => {
    const shown = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    expect(parseFaultPlan(shown, 'faults.json').rules).toHaveLength(3)
  })
})

describe('docs/conformance.md', () => {
  const { markdown, gaps } = conformanceTable({ clauses, checks: contractChecks, tests: readNamedTests(root) })

  test('has tests for every clause on every side that has a part in it', () => {
    expect(clauses.map(({ id }) => id)).toEqual(Array.from({ length: 42 }, (_, index) => `C${index + 1}`))
    expect(gaps).toEqual([])
  })

  test('is what "npm run maintain -- conformance" writes', () => {
    expect(read('docs/conformance.md')).toBe(markdown)
  })

  test('a clause without a test on one side, or a name that is no clause, is a gap', () => {
    const known = [
      { id: 'C1', title: 'one' },
      { id: 'C2', title: 'two', without: 'embedded service' },
    ]
    const tests = [{ side: 'client', file: 'test/service/a.test.ts', title: 'x', clauses: ['C1', 'C9'] }] as const
    expect(conformanceTable({ clauses: known, checks: [], tests }).gaps).toEqual([
      'test/service/a.test.ts names C9, which is no clause',
      'C1 has no test for the embedded service',
      'C2 has no test for the client',
    ])
  })
})

describe('CONTRIBUTING.md', () => {
  const page = read('CONTRIBUTING.md')
  const rooms = Object.values(roomTests)

  test('fits on one page of 60 lines', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })

  test('shows for each room the tests that notice faults in it', () => {
    const expected = rooms.map(({ source, tests }) => [source, tests.join(', ')])
    expect(rowsBelow(page.replaceAll('`', ''), 'source | tests')).toEqual(expected)
  })

  test('names a room for every folder of sources, and tests that exist', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [`src/${one.name}`] : []))
    expect(folders.filter((folder) => !rooms.some(({ source }) => source === folder))).toEqual([])
    const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
    const isThere = (name: string): boolean => files.some((path) => path === name || path.startsWith(`${name}.`))
    expect(rooms.flatMap(({ tests }) => tests).filter((name) => !isThere(name))).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  test('has at most 1,500 words', () => {
    const words = read('ARCHITECTURE.md')
      .split(/\s+/)
      .filter((word) => word !== '')
    expect(words.length).toBeLessThanOrEqual(1500)
  })
})

describe('docs/decisions', () => {
  const report = 'less-machinery.md'
  const names = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md' && name !== report)
  const titleOf = (name: string): string => read(`docs/decisions/${name}`).split('\n')[0]?.replace(/^# /, '') ?? ''

  test('are numbered from 1 without a gap', () => {
    expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(names.map((_, index) => index + 1))
  })

  test('are listed by their titles, in order', () => {
    const listed = [...read('docs/decisions/README.md').matchAll(/^(\d+)\. \[(.+)\]\((.+)\)$/gm)]
    expect(listed.map(([, number, title, name]) => [Number(number), title, name])).toEqual(
      names.map((name, index) => [index + 1, titleOf(name), name]),
    )
  })

  test.each([...names, report])('%s says the decision, why, what was rejected, the cost, and where the code is', (name) => {
    const page = read(`docs/decisions/${name}`)
    const parts = [...page.matchAll(/^\*\*(Decision|Why|Rejected|Cost)\.\*\* /gm)].map(([, part]) => part)
    expect(parts).toEqual(['Decision', 'Why', 'Rejected', 'Cost'])
    if (name !== report) expect(page).toMatch(/\]\(\.\.\/\.\.\/(?:atlas|plugin|src)\//)
  })
})

describe('docs/cli.md', () => {
  const page = read('docs/cli.md')
  const commands = rowsBelow(page, 'command | does')

  test('lists every command of the program and no other', () => {
    expect(commands.map(([verb]) => verb).sort()).toEqual(commandEntries.map(({ verb }) => verb).sort())
  })

  test.each(commandEntries.map((entry) => [entry.verb, entry] as const))('names every option of %s and no other', (verb, entry) => {
    const told = commands.find(([command]) => command === verb)?.[1] ?? ''
    expect(optionsIn(told)).toEqual(entry.options.flatMap(({ flags }) => optionsIn(flags)).sort())
  })

  test('names the options that every command takes', () => {
    const everywhere = page.split('\n').find((line) => line.includes('Everywhere:')) ?? ''
    const asked = globalOptions.flatMap(({ flags }) => optionsIn(flags)).filter((option) => option !== '--help' && option !== '--version')
    expect(optionsIn(everywhere)).toEqual(asked.sort())
  })

  test('lists every exit code that an error can have', () => {
    const exits = [...new Set([0, ...Object.values(errorCodes).map(({ exit }) => exit)])].sort((a, b) => a - b).map(String)
    expect(rowsBelow(page, 'exit code | means').map(([exit]) => exit)).toEqual(exits)
  })
})

describe('docs/library.md', () => {
  const page = read('docs/library.md')

  test('lists every entry of the package and no other', () => {
    const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> }
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json')
    expect(rowsBelow(page, 'entry | what').map(([entry]) => entry)).toEqual(entries.map((entry) => entry.replace(/^\./, 'spritewright')))
  })
})

describe('docs/options.md', () => {
  const page = read('docs/options.md')

  test('lists every environment variable of the program and no other', () => {
    const sources = ['src', 'plugin'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => read(join(folder, path))),
    )
    const used = new Set(sources.flatMap((text) => text.match(/\b(?:SPRITEWRIGHT_[A-Z]+(?:_[A-Z]+)*|[A-Z]+_PROXY)\b/g) ?? []))
    expect(
      rowsBelow(page, 'environment variable | meaning')
        .map(([name]) => name)
        .sort(),
    ).toEqual([...used].sort())
  })
})

describe('the tables of fields', () => {
  const schemas = { spec: specJsonSchema(), config: configJsonSchema() }

  test.each(['docs/specs.md', 'docs/options.md'])('in %s are those of the schemas (npm run maintain -- fields writes them)', (name) => {
    const page = read(name)
    expect(page).toContain('<!-- fields: ')
    expect(withFieldTables(page, schemas)).toBe(page)
  })

  // A field without a description would be missing in the tables.
  test.each(['spec', 'config'] as const)('find a description at every field of a %s', (name) => {
    expect(undescribed(schemas[name] as Field, name)).toEqual([])
  })

  interface Field {
    readonly description?: string
    readonly properties?: Readonly<Record<string, Field>>
    readonly additionalProperties?: Field
  }

  function undescribed({ description, properties, additionalProperties }: Field, path: string): string[] {
    const inner = Object.entries(properties ?? {}).flatMap(([name, field]) => undescribed(field, `${path}.${name}`))
    const entries = additionalProperties?.properties ? undescribed(additionalProperties, `${path}.*`) : []
    return description === undefined && !properties ? [path, ...inner, ...entries] : [...inner, ...entries]
  }
})

describe('the README', () => {
  test('has at most 1,200 words', () => {
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1200)
  })

  test('shows a spec that the parser reads', () => {
    const shown = [...readme.matchAll(/```jsonc\n([\s\S]*?)```/g)].map(([, text]) => text ?? '')
    expect(shown.length).toBeGreaterThan(0)
    for (const text of shown)
      expect(parseSpec(text, join(root, 'hero.sprite.json')).animations.map(({ name }) => name)).toEqual(['walk', 'idle'])
  })
})

test.each([
  ['specs.md', /draws 7 frames or more[\s\S]*"use": \[0, /],
  [
    'service.md',
    /any service that speaks the interface[\s\S]*doctor --contract[\s\S]*What a credit costs[\s\S]*How a price comes about[\s\S]*Licence/,
  ],
  ['publish.md', /itch\.io[\s\S]*`file:\/\/`, Electron, Capacitor[\s\S]*PWA[\s\S]*Vitest[\s\S]*server/],
  ['start-phaser.md', /templates for React, Vue and Svelte/],
])('docs/%s answers what a new user asks first', (page, answers) => {
  expect(read(`docs/${page}`)).toMatch(answers)
})

test.each(pages)('%s has no sentence that stopped a reader', (page) => {
  for (const words of [
    'What is neither named nor bought',
    'is the way of the approval',
    'as by every build',
    'is not bought under `approval.perSprite`',
  ])
    expect(read(page)).not.toContain(words)
})

test.each([
  ['/money.html#approvals', '/decisions/09-signed-approvals.html'],
  ['/money.html#approvals', '/api/spritewright/functions/createWorkshop.html'],
  ['/api/spritewright/functions/createWorkshop.html', '/decisions/index.html'],
])('the search of the guide shows %s before %s', async (first, second) => {
  const { boostDocument } = (await import(join(root, 'docs/.vitepress/search.mjs'))) as { boostDocument(id: string): number }
  expect(boostDocument(first)).toBeGreaterThan(boostDocument(second))
})

describe('links', () => {
  test.each(pages)('of %s lead to files that are here', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link]) => link ?? '')
    const lost = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(root, posix.join(posix.dirname(page), link))))
    expect(lost).toEqual([])
  })

  test.each(pages)('of %s lead to headings that are there', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#\s]*)#([^)]+)\)/g)].map(([, path = '', anchor = '']) => ({ path, anchor }))
    const lost = links.filter(({ path, anchor }) => {
      if (/^https?:/.test(path)) return false
      const text = read(path === '' ? page : posix.join(posix.dirname(page), path))
      return ![...text.matchAll(/^#+ (.+)$/gm)].some(([, title]) => anchorOf(title ?? '') === anchor)
    })
    expect(lost).toEqual([])
  })
})

/** Long options in a text, sorted, each once. */
function optionsIn(text: string): string[] {
  return [...new Set(text.match(/--[a-z][a-z-]*/g) ?? [])].sort()
}

/** The anchor of a heading in rendered Markdown. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-')
}
