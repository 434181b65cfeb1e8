import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ownerProblems, withOwner } from '../scripts/owner.mjs'

const root = join(import.meta.dirname, '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const texts = { 'package.json': read('package.json'), 'README.md': read('README.md'), 'SECURITY.md': read('SECURITY.md') }
const own = JSON.parse(read('owner.json')) as Parameters<typeof ownerProblems>[0]
const filled = {
  repository: 'https://git.example.com/team/spritewright',
  rawFiles: 'https://git.example.com/team/spritewright/raw/HEAD',
  security: 'security@example.com',
}

describe('owner.json', () => {
  test('is the place from which package.json, README and SECURITY get their addresses', () => {
    const made = withOwner(texts, filled)
    expect(JSON.parse(made['package.json'])).toMatchObject({
      repository: { type: 'git', url: 'git+https://git.example.com/team/spritewright.git' },
      homepage: 'https://git.example.com/team/spritewright#readme',
      bugs: { url: 'https://git.example.com/team/spritewright/issues' },
    })
    const pictures = [...made['README.md'].matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map(([, path = '']) => path)
    expect(pictures.length).toBeGreaterThan(1)
    expect(pictures.filter((path) => !path.startsWith(`${filled.rawFiles}/docs/`))).toEqual([])
    expect(made['SECURITY.md']).toContain('\nWrite to security@example.com, in private.\n')
    expect(withOwner(made, filled)).toEqual(made)
    const moved = { ...filled, rawFiles: 'https://other.example.com/raw' }
    expect(withOwner(made, moved)['README.md']).toContain('](https://other.example.com/raw/docs/hero.png)')
  })

  test('is what the files of the repository follow', () => {
    expect(withOwner(texts, own)).toEqual(texts)
  })

  test('holds a release up until it is filled in', () => {
    expect(ownerProblems(filled)).toEqual([])
    expect(ownerProblems({ ...filled, security: '' })).toEqual(['Expected owner.json to have an address as "security", found "".'])
    const { prepublishOnly } = (JSON.parse(texts['package.json']) as { scripts: Record<string, string> }).scripts
    expect(prepublishOnly).toBe('node scripts/owner.mjs --check')
    const { status } = spawnSync(process.execPath, (prepublishOnly ?? '').split(' ').slice(1), { cwd: root })
    expect(status).toBe(ownerProblems(own).length === 0 ? 0 : 1)
  })

  test('SECURITY.md is in the package', () => {
    expect((JSON.parse(texts['package.json']) as { files: string[] }).files).toContain('SECURITY.md')
  })
})
