import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeGlob } from '../../src/host/glob.ts'
import { findSpecs, readSpecs, tryReadSpec } from '../../src/sprite-spec/scan.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { toUtf16, windowsTexts } from '../kit/windows-texts.ts'
import { specText } from './issues.ts'

const ports = { disk: nodeDisk(), glob: nodeGlob() }
const standard = ['**/*.sprite.{json,yaml,yml}']
let root: string

beforeEach(() => {
  // A folder with a dot above the root must not hide the project.
  root = join(mkdtempSync(join(tmpdir(), '.spritewright-')), 'my [game]')
  mkdirSync(root)
})
afterEach(() => rmSync(dirname(root), { recursive: true }))

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('specs are found anywhere but in node_modules, dist and dot folders, sorted', async () => {
  const right = ['a.sprite.yml', 'b/c.sprite.json', 'b/d.sprite.yaml']
  const wrong = [
    'dist/x.sprite.json',
    'b/node_modules/p/x.sprite.json',
    '.cache/x.sprite.json',
    'b/.git/x.sprite.json',
    'b/plain.json',
    'x.sprite.txt',
  ]
  for (const path of [...right, ...wrong]) write(path, specText())
  expect(await findSpecs(ports.glob, root, standard)).toEqual(right.map((path) => join(root, path)))
})

test('folders above the project are no folders of own art, whatever they are called', async () => {
  root = join(root, 'art.sprites/hero.frames')
  const files = ['a.aseprite', 'hud.sprites/icons/heart.png', 'b.png']
  for (const path of files) write(path, 'x')
  const found = await findSpecs(ports.glob, root, ['**/*'])
  root = dirname(dirname(root))
  expect(found.map((file) => relative(root, file))).toEqual(['a.aseprite', 'hud.sprites'].map((name) => `art.sprites/hero.frames/${name}`))
})

test("a project's own globs choose, also by leaving out, and only specs are taken", async () => {
  for (const path of ['art/a.sprite.json', 'art/old/b.sprite.json', 'art/c.json', 'art/d.png', 'e.sprite.json']) write(path, specText())
  expect(await findSpecs(ports.glob, root, ['art/**', '!art/old/**'])).toEqual([join(root, 'art/a.sprite.json')])
})

test('specs are sorted by name, and a bad one does not hide the others', async () => {
  write('z/alpha.sprite.json', specText())
  write('a/zeta.sprite.json', specText())
  write('a/bad.sprite.json', specText({ extrude: 99 }))
  write('a/bytes.sprite.json', Uint8Array.of(0x7b, 0xff, 0x7d))
  const { specs, errors } = await readSpecs(ports, root, standard)
  expect(specs.map(({ name }) => name)).toEqual(['alpha', 'zeta'])
  expect(errors.map(({ code, facts }) => [code, facts.file])).toEqual([
    ['SW_SPEC', join(root, 'a/bad.sprite.json')],
    ['SW_SPEC', join(root, 'a/bytes.sprite.json')],
  ])
  expect(errors[0]?.message).toMatch(/^a\/bad\.sprite\.json:1:\d+ extrude: expected a whole number from 0 to 16, found 99$/)
  expect(errors[1]?.message).toBe('a/bytes.sprite.json:1:1 expected text in UTF-8, found bytes that are none')
})

test('two specs of one name are an error that names both files, also where only case differs', async () => {
  write('a/hero.sprite.json', specText())
  write('b/Hero.sprite.json', specText())
  write('b/orc.sprite.yaml', specText())
  write('c/orc.sprite.json', specText())
  write('c/elf.sprite.json', specText())
  const { specs, errors } = await readSpecs(ports, root, standard)
  expect(specs.map(({ name }) => name)).toEqual(['elf'])
  expect(errors.map(({ code, facts }) => [code, facts])).toEqual([
    ['SW_SPEC_NAME', { names: ['hero', 'Hero'], files: [join(root, 'a/hero.sprite.json'), join(root, 'b/Hero.sprite.json')] }],
    ['SW_SPEC_NAME', { names: ['orc'], files: [join(root, 'b/orc.sprite.yaml'), join(root, 'c/orc.sprite.json')] }],
  ])
  expect(errors[0]?.message).toContain('a/hero.sprite.json and b/Hero.sprite.json')
})

test('a spec as Windows writes it is read, with the same prompts as in UTF-8', async () => {
  const prompts: Readonly<Record<string, string>> = {
    json: specText({ prompt: 'ein Ritter mit Ö' }),
    yaml: 'reference: ./a.png\nprompt: ein Ritter mit Ö\nanimations:\n  walk: {}\n',
  }
  for (const [ending, text] of Object.entries(prompts)) {
    write(`plain.sprite.${ending}`, text)
    const found = await readSpecs(ports, root, [`*.sprite.${ending}`])
    for (const [form, bytes] of windowsTexts(text)) {
      write(`plain.sprite.${ending}`, bytes)
      expect([form, await readSpecs(ports, root, [`*.sprite.${ending}`])]).toEqual([form, found])
    }
    expect(found).toMatchObject({ specs: [{ prompt: 'ein Ritter mit Ö' }], errors: [] })
  }
})

