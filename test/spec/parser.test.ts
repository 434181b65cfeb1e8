import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createDocument } from '../../src/sprite-spec/document.ts'
import { parseJsonText } from '../../src/sprite-spec/json-text.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { nameWords } from '../../src/sprite-spec/schema.ts'
import { describeWith } from '../kit/needs.ts'
import { issuesOf, linesOf, specText } from './issues.ts'

const defaults = { fps: 12, loop: true, yoyo: false, take: 1, frames: 12 }

describe('what a spec means', () => {
  test('a spec of the required fields takes every default', () => {
    expect(parseSpec(specText(), '/game/hero.sprite.json')).toEqual({
      name: 'hero',
      file: '/game/hero.sprite.json',
      reference: { kind: 'file', path: 'hero.png' },
      prompt: 'a knight',
      background: 'remove',
      animations: [{ name: 'walk', prompt: 'walk', ...defaults }],
      pixelArt: false,
      stabilize: false,
      trim: true,
      extrude: 1,
      padding: 2,
      scales: [1],
      atlas: 'sprites',
    })
  })

  test('every field arrives, from JSON with comments and from YAML alike', () => {
    const json = `// a comment
      { "$schema": "x", "reference": { "steps": [{ "text": "a knight" }, { "edit": "a plume" }, { "removeBackground": "the knight" }, { "upscale": "a knight" }] },
        "prompt": "a knight", "background": "keep", "size": { "width": 64, "height": 96 }, "pixelArt": true, "anchor": [0.5, 1], "stabilize": true,
        "trim": false, "extrude": 0, "padding": 64, "scales": [2, 1, 0.5], "atlas": "level-1", /* another */
        "animations": { "walk": { "prompt": "walks", "frames": 7, "take": 2, "options": { "style": ["a", { "b": null }] }, "fps": 8.5, "loop": false,
          "yoyo": true, "use": [6, 0, 0], "durations": [100, 50.5, 1] }, }, }`
    const yaml = `
$schema: x
reference: { steps: [{ text: a knight }, { edit: a plume }, { removeBackground: the knight }, { upscale: a knight }] }
prompt: a knight # a comment
background: keep
size: { width: 64, height: 96 }
pixelArt: true
anchor: [0.5, 1]
stabilize: true
trim: false
extrude: 0
padding: 64
scales: [2, 1, 0.5]
atlas: level-1
animations:
  walk:
    prompt: walks
    frames: 7
    take: 2
    options: { style: [a, { b: null }] }
    fps: 8.5
    loop: false
    yoyo: true
    use: [6, 0, 0]
    durations: [100, 50.5, 1]
`
    const spec = parseSpec(json, '/game/hero.sprite.json')
    expect(parseSpec(yaml, '/game/hero.sprite.yml')).toEqual({ ...spec, file: '/game/hero.sprite.yml' })
    expect(JSON.parse(JSON.stringify(spec))).toMatchObject({
      size: { kind: 'box', width: 64, height: 96 },
      anchor: { x: 0.5, y: 1 },
      reference: {
        kind: 'steps',
        steps: [
          { kind: 'text', prompt: 'a knight' },
          { kind: 'edit', prompt: 'a plume' },
          { kind: 'removeBackground' },
          { kind: 'upscale' },
        ],
      },
      animations: [
        { name: 'walk', prompt: 'walks', take: 2, options: { style: ['a', { b: null }] }, use: [6, 0, 0], durations: [100, 50.5, 1] },
      ],
    })
  })

  test('animations keep the order of the file, also where their names are numbers', () => {
    const text = '{"reference":"a.png","prompt":"k","animations":{"walk":{},"2":{},"1":{},"constructor":{}}}'
    expect(parseSpec(text, '/game/hero.sprite.json').animations.map(({ name }) => name)).toEqual(['walk', '2', '1', 'constructor'])
  })

  test('borders are of every side, or left, top, right and bottom', () => {
    const bordersOf = (borders: unknown) => parseSpec(specText({ borders }), '/game/hero.sprite.json').borders
    expect(bordersOf(5)).toEqual({ left: 5, top: 5, right: 5, bottom: 5 })
    expect(bordersOf([1, 2, 3, 4])).toEqual({ left: 1, top: 2, right: 3, bottom: 4 })
  })

  test('options are kept, and empty ones are none', () => {
    const walkOf = (options: unknown) => parseSpec(specText({}, { options }), '/game/hero.sprite.json').animations[0]
    expect(walkOf({ style: 'ink' })?.options).toEqual({ style: 'ink' })
    expect(walkOf({})).not.toHaveProperty('options')
  })

  test('faults that are meant are kept, and an empty list of them is none', () => {
    const meantOf = (meant: unknown) => parseSpec(specText({}, { meant }), '/game/hero.sprite.json').animations[0]
    expect(meantOf(['blank', 'halo'])?.meant).toEqual(['blank', 'halo'])
    expect(meantOf([])).not.toHaveProperty('meant')
  })

  test.each(['json', 'yaml'])('a spec in %s has as many animations as it likes', (ending) => {
    const names = Array.from({ length: 200 }, (_, index) => `a${index}`)
    const text = specText({ animations: Object.fromEntries(names.map((name) => [name, { use: [0, 1] }])) })
    expect(parseSpec(text, `/game/hero.sprite.${ending}`).animations.map(({ name }) => name)).toEqual(names)
  })

  test('a chain of one picture is that file', () => {
    const text = specText({ reference: { steps: [{ image: '../art/hero.png' }] } })
    expect(parseSpec(text, '/game/hero.sprite.json').reference).toEqual({ kind: 'file', path: '../art/hero.png' })
  })

  test('a byte order mark is no part of the text', () => {
    expect(parseSpec(`\uFEFF${specText()}`, '/game/hero.sprite.json').prompt).toBe('a knight')
  })

  test('YAML anchors repeat a part', () => {
    const text = 'reference: a.png\nprompt: k\nanimations:\n  walk: &w { frames: 9 }\n  run: *w\n'
    expect(parseSpec(text, '/game/hero.sprite.yaml').animations.map(({ frames }) => frames)).toEqual([9, 9])
  })
})

