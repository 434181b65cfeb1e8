import { describe, expect, test } from 'vitest'
import { editSpecText, type FieldEdit } from '../../src/sprite-spec/edit/edit.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'

const json = (text: string, ...edits: FieldEdit[]): string => editSpecText(text, '/p/hero.sprite.json', 'hero.sprite.json', edits)
const yaml = (text: string, ...edits: FieldEdit[]): string => editSpecText(text, '/p/hero.sprite.yaml', 'hero.sprite.yaml', edits)

const commented = `{
  // who it is
  "reference": "./hero.png",
  "prompt": "a knight", /* in armour */
  "animations": {
    "walk": { "frames": 8 }, // one line
    "idle": {
      // breathing
      "fps": 8, // slow
      "frames": 9 // asked for
      /* the end */
    },
    "hurt": {}
  }
}
`

describe('JSON', () => {
  test('a field that is there is written in its place', () => {
    expect(json(commented, { path: ['animations', 'idle', 'fps'], value: 12.5 })).toBe(
      commented.replace('"fps": 8, // slow', '"fps": 12.5, // slow'),
    )
  })

  test('a new field comes last, in the form of its neighbours', () => {
    expect(json(commented, { path: ['animations', 'walk', 'loop'], value: false })).toBe(
      commented.replace('{ "frames": 8 }', '{ "frames": 8, "loop": false }'),
    )
    expect(json(commented, { path: ['animations', 'idle', 'use'], value: [0, 2, 1] })).toBe(
      commented.replace('"frames": 9 // asked for\n', '"frames": 9, // asked for\n      "use": [0, 2, 1]\n'),
    )
    expect(json(commented, { path: ['animations', 'hurt', 'fps'], value: 3 })).toBe(commented.replace('"hurt": {}', '"hurt": { "fps": 3 }'))
    const empty = commented.replace('"hurt": {}', '"hurt": {  }')
    expect(json(empty, { path: ['animations', 'hurt', 'fps'], value: 3 })).toBe(commented.replace('"hurt": {}', '"hurt": { "fps": 3 }'))
    expect(json(commented, { path: ['size'], value: { width: 64, height: 32 } })).toBe(
      commented.replace(/\n {2}\}\n\}\n$/, '\n  },\n  "size": { "width": 64, "height": 32 }\n}\n'),
    )
  })

  test('a field goes with its comma and its line; comments stay', () => {
    const without = json(commented, { path: ['animations', 'idle', 'fps'] })
    expect(without).toBe(commented.replace('"fps": 8, // slow', '// slow'))
    expect(json(without, { path: ['animations', 'idle', 'fps'] })).toBe(without)
    const two = commented.replace('"frames": 9 //', '"frames": 9,\n      "use": [1, 2] //')
    expect(json(two, { path: ['animations', 'idle', 'use'] })).toBe(
      commented.replace('"frames": 9 // asked for\n', '"frames": 9\n      // asked for\n'),
    )
  })

  test('tabs, CRLF, a byte order mark and trailing commas are kept', () => {
    const text =
      '\uFEFF{\r\n\t"reference": "./a.png",\r\n\t"prompt": "a",\r\n\t"animations": {\r\n\t\t"walk": {\r\n\t\t\t"frames": 8,\r\n\t\t},\r\n\t},\r\n}\r\n'
    const fast = json(text, { path: ['animations', 'walk', 'fps'], value: 20 })
    expect(fast).toBe(text.replace('"frames": 8,\r\n', '"frames": 8,\r\n\t\t\t"fps": 20,\r\n'))
    expect(json(fast, { path: ['animations', 'walk', 'fps'] })).toBe(text)
    expect(json(text, { path: ['anchor'], value: [0.5, 1] })).toBe(
      text.replace(/\t\},\r\n\}\r\n$/, '\t},\r\n\t"anchor": [0.5, 1],\r\n}\r\n'),
    )
  })

  test('all on one line', () => {
    const text = '{"reference":"./a.png","prompt":"a","animations":{"walk":{"fps":8,"frames":7}}}'
    expect(json(text, { path: ['animations', 'walk', 'fps'] })).toBe(text.replace('"fps":8,', ''))
    expect(json(text, { path: ['animations', 'walk', 'frames'] })).toBe(text.replace(',"frames":7', ''))
    expect(json(text, { path: ['size'], value: 64 })).toBe(text.replace(/\}$/, ', "size": 64}'))
  })
})