test('a spec with zero bytes is named, also if all of them are', async () => {
  write('a.sprite.json', Buffer.concat([Buffer.from(specText()), toUtf16('// note', false)]))
  write('b.sprite.yaml', Buffer.alloc(40))
  const { errors } = await readSpecs(ports, root, standard)
  expect(errors.map(({ message }) => message)).toEqual([
    'a.sprite.json:1:1 expected text in UTF-8, found zero bytes',
    'b.sprite.yaml:1:1 expected text in UTF-8, found zero bytes',
  ])
  expect(errors[0]?.facts.issues).toMatchObject([{ line: 1, column: 1, path: '', expected: 'text in UTF-8', found: 'zero bytes' }])
})

describe('one file with several names is one spec:', () => {
  const links = (...all: readonly (readonly [to: string, path: string])[]): void => {
    for (const [to, path] of all) symlinkSync(to, join(root, path))
  }
  const found = async (): Promise<unknown> => {
    const { specs, errors } = await readSpecs(ports, root, standard)
    return [specs.map(({ file }) => relative(root, file)), errors]
  }

  test('links to its folder, before and after it in the alphabet', async () => {
    write('sprites/hero.sprite.json', specText())
    write('sprites/deep/orc.sprite.yaml', specText())
    links(['sprites', 'art'], ['sprites/deep', 'zoo'], ['../sprites', 'sprites/self'])
    expect(await found()).toEqual([['sprites/hero.sprite.json', 'sprites/deep/orc.sprite.yaml'], []])
  })

  test('links in a circle', async () => {
    write('hero.sprite.json', specText())
    write('a/orc.sprite.json', specText())
    links(['.', 'loop'], ['..', 'a/up'])
    expect(await found()).toEqual([['hero.sprite.json', 'a/orc.sprite.json'], []])
  })

  test('links to the file itself, also with another ending or case', async () => {
    write('sprites/hero.sprite.json', specText())
    mkdirSync(join(root, 'a'))
    links(['../sprites/hero.sprite.json', 'a/hero.sprite.json'], ['sprites/hero.sprite.json', 'hero.sprite.yaml'])
    links(['sprites/hero.sprite.json', 'HERO.sprite.json'])
    expect(await found()).toEqual([['sprites/hero.sprite.json'], []])
  })

  test('links to a file outside of the project, of which the first counts', async () => {
    write('../shared/hero.sprite.json', specText())
    links(['../shared', 'a'], ['../shared', 'b'])
    expect(await found()).toEqual([['a/hero.sprite.json'], []])
  })

  test('a project that is a link itself', async () => {
    write('sprites/hero.sprite.json', specText())
    links(['sprites', 'art'])
    const linked = join(dirname(root), 'linked')
    symlinkSync(root, linked)
    expect(await findSpecs(ports.glob, linked, standard)).toEqual([join(linked, 'sprites/hero.sprite.json')])
  })

  test('but a link of another name is another sprite, and a second file of the name is an error', async () => {
    write('hero.sprite.json', specText())
    links(['hero.sprite.json', 'twin.sprite.json'])
    expect(await found()).toEqual([['hero.sprite.json', 'twin.sprite.json'], []])
    write('old/hero.sprite.json', specText())
    links(['old', 'older'])
    const { specs, errors } = await readSpecs(ports, root, standard)
    expect(specs.map(({ name }) => name)).toEqual(['twin'])
    expect(errors.map(({ facts }) => facts.files)).toEqual([[join(root, 'hero.sprite.json'), join(root, 'old/hero.sprite.json')]])
  })
})

test('names that differ only in Unicode form are named as those that differ only in case', async () => {
  const names = ['é'.normalize('NFC'), 'é'.normalize('NFD')]
  for (const [at, name] of names.entries()) write(`${at}/${name}.sprite.json`, specText())
  const { errors } = await readSpecs(ports, root, standard)
  const [clash] = errors.filter(({ code }) => code === 'SW_SPEC_NAME')
  expect(clash?.facts.names).toEqual(names)
  expect(clash?.message).toContain('also where only case or Unicode form differs')
})

test('a project without specs has none, and no error', async () => {
  expect(await readSpecs(ports, root, standard)).toEqual({ specs: [], errors: [] })
})

test('a spec that is gone is an error of the disk, by its path from the root', async () => {
  const { spec, bytes } = await tryReadSpec(new MemoryDisk(), '/game/art/hero.sprite.json', '/game')
  expect([spec, bytes]).toEqual([
    expect.objectContaining({
      code: 'SW_DISK',
      message: expect.stringMatching(/ art\/hero\.sprite\.json,.*ENOENT/),
      facts: { file: '/game/art/hero.sprite.json' },
    }),
    undefined,
  ])
})

test('a spec of 1 MiB is read, and one of a byte more is not', async () => {
  const read = async (length: number) => {
    const disk = new MemoryDisk()
    const text = specText()
    disk.files.set('/game/hero.sprite.json', new TextEncoder().encode(text + ' '.repeat(length - text.length)))
    return (await tryReadSpec(disk, '/game/hero.sprite.json', '/game')).spec
  }
  expect(await read(2 ** 20)).toMatchObject({ name: 'hero' })
  const found = '1048577 bytes'
  expect(await read(2 ** 20 + 1)).toMatchObject({
    code: 'SW_SPEC',
    facts: { file: '/game/hero.sprite.json', issues: [{ line: 1, column: 1, path: '', found, message: expect.stringContaining(found) }] },
  })
})