describe('what a spec is refused for', () => {
  test('the message shows the first five issues, and how many more there are', () => {
    const names = Array.from({ length: 7 }, (_, index) => `Bad ${index}`)
    const text = specText({ animations: Object.fromEntries(names.map((name) => [name, {}])) })
    expect(issuesOf(text).map(({ found, column }) => [found, column])).toEqual(
      names.map((name) => [JSON.stringify(name), text.indexOf(JSON.stringify(name)) + 1]),
    )
    expect(() => parseSpec(text, '/game/hero.sprite.json')).toThrow(/"Bad 4"[^\n]*\n\.\.\. and 2 more$/)
  })

  test('the message names file, line, column, field, what was expected and what was found', () => {
    const text = '{\n  "reference": "a.png",\n  "prompt": "k",\n  "animations": {\n    "walk": { "frames": 5 }\n  }\n}'
    expect(() => parseSpec(text, '/game/hero.sprite.json', 'sprites/hero.sprite.json')).toThrow(
      'sprites/hero.sprite.json:5:25 animations.walk.frames: expected a whole number from 7 to 100 (the service draws 7 or more; to play 5 of them: "frames": 7, "use": [0, 1, 2, 3, 4]), found 5',
    )
    expect(issuesOf(text)).toEqual([
      {
        line: 5,
        column: 25,
        path: 'animations.walk.frames',
        expected: 'a whole number from 7 to 100 (the service draws 7 or more; to play 5 of them: "frames": 7, "use": [0, 1, 2, 3, 4])',
        found: '5',
        message:
          'animations.walk.frames: expected a whole number from 7 to 100 (the service draws 7 or more; to play 5 of them: "frames": 7, "use": [0, 1, 2, 3, 4]), found 5',
      },
    ])
  })

  test('all issues are listed in the order of the text', () => {
    const text = '{"reference":"a.png",\n"prompt":"",\n"animations":{"walk":{"frames":101,\n"use":[-1]},\n"he.ro":{}},\n"extrude":17}'
    expect(linesOf(text)).toEqual([
      '2:10 prompt: expected a text that says what the sprite is, found ""',
      '3:32 animations.walk.frames: expected a whole number from 7 to 100, found 101',
      '4:8 animations.walk.use[0]: expected a whole number from 0 to 99, found -1',
      `5:1 animations.he.ro: expected ${nameWords}, found "he.ro"`,
      '6:11 extrude: expected a whole number from 0 to 16, found 17',
    ])
  })

  test.each([
    [{ borders: -1 }, 'borders: expected pixels of all sides, or [left, top, right, bottom], each a whole number from 0 to 2048, found -1'],
    [
      { borders: [1, 2] },
      'borders: expected pixels of all sides, or [left, top, right, bottom], each a whole number from 0 to 2048, or an object of these by name of picture, found a list of 2',
    ],
    [{ borders: 2, stabilize: true }, 'stabilize: expected false beside borders, since moved frames have other edges, found true'],
  ])('borders are whole, of all sides or each, and not for frames that are put back: %j', (fields, issue) => {
    const text = JSON.stringify({ reference: 'a.png', prompt: 'k', animations: { idle: {} }, ...fields })
    expect(linesOf(text).map((line) => line.slice(line.indexOf(' ') + 1))).toEqual([issue])
  })

  test('a missing field is placed where its object begins', () => {
    expect(linesOf('\n  {"prompt":"k","animations":{"walk":{}}}')).toEqual([
      '2:3 reference: expected the path of a picture beside the spec, or { "steps": [...] }, found nothing',
    ])
  })

  test.each([
    [{ promt: 'x' }, 'promt: expected a known field (did you mean "prompt"?), found the field "promt"'],
    [{ backgruond: 'keep' }, 'backgruond: expected a known field (did you mean "background"?), found the field "backgruond"'],
    [{ fps: 3 }, 'fps: expected "fps" inside an animation (animations.NAME.fps), found the field "fps"'],
  ])('the unknown field of %j is named, with what it may mean', (over, message) => {
    expect(issuesOf(specText(over)).map((issue) => issue.message)).toEqual([message])
  })

  test.each([
    [{ video: {} }, 'video: expected no such field, since the service\'s interface does not show video, found the field "video"'],
    [
      { operation: 'video' },
      'operation: expected no such field, since the service\'s interface does not show video, found the field "operation"',
    ],
  ])('C42, N17: a spec that asks for video by %j is refused in words', (over, message) => {
    expect(issuesOf(specText(over)).map((issue) => issue.message)).toEqual([message])
  })

  test.each([
    [{ operation: 'sheet' }, {}, /^operation: (?!.*video).*, found the field "operation"$/],
    [{}, { w_x_y_z_q: 1 }, /^animations\.walk\.w_x_y_z_q: expected one of prompt, frames, .*, found the field/],
    [{}, { padding: 2 }, /^animations\.walk\.padding: expected "padding" at the top of the spec, found the field "padding"$/],
    [
      { reference: { steps: [{ edit: 'x' }] } },
      {},
      /^reference\.steps\[0\]: expected \{ text \} or \{ image \} as the first step, found \{ edit \}$/,
    ],
    [
      { reference: { steps: [{ text: 'x' }, { image: 'a.png' }] } },
      {},
      /^reference\.steps\[1\]: expected \{ edit \}, \{ removeBackground \} or \{ upscale \} after the first step, found \{ image \}$/,
    ],
    [{ background: 'b'.repeat(61) }, {}, /found "b{57}\.\.\."$/],
    [{ background: 'b'.repeat(60) }, {}, /found "b{60}"$/],
  ])('%j with an animation %j says what was expected and found', (over, walk, message) => {
    expect(issuesOf(specText(over, walk)).map((issue) => issue.message)).toEqual([expect.stringMatching(message)])
  })

  test.each([
    [{ anchor: [0, 1.1] }, {}, 'anchor[1]'],
    [{ anchor: [0] }, {}, 'anchor'],
    [{ scales: [1, 0] }, {}, 'scales[1]'],
    [{ scales: [1, 5] }, {}, 'scales[1]'],
    [{ scales: [1, 0.5, 1] }, {}, 'scales[2]'],
    [{ scales: [] }, {}, 'scales'],
    [{ size: 0 }, {}, 'size'],
    [{ size: { width: 3 } }, {}, 'size.height'],
    [{ background: 'blur' }, {}, 'background'],
    [{ atlas: 'a/b' }, {}, 'atlas'],
    [{ reference: 'https://example.com/a.png' }, {}, 'reference'],
    [{ reference: '/etc/a.png' }, {}, 'reference'],
    [{ reference: 'C:\\a.png' }, {}, 'reference'],
    [{ reference: { steps: [] } }, {}, 'reference.steps'],
    [{ reference: { steps: [{ edit: 'x' }] } }, {}, 'reference.steps[0]'],
    [{ reference: { steps: [{ text: 'x' }, { text: 'y' }] } }, {}, 'reference.steps[1]'],
    [{ reference: { steps: [{ text: 'x' }, { edit: 5 }] } }, {}, 'reference.steps[1].edit'],
    [{ reference: { steps: [{ text: 'x' }, { edit: 'y', upscale: 'z' }] } }, {}, 'reference.steps[1]'],
    [{ reference: { steps: [{ edit: 'y', upscale: 'z' }] } }, {}, 'reference.steps[0]'],
    [{ animations: {} }, {}, 'animations'],
    [{ animations: { walk: {}, Walk: {} } }, {}, 'animations.Walk'],
    [{}, { frames: 6 }, 'animations.walk.frames'],
    [{}, { frames: 0 }, 'animations.walk.frames'],
    [{}, { frames: 7.5 }, 'animations.walk.frames'],
    [{}, { frames: '12' }, 'animations.walk.frames'],
    [{}, { take: 0 }, 'animations.walk.take'],
    [{}, { use: [] }, 'animations.walk.use'],
    [{}, { use: [0, 12] }, 'animations.walk.use[1]'],
    [{}, { durations: [1, 2] }, 'animations.walk.durations'],
    [{}, { use: [0, 1], durations: [5, 5, 5] }, 'animations.walk.durations'],
    [{}, { fps: 0 }, 'animations.walk.fps'],
    [{}, { options: { frame_count: 100 } }, 'animations.walk.options.frame_count'],
  ])('%j with an animation %j is refused once, at %s', (over, walk, path) => {
    expect(issuesOf(specText(over, walk)).map((issue) => issue.path)).toEqual([path])
  })

  test.each([
    ['hero.json', 'a file of another kind'],
    ['he.ro.sprite.json', 'a name with a dot'],
    ['-hero.sprite.json', 'a name that begins with -'],
  ])('%s is no name of a spec: %s', (file) => {
    expect(issuesOf(specText(), `/game/${file}`)).toMatchObject([{ line: 1, column: 1, path: '', found: file }])
  })

  test('what is too long is not read', () => {
    expect(issuesOf(`${specText()}${' '.repeat(1024 * 1024)}`)).toMatchObject([{ expected: 'a spec of at most 1 MiB' }])
  })
})

