import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'jsonc-parser'
import { format } from 'prettier'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { commandEntries, globalOptions } from '../src/cli/commands.ts'
import { parseSpec } from '../src/sprite-spec/parser.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const skills = readdirSync(join(root, 'skills')).map((name) => `skills/${name}/SKILL.md`)
const docs = readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))
const pages = ['README.md', ...docs, ...skills]

interface Snippet {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly text: string
}

function snippetsOf(page: string): Snippet[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n')
  const found: Snippet[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', language] = /^( *)```([a-z]+)$/.exec(lines[at]!) ?? []
    if (language === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, at)
    found.push({ page, line: at + 1, language, text: lines.slice(at + 1, end).join('\n') })
    at = end
  }
  return found
}

/** Snippets that name a file in their first line are written and run by test/e2e/start-pages.sampled.test.ts. */
const isFile = ({ text }: Snippet): boolean => /^(?:\/\/|<!--) \S+\.\w+(?: -->)?\n/.test(text)
const all = pages.flatMap(snippetsOf)
const snippets = all.filter((one) => !isFile(one))
const of = (...languages: string[]): [string, Snippet][] =>
  snippets.flatMap((one) => (languages.includes(one.language) ? [[`${one.page}:${one.line}`, one] as [string, Snippet]] : []))

describe('skills', () => {
  test.each(skills)('%s says in its head what it is and when it helps, and is short', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
    expect(head).toContain(`name: ${page.split('/')[1]}\n`)
    expect(/^description: .{40,400}$/m.test(head)).toBe(true)
    expect(/Use it|Read it/.test(head)).toBe(true)
    expect(text.split(/\s+/).length).toBeLessThan(600)
  })

  test.each(skills)('every page that %s names is in the package', (page) => {
    const named = [...readFileSync(join(root, page), 'utf8').matchAll(/`(docs\/[a-z]+\.md)`/g)].map(([, path]) => path!)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

describe('snippets', () => {
  test.each(of('json', 'jsonc').filter(([, { text }]) => text.includes('"reference"')))(
    'the spec at %s is read by the parser',
    (_, { text }) => {
      expect(Object.keys(parseSpec(text, '/game/sprites/hero.sprite.json').animations).length).toBeGreaterThan(0)
    },
  )

  test('each is in a language that a test reads; whole files are on the start pages', () => {
    // The last two are run by test/worker/recipes.full.test.ts.
    const known = ['ts', 'json', 'jsonc', 'yaml', 'sh', 'ini', 'systemd', 'dockerfile']
    expect(snippets.filter(({ language }) => !known.includes(language)).map(({ page, line }) => `${page}:${line}`)).toEqual([])
    const elsewhere = all.filter((one) => isFile(one) && !one.page.startsWith('docs/start-'))
    expect(elsewhere.map(({ page, line }) => `${page}:${line}`)).toEqual([])
  })

  test.each(of('yaml'))('the YAML at %s has no mistake', (_, { text }) => {
    expect(parseDocument(text).errors).toEqual([])
  })

  test.each(of('ini'))('the variables at %s are those of the documentation', (_, { text }) => {
    const known = readFileSync(join(root, 'docs/options.md'), 'utf8')
    for (const line of text.split('\n')) expect(known).toContain(`\`${line.split('=')[0]}\``)
  })

  test.each(of('json', 'jsonc'))('the JSON at %s has no mistake', (_, { text }) => {
    const errors: never[] = []
    parse(text, errors, { allowTrailingComma: true })
    expect(errors).toEqual([])
  })

  test.each(pages)('every command and option that %s names after "npx spritewright" exists', (page) => {
    const calls = [
      ...readFileSync(join(root, page), 'utf8').matchAll(/npx spritewright ([a-z]+)((?: +(?:[A-Za-z./"{}<>-][\w./"{}<>,:-]*))*)/g),
    ]
    const unknown = calls.flatMap(([whole, verb, rest = '']) => {
      const entry = commandEntries.find((one) => one.verb === verb || one.verb.startsWith(`${verb} `))
      if (!entry) return [whole]
      const entries = commandEntries.filter((one) => one.verb === verb || one.verb.startsWith(`${verb} `))
      const known = [...entries.flatMap((one) => one.options), ...globalOptions].map(({ flags }) => flags).join(' ')
      return [...rest.matchAll(/--[a-z][a-z-]*/g)].flatMap(([option]) => (known.includes(option) ? [] : [whole]))
    })
    expect(unknown).toEqual([])
  })
})

/** How the official templates of the engines are written; that of PixiJS checks it with Prettier's defaults. */
const templateStyles = [
  { engine: 'PixiJS', page: 'docs/start-pixi.md', imports: /from ['"](?:pixi\.js|spritewright\/pixi)['"]/, style: {} },
  {
    engine: 'Phaser',
    page: 'docs/start-phaser.md',
    imports: /from ['"](?:phaser|spritewright\/phaser)['"]/,
    style: { singleQuote: true, tabWidth: 4, printWidth: 140 },
  },
]

test.each(templateStyles)('code for $engine is in the style of its official template', async ({ page, imports, style }) => {
  const code = all.filter((one) => one.language === 'ts' && (one.page === page || imports.test(one.text)))
  expect(code.length).toBeGreaterThan(4)
  for (const one of code)
    expect(await format(one.text, { ...style, parser: 'typescript' }), `${one.page}:${one.line}`).toBe(`${one.text}\n`)
})

describe('TypeScript', () => {
  let folder: string
  beforeAll(async () => {
    // Inside the package, so that its own name leads to what was built.
    folder = await mkdtemp(join(root, 'test', '.snippets-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  test('every snippet has no type error', async () => {
    const code = of('ts')
    expect(code.length).toBeGreaterThan(15)
    await mkdir(join(folder, 'src'))
    for (const [index, [, { text }]] of code.entries()) {
      const given =
        /\bworkshop\b/.test(text) && !/(?:const|let) workshop\b/.test(text)
          ? "declare const workshop: import('spritewright').Workshop\n"
          : ''
      await writeFile(join(folder, 'src', `snippet-${index}.ts`), `${given}${text}\nexport {}\n`)
    }
    const options = {
      target: 'ES2023',
      lib: ['ES2023', 'DOM'],
      module: 'ESNext',
      moduleResolution: 'bundler',
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: ['spritewright/client', 'node'],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }))
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const told = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false']).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    )
    const named = told.replace(/^.*snippet-(\d+)\.ts/gm, (_, index: string) => code[Number(index)]![0])
    expect(named).toBe('')
  })
})
