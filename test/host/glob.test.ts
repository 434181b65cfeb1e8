import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeGlob } from '../../src/host/glob.ts'

const everySpec = '**/*.sprite.{json,yaml,yml}'

const glob = nodeGlob()
let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'spritewright-glob-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
}

describe('every spec of a project', () => {
  test('is found in folders of any name but those that are never searched', async () => {
    write(
      ...[
        'a.sprite.json',
        'b.sprite.yaml',
        'art/[x]/(y)/c.sprite.yml',
        'art/{a,b}!/d.sprite.json',
        'Art/ä/e.sprite.json',
        'f.sprite.jsonc',
        'sprite.json',
      ],
      ...['.sprite.json', '.g.sprite.json', 'art/.hidden/h.sprite.json', 'node_modules/i.sprite.json', 'art/node_modules/j.sprite.json'],
      ...[
        'dist/k.sprite.json',
        'art/dist/l.sprite.json',
        'dist.sprite.json',
        'node_modules2/m.sprite.json',
        'folder.sprite.json/n.sprite.json',
        'A.SPRITE.JSON',
      ],
    )
    const found = await glob(root, [everySpec])
    expect(found).toEqual(
      ['Art/ä/e.sprite.json', 'a.sprite.json', 'art/[x]/(y)/c.sprite.yml', 'art/{a,b}!/d.sprite.json', 'b.sprite.yaml']
        .concat(['dist.sprite.json', 'folder.sprite.json/n.sprite.json', 'node_modules2/m.sprite.json'])
        .map((path) => join(root, path)),
    )
  })

  test('is found behind links too, of which one may lead nowhere and one in a circle', async () => {
    write('a/a.sprite.json', 'b/b.sprite.json')
    symlinkSync(join(root, 'a'), join(root, 'linked'))
    symlinkSync(join(root, 'b/b.sprite.json'), join(root, 'c.sprite.json'))
    symlinkSync(join(root, 'nowhere'), join(root, 'd.sprite.json'))
    symlinkSync(root, join(root, 'a/round'))
    const found = await glob(root, [everySpec])
    const links = ['c.sprite.json', 'linked/a.sprite.json']
    expect(found).toEqual(expect.arrayContaining(['a/a.sprite.json', 'b/b.sprite.json', ...links].map((path) => join(root, path))))
    expect(found).not.toContain(join(root, 'd.sprite.json'))
  })

  test('is not searched for in a folder that a pattern names, and one that begins with ! takes files out', async () => {
    write('art/a.sprite.json', 'art/b.sprite.json')
    expect(await glob(root, ['art'])).toEqual([])
    expect(await glob(root, ['art/*.json', '**/a.*', '!**/b.*'])).toEqual([join(root, 'art/a.sprite.json')])
  })

  test('is none in an empty folder, and in none', async () => {
    expect(await glob(root, [everySpec])).toEqual([])
    expect(await glob(join(root, 'missing'), [everySpec])).toEqual([])
  })
})