describe('a message about one of several forms names no field that is there as missing:', () => {
  const later = (step: object): object => ({ reference: { steps: [{ text: 'x' }, step] } })
  const words = 'a step: one of { text }, { image }, { edit }, { removeBackground } or { upscale }'
  const second = 'no second field in a step, which takes one of text, image, edit, removeBackground, upscale'
  test.each<[object, string]>([
    [later({ edit: '', upscale: 'y' }), `reference.steps[1]: expected ${words}, found an object with "edit", "upscale"`],
    [later({ edit: 5, removeBackground: 'y' }), `reference.steps[1].edit: expected ${second}, found the field "edit"`],
    [later({ edit: 'x', upscale: 'y' }), `reference.steps[1]: expected ${words}, found an object with "edit", "upscale"`],
    [later({ edit: 'x', edti: 'y' }), `reference.steps[1].edti: expected ${second}, found the field "edti"`],
    [later({ upscale: 'x', prompt: 'y' }), `reference.steps[1].prompt: expected ${second}, found the field "prompt"`],
    [later({ edti: 'x' }), `reference.steps[1]: expected ${words}, found an object with "edti"`],
    [{ size: { width: 5, figure: 6 } }, 'size.width: expected { "width", "height" } or { "figure" }, not both, found the field "width"'],
    [
      { size: { width: 5, height: 6, figure: 7 } },
      'size: expected pixels of the longest side, { "width", "height" } or { "figure" }, found an object with "width", "height", "figure"',
    ],
    // A name that the author gives is no field of the spec.
    [{ animations: { steps: { frames: 7, fsp: 5 } } }, 'animations.steps.fsp: expected a known field (did you mean "fps"?)'],
    [{ animations: { steps: { frames: 7, text: 'x' } } }, 'animations.steps.text: expected one of prompt, frames, '],
    [{ animations: { size: { frames: 7, width: 5 } } }, 'animations.size.width: expected one of prompt, frames, '],
    [{ size: { figure: 6, steps: 5 } }, 'size.steps: expected one of width, height, figure, found the field "steps"'],
    [{ reference: { steps: [{ text: 'x' }], stesp: [] } }, 'reference.stesp: expected a known field (did you mean "steps"?)'],
  ])('%j', (over, message) => {
    const [first, ...others] = issuesOf(specText(over as Readonly<Record<string, unknown>>))
    expect(others).toEqual([])
    expect(first?.message).toContain(message)
  })
})