describe('YAML', () => {
  const text = `# who it is
reference: ./hero.png
prompt: |
  a knight
  in armour
animations:
  walk: { frames: 8 } # one line
  idle:
    # breathing
    fps: 8 # slow
    use: # the good ones
      - 0
      - 2
  run: # fast
    frames: 9
    use:
      - 1
      - 3 # best

# the end
`

  test.each(['|', '>', '|-', '>-'])('a field goes behind a text in the style %s', (style) => {
    const block = `reference: ./hero.png\nanimations: { walk: {} }\nprompt: ${style}\n  a knight\n  in armour\n`
    expect(yaml(block, { path: ['size'], value: 64 })).toBe(`${block}size: 64\n`)
  })

  test('a field that is there is written in its place', () => {
    expect(yaml(text, { path: ['animations', 'idle', 'fps'], value: 12 })).toBe(text.replace('fps: 8 #', 'fps: 12 #'))
    const used = yaml(text, { path: ['animations', 'run', 'use'], value: [0, 1] })
    expect(used).toBe(text.replace('use:\n      - 1\n      - 3 # best', 'use: [0, 1] # best'))
    const other = yaml(text, { path: ['animations', 'idle', 'use'], value: [4] })
    expect(other).toContain('# the good ones')
    expect(parseSpec(other, '/p/hero.sprite.yaml').animations[1]?.use).toEqual([4])
  })

  test('a new field comes last', () => {
    expect(yaml(text, { path: ['animations', 'walk', 'fps'], value: 12 })).toBe(text.replace('{ frames: 8 }', '{ frames: 8, fps: 12 }'))
    expect(yaml(text, { path: ['animations', 'run', 'loop'], value: false })).toBe(text.replace('# best\n', '# best\n    loop: false\n'))
    expect(yaml(text, { path: ['anchor'], value: [0.5, 1] })).toBe(text.replace('# best\n', '# best\nanchor: [0.5, 1]\n'))
    expect(yaml('reference: a.png\nanimations: {a: {}}\nprompt: |\n  x\n', { path: ['size'], value: 32 })).toBe(
      'reference: a.png\nanimations: {a: {}}\nprompt: |\n  x\nsize: 32\n',
    )
    expect(yaml('reference: a.png\nprompt: x\nanimations: {a: {}}', { path: ['size'], value: 32 })).toBe(
      'reference: a.png\nprompt: x\nanimations: {a: {}}\nsize: 32',
    )
  })

  test('a field goes with its line; comments stay, also where it was the only one', () => {
    expect(yaml(text, { path: ['animations', 'idle', 'fps'] })).toBe(text.replace('fps: 8 # slow', '# slow'))
    const { animations } = parseSpec(yaml(text, { path: ['animations', 'walk', 'frames'] }), '/p/hero.sprite.yaml')
    expect(animations[0]).toMatchObject({ name: 'walk', frames: 12 })
    const all = yaml(text, { path: ['animations', 'run', 'use'] }, { path: ['animations', 'run', 'frames'] })
    for (const comment of ['# who it is', '# one line', '# breathing', '# slow', '# fast', '# the end']) expect(all).toContain(comment)
    expect(parseSpec(all, '/p/hero.sprite.yaml').animations[2]).toMatchObject({ name: 'run', frames: 12 })
  })

  test('what an alias shares is not changed behind the back of the others', () => {
    const shared = 'reference: a.png\nprompt: x\nanimations:\n  a: &one\n    fps: 8\n  b: *one\n'
    const path = ['animations', 'b', 'fps']
    const facts = { file: '/p/hero.sprite.yaml', field: 'animations.b.fps' }
    expect(() => yaml(shared, { path, value: 20 })).toThrow(expect.objectContaining({ code: 'SW_SPEC', facts }))
    expect(() => yaml(shared, { path, value: 20 })).toThrow(/^hero\.sprite\.yaml: animations\.b\.fps .* Write it by hand as 20\.$/)
    expect(() => yaml(shared, { path })).toThrow(/Write it by hand: take it out\.$/)
  })
})

test('what would be no spec is refused with its place', () => {
  expect(() => json(commented, { path: ['animations', 'idle', 'fps'], value: 0 })).toThrow(/hero\.sprite\.json:9:14 .*above 0/)
  expect(() => json(commented, { path: ['animations', 'idle', 'use'], value: [9] })).toThrow(/one of the 9 frames/)
  expect(() => json('{', { path: ['size'], value: 1 })).toThrow(expect.objectContaining({ code: 'SW_SPEC' }))
})