describe('what breaks a text', () => {
  test.each([
    ['{"a": 1\n"b": 2}', '2:1 expected a comma, found a double quote'],
    ['{"a": ', '1:7 expected a value, found the end of the file'],
    ['{"a": [1', '1:9 expected a comma or a closing ], found the end of the file'],
    ['{"a": {"b": 1', '1:14 expected a comma or a closing }, found the end of the file'],
    ["{'a': 1}", null],
    ['', '1:1 expected a value, found the end of the file'],
  ])('JSON %j gives one issue with its place', (text, message) => {
    const lines = linesOf(text)
    expect(lines).toHaveLength(1)
    if (message !== null) expect(lines[0]).toBe(message)
  })

  test.each([
    ['prompt: [\nreference: a', /^2:1 expected valid YAML \(.*\), found reference$/],
    ['prompt: a knight: brave', /^1:9 expected quotes around a text that has ": " in it, found "a knight: brave"$/],
    ['prompt a knight\nfps: 3', /^1:1 expected a colon and a blank after the name of a field, .*, found "prompt a knight"$/],
    ['prompt: @knight', /^1:9 expected quotes around a text that begins with a sign, found "@knight"$/],
    ['a:\n\tb: c', /^2:1 expected blanks instead of a tab at the beginning of a line, found "b: c"$/],
    ['prompt: !!js/function x', /^1:9 expected valid YAML/],
    ['a: *nowhere', /^1:4 /],
    ['? [a]\n: b', /^1:3 expected the name of a field as a text/],
    ['a: 1\n---\nb: 2', /expected valid YAML/],
  ])('YAML %j gives one issue with its place', (text, pattern) => {
    const lines = linesOf(text, '/game/hero.sprite.yaml')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(pattern)
  })

  test.each(['/game/hero.sprite.json', '/game/hero.sprite.yaml'])('in %s a field twice is an error at the second', (file) => {
    const text = '{"reference":"a.png","prompt":"k",\n"animations":{"walk":{}},\n"prompt":"l"}'
    expect(linesOf(text, file)).toEqual(['3:1 prompt: expected each field once, found it a second time'])
  })

  test('a field twice in another spelling is an error at the second', () => {
    const text = '{"reference":"a.png","prompt":"k",\n"animations":{"walk":{}},\n"pr\\u006fmpt":"l"}'
    expect(linesOf(text)).toEqual(['3:1 prompt: expected each field once, found it a second time'])
  })

  test.each(['/game/hero.sprite.json', '/game/hero.sprite.yaml'])('in %s the field __proto__ is refused and touches nothing', (file) => {
    const text = '{"reference":"a.png","prompt":"k","animations":{"walk":{"options":{"__proto__":{"polluted":1}}}}}'
    expect(issuesOf(text, file)).toMatchObject([{ path: 'animations.walk.options.__proto__', expected: 'a name of a field' }])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test.each([
    ['1e999', 'a finite number'],
    ['12345678901234567890', 'a number within ±9007199254740991, beyond which digits get lost'],
    ['"\\ud800"', 'a text of whole Unicode characters'],
  ])('an option of %s, which JSON cannot keep exactly, is refused', (value, expected) => {
    const text = `{"reference":"a.png","prompt":"k","animations":{"walk":{"options":{"x":${value}}}}}`
    expect(issuesOf(text)).toMatchObject([{ path: 'animations.walk.options.x', expected }])
  })

  test.each([
    ['/game/hero.sprite.json', '['.repeat(200_000)],
    ['/game/hero.sprite.json', '{"a":'.repeat(100_000)],
    ['/game/hero.sprite.yaml', '['.repeat(200_000)],
    ['/game/hero.sprite.yaml', '- '.repeat(200_000)],
  ])('%s of endless nesting is refused, not run out of stack', (file, text) => {
    expect(issuesOf(text, file)).toMatchObject([{ found: 'more' }])
  })

  test('YAML aliases that multiply are refused', () => {
    const lines = ['a: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 8; level += 1) lines.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(10)}]`)
    expect(issuesOf(lines.join('\n'), '/game/hero.sprite.yaml')).toMatchObject([{ found: 'more' }])
  })
})

const corpus = join(process.env.SPRITEWRIGHT_CORPORA ?? join(dirname(fileURLToPath(import.meta.url)), '../../../shared/corpora'), 'json')
if (!existsSync(corpus)) console.log(`The JSON corpus is not at ${corpus}: its tests are skipped.`)

describeWith(existsSync(corpus), 'corpora')('JSON documents that parsers disagree on', () => {
  const files = existsSync(corpus) ? readdirSync(join(corpus, 'nst')) : []
  test.each(['/game/hero.sprite.json', '/game/hero.sprite.yaml'])('none throws anything but SW_SPEC as %s', (file) => {
    for (const name of files) issuesOf(new TextDecoder().decode(readFileSync(join(corpus, 'nst', name))), file)
  })

  test('what is JSON is read as JSON.parse reads it', () => {
    for (const name of files.filter((file) => file.startsWith('y_'))) {
      const text = new TextDecoder().decode(readFileSync(join(corpus, 'nst', name)))
      const parsed = parseJsonText(text)
      if (!('root' in parsed)) throw new Error(`Expected ${name} to be read, found ${parsed.broken.expected}.`)
      const document = createDocument(text, parsed.root)
      if (document.faults.length === 0) expect(JSON.stringify(document.value)).toBe(JSON.stringify(JSON.parse(text)))
    }
  })

  test('of what is no JSON, only comments and trailing commas are read', () => {
    const taken = files.filter((name) => {
      return name.startsWith('n_') && 'root' in parseJsonText(new TextDecoder().decode(readFileSync(join(corpus, 'nst', name))))
    })
    expect(taken.sort()).toEqual([
      'n_array_extra_comma.json',
      'n_array_number_and_comma.json',
      'n_object_lone_continuation_byte_in_key_and_trailing_comma.json',
      'n_object_trailing_comma.json',
      'n_object_trailing_comment.json',
      'n_object_trailing_comment_slash_open.json',
      'n_structure_object_with_comment.json',
    ])
  })
})
